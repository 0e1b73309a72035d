/*
 * A stand-in for libLLVMOffload.so, to test engine/offload.c without a GPU: two
 * GPUs and the host, over host memory.
 *
 * It is as unhelpful as the API allows. Queued work is done at the last moment,
 * when somebody waits, so that memory given up too early is read too late,
 * which the address sanitizer sees. As in the CUDA plugin, a thread must have
 * made a device's context current, by a call that does so, before it launches
 * or waits.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>

#include <offload/OffloadAPI.h>

#include "runtime/engine/fill.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ol_platform_impl_t {
	ol_platform_backend_t backend;
};

struct ol_device_impl_t {
	struct ol_platform_impl_t *platform;
	const char *name;
	const char *product;
	unsigned version; /* of the compute capability */
};

struct work {
	void (*run)(struct work *work);
	struct work *next;
	void *dst;
	const void *src;
	size_t size;
	size_t pattern_size;
	char pattern[16];
	ol_kernel_launch_size_args_t shape;
	_Alignas(16) char params[2048];
	ol_symbol_handle_t kernel;
	ol_queue_handle_t other; /* to wait for, up to a number */
	uint64_t number;
	ol_host_function_cb_t call;
	void *data;
};

/* Never freed, as other queues may mean to wait for it. */
struct ol_queue_impl_t {
	ol_device_handle_t device;
	struct work *first, **last;
	uint64_t given, done; /* numbers of works */
	unsigned asked;
	bool gone;
	ol_queue_handle_t next;
};

/* Who keeps asking is told the truth in the end. */
#define PATIENCE 3

struct ol_event_impl_t {
	ol_queue_handle_t queue;
	uint64_t number;
	unsigned asked;
};

struct ol_symbol_impl_t {
	char name[64];
};

struct ol_program_impl_t {
	ol_device_handle_t device;
	struct ol_symbol_impl_t symbols[16];
	unsigned count;
};

static struct ol_platform_impl_t platforms[] = {
	{OL_PLATFORM_BACKEND_CUDA},
	{OL_PLATFORM_BACKEND_AMDGPU},
	{OL_PLATFORM_BACKEND_HOST},
};
static struct ol_device_impl_t devices[] = {
	{&platforms[2], "Virtual Host Device", "Virtual Host Device", 0},
	{&platforms[1], "gfx90a", "Fake Instinct", 0},
	{&platforms[0], "Fake H200", "Fake H200", 90},
};
static _Thread_local ol_device_handle_t current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ol_queue_handle_t queues;

/* What the last olCreateProgram was given, for the test to look at. */
extern char fake_program[64];
extern size_t fake_program_size;
char fake_program[64];
size_t fake_program_size;

/* Set by the test: the device has gone. */
extern bool fake_lost;
bool fake_lost;

static ol_result_t
fail(ol_errc_t code, const char *details)
{
	static _Thread_local struct ol_error_struct_t error;

	error = (struct ol_error_struct_t){code, details};
	return &error;
}

/* A lost device fails every call but those that only look at the library's own
 * things. */
static ol_result_t
illegal_access(void)
{
	return fake_lost ? fail(OL_ERRC_UNKNOWN, "an illegal memory access")
			 : OL_SUCCESS;
}

static ol_result_t
need_context(ol_device_handle_t device)
{
	if (fake_lost)
		return illegal_access();
	return current == device ? OL_SUCCESS
				 : fail(OL_ERRC_UNKNOWN, "invalid context");
}

ol_result_t
olInit(void); /* the header's has no prototype */

ol_result_t
olInit(void)
{
	return OL_SUCCESS;
}

ol_result_t
olIterateDevices(ol_device_iterate_cb_t callback, void *data)
{
	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (!callback(&devices[i], data))
			break;
	return OL_SUCCESS;
}

/* ---- information ---- */

static ol_result_t
answer(size_t size, void *value, size_t *needed, const void *data, size_t len)
{
	if (needed) {
		*needed = len;
		return OL_SUCCESS;
	}
	if (size < len)
		return fail(OL_ERRC_INVALID_SIZE, "too small");
	memcpy(value, data, len);
	return OL_SUCCESS;
}

