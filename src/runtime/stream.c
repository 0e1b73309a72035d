/*
 * Streams and events.
 *
 * A stream counts what it gave to its queue and what it knows to be over. With
 * that, the frequent case (free memory of a stream that has nothing to do)
 * needs no question to the driver.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

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

/* What make_state made, also in part, and the queue. All work is over. */
static void
dispose(smelt_stream *stream)
{
	smelt_device *device = stream->device;

	atomic_store(&stream->done, stream->given);
	if (stream->state)
		rt_pool_free(device, stream, stream->state);
	rt_pool_settle(device, stream);
	if (stream->word) {
		pthread_mutex_lock(&device->memory_lock);
		device->engine->memory_free(device->found.device, ENGINE_HOST,
					    (void *)(uintptr_t)stream->word);
		pthread_mutex_unlock(&device->memory_lock);
	}
	device->engine->queue_destroy(device->found.device, stream->queue);
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
	made = calloc(1, sizeof(*made));
	if (!made)
		return rt_error(SMELT_ENO_MEMORY, "no memory for a stream");
	made->device = device;
	pthread_mutex_init(&made->lock, NULL);
	result = device->engine->queue_create(device->found.device,
					      &made->queue);
	if (result)
		goto no_queue;
	result = make_state(made);
	if (result)
		goto no_state;
	*stream = made;
	return 0;

no_state:
	dispose(made);
no_queue:
	pthread_mutex_destroy(&made->lock);
	free(made);
	return result;
}

int
smelt_stream_destroy(smelt_stream *stream)
{
	smelt_device *device;
	int result;

	if (!stream)
		return 0;
	device = stream->device;
	if (stream == device->stream)
		return rt_error(SMELT_EINVALID,
				"the device's own stream stays");
	pthread_mutex_lock(&stream->lock);
	result = rt_stream_wait(stream);
	rt_map_forget(device, stream);
	dispose(stream);
	pthread_mutex_unlock(&stream->lock);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
	return result;
}

int
rt_stream_drain(smelt_stream *stream)
{
	smelt_device *device = stream->device;
	const struct rt_launched *last;
	int result;

	result =
		device->engine->queue_wait(device->found.device, stream->queue);
	if (result) {
		last = rt_launched(stream, stream->launches);
		return rt_error_prefix(result,
				       "%s stopped working (last launch: %s): ",
				       device->found.info.name,
				       !stream->launches ? "none"
				       : last->kernel	 ? last->kernel->name
							 : "a kernel");
	}
	if (stream->done != stream->given) {
		atomic_store(&stream->done, stream->given);
		rt_pool_settle(device, stream);
	}
	return 0;
}

/* The word is set only after the record is complete. Clears both: the stream is
 * idle, and the next launch may panic again. */
int
rt_stream_check(smelt_stream *stream)
{
	smelt_device *device = stream->device;
	struct smelt_device_state state, zero = {0};
	int result;

	if (stream->host_panicked) {
		stream->host_panicked = false;
		return rt_panic_text(stream, "");
	}
	if (!*stream->word)
		return 0;
	zero.host_word = (uint64_t)(uintptr_t)stream->word;
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
	return rt_panic_report(stream, &state);
}

int
rt_stream_wait(smelt_stream *stream)
{
	int result = rt_stream_drain(stream);

	return result ? result : rt_stream_check(stream);
}

int
smelt_stream_wait(smelt_stream *stream)
{
	int result;

	if (!stream)
		return rt_error(SMELT_EINVALID, "stream is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	pthread_mutex_lock(&stream->lock);
	result = rt_stream_wait(stream);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_stream_panic(smelt_stream *stream, struct smelt_panic *panic)
{
	uint32_t size;
	int result = 0;

	if (!stream || !panic || panic->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"stream or panic is NULL, or panic->size is "
				"not set");
	pthread_mutex_lock(&stream->lock);
	size = panic->size < sizeof(*panic) ? panic->size : sizeof(*panic);
	if (stream->has_panic) {
		memcpy(panic, &stream->panic, size);
		panic->size = size;
	} else {
		result = rt_error(SMELT_EINVALID,
				  "no kernel of this stream panicked");
	}
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_event_record(smelt_stream *stream, smelt_event **event)
{
	smelt_device *device;
	smelt_event *made;
	int result;

	if (!stream || !event)
		return rt_error(SMELT_EINVALID, "stream or event is NULL");
	*event = NULL;
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	made = calloc(1, sizeof(*made));
	if (!made)
		return rt_error(SMELT_ENO_MEMORY, "no memory for an event");
	device = stream->device;
	made->device = device;
	pthread_mutex_lock(&stream->lock);
	result = device->engine->event_create(device->found.device,
					      stream->queue, &made->event);
	pthread_mutex_unlock(&stream->lock);
	if (result)
		free(made);
	else
		*event = made;
	return result;
}

int
smelt_event_wait(smelt_event *event)
{
	if (!event)
		return rt_error(SMELT_EINVALID, "event is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	return event->device->engine->event_sync(
		event->device->found.device, event->event, NULL, ENGINE_WAIT);
}

/* Devices of two engines, or two devices, have no order between their queues:
 * the calling thread waits then. */
int
smelt_stream_wait_event(smelt_stream *stream, smelt_event *event)
{
	smelt_device *device;
	int result;

	if (!stream || !event)
		return rt_error(SMELT_EINVALID, "stream or event is NULL");
	device = stream->device;
	if (device != event->device)
		return smelt_event_wait(event);
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	pthread_mutex_lock(&stream->lock);
	rt_stream_gave(stream);
	result = device->engine->event_sync(device->found.device, event->event,
					    stream->queue, ENGINE_ORDER);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_event_destroy(smelt_event *event)
{
	if (!event)
		return 0;
	event->device->engine->event_destroy(event->device->found.device,
					     event->event);
	free(event);
	return 0;
}
