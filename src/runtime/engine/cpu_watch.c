/*
 * Watching a launch: see cpu_watch.h.
 *
 * The first fault is kept and ends the watch, not the launch: its results are
 * those of an unwatched one. No fault is looked for once a thread of the launch
 * has panicked, since what others find missing then is its work.
 *
 * Two accesses of different threads are a race if one of them writes, not both
 * are atomic, and neither happens before the other (cpu_order.c). Warp
 * operations order nothing: on a GPU they do not make memory visible.
 */
#include "cpu_watch.h"
#include "../runtime.h"
#include "cpu_fault.h"
#include "cpu_shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WATCHED_ARGUMENTS 32 /* that are told of by number */

struct cpu_watch {
	struct cpu_order order;
	struct cpu_shadow shadow;
	const struct engine_launch *launch;
	uintptr_t stack;
	uint32_t panicked; /* before the launch */
	/* A read of unwritten memory was found. If another thread writes there
	 * before the next barrier it is a race, which says more. */
	bool unwritten;
	bool over;
	bool no_memory;
	/* Where the threads of the block were last. */
	uint32_t seen[CPU_MAX_BLOCK];
	uint32_t meets[CPU_MAX_BLOCK];
	uintptr_t arguments[WATCHED_ARGUMENTS]; /* by number; 0: not known */
};

/* ---- the fault ---- */

static uint32_t
panics_of(const struct engine_launch *launch)
{
	const struct smelt_block_header *header = launch->params;
	const struct smelt_device_state *state =
		(const struct smelt_device_state *)(uintptr_t)header->state;

	return state ? __atomic_load_n(&state->panicked, __ATOMIC_RELAXED) : 0;
}

/* The number of the argument that begins last at or before the address; 0:
 * there is none. */
static uint32_t
argument_at(const struct cpu_watch *watch, uintptr_t address)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < WATCHED_ARGUMENTS; i++)
		if (watch->arguments[i] <= address &&
		    watch->arguments[i] > watch->arguments[best])
			best = i;
	return best;
}

static void
describe_memory(const struct cpu_watch *watch, uintptr_t address, char *text,
		size_t size)
{
	uint32_t argument = argument_at(watch, address);

	if (cpu_shadow_is_shared(&watch->shadow, address))
		snprintf(text, size, "byte %llu of the block's shared memory",
			 (unsigned long long)(address - watch->shadow.shared));
	else if (argument)
		snprintf(text, size, "byte %llu of the kernel's slice %u",
			 (unsigned long long)(address -
					      watch->arguments[argument]),
			 argument);
	else
		snprintf(text, size, "memory at %#llx",
			 (unsigned long long)address);
}

/* A race says more than the read of unwritten memory that was found before. */
static void
found(struct cpu_watch *watch, enum smelt_fault kind,
      const struct cpu_party *here, const struct cpu_party *other,
      uintptr_t address)
{
	const struct engine_launch *launch = watch->launch;
	char memory[64] = "";

	watch->over = kind != SMELT_FAULT_UNINITIALISED;
	watch->unwritten = !watch->over;
	if (!launch->fault || panics_of(launch) != watch->panicked)
		return;
	if (address)
		describe_memory(watch, address, memory, sizeof(memory));
	cpu_fault_tell(launch, kind, here, other, memory);
	launch->fault->address = address;
}

/* ---- accesses ---- */

static const char *const names[] = {
	[SMELT_CPU_READ] = "read",
	[SMELT_CPU_WRITE] = "write",
	[SMELT_CPU_COPY] = "read",
	[SMELT_CPU_ATOMIC_READ] = "atomic read",
	[SMELT_CPU_ATOMIC_WRITE] = "atomic write",
	[SMELT_CPU_ATOMIC_UPDATE] = "atomic update",
};

/* An access on its way through the cells. */
struct access {
	struct cpu_watch *watch;
	struct cpu_record record;
	uint32_t thread;
	unsigned kind; /* of enum smelt_cpu_access; no COPY */
	uintptr_t address;
};

