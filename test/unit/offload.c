/*
 * The offload engine against a library that stands in for LLVM's, and the
 * choice of the image for a device.
 */
#include "unit.h"

#include "runtime/runtime.h"
#include "sample.h"

#include <dlfcn.h>

static smelt_device *device;
static smelt_stream *stream;
static void *library;

static void
setup(const char *choice)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 32);

	CHECK(len > 0);
	path[len] = 0;
	strcpy(strrchr(path, '/'), "/fake_offload.so");
	library = dlopen(path, RTLD_NOW);
	CHECK(library != NULL);
	setenv("SMELT_OFFLOAD_LIB", path, 1);
	if (choice)
		setenv("SMELT_DEVICE", choice, 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static void
found(void)
{
	struct smelt_device_info info = {.size = sizeof(info)};
	smelt_device *second;
	uint32_t count = 0;

	setup(NULL);
	CHECK_INT(smelt_device_count(&count), 0);
	CHECK_INT(count, 3);
	CHECK_INT(smelt_device_info(device, &info), 0);
	CHECK_INT(info.kind, SMELT_DEVICE_NVIDIA);
	CHECK(!strcmp(info.name, "Fake H200"));
	CHECK(!strcmp(info.arch, "sm_90"));
	CHECK(!strcmp(info.engine, "offload"));
	CHECK(!strcmp(info.driver, "13000"));
	CHECK_INT(info.units, 132);
	CHECK_INT(info.shared_bytes, 49152);
	CHECK_INT(info.max_block_dim[2], 64);
	CHECK_INT(info.memory_bytes, 1 << 30);
	CHECK_INT(smelt_device_get(1, &second), 0);
	CHECK_INT(smelt_device_info(second, &info), 0);
	CHECK_INT(info.kind, SMELT_DEVICE_AMD);
	CHECK(!strcmp(info.arch, "gfx90a"));
	CHECK_INT(info.warp_size, 64);
	CHECK_INT(smelt_device_get(2, &second), 0);
	CHECK_INT(smelt_device_info(second, &info), 0);
	CHECK_INT(info.kind, SMELT_DEVICE_CPU);
}

/* Maps, a launch, and the data back; the library does all at the last moment.
 */
static void
run_add(void)
{
	uint64_t host[1000], wrong = 0;
	struct sample_block block = {{0}, NULL, 1000, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 1000);
	void *memory;

	for (uint64_t i = 0; i < 1000; i++)
		host[i] = i;
	CHECK_INT(smelt_map_begin(stream, host, sizeof(host), SMELT_MAP_TOFROM,
				  &memory),
		  0);
	block.out = memory;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	block.out = NULL; /* the runtime has a copy */
	CHECK_INT(smelt_map_end(stream, host, sizeof(host), SMELT_MAP_TOFROM),
		  0);
	for (uint64_t i = 0; i < 1000; i++)
		wrong += host[i] != i + 5;
	CHECK_INT(wrong, 0);
}

static void
nvidia(void)
{
	char *program;

	setup("nvidia");
	run_add();
	program = dlsym(library, "fake_program");
	CHECK(!memcmp(program, "\177ELF90", 6));
}

static void
amd(void)
{
	char *program;

	setup("amd");
	run_add();
	program = dlsym(library, "fake_program");
	CHECK(!memcmp(program, "\177ELFgfx90a", 10));
}

/* The host's memory is free again when a copy returns. */
static void
copies(void)
{
	char *in = malloc(100), *out = malloc(100);
	void *a, *b;

	setup(NULL);
	memset(in, 7, 100);
	CHECK_INT(smelt_memory_alloc(device, 100, &a), 0);
	CHECK_INT(smelt_memory_alloc(device, 100, &b), 0);
	CHECK_INT(smelt_copy_to_device(stream, a, in, 100), 0);
	free(in);
	CHECK_INT(smelt_copy_on_device(stream, b, a, 100), 0);
	/* Given back with the copy still queued. */
	CHECK_INT(smelt_memory_free(device, stream, a), 0);
	CHECK_INT(smelt_memory_fill(stream, (char *)b + 50, "xy", 2, 50), 0);
	CHECK_INT(smelt_copy_from_device(stream, out, b, 100), 0);
	CHECK(out[0] == 7 && out[49] == 7 && out[50] == 'x' && out[99] == 'y');
	CHECK_INT(smelt_memory_free(device, stream, b), 0);
	free(out);
}

static void
panics(void)
{
	uint64_t zero = 0;
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 20);
	struct smelt_panic panic = {.size = sizeof(panic)};
	void *memory;

	setup(NULL);
	CHECK_INT(smelt_memory_alloc(device, 2048, &memory), 0);
	CHECK_INT(smelt_memory_fill(stream, memory, &zero, 8, 2048), 0);
	block.out = memory;
	for (int round = 0; round < 2; round++) {
		CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
		CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
		CHECK_TEXT(smelt_last_error(),
			   "kernel t::bounds panicked at src/main.rs:5:9: "
			   "index out of bounds: the len is 10 but the index "
			   "is 10 (block 0,0,0, thread 10,0,0; 246 threads");
		CHECK_INT(smelt_stream_panic(stream, &panic), 0);
		CHECK_INT(panic.threads, 246);
		CHECK_INT(smelt_stream_wait(stream), 0);
	}
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
}

