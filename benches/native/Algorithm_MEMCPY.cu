// Algorithm_MEMCPY: a copy, by a kernel and by the driver.
#include "native.h"

static __launch_bounds__(256) __global__ void copy(In x, Out y, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		y[i] = x[i];
}

static void
run_block(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.constant(n, 0)), y(r.init.constant(n, -1.234567e89));
	r.time([&] { copy<<<cover(n, 256), 256>>>(x, y, n); });
	r.sum(y);
}

static void
run_library(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.constant(n, 0)), y(r.init.constant(n, -1.234567e89));
	r.time([&] {
		CHECK(GPU(MemcpyAsync)(y.p, x.p, n * sizeof(double),
				       GPU(MemcpyDeviceToDevice), 0));
	});
	r.sum(y);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n, 0};
}

NATIVE("Algorithm_MEMCPY", 1000000, 100, "block_256", shape, run_block);
NATIVE("Algorithm_MEMCPY", 1000000, 100, "library", shape, run_library);
