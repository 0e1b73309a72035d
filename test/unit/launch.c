/*
 * Launches on the CPU: plain and coroutine kernels, shapes, and every refusal.
 */
#include "unit.h"

#include "sample.h"

#include <pthread.h>

static smelt_device *device;
static smelt_stream *stream;

static void
setup(void)
{
	setenv("SMELT_DEVICE", "cpu", 1);
	setenv("SMELT_CPU_THREADS", "3", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static void
expect(const struct smelt_launch *launch, int code, const char *text)
{
	CHECK_INT(smelt_kernel_launch(stream, launch), code);
	if (code)
		CHECK_TEXT(smelt_last_error(), text);
}

static void
plain(void)
{
	static const uint64_t sizes[] = {1, 2, 31, 1023, 1024, 1025, 100003};
	uint64_t *out = malloc(100003 * sizeof(*out));

	setup();
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct sample_block block = {{0}, out, sizes[s], 5};
		struct smelt_launch launch =
			sample_launch(SAMPLE_ADD, &block, sizes[s]);
		uint64_t wrong = 0;

		memset(out, 0, 100003 * sizeof(*out));
		CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
		CHECK_INT(smelt_stream_wait(stream), 0);
		for (uint64_t i = 0; i < 100003; i++)
			wrong += out[i] != (i < sizes[s] ? 5 : 0);
		CHECK_INT(wrong, 0);
		/* The header is filled in in a copy. */
		CHECK_INT(block.header.state, 0);
	}
	free(out);
}

static void
nothing(void)
{
	struct sample_block block = {{0}, NULL, 0, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 0);

	setup();
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	launch.grid[0] = 5;
	launch.grid[2] = 0;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

/* More than 2^32 threads, all counted. */
static void
huge(void)
{
	uint64_t out[2] = {0, 0};
	uint64_t n = (UINT64_C(1) << 32) + 1024 * 5;
	struct sample_block block = {{0}, out, n, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_COUNT, &block, n);

	setup();
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(out[0], n);
	CHECK_INT(out[1], n);
}

static void
shapes(void)
{
	uint64_t out[2] = {0, 0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_COUNT, &block, 100);

	setup();
	launch.grid[1] = 37;
	launch.grid[2] = 3;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK(out[0] >= 100 * 37 * 3);
	out[0] = 0;
	launch.grid_kind = 0;
	launch.block[0] = 4;
	launch.block[1] = 8;
	launch.block[2] = 2;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(out[0], 100 * 37 * 3 * 64);
	out[0] = 0;
	launch.grid_kind = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(out[0], 25 * 5 * 2 * 64);
}

static void *
launch_often(void *data)
{
	struct smelt_launch launch = sample_launch(SAMPLE_ALONE, data, 100);
	smelt_stream *own;

	launch.grid_kind = 0;
	launch.block[0] = 32;
	launch.block[1] = launch.block[2] = 1;
	launch.grid[0] = 200;
	CHECK_INT(smelt_stream_create(device, &own), 0);
	for (int i = 0; i < 200; i++)
		CHECK_INT(smelt_kernel_launch(own, &launch), 0);
	smelt_stream_destroy(own);
	return NULL;
}

/* Launches that are told that they are alone are: nothing is lost where several
 * threads launch at the same time, and blocks go to several threads. */
static void
alone(void)
{
	uint64_t out[2] = {0, 0};
	struct sample_block block = {{0}, out, 0, 0};
	pthread_t threads[4];

	setup();
	for (int t = 0; t < 4; t++)
		CHECK_INT(
			pthread_create(&threads[t], NULL, launch_often, &block),
			0);
	for (int t = 0; t < 4; t++)
		pthread_join(threads[t], NULL);
	CHECK_INT(out[0], 4 * 200 * 200 * 32);
	CHECK(out[1] > 0);
}

/* Threads that a grid runs in blocks that nobody asked for. */
static uint64_t
threads_of(uint64_t x, uint64_t y, uint64_t z)
{
	uint64_t out[2] = {0, 0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_COUNT, &block, x);

	launch.grid[1] = y;
	launch.grid[2] = z;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	return out[0];
}

/* On the CPU few threads lie beyond the grid. */
static void
chosen_blocks(void)
{
	setup();
	CHECK_INT(threads_of(1, 1, 1), 1);
	CHECK_INT(threads_of(1000, 1, 1), 1000);
	CHECK_INT(threads_of(1024, 1, 1), 1024);
	CHECK_INT(threads_of(1025, 1, 1), 2 * 528);
	CHECK_INT(threads_of(1500, 1, 1), 2 * 752);
	CHECK_INT(threads_of(1000000, 1, 1), 977 * 1024);
	CHECK_INT(threads_of(33, 33, 1), 33 * 2 * 17);
	CHECK_INT(threads_of(5, 5, 5), 125);
	CHECK_INT(threads_of(1, 1, 5000), 5 * 1000);
	CHECK_INT(threads_of(2000, 3, 2), 2 * 1008 * 6);
}

static void
reduce(void)
{
	uint64_t out[50] = {0}, wrong = 0;
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch =
		sample_launch(SAMPLE_REDUCE, &block, 50 * 256);

	setup();
	launch.shared_bytes = 256 * 8;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	for (uint64_t b = 0; b < 50; b++)
		wrong += out[b] != 256 * (256 * b) + 255 * 128;
	CHECK_INT(wrong, 0);
	/* One warp, one thread, and the most. */
	for (uint32_t threads = 1; threads <= 1024; threads *= 32) {
		launch.block[0] = threads;
		launch.block[1] = launch.block[2] = 1;
		launch.grid[0] = threads * 2;
		launch.shared_bytes = threads * 8;
		CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
		CHECK_INT(out[1],
			  (uint64_t)threads * threads +
				  (uint64_t)threads * (threads - 1) / 2);
	}
}

static void
warps(void)
{
	uint64_t out[256], wrong = 0;
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_WARP, &block, 256);

	setup();
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	for (uint64_t i = 0; i < 256; i++)
		wrong += out[i] != 32 * (i / 32 * 32) + 31 * 16;
	CHECK_INT(wrong, 0);
}

/* Ended threads count as arrived at a barrier, however they ended. */
static void
ragged(void)
{
	uint64_t out[100];
	struct sample_block block = {{0}, out, 41, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_RAGGED, &block, 100);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	memset(out, 0, sizeof(out));
	launch.block[0] = 100;
	launch.block[1] = launch.block[2] = 1;
	launch.shared_bytes = 8;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "attempt to divide by zero");
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK_INT(panic.threads, 30);
	CHECK_INT(panic.thread[0], 41);
	for (uint64_t i = 0; i < 100; i++)
		CHECK_INT(out[i], i < 41 ? 41 : 0);
}

