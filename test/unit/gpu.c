/*
 * The runtime on every GPU that is found. Where there is none it says so.
 *
 *     gpu                  NVIDIA's
 *     gpu ARCH CODE        AMD's, with sample_device.c compiled for ARCH
 *
 * The sample image holds real PTX for sm_75 only; what stands beside it for
 * newer ones is nothing that a driver takes, so this also tests that the next
 * image is tried. AMD's GPU is taken for a simulated one: it does less work and
 * is not asked for times.
 */
#include "unit.h"

#include "sample.h"

#include <pthread.h>

static smelt_device *device;
static smelt_stream *stream;
static uint32_t number;
static int tested = SMELT_DEVICE_NVIDIA;
/* What a test's amount of work is divided by. */
static uint64_t less_work = 1;

static void
setup(void)
{
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_get(number, &device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static bool
runs(int result)
{
	if (result)
		printf("%s\n", smelt_last_error());
	CHECK_INT(result, 0);
	return result == 0;
}

static void
run_add(void)
{
	uint64_t *host = malloc(100003 * sizeof(*host)), wrong = 0;
	struct sample_block block = {{0}, NULL, 100003, 5};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 100003);
	void *memory;

	for (uint64_t i = 0; i < 100003; i++)
		host[i] = i;
	if (!runs(smelt_map_begin(stream, host, 100003 * sizeof(*host),
				  SMELT_MAP_TOFROM, &memory)))
		return;
	block.out = memory;
	runs(smelt_kernel_launch(stream, &launch));
	runs(smelt_map_end(stream, host, 100003 * sizeof(*host),
			   SMELT_MAP_TOFROM));
	for (uint64_t i = 0; i < 100003; i++)
		wrong += host[i] != i + 5;
	CHECK_INT(wrong, 0);
	free(host);
}

static void
add(void)
{
	setup();
	run_add();
}

static void *
elsewhere(void *unused)
{
	(void)unused;
	run_add();
	return NULL;
}

static void
threads(void)
{
	pthread_t others[4];

	setup();
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&others[i], NULL, elsewhere, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(others[i], NULL);
}

static void
panics(void)
{
	uint64_t zero = 0, out[300];
	struct sample_block block = {{0}, NULL, 300, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 320);
	struct smelt_panic panic = {.size = sizeof(panic)};
	void *memory;

	setup();
	launch.block[0] = 32;
	launch.block[1] = launch.block[2] = 1;
	runs(smelt_memory_alloc(device, sizeof(out), &memory));
	runs(smelt_memory_fill(stream, memory, &zero, 8, sizeof(out)));
	block.out = memory;
	for (int round = 0; round < 2; round++) {
		runs(smelt_kernel_launch(stream, &launch));
		CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
		CHECK_TEXT(smelt_last_error(), "t::bounds panicked at "
					       "src/main.rs:5:9: index out of");
		runs(smelt_stream_panic(stream, &panic));
		CHECK_INT(panic.threads, 20);
		CHECK_INT(panic.block[0], 9);
		CHECK(panic.thread[0] >= 12 && panic.thread[0] < 32);
	}
	runs(smelt_copy_from_device(stream, out, memory, sizeof(out)));
	CHECK(out[0] == 2 && out[299] == 2);
	runs(smelt_memory_free(device, stream, memory));
}

static void
memory_calls(void)
{
	static const char pattern[] = "0123456789abcdef";
	char out[96];
	uint64_t available, less;
	void *a, *b, *huge;

	setup();
	runs(smelt_memory_alloc(device, sizeof(out), &a));
	runs(smelt_memory_alloc(device, sizeof(out), &b));
	for (uint64_t size = 1; size <= 16; size *= 2) {
		runs(smelt_memory_fill(stream, a, pattern, size, sizeof(out)));
		runs(smelt_copy_on_device(stream, b, a, sizeof(out)));
		runs(smelt_copy_from_device(stream, out, b, sizeof(out)));
		for (size_t i = 0; i < sizeof(out); i++)
			CHECK_INT(out[i], pattern[i % size]);
	}
	CHECK_INT(smelt_memory_alloc(device, UINT64_C(1) << 44, &huge),
		  SMELT_ENO_DEVICE_MEMORY);
	CHECK_TEXT(smelt_last_error(), "asked for 17592186044416 bytes");
	CHECK_TEXT(smelt_last_error(), " are free, ");
	runs(smelt_device_memory(device, &available, NULL, NULL));
	runs(smelt_memory_alloc(device, UINT64_C(1) << 30, &huge));
	runs(smelt_device_memory(device, &less, NULL, NULL));
	CHECK(less >> 20 <= (available >> 20) - 1000 && less > 0);
	runs(smelt_memory_free(device, stream, huge));
	runs(smelt_memory_free(device, stream, a));
	runs(smelt_memory_free(device, stream, b));
}

/* Patterns that the driver is slow at or cannot do, at odd addresses; the last
 * sizes give each thread of the kernel several steps. */
static void
fills(void)
{
	static const uint64_t patterns[] = {3, 8, 12, 16, 40, 100, 1000, 5000};
	static const uint64_t sizes[] = {5, 15, 16, 17, 100, 10000, 32 << 20};
	const uint64_t room = (40 << 20) + 64;
	unsigned char pattern[5000], *out = malloc(room);
	void *memory;

	setup();
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (unsigned char)(i * 11 + i / 251 + 1);
	runs(smelt_memory_alloc(device, room, &memory));
	for (size_t p = 0; p < 8; p++)
		for (size_t s = 0; s < 7; s++) {
			uint64_t n = (sizes[s] + patterns[p] - 1) / patterns[p];
			uint64_t size = n * patterns[p], wrong = 0;
			uint64_t at = (p * 7 + s) % 16;

			runs(smelt_memory_fill(stream, memory, "", 1, room));
			runs(smelt_memory_fill(stream, (char *)memory + at,
					       pattern, patterns[p], size));
			runs(smelt_copy_from_device(stream, out, memory, room));
			for (uint64_t i = 0; i < size; i++)
				wrong +=
					out[at + i] != pattern[i % patterns[p]];
			for (uint64_t i = 0; i < at; i++)
				wrong += out[i] != 0;
			for (uint64_t i = at + size; i < room; i++)
				wrong += out[i] != 0;
			CHECK_INT(wrong, 0);
		}
	runs(smelt_memory_free(device, stream, memory));
	free(out);
}

static void
streams_and_events(void)
{
	uint64_t in[512], out[512];
	smelt_stream *other;
	smelt_event *event;
	void *memory;

	setup();
	for (uint64_t i = 0; i < 512; i++)
		in[i] = i;
	runs(smelt_stream_create(device, &other));
	runs(smelt_memory_alloc(device, sizeof(in), &memory));
	runs(smelt_copy_to_device(other, memory, in, sizeof(in)));
	runs(smelt_event_record(other, &event));
	runs(smelt_stream_wait_event(stream, event));
	runs(smelt_event_wait(event));
	runs(smelt_copy_from_device(stream, out, memory, sizeof(out)));
	CHECK(!memcmp(in, out, sizeof(in)));
	runs(smelt_memory_free(device, other, memory));
	runs(smelt_stream_destroy(other));
	runs(smelt_event_destroy(event));
}

/* Launches and frees in flight: nothing is reused too early. */
static void
in_flight(void)
{
	const uint64_t n = (1 << 20) / less_work;
	struct sample_block block = {{0}, NULL, n, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, n);
	uint64_t zero = 0, out;
	void *kept;

	setup();
	runs(smelt_memory_alloc(device, 8 * n, &kept));
	runs(smelt_memory_fill(stream, kept, &zero, 8, 8 * n));
	for (int i = 0; i < 200; i++) {
		void *memory;

		runs(smelt_memory_alloc(device, 8 * n, &memory));
		block.out = memory;
		runs(smelt_kernel_launch(stream, &launch));
		runs(smelt_memory_free(device, stream, memory));
		block.out = kept;
		runs(smelt_kernel_launch(stream, &launch));
	}
	runs(smelt_copy_from_device(stream, &out, (uint64_t *)kept + 1000, 8));
	CHECK_INT(out, 200);
	runs(smelt_memory_free(device, stream, kept));
}

/* A parameter block aligned to more than 16 bytes. */
static void
aligned(void)
{
	struct sample_aligned params = {.block = {{0}, NULL, 1000, 3}};
	struct smelt_launch launch =
		sample_launch(SAMPLE_ALIGNED, &params.block, 1000);
	uint64_t host[1000] = {0};
	void *memory;

	setup();
	launch.params_size = sizeof(params);
	launch.params_align = 64;
	runs(smelt_memory_alloc(device, sizeof(host), &memory));
	runs(smelt_copy_to_device(stream, memory, host, sizeof(host)));
	params.block.out = memory;
	runs(smelt_kernel_launch(stream, &launch));
	runs(smelt_kernel_launch(stream, &launch));
	runs(smelt_copy_from_device(stream, host, memory, sizeof(host)));
	CHECK_INT(host[0], 6);
	CHECK_INT(host[999], 6);
	runs(smelt_memory_free(device, stream, memory));
}

static int
add_to(smelt_stream *on, smelt_buffer *buffer, uint64_t n, uint64_t value)
{
	struct sample_block block = {
		{0}, smelt_buffer_memory(buffer), n, value};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, n);
	struct smelt_use use = {buffer, 1};

	launch.uses = &use;
	launch.use_count = 1;
	return smelt_kernel_launch(on, &launch);
}

