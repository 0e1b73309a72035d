/*
 * What the two files of the CPU engine share: cpu.c spreads the blocks of a
 * launch over OS threads, cpu_block.c runs one of them.
 */
#ifndef SMELT_ENGINE_CPU_H
#define SMELT_ENGINE_CPU_H

#include "../engine.h"

#include <setjmp.h>

#define CPU_MAX_BLOCK 1024
#define CPU_WARP 32

struct cpu_chunk;
struct cpu_watch;

/* What one OS thread needs to run blocks; reused from launch to launch. The
 * frame comes first: kernels hold its address, and smelt_cpu_leave() finds the
 * worker by it. */
struct cpu_worker {
	struct smelt_cpu_frame frame;
	jmp_buf leave;
	/* A coroutine's frame could not be allocated: the launch fails. */
	bool no_memory;
	char *shared;
	size_t shared_size;
	/* Memory of coroutine frames: kept, and begun anew for each block. */
	struct cpu_chunk *chunks;
	struct cpu_chunk *chunk; /* the one in use */
	/* Positions by linear index, of blocks of the size placed_dim. */
	uint32_t places[CPU_MAX_BLOCK][3];
	uint32_t placed_dim[3];
	void *handles[CPU_MAX_BLOCK];
	uint8_t waits[CPU_MAX_BLOCK]; /* enum smelt_cpu_suspend */
	struct smelt_cpu_row warp_rows[2];
	uint32_t warp_alive[CPU_MAX_BLOCK / CPU_WARP];
	struct cpu_watch *watch; /* NULL: nobody watches */
	struct cpu_worker *next;
};

/* Makes the worker ready for a launch. false: no memory. */
bool
cpu_worker_begin(struct cpu_worker *worker, const struct engine_launch *launch);
void
cpu_worker_free(struct cpu_worker *worker);

/* Whether the address lies in the memory of coroutine frames. */
bool
cpu_worker_owns(const struct cpu_worker *worker, const void *address);
/* Linear index in its block of the thread that runs. */
uint32_t
cpu_current_thread(const struct smelt_cpu_frame *frame);

/* Runs blocks first to first + count in linear order, x innermost. false if a
 * frame could not be allocated. */
bool
cpu_run_blocks(struct cpu_worker *worker, const struct engine_launch *launch,
	       uint64_t first, uint64_t count);

#endif
