/*
 * Events, timed ones, and calls of the host.
 *
 * What a driver calls from a stream may not use the driver, so such a function
 * only takes the time, or hands a call over to a thread of ours, where the
 * user's function may do what it likes.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <stdlib.h>
#include <time.h>

uint64_t
rt_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* When a stream came to a timed event. The event holds one, and the driver's
 * call to come another, in case the event is destroyed first. */
struct stamp {
	_Atomic uint64_t time; /* 0: not yet */
	_Atomic unsigned holders;
};

/* It may outlive its stream, whose queue takes the driver's event along. */
struct smelt_event {
	smelt_device *device;
	smelt_stream *stream;
	uint64_t number; /* the stream's last work then */
	void *event;
	bool gone;	     /* event was given back; under events_lock */
	struct stamp *stamp; /* NULL: not timed */
	smelt_event *next;   /* of the stream's; under events_lock */
	smelt_event **link;
};

static void
let_go(struct stamp *stamp)
{
	if (stamp && atomic_fetch_sub(&stamp->holders, 1) == 1)
		free(stamp);
}

static void
take_time(void *data)
{
	struct stamp *stamp = data;

	atomic_store(&stamp->time, rt_now());
	let_go(stamp);
}

/* The stream's lock is held. */
static int
put_stamp(smelt_stream *stream, struct stamp **made)
{
	smelt_device *device = stream->device;
	struct stamp *stamp = calloc(1, sizeof(*stamp));
	int result;

	if (!stamp)
		return rt_error(SMELT_ENO_MEMORY, "no memory for an event");
	atomic_store(&stamp->holders, 2);
	result = device->engine->call(device->found.device, stream->queue,
				      take_time, stamp);
	if (result) {
		free(stamp);
		return result;
	}
	rt_stream_gave(stream);
	*made = stamp;
	return 0;
}

static void
enlist(smelt_event *event)
{
	smelt_stream *stream = event->stream;

	pthread_mutex_lock(&event->device->events_lock);
	event->next = stream->events;
	event->link = &stream->events;
	if (event->next)
		event->next->link = &event->next;
	stream->events = event;
	pthread_mutex_unlock(&event->device->events_lock);
}

/* Takes it off its stream and gives the driver's part back, unless that was
 * done before. events_lock is held. */
static void
delist(smelt_event *event)
{
	if (event->gone)
		return;
	event->gone = true;
	*event->link = event->next;
	if (event->next)
		event->next->link = event->link;
	event->device->engine->event_destroy(event->device->found.device,
					     event->event);
}

void
rt_events_forget(smelt_stream *stream)
{
	pthread_mutex_lock(&stream->device->events_lock);
	while (stream->events)
		delist(stream->events);
	pthread_mutex_unlock(&stream->device->events_lock);
}

static int
record(smelt_stream *stream, bool timed, smelt_event **event)
{
	smelt_device *device;
	smelt_event *made;
	int result;

	if (!event)
		return rt_error(SMELT_EINVALID, "event is NULL");
	*event = NULL;
	result = rt_stream_enter(stream);
	if (result)
		return result;
	device = stream->device;
	made = calloc(1, sizeof(*made));
	if (!made)
		result = rt_error(SMELT_ENO_MEMORY, "no memory for an event");
	if (!result && timed)
		result = put_stamp(stream, &made->stamp);
	if (!result)
		result = device->engine->event_create(
			device->found.device, stream->queue, &made->event);
	if (!result) {
		made->device = device;
		made->stream = stream;
		made->number = stream->given;
		enlist(made);
	}
	if (result)
		result = rt_check_lost(stream->device, stream, result);
	pthread_mutex_unlock(&stream->lock);
	if (result && made) {
		let_go(made->stamp);
		free(made);
	}
	if (!result)
		*event = made;
	return result;
}

int
smelt_event_record(smelt_stream *stream, smelt_event **event)
{
	return record(stream, false, event);
}

int
smelt_event_record_timed(smelt_stream *stream, smelt_event **event)
{
	return record(stream, true, event);
}

