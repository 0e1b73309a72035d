/*
 * Much work, from many threads, in no particular order. SMELT_LOAD=N does N
 * times as much: 10 takes seconds, 100 minutes, 10000 hours.
 */
#include "unit.h"

#include "runtime/runtime.h"
#include "sample.h"

#include <pthread.h>
#include <time.h>

static smelt_device *device;
static smelt_stream *stream;

static unsigned
times(unsigned n)
{
	const char *load = getenv("SMELT_LOAD");
	int factor = load ? atoi(load) : 1;

	return n * (factor > 1 ? (unsigned)factor : 1);
}

static void
setup(const char *choice)
{
	setenv("SMELT_DEVICE", choice, 1);
	smelt_image_register(sample_image());
	rt_slot_size = 4096;
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static unsigned
next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static smelt_buffer *
create(uint64_t size)
{
	smelt_buffer *buffer = NULL;

	CHECK_INT(smelt_buffer_create(device, size, &buffer), 0);
	return buffer;
}

static int
add(smelt_stream *on, smelt_buffer *buffer, uint64_t n)
{
	struct sample_block block = {
		{0}, buffer ? smelt_buffer_memory(buffer) : NULL, n, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 64);
	struct smelt_use use = {buffer, 1};

	launch.uses = buffer ? &use : NULL;
	launch.use_count = buffer != NULL;
	return smelt_kernel_launch(on, &launch);
}

/* 100,000, or 10 million with SMELT_LOAD=100. */
static void
launches(void)
{
	struct smelt_counters counters = {.size = sizeof(counters)};
	unsigned count = times(100000), wrong = 0;
	smelt_buffer *buffer;

	setup("null");
	buffer = create(1000);
	for (unsigned i = 0; i < count; i++)
		wrong += add(stream, buffer, 0) != 0;
	CHECK_INT(wrong, 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(smelt_device_counters(device, &counters), 0);
	CHECK_INT(counters.launches, count);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

static smelt_buffer *shared;

/* Launches, copies, buffers, events; sometimes a wait. */
static void
some_work(smelt_stream *on, unsigned *seed)
{
	uint64_t host[600];
	smelt_event *event;
	smelt_buffer *own = create(100 + next(seed) % 9000);
	uint64_t zero = 0;

	memset(host, (int)*seed, sizeof(host));
	CHECK_INT(smelt_buffer_fill(on, own, 0, &zero, 8, 96), 0);
	CHECK_INT(add(on, own, 12), 0);
	switch (next(seed) % 6) {
	case 0:
		CHECK_INT(smelt_stream_wait(on), 0);
		break;
	case 1:
		CHECK_INT(smelt_event_record(on, &event), 0);
		CHECK_INT(smelt_stream_wait_event(stream, event), 0);
		CHECK_INT(smelt_event_destroy(event), 0);
		break;
	case 2:
		CHECK_INT(smelt_buffer_copy(on, own, 0, shared, 0, 100), 0);
		break;
	case 3:
		CHECK_INT(smelt_buffer_write(on, own, 0, host, 100), 0);
		break;
	case 4:
		CHECK_INT(
			smelt_buffer_read(NULL, shared, 0, host, sizeof(host)),
			0);
		break;
	default:
		CHECK_INT(smelt_stream_follow(on, stream), 0);
	}
	CHECK_INT(smelt_buffer_destroy(own), 0);
}

static void *
on_own_stream(void *data)
{
	unsigned seed = *(unsigned *)data;
	smelt_stream *own;

	for (unsigned round = 0; round < times(4); round++) {
		CHECK_INT(smelt_stream_create(device, &own), 0);
		for (int i = 0; i < 300; i++)
			some_work(own, &seed);
		CHECK_INT(smelt_stream_destroy(own), 0);
	}
	return NULL;
}

static void *
on_one_stream(void *data)
{
	unsigned seed = *(unsigned *)data;

	for (unsigned i = 0; i < times(1000); i++)
		some_work(stream, &seed);
	return NULL;
}

static void
eight(const char *choice, void *(*function)(void *))
{
	pthread_t threads[8];
	unsigned seeds[8];
	uint64_t before, after;

	setup(choice);
	shared = create(8000);
	CHECK_INT(smelt_device_memory(device, NULL, &before, NULL), 0);
	for (unsigned i = 0; i < 8; i++) {
		seeds[i] = i;
		CHECK(!pthread_create(&threads[i], NULL, function, &seeds[i]));
	}
	for (unsigned i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(smelt_device_wait(device), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &after, NULL), 0);
	CHECK_INT(after, before);
	CHECK_INT(smelt_buffer_destroy(shared), 0);
}

static void
eight_streams(void)
{
	eight("null", on_own_stream);
}

static void
eight_on_one(void)
{
	eight("null", on_one_stream);
}

static void
eight_on_cpu(void)
{
	eight("cpu", on_own_stream);
}

/* Made and dropped in random order, with work on several streams. */
static void
buffers(void)
{
	static smelt_buffer *held[1000];
	smelt_stream *streams[4];
	unsigned seed = 1;
	uint64_t before, after, pooled, size = 0;
	int64_t live;

	setup("null");
	for (int i = 0; i < 4; i++)
		CHECK_INT(smelt_stream_create(device, &streams[i]), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &before, NULL), 0);
	live = null_live();
	for (unsigned i = 0; i < times(100000); i++) {
		unsigned at = next(&seed) % 1000;

		if (held[at])
			smelt_buffer_destroy(held[at]);
		size = 64 + (uint64_t)(next(&seed) % 4000) * (at % 8 + 1);
		held[at] = create(size & ~UINT64_C(7));
		if (i % 3 == 0)
			add(streams[next(&seed) % 4], held[at], 8);
		if (i % 1000 == 0)
			smelt_stream_wait(streams[next(&seed) % 4]);
	}
	for (int i = 0; i < 1000; i++)
		smelt_buffer_destroy(held[i]);
	for (int i = 0; i < 4; i++)
		CHECK_INT(smelt_stream_destroy(streams[i]), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &after, &pooled), 0);
	CHECK_INT(after, before - 4 * 256);
	/* What 1000 live buffers needed, and no event left. */
	CHECK(null_live() < live + 3000);
	rt_pool_release(device);
	CHECK_INT(smelt_device_memory(device, NULL, NULL, &pooled), 0);
	CHECK_INT(pooled, 0);
}

static void *
copy_for_ever(void *data)
{
	size_t size = 8 << 20;
	char *host = calloc(1, size);
	smelt_buffer *buffer = create(size);

	(void)data;
	for (;;) {
		if (smelt_buffer_write(NULL, buffer, 0, host, size) ||
		    smelt_buffer_read(NULL, buffer, 0, host, size))
			pause();
	}
	return NULL;
}

/* The process ends, in a thread of its own choice, amid copies. */
static void
end_midway(void)
{
	static const struct timespec soon = {0, 30000000};
	pthread_t thread;

	setup("null");
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&thread, NULL, copy_for_ever, NULL));
	nanosleep(&soon, NULL);
}