/* Buffers that several streams share, made and destroyed all the time. */
static void
buffers(void)
{
	const uint64_t n = (1 << 20) / less_work, zero = 0;
	smelt_stream *streams[4];
	smelt_buffer *sum;
	uint64_t last;

	setup();
	for (int i = 0; i < 4; i++)
		runs(smelt_stream_create(device, &streams[i]));
	runs(smelt_buffer_create(device, 8 * n, &sum));
	runs(smelt_buffer_fill(NULL, sum, 0, &zero, 8, 8 * n));
	for (int i = 0; i < 400; i++) {
		smelt_stream *on = streams[i % 4];
		smelt_buffer *own;

		runs(smelt_buffer_create(device, 8 * n, &own));
		runs(smelt_buffer_fill(on, own, 0, &zero, 8, 8 * n));
		runs(add_to(on, own, n, 1));
		runs(add_to(streams[(i + 1) % 4], sum, n, 1));
		runs(smelt_buffer_destroy(own));
	}
	runs(smelt_buffer_read(NULL, sum, 8 * (n - 1), &last, 8));
	CHECK_INT(last, 400);
	runs(smelt_buffer_destroy(sum));
	for (int i = 0; i < 4; i++)
		runs(smelt_stream_destroy(streams[i]));
}

/* Pageable memory of every awkward size, there and back. */
static void
pageable(void)
{
	static const size_t sizes[] = {
		1, 4095, 2 << 20, (2 << 20) + 1, 33 << 20, (100 << 20) + 7};

	setup();
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t size = sizes[s], wrong = 0;
		unsigned char *in = malloc(size), *out = calloc(1, size);
		smelt_buffer *buffer;

		for (size_t i = 0; i < size; i++)
			in[i] = (unsigned char)((i * 2654435761u) >> 13);
		runs(smelt_buffer_create(device, size, &buffer));
		runs(smelt_buffer_write(NULL, buffer, 0, in, size));
		memset(in, 0xee, size);
		runs(smelt_buffer_read(NULL, buffer, 0, out, size));
		for (size_t i = 0; i < size; i++)
			wrong += out[i] !=
				 (unsigned char)((i * 2654435761u) >> 13);
		CHECK_INT(wrong, 0);
		runs(smelt_buffer_destroy(buffer));
		free(in);
		free(out);
	}
}

