// Stream_COPY: c = a.
#include "native.h"

__launch_bounds__(256) __global__ void copy(Out c, In a, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		c[i] = a[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer a(r.init.data(n)), c(r.init.constant(n, 0));
	r.time([&] { copy<<<cover(n, 256), 256>>>(c, a, n); });
	r.sum(c);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n, 0};
}

NATIVE("Stream_COPY", 1000000, 1800, "block_256", shape, run);
