/*
 * A device for tests: it keeps memory on the host's heap, does copies and
 * fills, and runs no kernel. It can be told to fail at its n-th call, which is
 * how the tests reach every error path of the runtime.
 *
 * It is unlike the CPU in one thing on purpose: it does not share memory and is
 * not synchronous, so that maps and events take the same paths as on a GPU.
 */
#include "../runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More than this is "out of device memory". */
#define NULL_MEMORY (UINT64_C(256) << 20)

static _Atomic uint64_t calls;
static _Atomic uint64_t fail_at;
static atomic_bool gone;
static _Atomic int64_t live;
static _Atomic uint64_t allocated;

uint64_t
null_fail_at(uint64_t n)
{
	atomic_store(&fail_at, n);
	return atomic_exchange(&calls, 0);
}

void
null_lose(void)
{
	atomic_store(&gone, true);
}

int64_t
null_live(void)
{
	return atomic_load(&live);
}

/* Counts a call that can fail; whether this one does. */
static bool
fails(void)
{
	uint64_t call = atomic_fetch_add(&calls, 1) + 1;

	return call == atomic_load(&fail_at) || atomic_load(&gone);
}

static int
failed(int code, const char *what)
{
	return rt_error(code,
			atomic_load(&gone) ? "%s: an illegal memory access"
					   : "%s failed, as the test asked",
			what);
}

static void
null_find(void (*found)(const struct engine_info *info))
{
	struct engine_info info = {
		.info = {.kind = SMELT_DEVICE_NULL,
			 .units = 1,
			 .warp_size = 32,
			 .max_block_threads = 1024,
			 .max_block_dim = {1024, 1024, 64},
			 .memory_bytes = NULL_MEMORY,
			 .shared_bytes = 48 * 1024,
			 .name = "null device"},
		.max_grid = {0x7fffffff, 65535, 65535},
		.max_grid_threads = UINT64_MAX,
		.max_params = RT_MAX_PARAMS,
	};

	for (uint32_t i = engine_device_count("SMELT_NULL_DEVICES"); i; i--)
		found(&info);
}

/* An object that must be destroyed. */
static int
make_object(const char *what, void **object)
{
	if (fails())
		return failed(SMELT_EENGINE, what);
	*object = malloc(1);
	if (!*object)
		return rt_error(SMELT_ENO_MEMORY, "out of host memory");
	atomic_fetch_add(&live, 1);
	return 0;
}

static void
drop_object(void *object)
{
	free(object);
	atomic_fetch_sub(&live, 1);
}

static int
null_queue_create(void *device, void **queue)
{
	(void)device;
	return make_object("queue_create", queue);
}

static void
null_queue_destroy(void *device, void *queue)
{
	(void)device;
	drop_object(queue);
}

static int
null_queue_wait(void *device, void *queue)
{
	(void)device;
	(void)queue;
	return fails() ? failed(SMELT_EDEVICE_LOST, "queue_wait") : 0;
}

/* The size stands in front of the memory, for the limit. */
#define FRONT 256

static int
null_memory_alloc(void *device, enum engine_memory kind, uint64_t size,
		  void **memory)
{
	char *front;

	(void)device;
	if (fails())
		return failed(SMELT_ENO_DEVICE_MEMORY, "memory_alloc");
	if (kind == ENGINE_DEVICE &&
	    (size > NULL_MEMORY ||
	     atomic_load(&allocated) > NULL_MEMORY - size))
		return rt_error(SMELT_ENO_DEVICE_MEMORY,
				"the null device is full");
	front = aligned_alloc(FRONT, FRONT + ((size + 255) & ~UINT64_C(255)));
	if (!front)
		return rt_error(SMELT_ENO_MEMORY, "out of host memory");
	if (kind == ENGINE_HOST)
		size = 0;
	memcpy(front, &size, sizeof(size));
	atomic_fetch_add(&allocated, size);
	atomic_fetch_add(&live, 1);
	*memory = front + FRONT;
	return 0;
}

static void
null_memory_free(void *device, enum engine_memory kind, void *memory)
{
	char *front = (char *)memory - FRONT;
	uint64_t size;

	(void)device;
	(void)kind;
	memcpy(&size, front, sizeof(size));
	atomic_fetch_sub(&allocated, size);
	drop_object(front);
}

static uint64_t
null_memory_available(void *device)
{
	(void)device;
	return NULL_MEMORY - atomic_load(&allocated);
}

static int
null_copy(void *device, void *queue, enum engine_copy direction, void *dst,
	  const void *src, uint64_t size)
{
	(void)device;
	(void)queue;
	(void)direction;
	if (fails())
		return failed(SMELT_EENGINE, "copy");
	memmove(dst, src, size);
	return 0;
}

static int
null_fill(void *device, void *queue, void *dst, const void *pattern,
	  uint64_t pattern_size, uint64_t size)
{
	(void)device;
	(void)queue;
	if (!engine_should_fill(dst, pattern_size, size))
		return SMELT_EUNSUPPORTED;
	if (fails())
		return failed(SMELT_EENGINE, "fill");
	for (uint64_t i = 0; i < size; i += pattern_size)
		memcpy((char *)dst + i, pattern, pattern_size);
	return 0;
}

static int
null_event_create(void *device, void *queue, void **event)
{
	(void)device;
	(void)queue;
	return make_object("event_create", event);
}

static int
null_event_sync(void *device, void *event, void *queue, enum engine_sync how)
{
	(void)device;
	(void)event;
	(void)queue;
	(void)how;
	return fails() ? failed(SMELT_EENGINE, "event_sync") : 0;
}

static void
null_event_destroy(void *device, void *event)
{
	(void)device;
	drop_object(event);
}

static int
null_call(void *device, void *queue, void (*function)(void *data), void *data)
{
	(void)device;
	(void)queue;
	if (fails())
		return failed(SMELT_EENGINE, "call");
	function(data);
	return 0;
}

static int
null_program_load(void *device, const struct engine_code *code, void **program)
{
	(void)code;
	if (fails())
		return failed(SMELT_EENGINE, "program_load");
	*program = device ? device : &live;
	return 0;
}

static int
null_kernel_get(void *device, void *program, struct engine_kernel *kernel)
{
	(void)device;
	(void)program;
	kernel->handle = NULL;
	kernel->suggested = 0;
	return fails() ? failed(SMELT_ENO_KERNEL, "kernel_get") : 0;
}

static int
null_launch(void *device, void *queue, const struct engine_launch *launch)
{
	(void)device;
	(void)queue;
	(void)launch;
	return fails() ? failed(SMELT_EENGINE, "launch") : 0;
}

const struct engine engine_null = {
	.name = "null",
	.find = null_find,
	.queue_create = null_queue_create,
	.queue_destroy = null_queue_destroy,
	.queue_wait = null_queue_wait,
	.memory_alloc = null_memory_alloc,
	.memory_free = null_memory_free,
	.memory_available = null_memory_available,
	.copy = null_copy,
	.fill = null_fill,
	.event_create = null_event_create,
	.event_sync = null_event_sync,
	.event_destroy = null_event_destroy,
	.call = null_call,
	.program_load = null_program_load,
	.kernel_get = null_kernel_get,
	.launch = null_launch,
};
