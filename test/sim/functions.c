/*
 * Runs every function of functions.h on the device, one value a lane and with
 * scalar code, and on the host, and compares bits. NaNs count as equal: which
 * one an operation gives is not promised.
 */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef _Float16 half;

#pragma GCC diagnostic ignored "-Wpedantic"
#include "functions.h"

enum { COUNT = 4096, UNIFORM = 600 };

static uint64_t seed = 88172645463325252u;

static uint64_t
next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Bits whose floats are special, small, usual and arbitrary; whose integers are
 * small, large and arbitrary. */
static uint64_t
value(size_t size, size_t i)
{
	static const uint64_t special64[] = {0,
					     1,
					     2,
					     ~(uint64_t)0,
					     0x8000000000000000,
					     0x7fffffffffffffff,
					     0x3ff0000000000000,
					     0xbff0000000000000,
					     0x7ff0000000000000,
					     0xfff0000000000000,
					     0x7ff8000000000000,
					     0x0010000000000000,
					     0x000fffffffffffff,
					     0x7fefffffffffffff,
					     0x4000000000000000,
					     0x3fe0000000000000,
					     0xc3e0000000000000,
					     0x41dfffffffc00000};
	static const uint32_t special32[] = {
		0,	    1,		2,	    0xffffffff, 0x80000000,
		0x7fffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
		0x7fc00000, 0x00800000, 0x007fffff, 0x7f7fffff, 0x40000000,
		0x3f000000, 0xcf000000};
	static const uint16_t special16[] = {0,	     1,	     0x8000, 0x7fff,
					     0x3c00, 0xbc00, 0x7c00, 0xfc00,
					     0x7e00, 0x0400, 0x03ff, 0x7bff};
	uint64_t r = next();
	if (i % 8 == 0) {
		if (size == 8)
			return special64[r % (sizeof(special64) / 8)];
		if (size == 4)
			return special32[r % (sizeof(special32) / 4)];
		return special16[r % (sizeof(special16) / 2)];
	}
	if (i % 8 == 1)
		return r % 200 - 100;
	if (i % 8 < 5 && size == 8) { /* doubles of moderate size */
		double d = (double)(int64_t)r / 9.2e18 * (double)(1 << r % 20);
		memcpy(&r, &d, 8);
	} else if (i % 8 < 5 && size == 4) {
		float f = (float)(int64_t)r / 9.2e18f * (float)(1 << r % 20);
		uint32_t bits;
		memcpy(&bits, &f, 4);
		r = bits;
	}
	return r;
}

/* Minimum and maximum of signalling NaNs differ between C libraries. */
static uint64_t
quieten(uint64_t v, size_t size)
{
	uint64_t exponent = size == 8	? 0x7ff0000000000000
			    : size == 4 ? 0x7f800000
					: 0x7c00;
	uint64_t quiet = size == 8   ? 0x8000000000000
			 : size == 4 ? 0x400000
				     : 0x200;
	bool nan = (v & exponent) == exponent && v & (quiet * 2 - 1);
	return nan ? v | quiet : v;
}

static void
fill(void *data, size_t size, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t v = value(size, next() % 64 == 0 ? 0 : next());
		v = quieten(v, size);
		memcpy((char *)data + i * size, &v, size);
	}
}

struct args {
	void *out, *a, *b, *c;
	uint32_t n;
};

static bool
is_nan(const char *type, const void *data)
{
	double d;
	float f;
	half h;
	if (strcmp(type, "double") == 0) {
		memcpy(&d, data, sizeof(d));
		return d != d;
	}
	if (strcmp(type, "float") == 0) {
		memcpy(&f, data, sizeof(f));
		return f != f;
	}
	if (strcmp(type, "half") != 0)
		return false;
	memcpy(&h, data, sizeof(h));
	return h != h;
}

static uint64_t
bits_of(const void *data, size_t size)
{
	uint64_t bits = 0;
	memcpy(&bits, data, size);
	return bits;
}

static int
compare(const char *name, const char *type, size_t size, size_t arg_size,
	const char *got, const char *want, char *const in[3], size_t count)
{
	int bad = 0;
	for (size_t i = 0; i < count; i++) {
		const char *g = got + i * size, *w = want + i * size;
		if (memcmp(g, w, size) == 0 ||
		    (is_nan(type, g) && is_nan(type, w)))
			continue;
		if (bad++ < 3)
			printf("  %s(%llx, %llx, %llx) = %llx, host %llx\n",
			       name,
			       (unsigned long long)bits_of(in[0] + i * arg_size,
							   arg_size),
			       (unsigned long long)bits_of(in[1] + i * arg_size,
							   arg_size),
			       (unsigned long long)bits_of(in[2] + i * arg_size,
							   arg_size),
			       (unsigned long long)bits_of(g, size),
			       (unsigned long long)bits_of(w, size));
	}
	printf("%s %s\n", bad ? "FAIL" : "PASS", name);
	return bad != 0;
}

static int
run(struct device *d, const char *name, const char *type, size_t size,
    size_t arg_size, char *const in[3], const char *want)
{
	char kernel[64];
	char *got = calloc(COUNT, 8);
	struct args args = {launch_copy(d, got, COUNT * size),
			    launch_copy(d, in[0], COUNT * arg_size),
			    launch_copy(d, in[1], COUNT * arg_size),
			    launch_copy(d, in[2], COUNT * arg_size), COUNT};
	snprintf(kernel, sizeof(kernel), "kernel_%s", name);
	launch(d, kernel, COUNT / 256, 256, &args, sizeof(args));
	launch_get(d, got, args.out, COUNT * size);
	int bad = compare(kernel, type, size, arg_size, got, want, in, COUNT);
	memset(got, 0, COUNT * 8);
	launch_put(d, args.out, got, COUNT * size);
	snprintf(kernel, sizeof(kernel), "uniform_%s", name);
	args.n = UNIFORM;
	launch(d, kernel, 1, 1, &args, sizeof(args));
	launch_get(d, got, args.out, UNIFORM * size);
	bad += compare(kernel, type, size, arg_size, got, want, in, UNIFORM);
	launch_free(args.out);
	launch_free(args.a);
	launch_free(args.b);
	launch_free(args.c);
	free(got);
	return bad;
}

#define F(name, result, arg, expression)                                       \
	static int test_##name(struct device *d)                               \
	{                                                                      \
		static arg in[3][COUNT];                                       \
		static result want[COUNT];                                     \
		for (int k = 0; k < 3; k++)                                    \
			fill(in[k], sizeof(arg), COUNT);                       \
		for (int i = 0; i < COUNT; i++) {                              \
			arg a = in[0][i], b = in[1][i], c = in[2][i];          \
			(void)b;                                               \
			(void)c;                                               \
			want[i] = expression;                                  \
		}                                                              \
		char *const data[3] = {(char *)in[0], (char *)in[1],           \
				       (char *)in[2]};                         \
		return run(d, #name, #result, sizeof(result), sizeof(arg),     \
			   data, (const char *)want);                          \
	}
FUNCTIONS(F)
#undef F

int
main(int argc, char **argv)
{
	struct device d;
	if (argc < 2) {
		fprintf(stderr, "usage: functions CODE-OBJECT [NAME]\n");
		return 2;
	}
	launch_open(&d, argv[1]);
	int bad = 0;
#define F(name, result, arg, expression)                                       \
	if (argc < 3 || strcmp(argv[2], #name) == 0)                           \
		bad += test_##name(&d);
	FUNCTIONS(F)
#undef F
	launch_close(&d);
	return bad != 0;
}
