// Basic_INIT_VIEW1D_OFFSET: an array set to multiples of its positions, which
// begin at 1.
#include "native.h"

__launch_bounds__(256) __global__
	void init_view_offset(Out a, double v, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (++i <= n)
		a[i - 1] = i * v;
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer a(r.init.constant(n, 0));
	r.time([&] {
		init_view_offset<<<cover(n, 256), 256>>>(a, 0.00000123, n);
	});
	r.sum(a);
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * n, 1.0 * n};
}

NATIVE("Basic_INIT_VIEW1D_OFFSET", 1000000, 2500, "block_256", shape, run);