static void
refusals(void)
{
	uint64_t out[64] = {0};
	struct sample_block block = {{0}, out, 64, 1};
	struct smelt_launch good = sample_launch(SAMPLE_ADD, &block, 64);
	struct smelt_launch bad = good;

	setup();
	CHECK_INT(smelt_kernel_launch(NULL, &good), SMELT_EINVALID);
	CHECK_INT(smelt_kernel_launch(stream, NULL), SMELT_EINVALID);
	bad.size = 4;
	expect(&bad, SMELT_EINVALID, "launch->size");
	bad = good;
	bad.params = NULL;
	expect(&bad, SMELT_EINVALID, "parameter block");
	bad = good;
	bad.grid_kind = 2;
	expect(&bad, SMELT_EINVALID, "2 is no kind of grid");
	bad = good;
	bad.params_size = 32;
	expect(&bad, SMELT_ELAUNCH, "40 bytes aligned to 8, and was given 32");
	bad = good;
	bad.params_align = 4;
	expect(&bad, SMELT_ELAUNCH, "aligned to 4");
	bad = good;
	bad.block[0] = 1025;
	bad.block[1] = bad.block[2] = 1;
	expect(&bad, SMELT_ELAUNCH, "1025x1x1");
	bad.block[0] = 64;
	bad.block[1] = 32;
	expect(&bad, SMELT_ELAUNCH, "2048 threads");
	bad.block[1] = 0;
	expect(&bad, SMELT_ELAUNCH, "64x0x1");
	bad = good;
	bad.grid[1] = 2;
	expect(&bad, SMELT_ELAUNCH,
	       "t::add uses 1-dimensional indices and cannot run on a "
	       "2-dimensional grid");
	bad = good;
	bad.grid[0] = UINT64_MAX;
	bad.grid_kind = 0;
	expect(&bad, SMELT_ELAUNCH, "18446744073709551615 blocks");
	bad = good;
	bad.shared_bytes = 2u << 20;
	expect(&bad, SMELT_ELAUNCH, "2097152 bytes of shared memory");
	bad = good;
	bad.kernel[0]++;
	expect(&bad, SMELT_ENO_KERNEL, "no kernel with id");
	bad = sample_launch(SAMPLE_NO_CPU, &block, 64);
	expect(&bad, SMELT_ENO_KERNEL, "not compiled for the CPU");
	CHECK_INT(out[0], 0);
	/* And the good one still runs. */
	expect(&good, 0, "");
	CHECK_INT(out[63], 1);
}

