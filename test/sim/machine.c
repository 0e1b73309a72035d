/*
 * Checks the kernels of machine_device.c: work-item ids, LDS and barriers,
 * private memory, calls, divergence, atomics, lane operations, and groups that
 * wait for each other. Expected values are worked out here, in plain C.
 */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct device d;
static int failures;

static void
verdict(const char *name, bool ok)
{
	printf("%s machine %s\n", ok ? "PASS" : "FAIL", name);
	failures += !ok;
}

static void *
zeroes(size_t size)
{
	void *data = calloc(1, size);
	void *memory = launch_copy(&d, data, size);
	free(data);
	return memory;
}

static void *
fetch(const void *memory, size_t size)
{
	void *data = malloc(size);
	launch_get(&d, data, memory, size);
	return data;
}

/* liboffload rounds grids up to whole groups, so a grid that cuts groups is
 * tested through HSA (api.c); here are three dimensions. */
static void
test_ids(void)
{
	enum { SX = 5, SY = 3, SZ = 4, GX = 3, GY = 7, GZ = 2 };
	uint32_t nx = SX * GX, ny = SY * GY, nz = SZ * GZ;
	size_t size = nx * ny * nz * sizeof(uint32_t);
	struct {
		void *out;
		uint32_t sx, sy, sz, nx, ny;
	} args = {zeroes(size), SX, SY, SZ, nx, ny};
	launch3(&d, "ids", (uint32_t[3]){GX, GY, GZ}, (uint32_t[3]){SX, SY, SZ},
		0, &args, sizeof(args));
	uint32_t *got = fetch(args.out, size);
	bool ok = true;
	for (uint32_t i = 0; i < nx * ny * nz; i++) {
		uint32_t x = i % nx, y = i / nx % ny, z = i / nx / ny;
		ok &= got[i] == 1 + x % SX + 100 * (y % SY) + 10000 * (z % SZ);
	}
	verdict("ids", ok);
}

static void
test_packet(void)
{
	void *out = zeroes(24);
	launch3(&d, "dispatch_packet", (uint32_t[3]){2, 3, 1},
		(uint32_t[3]){8, 4, 2}, 0, &out, sizeof(out));
	uint32_t *got = fetch(out, 24);
	verdict("dispatch packet",
		(got[0] >> 16 & 3) == 3 && got[1] == (8 | 4 << 16) &&
			(got[2] & 0xffff) == 2 && got[3] == 16 &&
			got[4] == 12 && got[5] == 2);
}

static void
test_reverse(void)
{
	enum { N = 2560 };
	uint32_t in[N];
	for (uint32_t i = 0; i < N; i++)
		in[i] = i * 3;
	void *data = launch_copy(&d, in, sizeof(in));
	launch(&d, "reverse", N / 256, 256, &data, sizeof(data));
	uint32_t *got = fetch(data, sizeof(in));
	bool ok = true;
	for (uint32_t i = 0; i < N; i++)
		ok &= got[i] == in[i / 256 * 256 + 255 - i % 256];
	verdict("reverse in LDS", ok);
}

static void
test_sum(void)
{
	enum { GROUPS = 9 };
	double in[GROUPS * 256], want[GROUPS] = {0};
	for (int i = 0; i < GROUPS * 256; i++) {
		in[i] = i % 17 - 3;
		want[i / 256] += in[i];
	}
	void *args[2] = {launch_copy(&d, in, sizeof(in)), zeroes(sizeof(want))};
	launch(&d, "sum", GROUPS, 256, args, sizeof(args));
	double *got = fetch(args[1], sizeof(want));
	verdict("sum with barriers", memcmp(got, want, sizeof(want)) == 0);
}

static uint32_t
private_array(uint32_t i, uint32_t rounds)
{
	uint32_t table[37], all = 0;
	for (uint32_t k = 0; k < 37; k++)
		table[k] = k * i;
	for (uint32_t k = 0; k < rounds; k++) {
		uint32_t at = (i * 7 + k * 11) % 37;
		table[at] += table[(at + 5) % 37] + k;
	}
	for (uint32_t k = 0; k < 37; k++)
		all = all * 31 + table[k];
	return all;
}

