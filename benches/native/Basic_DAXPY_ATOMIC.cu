// Basic_DAXPY_ATOMIC: y += a x, each sum as one atomic step.
#include "native.h"

__launch_bounds__(256) __global__
	void daxpy_atomic(double *y, In x, double a, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		atomicAdd(&y[i], a * x[i]);
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer y(r.init.constant(n, 0)), x(r.init.data(n));
	double a = r.init.scalar();
	r.time([&] { daxpy_atomic<<<cover(n, 256), 256>>>(y, x, a, n); });
	r.sum(y);
}

static Shape
shape(Index n)
{
	return {n, 1, 24.0 * n, 2.0 * n};
}

NATIVE("Basic_DAXPY_ATOMIC", 1000000, 500, "block_256", shape, run);
