// Basic_INIT3: three arrays set to the same sum.
#include "native.h"

__launch_bounds__(256) __global__
	void init3(Out a, Out b, Out c, In x, In y, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		a[i] = b[i] = c[i] = -x[i] - y[i];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer a(r.init.constant(n, 0)), b(r.init.constant(n, 0)),
		c(r.init.constant(n, 0)), x(r.init.data(n)), y(r.init.data(n));
	r.time([&] { init3<<<cover(n, 256), 256>>>(a, b, c, x, y, n); });
	r.sum(a), r.sum(b), r.sum(c);
}

static Shape
shape(Index n)
{
	return {n, 1, 40.0 * n, 1.0 * n};
}

NATIVE("Basic_INIT3", 1000000, 500, "block_256", shape, run);
