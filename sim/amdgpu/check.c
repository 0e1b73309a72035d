/*
 * Races and bounds; what memory was written, for undef.c.
 *
 * For each byte the last write and the last read of the dispatch are
 * remembered, with the work-group, the wave and the group's epoch, which grows
 * with each barrier. Two accesses are ordered if one wave made both, or one
 * group with a barrier between: their epochs then differ. Anything else, where
 * one of the two is a plain write, is a race. A plain read beside an atomic
 * write is let pass: compilers begin a loop of compare-and-swap with one. One
 * reader is remembered, or that there were several; that finds every race of
 * the last writer.
 */
#include "check.h"

#include "dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 1 << 14, LOCKS = 64 };

struct page {
	uint64_t number;
	struct page *next;
	struct cell cells[SIM_PAGE];
};

struct shadow {
	pthread_mutex_t locks[LOCKS];
	struct page *pages[PAGES];
};

static unsigned wanted;
static pthread_once_t wanted_once = PTHREAD_ONCE_INIT;

static void
read_wanted(void)
{
	static const struct {
		const char *name;
		unsigned bits;
	} names[] = {{"races", CHECK_RACES},
		     {"init", CHECK_INIT},
		     {"bounds", CHECK_BOUNDS},
		     {"all", CHECK_RACES | CHECK_INIT | CHECK_BOUNDS}};
	const char *text = getenv("SMELT_SIM_CHECK");
	while (text && *text) {
		size_t length = strcspn(text, ",");
		size_t k = 0;
		while (k < array_count(names) &&
		       (strlen(names[k].name) != length ||
			memcmp(names[k].name, text, length) != 0))
			k++;
		if (k < array_count(names))
			wanted |= names[k].bits;
		else
			fprintf(stderr,
				"simulated GPU: SMELT_SIM_CHECK knows races, "
				"init, bounds and all, not %.*s\n",
				(int)length, text);
		text += length + (text[length] == ',');
	}
}

unsigned
check_wanted(void)
{
	pthread_once(&wanted_once, read_wanted);
	return wanted;
}

struct shadow *
shadow_create(void)
{
	struct shadow *shadow = calloc(1, sizeof(*shadow));
	for (int k = 0; shadow && k < LOCKS; k++)
		pthread_mutex_init(&shadow->locks[k], NULL);
	return shadow;
}

void
shadow_destroy(struct shadow *shadow)
{
	for (int k = 0; shadow && k < PAGES; k++) {
		while (shadow->pages[k]) {
			struct page *next = shadow->pages[k]->next;
			free(shadow->pages[k]);
			shadow->pages[k] = next;
		}
	}
	free(shadow);
}

/* With the page's lock. NULL if there is no memory: then nothing is checked. */
static struct page *
find_page(struct shadow *shadow, uint64_t number)
{
	struct page **at = &shadow->pages[number % PAGES];
	while (*at && (*at)->number != number)
		at = &(*at)->next;
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (*at)
			(*at)->number = number;
	}
	return *at;
}

/* ---- one byte ---- */

struct access {
	struct wave *wave;
	const struct inst *inst;
	uint64_t address;
	bool lds;
	bool load, store; /* an atomic is both */
	bool atomic;
};

static void
place(const struct access *a, char *text, size_t size)
{
	snprintf(text, size, a->lds ? "LDS offset 0x%llx" : "address 0x%llx",
		 (unsigned long long)a->address);
}

static void
report_race(const struct access *a, const char *earlier,
	    const struct inst *inst, uint32_t group, uint32_t wave)
{
	const struct code *code = a->wave->code;
	char line[160] = "no line", where[48], name[64];
	code_line(code, code->text + (uint64_t)(inst - code->insts) * 4, line,
		  sizeof(line));
	place(a, where, sizeof(where));
	if (wave == CHECK_MANY)
		snprintf(name, sizeof(name), "several waves of work-group %u",
			 group);
	else
		snprintf(name, sizeof(name), "wave %u of work-group %u", wave,
			 group);
	wave_fault(a->wave, HSA_STATUS_ERROR_EXCEPTION,
		   "race at %s with the %s at %s by %s", where, earlier, line,
		   name);
}

static bool
unordered(const struct wave *w, uint32_t group, uint32_t epoch, uint32_t wave)
{
	if (group != w->group->number)
		return true;
	return epoch == w->group->epoch && wave != w->index;
}

static void
check_race(const struct access *a, struct cell *c)
{
	struct wave *w = a->wave;
	/* An atomic load: the store it belongs to looks like any other. */
	if (a->atomic && !a->store)
		return;
	bool after_write = c->write && unordered(w, c->write_group,
						 c->write_epoch, c->writer);
	bool after_read = c->read &&
			  unordered(w, c->read_group, c->read_epoch, c->reader);
	bool excused = c->atomic && (a->atomic || !a->store);
	if (after_write && !excused)
		report_race(a, "write", c->write, c->write_group, c->writer);
	else if (a->store && !a->atomic && after_read)
		report_race(a, "read", c->read, c->read_group, c->reader);
	if (a->store) {
		c->write = a->inst;
		c->write_group = w->group->number;
		c->write_epoch = w->group->epoch;
		c->writer = after_write ? CHECK_MANY : (uint16_t)w->index;
		c->atomic = a->atomic;
	} else {
		c->read = a->inst;
		c->read_group = w->group->number;
		c->read_epoch = w->group->epoch;
		c->reader = after_read ? CHECK_MANY : (uint16_t)w->index;
	}
}