static void
launch_bounds(void)
{
	uint64_t out[64] = {0};
	struct sample_block block = {{0}, out, 64, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_SMALL, &block, 64);
	struct smelt_kernel_info info = {.size = sizeof(info)};

	setup();
	launch.block[0] = 65;
	launch.block[1] = launch.block[2] = 1;
	expect(&launch, SMELT_ELAUNCH, "the kernel's launch bound allows 64");
	memset(launch.block, 0, sizeof(launch.block));
	expect(&launch, 0, "");
	launch.grid[2] = 2;
	expect(&launch, SMELT_ELAUNCH, "2-dimensional indices");
	CHECK_INT(smelt_kernel_info(device, launch.kernel, &info), 0);
	CHECK_INT(info.max_threads, 64);
	CHECK_INT(info.suggested_block, 64);
	CHECK_INT(info.line, 10 + SAMPLE_SMALL);
	CHECK(!strcmp(info.name, "t::small"));
	CHECK(!strcmp(info.file, "src/main.rs"));
	CHECK_INT(smelt_kernel_info(device, launch.kernel, NULL),
		  SMELT_EINVALID);
	launch.kernel[1]++;
	CHECK_INT(smelt_kernel_info(device, launch.kernel, &info),
		  SMELT_ENO_KERNEL);
}

static void
shared_memory(void)
{
	uint64_t out[1] = {0};
	struct sample_block block = {{0}, out, 1, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_SHARED, &block, 1);

	setup();
	launch.shared_bytes = 100;
	expect(&launch, 0, "");
	CHECK_INT(out[0], 40000);
	launch.shared_bytes = (1u << 20) - 39999;
	expect(&launch, SMELT_ELAUNCH, "40000 static");
}

static void
find(void)
{
	uint64_t id[2], wanted[2];

	setup();
	CHECK_INT(smelt_kernel_find("t::warp", id), 0);
	sample_id(SAMPLE_WARP, wanted);
	CHECK(!memcmp(id, wanted, sizeof(id)));
	CHECK_INT(smelt_kernel_find("t::none", id), SMELT_ENO_KERNEL);
	CHECK_INT(smelt_kernel_find("t::twice", id), SMELT_EINVALID);
	CHECK_INT(smelt_kernel_find(NULL, id), SMELT_EINVALID);
	CHECK_INT(smelt_has_kernels(), 1);
	/* A second object with the same kernels changes nothing. */
	smelt_image_register(sample_image());
	CHECK_INT(smelt_kernel_find("t::warp", id), 0);
}

static void
no_cpu_target(void)
{
	static struct smelt_image image;
	uint64_t out[1];
	struct sample_block block = {{0}, out, 1, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 1);

	image = *sample_image();
	image.cpu_kernels = NULL;
	image.cpu_kernel_count = 0;
	setenv("SMELT_DEVICE", "cpu", 1);
	smelt_image_register(&image);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	expect(&launch, SMELT_ENO_IMAGE,
	       "it was built for the CPU, NVIDIA sm_75 and newer, NVIDIA sm_80 "
	       "and "
	       "newer, NVIDIA sm_90, AMD gfx90a");
}

