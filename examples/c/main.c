/*
 * libsmelt from C: devices, memory, and a kernel that was written in Rust.
 *
 * The kernel's object (kernels.o, made by smelt-cc) is linked in like any
 * other; its constructor registers the kernels, and they are found by name.
 */
#include "smelt/image.h"
#include "smelt/smelt.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT 1000000

/* What kernels::scale takes: every kernel's header, then a slice. */
struct scale_params {
	struct smelt_block_header header;
	float *memory;
	uint64_t len;
};

static void
check(int result)
{
	if (!result)
		return;
	fprintf(stderr, "%s: %s\n", smelt_error_text(result),
		smelt_last_error());
	exit(1);
}

static void
list_devices(void)
{
	uint32_t count;

	check(smelt_device_count(&count));
	for (uint32_t i = 0; i < count; i++) {
		struct smelt_device_info info = {.size = sizeof(info)};
		smelt_device *device;

		check(smelt_device_get(i, &device));
		check(smelt_device_info(device, &info));
		fprintf(stderr, "device %u: %s %s (%s)\n", i, info.name,
			info.arch, info.engine);
	}
}

int
main(void)
{
	float one = 1, *host = malloc(COUNT * sizeof(*host));
	struct scale_params params = {.len = COUNT};
	struct smelt_launch launch = {.size = sizeof(launch),
				      .grid_kind = 1, /* COUNT threads */
				      .grid = {COUNT, 1, 1},
				      .params = &params,
				      .params_size = sizeof(params),
				      .params_align = 8};
	smelt_device *device;
	smelt_stream *stream;
	void *memory;

	list_devices();
	check(smelt_device_default(&device));
	check(smelt_device_stream(device, &stream));
	check(smelt_memory_alloc(device, COUNT * sizeof(*host), &memory));
	check(smelt_memory_fill(stream, memory, &one, sizeof(one),
				COUNT * sizeof(*host)));
	check(smelt_kernel_find("kernels::scale", launch.kernel));
	params.memory = memory;
	check(smelt_kernel_launch(stream, &launch));
	check(smelt_copy_from_device(stream, host, memory,
				     COUNT * sizeof(*host)));
	check(smelt_memory_free(device, stream, memory));
	printf("%g %g %g\n", host[0], host[1], host[COUNT - 1]);
	free(host);
	return 0;
}
