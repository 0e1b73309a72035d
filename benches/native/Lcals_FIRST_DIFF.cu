// Lcals_FIRST_DIFF: differences of neighbours.
#include "native.h"

__launch_bounds__(256) __global__ void first_diff(Out x, In y, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		x[i] = y[i + 1] - y[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.constant(n, 0)), y(r.init.data(n + 1));
	r.time([&] { first_diff<<<cover(n, 256), 256>>>(x, y, n); });
	r.sum(x);
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * (n + 1) + 8.0 * n, 1.0 * n};
}

NATIVE("Lcals_FIRST_DIFF", 1000000, 2000, "block_256", shape, run);