static ol_result_t
device_info(ol_device_handle_t device, ol_device_info_t what, size_t size,
	    void *value, size_t *needed)
{
	uint32_t units = 132, threads = 1024;
	uint64_t memory = UINT64_C(1) << 30, shared = 49152;
	ol_dimensions_t block = {1024, 1024, 64};
	ol_dimensions_t grid = {0x7fffffff, 65535, 65535};

	switch ((int)what) {
	case OL_DEVICE_INFO_PLATFORM:
		return answer(size, value, needed, &device->platform,
			      sizeof(void *));
	case OL_DEVICE_INFO_NAME:
		return answer(size, value, needed, device->name,
			      strlen(device->name) + 1);
	case OL_DEVICE_INFO_PRODUCT_NAME:
		return answer(size, value, needed, device->product,
			      strlen(device->product) + 1);
	case OL_DEVICE_INFO_DRIVER_VERSION:
		return answer(size, value, needed, "13000", 6);
	case OL_DEVICE_INFO_NUM_COMPUTE_UNITS:
		return answer(size, value, needed, &units, sizeof(units));
	case OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE:
		return answer(size, value, needed, &threads, sizeof(threads));
	case OL_DEVICE_INFO_GLOBAL_MEM_SIZE:
		return answer(size, value, needed, &memory, sizeof(memory));
	case OL_DEVICE_INFO_WORK_GROUP_LOCAL_MEM_SIZE:
		return answer(size, value, needed, &shared, sizeof(shared));
	case OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION:
		return answer(size, value, needed, &block, sizeof(block));
	case OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION:
		return answer(size, value, needed, &grid, sizeof(grid));
	default:
		return fail(OL_ERRC_UNIMPLEMENTED, "no answer");
	}
}

ol_result_t
olGetDeviceInfo(ol_device_handle_t device, ol_device_info_t what, size_t size,
		void *value)
{
	return device_info(device, what, size, value, NULL);
}

ol_result_t
olGetDeviceInfoSize(ol_device_handle_t device, ol_device_info_t what,
		    size_t *needed)
{
	return device_info(device, what, 0, NULL, needed);
}

ol_result_t
olGetPlatformInfo(ol_platform_handle_t platform, ol_platform_info_t what,
		  size_t size, void *value)
{
	if (what != OL_PLATFORM_INFO_BACKEND)
		return fail(OL_ERRC_UNIMPLEMENTED, "no answer");
	return answer(size, value, NULL, &platform->backend,
		      sizeof(platform->backend));
}

/* As the CUDA plugin: the version stands in the second byte of e_flags. */
ol_result_t
olIsValidBinary(ol_device_handle_t device, const void *data, size_t size,
		bool *valid)
{
	const uint8_t *elf = data;

	*valid = device->version && size >= 64 && !memcmp(elf, "\177ELF", 4) &&
		 elf[18] == 190 && elf[49] / 10 == device->version / 10 &&
		 elf[49] <= device->version;
	return OL_SUCCESS;
}

/* ---- queues ---- */

/* Does the queue's work up to this number, with the lock. */
static void
run_until(ol_queue_handle_t queue, uint64_t number)
{
	while (queue->first && queue->done < number) {
		struct work *work = queue->first;

		queue->first = work->next;
		if (!queue->first)
			queue->last = &queue->first;
		queue->done++;
		work->run(work);
		free(work);
	}
}

static void
drain(ol_queue_handle_t queue)
{
	pthread_mutex_lock(&lock);
	run_until(queue, queue->given);
	pthread_mutex_unlock(&lock);
}

static void
put(ol_queue_handle_t queue, const struct work *work)
{
	struct work *copy = malloc(sizeof(*copy));

	if (!copy)
		abort();
	*copy = *work;
	copy->next = NULL;
	pthread_mutex_lock(&lock);
	*queue->last = copy;
	queue->last = &copy->next;
	queue->given++;
	pthread_mutex_unlock(&lock);
}

ol_result_t
olCreateQueue(ol_device_handle_t device, ol_queue_handle_t *queue)
{
	current = device;
	*queue = calloc(1, sizeof(**queue));
	if (!*queue)
		return fail(OL_ERRC_OUT_OF_RESOURCES, "memory");
	(*queue)->device = device;
	(*queue)->last = &(*queue)->first;
	pthread_mutex_lock(&lock);
	(*queue)->next = queues;
	queues = *queue;
	pthread_mutex_unlock(&lock);
	return OL_SUCCESS;
}

ol_result_t
olDestroyQueue(ol_queue_handle_t queue)
{
	drain(queue);
	queue->gone = true;
	return OL_SUCCESS;
}

/* The library looks at an event's queue, whatever is to be done with it. */
static void
look_at_queue(ol_event_handle_t event)
{
	if (event->queue->gone) {
		fputs("an event of a queue that is gone\n", stderr);
		abort();
	}
}

ol_result_t
olSyncQueue(ol_queue_handle_t queue)
{
	ol_result_t result = need_context(queue->device);

	if (!result)
		drain(queue);
	return result;
}

ol_result_t
olGetQueueInfo(ol_queue_handle_t queue, ol_queue_info_t what, size_t size,
	       void *value)
{
	bool empty;

	pthread_mutex_lock(&lock);
	if (++queue->asked > PATIENCE && !fake_lost)
		run_until(queue, queue->given);
	empty = !queue->first;
	if (empty)
		queue->asked = 0;
	pthread_mutex_unlock(&lock);
	if (what != OL_QUEUE_INFO_EMPTY)
		return fail(OL_ERRC_UNIMPLEMENTED, "no answer");
	return answer(size, value, NULL, &empty, sizeof(empty));
}