/* An address that is nobody's brings the device down, for this process. */
static void
lost(void)
{
	struct sample_block block = {{0}, (uint64_t *)(uintptr_t)4096, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 10);
	struct sample_block good = {{0}, NULL, 0, 0};
	struct smelt_launch next = sample_launch(SAMPLE_ADD, &good, 10);
	uint64_t host[10] = {0};
	smelt_buffer *buffer;
	smelt_stream *other;

	setup();
	runs(smelt_stream_create(device, &other));
	runs(smelt_kernel_launch(other, &launch));
	usleep(200000);
	CHECK_INT(smelt_buffer_create(device, UINT64_C(1) << 30, &buffer),
		  SMELT_EDEVICE_LOST);
	CHECK_TEXT(smelt_last_error(),
		   "stopped working (last launch: t::add at here.c:1): ");
	CHECK_INT(smelt_kernel_launch(stream, &next), SMELT_EDEVICE_LOST);
	CHECK_INT(smelt_map_begin(stream, host, sizeof(host), SMELT_MAP_TO,
				  &(void *){NULL}),
		  SMELT_EDEVICE_LOST);
	CHECK_INT(smelt_stream_wait(other), SMELT_EDEVICE_LOST);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EDEVICE_LOST);
	CHECK_INT(smelt_stream_destroy(other), SMELT_EDEVICE_LOST);
}

/* An array split over two devices, a thread and a stream for each, and copies
 * between them; they are one GPU here. */
#define PART ((UINT64_C(1) << 20) / less_work)

static void *
use_device(void *data)
{
	uint64_t index = (uint64_t)(uintptr_t)data;
	uint64_t *host = malloc(PART * 8), wrong = 0;
	smelt_buffer *mine, *other;
	smelt_device *here, *there;
	smelt_stream *on, *beyond;

	runs(smelt_device_get((uint32_t)index, &here));
	runs(smelt_device_get((uint32_t)!index, &there));
	runs(smelt_device_stream(there, &beyond));
	runs(smelt_stream_create(here, &on));
	runs(smelt_buffer_create(here, PART * 8, &mine));
	runs(smelt_buffer_create(there, PART * 8, &other));
	for (uint64_t i = 0; i < PART; i++)
		host[i] = index * PART + i;
	runs(smelt_buffer_write(on, mine, 0, host, PART * 8));
	for (int round = 0; round < 20; round++) {
		runs(add_to(on, mine, PART, 1));
		runs(smelt_buffer_copy(NULL, other, 0, mine, 0, PART * 8));
		runs(add_to(beyond, other, PART, 1));
		runs(smelt_buffer_copy(on, mine, 0, other, 0, PART * 8));
	}
	runs(smelt_buffer_read(on, mine, 0, host, PART * 8));
	for (uint64_t i = 0; i < PART; i++)
		wrong += host[i] != index * PART + i + 40;
	CHECK_INT(wrong, 0);
	runs(smelt_buffer_destroy(mine));
	runs(smelt_buffer_destroy(other));
	runs(smelt_stream_destroy(on));
	free(host);
	return NULL;
}

