/*
 * Copies of pageable memory through pinned slots, filled and emptied by several
 * threads while the device copies others.
 *
 * A driver that is given pageable memory does the same with one thread: 6 GB/s
 * where pinned memory has 55. One thread can move some 10 GB/s, so it takes
 * several; each moves whole slots, since to share one out costs a meeting of
 * all threads each time. Of the slots a half is with the device and a half with
 * the threads. The thread that wants the copy gives the device its work, and
 * moves slots itself rather than sleep.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SLOT (UINT64_C(2) << 20)
#define MOST_THREADS 8
#define AHEAD (RT_SLOTS / 2)

uint64_t rt_slot_size = SLOT;

/* One copy at a time uses the slots, of whatever device: they share the host's
 * memory bandwidth. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stopped;

/* A copy in `count` parts; part i is in slot i % RT_SLOTS. */
struct job {
	smelt_stream *stream;
	bool in; /* to the device */
	char *host;
	char *device;
	uint64_t size;
	uint64_t part;
	uint64_t count;
	/* What follows is guarded by pool.lock. */
	uint64_t next;		  /* part to be moved by a thread */
	uint64_t allowed;	  /* parts before it may be moved */
	uint64_t moved[RT_SLOTS]; /* 1 + the last part moved in each slot */
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t done;
	struct job *job;
	unsigned busy; /* threads at work on the job */
	unsigned started;
	bool cannot_start;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
	  .work = PTHREAD_COND_INITIALIZER,
	  .done = PTHREAD_COND_INITIALIZER};

static uint64_t
part_size(const struct job *job, uint64_t part)
{
	uint64_t start = part * job->part;

	return job->size - start < job->part ? job->size - start : job->part;
}

static struct rt_slot *
slot_of(const struct job *job, uint64_t part)
{
	return &job->stream->device->slots[part % RT_SLOTS];
}

/* The user's memory, which is not read again soon, is written past the caches:
 * a plain store would read each line first, which is a third of what the memory
 * has to do. Slots are not: the device reads them at once, from the cache (an
 * H200 took 1.4 times as long). */
#define PAST_CACHES 262144

static void
move_bytes(char *dst, const char *src, size_t size)
{
#ifdef __SSE2__
	size_t head = -(uintptr_t)dst % 64;

	if (size >= PAST_CACHES) {
		memcpy(dst, src, head);
		for (dst += head, src += head, size -= head; size >= 64;
		     dst += 64, src += 64, size -= 64)
			for (int i = 0; i < 64; i += 16)
				_mm_stream_si128(
					(void *)(dst + i),
					_mm_loadu_si128(
						(const void *)(src + i)));
		_mm_sfence();
	}
#endif
	memcpy(dst, src, size);
}

/* ---- threads ---- */

/* Moves one part if one may be. pool.lock is held, and given up meanwhile. */
static bool
move_one(struct job *job)
{
	uint64_t part = job->next;
	char *host = job->host + part * job->part, *slot;
	uint64_t size;

	if (part >= job->allowed)
		return false;
	job->next++;
	pool.busy++;
	pthread_mutex_unlock(&pool.lock);
	slot = slot_of(job, part)->memory;
	size = part_size(job, part);
	if (job->in)
		memcpy(slot, host, size);
	else
		move_bytes(host, slot, size);
	pthread_mutex_lock(&pool.lock);
	pool.busy--;
	job->moved[part % RT_SLOTS] = part + 1;
	pthread_cond_broadcast(&pool.done);
	return true;
}

static void *
thread_main(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&pool.lock);
	for (;;)
		if (!pool.job || !move_one(pool.job))
			pthread_cond_wait(&pool.work, &pool.lock);
	return NULL;
}

bool
rt_staging_wanted(void)
{
	static _Atomic int known; /* 1 yes, 2 no */
	int known_now = atomic_load_explicit(&known, memory_order_relaxed);
	const char *text;

	if (!known_now) {
		text = getenv("SMELT_STAGING");
		known_now = text && !strcmp(text, "0") ? 2 : 1;
		atomic_store(&known, known_now);
	}
	return known_now == 1 && !atomic_load(&stopped);
}

static unsigned
thread_count(void)
{
	cpu_set_t set;
	unsigned count = 1;

	if (!sched_getaffinity(0, sizeof(set), &set))
		count = (unsigned)CPU_COUNT(&set);
	count = count > 1 ? count - 1 : 1;
	return count < MOST_THREADS ? count : MOST_THREADS;
}

