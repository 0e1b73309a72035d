// Algorithm_MEMSET: an array set to one value, by a kernel and by the driver.
#include "native.h"

static __launch_bounds__(256) __global__ void set(Out x, double value, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		x[i] = value;
}

static void
run_block(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.constant(n, -1.234567e89));
	r.time([&] { set<<<cover(n, 256), 256>>>(x, 0.0, n); });
	r.sum(x);
}

static void
run_library(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.constant(n, -1.234567e89));
	r.time([&] { CHECK(GPU(MemsetAsync)(x.p, 0, n * sizeof(double), 0)); });
	r.sum(x);
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * n, 0};
}

NATIVE("Algorithm_MEMSET", 1000000, 100, "block_256", shape, run_block);
NATIVE("Algorithm_MEMSET", 1000000, 100, "library", shape, run_library);
