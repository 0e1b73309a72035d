/*
 * Kernels as rustc would give them, in C: each access is checked, each check
 * that fails panics with a site number of its own.
 */
#include "cpu-kernels.h"

static uint64_t
index_x(void)
{
	return (uint64_t)__smelt_block_idx_x() * __smelt_block_dim_x() +
	       __smelt_thread_idx_x();
}

static uint64_t
index_y(void)
{
	return (uint64_t)__smelt_block_idx_y() * __smelt_block_dim_y() +
	       __smelt_thread_idx_y();
}

static uint64_t
index_z(void)
{
	return (uint64_t)__smelt_block_idx_z() * __smelt_block_dim_z() +
	       __smelt_thread_idx_z();
}

static float *
at(struct slice slice, uint64_t i, uint32_t site)
{
	if (i >= slice.n)
		__smelt_panic(site, i, slice.n);
	return &slice.data[i];
}

static struct slice
input(const struct block *block)
{
	return (struct slice){__smelt_arg_readonly(block->x.data), block->x.n};
}

static struct slice
output(const struct block *block)
{
	return (struct slice){__smelt_arg_unique(block->y.data), block->y.n};
}

static void
barrier(void)
{
	while (__smelt_barrier())
		;
}

#define KERNEL(name) void name(const struct block *block)
#define ARGUMENTS                                                              \
	struct slice x = input(block), y = output(block);                      \
	uint64_t i = index_x();                                                \
	(void)x, (void)y, (void)i

KERNEL(saxpy)
{
	ARGUMENTS;
	if (i < y.n)
		y.data[i] += block->a * *at(x, i, 1);
}

/* No guard: whatever is past the end panics. */
KERNEL(strict)
{
	ARGUMENTS;
	*at(y, i, 2) = *at(x, i, 3) * 2;
}

KERNEL(stencil)
{
	ARGUMENTS;
	if (i < y.n && i > 0 && i + 1 < x.n)
		*at(y, i, 4) =
			*at(x, i - 1, 5) + *at(x, i, 6) + *at(x, i + 1, 7);
}

/* The first and the last thread panic; at 0 the index wraps. */
KERNEL(open_stencil)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 8) = *at(x, i - 1, 9) + *at(x, i + 1, 10);
}

KERNEL(reversed)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 11) = *at(x, x.n - 1 - i, 12);
}

KERNEL(strided)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 13) = *at(x, i * 3 + 1, 14);
}

/* k may be anything, so that i * k wraps. */
KERNEL(strided_by)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 15) = *at(x, i * block->k + 1, 16);
}

KERNEL(fir)
{
	float sum = 0;
	ARGUMENTS;
	if (i >= y.n)
		return;
	for (uint64_t k = 0; k < 16; k++)
		sum += *at(x, i + k, 17) * (float)(k + 1);
	*at(y, i, 18) = sum;
}

KERNEL(narrow)
{
	ARGUMENTS;
	uint32_t j = __smelt_block_idx_x() * __smelt_block_dim_x() +
		     __smelt_thread_idx_x() - 3;
	if (j < y.n)
		*at(y, j, 19) = *at(x, j, 20) + 1;
}

KERNEL(narrow_signed)
{
	ARGUMENTS;
	int32_t j = (int32_t)(__smelt_block_idx_x() * __smelt_block_dim_x() +
			      __smelt_thread_idx_x());
	if (j > 0 && j < (int32_t)y.n)
		*at(y, (uint64_t)(int64_t)j, 21) =
			*at(x, (uint64_t)(int64_t)(j - 1), 22) + 1;
}

/* Widened after it wrapped: the first threads of the grid are the largest. */
KERNEL(narrow_from)
{
	ARGUMENTS;
	uint32_t j = __smelt_block_idx_x() * __smelt_block_dim_x() +
		     __smelt_thread_idx_x() - 3;
	if ((uint64_t)j + block->w < 5 || i >= y.n)
		return;
	y.data[i] = (float)j;
}

KERNEL(narrow_signed_from)
{
	ARGUMENTS;
	int32_t j = (int32_t)(__smelt_block_idx_x() * __smelt_block_dim_x() +
			      __smelt_thread_idx_x() + 0x7ffffff0);
	if ((int64_t)j + block->w < 5 || i >= y.n)
		return;
	y.data[i] = (float)j;
}