/* Fewer are no error. The turn is held. */
static void
start_threads(void)
{
	unsigned count = thread_count();

	while (pool.started < count && !pool.cannot_start) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, thread_main, NULL)) {
			pool.cannot_start = true;
			return;
		}
		pthread_detach(thread);
		pool.started++;
	}
}

static void
begin_job(struct job *job)
{
	start_threads();
	pthread_mutex_lock(&pool.lock);
	pool.job = job;
	pthread_mutex_unlock(&pool.lock);
}

/* No thread is at the job, or the host's memory, any more. */
static void
end_job(void)
{
	pthread_mutex_lock(&pool.lock);
	pool.job = NULL;
	while (pool.busy)
		pthread_cond_wait(&pool.done, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

static void
allow(struct job *job, uint64_t parts)
{
	pthread_mutex_lock(&pool.lock);
	if (parts > job->allowed) {
		job->allowed = parts;
		pthread_cond_broadcast(&pool.work);
	}
	pthread_mutex_unlock(&pool.lock);
}

/* Until the part has been moved; helps meanwhile. */
static void
wait_moved(struct job *job, uint64_t part)
{
	pthread_mutex_lock(&pool.lock);
	while (job->moved[part % RT_SLOTS] < part + 1)
		if (!move_one(job))
			pthread_cond_wait(&pool.done, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

/* ---- slots; the turn is held ---- */

/* Waits for the copy that uses the slot. */
static int
free_slot(smelt_device *device, struct rt_slot *slot)
{
	int result;

	if (!slot->event)
		return 0;
	result = device->engine->event_sync(device->found.device, slot->event,
					    NULL, ENGINE_WAIT);
	if (result)
		return result;
	device->engine->event_destroy(device->found.device, slot->event);
	slot->event = NULL;
	slot->stream = NULL;
	return 0;
}

/* Memory for the first `count` slots; false if there is none. */
static bool
make_slots(smelt_device *device, uint64_t count)
{
	bool good = true;

	for (uint64_t i = 0; i < count && i < RT_SLOTS && good; i++) {
		void *memory = device->slots[i].memory;

		if (memory)
			continue;
		pthread_mutex_lock(&device->memory_lock);
		good = !device->engine->memory_alloc(
			device->found.device, ENGINE_HOST, SLOT, &memory);
		pthread_mutex_unlock(&device->memory_lock);
		device->slots[i].memory = good ? memory : NULL;
	}
	return good;
}

/* The device's copy of a part, and an event for its end. */
static int
give_part(struct job *job, uint64_t part)
{
	smelt_device *device = job->stream->device;
	struct rt_slot *slot = slot_of(job, part);
	char *there = job->device + part * job->part;
	int result = device->engine->copy(
		device->found.device, job->stream->queue,
		job->in ? ENGINE_TO_DEVICE : ENGINE_FROM_DEVICE,
		job->in ? there : slot->memory, job->in ? slot->memory : there,
		part_size(job, part));

	rt_stream_gave(job->stream);
	if (!result)
		result = device->engine->event_create(
			device->found.device, job->stream->queue, &slot->event);
	if (result)
		/* Whatever became of it, the slot must be free. */
		device->engine->queue_wait(device->found.device,
					   job->stream->queue);
	else
		slot->stream = job->stream;
	return result;
}

static int
run_in(struct job *job)
{
	smelt_device *device = job->stream->device;
	uint64_t ready = 0; /* parts whose slot is free to be filled */
	int result = 0;

	for (uint64_t part = 0; part < job->count && !result; part++) {
		while (ready < job->count && ready < part + AHEAD && !result) {
			result = free_slot(device, slot_of(job, ready));
			ready += !result;
		}
		allow(job, ready);
		if (atomic_load(&stopped))
			result = rt_error(SMELT_EUNSUPPORTED,
					  "the process ends");
		if (result)
			break;
		wait_moved(job, part);
		result = give_part(job, part);
	}
	return result;
}

static int
run_out(struct job *job)
{
	smelt_device *device = job->stream->device;
	uint64_t given = 0;
	int result = 0;

	for (uint64_t part = 0; part < job->count && !result; part++) {
		while (given < job->count && given < part + AHEAD && !result) {
			if (given >= RT_SLOTS)
				wait_moved(job, given - RT_SLOTS);
			result = free_slot(device, slot_of(job, given));
			if (!result)
				result = give_part(job, given);
			given += !result;
		}
		if (!result)
			result = free_slot(device, slot_of(job, part));
		if (!result && atomic_load(&stopped))
			result = rt_error(SMELT_EUNSUPPORTED,
					  "the process ends");
		if (!result)
			allow(job, part + 1);
	}
	for (uint64_t part = job->count < RT_SLOTS ? 0 : job->count - RT_SLOTS;
	     part < job->count && !result; part++)
		wait_moved(job, part);
	return result;
}

/* Whether the slot is free, without waiting. */
static bool
is_free(smelt_device *device, struct rt_slot *slot)
{
	int result;

	if (!slot->event)
		return true;
	pthread_mutex_lock(&device->memory_lock);
	result = device->engine->event_sync(device->found.device, slot->event,
					    NULL, ENGINE_QUERY);
	pthread_mutex_unlock(&device->memory_lock);
	return result == 0 && !free_slot(device, slot);
}

/* A copy of one part, moved by this thread. It takes any free slot, or a new
 * one, so that it does not wait for the work of other streams. */
static int
run_small(struct job *job)
{
	smelt_device *device = job->stream->device;
	struct rt_slot *slots = device->slots, swap;
	uint64_t at = 0;
	int result;

	while (at < RT_SLOTS && slots[at].memory &&
	       !is_free(device, &slots[at]))
		at++;
	if (at == RT_SLOTS || !make_slots(device, at + 1))
		at = 0;
	/* give_part takes slot 0. */
	swap = slots[at];
	slots[at] = slots[0];
	slots[0] = swap;
	result = free_slot(device, &slots[0]);
	if (result)
		return result;
	memcpy(slots[0].memory, job->host, job->size);
	return give_part(job, 0);
}

/* ---- the two copies ---- */

static struct job
make_job(smelt_stream *stream, bool in, const void *host, const void *there,
	 uint64_t size)
{
	union {
		const void *given;
		void *used;
	} h = {host}, d = {there};
	uint64_t part = rt_slot_size;

	return (struct job){.stream = stream,
			    .in = in,
			    .host = h.used,
			    .device = d.used,
			    .size = size,
			    .part = part,
			    .count = (size + part - 1) / part};
}

bool
rt_stage_in(smelt_stream *stream, void *dst, const void *src, uint64_t size,
	    int *result)
{
	struct job job = make_job(stream, true, src, dst, size);
	bool ready;

	if (!rt_staging_wanted())
		return false;
	if (job.count > 1)
		pthread_mutex_lock(&turn);
	else if (pthread_mutex_trylock(&turn))
		return false;
	ready = make_slots(stream->device, job.count);
	if (ready && job.count == 1) {
		*result = run_small(&job);
	} else if (ready) {
		begin_job(&job);
		*result = run_in(&job);
		end_job();
	}
	pthread_mutex_unlock(&turn);
	return ready;
}

bool
rt_stage_out(smelt_stream *stream, void *dst, const void *src, uint64_t size,
	     int *result)
{
	struct job job = make_job(stream, false, dst, src, size);
	bool ready;

	pthread_mutex_lock(&turn);
	ready = make_slots(stream->device, job.count);
	if (ready) {
		begin_job(&job);
		*result = run_out(&job);
		end_job();
	}
	pthread_mutex_unlock(&turn);
	return ready;
}

void
rt_stage_forget(smelt_stream *stream)
{
	smelt_device *device = stream->device;

	pthread_mutex_lock(&turn);
	for (int i = 0; i < RT_SLOTS; i++) {
		struct rt_slot *slot = &device->slots[i];

		if (slot->stream != stream)
			continue;
		device->engine->event_destroy(device->found.device,
					      slot->event);
		slot->event = NULL;
		slot->stream = NULL;
	}
	pthread_mutex_unlock(&turn);
}

void
rt_stage_stop(void)
{
	struct timespec until;

	atomic_store(&stopped, true);
	/* One that runs sees it at its next part. It may be that of this very
	 * thread, which a signal took out of it. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	if (!pthread_mutex_timedlock(&turn, &until))
		pthread_mutex_unlock(&turn);
}
