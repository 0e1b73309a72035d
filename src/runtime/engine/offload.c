/*
 * NVIDIA and AMD GPUs through LLVM Offload. The only file that includes
 * OffloadAPI.h, which changes between LLVM releases; the library is opened at
 * run time, and a program starts without it.
 *
 * The CUDA plugin makes its context current in the calling thread for copies,
 * fills and new queues, and not for launches and waits. A thread whose first
 * call is a launch would be refused, hence make_current().
 */
#define _GNU_SOURCE
#include "../runtime.h"
#include "driver.h"
#include "fill.h"

#include <stdbool.h>
#include <stddef.h>

#include <offload/OffloadAPI.h>

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How long a wait keeps asking before it sleeps, and when it begins to let
 * other threads of this machine go first. */
#define SPIN_NS 100000000
#define YIELD_NS 50000

#define OL_FUNCTIONS(XX)                                                       \
	XX(olInit)                                                             \
	XX(olIterateDevices)                                                   \
	XX(olGetDeviceInfo)                                                    \
	XX(olGetDeviceInfoSize)                                                \
	XX(olGetPlatformInfo)                                                  \
	XX(olIsValidBinary)                                                    \
	XX(olCreateQueue)                                                      \
	XX(olDestroyQueue)                                                     \
	XX(olSyncQueue)                                                        \
	XX(olGetQueueInfo)                                                     \
	XX(olWaitEvents)                                                       \
	XX(olCreateEvent)                                                      \
	XX(olDestroyEvent)                                                     \
	XX(olSyncEvent)                                                        \
	XX(olGetEventInfo)                                                     \
	XX(olMemAlloc)                                                         \
	XX(olMemFree)                                                          \
	XX(olMemcpy)                                                           \
	XX(olMemFill)                                                          \
	XX(olCreateProgram)                                                    \
	XX(olGetSymbol)                                                        \
	XX(olCalculateOptimalOccupancy)                                        \
	XX(olLaunchKernel)                                                     \
	XX(olLaunchHostFunction)

static struct {
#define XX(name) __typeof__(name) *name;
	OL_FUNCTIONS(XX)
#undef XX
	ol_device_handle_t host;
	uint32_t amd_count;
	void (*found)(const struct engine_info *info);
} ol;

struct gpu {
	ol_device_handle_t handle;
	bool cuda;
	uint32_t number; /* among AMD's */
	bool fill_tried;
	ol_symbol_handle_t fill;
	char name[96];
};

/* The GPU whose context is current in this thread, as far as we know. */
static _Thread_local const struct gpu *bound;
static atomic_uint users; /* threads that have one, or had */

static int
refused(int code, const char *what, ol_result_t result)
{
	return rt_error(code, "%s: %s (offload error %d)", what,
			result->Details && *result->Details ? result->Details
							    : "no details",
			(int)result->Code);
}

/* The process ends, and its last thread goes on to take LLVM Offload apart. A
 * thread that still works would call what is gone; so from now on it stays
 * where it is. */
static atomic_bool ending;
static _Thread_local bool ends; /* this thread is the last one */

static void
stay_if_ending(void)
{
	if (atomic_load_explicit(&ending, memory_order_relaxed) && !ends)
		for (;;)
			pause();
}

void
engine_offload_end(void)
{
	/* Calls under way take some microseconds, waits look at `ending`. */
	const struct timespec calls = {0, 20000000};

	if (atomic_load(&users) < 2)
		return;
	ends = true;
	atomic_store(&ending, true);
	nanosleep(&calls, NULL);
}

static void
bind(const struct gpu *gpu)
{
	if (!bound)
		atomic_fetch_add(&users, 1);
	bound = gpu;
}

/* A new queue makes the context current; the plugin keeps a stock of them. */
static int
make_current(const struct gpu *gpu)
{
	ol_queue_handle_t queue;
	ol_result_t result;

	stay_if_ending();
	if (bound == gpu)
		return 0;
	result = ol.olCreateQueue(gpu->handle, &queue);
	if (!result)
		result = ol.olDestroyQueue(queue);
	if (result)
		return refused(SMELT_EENGINE, gpu->name, result);
	bind(gpu);
	return 0;
}

/* ---- finding devices ---- */

