/*
 * Every call to the device fails in turn: the error comes out, nothing is lost
 * or leaked, and the next try works.
 */
#include "unit.h"

#include "runtime/engine.h"
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
	smelt_event *event = NULL;

	(void)(fine(smelt_memory_fill(stream, memory, &pattern, 8, 80)) &&
	       fine(smelt_kernel_launch(stream, &launch)) &&
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
	if (read)
		fine(smelt_map_end(stream, host + 100, 100, SMELT_MAP_TO));
	if (!written)
		return;
	fine(smelt_map_end(stream, host, 100, SMELT_MAP_TOFROM));
	/* It has ended, failed or not. */
	CHECK_INT(smelt_map_end(stream, host, 100, SMELT_MAP_TOFROM),
		  SMELT_EINVALID);
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
	uint64_t calls, failures = 0;
	int64_t live;

	setenv("SMELT_DEVICE", "null", 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(session(host), 0);
	null_fail_at(0);
	CHECK_INT(session(host), 0);
	calls = null_fail_at(0);
	CHECK(calls > 15);
	live = null_live();
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
		CHECK(null_live() >= live && null_live() <= live + 8);
	}
	/* Some failures are made good: an event that cannot be made. */
	CHECK(failures + 8 > calls && failures <= calls);
	CHECK_INT(session(host), 0);
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
	CHECK_TEXT(smelt_last_error(), "kernel t::add: launch failed");
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	null_fail_at(1);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EDEVICE_LOST);
	CHECK_TEXT(smelt_last_error(), "last launch: t::add");
	null_fail_at(0);
}

int
main(void)
{
	RUN(in_turn);
	RUN(opening);
	RUN(loading);
	return unit_failed != 0;
}
