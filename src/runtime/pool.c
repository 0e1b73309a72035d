/*
 * The pool of device memory: size classes over the engine's allocator, whose
 * alloc and free cost some 90 us together on a GPU.
 *
 * A freed block may still be in use by work that was given before. Whoever
 * takes it as a buffer inherits those uses, and his first own use is put in
 * order after them like after any other. As plain memory it is handed out again
 * only once they are over, without waiting for it: a block that is not ready is
 * passed over, as a wait would undo the launches' asynchrony.
 */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

#define SMALLEST 256u
#define LARGE (UINT64_C(64) << 20)
#define LARGE_STEP (UINT64_C(2) << 20)
#define MOST_QUERIES 4 /* questions to the driver in one allocation */

/* Four classes to each power of two. Large sizes only share a list: they are
 * rounded less, and matched by what they waste. */
static uint64_t
class_of(uint64_t size, uint32_t *class)
{
	uint64_t base, step;
	uint32_t log, quarter;

	if (size <= SMALLEST) {
		*class = 0;
		return SMALLEST;
	}
	log = 63 - (uint32_t)__builtin_clzll(size - 1);
	base = UINT64_C(1) << log;
	step = base / 4;
	quarter = (uint32_t)((size - 1 - base) / step);
	*class = (log - 8) * 4 + quarter + 1;
	if (size >= LARGE)
		return (size + LARGE_STEP - 1) & ~(LARGE_STEP - 1);
	return base + (quarter + 1) * step;
}

static smelt_buffer **
bucket_of(struct rt_pool *pool, const void *memory)
{
	return &pool->buckets[((uintptr_t)memory >> 8) % RT_BUCKETS];
}

static smelt_buffer *
find_block(struct rt_pool *pool, const void *memory)
{
	smelt_buffer *block = *bucket_of(pool, memory);

	while (block && block->memory != memory)
		block = block->chain;
	return block;
}

static void
settle(smelt_device *device, smelt_buffer *block)
{
	if (!block->event)
		return;
	device->engine->event_destroy(device->found.device, block->event);
	block->event = NULL;
	block->stream = NULL;
}

/* Nobody uses the block any more, and nobody has yet. */
static void
clear_uses(smelt_buffer *block)
{
	atomic_store(&block->home, NULL);
	atomic_store(&block->home_read, 0);
	atomic_store(&block->home_written, 0);
	atomic_store(&block->many, false);
	block->use_count = 0;
}

/* Whether nothing can touch the block any more; asks the driver at most
 * *queries times. */
static bool
is_ready(smelt_device *device, smelt_buffer *block, unsigned *queries)
{
	if (!rt_buffer_idle(block))
		return false;
	if (!block->event)
		return true;
	if (rt_stream_did(block->stream, block->number)) {
		settle(device, block);
		return true;
	}
	if (!*queries)
		return false;
	--*queries;
	if (device->engine->event_sync(device->found.device, block->event, NULL,
				       ENGINE_QUERY) != 0)
		return false;
	settle(device, block);
	return true;
}

static smelt_buffer *
unlink_block(smelt_device *device, smelt_buffer **link)
{
	smelt_buffer *block = *link;

	*link = block->next;
	block->used = true;
	device->pool.held_bytes -= block->size;
	device->pool.used_bytes += block->size;
	return block;
}

static bool
fits(const smelt_buffer *block, uint64_t size)
{
	return block->size >= size && block->size - size <= size / 4;
}

/* One that nothing uses any more, among the first ones; else, if the caller
 * inherits uses, the first of the right size. */
static smelt_buffer *
take_unused(smelt_device *device, uint64_t size, uint32_t class, bool inherits)
{
	smelt_buffer **link = &device->pool.unused[class], **first = NULL;
	unsigned queries = inherits ? 0 : MOST_QUERIES, seen = 0;

	for (; *link; link = &(*link)->next) {
		smelt_buffer *block = *link;

		if (!fits(block, size))
			continue;
		if (is_ready(device, block, &queries)) {
			unlink_block(device, link);
			clear_uses(block);
			return block;
		}
		if (inherits && !first && !block->event)
			first = link;
		if (inherits && ++seen == MOST_QUERIES)
			break;
	}
	return first ? unlink_block(device, first) : NULL;
}

static void
forget(smelt_device *device, smelt_buffer *block)
{
	smelt_buffer **link = bucket_of(&device->pool, block->memory);

	while (*link != block)
		link = &(*link)->chain;
	*link = block->chain;
	device->engine->memory_free(device->found.device, ENGINE_DEVICE,
				    block->memory);
	pthread_mutex_destroy(&block->lock);
	free(block->uses);
	free(block);
}

/* A stream's queue goes away under the memory lock only, which is held. */
static void
wait_use(smelt_device *device, smelt_stream *stream, uint64_t number)
{
	if (stream && stream->live && !rt_stream_did(stream, number))
		device->engine->queue_wait(device->found.device, stream->queue);
}

static void
wait_uses(smelt_device *device, smelt_buffer *block)
{
	wait_use(device, atomic_load(&block->home),
		 atomic_load(&block->home_read));
	wait_use(device, atomic_load(&block->home),
		 atomic_load(&block->home_written));
	for (uint32_t i = 0; i < block->use_count; i++) {
		wait_use(device, block->uses[i].stream, block->uses[i].read);
		wait_use(device, block->uses[i].stream, block->uses[i].written);
	}
}

