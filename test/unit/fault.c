/*
 * Every call to the device fails in turn: the error comes out, nothing is lost
 * or leaked, and the next try works.
 */
#include "unit.h"

#include "runtime/runtime.h"
#include "sample.h"

static smelt_device *device;

/* The first error of a session, and its text. */
static int first;
static char first_text[256];

/* Whether to go on; keeps the first error. */
static bool
fine(int result)
{
	if (result && !first) {
		first = result;
		snprintf(first_text, sizeof(first_text), "%s",
			 smelt_last_error());
	}
	return !first;
}

static void
give_work(smelt_stream *stream, smelt_stream *other, void *memory)
{
	uint64_t pattern = 3;
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 16);
	struct smelt_launch print = sample_launch(SAMPLE_PRINT, &block, 16);
	smelt_event *event = NULL;

	(void)(fine(smelt_memory_fill(stream, memory, &pattern, 8, 80)) &&
	       fine(smelt_kernel_launch(stream, &launch)) &&
	       fine(smelt_kernel_launch(stream, &print)) &&
	       fine(smelt_event_record(stream, &event)) &&
	       fine(smelt_stream_wait_event(other, event)) &&
	       fine(smelt_event_wait(event)));
	smelt_event_destroy(event);
}

static void
use_maps(smelt_stream *stream, smelt_stream *other, void *memory, char *host)
{
	void *written = NULL, *read = NULL;

	if (fine(smelt_map_begin(stream, host, 100, SMELT_MAP_TOFROM,
				 &written)) &&
	    fine(smelt_map_begin(stream, host + 100, 100, SMELT_MAP_TO, &read)))
		give_work(stream, other, memory);
	(void)(read &&
	       fine(smelt_map_update(stream, host + 150, 10, SMELT_MAP_TO)) &&
	       fine(smelt_map_update(other, host, 10, SMELT_MAP_FROM)));
	if (read)
		fine(smelt_map_end(stream, host + 100, 100, SMELT_MAP_TO));
	if (!written)
		return;
	fine(smelt_map_end(stream, host, 100, SMELT_MAP_TOFROM));
	/* It has ended, failed or not. */
	CHECK_INT(smelt_map_end(stream, host, 100, SMELT_MAP_TOFROM),
		  SMELT_EINVALID);
}

static void
nothing(void *data)
{
	(void)data;
}

static void
use_events(smelt_stream *stream, smelt_stream *other)
{
	smelt_event *from = NULL, *to = NULL;
	int64_t time;

	(void)(fine(smelt_event_record_timed(stream, &from)) &&
	       fine(smelt_stream_call(stream, nothing, NULL)) &&
	       fine(smelt_stream_follow(other, stream)) &&
	       fine(smelt_event_record_timed(stream, &to)) &&
	       fine(smelt_event_elapsed(from, to, &time)));
	smelt_event_destroy(from);
	smelt_event_destroy(to);
}

/* One buffer on two streams, and copies of many parts. */
static void
use_buffers(smelt_stream *stream, smelt_stream *other, char *host, char *pinned)
{
	smelt_buffer *one = NULL, *two = NULL;
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 16);
	struct smelt_use uses[2];

	if (!fine(smelt_buffer_create(device, 900, &one)) ||
	    !fine(smelt_buffer_create(device, 900, &two)))
		goto end;
	uses[0] = (struct smelt_use){one, RT_READ};
	uses[1] = (struct smelt_use){two, RT_WRITE};
	launch.uses = uses;
	launch.use_count = 2;
	smelt_at("here.c", 6, 7);
	(void)(fine(smelt_buffer_write(stream, one, 0, host, 900)) &&
	       fine(smelt_buffer_fill(other, two, 0, "ab", 2, 900)) &&
	       fine(smelt_kernel_launch(stream, &launch)) &&
	       fine(smelt_kernel_launch(other, &launch)) &&
	       fine(smelt_buffer_copy(NULL, one, 0, two, 0, 900)) &&
	       fine(smelt_buffer_write_async(stream, one, 0, pinned, 64)) &&
	       fine(smelt_buffer_read_async(other, one, 0, pinned, 64)) &&
	       fine(smelt_stream_check(other)) &&
	       fine(smelt_buffer_read(stream, one, 0, host, 900)) &&
	       fine(smelt_buffer_wait(two, 1)));
end:
	CHECK_INT(smelt_buffer_destroy(one), 0);
	CHECK_INT(smelt_buffer_destroy(two), 0);
}

/* All that a program does with a device; the first error. */
static int
session(char *host)
{
	smelt_stream *stream = NULL, *other = NULL;
	void *memory = NULL, *pinned = NULL;

	first = 0;
	if (fine(smelt_stream_create(device, &stream)) &&
	    fine(smelt_stream_create(device, &other)) &&
	    fine(smelt_memory_alloc(device, 5000, &memory)) &&
	    fine(smelt_host_alloc(device, 64, &pinned)) &&
	    fine(smelt_copy_to_device(stream, memory, host, 500))) {
		use_maps(stream, other, memory, host);
		use_events(stream, other);
		use_buffers(stream, other, host, pinned);
		fine(smelt_copy_from_device(stream, host, memory, 8));
	}
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
	CHECK_INT(smelt_host_free(device, pinned), 0);
	fine(smelt_stream_destroy(stream));
	fine(smelt_stream_destroy(other));
	return first;
}

