/*
 * Work without end, to find what only shows after hours: memory that grows, a
 * number that runs over, a block handed out too early once in a million times.
 *
 *   soak [SECONDS]        60 unless given; SMELT_DEVICE chooses the device
 *
 * Each round does a million launches from one thread, the work of 8 threads on
 * 8 streams and on one, and makes and drops 100,000 buffers in random order
 * with work on 4 streams. Sums are kept on the device and compared at the end
 * of each part. Fails if a call fails, a sum is wrong, device memory stays in
 * use, or the process has grown since its third round.
 */
#define _GNU_SOURCE
#include "sample.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define ELEMENTS 256
#define BYTES (ELEMENTS * sizeof(uint64_t))
#define GROWTH (16u << 20)

static smelt_device *device;
static smelt_stream *stream;
static bool runs_kernels;
static _Atomic uint64_t launches, buffers, copies, wrong;

static double
now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* After an error nothing that follows would mean anything. */
static void
must(int result, const char *what)
{
	if (!result)
		return;
	fprintf(stderr, "soak: %s: %s\n", what, smelt_last_error());
	_exit(1);
}

static unsigned
next(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed >> 8;
}

static smelt_buffer *
zeroed(smelt_stream *on, uint64_t size)
{
	smelt_buffer *buffer;
	uint64_t zero = 0;

	must(smelt_buffer_create(device, size, &buffer), "create");
	must(smelt_buffer_fill(on, buffer, 0, &zero, 8, size), "fill");
	buffers++;
	return buffer;
}

static void
add_one(smelt_stream *on, smelt_buffer *buffer)
{
	struct sample_block block = {
		{0}, smelt_buffer_memory(buffer), ELEMENTS, 1};
	struct smelt_launch launch =
		sample_launch(SAMPLE_ADD, &block, ELEMENTS);
	struct smelt_use use = {buffer, 1};

	launch.uses = &use;
	launch.use_count = 1;
	must(smelt_kernel_launch(on, &launch), "launch");
	launches++;
}

/* Reads the buffer and destroys it; each element should be `sum`. */
static void
expect(smelt_stream *on, smelt_buffer *buffer, uint64_t sum)
{
	uint64_t host[ELEMENTS];

	must(smelt_buffer_read(on, buffer, 0, host, sizeof(host)), "read");
	copies++;
	for (int i = 0; i < ELEMENTS; i++)
		wrong += host[i] != (runs_kernels ? sum : 0);
	must(smelt_buffer_destroy(buffer), "destroy");
}

static void
one_thread(void)
{
	smelt_buffer *sum = zeroed(stream, BYTES);

	for (int i = 0; i < 1000000; i++)
		add_one(stream, sum);
	expect(stream, sum, 1000000);
}

/* A sum of its own on whatever stream, between work that others see too. */
static void
thread_work(smelt_stream *on, unsigned *seed, int count)
{
	smelt_buffer *sum = zeroed(on, BYTES);
	uint64_t host[ELEMENTS] = {0};
	smelt_event *event;

	for (int i = 0; i < count; i++) {
		smelt_buffer *other =
			zeroed(on, 2048 + next(seed) % 9000 / 8 * 8);

		add_one(on, sum);
		add_one(on, other);
		switch (next(seed) % 8) {
		case 0:
			must(smelt_stream_wait(on), "wait");
			break;
		case 1:
			must(smelt_event_record(on, &event), "record");
			must(smelt_stream_wait_event(stream, event), "order");
			must(smelt_event_destroy(event), "event");
			break;
		case 2:
			must(smelt_buffer_copy(on, other, 0, sum, 0, BYTES),
			     "copy");
			expect(on, other, (uint64_t)i + 1);
			other = NULL;
			break;
		case 3:
			must(smelt_buffer_write(on, other, 0, host, BYTES),
			     "write");
			copies++;
			break;
		case 4:
			must(smelt_stream_follow(on, stream), "follow");
			break;
		default:
			break;
		}
		must(smelt_buffer_destroy(other), "destroy");
	}
	expect(on, sum, (uint64_t)count);
}

