/*
 * The watch of SMELT_CPU_CHECK against a plain model of it: random programs of
 * a few threads, whose accesses, barriers, fences and atomics are given to
 * both. The model keeps every access and a vector clock of each thread, and
 * looks at all pairs. It must name the same access as the first at fault.
 */
#include "unit.h"

#include "runtime/engine/cpu_watch.h"

#define THREADS 4
#define BLOCKS 3
#define EVENTS 60
#define PLACES 16 /* bytes of global memory, and of shared memory */

enum { ACQUIRE = SMELT_CPU_ACQUIRE, RELEASE = SMELT_CPU_RELEASE };

/* ---- the model ---- */

#define ALL (THREADS * BLOCKS)

struct clock {
	uint32_t at[ALL];
};

struct past {
	unsigned thread; /* of all */
	uint32_t time;	 /* its clock then */
	unsigned kind;
	bool shared;
	unsigned first, size;
	unsigned block;
};

static struct model {
	struct clock thread[ALL], fence[ALL], seen[ALL];
	struct clock place[2][PLACES]; /* what its first byte releases */
	struct past past[BLOCKS * EVENTS];
	unsigned count;
	unsigned ordered; /* pairs in conflict that only atomics order */
} model;

static void
merge(struct clock *into, const struct clock *from)
{
	for (int i = 0; i < ALL; i++)
		if (from->at[i] > into->at[i])
			into->at[i] = from->at[i];
}

static bool
is_atomic(unsigned kind)
{
	return kind >= SMELT_CPU_ATOMIC_READ;
}

static bool
writes(unsigned kind)
{
	return kind == SMELT_CPU_WRITE || kind == SMELT_CPU_ATOMIC_WRITE ||
	       kind == SMELT_CPU_ATOMIC_UPDATE;
}

/* Whether the access is in a race with one before it. */
static bool
model_access(unsigned thread, struct past now)
{
	bool race = false;

	for (unsigned i = 0; i < model.count; i++) {
		const struct past *old = &model.past[i];

		if (old->shared != now.shared ||
		    old->first >= now.first + now.size ||
		    now.first >= old->first + old->size ||
		    (now.shared && old->block != now.block) ||
		    (is_atomic(old->kind) && is_atomic(now.kind)) ||
		    (!writes(old->kind) && !writes(now.kind)))
			continue;
		if (old->thread == thread)
			continue;
		race |= model.thread[thread].at[old->thread] < old->time;
		model.ordered += old->block != now.block;
	}
	/* Who reads that with an atomic takes over nothing. */
	for (unsigned i = 0; now.kind == SMELT_CPU_WRITE && i < now.size; i++)
		model.place[now.shared][now.first + i] = (struct clock){{0}};
	now.time = ++model.thread[thread].at[thread];
	model.past[model.count++] = now;
	return race;
}

static void
model_atomic(unsigned thread, unsigned how, struct clock *place)
{
	unsigned kind = how & 15;
	static const struct clock none;

	if (kind != SMELT_CPU_ATOMIC_WRITE) {
		merge(&model.seen[thread], place);
		if (how & ACQUIRE)
			merge(&model.thread[thread], place);
	}
	if (kind == SMELT_CPU_ATOMIC_READ)
		return;
	if (kind == SMELT_CPU_ATOMIC_WRITE)
		*place = none;
	merge(place, &model.fence[thread]);
	if (how & RELEASE)
		merge(place, &model.thread[thread]);
}

static void
model_fence(unsigned thread, unsigned how)
{
	if (how & ACQUIRE)
		merge(&model.thread[thread], &model.seen[thread]);
	if (how & RELEASE)
		model.fence[thread] = model.thread[thread];
}

static void
model_barrier(unsigned block)
{
	struct clock all = {{0}};

	for (int t = 0; t < THREADS; t++)
		merge(&all, &model.thread[block * THREADS + t]);
	for (int t = 0; t < THREADS; t++)
		merge(&model.thread[block * THREADS + t], &all);
}

/* ---- both ---- */

static uint32_t state;

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 16) % n;
}

static struct cpu_worker worker;
static _Alignas(64) char memory[PLACES], shared[PLACES];
static struct smelt_block_header header;
static struct smelt_panic fault;
static struct smelt_cpu_site sites[BLOCKS * EVENTS];
static const struct engine_kernel kernel = {.flags = SMELT_KERNEL_WATCHED};
static const struct engine_launch launch = {
	.kernel = &kernel,
	.grid = {BLOCKS, 1, 1},
	.block = {THREADS, 1, 1},
	.shared_bytes = PLACES,
	.params = &header,
	.params_size = sizeof(header),
	.fault = &fault,
};