static void
in_turn(void)
{
	char host[1000] = {0};
	uint64_t calls, failures = 0, before, after;
	int64_t live;

	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	rt_slot_size = 100;
	CHECK_INT(session(host), 0);
	null_fail_at(0);
	CHECK_INT(session(host), 0);
	calls = null_fail_at(0);
	CHECK(calls > 80);
	live = null_live();
	CHECK_INT(smelt_device_memory(device, NULL, &before, NULL), 0);
	for (uint64_t n = 1; n <= calls; n++) {
		int result;

		null_fail_at(n);
		result = session(host);
		CHECK(result <= 0);
		if (result) {
			failures++;
			CHECK_TEXT(first_text, "failed, as the test");
		}
		null_fail_at(0);
		/* Only the pool may hold more than before. */
		CHECK_INT(session(host), 0);
		CHECK(null_live() >= live && null_live() <= live + 24);
	}
	/* Some failures are made good: an order that the host keeps instead, a
	 * slot that cannot be asked for, pinned memory for a copy. */
	CHECK(failures + 29 > calls && failures <= calls);
	CHECK_INT(session(host), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &after, NULL), 0);
	CHECK_INT(after, before);
}

/* The first opening of the device fails, the second works. */
static void
opening(void)
{
	setenv("SMELT_DEVICE", "null", 1);
	for (uint64_t n = 1;; n++) {
		int result;

		null_fail_at(n);
		result = smelt_device_default(&device);
		if (!result)
			break;
		CHECK(device == NULL);
		CHECK_INT(null_live(), 0);
		CHECK(n < 20);
	}
	null_fail_at(0);
	CHECK(null_live() > 0);
	CHECK_INT(smelt_device_default(&device), 0);
}

/* Loading a kernel fails, and is tried again. */
static void
loading(void)
{
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 16);
	smelt_stream *stream;

	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	null_fail_at(1);
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_EENGINE);
	CHECK_TEXT(smelt_last_error(), "program_load");
	null_fail_at(2);
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ENO_KERNEL);
	CHECK_TEXT(smelt_last_error(), "kernel t::add on null device: "
				       "kernel_get");
	null_fail_at(2);
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_EENGINE);
	CHECK_TEXT(smelt_last_error(),
		   "kernel t::add, launched at here.c:1: launch "
		   "failed");
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	null_fail_at(1);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EDEVICE_LOST);
	CHECK_TEXT(smelt_last_error(),
		   "in one of 2 launches, which SMELT_PROFILE=1 tells apart; "
		   "the last: t::add at here.c");
	null_fail_at(0);
}

/* After a kernel has brought the device down every call says so, whatever the
 * driver says of it, and names the launches that it may have been. */
static void
lost(void)
{
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 16);
	smelt_stream *stream, *other, *more;
	smelt_buffer *buffer, *next;
	uint64_t host[100] = {0};
	smelt_event *event;
	void *memory;

	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_stream_create(device, &other), 0);
	CHECK_INT(smelt_buffer_create(device, 800, &buffer), 0);
	smelt_at("here.c", 6, 7);
	CHECK_INT(smelt_kernel_launch(other, &launch), 0);
	null_lose();
#define LOST(call)                                                             \
	CHECK_INT(call, SMELT_EDEVICE_LOST);                                   \
	CHECK_TEXT(smelt_last_error(), "null device stopped working (last "    \
				       "launch: t::add at here.c:7): ")
	smelt_at("there.c", 7, 8);
	LOST(smelt_buffer_create(device, 8000, &next));
	LOST(smelt_memory_alloc(device, 8000, &memory));
	LOST(smelt_host_alloc(device, 100, &memory));
	LOST(smelt_stream_create(device, &more));
	LOST(smelt_kernel_launch(stream, &launch));
	CHECK_TEXT(smelt_last_error(), "kernel t::add, launched at there.c:8");
	LOST(smelt_kernel_launch(other, &launch));
	LOST(smelt_buffer_write(stream, buffer, 0, host, 800));
	CHECK_TEXT(smelt_last_error(), "copy to device 0 at there.c:8: ");
	LOST(smelt_buffer_read(NULL, buffer, 0, host, 800));
	LOST(smelt_buffer_fill(NULL, buffer, 0, "a", 1, 800));
	LOST(smelt_map_begin(stream, host, 800, SMELT_MAP_TO, &memory));
	LOST(smelt_event_record(stream, &event));
	LOST(smelt_stream_call(stream, nothing, NULL));
	LOST(smelt_stream_query(other));
	LOST(smelt_stream_wait(stream));
	LOST(smelt_stream_wait(other));
	LOST(smelt_device_wait(device));
	LOST(smelt_stream_destroy(other));
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* While each launch is waited for, the one that did it is named by itself. */
static void
lost_profiled(void)
{
	struct sample_block block = {{0}, NULL, 10, 0};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 16);
	smelt_stream *stream;

	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_profile_start(), 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	/* The wait after the launch: program and kernel are there. */
	null_fail_at(3);
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_EDEVICE_LOST);
	CHECK_TEXT(smelt_last_error(), "null device stopped working (last "
				       "launch: t::add at here.c:1): ");
	CHECK_INT(smelt_profile_stop(), 0);
}

int
main(void)
{
	RUN(in_turn);
	RUN(opening);
	RUN(loading);
	RUN(lost);
	RUN(lost_profiled);
	return unit_failed != 0;
}