static void *
on_own_stream(void *data)
{
	smelt_stream *own;

	for (int i = 0; i < 4; i++) {
		must(smelt_stream_create(device, &own), "new stream");
		thread_work(own, data, 2000);
		must(smelt_stream_destroy(own), "end of a stream");
	}
	return NULL;
}

static void *
on_one_stream(void *data)
{
	thread_work(stream, data, 8000);
	return NULL;
}

static void
all_threads(void *(*function)(void *))
{
	pthread_t threads[THREADS];
	unsigned seeds[THREADS];

	for (unsigned i = 0; i < THREADS; i++) {
		seeds[i] = (unsigned)launches + i;
		if (pthread_create(&threads[i], NULL, function, &seeds[i]))
			must(1, "new thread");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	must(smelt_device_wait(device), "wait for the device");
}

static void
random_buffers(void)
{
	static smelt_buffer *held[1000];
	smelt_stream *streams[4];
	unsigned seed = (unsigned)launches;

	for (int i = 0; i < 4; i++)
		must(smelt_stream_create(device, &streams[i]), "new stream");
	for (int i = 0; i < 100000; i++) {
		unsigned at = next(&seed) % 1000;
		smelt_stream *on = streams[next(&seed) % 4];

		if (held[at] && i % 100 == 0)
			expect(NULL, held[at], 1);
		else
			must(smelt_buffer_destroy(held[at]), "destroy");
		held[at] = zeroed(on, BYTES + next(&seed) % 4000 / 8 * 8);
		add_one(streams[next(&seed) % 4], held[at]);
	}
	for (int i = 0; i < 1000; i++) {
		must(smelt_buffer_destroy(held[i]), "destroy");
		held[i] = NULL;
	}
	for (int i = 0; i < 4; i++)
		must(smelt_stream_destroy(streams[i]), "end of a stream");
}

/* Bytes of this process that are in memory. */
static long
resident(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long all = 0, here = 0;

	if (file && fscanf(file, "%ld %ld", &all, &here) != 2)
		here = 0;
	if (file)
		fclose(file);
	return here * sysconf(_SC_PAGESIZE);
}

static void
report(int round, double time)
{
	uint64_t used = 0, pooled = 0;

	must(smelt_device_memory(device, NULL, &used, &pooled), "memory");
	printf("round %d, %.0f s: %llu launches, %llu buffers, %llu copies, "
	       "%llu wrong; resident %.1f MiB, device %llu KiB used, %.1f MiB "
	       "pooled\n",
	       round, time, (unsigned long long)launches,
	       (unsigned long long)buffers, (unsigned long long)copies,
	       (unsigned long long)wrong, (double)resident() / (1 << 20),
	       (unsigned long long)used >> 10, (double)pooled / (1 << 20));
	fflush(stdout);
}

int
main(int count, char **args)
{
	struct smelt_device_info info = {.size = sizeof(info)};
	double seconds = count > 1 ? atof(args[1]) : 60, begun = now();
	uint64_t before, after;
	long first = 0;
	int round = 0;

	smelt_image_register(sample_image());
	must(smelt_device_default(&device), "no device");
	must(smelt_device_stream(device, &stream), "no stream");
	must(smelt_device_info(device, &info), "info");
	must(smelt_device_memory(device, NULL, &before, NULL), "memory");
	runs_kernels = info.kind != SMELT_DEVICE_NULL;
	printf("soak: %s, %.0f s\n", info.name, seconds);
	do {
		one_thread();
		all_threads(on_own_stream);
		all_threads(on_one_stream);
		random_buffers();
		report(++round, now() - begun);
		if (round <= 3)
			first = resident();
	} while (now() - begun < seconds && !wrong);
	must(smelt_device_memory(device, NULL, &after, NULL), "memory");
	if (wrong || after != before || resident() > first + (long)GROWTH) {
		printf("FAIL soak: %llu sums are wrong, %lld bytes of the "
		       "device stay in use, %ld bytes more than at first\n",
		       (unsigned long long)wrong, (long long)(after - before),
		       resident() - first);
		return 1;
	}
	printf("PASS soak: %ld KiB more than at first\n",
	       (resident() - first) / 1024);
	return 0;
}