/* A child of a process that used a device is told so, and may exit. */
static void
forked(void)
{
	smelt_buffer *buffer;
	pid_t child;
	int status = 1;

	setup("null");
	buffer = create(100);
	child = fork();
	if (child == 0) {
		char host[8];
		smelt_stream *other;

		CHECK_INT(smelt_buffer_read(NULL, buffer, 0, host, 8),
			  SMELT_EUNSUPPORTED);
		CHECK_TEXT(smelt_last_error(), "forked");
		CHECK_INT(smelt_buffer_destroy(buffer), SMELT_EUNSUPPORTED);
		CHECK_INT(add(stream, NULL, 0), SMELT_EUNSUPPORTED);
		CHECK_INT(smelt_stream_wait(stream), SMELT_EUNSUPPORTED);
		CHECK_INT(smelt_device_wait(device), SMELT_EUNSUPPORTED);
		CHECK_INT(smelt_stream_create(device, &other),
			  SMELT_EUNSUPPORTED);
		CHECK_INT(smelt_buffer_create(device, 8, &buffer),
			  SMELT_EUNSUPPORTED);
		exit(unit_failures != 0);
	}
	waitpid(child, &status, 0);
	CHECK_INT(status, 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

int
main(void)
{
	RUN(launches);
	RUN(eight_streams);
	RUN(eight_on_one);
	RUN(eight_on_cpu);
	RUN(buffers);
	RUN(end_midway);
	RUN(forked);
	return unit_failed != 0;
}