KERNEL(grid2)
{
	uint64_t j = index_y(), w = block->w;
	ARGUMENTS;
	if (i < w && j < y.n / (w ? w : 1))
		*at(y, j * w + i, 23) =
			*at(x, j * w + i, 24) + (float)(i * 1000 + j);
}

KERNEL(grid3)
{
	uint64_t j = index_y(), k = index_z(), n = block->w;
	ARGUMENTS;
	if (i < n && j < n && k < n)
		*at(y, (k * n + j) * n + i, 25) =
			(float)(i + 100 * j + 10000 * k);
}

KERNEL(gather)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 26) = *at(x, (uint64_t)*at(x, i, 27), 28);
}

KERNEL(grid_stride)
{
	ARGUMENTS;
	for (; i < y.n;
	     i += (uint64_t)__smelt_grid_dim_x() * __smelt_block_dim_x())
		*at(y, i, 29) = *at(x, i, 30) * 3;
}

KERNEL(count)
{
	ARGUMENTS;
	if (y.n > 0)
		__atomic_fetch_add((uint32_t *)y.data, 1, __ATOMIC_RELAXED);
}

/* Cannot be inlined, asks for its position, and panics. */
static float
recursion(struct slice x, uint32_t depth)
{
	if (depth == 0)
		return (float)__smelt_thread_idx_x();
	if (depth == 7 && __smelt_thread_idx_x() == 5)
		__smelt_panic(31, depth, __smelt_thread_idx_x());
	return recursion(x, depth - 1) +
	       recursion(x, depth > 1 ? depth - 2 : 0) * 0.5f +
	       *at(x, depth, 32);
}

KERNEL(recurse)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 33) = recursion(x, block->w);
}

KERNEL(lane)
{
	ARGUMENTS;
	if (i < y.n)
		y.data[i] = (float)(__smelt_lane_id() + __smelt_warp_size());
}

/* These see where a block ends: rows of several must not be joined. */
KERNEL(places)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 40) = (float)(__smelt_thread_idx_x() * 1000 +
					__smelt_block_idx_x());
}

KERNEL(thread_twice)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 41) = *at(x, i + __smelt_thread_idx_x(), 42);
}

KERNEL(block_alone)
{
	ARGUMENTS;
	if (i < y.n)
		*at(y, i, 43) = *at(x,
				    (uint64_t)__smelt_block_idx_x() *
					    __smelt_block_dim_x(),
				    44);
}

KERNEL(float_count)
{
	ARGUMENTS;
	if (y.n)
		__smelt_atomic_add_f32(y.data, 1, 1);
}

#define SHARED __attribute__((section(".smelt.shared")))
static float tile[256] SHARED;
static uint32_t counter SHARED;
static double other[10] SHARED;

KERNEL(reduce)
{
	uint32_t t = __smelt_thread_idx_x();
	ARGUMENTS;
	tile[t] = i < x.n ? x.data[i] : 0;
	barrier();
	for (uint32_t step = __smelt_block_dim_x() / 2; step; step /= 2) {
		if (t < step)
			tile[t] += tile[t + step];
		barrier();
	}
	if (t == 0)
		*at(y, __smelt_block_idx_x(), 34) = tile[0];
}

/* Each block the other way round. */
KERNEL(dynamic)
{
	uint32_t t = __smelt_thread_idx_x(), n = __smelt_block_dim_x();
	float *memory = __smelt_dynamic_shared();
	ARGUMENTS;
	memory[t] = i < x.n ? x.data[i] : 0;
	other[t % 10] = t;
	barrier();
	if (i < y.n)
		y.data[i] = memory[n - 1 - t];
}

/* A third of the threads ends between two barriers. */
KERNEL(barrier_panic)
{
	uint32_t t = __smelt_thread_idx_x();
	ARGUMENTS;
	if (t == 0)
		counter = 0;
	barrier();
	if (t % 3 == 1)
		__smelt_panic(35, t, 0);
	__atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
	barrier();
	if (t == 0)
		*at(y, __smelt_block_idx_x(), 36) = (float)counter;
}