static void
check_lds(struct access *a, uint32_t bytes)
{
	struct group *g = a->wave->group;
	for (uint32_t k = 0; k < bytes && !a->wave->stop; k++, a->address++)
		if (wanted & CHECK_RACES && a->address < g->lds_size)
			check_race(a, &g->cells[a->address]);
}

/* ---- global memory ---- */

static void
check_races(struct access *a, uint32_t bytes)
{
	struct shadow *shadow = a->wave->group->dispatch->shadow;
	for (uint32_t k = 0; k < bytes && !a->wave->stop; k++, a->address++) {
		uint64_t number = a->address / SIM_PAGE;
		pthread_mutex_t *lock = &shadow->locks[number % LOCKS];
		pthread_mutex_lock(lock);
		struct page *page = find_page(shadow, number);
		if (page)
			check_race(a, &page->cells[a->address % SIM_PAGE]);
		pthread_mutex_unlock(lock);
	}
}

static void
check_bounds(const struct access *a, uint32_t bytes)
{
	struct range range;
	char where[48];
	if (!space_find(a->address, &range))
		return; /* the access itself will tell */
	uint64_t at = a->address - range.base;
	place(a, where, sizeof(where));
	if (at + bytes > range.size)
		wave_fault(a->wave, HSA_STATUS_ERROR_EXCEPTION,
			   "access to %s, %llu bytes into an allocation of "
			   "%llu",
			   where, (unsigned long long)at,
			   (unsigned long long)range.size);
}

size_t
check_bits(uint64_t size)
{
	return size / 8 + 1;
}

uint8_t *
check_allocated(uint64_t size)
{
	if (!(check_wanted() & CHECK_INIT))
		return NULL;
	return calloc(2, check_bits(size));
}

/* The bits of the range that begins there; false if none are kept. */
static bool
find_bits(const void *memory, struct range *range, uint64_t *at)
{
	uint64_t base = (uint64_t)(uintptr_t)memory;
	if (!(check_wanted() & CHECK_INIT) || !space_find(base, range) ||
	    !range->written)
		return false;
	*at = base - range->base;
	return true;
}

static bool
get_bit(const uint8_t *bits, uint64_t at)
{
	return __atomic_load_n(&bits[at / 8], __ATOMIC_RELAXED) >> at % 8 & 1;
}

static void
set_bit(uint8_t *bits, uint64_t at, bool value)
{
	uint8_t bit = (uint8_t)(1u << at % 8);
	if (value)
		__atomic_fetch_or(&bits[at / 8], bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&bits[at / 8], (uint8_t)~bit,
				   __ATOMIC_RELAXED);
}

void
check_written(const void *memory, uint64_t size)
{
	check_copied(memory, NULL, size);
}

void
check_copied(const void *to, const void *from, uint64_t size)
{
	struct range range, source;
	uint64_t at, source_at;
	if (!find_bits(to, &range, &at))
		return;
	bool known = from && find_bits(from, &source, &source_at);
	for (uint64_t k = 0; k < size && at + k < range.size; k++) {
		bool both = known && source_at + k < source.size;
		size_t half = check_bits(range.size);
		set_bit(range.written, at + k,
			!both || get_bit(source.written, source_at + k));
		set_bit(range.written + half, at + k,
			!both || get_bit(source.written +
						 check_bits(source.size),
					 source_at + k));
	}
}

static void
check_lane(struct access *a, uint32_t bytes)
{
	uint64_t top = a->address >> 48;
	if (!a->lds && a->inst->segment == SEGMENT_FLAT &&
	    top == SHARED_APERTURE >> 48) {
		a->lds = true;
		a->address &= UINT32_MAX;
	}
	if (a->lds) {
		check_lds(a, bytes);
		return;
	}
	/* Private memory is the wave's own. */
	if (top || a->address - a->wave->scratch < a->wave->scratch_size)
		return;
	if (wanted & CHECK_BOUNDS)
		check_bounds(a, bytes);
	if (wanted & CHECK_RACES && !a->wave->stop)
		check_races(a, bytes);
}

void
check_access(struct wave *w, const struct inst *i, const uint64_t *addresses,
	     uint64_t mask)
{
	uint8_t kind = i->op->kind;
	struct access a = {
		.wave = w,
		.inst = w->current,
		.load = kind != MEMORY_STORE,
		.store = kind != MEMORY_LOAD,
		.atomic = kind == MEMORY_ATOMIC ||
			  (kind == MEMORY_LOAD && i->flags & INST_COHERENT)};
	for (; mask && !w->stop; mask &= mask - 1) {
		a.address = addresses[__builtin_ctzll(mask)];
		a.lds = i->op->exec == exec_ds;
		check_lane(&a, i->op->bytes);
	}
}
