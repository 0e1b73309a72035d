/*
 * A device that stopped working: its driver fails every call from then on, with
 * whatever that call fails with, so that an allocation says it is out of
 * memory. So after an error the device is asked to wait, which a lost one
 * refuses; and the launches that had not been waited for when that was first
 * seen are named by all errors after it.
 */
#include "runtime.h"

#include <stdio.h>

/* Launches of a stream that may have been the last of the device. Its lock is
 * held. */
static uint64_t
suspects(const smelt_stream *stream)
{
	return stream->live ? stream->launches - stream->waited : 0;
}

static void
note_last(struct rt_loss *loss, const smelt_stream *stream)
{
	const struct rt_launched *last = rt_launched(stream, stream->launches);

	if (loss->launches)
		return;
	loss->name = last->kernel ? last->kernel->name : "a kernel";
	loss->place = last->place;
}

/* The streams_lock is held; `held` is a stream whose lock is, or NULL. Streams
 * that are in use just now cannot be asked. */
static void
find_suspects(smelt_device *device, smelt_stream *held)
{
	struct rt_loss *loss = &device->loss;

	loss->known = true;
	if (held && suspects(held)) {
		note_last(loss, held);
		loss->launches = suspects(held);
	}
	for (smelt_stream *stream = device->streams; stream;
	     stream = stream->next) {
		if (stream == held || pthread_mutex_trylock(&stream->lock))
			continue;
		if (suspects(stream)) {
			note_last(loss, stream);
			loss->launches += suspects(stream);
		}
		pthread_mutex_unlock(&stream->lock);
	}
}

int
rt_lost(smelt_device *device, smelt_stream *held)
{
	char which[96] = "last launch", place[160];
	struct rt_loss loss;

	pthread_mutex_lock(&device->streams_lock);
	if (!device->loss.known)
		find_suspects(device, held);
	loss = device->loss;
	pthread_mutex_unlock(&device->streams_lock);
	if (loss.launches > 1)
		snprintf(which, sizeof(which),
			 "in one of %llu launches, which SMELT_PROFILE=1 tells "
			 "apart; the last",
			 (unsigned long long)loss.launches);
	rt_place_text(&loss.place, place, sizeof(place));
	return rt_error_prefix(
		SMELT_EDEVICE_LOST,
		"%s stopped working (%s: %s%s%s): ", device->found.info.name,
		which, loss.launches ? loss.name : "none", *place ? " at " : "",
		place);
}

int
rt_check_lost(smelt_device *device, smelt_stream *held, int result)
{
	smelt_stream *own = device->stream;

	if (result != SMELT_EENGINE && result != SMELT_ENO_DEVICE_MEMORY &&
	    result != SMELT_ENO_MEMORY && result != SMELT_ENO_KERNEL)
		return result;
	if (!own ||
	    !device->engine->queue_wait(device->found.device, own->queue))
		return result;
	return rt_lost(device, held);
}