/* Whether the record is of an access that this one is in conflict with. */
static bool
conflicts(struct access *access, const struct cpu_record *record,
	  unsigned other_kind)
{
	struct cpu_watch *watch = access->watch;
	const struct cpu_segment *segment;

	if (!record->segment || record->segment == access->record.segment ||
	    cpu_order_before(&watch->order, record->segment, access->thread) ||
	    watch->order.no_memory)
		return false;
	segment = cpu_order_get(&watch->order, record->segment);
	found(watch, SMELT_FAULT_RACE,
	      &(struct cpu_party){watch->order.block, access->thread,
				  access->record.site, names[access->kind]},
	      &(struct cpu_party){segment->block, segment->thread, record->site,
				  names[other_kind]},
	      access->address);
	return true;
}

/* Keeps the first and the last of different threads. */
static void
remember(struct access *access, struct cpu_record record[2])
{
	const struct cpu_order *order = &access->watch->order;

	if (record[1].segment == access->record.segment)
		return;
	if (!record[0].segment ||
	    cpu_order_nearly(order, record[0].segment, access->thread))
		record[0] = access->record;
	else
		record[1] = access->record;
}

static bool
conflicts_with_atomics(struct access *access, const struct cpu_cell *cell)
{
	const struct cpu_atomics *atomics =
		cpu_pool_get(&access->watch->shadow.atomics, cell->atomics);

	for (int i = 0; i < 2; i++)
		if (conflicts(access, &atomics->write[i],
			      SMELT_CPU_ATOMIC_WRITE) ||
		    (access->kind == SMELT_CPU_WRITE &&
		     conflicts(access, &atomics->read[i],
			       SMELT_CPU_ATOMIC_READ)))
			return true;
	return false;
}

static bool
is_plain(unsigned kind)
{
	return kind == SMELT_CPU_READ || kind == SMELT_CPU_WRITE;
}

static bool
is_read(unsigned kind)
{
	return kind == SMELT_CPU_READ || kind == SMELT_CPU_ATOMIC_READ;
}

static void
note(struct access *access, struct cpu_cell *cell)
{
	struct cpu_atomics *atomics = NULL;

	if (!is_plain(access->kind) ||
	    (cell->atomics && access->kind == SMELT_CPU_WRITE)) {
		atomics = cpu_shadow_atomics(&access->watch->shadow, cell);
		if (!atomics) {
			access->watch->no_memory = true;
			return;
		}
	}
	switch (access->kind) {
	case SMELT_CPU_READ:
		remember(access, cell->read);
		break;
	case SMELT_CPU_WRITE:
		/* All before it happens before it. */
		cell->write = access->record;
		memset(cell->read, 0, sizeof(cell->read));
		if (atomics)
			memset(atomics, 0, sizeof(*atomics));
		break;
	case SMELT_CPU_ATOMIC_READ:
		remember(access, atomics->read);
		break;
	default:
		remember(access, atomics->write);
	}
}

static void
touch(struct access *access, struct cpu_cell *cell)
{
	if (!cell) {
		access->watch->no_memory = true;
		return;
	}
	if (conflicts(access, &cell->write, SMELT_CPU_WRITE))
		return;
	for (int i = 0; i < 2 && !is_read(access->kind); i++)
		if (conflicts(access, &cell->read[i], SMELT_CPU_READ))
			return;
	if (is_plain(access->kind) && cell->atomics &&
	    conflicts_with_atomics(access, cell))
		return;
	note(access, cell);
}

static bool
stopped(const struct cpu_watch *watch)
{
	return watch->over || watch->no_memory || watch->order.no_memory;
}

static void
touch_range(struct access *access, uint64_t size)
{
	struct cpu_shadow *shadow = &access->watch->shadow;
	uintptr_t end = access->address + size;

	while (access->address < end && !stopped(access->watch)) {
		uintptr_t base = access->address & ~(uintptr_t)(CPU_CELL - 1);
		struct cpu_cell *cell = cpu_shadow_cell(shadow, base);
		bool whole = access->address == base && end - base >= CPU_CELL;

		if (!cell || (whole && !cell->split)) {
			touch(access, cell);
			access->address = base + CPU_CELL;
			continue;
		}
		touch(access,
		      cpu_shadow_byte(shadow, cell, access->address - base));
		access->address++;
	}
}

