// Stream_TRIAD: a = b + alpha c.
#include "native.h"

__launch_bounds__(256) __global__
	void triad(Out a, In b, In c, double alpha, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		a[i] = b[i] + alpha * c[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer a(r.init.constant(n, 0)), b(r.init.data(n)), c(r.init.data(n));
	double alpha = r.init.scalar();
	r.time([&] { triad<<<cover(n, 256), 256>>>(a, b, c, alpha, n); });
	r.sum(a, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 1, 24.0 * n, 2.0 * n};
}

NATIVE("Stream_TRIAD", 1000000, 1000, "block_256", shape, run);
