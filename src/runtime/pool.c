/*
 * The pool of device memory: size classes over the engine's allocator, whose
 * alloc and free cost some 90 us together on a GPU.
 *
 * A freed block may still be in use by work that was given before. It is handed
 * out again only once that is over, without waiting for it: a block that is not
 * ready is passed over, as a wait would undo the launches' asynchrony.
 */
#include "runtime.h"

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

static struct rt_block **
bucket_of(struct rt_pool *pool, const void *memory)
{
	return &pool->buckets[((uintptr_t)memory >> 8) % RT_BUCKETS];
}

static struct rt_block *
find_block(struct rt_pool *pool, const void *memory)
{
	struct rt_block *block = *bucket_of(pool, memory);

	while (block && block->memory != memory)
		block = block->chain;
	return block;
}

static void
settle(smelt_device *device, struct rt_block *block)
{
	if (!block->stream)
		return;
	device->engine->event_destroy(device->found.device, block->event);
	atomic_fetch_sub(&device->pool.pending, 1);
	block->event = NULL;
	block->stream = NULL;
}

/* Whether nothing can touch the block any more; asks the driver at most
 * *queries times. */
static bool
is_ready(smelt_device *device, struct rt_block *block, unsigned *queries)
{
	if (!block->stream)
		return true;
	if (!*queries)
		return false;
	--*queries;
	if (device->engine->event_sync(device->found.device, block->event, NULL,
				       ENGINE_QUERY) != 0)
		return false;
	settle(device, block);
	return true;
}

static struct rt_block *
take_unused(smelt_device *device, uint64_t size, uint32_t class)
{
	struct rt_block **link = &device->pool.unused[class];
	unsigned queries = MOST_QUERIES;

	for (; *link; link = &(*link)->next) {
		struct rt_block *block = *link;

		if (block->size < size || block->size - size > size / 4 ||
		    !is_ready(device, block, &queries))
			continue;
		*link = block->next;
		block->used = true;
		device->pool.held_bytes -= block->size;
		device->pool.used_bytes += block->size;
		return block;
	}
	return NULL;
}

static void
forget(smelt_device *device, struct rt_block *block)
{
	struct rt_block **link = bucket_of(&device->pool, block->memory);

	while (*link != block)
		link = &(*link)->chain;
	*link = block->chain;
	device->engine->memory_free(device->found.device, ENGINE_DEVICE,
				    block->memory);
	free(block);
}

static void
release(smelt_device *device)
{
	for (uint32_t class = 0; class < RT_CLASSES; class ++) {
		struct rt_block *block = device->pool.unused[class];

		device->pool.unused[class] = NULL;
		while (block) {
			struct rt_block *next = block->next;

			if (block->stream)
				device->engine->event_sync(device->found.device,
							   block->event, NULL,
							   ENGINE_WAIT);
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
	return rt_error(SMELT_ENO_DEVICE_MEMORY,
			"%s is out of memory: asked for %llu bytes; %llu of "
			"%llu bytes are in use by this program, and %llu that "
			"the pool held were given back first",
			device->found.info.name, (unsigned long long)size,
			(unsigned long long)device->pool.used_bytes,
			(unsigned long long)device->found.info.memory_bytes,
			(unsigned long long)released);
}

static int
make_block(smelt_device *device, uint64_t size, struct rt_block **made)
{
	uint64_t held = device->pool.held_bytes;
	struct rt_block *block = calloc(1, sizeof(*block));
	struct rt_block **bucket;
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
		return result == SMELT_ENO_DEVICE_MEMORY
			       ? out_of_memory(device, size, held)
			       : result;
	}
	block->size = size;
	block->used = true;
	bucket = bucket_of(&device->pool, block->memory);
	block->chain = *bucket;
	*bucket = block;
	device->pool.used_bytes += size;
	*made = block;
	return 0;
}

int
rt_pool_alloc(smelt_device *device, uint64_t size, void **memory)
{
	struct rt_block *block;
	uint32_t class;
	int result = 0;

	if (size > (UINT64_C(1) << 62))
		return rt_error(SMELT_ENO_DEVICE_MEMORY,
				"asked for %llu bytes of device memory",
				(unsigned long long)size);
	size = class_of(size, &class);
	pthread_mutex_lock(&device->memory_lock);
	block = take_unused(device, size, class);
	if (!block)
		result = make_block(device, size, &block);
	pthread_mutex_unlock(&device->memory_lock);
	*memory = result ? NULL : block->memory;
	return result;
}

/* If the event cannot be made the work is waited for. */
static void
mark_pending(smelt_device *device, smelt_stream *stream, struct rt_block *block)
{
	if (atomic_load(&stream->done) == stream->given)
		return;
	if (device->engine->event_create(device->found.device, stream->queue,
					 &block->event)) {
		device->engine->queue_wait(device->found.device, stream->queue);
		return;
	}
	block->stream = stream;
	atomic_fetch_add(&device->pool.pending, 1);
}

int
rt_pool_free(smelt_device *device, smelt_stream *stream, void *memory)
{
	struct rt_block *block;
	uint32_t class;
	int result = 0;

	pthread_mutex_lock(&device->memory_lock);
	block = find_block(&device->pool, memory);
	if (block && block->used) {
		mark_pending(device, stream, block);
		class_of(block->size, &class);
		block->used = false;
		block->next = device->pool.unused[class];
		device->pool.unused[class] = block;
		device->pool.used_bytes -= block->size;
		device->pool.held_bytes += block->size;
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
	/* In every wait. The stream's own frees were before it, under its lock.
	 */
	if (!atomic_load(&device->pool.pending))
		return;
	pthread_mutex_lock(&device->memory_lock);
	for (uint32_t class = 0; class < RT_CLASSES; class ++)
		for (struct rt_block *block = device->pool.unused[class]; block;
		     block = block->next)
			if (block->stream == stream)
				settle(device, block);
	pthread_mutex_unlock(&device->memory_lock);
}
