/*
 * What a watched launch remembers of each place in memory.
 *
 * A cell stands for four bytes that were only ever used together, or for one
 * byte of four that were not. The cells of global memory are made page by page
 * when they are first asked for; those of the block's shared memory are one row
 * that each block begins with empty.
 */
#ifndef SMELT_ENGINE_CPU_SHADOW_H
#define SMELT_ENGINE_CPU_SHADOW_H

#include "cpu_order.h"

struct cpu_record {
	uint32_t segment; /* 0: none */
	uint32_t site;
};

struct cpu_cell {
	struct cpu_record write;
	/* Since that write, of two threads if there were two: the first and the
	 * last. Any third thread is in conflict with one of them. */
	struct cpu_record read[2];
	uint32_t atomics; /* struct cpu_atomics; 0: none so far */
	uint32_t split;	  /* struct cpu_split; the rest counts no more */
};

struct cpu_atomics {
	struct cpu_record read[2];
	struct cpu_record write[2]; /* and updates */
	uint32_t known;		    /* what the place releases */
};

struct cpu_split {
	struct cpu_cell byte[4];
};

#define CPU_CELL 4
#define CPU_PAGE 4096

struct cpu_page {
	uint64_t number;
	struct cpu_cell cells[CPU_PAGE / CPU_CELL];
};

struct cpu_shadow {
	struct cpu_pool atomics;
	struct cpu_pool splits;
	struct cpu_page **pages; /* by number; a power of two of slots */
	size_t page_slots;
	size_t page_count;
	struct cpu_page *last;
	uintptr_t shared;
	uint64_t shared_size;
	struct cpu_cell *shared_cells;
	uint8_t *shared_written; /* one for each byte */
};

/* false: no memory; cpu_shadow_free() is due all the same. */
bool
cpu_shadow_begin(struct cpu_shadow *shadow, const void *shared,
		 uint64_t shared_size);
void
cpu_shadow_free(struct cpu_shadow *shadow);
/* Nothing of the block's shared memory was used or written. */
void
cpu_shadow_block(struct cpu_shadow *shadow);
static inline bool
cpu_shadow_is_shared(const struct cpu_shadow *shadow, uintptr_t address)
{
	return address - shadow->shared < shadow->shared_size;
}
/* The cell of an aligned address; NULL: no memory. */
struct cpu_cell *
cpu_shadow_cell(struct cpu_shadow *shadow, uintptr_t address);
/* Of one byte of the four; makes four of the cell. NULL: no memory. */
struct cpu_cell *
cpu_shadow_byte(struct cpu_shadow *shadow, struct cpu_cell *cell,
		unsigned byte);
/* What a cell remembers of atomics; made when first asked for. NULL: no memory.
 */
struct cpu_atomics *
cpu_shadow_atomics(struct cpu_shadow *shadow, struct cpu_cell *cell);

#endif
