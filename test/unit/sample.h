/*
 * A hand-made image with CPU kernels that follow the ABI of smelt/image.h, as
 * smelt-cc would have made it.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "image/image.h"
#include "smelt/smelt.h"

enum sample_kernel {
	SAMPLE_ADD,	/* plain, INDEX1: out[i] += value for i < n */
	SAMPLE_BOUNDS,	/* plain: out[i] += 1, panics where i >= n */
	SAMPLE_LEAVE,	/* plain: as BOUNDS, by smelt_cpu_leave() */
	SAMPLE_COUNT,	/* plain: adds the block's threads to out[0], at once */
	SAMPLE_REDUCE,	/* coroutine: out[block] = sum of i, by barriers */
	SAMPLE_WARP,	/* coroutine: out[i] = sum of its warp's lanes */
	SAMPLE_RAGGED,	/* coroutine: threads >= n leave before the barrier */
	SAMPLE_SMALL,	/* plain, at most 64 threads a block */
	SAMPLE_NO_CPU,	/* was not compiled for the CPU */
	SAMPLE_SHARED,	/* plain, 40,000 bytes of static shared memory */
	SAMPLE_ALIGNED, /* as ADD, its block is aligned to 64 */
	SAMPLE_TWICE_1, /* two of one name */
	SAMPLE_TWICE_2,
	/* plain, watched: reads out[0], writes it if i == n, panics if i > n
	 * and i == 5 */
	SAMPLE_RACE,
	SAMPLE_PRINT, /* plain: prints "VALUE: i of n" for i < n, in pieces */
	SAMPLE_TEXT,  /* plain: panics with its value where i == n */
	SAMPLE_ALONE, /* plain, ALONE: as COUNT; out[1]: plain counts */
	SAMPLE_COUNT_OF
};

struct sample_block {
	struct smelt_block_header header;
	uint64_t *out;
	uint64_t n;
	uint64_t value;
};

/* Makes the image; not registered. The memory stays for the process's life. */
struct smelt_image *
sample_image(void);
void
sample_id(enum sample_kernel kernel, uint64_t id[2]);
struct sample_aligned {
	_Alignas(64) struct sample_block block;
};

/* Makes the runtime load the stand-in for LLVM Offload beside this program. */
void
sample_use_fake(void);
/* Takes the code object in a file, of sample_device.c for arch, as the image's
 * for AMD GPUs; before sample_image(). */
void
sample_use_amd(const char *arch, const char *path);
/* A launch of a grid of n threads in one dimension, to be covered. */
struct smelt_launch
sample_launch(enum sample_kernel kernel, const struct sample_block *block,
	      uint64_t n);

#endif
