// Algorithm_REDUCE_SUM: the sum of an array, read back in every repetition.
#include "native.h"
#ifndef __HIP__
#include <cub/cub.cuh>
#endif

static __launch_bounds__(256) __global__
	void reduce(In x, double *result, Index n)
{
	__shared__ double part[256];
	double sum = 0;
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		sum += x[i];
	part[threadIdx.x] = sum;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if ((int)threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		atomicAdd(result, part[0]);
}

static void
time_grid(Run &r, unsigned blocks)
{
	Index n = r.size;
	Buffer x(r.init.data(n)), result(1);
	Pinned<double> host(1);
	r.time([&] {
		*host.p = 0;
		CHECK(GPU(MemcpyAsync)(result.p, host.p, sizeof(double),
				       GPU(MemcpyHostToDevice), 0));
		reduce<<<blocks, 256>>>(x, result, n);
		r.read(host.p, result.p, 1);
	});
	r.sum(host.p, 1);
}

static void
run_few(Run &r)
{
	time_grid(r, r.few_blocks(reduce, r.size, 256));
}

static void
run_direct(Run &r)
{
	time_grid(r, cover(r.size, 256));
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * n + 16, 1.0 * n};
}

NATIVE("Algorithm_REDUCE_SUM", 1000000, 50, "occgs_256", shape, run_few);
NATIVE("Algorithm_REDUCE_SUM", 1000000, 50, "direct_256", shape, run_direct);

#ifndef __HIP__
static void
run_library(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.data(n)), result(1);
	Pinned<double> host(1);
	size_t bytes = 0;
	CHECK(cub::DeviceReduce::Sum(nullptr, bytes, x.p, result.p, (int)n));
	Memory<char> scratch(bytes);
	r.time([&] {
		CHECK(cub::DeviceReduce::Sum(scratch.p, bytes, x.p, result.p,
					     (int)n));
		r.read(host.p, result.p, 1);
	});
	r.sum(host.p, 1);
}

NATIVE("Algorithm_REDUCE_SUM", 1000000, 50, "library", shape, run_library);
#endif
