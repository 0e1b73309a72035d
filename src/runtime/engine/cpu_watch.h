/*
 * Watching a launch on the CPU (SMELT_CPU_CHECK): what the kernel tells about
 * its accesses, and what is wrong with them.
 */
#ifndef SMELT_ENGINE_CPU_WATCH_H
#define SMELT_ENGINE_CPU_WATCH_H

#include "cpu.h"

/* Watches what the worker runs of a launch from now on. Kernels lie on the
 * stack below `stack`, an address in the caller's frame. false: no memory. */
bool
cpu_watch_begin(struct cpu_worker *worker, const struct engine_launch *launch,
		const void *stack);
/* Stops watching. 0, or ENO_MEMORY if there was none to watch with. */
int
cpu_watch_end(struct cpu_worker *worker);

/* For cpu_block.c; the worker is watched. A block begins. */
void
cpu_watch_block(struct cpu_worker *worker, uint64_t block);
/* The lanes from..to that have not ended meet, as far as they wait for that. */
void
cpu_watch_warp(struct cpu_worker *worker, uint32_t from, uint32_t to);
/* The threads of the block that have not ended meet at a barrier. */
void
cpu_watch_barrier(struct cpu_worker *worker, uint32_t threads);

#endif