static void
two_devices(void)
{
	pthread_t threads_of[2];
	uint32_t count;

	setenv("SMELT_GPU_DEVICES", "2", 1);
	setenv("SMELT_DEVICE", tested == SMELT_DEVICE_AMD ? "amd" : "nvidia",
	       1);
	smelt_image_register(sample_image());
	runs(smelt_device_count(&count));
	CHECK(count >= 2);
	for (uintptr_t i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads_of[i], NULL, use_device,
				      (void *)i));
	for (int i = 0; i < 2; i++)
		pthread_join(threads_of[i], NULL);
}

/* Two processes, so two contexts, at the same time; a fault in one is none in
 * the other. */
static void
two_processes(void)
{
	int statuses[2] = {-1, -1};
	pid_t children[2];

	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		setup();
		for (int round = 0; round < 50; round++)
			run_add();
		if (i == 0) {
			struct sample_block bad = {
				{0}, (uint64_t *)(uintptr_t)4096, 10, 0};
			struct smelt_launch launch =
				sample_launch(SAMPLE_ADD, &bad, 10);

			runs(smelt_kernel_launch(stream, &launch));
			CHECK_INT(smelt_stream_wait(stream),
				  SMELT_EDEVICE_LOST);
		}
		for (int round = 0; i && round < 200; round++)
			run_add();
		fflush(stdout);
		_exit(unit_failures != 0);
	}
	for (int i = 0; i < 2; i++)
		waitpid(children[i], &statuses[i], 0);
	/* LLVM's plugin ends a process for a fault of an AMD GPU. */
	if (tested == SMELT_DEVICE_AMD)
		CHECK(WIFSIGNALED(statuses[0]));
	else
		CHECK_INT(statuses[0], 0);
	CHECK_INT(statuses[1], 0);
}

static volatile unsigned called;

static void
note(void *data)
{
	(void)data;
	called = 1;
}

static void
timed_events(void)
{
	const uint64_t size = (1 << 30) / less_work;
	smelt_event *from, *to;
	smelt_buffer *buffer;
	int64_t time;

	setup();
	runs(smelt_buffer_create(device, size, &buffer));
	runs(smelt_event_record_timed(stream, &from));
	runs(smelt_buffer_fill(stream, buffer, 0, "ab", 2, size));
	runs(smelt_event_record_timed(stream, &to));
	runs(smelt_event_elapsed(from, to, &time));
	/* 1 GiB at anything from 0.05 to 20 TB/s. */
	if (tested == SMELT_DEVICE_AMD)
		CHECK(time > 0);
	else
		CHECK(time > 50000 && time < 20000000);
	runs(smelt_stream_call(stream, note, NULL));
	runs(smelt_stream_wait(stream));
	for (int i = 0; i < 100 && !called; i++)
		usleep(10000);
	CHECK(called);
	runs(smelt_event_destroy(from));
	runs(smelt_event_destroy(to));
	runs(smelt_buffer_destroy(buffer));
}

/* The kind of a device, asked for in another process. */
static int
kind_of(uint32_t index)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		struct smelt_device_info info = {.size = sizeof(info)};

		if (smelt_device_get(index, &device))
			_exit(0);
		smelt_device_info(device, &info);
		fprintf(stderr, "gpu %u: %s %s, driver %s\n", index, info.name,
			info.arch, info.driver);
		_exit((int)info.kind);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int
main(int argc, char **argv)
{
	if (argc == 3) {
		sample_use_amd(argv[1], argv[2]);
		tested = SMELT_DEVICE_AMD;
		less_work = 64;
	}
	for (; kind_of(number) == tested; number++) {
		RUN(add);
		RUN(threads);
		RUN(panics);
		RUN(memory_calls);
		RUN(fills);
		RUN(streams_and_events);
		RUN(in_flight);
		RUN(aligned);
		RUN(buffers);
		RUN(pageable);
		RUN(timed_events);
		if (tested != SMELT_DEVICE_AMD)
			RUN(lost);
		RUN(two_devices);
		RUN(two_processes);
	}
	if (!number) {
		printf("there is no GPU of the kind here\n");
		return 77;
	}
	return unit_failed != 0;
}
