/*
 * A dispatch in flight: shared by the threads that run its work-groups.
 */
#ifndef SIM_DISPATCH_H
#define SIM_DISPATCH_H

#include "isa.h"

struct dispatch {
	const struct sim_agent *agent;
	const struct hsa_dispatch_packet *packet;
	const struct kernel_descriptor *descriptor;
	uint64_t kernel_object;
	const char *name;
	struct code *code;
	uint64_t queue;
	uint64_t id;
	uint32_t groups[3];
	uint64_t group_count;
	uint32_t wave_size;
	uint64_t wave_scratch; /* bytes a wave */
	uint64_t scratch;      /* memory of all groups that may be in flight */
	uint64_t scratch_size;
	_Atomic uint32_t scratch_slots; /* given out */
	_Atomic uint64_t next_group;
	_Atomic bool failed;
	pthread_mutex_t lock;
	struct fault *fault;
	struct shadow *shadow; /* where races are looked for */
	/* Bits of scratch; NULL: not asked for, or no scratch. */
	uint8_t *undefined;
	uint64_t limit; /* instructions of a wave; UINT64_MAX: none */
	/* Under the pool's lock: */
	uint32_t helpers;
	struct dispatch *next;
};

/* Notes the first fault; all of the dispatch's waves stop soon. */
void
dispatch_fail(struct dispatch *dispatch, const struct fault *fault);
/* Takes work-groups until there are none: groups.c. */
void
groups_run(struct dispatch *dispatch);

#endif
