/*
 * Device memory, copies, and pinned memory of the host.
 *
 * An engine may still read or write the host's side of a copy after its call
 * has returned. So pageable memory goes through pinned slots (staging.c) where
 * that is faster than to wait, and the stream is waited for where it is not.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

int
smelt_memory_alloc(smelt_device *device, uint64_t size, void **memory)
{
	if (!device || !memory)
		return rt_error(SMELT_EINVALID, "device or memory is NULL");
	*memory = NULL;
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	return rt_pool_alloc(device, size, memory);
}

int
smelt_memory_free(smelt_device *device, smelt_stream *stream, void *memory)
{
	int result;

	if (!memory)
		return 0;
	if (!device)
		return rt_error(SMELT_EINVALID, "device is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (!stream)
		stream = device->stream;
	if (stream->device != device)
		return rt_error(SMELT_EINVALID,
				"the stream is another device's");
	result = rt_stream_enter(stream);
	if (result)
		return result;
	result = rt_pool_free(device, stream, memory);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_device_memory(smelt_device *device, uint64_t *free_bytes,
		    uint64_t *used_bytes, uint64_t *pooled_bytes)
{
	if (!device)
		return rt_error(SMELT_EINVALID, "device is NULL");
	pthread_mutex_lock(&device->memory_lock);
	if (free_bytes)
		*free_bytes =
			device->engine->memory_available(device->found.device);
	if (used_bytes)
		*used_bytes = device->pool.used_bytes;
	if (pooled_bytes)
		*pooled_bytes = device->pool.held_bytes;
	pthread_mutex_unlock(&device->memory_lock);
	return 0;
}

/* ---- copies ---- */

static const char *const copy_names[] = {"to device", "from device",
					 "on device"};

/* "copy to device 0 at main.rs:3: " in front of the text. */
static int
blame(smelt_stream *stream, int result, const char *what)
{
	char place[160];

	result = rt_check_lost(stream->device, stream, result);
	rt_place_text(&rt_here, place, sizeof(place));
	return rt_error_prefix(result, "%s %u%s%s: ", what,
			       stream->device->index, *place ? " at " : "",
			       place);
}

static void
count(smelt_stream *stream, enum engine_copy direction, uint64_t size)
{
	char place[160];

	rt_count(&stream->counters.copies[direction], 1);
	rt_count(&stream->counters.bytes[direction], size);
	if (!rt_info_wanted)
		return;
	rt_place_text(&rt_here, place, sizeof(place));
	rt_info("copy %s %u: %llu bytes%s%s", copy_names[direction],
		stream->device->index, (unsigned long long)size,
		*place ? ", at " : "", place);
}

/* The engine's own copy, waited for where the host's memory is not promised. */
static int
copy_plain(smelt_stream *stream, enum engine_copy direction, void *dst,
	   const void *src, uint64_t size, bool stays)
{
	smelt_device *device = stream->device;
	int result = device->engine->copy(device->found.device, stream->queue,
					  direction, dst, src, size);

	rt_stream_gave(stream);
	if (direction == ENGINE_ON_DEVICE || stays)
		return result;
	/* Also after an error: a part may be on its way. */
	if (result) {
		device->engine->queue_wait(device->found.device, stream->queue);
		return result;
	}
	return rt_stream_drain(stream);
}

/* Pinned memory of the stream for a copy of less than a slot; NULL if there is
 * none. It only grows: a stream reads the same few sizes over and over. */
static char *
landing(smelt_stream *stream, uint64_t size)
{
	smelt_device *device = stream->device;
	uint64_t wanted = 4096;
	void *memory;
	int result;

	if (size <= stream->landing_size)
		return stream->landing;
	while (wanted < size)
		wanted *= 2;
	pthread_mutex_lock(&device->memory_lock);
	if (stream->landing)
		device->engine->memory_free(device->found.device, ENGINE_HOST,
					    stream->landing);
	result = device->engine->memory_alloc(device->found.device, ENGINE_HOST,
					      wanted, &memory);
	pthread_mutex_unlock(&device->memory_lock);
	stream->landing = result ? NULL : memory;
	stream->landing_size = result ? 0 : wanted;
	return stream->landing;
}

/* A small copy from the device. A driver that is given pageable memory sleeps
 * until it is there, and wakes late (40 us on an H200's host). */
