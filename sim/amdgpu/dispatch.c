/*
 * A kernel dispatch: checked, prepared, and run by the queue's own thread
 * together with a pool of helpers, one for each further processor.
 */
#include "dispatch.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCRATCH_GRANULE = 1024, SCRATCH_GROUPS = 64 };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work; /* a dispatch came */
	pthread_cond_t idle; /* a helper left one */
	struct dispatch *first;
	bool started;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
	  .work = PTHREAD_COND_INITIALIZER,
	  .idle = PTHREAD_COND_INITIALIZER};

void
dispatch_fail(struct dispatch *d, const struct fault *fault)
{
	pthread_mutex_lock(&d->lock);
	if (!atomic_load(&d->failed)) {
		*d->fault = *fault;
		atomic_store(&d->failed, true);
	}
	pthread_mutex_unlock(&d->lock);
}

static bool
has_work(struct dispatch *d)
{
	return !atomic_load(&d->failed) &&
	       atomic_load(&d->next_group) < d->group_count;
}

static void *
helper(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		struct dispatch *d = pool.first;
		while (d && !has_work(d))
			d = d->next;
		if (!d) {
			pthread_cond_wait(&pool.work, &pool.lock);
			continue;
		}
		d->helpers++;
		pthread_mutex_unlock(&pool.lock);
		groups_run(d);
		pthread_mutex_lock(&pool.lock);
		d->helpers--;
		pthread_cond_broadcast(&pool.idle);
	}
	return NULL;
}

static long
thread_count(void)
{
	const char *text = getenv("SMELT_SIM_THREADS");
	long count =
		text ? strtol(text, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);
	return count < 1 ? 1 : count > 256 ? 256 : count;
}

/* With the pool's lock. Helpers live as long as the process. */
static void
start_helpers(void)
{
	if (pool.started)
		return;
	pool.started = true;
	for (long k = 1; k < thread_count(); k++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, helper, NULL) == 0)
			pthread_detach(thread);
	}
}

static void
run(struct dispatch *d)
{
	if (d->group_count > 1) {
		pthread_mutex_lock(&pool.lock);
		start_helpers();
		d->next = pool.first;
		pool.first = d;
		pthread_cond_broadcast(&pool.work);
		pthread_mutex_unlock(&pool.lock);
	}
	groups_run(d);
	if (d->group_count > 1) {
		pthread_mutex_lock(&pool.lock);
		struct dispatch **at = &pool.first;
		while (*at != d)
			at = &(*at)->next;
		*at = d->next;
		while (d->helpers)
			pthread_cond_wait(&pool.idle, &pool.lock);
		pthread_mutex_unlock(&pool.lock);
	}
}

/* The descriptor lies in loaded code of this device, and its entry too. */
static const char *
check_kernel(struct dispatch *d)
{
	d->code = code_find(d->kernel_object);
	if (!d->code || d->kernel_object % 8 ||
	    d->kernel_object + sizeof(*d->descriptor) >
		    (uint64_t)(uintptr_t)d->code->base + d->code->size)
		return "dispatch packet whose kernel object is no kernel "
		       "descriptor";
	if (d->code->agent != d->agent->index)
		return "dispatch packet with a kernel of another device";
	d->descriptor = (const void *)(uintptr_t)d->kernel_object;
	uint64_t entry = d->kernel_object +
			 (uint64_t)d->descriptor->entry_offset -
			 (uint64_t)(uintptr_t)d->code->base;
	if (entry < d->code->text || entry >= d->code->text_end || entry % 4)
		return "kernel descriptor whose entry is not in code";
	if (d->packet->group_segment_size <
	    d->descriptor->group_segment_fixed_size)
		return "dispatch packet with less LDS than its kernel needs";
	if (d->packet->private_segment_size <
	    d->descriptor->private_segment_fixed_size)
		return "dispatch packet with less private memory than its "
		       "kernel needs";
	return NULL;
}

/* Scratch for all groups that may be in flight at once. */
static bool
map_scratch(struct dispatch *d)
{
	uint64_t size =
		(uint64_t)d->packet->private_segment_size * d->wave_size;
	if (size == 0)
		return true;
	const uint16_t *full = d->packet->workgroup_size;
	uint64_t waves =
		((uint64_t)full[0] * full[1] * full[2] + d->wave_size - 1) /
		d->wave_size;
	uint64_t groups = d->group_count < SCRATCH_GROUPS ? d->group_count
							  : SCRATCH_GROUPS;
	uint64_t threads = (uint64_t)thread_count();
	d->wave_scratch = (size + SCRATCH_GRANULE - 1) / SCRATCH_GRANULE *
			  SCRATCH_GRANULE;
	if (groups < threads)
		groups = threads;
	d->scratch_size = groups * waves * d->wave_scratch;
	struct range like = {.kind = RANGE_SYSTEM,
			     .agents = 1u << d->agent->index};
	d->scratch = (uint64_t)(uintptr_t)memory_map(&like, d->scratch_size);
	if (d->scratch && check_wanted() & CHECK_INIT)
		d->undefined = malloc(d->scratch_size);
	return d->scratch && (d->undefined || !(check_wanted() & CHECK_INIT));
}

static void
prepare(struct dispatch *d)
{
	uint32_t wave32 = d->descriptor->properties & KERNEL_WAVE32;
	const char *limit = getenv("SMELT_SIM_LIMIT");
	d->limit = limit && *limit ? strtoull(limit, NULL, 10) : UINT64_MAX;
	d->name = code_kernel_name(d->kernel_object);
	d->wave_size = wave32 ? 32 : 64;
	d->group_count = 1;
	for (int k = 0; k < 3; k++) {
		uint32_t size = d->packet->workgroup_size[k];
		d->groups[k] = (d->packet->grid_size[k] - 1) / size + 1;
		d->group_count *= d->groups[k];
	}
}

void
dispatch_run(const struct sim_agent *agent, uint64_t queue,
	     const struct hsa_dispatch_packet *packet, uint64_t dispatch_id,
	     struct fault *fault)
{
	struct dispatch d = {.agent = agent,
			     .packet = packet,
			     .queue = queue,
			     .id = dispatch_id,
			     .fault = fault,
			     .kernel_object = packet->kernel_object};
	const char *problem = check_kernel(&d);
	if (problem) {
		fault_set(fault, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, 0,
			  "%s", problem);
		return;
	}
	prepare(&d);
	if (!map_scratch(&d)) {
		fault_set(fault, HSA_STATUS_ERROR_OUT_OF_RESOURCES, 0,
			  "kernel %s: no memory for scratch", d.name);
		return;
	}
	pthread_mutex_init(&d.lock, NULL);
	if (check_wanted() & CHECK_RACES && !(d.shadow = shadow_create())) {
		fault_set(fault, HSA_STATUS_ERROR_OUT_OF_RESOURCES, 0,
			  "kernel %s: no memory for the race check", d.name);
		return;
	}
	run(&d);
	shadow_destroy(d.shadow);
	free(d.undefined);
	pthread_mutex_destroy(&d.lock);
	if (d.scratch)
		memory_unmap((void *)(uintptr_t)d.scratch, RANGE_SYSTEM);
}