static void *
open_library(void)
{
	static const char *const names[] = {
		"libLLVMOffload.so.22.1",
		"libLLVMOffload.so.22",
		"/usr/lib/llvm-22/lib/libLLVMOffload.so.22.1",
		"/usr/lib/llvm-22/lib/libLLVMOffload.so.22",
		"libLLVMOffload.so",
	};
	const char *wanted = getenv("SMELT_OFFLOAD_LIB");
	void *library = NULL;

	if (wanted && *wanted)
		return dlopen(wanted, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; !library && i < array_count(names); i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

/* False if the library lacks a function: it is of another release. */
static bool
load_functions(void *library)
{
	void *symbol;

#define XX(name)                                                               \
	symbol = dlsym(library, #name);                                        \
	if (!symbol)                                                           \
		return false;                                                  \
	memcpy(&ol.name, &symbol, sizeof(symbol));
	OL_FUNCTIONS(XX)
#undef XX
	return true;
}

static bool
get_info(ol_device_handle_t device, ol_device_info_t what, size_t size,
	 void *value)
{
	return ol.olGetDeviceInfo(device, what, size, value) == OL_SUCCESS;
}

static void
get_text(ol_device_handle_t device, ol_device_info_t what, char *text,
	 size_t size)
{
	size_t needed;
	char *all;

	text[0] = 0;
	if (ol.olGetDeviceInfoSize(device, what, &needed) || !needed)
		return;
	all = calloc(1, needed + 1);
	if (all && get_info(device, what, needed, all))
		snprintf(text, size, "%s", all);
	free(all);
}

/* The API does not tell the compute capability. It does tell whether a cubin
 * would run, and looks for that at the header alone: the newest version that
 * runs is the device's own. The header is as ptxas of CUDA 13 writes it, with
 * the version in the second byte of e_flags. */
static bool
runs_cubin(ol_device_handle_t device, unsigned version)
{
	struct {
		uint8_t ident[16];
		uint16_t type, machine;
		uint32_t elf_version;
		uint64_t entry, program_headers, section_headers;
		uint32_t flags;
		uint16_t header_size, program_size, program_count;
		uint16_t section_size, section_count, section_names;
	} elf = {
		.ident = {0x7f, 'E', 'L', 'F', 2, 1, 1, 65, 8},
		.type = 2,
		.machine = 190,
		.elf_version = 1,
		.flags = 0x06000004 | version << 8,
		.header_size = 64,
		.program_size = 56,
		.section_size = 64,
	};
	bool valid = false;

	return !ol.olIsValidBinary(device, &elf, sizeof(elf), &valid) && valid;
}

static void
nvidia_arch(ol_device_handle_t device, char *arch, size_t size)
{
	for (unsigned version = 200; version >= 50; version--)
		if (runs_cubin(device, version)) {
			snprintf(arch, size, "sm_%u", version);
			return;
		}
}

static void
fill_nvidia(ol_device_handle_t device, struct engine_info *info)
{
	ol_dimensions_t most;

	info->info.kind = SMELT_DEVICE_NVIDIA;
	info->info.warp_size = 32;
	info->max_grid[0] = 0x7fffffff;
	info->max_grid[1] = info->max_grid[2] = 65535;
	info->max_grid_threads = UINT64_MAX;
	info->max_params = 4096;
	if (get_info(device, OL_DEVICE_INFO_MAX_WORK_SIZE_PER_DIMENSION,
		     sizeof(most), &most) &&
	    most.x && most.y && most.z) {
		info->max_grid[0] = most.x;
		info->max_grid[1] = most.y;
		info->max_grid[2] = most.z;
	}
	nvidia_arch(device, info->info.arch, sizeof(info->info.arch));
	/* Volta and newer, with a driver of CUDA 12.1 or newer. */
	if (atoi(info->info.driver) >= 12010)
		info->max_params = RT_MAX_PARAMS;
}

/* The dispatch packet of HSA counts threads in 32 bits. */
static void
fill_amd(ol_device_handle_t device, struct engine_info *info)
{
	info->info.kind = SMELT_DEVICE_AMD;
	get_text(device, OL_DEVICE_INFO_NAME, info->info.arch,
		 sizeof(info->info.arch));
	info->info.warp_size = strncmp(info->info.arch, "gfx9", 4) ? 32 : 64;
	info->max_grid[0] = info->max_grid[1] = info->max_grid[2] = UINT32_MAX;
	info->max_grid_threads = UINT32_MAX;
	info->max_params = 4096;
}

static void
fill_common(ol_device_handle_t device, struct engine_info *info)
{
	struct smelt_device_info *out = &info->info;
	ol_dimensions_t block;

	get_text(device, OL_DEVICE_INFO_PRODUCT_NAME, out->name,
		 sizeof(out->name));
	if (!*out->name)
		get_text(device, OL_DEVICE_INFO_NAME, out->name,
			 sizeof(out->name));
	get_text(device, OL_DEVICE_INFO_DRIVER_VERSION, out->driver,
		 sizeof(out->driver));
	get_info(device, OL_DEVICE_INFO_NUM_COMPUTE_UNITS, sizeof(out->units),
		 &out->units);
	get_info(device, OL_DEVICE_INFO_GLOBAL_MEM_SIZE,
		 sizeof(out->memory_bytes), &out->memory_bytes);
	out->shared_bytes = 48 * 1024;
	get_info(device, OL_DEVICE_INFO_WORK_GROUP_LOCAL_MEM_SIZE,
		 sizeof(out->shared_bytes), &out->shared_bytes);
	out->max_block_threads = 1024;
	get_info(device, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE,
		 sizeof(out->max_block_threads), &out->max_block_threads);
	out->max_block_dim[0] = out->max_block_dim[1] = out->max_block_threads;
	out->max_block_dim[2] = 64;
	if (get_info(device, OL_DEVICE_INFO_MAX_WORK_GROUP_SIZE_PER_DIMENSION,
		     sizeof(block), &block) &&
	    block.x && block.y && block.z) {
		out->max_block_dim[0] = block.x;
		out->max_block_dim[1] = block.y;
		out->max_block_dim[2] = block.z;
	}
}

static ol_platform_backend_t
backend_of(ol_device_handle_t device)
{
	ol_platform_backend_t backend;
	ol_platform_handle_t platform;

	if (!get_info(device, OL_DEVICE_INFO_PLATFORM, sizeof(platform),
		      &platform) ||
	    ol.olGetPlatformInfo(platform, OL_PLATFORM_INFO_BACKEND,
				 sizeof(backend), &backend))
		return OL_PLATFORM_BACKEND_UNKNOWN;
	return backend;
}

static bool
on_device(ol_device_handle_t device, void *unused)
{
	ol_platform_backend_t backend = backend_of(device);
	struct engine_info info = {0};
	struct gpu *gpu;

	(void)unused;
	if (backend != OL_PLATFORM_BACKEND_CUDA &&
	    backend != OL_PLATFORM_BACKEND_AMDGPU)
		return true;
	gpu = calloc(1, sizeof(*gpu));
	if (!gpu)
		return true;
	fill_common(device, &info);
	if (backend == OL_PLATFORM_BACKEND_CUDA)
		fill_nvidia(device, &info);
	else
		fill_amd(device, &info);
	gpu->handle = device;
	gpu->cuda = backend == OL_PLATFORM_BACKEND_CUDA;
	if (!gpu->cuda)
		gpu->number = ol.amd_count++;
	snprintf(gpu->name, sizeof(gpu->name), "%s", info.info.name);
	info.device = gpu;
	for (uint32_t i = engine_device_count("SMELT_GPU_DEVICES"); i; i--)
		ol.found(&info);
	return true;
}

static bool
on_host_device(ol_device_handle_t device, void *unused)
{
	(void)unused;
	if (backend_of(device) != OL_PLATFORM_BACKEND_HOST)
		return true;
	ol.host = device;
	return false;
}

/* Stack of a thread whose need nobody knows. CUDA's driver would give 1 KiB,
 * which a sort overruns; the plugin for AMD gives as much as here. The plugins
 * read the variable when they start. It costs device memory for each thread
 * that can be resident, so programs without such kernels leave it alone. */
#define DEEP_STACK "16384"

static void
set_stack(void)
{
	const char *wanted = getenv("SMELT_STACK_SIZE");

	if (wanted && *wanted)
		setenv("LIBOMPTARGET_STACK_SIZE", wanted, 1);
	else if (rt_kernels_have(SMELT_KERNEL_DEEP))
		setenv("LIBOMPTARGET_STACK_SIZE", DEEP_STACK, 0);
}

/* Copies name the host as a device, so without it a GPU is of no use. */
static void
offload_find(void (*found)(const struct engine_info *info))
{
	void *library = open_library();

	if (!library)
		return;
	set_stack();
	if (!load_functions(library) || ol.olInit()) {
		if (rt_info_wanted)
			rt_info("LLVM Offload does not fit or does not start");
		return;
	}
	ol.found = found;
	ol.olIterateDevices(on_host_device, NULL);
	if (ol.host)
		ol.olIterateDevices(on_device, NULL);
}

/* ---- queues and events ---- */

static int
offload_queue_create(void *device, void **queue)
{
	const struct gpu *gpu = device;
	ol_queue_handle_t made;
	ol_result_t result;

	stay_if_ending();
	result = ol.olCreateQueue(gpu->handle, &made);
	if (result)
		return refused(SMELT_EENGINE, "new queue", result);
	bind(gpu);
	*queue = made;
	return 0;
}

static void
offload_queue_destroy(void *device, void *queue)
{
	if (!make_current(device))
		ol.olDestroyQueue(queue);
}

static uint64_t
now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* The CUDA plugin waits asleep, and to be woken takes longer than most kernels
 * (about 200 us on an H200's host): so ask first, as CUDA's own default does.
 */
static void
spin(ol_queue_handle_t queue)
{
	uint64_t start = now_ns(), spent = 0;
	bool empty = false;

	while (!ol.olGetQueueInfo(queue, OL_QUEUE_INFO_EMPTY, sizeof(empty),
				  &empty) &&
	       !empty && spent < SPIN_NS) {
		stay_if_ending();
		if (spent > YIELD_NS)
			sched_yield();
		spent = now_ns() - start;
	}
}

static int
offload_queue_wait(void *device, void *queue)
{
	ol_result_t result;

	if (make_current(device))
		return SMELT_EDEVICE_LOST;
	spin(queue);
	result = ol.olSyncQueue(queue);
	return result ? refused(SMELT_EDEVICE_LOST, "wait", result) : 0;
}

static int
offload_event_create(void *device, void *queue, void **event)
{
	ol_event_handle_t made;
	ol_result_t result;

	if (make_current(device))
		return SMELT_EENGINE;
	result = ol.olCreateEvent(queue, &made);
	if (result)
		return refused(SMELT_EENGINE, "new event", result);
	*event = made;
	return 0;
}

/* As spin(): the copies of staging.c would come to a stop while their thread is
 * being woken. */
static void
spin_event(ol_event_handle_t event)
{
	uint64_t start = now_ns(), spent = 0;
	bool over = false;

	while (!ol.olGetEventInfo(event, OL_EVENT_INFO_IS_COMPLETE,
				  sizeof(over), &over) &&
	       !over && spent < SPIN_NS) {
		if (spent > YIELD_NS)
			sched_yield();
		spent = now_ns() - start;
	}
}

static int
offload_event_sync(void *device, void *event, void *queue, enum engine_sync how)
{
	ol_event_handle_t one = event;
	ol_result_t result;
	bool over = false;

	if (make_current(device))
		return SMELT_EENGINE;
	if (how == ENGINE_WAIT) {
		spin_event(one);
		result = ol.olSyncEvent(one);
	} else if (how == ENGINE_ORDER)
		result = ol.olWaitEvents(queue, &one, 1);
	else
		result = ol.olGetEventInfo(one, OL_EVENT_INFO_IS_COMPLETE,
					   sizeof(over), &over);
	if (result)
		return refused(SMELT_EENGINE, "event", result);
	return how == ENGINE_QUERY && !over;
}

static void
offload_event_destroy(void *device, void *event)
{
	if (!make_current(device))
		ol.olDestroyEvent(event);
}

static int
offload_call(void *device, void *queue, void (*function)(void *data),
	     void *data)
{
	ol_result_t result;

	if (make_current(device))
		return SMELT_EENGINE;
	result = ol.olLaunchHostFunction(queue, function, data);
	return result ? refused(SMELT_EENGINE, "call of the host", result) : 0;
}

/* ---- memory ---- */

static int
offload_memory_alloc(void *device, enum engine_memory kind, uint64_t size,
		     void **memory)
{
	const struct gpu *gpu = device;
	ol_result_t result;

	stay_if_ending();
	result = ol.olMemAlloc(gpu->handle,
			       kind == ENGINE_HOST ? OL_ALLOC_TYPE_HOST
						   : OL_ALLOC_TYPE_DEVICE,
			       size, memory);

	if (result)
		return refused(kind == ENGINE_HOST ? SMELT_ENO_MEMORY
						   : SMELT_ENO_DEVICE_MEMORY,
			       "memory", result);
	return 0;
}

static void
offload_memory_free(void *device, enum engine_memory kind, void *memory)
{
	(void)kind;
	if (!make_current(device))
		ol.olMemFree(memory);
}

static uint64_t
offload_memory_available(void *device)
{
	const struct gpu *gpu = device;

	if (!gpu->cuda)
		return driver_hsa_available(gpu->number);
	return make_current(gpu) ? UINT64_MAX : driver_cuda_available();
}

static int
offload_copy(void *device, void *queue, enum engine_copy direction, void *dst,
	     const void *src, uint64_t size)
{
	const struct gpu *gpu = device;
	ol_device_handle_t to = gpu->handle, from = gpu->handle;
	ol_result_t result;

	if (make_current(gpu))
		return SMELT_EENGINE;
	if (direction == ENGINE_TO_DEVICE)
		from = ol.host;
	if (direction == ENGINE_FROM_DEVICE)
		to = ol.host;
	result = ol.olMemcpy(queue, dst, to, src, from, size);
	return result ? refused(SMELT_EENGINE, "copy", result) : 0;
}

/* The kernel of fill.c, loaded when first wanted; NULL if the driver does not
 * take it. */
static ol_symbol_handle_t
fill_kernel(struct gpu *gpu)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	ol_program_handle_t program;
	ol_symbol_handle_t kernel;

	pthread_mutex_lock(&lock);
	if (!gpu->fill_tried &&
	    !ol.olCreateProgram(gpu->handle, fill_ptx, fill_ptx_size,
				&program) &&
	    !ol.olGetSymbol(program, "smelt_fill", OL_SYMBOL_KIND_KERNEL,
			    &kernel))
		gpu->fill = kernel;
	gpu->fill_tried = true;
	kernel = gpu->fill;
	pthread_mutex_unlock(&lock);
	return kernel;
}

static int
fill_by_kernel(struct gpu *gpu, void *queue, void *dst, const void *pattern,
	       uint64_t pattern_size, uint64_t size)
{
	struct fill_block block = {0};
	ol_kernel_launch_size_args_t shape = {
		.Dimensions = 3,
		.NumGroups = {1, 1, 1},
		.GroupSize = {FILL_THREADS, 1, 1},
	};
	ol_symbol_handle_t kernel;
	ol_result_t result;

	if (!gpu->cuda || !fill_prepare(&block, &shape.NumGroups.x, dst,
					pattern, pattern_size, size))
		return SMELT_EUNSUPPORTED;
	kernel = fill_kernel(gpu);
	if (!kernel)
		return SMELT_EUNSUPPORTED;
	result = ol.olLaunchKernel(queue, gpu->handle, kernel, &block,
				   sizeof(block), &shape);
	return result ? refused(SMELT_EENGINE, "fill", result) : 0;
}

static int
offload_fill(void *device, void *queue, void *dst, const void *pattern,
	     uint64_t pattern_size, uint64_t size)
{
	bool should = engine_should_fill(dst, pattern_size, size);
	struct gpu *gpu = device;
	ol_result_t result;

	/* What is not whole words of one value LLVM's AMDGPU plugin writes when
	 * the work before it is done, from what is the caller's memory then. */
	if (!gpu->cuda && (pattern_size > 4 || size % 4 || (uintptr_t)dst % 4))
		return SMELT_EUNSUPPORTED;
	if (make_current(device))
		return SMELT_EENGINE;
	if (pattern_size > 4 || !should) {
		int done = fill_by_kernel(device, queue, dst, pattern,
					  pattern_size, size);

		if (done != SMELT_EUNSUPPORTED || !should)
			return done;
	}
	result = ol.olMemFill(queue, dst, pattern_size, pattern, size);
	return result ? refused(SMELT_EENGINE, "fill", result) : 0;
}

/* ---- kernels ---- */

/* Occupancy alone often means the largest block; 256 reaches it too and leaves
 * a shorter tail. */
static uint32_t
occupancy(const struct gpu *gpu, ol_symbol_handle_t kernel)
{
	size_t threads = 0;

	if (ol.olCalculateOptimalOccupancy(gpu->handle, kernel, 0, &threads))
		return 0;
	return threads < 256 ? (uint32_t)threads : 256;
}

/* PTX has to end with a NUL, which is part of what the driver is given; the
 * library copies it. */
static int
offload_program_load(void *device, const struct engine_code *code,
		     void **program)
{
	const struct gpu *gpu = device;
	ol_program_handle_t made;
	ol_result_t result;
	char *text = NULL;

	if (make_current(gpu))
		return SMELT_EENGINE;
	if (code->image_kind == SMELT_IMAGE_PTX) {
		text = malloc(code->size + 1);
		if (!text)
			return rt_error(SMELT_ENO_MEMORY,
					"no memory for a kernel's PTX");
		memcpy(text, code->data, code->size);
		text[code->size] = 0;
	}
	result = ol.olCreateProgram(gpu->handle, text ? text : code->data,
				    code->size + (text != NULL), &made);
	free(text);
	if (result)
		return refused(SMELT_EENGINE, "the driver refused the kernels",
			       result);
	*program = made;
	return 0;
}

static int
offload_kernel_get(void *device, void *program, struct engine_kernel *kernel)
{
	ol_symbol_handle_t symbol;
	ol_result_t result;

	if (make_current(device))
		return SMELT_EENGINE;
	result = ol.olGetSymbol(program, kernel->symbol, OL_SYMBOL_KIND_KERNEL,
				&symbol);
	if (result)
		return refused(SMELT_ENO_KERNEL, kernel->symbol, result);
	kernel->handle = symbol;
	kernel->suggested = occupancy(device, symbol);
	return 0;
}

/* A block that is aligned to more than 16 is put where ptxas found its address
 * to be aligned in constant memory: 16, 48 or 112 bytes after the start of the
 * parameters, as the architecture has it. The driver knows ("offset" in
 * cuFuncGetParamInfo) and the API does not tell. But it refuses, before
 * anything runs, a launch with fewer bytes than offset and size; so the offsets
 * are tried upward, and the first one that is taken is the right one. */
static ol_result_t
launch_aligned(const struct gpu *gpu, void *queue,
	       const struct engine_launch *launch,
	       const ol_kernel_launch_size_args_t *size)
{
	char params[RT_MAX_ALIGN + RT_MAX_PARAMS] = {0};
	ol_result_t result = OL_SUCCESS;

	for (size_t offset = 0; offset < launch->params_align; offset += 16) {
		memcpy(params + offset, launch->params, launch->params_size);
		result = ol.olLaunchKernel(queue, gpu->handle,
					   launch->kernel->handle, params,
					   offset + launch->params_size, size);
		if (!result || result->Code != OL_ERRC_INVALID_ARGUMENT)
			break;
	}
	return result;
}

static int
offload_launch(void *device, void *queue, const struct engine_launch *launch)
{
	const struct gpu *gpu = device;
	ol_kernel_launch_size_args_t size = {
		.Dimensions = 3,
		.NumGroups = {launch->grid[0], launch->grid[1],
			      launch->grid[2]},
		.GroupSize = {launch->block[0], launch->block[1],
			      launch->block[2]},
		.DynSharedMemory = launch->shared_bytes,
	};
	ol_result_t result;

	if (make_current(gpu))
		return SMELT_EENGINE;
	if (gpu->cuda && launch->params_align > 16)
		result = launch_aligned(gpu, queue, launch, &size);
	else
		result = ol.olLaunchKernel(
			queue, gpu->handle, launch->kernel->handle,
			launch->params, launch->params_size, &size);
	return result ? refused(SMELT_EENGINE, "launch", result) : 0;
}

const struct engine engine_offload = {
	.name = "offload",
	.find = offload_find,
	.queue_create = offload_queue_create,
	.queue_destroy = offload_queue_destroy,
	.queue_wait = offload_queue_wait,
	.memory_alloc = offload_memory_alloc,
	.memory_free = offload_memory_free,
	.memory_available = offload_memory_available,
	.copy = offload_copy,
	.fill = offload_fill,
	.event_create = offload_event_create,
	.event_sync = offload_event_sync,
	.event_destroy = offload_event_destroy,
	.call = offload_call,
	.program_load = offload_program_load,
	.kernel_get = offload_kernel_get,
	.launch = offload_launch,
};
