/*
 * What a launch costs with nothing above LLVM Offload: the floor that
 * libsmelt's launches are held against. An empty kernel with a parameter block
 * as large as that of ../src/main.rs's, launched on a queue.
 *
 * Prints "NAME MICROSECONDS" lines, medians, as ../src/main.rs does.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <OffloadAPI.h>

#include "empty.ptx.h"

enum { BATCHES = 31, LAUNCHES = 2000 };

#define API(XX)                                                                \
	XX(olInit)                                                             \
	XX(olIterateDevices)                                                   \
	XX(olGetDeviceInfo)                                                    \
	XX(olGetPlatformInfo)                                                  \
	XX(olCreateQueue)                                                      \
	XX(olCreateProgram)                                                    \
	XX(olGetSymbol)                                                        \
	XX(olLaunchKernel)                                                     \
	XX(olSyncQueue)

static struct {
#define XX(name) __typeof__(&name) name;
	API(XX)
#undef XX
} api;

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void
check(ol_result_t result, const char *what)
{
	if (result == OL_SUCCESS)
		return;
	fprintf(stderr, "launch: %s: %s\n", what,
		result->Details ? result->Details : "failed");
	exit(1);
}

static void
load_api(void)
{
	static const char *const names[] = {
		"libLLVMOffload.so.22.1",
		"libLLVMOffload.so.22",
		"libLLVMOffload.so",
	};
	void *library = NULL;

	for (size_t i = 0; i < 3 && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	if (!library) {
		fprintf(stderr, "launch: %s\n", dlerror());
		exit(1);
	}
#define XX(name)                                                               \
	*(void **)&api.name = dlsym(library, #name);                           \
	if (!api.name) {                                                       \
		fprintf(stderr, "launch: no " #name "\n");                     \
		exit(1);                                                       \
	}
	API(XX)
#undef XX
}

/* Takes the first device that is a GPU. */
static bool
take_gpu(ol_device_handle_t device, void *found)
{
	ol_device_type_t type = OL_DEVICE_TYPE_DEFAULT;

	check(api.olGetDeviceInfo(device, OL_DEVICE_INFO_TYPE, sizeof(type),
				  &type),
	      "device type");
	if (type != OL_DEVICE_TYPE_GPU)
		return true;
	*(ol_device_handle_t *)found = device;
	return false;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct launcher {
	ol_queue_handle_t queue;
	ol_device_handle_t device;
	ol_symbol_handle_t kernel;
	ol_kernel_launch_size_args_t size;
	uint64_t block[4];
};

static void
launch(struct launcher *l)
{
	check(api.olLaunchKernel(l->queue, l->device, l->kernel, l->block,
				 sizeof(l->block), &l->size),
	      "olLaunchKernel");
}

/* Median over batches of the time per launch; a wait after each launch, or one
 * after each batch. */
static double
median_us(struct launcher *l, bool wait_each)
{
	double times[BATCHES];

	for (int b = -2; b < BATCHES; b++) {
		double start = now_us();
		for (int i = 0; i < LAUNCHES; i++) {
			launch(l);
			if (wait_each)
				check(api.olSyncQueue(l->queue), "olSyncQueue");
		}
		double issued = now_us();
		check(api.olSyncQueue(l->queue), "olSyncQueue");
		if (b >= 0)
			times[b] = (issued - start) / LAUNCHES;
	}
	qsort(times, BATCHES, sizeof(times[0]), compare);
	return times[BATCHES / 2];
}

int
main(void)
{
	struct launcher l = {
		.size = {.Dimensions = 1,
			 .NumGroups = {1, 1, 1},
			 .GroupSize = {32, 1, 1}},
	};
	ol_program_handle_t program;

	load_api();
	check(api.olInit(), "olInit");
	check(api.olIterateDevices(take_gpu, &l.device), "olIterateDevices");
	if (!l.device) {
		fprintf(stderr, "launch: no GPU\n");
		return 1;
	}
	check(api.olCreateQueue(l.device, &l.queue), "olCreateQueue");
	check(api.olCreateProgram(l.device, empty_ptx, sizeof(empty_ptx),
				  &program),
	      "olCreateProgram");
	check(api.olGetSymbol(program, "empty", OL_SYMBOL_KIND_KERNEL,
			      &l.kernel),
	      "olGetSymbol");
	printf("launch-async %.4f\n", median_us(&l, false));
	printf("launch-wait %.4f\n", median_us(&l, true));
	return 0;
}
