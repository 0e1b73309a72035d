// Basic_DAXPY: y += a x.
#include "native.h"

__launch_bounds__(256) __global__ void daxpy(Out y, In x, double a, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer y(r.init.constant(n, 0)), x(r.init.data(n));
	double a = r.init.scalar();
	r.time([&] { daxpy<<<cover(n, 256), 256>>>(y, x, a, n); });
	r.sum(y);
}

static Shape
shape(Index n)
{
	return {n, 1, 24.0 * n, 2.0 * n};
}

NATIVE("Basic_DAXPY", 1000000, 500, "block_256", shape, run);
