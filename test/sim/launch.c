/* Steps of liboffload for the tests of the simulated GPU (launch.h). */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                            \
	do {                                                                   \
		ol_result_t result = (call);                                   \
		if (result) {                                                  \
			fprintf(stderr, "%s: %s\n", #call, result->Details);   \
			exit(1);                                               \
		}                                                              \
	} while (0)

static bool
look_at(ol_device_handle_t device, void *arg)
{
	struct device *d = arg;
	ol_platform_handle_t platform;
	ol_platform_backend_t backend;
	CHECK(olGetDeviceInfo(device, OL_DEVICE_INFO_PLATFORM, sizeof(platform),
			      &platform));
	CHECK(olGetPlatformInfo(platform, OL_PLATFORM_INFO_BACKEND,
				sizeof(backend), &backend));
	if (backend == OL_PLATFORM_BACKEND_AMDGPU && !d->device)
		d->device = device;
	if (backend == OL_PLATFORM_BACKEND_HOST)
		d->host = device;
	return true;
}

static char *
read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	if (!file) {
		perror(path);
		exit(1);
	}
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	char *data = malloc(*size + 1);
	if (!data || fread(data, 1, *size, file) != *size) {
		perror(path);
		exit(1);
	}
	fclose(file);
	return data;
}

void
launch_start(struct device *d)
{
	*d = (struct device){0};
	CHECK(olInit());
	CHECK(olIterateDevices(look_at, d));
	if (!d->device) {
		fprintf(stderr, "no AMD GPU\n");
		exit(77);
	}
	CHECK(olCreateQueue(d->device, &d->queue));
}

void
launch_open(struct device *d, const char *path)
{
	launch_start(d);
	size_t size;
	char *data = read_file(path, &size);
	CHECK(olCreateProgram(d->device, data, size, &d->program));
	free(data);
}

void
launch_close(struct device *d)
{
	CHECK(olDestroyProgram(d->program));
	CHECK(olDestroyQueue(d->queue));
	CHECK(olShutDown());
}

void *
launch_alloc(struct device *d, size_t size)
{
	void *memory;
	CHECK(olMemAlloc(d->device, OL_ALLOC_TYPE_DEVICE, size, &memory));
	return memory;
}

void
launch_put(struct device *d, void *to, const void *data, size_t size)
{
	CHECK(olMemcpy(d->queue, to, d->device, data, d->host, size));
	CHECK(olSyncQueue(d->queue));
}

void *
launch_copy(struct device *d, const void *data, size_t size)
{
	void *memory = launch_alloc(d, size);
	launch_put(d, memory, data, size);
	return memory;
}

void
launch_get(struct device *d, void *data, const void *from, size_t size)
{
	CHECK(olMemcpy(d->queue, data, d->host, from, d->device, size));
	CHECK(olSyncQueue(d->queue));
}

void
launch_free(void *memory)
{
	CHECK(olMemFree(memory));
}

void
launch3(struct device *d, const char *kernel, const uint32_t groups[3],
	const uint32_t size[3], uint32_t shared, const void *args,
	size_t args_size)
{
	ol_symbol_handle_t symbol;
	ol_kernel_launch_size_args_t sizes = {3,
					      {groups[0], groups[1], groups[2]},
					      {size[0], size[1], size[2]},
					      shared};
	CHECK(olGetSymbol(d->program, kernel, OL_SYMBOL_KIND_KERNEL, &symbol));
	CHECK(olLaunchKernel(d->queue, d->device, symbol, args, args_size,
			     &sizes));
	CHECK(olSyncQueue(d->queue));
}

void
launch(struct device *d, const char *kernel, uint32_t groups, uint32_t size,
       const void *args, size_t args_size)
{
	launch3(d, kernel, (uint32_t[3]){groups, 1, 1},
		(uint32_t[3]){size, 1, 1}, 0, args, args_size);
}