/* What an atomic access makes known, or gets to know. */
static void
order_by(struct access *access, uintptr_t address, uint32_t how)
{
	struct cpu_shadow *shadow = &access->watch->shadow;
	uintptr_t base = address & ~(uintptr_t)(CPU_CELL - 1);
	struct cpu_cell *cell = cpu_shadow_cell(shadow, base);
	struct cpu_atomics *atomics;

	if (cell && cell->split)
		cell = cpu_shadow_byte(shadow, cell, address - base);
	atomics = cell ? cpu_shadow_atomics(shadow, cell) : NULL;
	if (!atomics) {
		access->watch->no_memory = true;
		return;
	}
	cpu_order_atomic(&access->watch->order, access->thread, how,
			 &atomics->known);
}

/* A copy of a struct takes its padding along: it is at fault only if nothing of
 * it was written. */
static void
check_written(struct access *access, uint64_t size, bool copy)
{
	struct cpu_watch *watch = access->watch;
	uint8_t *written = watch->shadow.shared_written +
			   (access->address - watch->shadow.shared);
	uint64_t missing = 0, first = 0;

	if (access->kind == SMELT_CPU_WRITE ||
	    access->kind == SMELT_CPU_ATOMIC_WRITE) {
		memset(written, 1, size);
		return;
	}
	if (watch->unwritten)
		return;
	for (uint64_t i = size; i-- > 0;)
		if (!written[i]) {
			missing++;
			first = i;
		}
	if (!missing || (copy && missing < size))
		return;
	found(watch, SMELT_FAULT_UNINITIALISED,
	      &(struct cpu_party){watch->order.block, access->thread,
				  access->record.site, names[access->kind]},
	      NULL, access->address + first);
}

/* ---- what kernels call ---- */

static struct cpu_worker *
current(void)
{
	struct cpu_worker *worker = (struct cpu_worker *)smelt_cpu_current;

	return worker && worker->watch && !stopped(worker->watch) ? worker
								  : NULL;
}

static bool
within(uintptr_t address, const void *start, uint64_t size)
{
	return address - (uintptr_t)start < size;
}

/* Its stack, its coroutine, its arguments. */
static bool
is_own(const struct cpu_worker *worker, uintptr_t address)
{
	const struct cpu_watch *watch = worker->watch;
	char *stack = __builtin_frame_address(0);

	return within(address, stack, watch->stack - (uintptr_t)stack) ||
	       within(address, watch->launch->params,
		      watch->launch->params_size) ||
	       cpu_worker_owns(worker, (const void *)address);
}

void
smelt_cpu_watch_access(const void *memory, uint64_t size, uint32_t how,
		       struct smelt_cpu_site *site)
{
	struct cpu_worker *worker = current();
	uint32_t kind = how & 15;
	struct access access = {.address = (uintptr_t)memory};

	if (!worker || !size || is_own(worker, access.address))
		return;
	access.watch = worker->watch;
	access.kind = kind == SMELT_CPU_COPY ? SMELT_CPU_READ : kind;
	access.thread = cpu_current_thread(&worker->frame);
	access.record.site = cpu_site_number(site);
	access.record.segment =
		cpu_order_segment(&access.watch->order, access.thread);
	if (!access.record.site || !access.record.segment) {
		access.watch->no_memory = true;
		return;
	}
	access.watch->seen[access.thread] = access.record.site;
	if (cpu_shadow_is_shared(&access.watch->shadow, access.address))
		check_written(&access, size, kind == SMELT_CPU_COPY);
	touch_range(&access, size);
	if (!is_plain(access.kind) && !stopped(access.watch))
		order_by(&access, (uintptr_t)memory, how);
}

void
smelt_cpu_watch_fence(uint32_t how)
{
	struct cpu_worker *worker = current();

	if (worker)
		cpu_order_fence(&worker->watch->order,
				cpu_current_thread(&worker->frame), how);
}