static void
test_private_array(void)
{
	enum { N = 1024 };
	struct {
		void *out;
		uint32_t rounds;
	} args = {zeroes(N * 4), 50};
	launch(&d, "private_array", N / 256, 256, &args, sizeof(args));
	uint32_t *got = fetch(args.out, N * 4);
	bool ok = true;
	for (uint32_t i = 0; i < N; i++)
		ok &= got[i] == private_array(i, 50);
	verdict("private array", ok);
}

struct wide {
	uint64_t v[4];
	uint8_t tail[7];
};

static uint64_t
mix(struct wide *w, uint32_t k)
{
	w->v[k & 3] += w->tail[k % 7] * 3u;
	w->tail[(k + 3) % 7] ^= (uint8_t)k;
	uint32_t part;
	memcpy(&part, (char *)w + (k % 29), 4);
	return part + w->v[(k + 1) & 3];
}

static uint64_t
private_generic(uint32_t i, uint32_t rounds)
{
	struct wide w;
	uint64_t all = 0;
	for (uint32_t k = 0; k < 4; k++)
		w.v[k] = i * (k + 1);
	for (uint32_t k = 0; k < 7; k++)
		w.tail[k] = (uint8_t)(i + k);
	for (uint32_t k = 0; k < rounds; k++)
		all += mix(&w, k + i % 5);
	return all;
}

static void
test_private_generic(void)
{
	enum { N = 512 };
	struct {
		void *out;
		uint32_t rounds;
	} args = {zeroes(N * 8), 40};
	launch(&d, "private_generic", N / 256, 256, &args, sizeof(args));
	uint64_t *got = fetch(args.out, N * 8);
	bool ok = true;
	for (uint32_t i = 0; i < N; i++)
		ok &= got[i] == private_generic(i, 40);
	verdict("private memory through pointers", ok);
}

static void
test_recursion(void)
{
	static const uint64_t want[12] = {0, 1,	 1,  2,	 3,  5,
					  8, 13, 21, 34, 55, 89};
	void *out = zeroes(128 * 8);
	launch(&d, "recursion", 2, 64, &out, sizeof(out));
	uint64_t *got = fetch(out, 128 * 8);
	bool ok = true;
	for (uint32_t i = 0; i < 128; i++)
		ok &= got[i] == want[i % 64 % 12];
	verdict("recursion", ok);
}

static uint32_t
diverge(uint32_t i)
{
	uint32_t n = i, steps = 0;
	while (n > 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		for (uint32_t k = 0; k < n % 3; k++)
			steps += 100;
		steps++;
		if (steps > 20000)
			break;
	}
	return i % 5 == 0 ? steps + 1 : i % 5 == 3 ? steps * 2 : steps ^ i;
}

static void
test_diverge(void)
{
	enum { N = 2048 };
	void *out = zeroes(N * 4);
	launch(&d, "diverge", N / 256, 256, &out, sizeof(out));
	uint32_t *got = fetch(out, N * 4);
	bool ok = true;
	for (uint32_t i = 0; i < N; i++)
		ok &= got[i] == diverge(i);
	verdict("divergence", ok);
}

/* More groups than threads: those that wait must let others begin. */
static void
test_meet(void)
{
	enum { GROUPS = 12 };
	struct {
		void *count, *out;
		uint32_t groups;
	} args = {zeroes(4), zeroes(GROUPS * 64 * 4), GROUPS};
	launch(&d, "meet", GROUPS, 64, &args, sizeof(args));
	uint32_t *got = fetch(args.out, GROUPS * 64 * 4);
	bool ok = true;
	for (uint32_t i = 0; i < GROUPS * 64; i++)
		ok &= got[i] == i / 64;
	verdict("groups that wait for each other", ok);
}

