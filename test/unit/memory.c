/*
 * Device memory, the pool, copies, fills, streams and events; on the CPU and on
 * the null device.
 */
#include "unit.h"

#include "runtime/engine.h"
#include "sample.h"

static smelt_device *device;
static smelt_stream *stream;

static void
setup(const char *name)
{
	setenv("SMELT_DEVICE", name, 1);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
}

static void
copies(void)
{
	static const uint64_t sizes[] = {1, 8, 255, 256, 257, 4096, 1000001};
	char *in = malloc(1000001), *out = malloc(1000001);

	for (size_t i = 0; i < 1000001; i++)
		in[i] = (char)(i * 7 + i / 251);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		void *a, *b;

		memset(out, 0, 1000001);
		CHECK_INT(smelt_memory_alloc(device, sizes[s], &a), 0);
		CHECK_INT(smelt_memory_alloc(device, sizes[s], &b), 0);
		CHECK((uintptr_t)a % 256 == 0 && a != b);
		CHECK_INT(smelt_copy_to_device(stream, a, in, sizes[s]), 0);
		CHECK_INT(smelt_copy_on_device(stream, b, a, sizes[s]), 0);
		CHECK_INT(smelt_copy_from_device(stream, out, b, sizes[s]), 0);
		CHECK(!memcmp(in, out, sizes[s]));
		CHECK_INT(smelt_memory_free(device, stream, a), 0);
		CHECK_INT(smelt_memory_free(device, NULL, b), 0);
	}
	free(in);
	free(out);
}

static void
fills(void)
{
	char pattern[16] = "0123456789abcdef";
	char out[96];
	void *memory;

	CHECK_INT(smelt_memory_alloc(device, sizeof(out), &memory), 0);
	for (uint64_t size = 1; size <= 16; size *= 2) {
		CHECK_INT(smelt_memory_fill(stream, memory, pattern, size,
					    sizeof(out)),
			  0);
		CHECK_INT(smelt_copy_from_device(stream, out, memory,
						 sizeof(out)),
			  0);
		for (size_t i = 0; i < sizeof(out); i++)
			CHECK_INT(out[i], pattern[i % size]);
	}
	CHECK_INT(smelt_memory_fill(stream, memory, pattern, 5, 96),
		  SMELT_EINVALID);
	CHECK_INT(smelt_memory_fill(stream, memory, pattern, 8, 97),
		  SMELT_EINVALID);
	CHECK_INT(smelt_memory_fill(stream, memory, pattern, 0, 0),
		  SMELT_EINVALID);
	CHECK_INT(smelt_memory_fill(stream, memory, NULL, 1, 1),
		  SMELT_EINVALID);
	CHECK_INT(smelt_memory_fill(stream, NULL, pattern, 1, 1),
		  SMELT_EINVALID);
	CHECK_INT(smelt_memory_fill(stream, NULL, pattern, 1, 0), 0);
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
}

/* Patterns of every kind of size, at odd addresses too; nothing beyond. */
static void
large_fills(void)
{
	static const uint64_t sizes[] = {1,  2,	 3,   4,    8,
					 12, 16, 100, 4096, 40000};
	const uint64_t room = 200004;
	unsigned char *pattern = malloc(40000), *out = malloc(room);
	void *memory;

	CHECK_INT(smelt_memory_alloc(device, room, &memory), 0);
	for (uint64_t i = 0; i < 40000; i++)
		pattern[i] = (unsigned char)(i * 7 + i / 251 + 1);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		uint64_t size = 190000 - 190000 % sizes[s], wrong = 0;
		uint64_t at = 1 + s % 2 * 3;

		CHECK_INT(smelt_memory_fill(stream, memory, "", 1, room), 0);
		CHECK_INT(smelt_memory_fill(stream, (char *)memory + at,
					    pattern, sizes[s], size),
			  0);
		CHECK_INT(smelt_copy_from_device(stream, out, memory, room), 0);
		for (uint64_t i = 0; i < size; i++)
			wrong += out[at + i] != pattern[i % sizes[s]];
		for (uint64_t i = at + size; i < room; i++)
			wrong += out[i] != 0;
		CHECK_INT(wrong + out[0], 0);
	}
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
	free(pattern);
	free(out);
}

static uint64_t
calls_of_fill(void *memory, const void *pattern, uint64_t pattern_size)
{
	null_fail_at(0);
	CHECK_INT(smelt_memory_fill(stream, memory, pattern, pattern_size,
				    8 << 20),
		  0);
	return null_fail_at(0);
}

