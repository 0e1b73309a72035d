/*
 * What kernels print: by streams, threads and launches, and when there is no
 * room for it.
 */
#include "unit.h"

#include "sample.h"

#include <pthread.h>

static smelt_device *device;
static smelt_stream *stream;

/* All that came, and how often. */
static char *got;
static size_t got_len;
static int got_calls;
static pthread_mutex_t got_lock = PTHREAD_MUTEX_INITIALIZER;

static void
keep(void *data, const char *text, uint64_t size)
{
	CHECK(data == &got);
	pthread_mutex_lock(&got_lock);
	got = realloc(got, got_len + size + 1);
	memcpy(got + got_len, text, size);
	got_len += size;
	got[got_len] = 0;
	got_calls++;
	pthread_mutex_unlock(&got_lock);
}

static void
setup(const char *name)
{
	setenv("SMELT_DEVICE", name, 1);
	smelt_image_register(sample_image());
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_print_to(keep, &got), 0);
}

static int
print(smelt_stream *to, uint64_t value, uint64_t n)
{
	struct sample_block block = {{0}, NULL, n, value};
	struct smelt_launch launch = sample_launch(SAMPLE_PRINT, &block, n);

	return smelt_kernel_launch(to, &launch);
}

/* Each line whole and once: "value: i of n", i < n. */
static void
check_lines(uint64_t value, uint64_t n, uint64_t launches)
{
	char line[64];

	for (uint64_t i = 0; i < n; i++) {
		uint64_t count = 0;
		int len = snprintf(line, sizeof(line), "%llu: %u of %llu\n",
				   (unsigned long long)value,
				   (unsigned)(i & 0xff), (unsigned long long)n);

		for (const char *at = got; at && (at = strstr(at, line));
		     at += len)
			count += at == got || at[-1] == '\n';
		CHECK_INT(count, launches * (n > 256 ? n / 256 : 1));
	}
}

static void
whole_lines(void)
{
	setup("cpu");
	CHECK_INT(print(stream, 7, 200), 0);
	CHECK(!got);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(got_calls, 1);
	check_lines(7, 200, 1);
	CHECK_INT(got_len, 10 * strlen("7: 1 of 200\n") +
				   90 * strlen("7: 11 of 200\n") +
				   100 * strlen("7: 111 of 200\n"));
	/* Told once; nothing where nothing is printed. */
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(got_calls, 1);
	CHECK_INT(print(stream, 8, 3), 0);
	CHECK_INT(smelt_device_wait(device), 0);
	CHECK_INT(got_calls, 2);
	check_lines(8, 3, 1);
}

/* More launches than are remembered. */
static void
many_launches(void)
{
	setup("cpu");
	for (int i = 0; i < 1000; i++)
		CHECK_INT(print(stream, 9, 2), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	check_lines(9, 2, 1000);
	CHECK(!strstr(got, "long ago"));
	CHECK_INT(got_len, 2000 * strlen("9: 1 of 2\n"));
}

/* Also by a kernel that does not print itself. */
static void
forgotten(void)
{
	uint64_t out[4] = {0};
	struct sample_block block = {{0}, out, 1, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, &block, 1);

	setup("cpu");
	CHECK_INT(print(stream, 9, 2), 0);
	for (int i = 0; i < 600; i++)
		CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(out[0], 600);
	check_lines(9, 2, 1);
}

/* Lines of the first pieces are there, nothing else is, and the rest is
 * counted. */
static void
no_room(void)
{
	char message[256] = "";
	FILE *err = tmpfile();
	int saved = dup(2);
	unsigned long long dropped = 0;
	uint64_t pieces = 0;

	setenv("SMELT_PRINT_BUFFER", "1", 1);
	setup("cpu");
	CHECK_INT(print(stream, 3, 256), 0);
	dup2(fileno(err), 2);
	CHECK_INT(smelt_stream_wait(stream), 0);
	dup2(saved, 2);
	rewind(err);
	CHECK(fgets(message, sizeof(message), err));
	CHECK_INT(sscanf(message, "smelt: %llu lines", &dropped), 1);
	CHECK_TEXT(message, "no room in 4096 bytes (SMELT_PRINT_BUFFER");
	/* A piece is 6 words. */
	pieces = (4096 - 32) / 48;
	CHECK_INT(dropped, 3 * 256 - pieces);
	CHECK_TEXT(got, "3: ");
	/* The next launch has all of it again. */
	got_len = 0;
	CHECK_INT(print(stream, 4, 5), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	check_lines(4, 5, 1);
	CHECK_INT(got_len, 5 * strlen("4: 1 of 5\n"));
}

/* What is launched next has the new size, what was printed is told, and the
 * environment has no say. */
static void
other_size(void)
{
	setenv("SMELT_PRINT_BUFFER", "1", 1);
	setup("cpu");
	CHECK_INT(smelt_device_print_buffer(NULL, 1), SMELT_EINVALID);
	CHECK_INT(print(stream, 2, 4), 0);
	CHECK_INT(smelt_device_print_buffer(device, 1 << 16), 0);
	CHECK(!got);
	CHECK_INT(print(stream, 3, 256), 0);
	check_lines(2, 4, 1);
	CHECK_INT(smelt_stream_wait(stream), 0);
	check_lines(3, 256, 1);
	got_len = 0;
	CHECK_INT(smelt_device_print_buffer(device, 0), 0);
	CHECK_INT(print(stream, 4, 256), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK(got_len && got_len < 2000);
}

static void *
one_thread(void *data)
{
	uint64_t value = *(uint64_t *)data;
	smelt_stream *own;

	CHECK_INT(smelt_stream_create(device, &own), 0);
	for (int i = 0; i < 20; i++) {
		CHECK_INT(print(own, value, 50), 0);
		if (i % 7 == 0)
			CHECK_INT(smelt_stream_wait(own), 0);
	}
	CHECK_INT(smelt_stream_destroy(own), 0);
	return NULL;
}

static void
host_threads(void)
{
	uint64_t values[4] = {11, 12, 13, 14};
	pthread_t threads[4];

	setup("cpu");
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, one_thread, &values[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 4; i++)
		check_lines(values[i], 50, 20);
}

static void
two_streams(void)
{
	smelt_stream *other;

	setup("cpu");
	CHECK_INT(smelt_stream_create(device, &other), 0);
	CHECK_INT(print(stream, 1, 10), 0);
	CHECK_INT(print(other, 2, 10), 0);
	CHECK_INT(smelt_stream_wait(other), 0);
	check_lines(2, 10, 1);
	check_lines(1, 10, 0);
	CHECK_INT(smelt_device_wait(device), 0);
	check_lines(1, 10, 1);
	CHECK_INT(smelt_stream_destroy(other), 0);
}

/* A panic after it does not lose it. */
static void
with_panic(void)
{
	uint64_t out[4] = {0};
	struct sample_block block = {{0}, out, 2, 1};
	struct smelt_launch launch = sample_launch(SAMPLE_BOUNDS, &block, 3);

	setup("cpu");
	CHECK_INT(print(stream, 5, 4), 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	check_lines(5, 4, 1);
	CHECK_INT(print(stream, 6, 4), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	check_lines(6, 4, 1);
}

/* It runs no kernel. */
static void
null_device(void)
{
	setup("null");
	CHECK_INT(print(stream, 5, 4), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK(!got);
}

int
main(void)
{
	RUN(whole_lines);
	RUN(many_launches);
	RUN(forgotten);
	RUN(no_room);
	RUN(other_size);
	RUN(host_threads);
	RUN(two_streams);
	RUN(with_panic);
	RUN(null_device);
	return unit_failed != 0;
}
