/*
 * Copies of pageable memory: right at every size, from several threads at once,
 * with the host's memory changed at once, and given up cleanly when the device
 * fails at any call.
 */
#include "unit.h"

#include "runtime/runtime.h"
#include "sample.h"

#include <pthread.h>

static smelt_device *device;
static smelt_stream *stream;

static void
setup(const char *choice)
{
	if (strcmp(choice, "null") != 0)
		sample_use_fake();
	setenv("SMELT_DEVICE", choice, 1);
	/* Many parts even for little memory. */
	rt_slot_size = 1000;
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static void
fill(unsigned char *memory, size_t size, unsigned seed)
{
	for (size_t i = 0; i < size; i++)
		memory[i] = (unsigned char)((i * 2654435761u + seed) >> 13);
}

/* There and back; the memory is overwritten as soon as it may be. */
static void
round_trip(smelt_stream *on, size_t size, unsigned seed)
{
	unsigned char *in = malloc(size), *out = malloc(size);
	smelt_buffer *buffer;

	fill(in, size, seed);
	memset(out, 0, size);
	CHECK_INT(smelt_buffer_create(device, size, &buffer), 0);
	CHECK_INT(smelt_buffer_write(on, buffer, 0, in, size), 0);
	memset(in, 0xee, size);
	CHECK_INT(smelt_buffer_read(on, buffer, 0, out, size), 0);
	fill(in, size, seed);
	CHECK(!memcmp(in, out, size));
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	free(in);
	free(out);
}

static void
sizes(const char *choice)
{
	static const size_t list[] = {1,     7,	    999,   1000,  1001,	  1999,
				      2000,  2001,  8000,  15999, 16000,  16001,
				      17000, 31999, 32000, 33000, 40001,  64000,
				      70007, 80000, 99999, 99,	  123456, 1};

	setup(choice);
	for (size_t i = 0; i < array_count(list); i++)
		round_trip(stream, list[i], (unsigned)i);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

static void
sizes_late(void)
{
	sizes("nvidia");
}

static void
sizes_null(void)
{
	sizes("null");
}

/* Slots as large as they are, which are moved past the caches, from and to
 * addresses that are aligned to nothing. Nothing beyond is touched. */
static void
large(void)
{
	static const size_t list[] = {262143,  262144,	      300001,
				      2 << 20, (2 << 20) + 1, (9 << 20) + 77};

	setup("null");
	rt_slot_size = 2 << 20;
	for (size_t i = 0; i < array_count(list); i++) {
		size_t size = list[i], shift = i * 7 + 1;
		unsigned char *in = malloc(size + 128);
		unsigned char *out = malloc(size + 128);
		smelt_buffer *buffer;

		fill(in, size + 128, (unsigned)i);
		memset(out, 0xee, size + 128);
		CHECK_INT(smelt_buffer_create(device, size + 64, &buffer), 0);
		CHECK_INT(smelt_buffer_write(NULL, buffer, shift, in + shift,
					     size),
			  0);
		CHECK_INT(smelt_buffer_read(NULL, buffer, shift, out + shift,
					    size),
			  0);
		CHECK(!memcmp(in + shift, out + shift, size));
		CHECK(out[shift - 1] == 0xee && out[shift + size] == 0xee);
		CHECK_INT(smelt_buffer_destroy(buffer), 0);
		free(in);
		free(out);
	}
}

static void *
one_thread(void *data)
{
	unsigned seed = *(unsigned *)data;
	smelt_stream *own;

	CHECK_INT(smelt_stream_create(device, &own), 0);
	for (unsigned i = 0; i < 40; i++)
		round_trip(i % 3 ? own : stream,
			   1 + (seed * 7919 + i * 977) % 40000, seed + i);
	CHECK_INT(smelt_stream_destroy(own), 0);
	return NULL;
}

static void
threads(void)
{
	pthread_t list[6];
	unsigned seeds[6];

	setup("null");
	for (unsigned i = 0; i < 6; i++) {
		seeds[i] = i + 1;
		CHECK(!pthread_create(&list[i], NULL, one_thread, &seeds[i]));
	}
	for (unsigned i = 0; i < 6; i++)
		pthread_join(list[i], NULL);
}

/* A copy of one part leaves a slot in use; many, and none is reused early. */
static void
small_ones(void)
{
	unsigned char out[64 * 100], in[100];
	smelt_buffer *buffer;

	setup("nvidia");
	CHECK_INT(smelt_buffer_create(device, sizeof(out), &buffer), 0);
	for (unsigned i = 0; i < 64; i++) {
		memset(in, (int)i, sizeof(in));
		CHECK_INT(smelt_buffer_write(stream, buffer, i * 100, in, 100),
			  0);
	}
	CHECK_INT(smelt_buffer_read(stream, buffer, 0, out, sizeof(out)), 0);
	for (unsigned i = 0; i < sizeof(out); i++)
		if (out[i] != i / 100) {
			CHECK_INT(out[i], i / 100);
			break;
		}
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* A slot is in use by a stream that goes away. */
static void
stream_gone(void)
{
	smelt_stream *other;
	smelt_buffer *buffer;
	char in[100] = "text", out[100];

	setup("nvidia");
	CHECK_INT(smelt_buffer_create(device, 100, &buffer), 0);
	for (int i = 0; i < 40; i++) {
		CHECK_INT(smelt_stream_create(device, &other), 0);
		CHECK_INT(smelt_buffer_write(other, buffer, 0, in, 100), 0);
		CHECK_INT(smelt_stream_destroy(other), 0);
	}
	CHECK_INT(smelt_buffer_read(NULL, buffer, 0, out, 100), 0);
	CHECK(!strcmp(out, "text"));
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* Each call to the device fails in turn. */
static void
failures(void)
{
	unsigned char *host = malloc(30000), *kept = malloc(30000);
	smelt_buffer *buffer;
	uint64_t calls;
	int64_t live;

	setup("null");
	fill(host, 30000, 1);
	CHECK_INT(smelt_buffer_create(device, 30000, &buffer), 0);
	round_trip(stream, 30000, 3);
	null_fail_at(0);
	round_trip(stream, 30000, 3);
	calls = null_fail_at(0);
	CHECK(calls > 100);
	live = null_live();
	for (uint64_t n = 1; n <= calls; n++) {
		int wrote, read;

		null_fail_at(n);
		wrote = smelt_buffer_write(stream, buffer, 0, host, 30000);
		if (wrote) {
			CHECK_TEXT(smelt_last_error(),
				   "copy to device 0 at staging.c:9: ");
			CHECK_TEXT(smelt_last_error(), "failed, as the test");
		}
		read = smelt_buffer_read(stream, buffer, 0, kept, 30000);
		if (read && !wrote)
			CHECK_TEXT(smelt_last_error(), "failed, as the test");
		null_fail_at(0);
		CHECK_INT(smelt_buffer_write(stream, buffer, 0, host, 30000),
			  0);
		CHECK_INT(smelt_buffer_read(stream, buffer, 0, kept, 30000), 0);
		CHECK(!memcmp(host, kept, 30000));
		CHECK(null_live() <= live + 17);
	}
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
	free(host);
	free(kept);
}

static void
failures_told(void)
{
	smelt_at("staging.c", 9, 9);
	failures();
}

/* No memory for slots: the engine copies by itself. */
static void
no_slots(void)
{
	unsigned char in[5000], out[5000];
	smelt_buffer *buffer;

	setup("null");
	fill(in, sizeof(in), 5);
	CHECK_INT(smelt_buffer_create(device, 5000, &buffer), 0);
	null_fail_at(1);
	CHECK_INT(smelt_buffer_write(stream, buffer, 0, in, 5000), 0);
	null_fail_at(1);
	CHECK_INT(smelt_buffer_read(stream, buffer, 0, out, 5000), 0);
	null_fail_at(0);
	CHECK(!memcmp(in, out, sizeof(in)));
	CHECK_INT(smelt_buffer_destroy(buffer), 0);
}

/* The end of the process stops copies, and waits for those that run. */
static void
stopped(void)
{
	setup("null");
	round_trip(stream, 20000, 1);
	rt_stage_stop();
	round_trip(stream, 20000, 2);
}

int
main(void)
{
	RUN(sizes_late);
	RUN(sizes_null);
	RUN(large);
	RUN(threads);
	RUN(small_ones);
	RUN(stream_gone);
	RUN(failures_told);
	RUN(no_slots);
	RUN(stopped);
	return unit_failed != 0;
}