static float
fibonacci(uint32_t n)
{
	if (n == 3 && __smelt_thread_idx_x() == 5)
		__smelt_panic(37, n, 5);
	return n < 2 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

/* Thread 5 leaves from within a recursion, between two barriers. */
KERNEL(barrier_leave)
{
	uint32_t t = __smelt_thread_idx_x();
	ARGUMENTS;
	tile[t] = 1;
	barrier();
	float f = fibonacci(block->w);
	barrier();
	*at(y, i, 38) = f + (float)t;
}

KERNEL(warp_sum)
{
	ARGUMENTS;
	uint32_t v = i < x.n ? (uint32_t)x.data[i] : 0;
	for (uint32_t d = 16; d; d /= 2)
		v += __smelt_shuffle_xor_b32(v, d);
	if (i < y.n)
		y.data[i] = (float)v;
}

KERNEL(warp_scan)
{
	uint32_t l = __smelt_lane_id(), v = 1 + l;
	ARGUMENTS;
	for (uint32_t d = 1; d < 32; d *= 2) {
		uint32_t o = __smelt_shuffle_up_b32(v, d);
		if (l >= d)
			v += o;
	}
	if (i < y.n)
		y.data[i] = (float)v;
}

/* Lanes 7, 15, ... end before the others vote. */
KERNEL(vote)
{
	uint32_t l = __smelt_lane_id();
	float *out;
	ARGUMENTS;
	if (l % 8 == 7 || i * 8 + 7 >= y.n)
		return;
	out = y.data + i * 8;
	uint64_t even = __smelt_ballot(l % 2 == 0);
	out[0] = (float)(even & 0xffff);
	out[1] = (float)(even >> 16);
	out[2] = __smelt_any(l == 4);
	out[3] = __smelt_all(l < 31);
	out[4] = __smelt_all(l < 20);
	out[5] = (float)__smelt_shuffle_down_b32(l, 1);
	out[6] = (float)__smelt_shuffle_idx_b32(l, 3);
	out[7] = (float)__smelt_shuffle_down_b32(l, 0xffffffff);
}

static uint32_t
place_in_block(void)
{
	return __smelt_thread_idx_x() +
	       __smelt_block_dim_x() *
		       (__smelt_thread_idx_y() +
			__smelt_block_dim_y() * __smelt_thread_idx_z());
}

/* Much that lives on from one meeting to the next, and threads that end. */
KERNEL(keep)
{
	uint32_t t = place_in_block(), sum = 0;
	uint32_t threads = __smelt_block_dim_x() * __smelt_block_dim_y() *
			   __smelt_block_dim_z();
	float mine[8] = {0};
	ARGUMENTS;
	i = __smelt_block_idx_x() * threads + t;
	for (uint32_t k = 0; k < block->w; k++) {
		mine[(t + k) % 8] += x.data[i] + (float)k;
		tile[t] = mine[(3 * t + k) % 8];
		barrier();
		if (t % 16 == 5 && k == 3)
			__smelt_panic(45, t, k);
		sum += __smelt_shuffle_xor_b32(
			(uint32_t)tile[(t + 1) % threads], k + 1);
		bool some = __smelt_any(t % 5 == k);
		uint64_t votes = __smelt_ballot(t % 3 == 0);
		if (some)
			sum += (uint32_t)votes % 1000;
		barrier();
	}
	y.data[i] = (float)sum + mine[t % 8];
}

/* Threads come to different barriers, which is one meeting all the same. */
KERNEL(apart)
{
	uint32_t t = __smelt_thread_idx_x(), n = __smelt_block_dim_x();
	float v;
	ARGUMENTS;
	tile[t] = x.data[i];
	if (t % 2) {
		barrier();
		v = tile[(t + 1) % n] + 1;
	} else {
		barrier();
		v = tile[(t + 2) % n] * 2;
	}
	y.data[i] = v;
}

#ifndef HOST
void
__smelt_kernel_id(__int128 id);
void
__smelt_block_layout(uint64_t size, uint64_t align);

#define X(name)                                                                \
	void __smelt_entry_##name(const struct block *block)                   \
	{                                                                      \
		__smelt_kernel_id(ID_##name);                                  \
		__smelt_block_layout(sizeof(struct block), 8);                 \
		name(block);                                                   \
	}
PLAIN_KERNELS(X)
MEETING_KERNELS(X)
#endif