static void *
launch_elsewhere(void *unused)
{
	(void)unused;
	run_add();
	return NULL;
}

/* A thread whose first call is a launch, and one device after the other. */
/* out[0] after a launch of BOUNDS with as many threads as given: the variant
 * without checks adds `value`, 1000, where the kernel adds 1. */
static uint64_t
first_of(uint64_t threads, uint64_t n)
{
	uint64_t host[256] = {0};
	struct sample_block block = {{0}, NULL, n, 1000};
	struct smelt_launch launch =
		sample_launch(SAMPLE_BOUNDS, &block, threads);
	void *memory;

	launch.block[0] = 32;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_map_begin(stream, host, sizeof(host), SMELT_MAP_TOFROM,
				  &memory),
		  0);
	block.out = memory;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	smelt_map_end(stream, host, sizeof(host), SMELT_MAP_TOFROM);
	return host[0];
}

/* The variant without checks runs where none can fail, and only there; what was
 * found for one launch is not taken for another. */
static void
held(void)
{
	setup("nvidia");
	CHECK_INT(first_of(64, 64), 1000);
	CHECK_INT(first_of(64, 63), 1);
	CHECK_INT(first_of(64, 64), 1000);
	CHECK_INT(first_of(64, 64), 1000);
	CHECK_INT(first_of(65, 64), 1);
	CHECK_INT(first_of(96, 96), 1000);
	CHECK_INT(first_of(97, 100), 1);
}

/* No variant was compiled for this target. */
static void
unheld(void)
{
	setup("amd");
	CHECK_INT(first_of(64, 64), 1);
}

static void
contexts(void)
{
	struct sample_block block = {{0}, NULL, 0, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 10);
	smelt_device *amd_device;
	smelt_stream *first, *second;
	pthread_t thread;

	setup(NULL);
	CHECK(!pthread_create(&thread, NULL, launch_elsewhere, NULL));
	pthread_join(thread, NULL);
	first = stream;
	CHECK_INT(smelt_device_get(1, &amd_device), 0);
	CHECK_INT(smelt_device_stream(amd_device, &second), 0);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(smelt_kernel_launch(first, &launch), 0);
		CHECK_INT(smelt_kernel_launch(second, &launch), 0);
	}
	CHECK_INT(smelt_stream_wait(first), 0);
	CHECK_INT(smelt_stream_wait(second), 0);
}

/* Many allocations, launches and frees in flight, on several streams. */
static void
in_flight(void)
{
	struct sample_block block = {{0}, NULL, 32, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 32);
	uint64_t used, held, before;
	smelt_stream *streams[3];

	setup(NULL);
	CHECK_INT(smelt_device_memory(device, NULL, &before, NULL), 0);
	for (int i = 0; i < 3; i++)
		CHECK_INT(smelt_stream_create(device, &streams[i]), 0);
	for (int i = 0; i < 300; i++) {
		void *memory;
		uint64_t zero = 0;
		smelt_stream *one = streams[i % 3];

		CHECK_INT(smelt_memory_alloc(device, 256, &memory), 0);
		CHECK_INT(smelt_memory_fill(one, memory, &zero, 8, 256), 0);
		block.out = memory;
		CHECK_INT(smelt_kernel_launch(one, &launch), 0);
		CHECK_INT(smelt_memory_free(device, one, memory), 0);
		if (i % 50 == 49)
			CHECK_INT(smelt_stream_wait(one), 0);
	}
	for (int i = 0; i < 3; i++)
		CHECK_INT(smelt_stream_destroy(streams[i]), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &used, &held), 0);
	CHECK_INT(used, before);
	CHECK(held <= 300 * 512);
}