static void
begin(void)
{
	struct smelt_cpu_frame *frame = &worker.frame;

	memset(&model, 0, sizeof(model));
	memset(&fault, 0, sizeof(fault));
	memcpy(frame->block_dim, launch.block, sizeof(frame->block_dim));
	memcpy(frame->grid_dim, launch.grid, sizeof(frame->grid_dim));
	frame->shared = frame->dynamic_shared = shared;
	smelt_cpu_current = frame;
	for (int t = 0; t < THREADS; t++)
		worker.handles[t] = &worker;
	CHECK(cpu_watch_begin(&worker, &launch, __builtin_frame_address(0)));
}

static void
write_shared(unsigned block)
{
	struct past all = {.thread = block * THREADS,
			   .kind = SMELT_CPU_WRITE,
			   .shared = true,
			   .size = PLACES,
			   .block = block};
	static struct smelt_cpu_site site = {.file = "all"};

	worker.frame.current[0] = 0;
	smelt_cpu_watch_access(shared, PLACES, SMELT_CPU_WRITE, &site);
	CHECK(!model_access(all.thread, all));
	cpu_watch_barrier(&worker, THREADS);
	model_barrier(block);
}

/* One event; true if it is an access at fault by the model. `orders`: with
 * acquire and release. */
static bool
event(unsigned block, bool orders, struct smelt_cpu_site *site)
{
	unsigned thread = below(THREADS), all = block * THREADS + thread;
	unsigned kind = below(6), how, what = below(20);
	struct past now = {.thread = all, .block = block};

	worker.frame.current[0] = thread;
	if (what == 0) {
		cpu_watch_barrier(&worker, THREADS);
		model_barrier(block);
		return false;
	}
	how = orders ? below(4) * ACQUIRE : 0;
	if (what == 1) {
		smelt_cpu_watch_fence(how);
		model_fence(all, how);
		return false;
	}
	now.kind = kind;
	now.size = 1u << below(4);
	now.first = below(PLACES / now.size) * now.size;
	now.shared = below(2);
	/* Mostly a place that fits the kind, or no program would get far. */
	if (is_atomic(kind) && below(8))
		now.first = below(2) * 4, now.size = 4;
	else if (!is_atomic(kind) && below(orders ? 40 : 8))
		now.first = 8 + thread * 2, now.size = 1 + below(2);
	if (!is_atomic(kind))
		how = 0;
	if (kind == SMELT_CPU_ATOMIC_READ)
		how &= ACQUIRE;
	if (kind == SMELT_CPU_ATOMIC_WRITE)
		how &= RELEASE;
	smelt_cpu_watch_access((now.shared ? shared : memory) + now.first,
			       now.size, kind | how, site);
	if (model_access(all, now))
		return true;
	if (is_atomic(kind))
		model_atomic(all, kind | how,
			     &model.place[now.shared][now.first]);
	return false;
}

/* A program up to its first fault. The watch may miss one that the model finds
 * where atomics order some of many readers, and then only. */
static void
run(bool orders, unsigned *missed, unsigned *found)
{
	bool wrong = false;

	begin();
	for (unsigned b = 0; b < BLOCKS && !wrong; b++) {
		cpu_watch_block(&worker, b);
		write_shared(b);
		for (unsigned e = 0; e < EVENTS && !wrong; e++) {
			struct smelt_cpu_site *site = &sites[b * EVENTS + e];

			site->file = "program";
			site->line = b * EVENTS + e + 1;
			wrong = event(b, orders, site);
			if (wrong == (fault.fault == SMELT_FAULT_RACE)) {
				*found += wrong;
				CHECK(!wrong || fault.line == site->line);
				continue;
			}
			CHECK(wrong);
			*missed += 1;
		}
	}
	CHECK_INT(cpu_watch_end(&worker), 0);
	smelt_cpu_current = NULL;
}

static void
without_order(void)
{
	unsigned missed = 0, found = 0;

	for (state = 1; found < 3000 && !unit_failures;)
		run(false, &missed, &found);
	CHECK_INT(missed, 0);
}

static void
with_order(void)
{
	unsigned missed = 0, found = 0, ordered = 0;

	for (state = 2; found < 3000 && !unit_failures;) {
		run(true, &missed, &found);
		ordered += model.ordered;
	}
	CHECK(missed < found / 100);
	CHECK(ordered > found / 2);
}

int
main(void)
{
	RUN(without_order);
	RUN(with_order);
	return unit_failed != 0;
}
