/*
 * Streams.
 *
 * A stream counts what it gave to its queue and what it knows to be over. With
 * that, the frequent cases (memory of a stream that has nothing to do, a buffer
 * whose last writer has been waited for) need no question to the driver.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The pinned word that kernels set, and the record they fill in. */
static int
make_state(smelt_stream *stream)
{
	smelt_device *device = stream->device;
	struct smelt_device_state zero = {0};
	void *memory;
	int result;

	pthread_mutex_lock(&device->memory_lock);
	result = device->engine->memory_alloc(device->found.device, ENGINE_HOST,
					      sizeof(uint32_t), &memory);
	pthread_mutex_unlock(&device->memory_lock);
	if (result)
		return result;
	stream->word = memory;
	*stream->word = 0;
	result = rt_pool_alloc(device, sizeof(zero), &memory);
	if (result)
		return result;
	stream->state = memory;
	zero.host_word = (uint64_t)(uintptr_t)stream->word;
	result = device->engine->copy(device->found.device, stream->queue,
				      ENGINE_TO_DEVICE, stream->state, &zero,
				      sizeof(zero));
	return result ? result : rt_stream_drain(stream);
}

bool
rt_stream_hold(smelt_stream *stream, uint64_t number)
{
	atomic_fetch_add(&stream->holders, 1);
	if (atomic_load(&stream->done) < number)
		return true;
	rt_stream_release(stream);
	return false;
}

void
rt_stream_release(smelt_stream *stream)
{
	atomic_fetch_sub(&stream->holders, 1);
}

/* Nobody begins to use the queue any more, nor holds it: what holders wait for
 * is over. The lock is held, but not meanwhile: a holder may be waiting for the
 * lock of another stream, and so on round to this one. */
static void
retire(smelt_stream *stream)
{
	pthread_mutex_lock(&stream->device->memory_lock);
	atomic_store(&stream->live, false);
	pthread_mutex_unlock(&stream->device->memory_lock);
	atomic_store(&stream->done, stream->given);
	pthread_mutex_unlock(&stream->lock);
	for (int i = 0; atomic_load(&stream->holders); i++)
		if (i < 100)
			sched_yield();
		else
			nanosleep(&(struct timespec){0, 50000}, NULL);
	pthread_mutex_lock(&stream->lock);
}

/* What make_state made, also in part, and the queue. All work is over, and the
 * lock is held. */
static void
dispose(smelt_stream *stream)
{
	smelt_device *device = stream->device;

	retire(stream);
	rt_stage_forget(stream);
	rt_events_forget(stream);
	rt_print_forget(stream);
	if (stream->state)
		rt_pool_free(device, stream, stream->state);
	pthread_mutex_lock(&device->memory_lock);
	rt_pool_settle(device, stream);
	/* The queue first: of a lost device it may still hold copies. */
	device->engine->queue_destroy(device->found.device, stream->queue);
	if (stream->word)
		device->engine->memory_free(device->found.device, ENGINE_HOST,
					    (void *)(uintptr_t)stream->word);
	if (stream->landing)
		device->engine->memory_free(device->found.device, ENGINE_HOST,
					    stream->landing);
	pthread_mutex_unlock(&device->memory_lock);
	stream->state = NULL;
	stream->word = NULL;
	stream->landing = NULL;
	stream->landing_size = 0;
	stream->queue = NULL;
	stream->launches = stream->waited = 0;
	stream->followed_count = 0;
	stream->has_panic = false;
	stream->host_panicked = false;
	atomic_store(&stream->untold, false);
	stream->fault.fault = SMELT_FAULT_NONE;
}

/* A struct for a new stream: a destroyed one's, or a new one. */
static smelt_stream *
take_struct(smelt_device *device)
{
	smelt_stream *stream;
	uint32_t count = 0;

	pthread_mutex_lock(&device->streams_lock);
	for (stream = device->streams; stream && stream->taken;
	     stream = stream->next)
		count++;
	if (!stream)
		stream = calloc(1, sizeof(*stream));
	if (stream && !stream->device) {
		pthread_mutex_init(&stream->lock, NULL);
		stream->device = device;
		stream->index = count;
		stream->next = device->streams;
		device->streams = stream;
	}
	if (stream)
		stream->taken = true;
	pthread_mutex_unlock(&device->streams_lock);
	return stream;
}