static int
copy_landed(smelt_stream *stream, void *dst, const void *src, uint64_t size)
{
	char *memory = landing(stream, size);
	int result;

	if (!memory)
		return copy_plain(stream, ENGINE_FROM_DEVICE, dst, src, size,
				  false);
	result = copy_plain(stream, ENGINE_FROM_DEVICE, memory, src, size,
			    false);
	if (!result)
		memcpy(dst, memory, size);
	return result;
}

static int
copy_any(smelt_stream *stream, enum engine_copy direction, void *dst,
	 const void *src, uint64_t size, bool stays)
{
	const struct engine_info *found = &stream->device->found;
	int result = 0;

	if (direction == ENGINE_ON_DEVICE || found->shares_memory ||
	    found->synchronous)
		return copy_plain(stream, direction, dst, src, size, stays);
	if (direction == ENGINE_TO_DEVICE && !(stays && size < rt_slot_size) &&
	    !rt_is_pinned(src, size) &&
	    rt_stage_in(stream, dst, src, size, &result))
		return result;
	if (direction == ENGINE_FROM_DEVICE && !rt_is_pinned(dst, size) &&
	    rt_staging_wanted()) {
		if (size < rt_slot_size)
			return copy_landed(stream, dst, src, size);
		if (rt_stage_out(stream, dst, src, size, &result))
			return result ? result : rt_stream_drain(stream);
	}
	return copy_plain(stream, direction, dst, src, size, stays);
}

int
rt_copy(smelt_stream *stream, enum engine_copy direction, void *dst,
	const void *src, uint64_t size, bool stays)
{
	bool timed = atomic_load_explicit(&rt_profiling, memory_order_relaxed);
	static const char *const names[] = {
		"copy to device", "copy from device", "copy on device"};
	struct rt_span span;
	int result;

	count(stream, direction, size);
	if (timed)
		rt_span_begin_copy(&span, direction, stream, dst, src, size);
	result = copy_any(stream, direction, dst, src, size, stays);
	if (timed)
		result = rt_span_end(&span, result);
	return result ? blame(stream, result, names[direction]) : 0;
}

/* ---- fills ---- */

/* Copies of what is there already take over after so many bytes, */
#define FILL_SEED ENGINE_SMALL_FILL
/* and are no longer than this, which a GPU's cache holds to be read again. A
 * CPU's holds the first bytes. */
#define FILL_MOST (UINT64_C(16) << 20)

/* The shortest pattern that gives the same bytes: mostly a zero. */
static uint64_t
shortest(const char *pattern, uint64_t size)
{
	for (uint64_t part = 1; part <= 16 && part < size; part *= 2)
		if (size % part == 0 &&
		    !memcmp(pattern, pattern + part, size - part))
			return part;
	return size;
}

/* The first bytes, for the others to be copied from; how many. */
static int
seed_fill(smelt_stream *stream, void *dst, const char *pattern,
	  uint64_t pattern_size, uint64_t size, uint64_t *seeded)
{
	smelt_device *device = stream->device;
	uint64_t most = size < FILL_SEED ? size : FILL_SEED;
	char seed[FILL_SEED];
	int result;

	*seeded =
		most < pattern_size ? pattern_size : most - most % pattern_size;
	result = device->engine->fill(device->found.device, stream->queue, dst,
				      pattern, pattern_size, *seeded);
	if (result != SMELT_EUNSUPPORTED)
		return result;
	if (*seeded == pattern_size)
		return copy_any(stream, ENGINE_TO_DEVICE, dst, pattern, *seeded,
				false);
	for (uint64_t i = 0; i < *seeded; i += pattern_size)
		memcpy(seed + i, pattern, pattern_size);
	return copy_any(stream, ENGINE_TO_DEVICE, dst, seed, *seeded, false);
}

static int
fill_by_copies(smelt_stream *stream, char *dst, const char *pattern,
	       uint64_t pattern_size, uint64_t size)
{
	smelt_device *device = stream->device;
	uint64_t done, most;
	int result = seed_fill(stream, dst, pattern, pattern_size, size, &done);

	most = device->found.synchronous || pattern_size > FILL_MOST
		       ? done
		       : FILL_MOST - FILL_MOST % pattern_size;
	while (!result && done < size) {
		uint64_t part = done < most ? done : most;

		if (part > size - done)
			part = size - done;
		result = device->engine->copy(device->found.device,
					      stream->queue, ENGINE_ON_DEVICE,
					      dst + done, dst, part);
		done += part;
	}
	return result;
}

