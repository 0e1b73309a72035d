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

/* A message whose values the host makes text of. */
static void
with_values(void)
{
	const double value = 0.1;
	uint64_t out[1] = {0};
	struct sample_block block = {{0}, out, 3, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_TEXT, &block, 4);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	memcpy(&block.value, &value, sizeof(value));
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "src/lib.rs:16:1: { 0.1 } (block");
	/* A caller that knows less of the struct. */
	panic.size = offsetof(struct smelt_panic, message) + 4;
	CHECK_INT(smelt_last_panic(&panic), 0);
	CHECK(!strcmp(panic.message, "{ 0"));
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

/* What a watched launch is found at: told like a panic, once, and before one
 * that came after it. */
static void
fault(void)
{
	uint64_t out[16] = {0};
	struct sample_block block = {{0}, out, 2, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_RACE, &block, 8);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	launch.block[0] = 8;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_ECHECK);
	CHECK_TEXT(smelt_last_error(),
		   "kernel t::race at src/race.rs:8:9: data race: this write "
		   "and the read at src/race.rs:7:5 by block 0, thread 0 touch "
		   "memory at ");
	CHECK_TEXT(smelt_last_error(),
		   ", and nothing orders them (block 0,0,0, thread 2,0,0, "
		   "launched at here.c:1)");
	CHECK_INT(smelt_last_panic(&panic), 0);
	CHECK_INT(panic.fault, SMELT_FAULT_RACE);
	CHECK_INT(panic.line, 8);
	CHECK_INT(panic.thread[0], 2);
	CHECK_INT(panic.other_line, 7);
	CHECK_INT(panic.other_column, 5);
	CHECK_INT(panic.other_thread[0], 0);
	CHECK(panic.address == (uint64_t)(uintptr_t)out);
	CHECK(!strcmp(panic.other_file, "src/race.rs"));
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK_INT(panic.fault, SMELT_FAULT_NONE);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

/* Nobody is in conflict; then the second launch is, long ago. */
static void
fault_of_a_launch(void)
{
	uint64_t out[16] = {0};
	struct sample_block block = {{0}, out, 99, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_RACE, &block, 4);
	struct smelt_launch add = sample_launch(SAMPLE_ADD, &block, 10);
	smelt_stream *other;

	setup();
	launch.block[0] = 4;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_stream_create(device, &other), 0);
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	CHECK_INT(smelt_stream_wait(other), 0);
	block.n = 1;
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	block.n = 2;
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	for (int i = 0; i < 256; i++)
		CHECK_INT(smelt_kernel_launch(other, &add), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(smelt_stream_retire(other), SMELT_ECHECK);
	/* Left to the device's own stream. */
	CHECK_INT(smelt_stream_wait(stream), SMELT_ECHECK);
	CHECK_TEXT(smelt_last_error(), "kernel t::race at src/race.rs:8:9");
	CHECK_TEXT(smelt_last_error(), "thread 1,0,0)");
	CHECK_INT(smelt_stream_wait(stream), 0);
}

/* A kernel that is not watched does not run where all are to be. */
static void
not_watched(void)
{
	uint64_t out[16] = {0};
	struct sample_block block = {{0}, out, 10, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 10);

	setenv("SMELT_CPU_CHECK", "1", 1);
	setup();
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ENO_IMAGE);
	CHECK_TEXT(smelt_last_error(), "this program was built without it");
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(out[0], 0);
}

int
main(void)
{
	RUN(bounds);
	RUN(with_values);
	RUN(leaving);
	RUN(first_of_two);
	RUN(place);
	RUN(forgotten);
	RUN(by_copies_and_maps);
	RUN(at_destroy);
	RUN(fault);
	RUN(fault_of_a_launch);
	RUN(not_watched);
	return unit_failed != 0;
}