static void
return_struct(smelt_stream *stream)
{
	pthread_mutex_lock(&stream->device->streams_lock);
	stream->taken = false;
	pthread_mutex_unlock(&stream->device->streams_lock);
}

/* The lock is held. */
static int
make_queue(smelt_stream *stream)
{
	smelt_device *device = stream->device;
	void *queue;
	int result = device->engine->queue_create(device->found.device, &queue);

	if (result)
		return result;
	pthread_mutex_lock(&device->memory_lock);
	stream->queue = queue;
	stream->live = true;
	pthread_mutex_unlock(&device->memory_lock);
	result = make_state(stream);
	if (result)
		dispose(stream);
	return result;
}

int
smelt_stream_create(smelt_device *device, smelt_stream **stream)
{
	smelt_stream *made;
	int result;

	if (!device || !stream)
		return rt_error(SMELT_EINVALID, "device or stream is NULL");
	*stream = NULL;
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	made = take_struct(device);
	if (!made)
		return rt_error(SMELT_ENO_MEMORY, "no memory for a stream");
	pthread_mutex_lock(&made->lock);
	result = make_queue(made);
	if (result)
		result = rt_check_lost(device, made, result);
	pthread_mutex_unlock(&made->lock);
	if (result)
		return_struct(made);
	else
		*stream = made;
	return result;
}

/* No lock is held. */
static void
leave_panic(smelt_device *device, const struct smelt_panic *panic)
{
	smelt_stream *own = device->stream;

	pthread_mutex_lock(&own->lock);
	if (!own->left_panic) {
		own->panic = *panic;
		own->has_panic = own->left_panic = true;
	}
	pthread_mutex_unlock(&own->lock);
}

static int
destroy(smelt_stream *stream, bool tell)
{
	struct smelt_panic panic;
	int result;

	if (!stream)
		return 0;
	if (stream == stream->device->stream)
		return rt_error(SMELT_EINVALID,
				"the device's own stream stays");
	result = rt_stream_enter(stream);
	if (result)
		return result;
	result = rt_stream_wait(stream);
	panic = stream->panic;
	rt_map_forget(stream->device, stream);
	dispose(stream);
	pthread_mutex_unlock(&stream->lock);
	if (!tell && (result == SMELT_EPANIC || result == SMELT_ECHECK))
		leave_panic(stream->device, &panic);
	return_struct(stream);
	return result;
}

int
smelt_stream_destroy(smelt_stream *stream)
{
	return destroy(stream, true);
}

int
smelt_stream_retire(smelt_stream *stream)
{
	return destroy(stream, false);
}