int
rt_fill(smelt_stream *stream, void *dst, const void *pattern,
	uint64_t pattern_size, uint64_t size)
{
	bool timed = atomic_load_explicit(&rt_profiling, memory_order_relaxed);
	smelt_device *device = stream->device;
	struct rt_span span;
	int result;

	if (timed) {
		rt_span_begin(&span, SMELT_PROFILE_ON, stream);
		span.bytes = size;
	}
	pattern_size = shortest(pattern, pattern_size);
	result = device->engine->fill(device->found.device, stream->queue, dst,
				      pattern, pattern_size, size);
	if (result == SMELT_EUNSUPPORTED)
		result = fill_by_copies(stream, dst, pattern, pattern_size,
					size);
	rt_stream_gave(stream);
	if (timed)
		result = rt_span_end(&span, result);
	return result ? blame(stream, result, "fill on device") : 0;
}

static int
copy(smelt_stream *stream, enum engine_copy direction, void *dst,
     const void *src, uint64_t size, bool stays)
{
	int result = 0;

	if (!stream)
		return rt_error(SMELT_EINVALID, "stream is NULL");
	if (!size)
		return 0;
	if (!dst || !src)
		return rt_error(SMELT_EINVALID, "copy %s: memory is NULL",
				copy_names[direction]);
	if (stays)
		result = rt_check_async(
			stream->device,
			direction == ENGINE_TO_DEVICE ? src : dst, size);
	if (!result)
		result = rt_stream_enter(stream);
	if (result)
		return result;
	result = rt_copy(stream, direction, dst, src, size, stays);
	if (direction != ENGINE_FROM_DEVICE || stays) {
		pthread_mutex_unlock(&stream->lock);
		return result;
	}
	if (!result)
		result = rt_stream_check(stream);
	return rt_stream_leave(stream, result);
}

int
smelt_copy_to_device(smelt_stream *stream, void *device_dst,
		     const void *host_src, uint64_t size)
{
	return copy(stream, ENGINE_TO_DEVICE, device_dst, host_src, size,
		    false);
}

int
smelt_copy_to_device_async(smelt_stream *stream, void *device_dst,
			   const void *host_src, uint64_t size)
{
	return copy(stream, ENGINE_TO_DEVICE, device_dst, host_src, size, true);
}

int
smelt_copy_from_device(smelt_stream *stream, void *host_dst,
		       const void *device_src, uint64_t size)
{
	return copy(stream, ENGINE_FROM_DEVICE, host_dst, device_src, size,
		    false);
}

int
smelt_copy_from_device_async(smelt_stream *stream, void *host_dst,
			     const void *device_src, uint64_t size)
{
	return copy(stream, ENGINE_FROM_DEVICE, host_dst, device_src, size,
		    true);
}

int
smelt_copy_on_device(smelt_stream *stream, void *device_dst,
		     const void *device_src, uint64_t size)
{
	return copy(stream, ENGINE_ON_DEVICE, device_dst, device_src, size,
		    false);
}

int
rt_check_pattern(const void *pattern, uint64_t pattern_size, uint64_t size)
{
	if (!pattern)
		return rt_error(SMELT_EINVALID, "pattern is NULL");
	if (pattern_size && !(size % pattern_size))
		return 0;
	return rt_error(SMELT_EINVALID,
			"fill: %llu bytes are no multiple of a pattern of %llu",
			(unsigned long long)size,
			(unsigned long long)pattern_size);
}

