/*
 * What the tests of the HSA interface share: one program, api.c, with what is
 * damaged on purpose in api_fuzz.c and SMELT_SIM_CHECK in api_check.c.
 */
#ifndef TEST_SIM_API_H
#define TEST_SIM_API_H

#include "../../sim/amdgpu/hsa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern int failures;
extern hsa_agent_t cpu, gpu;
extern hsa_amd_memory_pool_t device_pool, kernarg_pool;
extern uint8_t *file;
extern size_t file_size;

/* Prints the test's line. */
void
verdict(const char *name, bool ok);

#define EXPECT(call, want)                                                     \
	do {                                                                   \
		hsa_status_t got = (call);                                     \
		if (got != HSA_STATUS_##want) {                                \
			printf("  %s = 0x%x, not " #want "\n", #call,          \
			       (unsigned)got);                                 \
			ok = false;                                            \
		}                                                              \
	} while (0)

struct run {
	struct hsa_queue *queue;
	hsa_executable_t executable;
	hsa_signal_t done;
	hsa_status_t error; /* what the queue's callback was told */
	uint64_t fault;	    /* address of a memory fault */
	void *args;
};

extern struct run *current;

hsa_status_t
load_executable(const void *data, size_t size, hsa_executable_t *executable);
/* A queue, the code object in file, memory for arguments. */
void
open_run(struct run *run);
void
close_run(struct run *run);
struct hsa_dispatch_packet
packet_of(struct run *run, const char *kernel, uint32_t grid, uint16_t group);
/* Queues the packet, waits for its end or an error. */
void
submit(struct run *run, const void *packet);
/* System event handler; its data is &current. */
hsa_status_t
on_event(const struct hsa_amd_event *event, void *data);

/* api_fuzz.c; so many rounds each */
void
test_damage(int rounds);
void
test_code(int rounds);
void
test_packet_damage(int rounds);
void
test_handle_damage(int rounds);

/* api_check.c */
void
test_checks(void);
/* Kernel by kernel of that source. */
void
test_undef(const char *source);

#endif
