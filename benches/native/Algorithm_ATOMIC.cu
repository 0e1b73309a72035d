// Algorithm_ATOMIC: ones added atomically to 4096 numbers in turn, by thread,
// warp or block.
#include "native.h"

#define NUMBERS 4096

#ifdef __HIP__
#define SHUFFLE_DOWN(value, lanes) __shfl_down(value, lanes)
#else
#define SHUFFLE_DOWN(value, lanes) __shfl_down_sync(~0u, value, lanes)
#endif

// The sum over the warp, in lane 0.
static __device__ double
warp_sum(double value)
{
	for (int lanes = warpSize / 2; lanes > 0; lanes /= 2)
		value += SHUFFLE_DOWN(value, lanes);
	return value;
}

static __launch_bounds__(256) __global__
	void by_thread(double *numbers, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		atomicAdd(&numbers[i % NUMBERS], 1.0);
}

static __launch_bounds__(256) __global__ void by_warp(double *numbers, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	double sum = warp_sum(i < n ? 1.0 : 0.0);
	if (threadIdx.x % warpSize == 0)
		atomicAdd(&numbers[i / warpSize % NUMBERS], sum);
}

static __launch_bounds__(256) __global__ void by_block(double *numbers, Index n)
{
	__shared__ double part[8];
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	double sum = warp_sum(i < n ? 1.0 : 0.0);
	if (threadIdx.x % warpSize == 0)
		part[threadIdx.x / warpSize] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < 256 / warpSize; w++)
			sum += part[w];
		atomicAdd(&numbers[blockIdx.x % NUMBERS], sum);
	}
}

template <typename Kernel>
static void
time_kernel(Run &r, Kernel kernel)
{
	Index n = r.size;
	Buffer numbers(Array(NUMBERS, 0.0));
	r.time([&] { kernel<<<cover(n, 256), 256>>>(numbers, n); });
	for (double x : numbers.host())
		r.checksum += x;
}

static void
run_thread(Run &r)
{
	time_kernel(r, by_thread);
}

static void
run_warp(Run &r)
{
	time_kernel(r, by_warp);
}

static void
run_block(Run &r)
{
	time_kernel(r, by_block);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n, 1.0 * n};
}

NATIVE("Algorithm_ATOMIC", 1000000, 50, "global_256", shape, run_thread);
NATIVE("Algorithm_ATOMIC", 1000000, 50, "warp_256", shape, run_warp);
NATIVE("Algorithm_ATOMIC", 1000000, 50, "block_256", shape, run_block);