static void
test_atomics(void)
{
	enum { N = 5120 };
	uint32_t most = 0, all = 0;
	uint64_t sum = 0;
	for (uint32_t i = 0; i < N; i++) {
		most = i * 7 % 5003 > most ? i * 7 % 5003 : most;
		all ^= i;
		sum += (uint64_t)i << 20;
	}
	void *args[5] = {zeroes(16), zeroes(16), zeroes(8), zeroes(8),
			 zeroes(N * 4)};
	launch(&d, "atomics", N / 256, 256, args, sizeof(args));
	uint32_t *a = fetch(args[0], 16), *seen = fetch(args[4], N * 4);
	uint64_t *b = fetch(args[1], 16);
	float *f = fetch(args[2], 4);
	double *g = fetch(args[3], 8);
	bool ok = a[0] == N && a[1] == most && a[2] == all && a[3] >= 1 &&
		  a[3] <= N && b[0] == sum && (int64_t)b[1] == 1 - N &&
		  *f == N && *g == N;
	for (int i = 0; i < N; i++)
		ok &= seen[i] == 1;
	verdict("atomics", ok);
}

static void
test_lanes(uint32_t wave)
{
	enum { N = 128 };
	void *out = zeroes(N * 24);
	launch(&d, "lanes", N / 64, 64, &out, sizeof(out));
	uint32_t *got = fetch(out, N * 24);
	bool ok = true;
#define V(k) ((k) * (k) + 1)
	for (uint32_t i = 0; i < N; i++) {
		uint32_t x = i % 64, base = i - x + x / wave * wave;
		uint32_t l = i - base, *g = &got[i * 6];
		ok &= g[0] == V(base + x * 5 % 64 % wave);
		ok &= g[1] == V(i ^ 1);
		ok &= g[2] == (x % 16 ? V(i - 1) : 7);
		ok &= g[3] == (x / 4 % 4 % 2 == 0 ? V(i ^ 1) : 7);
		ok &= g[4] == V(base + 9);
		ok &= g[5] == V(base);
		(void)l;
	}
	verdict("lane operations", ok);
}

static void
test_indexed(void)
{
	enum { N = 64, ROUNDS = 33 };
	struct {
		void *out;
		uint32_t rounds;
	} args = {zeroes(N * 4), ROUNDS};
	launch(&d, "indexed", 1, N, &args, sizeof(args));
	uint32_t *got = fetch(args.out, N * 4);
	bool ok = true;
	for (uint32_t i = 0; i < N; i++) {
		uint32_t v[16], all = 0;
		for (uint32_t k = 0; k < 16; k++)
			v[k] = i * 16 + k;
		for (uint32_t k = 0; k < ROUNDS; k++) {
			uint32_t at = k * 5 % 16;
			v[at] += v[(at + 3) % 16] + k;
		}
		for (uint32_t k = 0; k < 16; k++)
			all = all * 17 + v[k];
		ok &= got[i] == all;
	}
	verdict("registers by index", ok);
}

/* Of a signalling NaN and 2.0: the NaN, quieted; with MODE.IEEE off, 2.0. */
static void
test_signalling(void)
{
	static const uint32_t want[4] = {0x7fc00123, 0x7fc00123, 0x40000000,
					 0x40000000};
	struct {
		void *out;
		uint32_t x, y;
	} args = {zeroes(sizeof(want)), 0x7f800123, 0x40000000};
	launch(&d, "signalling", 1, 1, &args, sizeof(args));
	uint32_t *got = fetch(args.out, sizeof(want));
	verdict("signalling NaNs", memcmp(got, want, sizeof(want)) == 0);
}

int
main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: machine CODE-OBJECT WAVE-SIZE\n");
		return 2;
	}
	launch_open(&d, argv[1]);
	test_ids();
	test_packet();
	test_reverse();
	test_sum();
	test_private_array();
	test_private_generic();
	test_recursion();
	test_diverge();
	test_meet();
	test_atomics();
	test_lanes((uint32_t)atoi(argv[2]));
	test_indexed();
	test_signalling();
	launch_close(&d);
	return failures != 0;
}