ol_result_t
olCreateEvent(ol_queue_handle_t queue, ol_event_handle_t *event)
{
	ol_result_t result = need_context(queue->device);

	if (result)
		return result;
	*event = calloc(1, sizeof(**event));
	if (!*event)
		abort();
	(*event)->queue = queue;
	pthread_mutex_lock(&lock);
	(*event)->number = queue->given;
	pthread_mutex_unlock(&lock);
	return OL_SUCCESS;
}

ol_result_t
olDestroyEvent(ol_event_handle_t event)
{
	look_at_queue(event);
	free(event);
	return OL_SUCCESS;
}

ol_result_t
olSyncEvent(ol_event_handle_t event)
{
	look_at_queue(event);
	pthread_mutex_lock(&lock);
	run_until(event->queue, event->number);
	pthread_mutex_unlock(&lock);
	return OL_SUCCESS;
}

static void
run_wait(struct work *work)
{
	run_until(work->other, work->number);
}

ol_result_t
olWaitEvents(ol_queue_handle_t queue, ol_event_handle_t *events, size_t count)
{
	ol_result_t result = need_context(queue->device);

	for (size_t i = 0; !result && i < count; i++) {
		struct work work = {.run = run_wait,
				    .other = events[i]->queue,
				    .number = events[i]->number};

		look_at_queue(events[i]);
		put(queue, &work);
	}
	return result;
}

ol_result_t
olGetEventInfo(ol_event_handle_t event, ol_event_info_t what, size_t size,
	       void *value)
{
	bool over;

	look_at_queue(event);
	if (what != OL_EVENT_INFO_IS_COMPLETE)
		return fail(OL_ERRC_UNIMPLEMENTED, "no answer");
	pthread_mutex_lock(&lock);
	if (++event->asked > PATIENCE && !fake_lost)
		run_until(event->queue, event->number);
	over = event->queue->done >= event->number;
	pthread_mutex_unlock(&lock);
	return answer(size, value, NULL, &over, sizeof(over));
}

static void
run_call(struct work *work)
{
	work->call(work->data);
}

ol_result_t
olLaunchHostFunction(ol_queue_handle_t queue, ol_host_function_cb_t call,
		     void *data)
{
	struct work work = {.run = run_call, .call = call, .data = data};
	ol_result_t result = need_context(queue->device);

	if (!result)
		put(queue, &work);
	return result;
}

/* ---- memory ---- */

ol_result_t
olMemAlloc(ol_device_handle_t device, ol_alloc_type_t type, size_t size,
	   void **memory)
{
	(void)type;
	current = device;
	if (fake_lost)
		return fail(OL_ERRC_OUT_OF_RESOURCES,
			    "an illegal memory access");
	if (!size || size > UINT64_C(1) << 30)
		return fail(OL_ERRC_OUT_OF_RESOURCES, "no room");
	*memory = aligned_alloc(256, (size + 255) & ~(size_t)255);
	return *memory ? OL_SUCCESS : fail(OL_ERRC_OUT_OF_RESOURCES, "heap");
}

ol_result_t
olMemFree(void *memory)
{
	free(memory);
	return OL_SUCCESS;
}

static void
run_copy(struct work *work)
{
	memcpy(work->dst, work->src, work->size);
}

ol_result_t
olMemcpy(ol_queue_handle_t queue, void *dst, ol_device_handle_t dst_device,
	 const void *src, ol_device_handle_t src_device, size_t size)
{
	struct work work = {
		.run = run_copy, .dst = dst, .src = src, .size = size};
	bool from_host = src_device == &devices[0];

	if (from_host && dst_device == &devices[0])
		return fail(OL_ERRC_INVALID_ARGUMENT, "both are the host");
	current = from_host ? dst_device : src_device;
	if (!fake_lost)
		put(queue, &work);
	return illegal_access();
}

static void
run_fill(struct work *work)
{
	for (size_t i = 0; i < work->size; i += work->pattern_size)
		memcpy((char *)work->dst + i, work->pattern,
		       work->pattern_size);
}

ol_result_t
olMemFill(ol_queue_handle_t queue, void *memory, size_t pattern_size,
	  const void *pattern, size_t size)
{
	struct work work = {.run = run_fill,
			    .dst = memory,
			    .size = size,
			    .pattern_size = pattern_size};

	if (size % pattern_size)
		return fail(OL_ERRC_INVALID_SIZE, "no multiple");
	memcpy(work.pattern, pattern, pattern_size);
	current = queue->device;
	if (!fake_lost)
		put(queue, &work);
	return illegal_access();
}

/* ---- kernels ---- */

