/*
 * Work-groups: set-up of their waves' registers as the kernel descriptor asks
 * (LLVM's AMDGPUUsage, "Initial Kernel Execution State"), and running them.
 *
 * A thread runs one work-group at a time, its waves in turn. A group that goes
 * on and on may be waiting for one that has not begun, so after a while another
 * is begun beside it, up to as many as a device would have room for.
 */
#include "dispatch.h"

#include "check.h"
#include "counts.h"
#include "undef.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	MAX_WAVES = SIM_MAX_WORKGROUP / 32,
	MAX_IN_FLIGHT = 64,  /* groups a thread */
	WAVE_BUDGET = 20000, /* instructions before the next wave's turn */
	SLEEP_COST = 50000,  /* instructions that s_sleep counts as */
	/* A group's instructions before another is begun beside it. */
	GROUP_BUDGET = 4000000,
};

/* Memory of one group in flight; kept for the thread's next. */
struct slot {
	struct group group;
	struct wave waves[MAX_WAVES];
	vgpr_row *rows;	     /* of all waves */
	struct undef *undef; /* of all waves, where that is asked for */
	uint32_t rows_waves; /* for how many waves */
	uint32_t scratch_slot;
	bool has_scratch;
	bool busy;
	uint8_t lds[SIM_LDS_SIZE];
};

struct thread {
	struct worker worker;
	struct slot *slots[MAX_IN_FLIGHT];
};

static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static size_t
rows_size(uint32_t waves)
{
	return (size_t)waves * (VGPRS + SPARE_ROWS) * sizeof(vgpr_row);
}

static void
free_thread(void *arg)
{
	struct thread *thread = arg;
	for (int k = 0; k < MAX_IN_FLIGHT; k++) {
		if (!thread->slots[k])
			continue;
		free(thread->slots[k]->group.cells);
		free(thread->slots[k]->group.lds_defined);
		free(thread->slots[k]->rows);
		free(thread->slots[k]->undef);
		free(thread->slots[k]);
	}
	free(thread);
}

static void
make_key(void)
{
	pthread_key_create(&thread_key, free_thread);
}

static struct thread *
this_thread(void)
{
	pthread_once(&thread_once, make_key);
	struct thread *thread = pthread_getspecific(thread_key);
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (thread)
			pthread_setspecific(thread_key, thread);
	}
	return thread;
}

static bool
make_rows(struct slot *slot, uint32_t waves)
{
	free(slot->rows);
	free(slot->undef);
	slot->undef = NULL;
	slot->rows_waves = 0;
	slot->rows = aligned_alloc(64, rows_size(waves));
	if (!slot->rows)
		return false;
	memset(slot->rows, 0, rows_size(waves));
	if (check_wanted() & CHECK_INIT) {
		slot->undef = aligned_alloc(64, waves * sizeof(struct undef));
		if (!slot->undef)
			return false;
	}
	slot->rows_waves = waves;
	return true;
}

/* A slot with room for so many waves' registers. */
static struct slot *
make_slot(struct thread *thread, int k, uint32_t waves)
{
	if (!thread->slots[k]) {
		struct slot *fresh =
			aligned_alloc(64, (sizeof(struct slot) + 63) / 64 * 64);
		if (!fresh)
			return NULL;
		memset(fresh, 0, offsetof(struct slot, lds));
		thread->slots[k] = fresh;
	}
	struct slot *slot = thread->slots[k];
	if (check_wanted() && !slot->group.cells) {
		slot->group.cells = calloc(SIM_LDS_SIZE, sizeof(struct cell));
		slot->group.lds_defined = calloc(2, check_bits(SIM_LDS_SIZE));
		if (!slot->group.cells || !slot->group.lds_defined)
			return NULL;
	}
	return slot->rows_waves >= waves || make_rows(slot, waves) ? slot
								   : NULL;
}

/* ---- initial registers ---- */

