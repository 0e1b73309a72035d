/*
 * A kernel that fills memory, for NVIDIA: what LLVM Offload has for patterns of
 * more than 4 bytes sets one strided word after the other.
 *
 * It writes 16 bytes at a time, so a pattern is repeated until it fits into
 * those: 12 bytes are 3 times 16. A thread's steps are a multiple of that, so
 * it writes one value. Up to 15 bytes before and after are written one by one.
 */
#ifndef SMELT_ENGINE_FILL_H
#define SMELT_ENGINE_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILL_THREADS 256
#define FILL_BLOCKS 1024
#define FILL_PATTERN 1024

/* The kernel's parameter. */
struct fill_block {
	uint64_t start;	  /* 16-aligned */
	uint64_t count;	  /* of 16 bytes, from there */
	uint32_t period;  /* of 16 bytes, in pattern */
	uint32_t head;	  /* bytes before start */
	uint32_t tail;	  /* and after the last 16 */
	uint32_t tail_at; /* where in pattern they begin */
	_Alignas(16) char pattern[FILL_PATTERN]; /* as it is at start */
};

/* What to launch for a fill, and with how many blocks. False: the pattern is
 * too long for this. */
bool
fill_prepare(struct fill_block *block, uint32_t *blocks, void *dst,
	     const void *pattern, uint64_t pattern_size, uint64_t size);

extern const char fill_ptx[];
extern const size_t fill_ptx_size; /* with its NUL, as the driver wants it */

#endif