/* One call where a device is fast at it, else a start and copies of it, which
 * double what is there. */
static void
fill_calls(void)
{
	const uint32_t word[] = {7, 7, 7, 7}, four[] = {1, 2, 3, 4};
	const double zero[] = {0, 0}, one = 1;
	void *memory;

	setup("null");
	CHECK_INT(smelt_memory_alloc(device, 8 << 20, &memory), 0);
	CHECK_INT(calls_of_fill(memory, zero, 8), 1);
	CHECK_INT(calls_of_fill(memory, zero, 16), 1);
	CHECK_INT(calls_of_fill(memory, word, 4), 1);
	CHECK_INT(calls_of_fill(memory, word, 16), 1);
	CHECK_INT(calls_of_fill(memory, &one, 8), 10);
	CHECK_INT(calls_of_fill(memory, four, 16), 10);
	null_fail_at(0);
	CHECK_INT(smelt_memory_fill(stream, memory, &one, 8, 4096), 0);
	CHECK_INT(null_fail_at(0), 1);
	/* Each of them may fail, and says so. */
	for (uint64_t n = 1; n <= 10; n++) {
		null_fail_at(n);
		CHECK_INT(smelt_memory_fill(stream, memory, &one, 8, 8 << 20),
			  SMELT_EENGINE);
		CHECK_TEXT(smelt_last_error(), "fill on device 0");
	}
	null_fail_at(0);
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
}

