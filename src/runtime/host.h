/*
 * The host's own instance of a kernel: what its scheduler (host.c) offers to
 * the primitives (primitives.c).
 */
#ifndef SMELT_RUNTIME_HOST_H
#define SMELT_RUNTIME_HOST_H

#include "runtime.h"

#define HOST_MAX_BLOCK 1024
#define HOST_WARP 32

/* The block that this OS thread runs. */
struct host_block {
	struct rt_shape shape;
	uint32_t block[3];  /* index of the block */
	uint32_t thread[3]; /* index of the thread that runs */
	uint32_t current;   /* the same, linear */
	char *dynamic_shared;
	/* Warp operations: each thread puts its value into the row whose turn
	 * it is for that thread, waits for its warp, and reads the others'. */
	uint64_t rows[2][HOST_MAX_BLOCK];
	uint8_t turn[HOST_MAX_BLOCK];
	uint32_t alive[HOST_MAX_BLOCK / HOST_WARP];
	/* The lanes that were alive when the warp met last. */
	uint32_t met[HOST_MAX_BLOCK / HOST_WARP];
};

/* NULL outside of a kernel. */
struct host_block *
host_block(void);
/* Lets the other threads of the block, or of the warp, come as far. */
void
host_meet(enum smelt_cpu_suspend what);
/* Gives up the launch: a kernel with `dims`-dimensional index tokens on a grid
 * of more dimensions. Does not return. */
_Noreturn void
host_refuse_dims(uint32_t dims);

#endif
