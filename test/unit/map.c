/*
 * The map table, on the null device, where host and device memory differ, and
 * on the CPU, where they are one.
 */
#include "unit.h"

#include "runtime/engine.h"
#include "sample.h"

static smelt_device *device;
static smelt_stream *stream;
static char host[4096];

static void
setup(const char *name)
{
	setenv("SMELT_DEVICE", name, 1);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	for (size_t i = 0; i < sizeof(host); i++)
		host[i] = (char)i;
}

static char *
begin(size_t offset, size_t size, uint32_t direction)
{
	void *memory = NULL;

	CHECK_INT(smelt_map_begin(stream, host + offset, size, direction,
				  &memory),
		  0);
	return memory;
}

static void
end(size_t offset, size_t size, uint32_t direction)
{
	CHECK_INT(smelt_map_end(stream, host + offset, size, direction), 0);
}

static void
directions(void)
{
	char *to, *from;
	int64_t live;

	setup("null");
	live = null_live();
	to = begin(0, 100, SMELT_MAP_TO);
	CHECK(to != host && !memcmp(to, host, 100));
	to[5] = 77;
	end(0, 100, SMELT_MAP_TO);
	CHECK_INT(host[5], 5);
	from = begin(0, 100, SMELT_MAP_FROM);
	memset(from, 9, 100);
	CHECK_INT(host[99], 99);
	end(0, 100, SMELT_MAP_FROM);
	CHECK(host[0] == 9 && host[99] == 9 && host[100] == 100);
	to = begin(0, 100, SMELT_MAP_TOFROM);
	CHECK_INT(to[50], 9);
	to[50] = 10;
	end(0, 100, SMELT_MAP_TOFROM);
	CHECK_INT(host[50], 10);
	to = begin(0, 100, SMELT_MAP_ALLOC);
	memset(to, 3, 100);
	end(0, 100, SMELT_MAP_ALLOC);
	CHECK_INT(host[50], 10);
	/* All of it went through one block of the pool, which is still held, as
	 * is the stream's memory for what comes back. */
	CHECK_INT(null_live(), live + 2);
}

static void
shared_ranges(void)
{
	char *whole, *part, *again;

	setup("null");
	whole = begin(0, 1000, SMELT_MAP_TOFROM);
	part = begin(100, 50, SMELT_MAP_FROM);
	CHECK(part == whole + 100);
	again = begin(100, 50, SMELT_MAP_FROM);
	CHECK(again == part);
	memset(part, 1, 50);
	end(100, 50, SMELT_MAP_FROM);
	end(100, 50, SMELT_MAP_FROM);
	CHECK_INT(host[100], 100);
	end(0, 1000, SMELT_MAP_TOFROM);
	CHECK_INT(host[100], 1);
	CHECK_INT(host[150], (char)150);
}

/* The last user was only a reader: what the writer wrote comes back all the
 * same, and no more than that. */
static void
writer_first(void)
{
	char *whole;

	setup("null");
	whole = begin(0, 1000, SMELT_MAP_TO);
	begin(100, 50, SMELT_MAP_FROM);
	memset(whole, 1, 1000);
	end(100, 50, SMELT_MAP_FROM);
	end(0, 1000, SMELT_MAP_TO);
	CHECK_INT(host[99], 99);
	CHECK_INT(host[100], 1);
	CHECK_INT(host[149], 1);
	CHECK_INT(host[150], (char)150);
}

static void
overlaps(void)
{
	char *a, *b, *c;
	void *memory;

	setup("null");
	a = begin(0, 100, SMELT_MAP_TO);
	b = begin(50, 100, SMELT_MAP_TO);
	CHECK(b != a + 50 && !memcmp(b, host + 50, 100));
	c = begin(60, 10, SMELT_MAP_TO);
	CHECK(c == a + 60 || c == b + 10);
	CHECK_INT(smelt_map_begin(stream, host + 90, 100, SMELT_MAP_TOFROM,
				  &memory),
		  SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "overlaps one that is mapped");
	CHECK_INT(
		smelt_map_begin(stream, host + 60, 10, SMELT_MAP_FROM, &memory),
		SMELT_EINVALID);
	CHECK(memory == NULL);
	end(0, 100, SMELT_MAP_TO);
	end(60, 10, SMELT_MAP_TO);
	end(50, 100, SMELT_MAP_TO);
	/* Side by side is no overlap. */
	begin(0, 100, SMELT_MAP_TOFROM);
	begin(100, 100, SMELT_MAP_TOFROM);
	CHECK_INT(smelt_map_begin(stream, host + 99, 2, SMELT_MAP_TO, &memory),
		  SMELT_EINVALID);
	end(100, 100, SMELT_MAP_TOFROM);
	end(0, 100, SMELT_MAP_TOFROM);
}