static void
release(smelt_device *device)
{
	for (uint32_t class = 0; class < RT_CLASSES; class ++) {
		smelt_buffer *block = device->pool.unused[class];

		device->pool.unused[class] = NULL;
		while (block) {
			smelt_buffer *next = block->next;

			if (block->event)
				device->engine->event_sync(device->found.device,
							   block->event, NULL,
							   ENGINE_WAIT);
			wait_uses(device, block);
			settle(device, block);
			device->pool.held_bytes -= block->size;
			forget(device, block);
			block = next;
		}
	}
}

void
rt_pool_release(smelt_device *device)
{
	pthread_mutex_lock(&device->memory_lock);
	release(device);
	pthread_mutex_unlock(&device->memory_lock);
}

static int
out_of_memory(smelt_device *device, uint64_t size, uint64_t released)
{
	uint64_t available =
		device->engine->memory_available(device->found.device);
	char there[48] = "";

	if (available != UINT64_MAX)
		snprintf(there, sizeof(there), "%llu are free, ",
			 (unsigned long long)available);
	return rt_error(SMELT_ENO_DEVICE_MEMORY,
			"%s is out of memory: asked for %llu bytes; %s%llu of "
			"%llu bytes are in use by this program, and %llu that "
			"the pool held were given back first",
			device->found.info.name, (unsigned long long)size,
			there, (unsigned long long)device->pool.used_bytes,
			(unsigned long long)device->found.info.memory_bytes,
			(unsigned long long)released);
}

static int
make_block(smelt_device *device, uint64_t size, smelt_buffer **made)
{
	uint64_t held = device->pool.held_bytes;
	smelt_buffer *block = calloc(1, sizeof(*block));
	smelt_buffer **bucket;
	int result;

	if (!block)
		return rt_error(SMELT_ENO_MEMORY, "out of host memory");
	result = device->engine->memory_alloc(
		device->found.device, ENGINE_DEVICE, size, &block->memory);
	if (result && held) {
		release(device);
		result = device->engine->memory_alloc(device->found.device,
						      ENGINE_DEVICE, size,
						      &block->memory);
	}
	if (result) {
		free(block);
		result = rt_check_lost(device, NULL, result);
		return result == SMELT_ENO_DEVICE_MEMORY
			       ? out_of_memory(device, size, held)
			       : result;
	}
	block->device = device;
	block->size = size;
	block->used = true;
	pthread_mutex_init(&block->lock, NULL);
	bucket = bucket_of(&device->pool, block->memory);
	block->chain = *bucket;
	*bucket = block;
	device->pool.used_bytes += size;
	*made = block;
	return 0;
}

static int
take(smelt_device *device, uint64_t size, bool inherits, smelt_buffer **block)
{
	uint32_t class;
	int result = 0;

	if (size > (UINT64_C(1) << 62))
		return rt_error(SMELT_ENO_DEVICE_MEMORY,
				"asked for %llu bytes of device memory",
				(unsigned long long)size);
	size = class_of(size, &class);
	pthread_mutex_lock(&device->memory_lock);
	*block = take_unused(device, size, class, inherits);
	if (!*block)
		result = make_block(device, size, block);
	pthread_mutex_unlock(&device->memory_lock);
	return result;
}

int
rt_pool_alloc(smelt_device *device, uint64_t size, void **memory)
{
	smelt_buffer *block;
	int result = take(device, size, false, &block);

	*memory = result ? NULL : block->memory;
	return result;
}

int
rt_pool_take(smelt_device *device, uint64_t size, smelt_buffer **buffer)
{
	return take(device, size, true, buffer);
}

/* The memory lock is held. */
static void
put_back(smelt_device *device, smelt_buffer *block)
{
	uint32_t class;

	class_of(block->size, &class);
	block->used = false;
	block->next = device->pool.unused[class];
	device->pool.unused[class] = block;
	device->pool.used_bytes -= block->size;
	device->pool.held_bytes += block->size;
}

void
rt_pool_give(smelt_buffer *buffer)
{
	smelt_device *device = buffer->device;

	pthread_mutex_lock(&device->memory_lock);
	put_back(device, buffer);
	pthread_mutex_unlock(&device->memory_lock);
}

/* If the event cannot be made the work is waited for. */
static void
mark_pending(smelt_device *device, smelt_stream *stream, smelt_buffer *block)
{
	if (atomic_load(&stream->done) == stream->given)
		return;
	if (device->engine->event_create(device->found.device, stream->queue,
					 &block->event)) {
		device->engine->queue_wait(device->found.device, stream->queue);
		return;
	}
	block->stream = stream;
	block->number = stream->given;
}

int
rt_pool_free(smelt_device *device, smelt_stream *stream, void *memory)
{
	smelt_buffer *block;
	int result = 0;

	pthread_mutex_lock(&device->memory_lock);
	block = find_block(&device->pool, memory);
	if (block && block->used) {
		mark_pending(device, stream, block);
		put_back(device, block);
	} else {
		result = rt_error(SMELT_EINVALID,
				  block ? "device memory %p was freed before"
					: "%p is not memory of this device",
				  memory);
	}
	pthread_mutex_unlock(&device->memory_lock);
	return result;
}

void
rt_pool_settle(smelt_device *device, const smelt_stream *stream)
{
	for (uint32_t class = 0; class < RT_CLASSES; class ++)
		for (smelt_buffer *block = device->pool.unused[class]; block;
		     block = block->next)
			if (block->stream == stream)
				settle(device, block);
}