/* A block aligned to more than 16 is put where the device wants it; the host's
 * instance of the table takes it as it is. */
static void
aligned(void)
{
	uint64_t host[16] = {0}, wrong = 0;
	struct sample_aligned params = {.block = {{0}, NULL, 16, 3}};
	struct smelt_launch launch =
		sample_launch(SAMPLE_ALIGNED, &params.block, 16);
	void *memory;

	setup(NULL);
	launch.params_size = sizeof(params);
	launch.params_align = 64;
	CHECK_INT(smelt_memory_alloc(device, 2048, &memory), 0);
	CHECK_INT(smelt_copy_to_device(stream, memory, host, sizeof(host)), 0);
	params.block.out = memory;
	for (int i = 0; i < 3; i++)
		CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_copy_from_device(stream, host, memory, sizeof(host)),
		  0);
	for (int i = 0; i < 16; i++)
		wrong += host[i] != 9;
	CHECK_INT(wrong, 0);
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
}

static void
missing_symbol(void)
{
	struct sample_block block = {{0}, NULL, 0, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_NO_CPU, &block, 10);
	struct smelt_kernel_info info = {.size = sizeof(info)};

	setup(NULL);
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ENO_KERNEL);
	CHECK_TEXT(smelt_last_error(), "named symbol not found");
	sample_id(SAMPLE_ADD, launch.kernel);
	CHECK_INT(smelt_kernel_info(device, launch.kernel, &info), 0);
	CHECK_INT(info.suggested_block, 256);
}

/* After an illegal access nothing works any more; each call says so. */
static void
lost(void)
{
	struct sample_block block = {{0}, NULL, 0, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 10);
	uint64_t host[4] = {0};
	smelt_device *cpu;
	smelt_stream *other;
	void *memory;
	bool *gone;

	setup(NULL);
	gone = dlsym(library, "fake_lost");
	CHECK_INT(smelt_stream_create(device, &other), 0);
	CHECK_INT(smelt_map_begin(other, host, 32, SMELT_MAP_TOFROM, &memory),
		  0);
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	*gone = true;
	/* The first that notices is not the stream whose work it was. */
	CHECK_INT(smelt_memory_alloc(device, 100000, &memory),
		  SMELT_EDEVICE_LOST);
	CHECK_TEXT(
		smelt_last_error(),
		"Fake H200 stopped working (in one of 2 launches, which "
		"SMELT_PROFILE=1 tells apart; the last: t::add at here.c:1): "
		"wait: an illegal");
	CHECK_INT(smelt_kernel_launch(other, &launch), SMELT_EDEVICE_LOST);
	CHECK_TEXT(smelt_last_error(),
		   "kernel t::add, launched at here.c:1: Fake H200 stopped");
	CHECK_INT(smelt_stream_wait(other), SMELT_EDEVICE_LOST);
	CHECK_TEXT(smelt_last_error(), "in one of 2 launches");
	CHECK_INT(smelt_map_end(other, host, 32, SMELT_MAP_TOFROM),
		  SMELT_EDEVICE_LOST);
	CHECK_INT(smelt_map_end(other, host, 32, SMELT_MAP_TOFROM),
		  SMELT_EINVALID);
	CHECK_INT(smelt_stream_destroy(other), SMELT_EDEVICE_LOST);
	/* Other devices work on. */
	CHECK_INT(smelt_device_get(2, &cpu), 0);
	CHECK_INT(smelt_kernel_launch(cpu->stream, &launch), 0);
	CHECK_INT(smelt_device_wait(cpu), 0);
	*gone = false;
}