static int
sync_event(smelt_event *event, enum engine_sync how)
{
	int result;

	if (!event)
		return rt_error(SMELT_EINVALID, "event is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (!rt_stream_hold(event->stream, event->number))
		return 0;
	result = event->device->engine->event_sync(event->device->found.device,
						   event->event, NULL, how);
	rt_stream_release(event->stream);
	if (result < 0)
		result = rt_check_lost(event->device, NULL, result);
	return result;
}

int
smelt_event_wait(smelt_event *event)
{
	return sync_event(event, ENGINE_WAIT);
}

/* The driver is asked under the memory lock, as for the pool. */
int
smelt_event_query(smelt_event *event)
{
	int result;

	if (!event)
		return rt_error(SMELT_EINVALID, "event is NULL");
	pthread_mutex_lock(&event->device->memory_lock);
	result = sync_event(event, ENGINE_QUERY);
	pthread_mutex_unlock(&event->device->memory_lock);
	return result;
}

int
smelt_event_elapsed(smelt_event *from, smelt_event *to, int64_t *nanoseconds)
{
	int result;

	if (!nanoseconds || !from || !to || !from->stamp || !to->stamp)
		return rt_error(SMELT_EINVALID,
				"nanoseconds is NULL, or an event is NULL or "
				"not a timed one");
	*nanoseconds = 0;
	result = smelt_event_wait(from);
	if (!result)
		result = smelt_event_wait(to);
	if (result)
		return result;
	*nanoseconds = (int64_t)(atomic_load(&to->stamp->time) -
				 atomic_load(&from->stamp->time));
	return 0;
}

/* Devices of two engines, or two devices, have no order between their queues:
 * the calling thread waits then. */
int
smelt_stream_wait_event(smelt_stream *stream, smelt_event *event)
{
	smelt_device *device;
	int result;

	if (!event)
		return rt_error(SMELT_EINVALID, "event is NULL");
	if (stream && stream->device != event->device)
		return smelt_event_wait(event);
	result = rt_stream_enter(stream);
	if (result)
		return result;
	device = stream->device;
	if (rt_stream_hold(event->stream, event->number)) {
		result = device->engine->event_sync(device->found.device,
						    event->event, stream->queue,
						    ENGINE_ORDER);
		rt_stream_gave(stream);
		rt_stream_release(event->stream);
	}
	if (result)
		result = rt_check_lost(device, stream, result);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_event_destroy(smelt_event *event)
{
	if (!event)
		return 0;
	pthread_mutex_lock(&event->device->events_lock);
	delist(event);
	pthread_mutex_unlock(&event->device->events_lock);
	let_go(event->stamp);
	free(event);
	return 0;
}

/* ---- calls ---- */

struct call {
	void (*function)(void *data);
	void *data;
	struct call *next;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t some;
	struct call *first, **last;
	bool started;
} calls = {.lock = PTHREAD_MUTEX_INITIALIZER,
	   .some = PTHREAD_COND_INITIALIZER,
	   .last = &calls.first};

/* In a thread of the driver, or, on the CPU, in that which gave the call. */
static void
hand_over(void *data)
{
	struct call *call = data;

	pthread_mutex_lock(&calls.lock);
	*calls.last = call;
	calls.last = &call->next;
	pthread_cond_signal(&calls.some);
	pthread_mutex_unlock(&calls.lock);
}

static void *
make_calls(void *unused)
{
	(void)unused;
	for (;;) {
		struct call *call;

		pthread_mutex_lock(&calls.lock);
		while (!calls.first)
			pthread_cond_wait(&calls.some, &calls.lock);
		call = calls.first;
		calls.first = call->next;
		if (!calls.first)
			calls.last = &calls.first;
		pthread_mutex_unlock(&calls.lock);
		call->function(call->data);
		free(call);
	}
	return NULL;
}

static int
start_calls(void)
{
	pthread_t thread;
	int result = 0;

	pthread_mutex_lock(&calls.lock);
	if (!calls.started) {
		if (pthread_create(&thread, NULL, make_calls, NULL)) {
			result = rt_error(SMELT_ENO_MEMORY,
					  "no thread for calls of the host");
		} else {
			pthread_detach(thread);
			calls.started = true;
		}
	}
	pthread_mutex_unlock(&calls.lock);
	return result;
}

int
smelt_stream_call(smelt_stream *stream, void (*function)(void *data),
		  void *data)
{
	struct call *call;
	int result;

	if (!function)
		return rt_error(SMELT_EINVALID, "function is NULL");
	result = rt_stream_enter(stream);
	if (result)
		return result;
	call = calloc(1, sizeof(*call));
	if (call) {
		call->function = function;
		call->data = data;
		result = start_calls();
	} else {
		result = rt_error(SMELT_ENO_MEMORY, "no memory for a call");
	}
	if (!result)
		result = stream->device->engine->call(
			stream->device->found.device, stream->queue, hand_over,
			call);
	if (result)
		result = rt_check_lost(stream->device, stream, result);
	else
		rt_stream_gave(stream);
	pthread_mutex_unlock(&stream->lock);
	if (result)
		free(call);
	return result;
}
