/*
 * Panics of kernels on the CPU: what a wait says, and that the stream goes on.
 */
#include "unit.h"

#include "sample.h"

static smelt_device *device;
static smelt_stream *stream;

static void
setup(void)
{
	setenv("SMELT_DEVICE", "cpu", 1);
	setenv("SMELT_CPU_THREADS", "1", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static void
bounds(void)
{
	uint64_t out[2048] = {0};
	struct sample_block block = {{0}, out, 1030, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 1040);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	CHECK_INT(smelt_stream_panic(stream, &panic), SMELT_EINVALID);
	launch.block[0] = 16;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(),
		   "kernel t::bounds panicked at src/main.rs:5:9: index out of "
		   "bounds: the len is 1030 but the index is 1030 (block "
		   "64,0,0, thread 6,0,0; 10 threads panicked, launched at "
		   "here.c:1)");
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK(!strcmp(panic.kernel, "t::bounds"));
	CHECK(!strcmp(panic.file, "src/main.rs"));
	CHECK(!strcmp(panic.message, "index out of bounds: the len is 1030 but "
				     "the index is 1030"));
	CHECK_INT(panic.threads, 10);
	CHECK_INT(panic.line, 5);
	CHECK_INT(panic.column, 9);
	CHECK_INT(panic.block[0], 64);
	CHECK_INT(panic.thread[0], 6);
	/* The others ran. */
	for (int i = 0; i < 1030; i++)
		CHECK_INT(out[i], 1);
	/* It is told once, and the stream goes on. */
	CHECK_INT(smelt_stream_wait(stream), 0);
	launch.grid[0] = 16;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(out[0], 2);
	launch.grid[0] = 1040;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK_INT(panic.threads, 10);
	CHECK_INT(smelt_stream_panic(stream, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_stream_panic(NULL, &panic), SMELT_EINVALID);
}

/* Threads that leave from a function that was not inlined, in three dimensions;
 * the last thread of the block among them. */
static void
leaving(void)
{
	uint64_t out[5 * 3 * 4] = {0};
	struct sample_block block = {{0}, out, 9, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_LEAVE, &block, 1);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	launch.grid_kind = 0;
	launch.block[0] = 5;
	launch.block[1] = 3;
	launch.block[2] = 4;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "range end index 3 out of range for "
				       "slice of length 9");
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK_INT(panic.threads, 9);
	CHECK_INT(panic.thread[0], 3);
	for (int i = 0; i < 60; i++)
		CHECK_INT(out[i], i % 7 != 3);
}

/* The panic of the first launch is the one that is told. */
static void
first_of_two(void)
{
	uint64_t out[64] = {0};
	struct sample_block block = {{0}, out, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 16);
	struct smelt_launch other = sample_launch(SAMPLE_RAGGED, &block, 32);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	launch.block[0] = 16;
	launch.block[1] = launch.block[2] = 1;
	other.block[0] = 32;
	other.block[1] = other.block[2] = 1;
	other.shared_bytes = 8;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_kernel_launch(stream, &other), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK(!strcmp(panic.kernel, "t::bounds"));
	CHECK_INT(panic.threads, 6 + 11);
}

/* A place longer than what is told of it, and none. */
static void
place(void)
{
	uint64_t out[16] = {0};
	struct sample_block block = {{0}, out, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 16);
	static char text[300];

	setup();
	memset(text, 'x', sizeof(text));
	memcpy(text + 295, "/y.rs", 5);
	smelt_at(text, sizeof(text), 123);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	smelt_at("other", 5, 1);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "launched at xxx");
	CHECK_TEXT(smelt_last_error(), "x/y.rs:123)");
	smelt_at(NULL, 0, 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK(!strstr(smelt_last_error(), "launched"));
}

/* Long ago: the launch is no longer in the ring, the rest is told. */
static void
forgotten(void)
{
	uint64_t out[64] = {0};
	struct sample_block block = {{0}, out, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 16);
	struct smelt_launch add = sample_launch(SAMPLE_ADD, &block, 10);

	setup();
	launch.block[0] = 16;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	for (int i = 0; i < 256; i++)
		CHECK_INT(smelt_kernel_launch(stream, &add), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "kernel (unknown) panicked");
}

/* Copies and maps tell it too, and do their work all the same. */
static void
by_copies_and_maps(void)
{
	uint64_t out[16] = {0}, copy = 0;
	struct sample_block block = {{0}, out, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 16);
	void *memory;

	setup();
	launch.block[0] = 16;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_copy_from_device(stream, &copy, out, 8), SMELT_EPANIC);
	CHECK_INT(copy, 1);
	CHECK_INT(smelt_map_begin(stream, out, 80, SMELT_MAP_TOFROM, &memory),
		  0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_map_end(stream, out, 80, SMELT_MAP_TOFROM),
		  SMELT_EPANIC);
	CHECK_INT(smelt_map_end(stream, out, 80, SMELT_MAP_TOFROM),
		  SMELT_EINVALID);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

static void
at_destroy(void)
{
	uint64_t out[16] = {0};
	struct sample_block block = {{0}, out, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 16);
	smelt_stream *other;

	setup();
	launch.block[0] = 16;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_stream_create(device, &other), 0);
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(smelt_stream_destroy(other), SMELT_EPANIC);
}

int
main(void)
{
	RUN(bounds);
	RUN(leaving);
	RUN(first_of_two);
	RUN(place);
	RUN(forgotten);
	RUN(by_copies_and_maps);
	RUN(at_destroy);
	return unit_failed != 0;
}
