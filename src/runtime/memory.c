/*
 * Device memory and copies, as the public interface offers them.
 *
 * A copy of host memory waits for the stream, since the engine may still read
 * or write the host's side after it returns.
 */
#include "runtime.h"

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
	pthread_mutex_lock(&stream->lock);
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
		*free_bytes = UINT64_MAX;
	if (used_bytes)
		*used_bytes = device->pool.used_bytes;
	if (pooled_bytes)
		*pooled_bytes = device->pool.held_bytes;
	pthread_mutex_unlock(&device->memory_lock);
	return 0;
}

static const char *const copy_names[] = {"to device", "from device",
					 "on device"};

static int
copy(smelt_stream *stream, enum engine_copy direction, void *dst,
     const void *src, uint64_t size)
{
	smelt_device *device;
	int result;

	if (!stream)
		return rt_error(SMELT_EINVALID, "stream is NULL");
	if (!size)
		return 0;
	if (!dst || !src)
		return rt_error(SMELT_EINVALID, "copy %s: memory is NULL",
				copy_names[direction]);
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	device = stream->device;
	if (rt_info_wanted)
		rt_info("copy %s %u: %llu bytes", copy_names[direction],
			device->index, (unsigned long long)size);
	pthread_mutex_lock(&stream->lock);
	result = device->engine->copy(device->found.device, stream->queue,
				      direction, dst, src, size);
	rt_stream_gave(stream);
	if (!result && direction != ENGINE_ON_DEVICE)
		result = rt_stream_drain(stream);
	if (!result && direction == ENGINE_FROM_DEVICE)
		result = rt_stream_check(stream);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_copy_to_device(smelt_stream *stream, void *device_dst,
		     const void *host_src, uint64_t size)
{
	return copy(stream, ENGINE_TO_DEVICE, device_dst, host_src, size);
}

int
smelt_copy_from_device(smelt_stream *stream, void *host_dst,
		       const void *device_src, uint64_t size)
{
	return copy(stream, ENGINE_FROM_DEVICE, host_dst, device_src, size);
}

int
smelt_copy_on_device(smelt_stream *stream, void *device_dst,
		     const void *device_src, uint64_t size)
{
	return copy(stream, ENGINE_ON_DEVICE, device_dst, device_src, size);
}

int
smelt_memory_fill(smelt_stream *stream, void *device_dst, const void *pattern,
		  uint64_t pattern_size, uint64_t size)
{
	smelt_device *device;
	int result;

	if (!stream || !pattern)
		return rt_error(SMELT_EINVALID, "stream or pattern is NULL");
	if (!pattern_size || pattern_size > 16 ||
	    (pattern_size & (pattern_size - 1)) || size % pattern_size)
		return rt_error(SMELT_EINVALID,
				"fill: a pattern of %llu bytes for %llu bytes; "
				"it must have 1, 2, 4, 8 or 16 and divide them",
				(unsigned long long)pattern_size,
				(unsigned long long)size);
	if (!size)
		return 0;
	if (!device_dst)
		return rt_error(SMELT_EINVALID, "fill: memory is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	device = stream->device;
	pthread_mutex_lock(&stream->lock);
	result = device->engine->fill(device->found.device, stream->queue,
				      device_dst, pattern, pattern_size, size);
	rt_stream_gave(stream);
	pthread_mutex_unlock(&stream->lock);
	return result;
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
	pthread_mutex_lock(&device->memory_lock);
	result = device->engine->memory_alloc(device->found.device, ENGINE_HOST,
					      size ? size : 1, memory);
	pthread_mutex_unlock(&device->memory_lock);
	return result;
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
	pthread_mutex_lock(&device->memory_lock);
	device->engine->memory_free(device->found.device, ENGINE_HOST, memory);
	pthread_mutex_unlock(&device->memory_lock);
	return 0;
}
