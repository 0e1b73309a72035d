// Stream_ADD: c = a + b.
#include "native.h"

__launch_bounds__(256) __global__ void add(Out c, In a, In b, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer a(r.init.data(n)), b(r.init.data(n)), c(r.init.constant(n, 0));
	r.time([&] { add<<<cover(n, 256), 256>>>(c, a, b, n); });
	r.sum(c);
}

static Shape
shape(Index n)
{
	return {n, 1, 24.0 * n, 1.0 * n};
}

NATIVE("Stream_ADD", 1000000, 1000, "block_256", shape, run);