static void
put64(uint32_t *s, unsigned *at, uint64_t value)
{
	s[(*at)++] = (uint32_t)value;
	s[(*at)++] = (uint32_t)(value >> 32);
}

/* The resource through which gfx90a's buffer instructions reach private memory:
 * swizzled by lane (see flat.c). */
static void
put_private_resource(const struct dispatch *d, uint32_t *s, unsigned *at)
{
	uint32_t index_stride = d->wave_size == 64 ? 3 : 2;
	put64(s, at, d->scratch | (uint64_t)1 << 63);
	s[(*at)++] = (uint32_t)d->scratch_size;
	s[(*at)++] = index_stride << 21 | 1u << 23;
}

/* User registers, in the order of the descriptor's bits. */
static unsigned
put_user_registers(const struct dispatch *d, uint32_t *s)
{
	unsigned at = 0;
	uint32_t want = d->descriptor->properties;
	bool scratch_set_up = !d->agent->arch->architected_scratch;
	if (want & KERNEL_PRIVATE_SEGMENT_BUFFER && scratch_set_up)
		put_private_resource(d, s, &at);
	if (want & KERNEL_DISPATCH_PTR)
		put64(s, &at, (uint64_t)(uintptr_t)d->packet);
	if (want & KERNEL_QUEUE_PTR)
		put64(s, &at, d->queue);
	if (want & KERNEL_KERNARG_PTR)
		put64(s, &at, (uint64_t)(uintptr_t)d->packet->kernarg_address);
	if (want & KERNEL_DISPATCH_ID)
		put64(s, &at, d->id);
	if (want & KERNEL_FLAT_SCRATCH_INIT && scratch_set_up)
		put64(s, &at, d->scratch);
	if (want & KERNEL_PRIVATE_SEGMENT_SIZE)
		s[at++] = d->packet->private_segment_size;
	uint32_t count = d->descriptor->rsrc2 >> 1 & 31;
	return at > count ? at : count;
}

/* Gives how many there are. */
static unsigned
put_scalar_registers(const struct group *g, struct wave *w)
{
	const struct dispatch *d = g->dispatch;
	uint32_t rsrc2 = d->descriptor->rsrc2;
	unsigned at = put_user_registers(d, w->s);
	for (int k = 0; k < 3; k++)
		if (rsrc2 >> (7 + k) & 1)
			w->s[at++] = g->id[k];
	if (rsrc2 >> 10 & 1) /* work-group info */
		w->s[at++] = g->wave_count | (w->index == 0 ? 1u << 26 : 0);
	if (rsrc2 & 1 && !d->agent->arch->architected_scratch)
		w->s[at++] = (uint32_t)(w->scratch - d->scratch);
	return at;
}

/* Work-item ids: all in v0, 10 bits each. */
static void
put_ids(struct wave *w, const uint32_t size[3], uint32_t enabled)
{
	uint32_t first = w->index * (w->wave32 ? 32u : 64u);
	for (uint32_t l = 0; l < LANES; l++) {
		uint32_t item = first + l;
		uint32_t x = item % size[0];
		uint32_t y = item / size[0] % size[1];
		uint32_t z = item / size[0] / size[1];
		w->v[0][l] = x | (enabled >= 1 ? y << 10 : 0) |
			     (enabled >= 2 ? z << 20 : 0);
	}
}

