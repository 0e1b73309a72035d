/*
 * How many threads of a kernel a processor holds at once, of those that it
 * could: what its registers, its shared memory and the size of its blocks
 * leave.
 *
 * The limits are those of NVIDIA's CUDA C++ Programming Guide ("Technical
 * Specifications per Compute Capability") and, for AMD, of LLVM's
 * AMDGPUBaseInfo.cpp (getTotalNumVGPRs, getVGPRAllocGranule, getMaxWavesPerEU)
 * and AMD's ISA documents. Scalar registers of AMD are not counted: no kernel
 * here uses so many that they would decide.
 */
#include "driver/driver.h"

#include "smelt/image.h"

#include <string.h>

/* One processor: an SM; a compute unit of AMD, or (gfx10 and later) two that
 * work as one. */
static const struct limits {
	const char *arch;   /* beginning of a name; the longest that fits */
	unsigned parts;	    /* each with its own registers and waves */
	unsigned waves;	    /* at most in a part */
	unsigned lanes;	    /* of a wave */
	unsigned registers; /* a part's, shared out among its waves */
	unsigned granule;   /* a wave gets a multiple of this */
	unsigned blocks;    /* at most in a processor; 0: as waves allow */
	unsigned shared;    /* bytes */
	unsigned taken;	    /* bytes that the system takes for each block */
} table[] = {
	{"sm_75", 4, 8, 32, 512, 8, 16, 64 << 10, 0},
	{"sm_80", 4, 16, 32, 512, 8, 32, 164 << 10, 1024},
	{"sm_86", 4, 12, 32, 512, 8, 16, 100 << 10, 1024},
	{"sm_87", 4, 12, 32, 512, 8, 16, 164 << 10, 1024},
	{"sm_89", 4, 12, 32, 512, 8, 24, 100 << 10, 1024},
	{"sm_90", 4, 16, 32, 512, 8, 32, 228 << 10, 1024},
	{"sm_100", 4, 16, 32, 512, 8, 32, 228 << 10, 1024},
	{"sm_103", 4, 16, 32, 512, 8, 32, 228 << 10, 1024},
	{"sm_120", 4, 12, 32, 512, 8, 24, 100 << 10, 1024},
	{"gfx90a", 4, 8, 64, 512, 8, 0, 64 << 10, 0},
	{"gfx942", 4, 8, 64, 512, 8, 0, 64 << 10, 0},
	{"gfx950", 4, 8, 64, 512, 8, 0, 160 << 10, 0},
	{"gfx1030", 4, 16, 32, 1024, 16, 0, 128 << 10, 0},
	{"gfx1100", 4, 16, 32, 1536, 24, 0, 128 << 10, 0},
	{"gfx1101", 4, 16, 32, 1536, 24, 0, 128 << 10, 0},
	{"gfx1102", 4, 16, 32, 1024, 16, 0, 128 << 10, 0},
	{"gfx120", 4, 16, 32, 1536, 24, 0, 128 << 10, 0},
};

/* The entry whose name is the longest beginning of arch. */
static const struct limits *
find(const char *arch)
{
	const struct limits *best = NULL;

	for (size_t i = 0; i < array_count(table); i++)
		if (starts_with(arch, table[i].arch) &&
		    (!best || strlen(best->arch) < strlen(table[i].arch)))
			best = &table[i];
	return best;
}

static unsigned
round_up(unsigned value, unsigned unit)
{
	return (value + unit - 1) / unit * unit;
}

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

int
occupancy_percent(const char *arch, const struct smelt_table_resources *used,
		  unsigned threads)
{
	const struct limits *l = find(arch);
	unsigned registers, waves, of_block, blocks, shared;

	if (!l || !threads || used->registers == SMELT_UNKNOWN ||
	    used->shared_bytes == SMELT_UNKNOWN)
		return -1;
	shared = used->shared_bytes + l->taken;
	registers = round_up(used->registers ? used->registers : 1, l->granule);
	/* Waves of a block go to the parts in turn. */
	waves = least(l->registers / registers, l->waves) * l->parts;
	of_block = (threads + l->lanes - 1) / l->lanes;
	blocks = waves / of_block;
	if (l->blocks)
		blocks = least(blocks, l->blocks);
	if (shared)
		blocks = least(blocks, l->shared / shared);
	return (int)(100 * blocks * of_block / (l->waves * l->parts));
}