/* One GPU as several devices: each with memory and streams of its own. */
static void
twice(void)
{
	struct sample_block block = {{0}, NULL, 16, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 16);
	uint64_t host[16] = {1, 2, 3}, back[16];
	smelt_buffer *here, *there;
	smelt_device *second;
	struct smelt_use use;
	uint32_t count;

	setenv("SMELT_GPU_DEVICES", "2", 1);
	setup("nvidia");
	CHECK_INT(smelt_device_count(&count), 0);
	CHECK_INT(count, 2);
	CHECK_INT(smelt_device_get(1, &second), 0);
	CHECK_INT(smelt_buffer_create(device, 2048, &here), 0);
	CHECK_INT(smelt_buffer_create(second, 2048, &there), 0);
	CHECK_INT(smelt_buffer_write(NULL, here, 0, host, sizeof(host)), 0);
	CHECK_INT(smelt_buffer_copy(NULL, there, 0, here, 0, sizeof(host)), 0);
	block.out = smelt_buffer_memory(there);
	use = (struct smelt_use){there, 1};
	launch.uses = &use;
	launch.use_count = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_EINVALID);
	CHECK_INT(smelt_kernel_launch(second->stream, &launch), 0);
	CHECK_INT(smelt_buffer_copy(NULL, here, 0, there, 0, sizeof(host)), 0);
	CHECK_INT(smelt_buffer_read(NULL, here, 0, back, sizeof(back)), 0);
	CHECK(back[0] == 6 && back[2] == 8 && back[15] == 5);
	CHECK_INT(smelt_buffer_destroy(here), 0);
	CHECK_INT(smelt_buffer_destroy(there), 0);
}

/* Fills of every kind of pattern: by the driver, by a kernel on NVIDIA, by
 * copies on AMD; at odd addresses, and nothing beyond. */
static void
fills(const char *choice)
{
	static const uint64_t sizes[] = {1,  2,	 3,  4,	  7,   8,
					 12, 16, 40, 100, 300, 2000};
	const uint64_t room = 100016;
	unsigned char pattern[2000], *out = malloc(room);
	void *memory;

	setup(choice);
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)(i * 11 + i / 251 + 1);
	CHECK_INT(smelt_memory_alloc(device, room, &memory), 0);
	for (size_t s = 0; s < array_count(sizes); s++)
		for (uint64_t n = 1; n < 100000 / sizes[s]; n = n * 7 + 3) {
			uint64_t size = n * sizes[s], wrong = 0, at = n % 16;

			CHECK_INT(
				smelt_memory_fill(stream, memory, "", 1, room),
				0);
			CHECK_INT(smelt_memory_fill(stream, (char *)memory + at,
						    pattern, sizes[s], size),
				  0);
			CHECK_INT(smelt_copy_from_device(stream, out, memory,
							 room),
				  0);
			for (uint64_t i = 0; i < room; i++)
				wrong +=
					out[i] != (i < at || i >= at + size
							   ? 0
							   : pattern[(i - at) %
								     sizes[s]]);
			CHECK_INT(wrong, 0);
		}
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
	free(out);
}

static void
fills_nvidia(void)
{
	fills("nvidia");
}

static void
fills_amd(void)
{
	fills("amd");
}

/* Grids that the device does not take. */
static void
grids(void)
{
	struct sample_block block = {{0}, NULL, 0, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_COUNT, &block, 10);
	smelt_device *amd_device;
	smelt_stream *second;

	setup(NULL);
	launch.grid[0] = 256 * ((UINT64_C(1) << 31) - 1) + 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ELAUNCH);
	CHECK_TEXT(smelt_last_error(), "2147483648 blocks of 256 threads in "
				       "dimension x; Fake H200 allows "
				       "2147483647 blocks there");
	launch.grid[0] = 1;
	launch.grid[1] = 65536 * 8 + 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ELAUNCH);
	CHECK_TEXT(smelt_last_error(), "dimension y");
	/* AMD counts threads in 32 bits. */
	CHECK_INT(smelt_device_get(1, &amd_device), 0);
	CHECK_INT(smelt_device_stream(amd_device, &second), 0);
	launch.grid[0] = UINT64_C(1) << 32;
	launch.grid[1] = 1;
	CHECK_INT(smelt_kernel_launch(second, &launch), SMELT_ELAUNCH);
	CHECK_TEXT(smelt_last_error(), "16777216 blocks of 256 threads");
}

static unsigned
nvidia_fit(const char *arch, uint16_t kind, const char *image)
{
	return rt_image_fit(SMELT_DEVICE_NVIDIA, arch, SMELT_TARGET_NVPTX, kind,
			    image);
}