ol_result_t
olCreateProgram(ol_device_handle_t device, const void *data, size_t size,
		ol_program_handle_t *program)
{
	current = device;
	if (fake_lost)
		return illegal_access();
	/* Not the engine's own. */
	if (!memmem(data, size, "smelt_fill", 10)) {
		fake_program_size = size;
		memcpy(fake_program, data,
		       size < sizeof(fake_program) ? size
						   : sizeof(fake_program));
	}
	*program = calloc(1, sizeof(**program));
	if (!*program)
		abort();
	(*program)->device = device;
	return OL_SUCCESS;
}

ol_result_t
olGetSymbol(ol_program_handle_t program, const char *name,
	    ol_symbol_kind_t kind, ol_symbol_handle_t *symbol)
{
	(void)kind;
	if (!strcmp(name, "no_cpu"))
		return fail(OL_ERRC_NOT_FOUND, "named symbol not found");
	*symbol = &program->symbols[program->count++];
	snprintf((*symbol)->name, sizeof((*symbol)->name), "%s", name);
	return OL_SUCCESS;
}

ol_result_t
olCalculateOptimalOccupancy(ol_device_handle_t device,
			    ol_symbol_handle_t kernel, size_t shared,
			    size_t *threads)
{
	(void)kernel;
	(void)shared;
	if (device->platform->backend != OL_PLATFORM_BACKEND_CUDA)
		return fail(OL_ERRC_UNSUPPORTED, "no occupancy");
	*threads = 768;
	return OL_SUCCESS;
}

/* The blocks of the test's kernels (sample.h): header, out, n, value. */
struct block {
	uint64_t state, launch, out, n, value;
};

/* The head of struct smelt_device_state. */
struct state {
	uint32_t panicked, site;
	uint64_t launch, args[2];
	uint32_t block[3], thread[3];
	uint64_t host_word;
};

static void
fake_panic(const struct block *block, uint64_t i, uint32_t width)
{
	struct state *state = (void *)(uintptr_t)block->state;

	if (state->panicked++)
		return;
	state->site = 0;
	state->launch = block->launch;
	state->args[0] = i;
	state->args[1] = block->n;
	state->block[0] = (uint32_t)(i / width);
	state->thread[0] = (uint32_t)(i % width);
	*(uint32_t *)(uintptr_t)state->host_word = 1;
}

/* What engine/fill.c's kernel does. */
static void
run_filler(const struct work *work)
{
	const struct fill_block *block = (const void *)work->params;
	uint64_t threads = (uint64_t)work->shape.NumGroups.x * FILL_THREADS;
	char *start = (char *)(uintptr_t)block->start;

	if (work->shape.GroupSize.x != FILL_THREADS || threads % block->period)
		abort();
	for (uint64_t i = 0; i < block->count; i++)
		memcpy(start + 16 * i,
		       block->pattern + i % threads % block->period * 16, 16);
	memcpy(start - block->head,
	       block->pattern + block->period * 16 - block->head, block->head);
	memcpy(start + 16 * block->count, block->pattern + block->tail_at,
	       block->tail);
}

static void
run_kernel(struct work *work)
{
	const struct block *block = (void *)work->params;
	uint32_t width = work->shape.GroupSize.x;
	uint64_t threads = (uint64_t)work->shape.NumGroups.x * width;
	uint64_t *out = (void *)(uintptr_t)block->out;
	bool checks = !strcmp(work->kernel->name, "bounds");

	if (!strcmp(work->kernel->name, "smelt_fill")) {
		run_filler(work);
		return;
	}
	for (uint64_t i = 0; i < threads; i++)
		if (i < block->n)
			out[i] += checks ? 1 : block->value;
		else if (checks)
			fake_panic(block, i, width);
}

ol_result_t
olLaunchKernel(ol_queue_handle_t queue, ol_device_handle_t device,
	       ol_symbol_handle_t kernel, const void *params, size_t size,
	       const ol_kernel_launch_size_args_t *shape)
{
	struct work work = {
		.run = run_kernel, .shape = *shape, .kernel = kernel};
	ol_result_t result = need_context(device);
	size_t offset = 0, needed = sizeof(struct block);

	if (result)
		return result;
	/* As ptxas for sm_90, where parameters begin at 0x210. */
	if (!strcmp(kernel->name, "aligned")) {
		offset = 48;
		needed = 64;
	}
	if (size < needed + offset)
		return fail(OL_ERRC_INVALID_ARGUMENT,
			    "mismatch in kernel arguments");
	if (queue->device != device || size > sizeof(work.params) + offset ||
	    shape->Dimensions < 1 || shape->Dimensions > 3)
		return fail(OL_ERRC_INVALID_ARGUMENT, "launch arguments");
	memcpy(work.params, (const char *)params + offset, size - offset);
	put(queue, &work);
	return OL_SUCCESS;
}
