/*
 * Cells of memory: see cpu_shadow.h.
 */
#include "cpu_shadow.h"

#include <stdlib.h>
#include <string.h>

bool
cpu_shadow_begin(struct cpu_shadow *shadow, const void *shared,
		 uint64_t shared_size)
{
	size_t size = (size_t)shared_size + CPU_CELL;

	memset(shadow, 0, sizeof(*shadow));
	shadow->atomics.size = sizeof(struct cpu_atomics);
	shadow->splits.size = sizeof(struct cpu_split);
	shadow->shared = (uintptr_t)shared;
	shadow->shared_size = shared_size;
	shadow->shared_cells =
		calloc(size / CPU_CELL, sizeof(*shadow->shared_cells));
	shadow->shared_written = calloc(size, 1);
	shadow->page_slots = 64;
	shadow->pages = calloc(shadow->page_slots, sizeof(*shadow->pages));
	return shadow->shared_cells && shadow->shared_written && shadow->pages;
}

void
cpu_shadow_free(struct cpu_shadow *shadow)
{
	for (size_t i = 0; shadow->pages && i < shadow->page_slots; i++)
		free(shadow->pages[i]);
	free(shadow->pages);
	free(shadow->shared_cells);
	free(shadow->shared_written);
	cpu_pool_free(&shadow->atomics);
	cpu_pool_free(&shadow->splits);
}

void
cpu_shadow_block(struct cpu_shadow *shadow)
{
	size_t size = (size_t)shadow->shared_size + CPU_CELL;

	if (!shadow->shared_size)
		return;
	memset(shadow->shared_cells, 0,
	       size / CPU_CELL * sizeof(*shadow->shared_cells));
	memset(shadow->shared_written, 0, size);
}

/* ---- pages ---- */

static size_t
slot_of(struct cpu_page *const *pages, size_t slots, uint64_t number)
{
	size_t slot = (size_t)(number * 0x9e3779b97f4a7c15u >> 32);

	for (;; slot++) {
		slot &= slots - 1;
		if (!pages[slot] || pages[slot]->number == number)
			return slot;
	}
}

static bool
grow(struct cpu_shadow *shadow)
{
	size_t slots = shadow->page_slots * 2;
	struct cpu_page **pages = calloc(slots, sizeof(*pages));

	if (!pages)
		return false;
	for (size_t i = 0; i < shadow->page_slots; i++) {
		struct cpu_page *page = shadow->pages[i];

		if (page)
			pages[slot_of(pages, slots, page->number)] = page;
	}
	free(shadow->pages);
	shadow->pages = pages;
	shadow->page_slots = slots;
	return true;
}

static struct cpu_page *
find_page(struct cpu_shadow *shadow, uint64_t number)
{
	size_t slot = slot_of(shadow->pages, shadow->page_slots, number);

	if (shadow->pages[slot])
		return shadow->pages[slot];
	if (shadow->page_count * 2 >= shadow->page_slots) {
		if (!grow(shadow))
			return NULL;
		slot = slot_of(shadow->pages, shadow->page_slots, number);
	}
	shadow->pages[slot] = calloc(1, sizeof(struct cpu_page));
	if (!shadow->pages[slot])
		return NULL;
	shadow->pages[slot]->number = number;
	shadow->page_count++;
	return shadow->pages[slot];
}

struct cpu_cell *
cpu_shadow_cell(struct cpu_shadow *shadow, uintptr_t address)
{
	uint64_t number = address / CPU_PAGE;

	if (cpu_shadow_is_shared(shadow, address))
		return &shadow->shared_cells[(address - shadow->shared) /
					     CPU_CELL];
	if (!shadow->last || shadow->last->number != number)
		shadow->last = find_page(shadow, number);
	return shadow->last
		       ? &shadow->last->cells[address % CPU_PAGE / CPU_CELL]
		       : NULL;
}

/* Each byte begins with what the four were; what they release goes on with the
 * first, whose address atomics had. */
static bool
split_cell(struct cpu_shadow *shadow, struct cpu_cell *cell)
{
	uint32_t number = cpu_pool_add(&shadow->splits);
	struct cpu_split *split;

	if (!number)
		return false;
	split = cpu_pool_get(&shadow->splits, number);
	for (int i = 0; i < 4; i++) {
		struct cpu_atomics *atomics;

		split->byte[i] = *cell;
		if (!i || !cell->atomics)
			continue;
		split->byte[i].atomics = 0;
		atomics = cpu_shadow_atomics(shadow, &split->byte[i]);
		if (!atomics)
			return false;
		*atomics = *cpu_shadow_atomics(shadow, cell);
		atomics->known = 0;
	}
	cell->split = number;
	return true;
}

struct cpu_cell *
cpu_shadow_byte(struct cpu_shadow *shadow, struct cpu_cell *cell, unsigned byte)
{
	struct cpu_split *split;

	if (!cell->split && !split_cell(shadow, cell))
		return NULL;
	split = cpu_pool_get(&shadow->splits, cell->split);
	return &split->byte[byte];
}

struct cpu_atomics *
cpu_shadow_atomics(struct cpu_shadow *shadow, struct cpu_cell *cell)
{
	if (!cell->atomics)
		cell->atomics = cpu_pool_add(&shadow->atomics);
	return cell->atomics ? cpu_pool_get(&shadow->atomics, cell->atomics)
			     : NULL;
}
