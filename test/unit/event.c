/*
 * Streams beside each other, events, and calls of the host: on the stand-in for
 * LLVM Offload, where nothing happens before it must, and on the CPU, where all
 * has happened already.
 */
#include "unit.h"

#include "runtime/runtime.h"
#include "sample.h"

#include <pthread.h>

static smelt_device *device;
static smelt_stream *a, *b;

static void
setup(const char *choice)
{
	sample_use_fake();
	setenv("SMELT_DEVICE", choice, 1);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_stream_create(device, &a), 0);
	CHECK_INT(smelt_stream_create(device, &b), 0);
}

/* Without a tracked buffer only events keep an order. */
static void
follow(void)
{
	char in[100] = "first", out[100] = "";
	smelt_event *event;
	void *memory;

	setup("nvidia");
	CHECK_INT(smelt_memory_alloc(device, 100, &memory), 0);
	CHECK_INT(smelt_copy_to_device(a, memory, in, 100), 0);
	CHECK_INT(smelt_stream_follow(b, a), 0);
	CHECK_INT(smelt_copy_from_device(b, out, memory, 100), 0);
	CHECK(!strcmp(out, "first"));
	CHECK_INT(smelt_copy_to_device(b, memory, "next", 5), 0);
	CHECK_INT(smelt_event_record(b, &event), 0);
	CHECK_INT(smelt_event_query(event), 1);
	CHECK_INT(smelt_stream_query(b), 1);
	CHECK_INT(smelt_stream_wait_event(a, event), 0);
	CHECK_INT(smelt_event_destroy(event), 0);
	CHECK_INT(smelt_copy_from_device(a, out, memory, 100), 0);
	CHECK(!strcmp(out, "next"));
	CHECK_INT(smelt_stream_wait(b), 0);
	CHECK_INT(smelt_stream_query(b), 0);
	CHECK_INT(smelt_stream_follow(a, a), 0);
	CHECK_INT(smelt_stream_follow(a, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_memory_free(device, a, memory), 0);
	CHECK_INT(smelt_stream_destroy(a), 0);
	/* All that a destroyed one was given is over. */
	CHECK_INT(smelt_stream_follow(b, a), 0);
}

static void
timed(const char *choice)
{
	smelt_event *first, *second, *plain;
	int64_t time = -1;
	uint64_t zero = 0;
	void *memory;

	setup(choice);
	CHECK_INT(smelt_memory_alloc(device, 800, &memory), 0);
	CHECK_INT(smelt_event_record_timed(a, &first), 0);
	CHECK_INT(smelt_memory_fill(a, memory, &zero, 8, 800), 0);
	CHECK_INT(smelt_event_record_timed(a, &second), 0);
	CHECK_INT(smelt_event_record(a, &plain), 0);
	CHECK_INT(smelt_event_elapsed(first, second, &time), 0);
	CHECK(time >= 0 && time < 1000000000);
	CHECK_INT(smelt_event_elapsed(second, first, &time), 0);
	CHECK(time <= 0);
	CHECK_INT(smelt_event_elapsed(first, plain, &time), SMELT_EINVALID);
	CHECK_INT(smelt_event_elapsed(first, second, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_event_destroy(first), 0);
	CHECK_INT(smelt_event_destroy(second), 0);
	CHECK_INT(smelt_event_destroy(plain), 0);
	/* Destroyed before the stream comes to it. */
	CHECK_INT(smelt_event_record_timed(a, &first), 0);
	CHECK_INT(smelt_event_destroy(first), 0);
	CHECK_INT(smelt_memory_free(device, a, memory), 0);
	CHECK_INT(smelt_stream_wait(a), 0);
}

static void
timed_late(void)
{
	timed("nvidia");
}

static void
timed_cpu(void)
{
	timed("cpu");
}

/* Events whose stream is gone: they are over. */
static void
outlived(void)
{
	smelt_event *first, *second, *third;
	uint64_t zero = 0;
	int64_t time;
	void *memory;

	setup("nvidia");
	CHECK_INT(smelt_memory_alloc(device, 800, &memory), 0);
	CHECK_INT(smelt_event_record_timed(a, &first), 0);
	CHECK_INT(smelt_memory_fill(a, memory, &zero, 8, 800), 0);
	CHECK_INT(smelt_event_record_timed(a, &second), 0);
	CHECK_INT(smelt_event_record(a, &third), 0);
	CHECK_INT(smelt_event_destroy(second), 0);
	CHECK_INT(smelt_event_record_timed(a, &second), 0);
	CHECK_INT(smelt_stream_destroy(a), 0);
	CHECK_INT(smelt_event_wait(third), 0);
	CHECK_INT(smelt_event_query(third), 0);
	CHECK_INT(smelt_stream_wait_event(b, third), 0);
	CHECK_INT(smelt_event_elapsed(first, second, &time), 0);
	CHECK_INT(smelt_event_destroy(first), 0);
	CHECK_INT(smelt_event_destroy(third), 0);
	CHECK_INT(smelt_event_destroy(second), 0);
	CHECK_INT(smelt_memory_free(device, b, memory), 0);
}

static smelt_buffer *tossed;

/* Makes streams that use one buffer by atomics, and destroys them at once. */
static void *
come_and_go(void *unused)
{
	struct sample_block block = {{0}, smelt_buffer_memory(tossed), 8, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 8);
	struct smelt_use use = {tossed, RT_ATOMIC};

	(void)unused;
	launch.uses = &use;
	launch.use_count = 1;
	for (int i = 0; i < 25; i++) {
		smelt_stream *own;
		uint64_t out;

		CHECK_INT(smelt_stream_create(device, &own), 0);
		CHECK_INT(smelt_kernel_launch(own, &launch), 0);
		CHECK_INT(smelt_buffer_read(NULL, tossed, 0, &out, 8), 0);
		CHECK_INT(smelt_stream_destroy(own), 0);
	}
	return NULL;
}

/* A buffer's streams go away while other threads put themselves in order after
 * them. */
static void
going_meanwhile(void)
{
	pthread_t threads[4];

	smelt_image_register(sample_image());
	setup("nvidia");
	CHECK_INT(smelt_buffer_create(device, 64, &tossed), 0);
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, come_and_go, NULL));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(smelt_buffer_destroy(tossed), 0);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned order[100], called;

static void
note(void *data)
{
	smelt_buffer *buffer = NULL;

	/* The library may be used here. */
	CHECK_INT(smelt_buffer_create(device, 100, &buffer), 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	pthread_mutex_lock(&lock);
	order[called++] = *(unsigned *)data;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void
calls(const char *choice)
{
	static unsigned numbers[100];

	setup(choice);
	for (unsigned i = 0; i < 100; i++) {
		numbers[i] = i;
		CHECK_INT(smelt_stream_call(a, note, &numbers[i]), 0);
	}
	CHECK_INT(smelt_stream_wait(a), 0);
	pthread_mutex_lock(&lock);
	while (called < 100)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	for (unsigned i = 0; i < 100; i++)
		CHECK_INT(order[i], i);
	CHECK_INT(smelt_stream_call(a, NULL, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_stream_call(NULL, note, NULL), SMELT_EINVALID);
}

static void
calls_late(void)
{
	calls("nvidia");
}

static void
calls_cpu(void)
{
	calls("cpu");
}

/* Several devices of one kind, and the choice among them. */
static void
many_devices(void)
{
	struct smelt_counters counters = {.size = sizeof(counters)};
	smelt_device *devices[3];
	uint32_t count;

	setenv("SMELT_NULL_DEVICES", "3", 1);
	setenv("SMELT_CPU_DEVICES", "2", 1);
	setenv("SMELT_DEVICE", "null", 1);
	CHECK_INT(smelt_device_count(&count), 0);
	CHECK_INT(count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		smelt_buffer *buffer;

		CHECK_INT(smelt_device_get(i, &devices[i]), 0);
		CHECK_INT(smelt_buffer_create(devices[i], 100, &buffer), 0);
		CHECK_INT(smelt_buffer_write(NULL, buffer, 0, "text", i + 1),
			  0);
		CHECK_INT(smelt_buffer_destroy(buffer), 0);
	}
	for (uint32_t i = 0; i < 3; i++) {
		CHECK_INT(smelt_device_counters(devices[i], &counters), 0);
		CHECK_INT(counters.bytes_to, i + 1);
		CHECK_INT(counters.copies_to, 1);
	}
	CHECK_INT(smelt_device_counters(NULL, &counters), SMELT_EINVALID);
	/* No order between queues of two devices: the thread waits. */
	CHECK_INT(smelt_stream_follow(devices[0]->stream, devices[1]->stream),
		  0);
}

int
main(void)
{
	RUN(follow);
	RUN(timed_late);
	RUN(timed_cpu);
	RUN(outlived);
	RUN(going_meanwhile);
	RUN(calls_late);
	RUN(calls_cpu);
	RUN(many_devices);
	return unit_failed != 0;
}