void
smelt_cpu_watch_meet(struct smelt_cpu_site *site)
{
	struct cpu_worker *worker = current();
	uint32_t thread;

	if (!worker)
		return;
	thread = cpu_current_thread(&worker->frame);
	worker->watch->meets[thread] = cpu_site_number(site);
	worker->watch->seen[thread] = worker->watch->meets[thread];
}

void
smelt_cpu_watch_argument(const void *memory, uint32_t number)
{
	struct cpu_worker *worker = current();

	if (worker && number < WATCHED_ARGUMENTS)
		worker->watch->arguments[number] = (uintptr_t)memory;
}

/* ---- meetings ---- */

static void
apart(struct cpu_watch *watch, const char *what, uint32_t here,
      uint32_t other_thread, uint32_t other_site, const char *other_does)
{
	found(watch, SMELT_FAULT_BARRIER,
	      &(struct cpu_party){watch->order.block, here, watch->meets[here],
				  what},
	      &(struct cpu_party){watch->order.block, other_thread, other_site,
				  other_does},
	      0);
}

/* Lanes that have ended are no part of it. */
void
cpu_watch_warp(struct cpu_worker *worker, uint32_t from, uint32_t to)
{
	struct cpu_watch *watch = worker->watch;
	uint32_t first = from;

	if (stopped(watch) || watch->unwritten)
		return;
	while (worker->waits[first] != SMELT_CPU_WARP ||
	       !worker->handles[first])
		first++;
	for (uint32_t t = from; t < to && !watch->over; t++) {
		if (!worker->handles[t] ||
		    (worker->waits[t] == SMELT_CPU_WARP &&
		     watch->meets[t] == watch->meets[first]))
			continue;
		apart(watch, "warp operation", first, t, watch->meets[t],
		      "another waits at");
	}
}

void
cpu_watch_barrier(struct cpu_worker *worker, uint32_t threads)
{
	struct cpu_watch *watch = worker->watch;
	uint32_t first = 0;

	watch->over |= watch->unwritten;
	if (stopped(watch))
		return;
	while (!worker->handles[first])
		first++;
	for (uint32_t t = 0; t < threads && !watch->over; t++) {
		if (!worker->handles[t])
			apart(watch, "barrier", first, t, watch->seen[t],
			      "one has ended, and was last seen at");
		else if (watch->meets[t] != watch->meets[first])
			apart(watch, "barrier", first, t, watch->meets[t],
			      "another waits at");
	}
	cpu_order_barrier(&watch->order);
}

/* ---- a launch ---- */

void
cpu_watch_block(struct cpu_worker *worker, uint64_t block)
{
	struct cpu_watch *watch = worker->watch;

	watch->over |= watch->unwritten;
	cpu_order_block(&watch->order, block);
	cpu_shadow_block(&watch->shadow);
	memset(watch->seen, 0, sizeof(watch->seen));
}

bool
cpu_watch_begin(struct cpu_worker *worker, const struct engine_launch *launch,
		const void *stack)
{
	struct cpu_watch *watch = calloc(1, sizeof(*watch));
	uint64_t fixed =
		(uint64_t)(worker->frame.dynamic_shared - worker->frame.shared);

	if (!watch)
		return false;
	watch->launch = launch;
	watch->stack = (uintptr_t)stack;
	watch->panicked = panics_of(launch);
	worker->watch = watch;
	cpu_order_begin(&watch->order,
			launch->block[0] * launch->block[1] * launch->block[2]);
	if (!cpu_shadow_begin(&watch->shadow, worker->frame.shared,
			      fixed + launch->shared_bytes))
		watch->no_memory = true;
	return true;
}

int
cpu_watch_end(struct cpu_worker *worker)
{
	struct cpu_watch *watch = worker->watch;
	bool no_memory = watch->no_memory || watch->order.no_memory;

	worker->watch = NULL;
	cpu_order_free(&watch->order);
	cpu_shadow_free(&watch->shadow);
	free(watch);
	if (!no_memory)
		return 0;
	return rt_error(SMELT_ENO_MEMORY,
			"no memory to check the kernel with "
			"(SMELT_CPU_CHECK); it ran, and was checked in part");
}
