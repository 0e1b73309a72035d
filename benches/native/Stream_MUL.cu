// Stream_MUL: b = alpha c.
#include "native.h"

__launch_bounds__(256) __global__ void mul(Out b, In c, double alpha, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		b[i] = alpha * c[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer b(r.init.constant(n, 0)), c(r.init.data(n));
	double alpha = r.init.scalar();
	r.time([&] { mul<<<cover(n, 256), 256>>>(b, c, alpha, n); });
	r.sum(b);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n, 1.0 * n};
}

NATIVE("Stream_MUL", 1000000, 1800, "block_256", shape, run);