static void
fits(void)
{
	const uint16_t ptx = SMELT_IMAGE_PTX, cubin = SMELT_IMAGE_CUBIN;

	CHECK(nvidia_fit("sm_90", ptx, "sm_75"));
	CHECK(nvidia_fit("sm_90", ptx, "sm_80") >
	      nvidia_fit("sm_90", ptx, "sm_75"));
	CHECK(!nvidia_fit("sm_75", ptx, "sm_80"));
	CHECK(nvidia_fit("sm_100", ptx, "sm_90"));
	CHECK(nvidia_fit("sm_90", cubin, "sm_90") >
	      nvidia_fit("sm_90", ptx, "sm_90"));
	CHECK(nvidia_fit("sm_89", cubin, "sm_80"));
	CHECK(nvidia_fit("sm_89", cubin, "sm_86") >
	      nvidia_fit("sm_89", cubin, "sm_80"));
	CHECK(!nvidia_fit("sm_90", cubin, "sm_80"));
	CHECK(!nvidia_fit("sm_80", cubin, "sm_86"));
	CHECK(!nvidia_fit("sm_103", cubin, "sm_90"));
	CHECK(nvidia_fit("sm_103", cubin, "sm_100"));
	CHECK(nvidia_fit("sm_90", cubin, "sm_90a"));
	CHECK(!nvidia_fit("sm_100", ptx, "sm_90a"));
	CHECK(!nvidia_fit("", ptx, "sm_75"));
	CHECK(!nvidia_fit("sm_90", ptx, "gfx90a"));
	CHECK(rt_image_fit(SMELT_DEVICE_AMD, "gfx90a:xnack-",
			   SMELT_TARGET_AMDGPU, SMELT_IMAGE_OBJECT, "gfx90a"));
	CHECK(!rt_image_fit(SMELT_DEVICE_AMD, "gfx90a", SMELT_TARGET_AMDGPU,
			    SMELT_IMAGE_OBJECT, "gfx90"));
	CHECK(!rt_image_fit(SMELT_DEVICE_AMD, "gfx90a", SMELT_TARGET_NVPTX, ptx,
			    "sm_75"));
	CHECK(rt_image_fit(SMELT_DEVICE_CPU, "x86_64", SMELT_TARGET_CPU, 0,
			   "x86_64"));
}

/* PTX goes to the driver with a NUL at its end. */
static void
ptx(void)
{
	struct engine_code code = {.target = SMELT_TARGET_NVPTX,
				   .image_kind = SMELT_IMAGE_PTX,
				   .data = "//75.....",
				   .size = 4};
	static void *program; /* lives as long as the process */

	setup(NULL);
	CHECK_INT(engine_offload.program_load(device->found.device, &code,
					      &program),
		  0);
	CHECK_INT(*(size_t *)dlsym(library, "fake_program_size"), 5);
	CHECK(!memcmp(dlsym(library, "fake_program"), "//75", 5));
}

/* The stack that the plugins are asked for before they start. */
static void
stack(const char *wanted, uint32_t flags, const char *given)
{
	struct smelt_image *image = sample_image();
	struct image_table table;
	union {
		const struct smelt_table_kernel *read;
		struct smelt_table_kernel *write;
	} kernel;
	const char *found;

	unsetenv("LIBOMPTARGET_STACK_SIZE");
	if (wanted)
		setenv("SMELT_STACK_SIZE", wanted, 1);
	CHECK(!image_table_read(image->table, image->table_size, &table));
	kernel.read = &table.kernels[0];
	kernel.write->flags |= flags;
	sample_use_fake();
	smelt_image_register(image);
	CHECK_INT(smelt_device_default(&device), 0);
	found = getenv("LIBOMPTARGET_STACK_SIZE");
	CHECK(given ? found && !strcmp(found, given) : !found);
}

static void
stack_flat(void)
{
	stack(NULL, 0, NULL);
}

static void
stack_deep(void)
{
	stack(NULL, SMELT_KERNEL_DEEP, "16384");
}

static void
stack_wanted(void)
{
	stack("4096", SMELT_KERNEL_DEEP, "4096");
}

static void
stack_refused(void)
{
	setenv("SMELT_STACK_SIZE", "16k", 1);
	sample_use_fake();
	CHECK_INT(smelt_device_default(&device), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "SMELT_STACK_SIZE=16k: expected");
}

int
main(void)
{
	RUN(found);
	RUN(nvidia);
	RUN(amd);
	RUN(copies);
	RUN(panics);
	RUN(held);
	RUN(unheld);
	RUN(contexts);
	RUN(in_flight);
	RUN(aligned);
	RUN(missing_symbol);
	RUN(lost);
	RUN(twice);
	RUN(fills_nvidia);
	RUN(fills_amd);
	RUN(grids);
	RUN(fits);
	RUN(ptx);
	RUN(stack_flat);
	RUN(stack_deep);
	RUN(stack_wanted);
	RUN(stack_refused);
	return unit_failed != 0;
}