static void
bad_maps(void)
{
	void *memory;

	CHECK_INT(smelt_map_begin(NULL, host, 1, SMELT_MAP_TO, &memory),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_begin(stream, NULL, 1, SMELT_MAP_TO, &memory),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_begin(stream, host, 1, 0, &memory), SMELT_EINVALID);
	CHECK_INT(smelt_map_begin(stream, host, 1, 5, &memory), SMELT_EINVALID);
	CHECK_INT(smelt_map_begin(stream, host, 1, SMELT_MAP_TO, NULL),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_begin(stream, host, UINT64_MAX, SMELT_MAP_TO,
				  &memory),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_end(stream, host, 1, SMELT_MAP_TO), SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "are not mapped");
	begin(0, 8, SMELT_MAP_TO);
	CHECK_INT(smelt_map_end(stream, host, 8, SMELT_MAP_TOFROM),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_end(stream, host, 7, SMELT_MAP_TO), SMELT_EINVALID);
	end(0, 8, SMELT_MAP_TO);
	CHECK_INT(smelt_map_end(stream, host, 8, SMELT_MAP_TO), SMELT_EINVALID);
	CHECK(begin(8, 0, SMELT_MAP_TOFROM) == host + 8);
	end(8, 0, SMELT_MAP_TOFROM);
}

/* Parts of a map, there and back in the midst of it. */
static void
updates(const char *choice, bool shared)
{
	char *memory, *reader;

	setup(choice);
	memory = begin(10, 100, SMELT_MAP_TOFROM);
	host[20] = 91;
	host[31] = 92;
	CHECK_INT(smelt_map_update(stream, host + 20, 10, SMELT_MAP_TO), 0);
	CHECK_INT(memory[10], 91);
	CHECK_INT(memory[21], shared ? 92 : 31);
	memory[40] = 93;
	memory[50] = 94;
	CHECK_INT(smelt_map_update(stream, host + 50, 1, SMELT_MAP_FROM), 0);
	CHECK_INT(host[50], 93);
	CHECK_INT(host[60], shared ? 94 : 60);
	/* Not all of it is mapped. */
	CHECK_INT(smelt_map_update(stream, host + 100, 11, SMELT_MAP_TO),
		  SMELT_EINVALID);
	CHECK_TEXT(smelt_last_error(), "not mapped");
	CHECK_INT(smelt_map_update(stream, host + 9, 2, SMELT_MAP_FROM),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_update(stream, host + 20, 1, SMELT_MAP_TOFROM),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_update(stream, NULL, 1, SMELT_MAP_TO),
		  SMELT_EINVALID);
	CHECK_INT(smelt_map_update(stream, host + 200, 0, SMELT_MAP_TO), 0);
	end(10, 100, SMELT_MAP_TOFROM);
	CHECK_INT(host[60], 94);
	/* Readers whose ranges overlap see it all. */
	memory = begin(0, 20, SMELT_MAP_TO);
	reader = begin(10, 20, SMELT_MAP_TO);
	host[15] = 95;
	CHECK_INT(smelt_map_update(stream, host + 12, 8, SMELT_MAP_TO), 0);
	CHECK(memory[15] == 95 && reader[5] == 95);
	end(10, 20, SMELT_MAP_TO);
	end(0, 20, SMELT_MAP_TO);
	CHECK_INT(smelt_map_update(stream, host + 12, 8, SMELT_MAP_TO),
		  SMELT_EINVALID);
}

static void
updates_on_null(void)
{
	updates("null", false);
}

static void
updates_on_cpu(void)
{
	updates("cpu", true);
}

static void
bad_on_null(void)
{
	setup("null");
	bad_maps();
}

static void
bad_on_cpu(void)
{
	setup("cpu");
	bad_maps();
}

static void
on_cpu(void)
{
	char *memory;
	void *other;

	setup("cpu");
	memory = begin(10, 100, SMELT_MAP_TOFROM);
	CHECK(memory == host + 10);
	CHECK(begin(20, 10, SMELT_MAP_TO) == host + 20);
	CHECK_INT(smelt_map_begin(stream, host, 20, SMELT_MAP_TO, &other),
		  SMELT_EINVALID);
	end(20, 10, SMELT_MAP_TO);
	end(10, 100, SMELT_MAP_TOFROM);
}

static void
many(void)
{
	setup("null");
	for (size_t i = 0; i < 500; i++)
		begin(i * 8, 8, SMELT_MAP_TOFROM)[0] = 42;
	for (size_t i = 500; i--;)
		end(i * 8, 8, SMELT_MAP_TOFROM);
	for (size_t i = 0; i < 500; i++)
		CHECK_INT(host[i * 8], 42);
}

static void
two_streams(void)
{
	smelt_stream *other;
	void *memory;
	char *first;

	setup("null");
	CHECK_INT(smelt_stream_create(device, &other), 0);
	first = begin(0, 64, SMELT_MAP_TO);
	CHECK_INT(smelt_map_begin(other, host, 64, SMELT_MAP_TO, &memory), 0);
	CHECK(memory == first);
	CHECK_INT(smelt_map_end(other, host, 64, SMELT_MAP_TO), 0);
	CHECK_INT(smelt_map_begin(other, host + 64, 64, SMELT_MAP_TO, &memory),
		  0);
	CHECK_INT(smelt_stream_destroy(other), 0);
	end(64, 64, SMELT_MAP_TO);
	end(0, 64, SMELT_MAP_TO);
}

int
main(void)
{
	RUN(directions);
	RUN(shared_ranges);
	RUN(writer_first);
	RUN(overlaps);
	RUN(updates_on_null);
	RUN(updates_on_cpu);
	RUN(bad_on_null);
	RUN(bad_on_cpu);
	RUN(on_cpu);
	RUN(many);
	RUN(two_streams);
	return unit_failed != 0;
}