static void
bad_memory(void)
{
	uint64_t value = 1;
	void *memory, *empty;

	CHECK_INT(smelt_memory_alloc(NULL, 8, &memory), SMELT_EINVALID);
	CHECK_INT(smelt_memory_alloc(device, 8, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_memory_alloc(device, UINT64_MAX, &memory),
		  SMELT_ENO_DEVICE_MEMORY);
	CHECK(memory == NULL);
	CHECK_INT(smelt_memory_alloc(device, 0, &empty), 0);
	CHECK(empty != NULL);
	CHECK_INT(smelt_memory_free(device, stream, empty), 0);
	CHECK_INT(smelt_memory_free(device, stream, empty), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "freed before");
	CHECK_INT(smelt_memory_free(device, stream, &value), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "not memory of this device");
	CHECK_INT(smelt_memory_free(device, stream, NULL), 0);
	CHECK_INT(smelt_memory_free(NULL, stream, &value), SMELT_EINVALID);
	CHECK_INT(smelt_copy_to_device(stream, NULL, &value, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_copy_from_device(stream, &value, NULL, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_copy_on_device(NULL, &value, &value, 8),
		  SMELT_EINVALID);
	CHECK_INT(smelt_copy_to_device(stream, NULL, NULL, 0), 0);
	CHECK_INT(smelt_device_memory(NULL, NULL, NULL, NULL), SMELT_EINVALID);
}

static void
host_memory(void)
{
	void *memory;

	CHECK_INT(smelt_host_alloc(device, 100, &memory), 0);
	memset(memory, 1, 100);
	CHECK_INT(smelt_host_free(device, memory), 0);
	CHECK_INT(smelt_host_alloc(device, 0, &memory), 0);
	CHECK_INT(smelt_host_free(device, memory), 0);
	CHECK_INT(smelt_host_free(device, NULL), 0);
	CHECK_INT(smelt_host_alloc(NULL, 1, &memory), SMELT_EINVALID);
	CHECK_INT(smelt_host_alloc(device, 1, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_host_free(NULL, &memory), SMELT_EINVALID);
}

/* Freed memory of the same class comes back; counts are right. */
static void
pool(void)
{
	uint64_t used, held, used_before, held_before;
	void *a, *b;

	CHECK_INT(smelt_device_memory(device, NULL, &used_before, NULL), 0);
	CHECK_INT(smelt_memory_alloc(device, 1000, &a), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &used, &held_before), 0);
	CHECK_INT(used - used_before, 1024);
	CHECK_INT(smelt_memory_free(device, stream, a), 0);
	CHECK_INT(smelt_device_memory(device, NULL, &used, &held), 0);
	CHECK_INT(used, used_before);
	CHECK_INT(held - held_before, 1024);
	CHECK_INT(smelt_memory_alloc(device, 1024, &b), 0);
	CHECK(a == b);
	CHECK_INT(smelt_memory_free(device, stream, b), 0);
	CHECK_INT(smelt_memory_alloc(device, 1025, &b), 0);
	CHECK(a != b);
	CHECK_INT(smelt_memory_free(device, stream, b), 0);
}

static void
streams(void)
{
	smelt_stream *other;
	smelt_event *event;
	uint64_t in = 5, out = 0;
	void *memory;

	CHECK_INT(smelt_stream_create(device, &other), 0);
	CHECK_INT(smelt_memory_alloc(device, 8, &memory), 0);
	CHECK_INT(smelt_copy_to_device(other, memory, &in, 8), 0);
	CHECK_INT(smelt_event_record(other, &event), 0);
	CHECK_INT(smelt_stream_wait_event(stream, event), 0);
	CHECK_INT(smelt_event_wait(event), 0);
	CHECK_INT(smelt_copy_from_device(stream, &out, memory, 8), 0);
	CHECK_INT(out, 5);
	CHECK_INT(smelt_event_destroy(event), 0);
	CHECK_INT(smelt_event_destroy(NULL), 0);
	CHECK_INT(smelt_memory_free(device, other, memory), 0);
	CHECK_INT(smelt_stream_destroy(other), 0);
	CHECK_INT(smelt_event_record(NULL, &event), SMELT_EINVALID);
	CHECK_INT(smelt_event_record(stream, NULL), SMELT_EINVALID);
	CHECK_INT(smelt_event_wait(NULL), SMELT_EINVALID);
	CHECK_INT(smelt_stream_wait_event(stream, NULL), SMELT_EINVALID);
}

static void
all(const char *name)
{
	uint64_t available;

	setup(name);
	CHECK_INT(smelt_device_memory(device, &available, NULL, NULL), 0);
	CHECK(available > 1 << 20 && available < UINT64_C(1) << 50);
	copies();
	fills();
	large_fills();
	bad_memory();
	host_memory();
	pool();
	streams();
}

static void
on_cpu(void)
{
	all("cpu");
}

static void
on_null(void)
{
	all("null");
}

/* What a stream used is not handed out before its work is over, and is then;
 * freeing on an idle stream needs no event. */
static void
pending_frees(void)
{
	uint64_t zero = 0;
	int64_t live;
	void *a, *b, *memory;

	setup("null");
	CHECK_INT(smelt_memory_alloc(device, 1000, &a), 0);
	CHECK_INT(smelt_memory_fill(stream, a, &zero, 8, 800), 0);
	live = null_live();
	CHECK_INT(smelt_memory_free(device, stream, a), 0);
	CHECK_INT(null_live(), live + 1);
	/* The event cannot be asked: the block is passed over. */
	null_fail_at(1);
	CHECK_INT(smelt_memory_alloc(device, 1000, &b), 0);
	CHECK(a != b);
	null_fail_at(0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(smelt_memory_free(device, stream, b), 0);
	CHECK_INT(null_live(), live + 2); /* b, and the event of a */
	CHECK_INT(smelt_memory_alloc(device, 1000, &memory), 0);
	CHECK(memory == b);
	CHECK_INT(smelt_memory_alloc(device, 1000, &memory), 0);
	CHECK(memory == a);
	CHECK_INT(null_live(), live + 1);
}

/* A full device: the pool gives back what it holds, then the error says all. */
static void
exhausted(void)
{
	void *blocks[4], *memory;
	uint64_t available;

	setup("null");
	for (int i = 0; i < 3; i++)
		CHECK_INT(smelt_memory_alloc(device, 80u << 20, &blocks[i]), 0);
	CHECK_INT(smelt_memory_alloc(device, 80u << 20, &memory),
		  SMELT_ENO_DEVICE_MEMORY);
	CHECK_TEXT(smelt_last_error(), "asked for 83886080 bytes");
	CHECK_TEXT(smelt_last_error(),
		   "; 16776960 are free, 251658496 of 268435456 bytes are in "
		   "use");
	CHECK_INT(smelt_device_memory(device, &available, NULL, NULL), 0);
	CHECK_INT(available, 16776960);
	CHECK_INT(smelt_memory_free(device, stream, blocks[0]), 0);
	CHECK_INT(smelt_memory_free(device, stream, blocks[1]), 0);
	CHECK_INT(smelt_memory_alloc(device, 150u << 20, &memory), 0);
	CHECK_INT(smelt_memory_free(device, stream, memory), 0);
	CHECK_INT(smelt_memory_free(device, stream, blocks[2]), 0);
}

int
main(void)
{
	RUN(on_cpu);
	RUN(on_null);
	RUN(fill_calls);
	RUN(pending_frees);
	RUN(exhausted);
	return unit_failed != 0;
}