int
rt_stream_enter(smelt_stream *stream)
{
	if (!stream)
		return rt_error(SMELT_EINVALID, "stream is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	pthread_mutex_lock(&stream->lock);
	if (stream->live)
		return 0;
	pthread_mutex_unlock(&stream->lock);
	return rt_error(SMELT_EINVALID, "the stream was destroyed");
}

/* The panic of other, if there is one, as stream's own. No lock is held. */
static int
take_panic(smelt_stream *stream, smelt_stream *other)
{
	struct smelt_panic panic;
	int result = 0;

	pthread_mutex_lock(&other->lock);
	if (other->live)
		result = rt_stream_check(other);
	panic = other->panic;
	pthread_mutex_unlock(&other->lock);
	if (result != SMELT_EPANIC && result != SMELT_ECHECK)
		return result;
	pthread_mutex_lock(&stream->lock);
	stream->panic = panic;
	stream->has_panic = true;
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* Of all of the device where there were more than it could remember. */
static int
check_followed(smelt_stream *stream, smelt_stream *const *followed,
	       uint32_t count)
{
	smelt_stream *other;
	int result = 0;

	for (uint32_t i = 0; i < count && i < RT_FOLLOWED && !result; i++)
		result = take_panic(stream, followed[i]);
	if (count <= RT_FOLLOWED || result)
		return result;
	pthread_mutex_lock(&stream->device->streams_lock);
	other = stream->device->streams;
	pthread_mutex_unlock(&stream->device->streams_lock);
	for (; other && !result; other = other->next)
		result = take_panic(stream, other);
	return result;
}

int
rt_stream_leave(smelt_stream *stream, int result)
{
	smelt_stream *followed[RT_FOLLOWED];
	uint32_t count = stream->followed_count;

	if (result || !count) {
		pthread_mutex_unlock(&stream->lock);
		return result;
	}
	memcpy(followed, stream->followed, sizeof(followed));
	stream->followed_count = 0;
	pthread_mutex_unlock(&stream->lock);
	return check_followed(stream, followed, count);
}

/* The lock of stream is held. */
static void
note_followed(smelt_stream *stream, smelt_stream *other)
{
	for (uint32_t i = 0; i < stream->followed_count && i < RT_FOLLOWED; i++)
		if (stream->followed[i] == other)
			return;
	if (stream->followed_count < RT_FOLLOWED)
		stream->followed[stream->followed_count] = other;
	if (stream->followed_count <= RT_FOLLOWED)
		stream->followed_count++;
}

/* An event for what the stream was given so far, and the stream held; NULL if
 * that is over. Where no event can be made the stream is waited for. */
static int
mark(smelt_stream *stream, void **event)
{
	smelt_device *device = stream->device;
	int result = 0;

	*event = NULL;
	pthread_mutex_lock(&stream->lock);
	if (stream->live && !rt_stream_did(stream, stream->given) &&
	    device->engine->event_create(device->found.device, stream->queue,
					 event)) {
		*event = NULL;
		result = rt_stream_drain(stream);
	}
	if (*event)
		atomic_fetch_add(&stream->holders, 1);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* Queues of two devices have no order: the calling thread waits then. */
static int
wait_other(smelt_stream *stream, smelt_stream *other)
{
	int result = rt_stream_enter(other);

	if (result)
		return 0; /* destroyed, so all its work is over */
	result = rt_stream_drain(other);
	pthread_mutex_unlock(&other->lock);
	pthread_mutex_lock(&stream->lock);
	note_followed(stream, other);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
rt_stream_follow(smelt_stream *stream, smelt_stream *other)
{
	smelt_device *device = stream->device;
	void *event;
	int result;

	if (stream == other)
		return 0;
	if (device != other->device)
		return wait_other(stream, other);
	result = mark(other, &event);
	if (result)
		return result;
	pthread_mutex_lock(&stream->lock);
	note_followed(stream, other);
	if (event && stream->live) {
		result =
			device->engine->event_sync(device->found.device, event,
						   stream->queue, ENGINE_ORDER);
		rt_stream_gave(stream);
	}
	pthread_mutex_unlock(&stream->lock);
	if (!event)
		return 0;
	if (result)
		result = device->engine->event_sync(device->found.device, event,
						    NULL, ENGINE_WAIT);
	device->engine->event_destroy(device->found.device, event);
	rt_stream_release(other);
	return result ? rt_check_lost(device, NULL, result) : 0;
}

int
smelt_stream_follow(smelt_stream *stream, smelt_stream *other)
{
	if (!stream || !other)
		return rt_error(SMELT_EINVALID, "stream or other is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	return rt_stream_follow(stream, other);
}

int
rt_stream_drain(smelt_stream *stream)
{
	smelt_device *device = stream->device;
	int result =
		device->engine->queue_wait(device->found.device, stream->queue);

	if (result)
		return rt_lost(device, stream);
	stream->waited = stream->launches;
	rt_stream_over(stream);
	return 0;
}

/* Tells what was printed, then a panic. The word is set only after the record
 * is complete. Clears both: the stream is idle, and the next launch may panic
 * again. */
int
rt_stream_check(smelt_stream *stream)
{
	smelt_device *device = stream->device;
	struct smelt_device_state state, zero = {0};
	int result = 0;

	if (stream->first_print && rt_stream_did(stream, stream->given))
		result = rt_print_flush(stream);
	if (result)
		return result;
	if (stream->host_panicked || stream->left_panic) {
		stream->host_panicked = stream->left_panic = false;
		atomic_store(&stream->untold, false);
		return rt_panic_text(stream, NULL);
	}
	/* A fault came before the panic that may have followed from it. */
	if (stream->fault.fault) {
		atomic_store(&stream->untold, *stream->word != 0);
		return rt_fault_report(stream);
	}
	if (!*stream->word)
		return 0;
	zero.host_word = (uint64_t)(uintptr_t)stream->word;
	zero.print = (uint64_t)(uintptr_t)stream->prints;
	result = device->engine->copy(device->found.device, stream->queue,
				      ENGINE_FROM_DEVICE, &state, stream->state,
				      sizeof(state));
	if (!result)
		result = rt_stream_drain(stream);
	if (!result)
		result = device->engine->copy(
			device->found.device, stream->queue, ENGINE_TO_DEVICE,
			stream->state, &zero, sizeof(zero));
	if (!result)
		result = rt_stream_drain(stream);
	if (result)
		return result;
	*stream->word = 0;
	atomic_store(&stream->untold, false);
	return rt_panic_report(stream, &state);
}

int
rt_stream_wait(smelt_stream *stream)
{
	int result = rt_stream_drain(stream);

	rt_count(&stream->counters.waits, 1);
	return result ? result : rt_stream_check(stream);
}

int
smelt_stream_wait(smelt_stream *stream)
{
	struct rt_span span;
	bool timed = atomic_load_explicit(&rt_profiling, memory_order_relaxed);
	int result = rt_stream_enter(stream);

	if (result)
		return result;
	if (timed)
		rt_span_begin(&span, SMELT_PROFILE_WAIT, stream);
	result = rt_stream_wait(stream);
	if (timed)
		result = rt_span_end(&span, result);
	return rt_stream_leave(stream, result);
}

/* Whom it followed it may still be waiting for: they are not forgotten. */
int
smelt_stream_check(smelt_stream *stream)
{
	smelt_stream *followed[RT_FOLLOWED];
	uint32_t count;
	int result = rt_stream_enter(stream);

	if (result)
		return result;
	result = rt_stream_check(stream);
	memcpy(followed, stream->followed, sizeof(followed));
	count = stream->followed_count;
	pthread_mutex_unlock(&stream->lock);
	return result ? result : check_followed(stream, followed, count);
}

uint64_t
smelt_stream_panicked(const smelt_stream *stream)
{
	return stream ? (uint64_t)(uintptr_t)&stream->state->panicked : 0;
}

int
smelt_stream_query(smelt_stream *stream)
{
	smelt_device *device;
	void *event;
	int result = rt_stream_enter(stream);

	if (result)
		return result;
	device = stream->device;
	if (!rt_stream_did(stream, stream->given)) {
		result = device->engine->event_create(device->found.device,
						      stream->queue, &event);
		if (!result) {
			result = device->engine->event_sync(
				device->found.device, event, NULL,
				ENGINE_QUERY);
			device->engine->event_destroy(device->found.device,
						      event);
		}
		if (result < 0)
			result = rt_check_lost(device, stream, result);
	}
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_device_wait(smelt_device *device)
{
	smelt_stream *stream;
	int result;

	if (!device)
		return rt_error(SMELT_EINVALID, "device is NULL");
	result = smelt_stream_wait(device->stream);
	pthread_mutex_lock(&device->streams_lock);
	stream = device->streams;
	pthread_mutex_unlock(&device->streams_lock);
	/* The list only grows, at its head. */
	for (; stream; stream = stream->next) {
		int one = 0;

		if (stream == device->stream)
			continue;
		pthread_mutex_lock(&stream->lock);
		if (stream->live)
			one = rt_stream_wait(stream);
		pthread_mutex_unlock(&stream->lock);
		result = result ? result : one;
	}
	return result;
}

int
smelt_stream_panic(smelt_stream *stream, struct smelt_panic *panic)
{
	int result = 0;

	if (!stream || !panic || panic->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"stream or panic is NULL, or panic->size is "
				"not set");
	pthread_mutex_lock(&stream->lock);
	if (stream->has_panic)
		rt_panic_give(panic, &stream->panic);
	else
		result = rt_error(SMELT_EINVALID,
				  "no kernel of this stream panicked");
	pthread_mutex_unlock(&stream->lock);
	return result;
}