int
smelt_memory_fill(smelt_stream *stream, void *device_dst, const void *pattern,
		  uint64_t pattern_size, uint64_t size)
{
	int result;

	if (!stream)
		return rt_error(SMELT_EINVALID, "stream is NULL");
	result = rt_check_pattern(pattern, pattern_size, size);
	if (result || !size)
		return result;
	if (!device_dst)
		return rt_error(SMELT_EINVALID, "fill: memory is NULL");
	result = rt_stream_enter(stream);
	if (result)
		return result;
	result = rt_fill(stream, device_dst, pattern, pattern_size, size);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* ---- pinned memory ---- */

/* Which memory is pinned, in the order of addresses. */
static struct {
	pthread_mutex_t lock;
	struct pinned {
		char *start;
		uint64_t size;
		smelt_device *device;
	} * ranges;
	_Atomic size_t count;
	size_t capacity;
} pinned = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The first range that begins beyond the address. The lock is held. */
static size_t
find_pinned(const char *memory)
{
	size_t low = 0, high = atomic_load(&pinned.count);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (pinned.ranges[middle].start <= memory)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
rt_is_pinned(const void *memory, uint64_t size)
{
	bool result = false;
	size_t at;

	if (!atomic_load_explicit(&pinned.count, memory_order_relaxed))
		return false;
	pthread_mutex_lock(&pinned.lock);
	at = find_pinned(memory);
	if (at) {
		const struct pinned *range = &pinned.ranges[at - 1];
		uint64_t offset =
			(uint64_t)((const char *)memory - range->start);

		result = offset <= range->size && size <= range->size - offset;
	}
	pthread_mutex_unlock(&pinned.lock);
	return result;
}

int
rt_check_async(const smelt_device *device, const void *host, uint64_t size)
{
	if (device->found.shares_memory || rt_is_pinned(host, size))
		return 0;
	return rt_error(SMELT_EINVALID,
			"%llu bytes at %p are not pinned: a copy that is not "
			"waited for needs memory of smelt_host_alloc",
			(unsigned long long)size, host);
}

static bool
add_pinned(smelt_device *device, char *start, uint64_t size)
{
	size_t count, at;

	pthread_mutex_lock(&pinned.lock);
	count = atomic_load(&pinned.count);
	if (count == pinned.capacity) {
		size_t capacity = pinned.capacity * 2 + 16;
		struct pinned *ranges = realloc(
			pinned.ranges, capacity * sizeof(*pinned.ranges));

		if (!ranges) {
			pthread_mutex_unlock(&pinned.lock);
			return false;
		}
		pinned.ranges = ranges;
		pinned.capacity = capacity;
	}
	at = find_pinned(start);
	memmove(&pinned.ranges[at + 1], &pinned.ranges[at],
		(count - at) * sizeof(*pinned.ranges));
	pinned.ranges[at] = (struct pinned){start, size, device};
	atomic_store(&pinned.count, count + 1);
	pthread_mutex_unlock(&pinned.lock);
	return true;
}

/* False if the device has no such memory. */
static bool
remove_pinned(const smelt_device *device, const char *start)
{
	size_t at, count;
	bool found;

	pthread_mutex_lock(&pinned.lock);
	count = atomic_load(&pinned.count);
	at = find_pinned(start);
	found = at && pinned.ranges[at - 1].start == start &&
		pinned.ranges[at - 1].device == device;
	if (found) {
		memmove(&pinned.ranges[at - 1], &pinned.ranges[at],
			(count - at) * sizeof(*pinned.ranges));
		atomic_store(&pinned.count, count - 1);
	}
	pthread_mutex_unlock(&pinned.lock);
	return found;
}

int
smelt_host_alloc(smelt_device *device, uint64_t size, void **memory)
{
	int result;

	if (!device || !memory)
		return rt_error(SMELT_EINVALID, "device or memory is NULL");
	*memory = NULL;
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (!size)
		size = 1;
	pthread_mutex_lock(&device->memory_lock);
	result = device->engine->memory_alloc(device->found.device, ENGINE_HOST,
					      size, memory);
	pthread_mutex_unlock(&device->memory_lock);
	if (result)
		return rt_check_lost(device, NULL, result);
	if (!add_pinned(device, *memory, size)) {
		pthread_mutex_lock(&device->memory_lock);
		device->engine->memory_free(device->found.device, ENGINE_HOST,
					    *memory);
		pthread_mutex_unlock(&device->memory_lock);
		*memory = NULL;
		return rt_error(SMELT_ENO_MEMORY, "no memory to note a range");
	}
	memset(*memory, 0, size);
	return 0;
}

int
smelt_host_free(smelt_device *device, void *memory)
{
	if (!memory)
		return 0;
	if (!device)
		return rt_error(SMELT_EINVALID, "device is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (!remove_pinned(device, memory))
		return rt_error(SMELT_EINVALID,
				"%p is not pinned memory of this device",
				memory);
	pthread_mutex_lock(&device->memory_lock);
	device->engine->memory_free(device->found.device, ENGINE_HOST, memory);
	pthread_mutex_unlock(&device->memory_lock);
	return 0;
}