/* An image with one byte of its table changed. */
static struct smelt_image *
damage(size_t at, unsigned bit)
{
	static struct smelt_image image;
	char *table;

	image = *sample_image();
	table = malloc(image.table_size);
	memcpy(table, image.table, image.table_size);
	table[at] = (char)(table[at] ^ 1 << bit);
	image.table = table;
	return &image;
}

static void
damaged(void)
{
	uint64_t out[64] = {0};
	struct sample_block block = {{0}, out, 64, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 64);
	struct smelt_image *image = damage(0, 0);

	setenv("SMELT_DEVICE", "cpu", 1);
	smelt_image_register(image);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	expect(&launch, SMELT_EBAD_IMAGE, "damaged image: kernel table");
	expect(&launch, SMELT_EBAD_IMAGE, "damaged image: kernel table");
	CHECK_INT(smelt_kernel_find("t::add", launch.kernel), SMELT_EBAD_IMAGE);
	CHECK_INT(out[0], 0);
	free((void *)(uintptr_t)image->table);
}

/* Reads all there is about a kernel; the answer does not matter. */
static void
look(void)
{
	struct smelt_kernel_info info = {.size = sizeof(info)};
	uint64_t id[2];

	if (!smelt_device_default(&device) && !smelt_kernel_find("t::warp", id))
		smelt_kernel_info(device, id, &info);
}

/* Wherever a bit of the table has changed: an answer or an error, no crash. */
static void
any_damage(void)
{
	size_t size = sample_image()->table_size;

	setenv("SMELT_DEVICE", "cpu", 1);
	for (size_t at = 0; at < size; at += 29) {
		int status = 1;
		pid_t child = fork();

		if (child == 0) {
			smelt_image_register(damage(at, at % 8));
			look();
			_exit(0);
		}
		waitpid(child, &status, 0);
		CHECK_INT(status, 0);
	}
}

/* One bit of the code that the null device would take, PTX for sm_75. */
static void
damaged_code(void)
{
	static struct smelt_image image;
	uint64_t out[1] = {0};
	struct sample_block block = {{0}, out, 1, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 1);
	char *images, *code;

	image = *sample_image();
	image.cpu_kernels = NULL;
	image.cpu_kernel_count = 0;
	images = malloc(image.images_size);
	memcpy(images, image.images, image.images_size);
	image.images = images;
	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(&image);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	code = memmem(images, image.images_size, "ret;", 4);
	*code ^= 1;
	expect(&launch, SMELT_EBAD_IMAGE,
	       "the code for NVIDIA sm_75 and newer");
	expect(&launch, SMELT_EBAD_IMAGE, "is not what was built");
	*code ^= 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	free(images);
}

static void
truncated(void)
{
	static struct smelt_image image;
	uint64_t id[2];

	image = *sample_image();
	image.images_size -= 8;
	smelt_image_register(&image);
	CHECK_INT(smelt_kernel_find("t::add", id), SMELT_EBAD_IMAGE);
}

static void
other_version(void)
{
	static struct smelt_image image;
	uint64_t id[2];

	image = *sample_image();
	image.abi++;
	smelt_image_register(&image);
	CHECK_INT(smelt_kernel_find("t::add", id), SMELT_EBAD_IMAGE);
	CHECK_TEXT(smelt_last_error(), "another version of smelt-cc");
}

static void
wrong_count(void)
{
	static struct smelt_image image;
	uint64_t id[2];

	image = *sample_image();
	image.cpu_kernel_count--;
	smelt_image_register(&image);
	CHECK_INT(smelt_kernel_find("t::add", id), SMELT_EBAD_IMAGE);
}

int
main(void)
{
	RUN(plain);
	RUN(nothing);
	RUN(huge);
	RUN(shapes);
	RUN(chosen_blocks);
	RUN(alone);
	RUN(reduce);
	RUN(warps);
	RUN(ragged);
	RUN(refusals);
	RUN(launch_bounds);
	RUN(shared_memory);
	RUN(find);
	RUN(no_cpu_target);
	RUN(damaged);
	RUN(any_damage);
	RUN(damaged_code);
	RUN(truncated);
	RUN(other_version);
	RUN(wrong_count);
	return unit_failed != 0;
}