static void
start_wave(struct group *g, struct wave *w, const uint32_t size[3],
	   struct undef *undef)
{
	const struct dispatch *d = g->dispatch;
	uint32_t rsrc1 = d->descriptor->rsrc1;
	uint32_t items = size[0] * size[1] * size[2];
	uint32_t here = items - w->index * d->wave_size;
	w->wave32 = d->wave_size == 32;
	w->lane_mask = w->wave32 ? UINT32_MAX : UINT64_MAX;
	w->code = d->code;
	w->group = g;
	/* MODE: rounding and denormals, then DX10_CLAMP and IEEE. */
	w->mode = (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 |
		  (rsrc1 >> 23 & 1) << 9;
	unsigned sgprs = put_scalar_registers(g, w);
	put_ids(w, size, d->descriptor->rsrc2 >> 11 & 3);
	w->s2[SGPR_EXEC / 2] =
		here >= d->wave_size ? w->lane_mask : ((uint64_t)1 << here) - 1;
	w->current = w->code->insts; /* until one runs, for messages */
	if (undef)
		undef_start(w, undef, sgprs);
	wave_jump(w, d->kernel_object + (uint64_t)d->descriptor->entry_offset);
}

static bool
take_scratch(struct dispatch *d, struct slot *slot)
{
	if (!d->wave_scratch)
		return true;
	slot->scratch_slot = atomic_fetch_add(&d->scratch_slots, 1);
	uint64_t waves = slot->group.wave_count;
	return (slot->scratch_slot + 1) * waves * d->wave_scratch <=
	       d->scratch_size;
}

/* The group's size, which is less at the grid's edge. */
static void
group_size(const struct dispatch *d, const struct group *g, uint32_t size[3])
{
	for (int k = 0; k < 3; k++) {
		uint32_t full = d->packet->workgroup_size[k];
		uint32_t left = d->packet->grid_size[k] - g->id[k] * full;
		size[k] = left < full ? left : full;
	}
}

static void
start_group(struct dispatch *d, struct worker *worker, struct slot *slot,
	    uint64_t number)
{
	struct group *g = &slot->group;
	const uint16_t *full = d->packet->workgroup_size;
	uint32_t most =
		((uint32_t)full[0] * full[1] * full[2] + d->wave_size - 1) /
		d->wave_size;
	g->dispatch = d;
	g->lds = slot->lds;
	g->lds_size = d->packet->group_segment_size;
	g->id[0] = (uint32_t)(number % d->groups[0]);
	g->id[1] = (uint32_t)(number / d->groups[0] % d->groups[1]);
	g->id[2] = (uint32_t)(number / d->groups[0] / d->groups[1]);
	g->waves = slot->waves;
	g->waiting = 0;
	g->number = (uint32_t)number;
	g->epoch = 0;
	if (g->cells) {
		memset(g->cells, 0, g->lds_size * sizeof(struct cell));
		memset(g->lds_defined, 0, 2 * check_bits(SIM_LDS_SIZE));
	}
	uint32_t size[3];
	group_size(d, g, size);
	g->wave_count =
		(size[0] * size[1] * size[2] + d->wave_size - 1) / d->wave_size;
	g->live = g->wave_count;
	memset(slot->lds, 0xa5, (g->lds_size + 511u) & ~511u);
	for (uint32_t k = 0; k < g->wave_count; k++) {
		struct wave *w = &slot->waves[k];
		memset(w, 0, sizeof(*w));
		w->index = k;
		w->worker = worker;
		w->v = slot->rows + (size_t)k * (VGPRS + SPARE_ROWS);
		w->scratch_size = d->wave_scratch;
		w->scratch = d->scratch + ((uint64_t)slot->scratch_slot * most +
					   k) * d->wave_scratch;
		start_wave(g, w, size, slot->undef ? &slot->undef[k] : NULL);
	}
	slot->busy = true;
	if (worker->counts) {
		worker->counts->groups++;
		worker->counts->waves += g->wave_count;
		worker->counts->launches += number == 0;
	}
}

/* ---- running ---- */

/* Runs each wave once; gives the number of instructions done. */
static uint64_t
run_waves(struct group *g)
{
	uint64_t done = 0;
	for (uint32_t k = 0; k < g->wave_count; k++) {
		struct wave *w = &g->waves[k];
		if (w->state != WAVE_RUNS)
			continue;
		uint64_t before = w->instructions;
		wave_run(w, WAVE_BUDGET);
		done += w->instructions - before;
		if (w->instructions > g->dispatch->limit)
			wave_fault(w, HSA_STATUS_ERROR_EXCEPTION,
				   "no end after %llu instructions "
				   "(SMELT_SIM_LIMIT)",
				   (unsigned long long)w->instructions);
		if (w->stop && w->state == WAVE_RUNS) /* it sleeps */
			done += SLEEP_COST;
		if (w->state == WAVE_ENDED)
			g->live--;
		else if (w->state == WAVE_AT_BARRIER)
			g->waiting++;
	}
	return done + 1;
}

/* Lets the waves go on from the barrier if all that live have come. */
static void
pass_barrier(struct group *g)
{
	if (g->waiting == 0 || g->waiting != g->live)
		return;
	for (uint32_t k = 0; k < g->wave_count; k++)
		if (g->waves[k].state == WAVE_AT_BARRIER)
			g->waves[k].state = WAVE_RUNS;
	g->waiting = 0;
	g->epoch++;
}

/* true when the group has ended, or the dispatch failed. */
static bool
run_group(struct group *g)
{
	uint64_t done = 0;
	while (done < GROUP_BUDGET) {
		if (atomic_load_explicit(&g->dispatch->failed,
					 memory_order_relaxed))
			return true;
		done += run_waves(g);
		if (g->live == 0)
			return true;
		pass_barrier(g);
	}
	return false;
}

static void
out_of_memory(struct dispatch *d)
{
	struct fault fault = {0};
	fault_set(&fault, HSA_STATUS_ERROR_OUT_OF_RESOURCES, 0,
		  "kernel %s: no memory for its registers or scratch", d->name);
	dispatch_fail(d, &fault);
}

/* Begins the next group in a free slot; false if there is none of either. */
static bool
begin(struct dispatch *d, struct thread *thread)
{
	int k = 0;
	while (k < MAX_IN_FLIGHT && thread->slots[k] && thread->slots[k]->busy)
		k++;
	if (k == MAX_IN_FLIGHT)
		return false;
	const uint16_t *full = d->packet->workgroup_size;
	uint32_t items = (uint32_t)full[0] * full[1] * full[2];
	uint32_t waves = (items + d->wave_size - 1) / d->wave_size;
	struct slot *slot = make_slot(thread, k, waves);
	if (!slot) {
		out_of_memory(d);
		return false;
	}
	slot->group.wave_count = waves;
	if (!slot->has_scratch) {
		if (!take_scratch(d, slot))
			return false;
		slot->has_scratch = true;
	}
	uint64_t number = atomic_fetch_add(&d->next_group, 1);
	if (number >= d->group_count)
		return false;
	start_group(d, &thread->worker, slot, number);
	return true;
}

void
groups_run(struct dispatch *d)
{
	struct thread *thread = this_thread();
	if (!thread) {
		out_of_memory(d);
		return;
	}
	struct counts counts = {0};
	memset(&thread->worker, 0, sizeof(thread->worker));
	if (counts_wanted())
		thread->worker.counts = &counts;
	for (int k = 0; k < MAX_IN_FLIGHT; k++)
		if (thread->slots[k])
			thread->slots[k]->has_scratch = false;
	int busy = begin(d, thread) ? 1 : 0;
	while (busy && !atomic_load(&d->failed)) {
		bool stuck = true;
		for (int k = 0; k < MAX_IN_FLIGHT; k++) {
			struct slot *slot = thread->slots[k];
			if (!slot || !slot->busy || !run_group(&slot->group))
				continue;
			slot->busy = false;
			busy--;
			stuck = false;
		}
		if ((busy == 0 || stuck) && begin(d, thread))
			busy++;
	}
	for (int k = 0; k < MAX_IN_FLIGHT; k++)
		if (thread->slots[k])
			thread->slots[k]->busy = false;
	if (counts_wanted())
		counts_add(d->name, &counts);
}
