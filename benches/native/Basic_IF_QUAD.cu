// Basic_IF_QUAD: the two roots of many quadratic equations.
#include "native.h"

__launch_bounds__(256) __global__
	void quad(Out x1, Out x2, In a, In b, In c, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double s = b[i] * b[i] - 4.0 * a[i] * c[i];
		if (s >= 0) {
			s = sqrt(s);
			x2[i] = (-b[i] + s) / (2.0 * a[i]);
			x1[i] = (-b[i] - s) / (2.0 * a[i]);
		} else {
			x2[i] = 0.0;
			x1[i] = 0.0;
		}
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer a(r.init.with_signs(n)), b(r.init.data(n)), c(r.init.data(n)),
		x1(r.init.constant(n, 0)), x2(r.init.constant(n, 0));
	r.time([&] { quad<<<cover(n, 256), 256>>>(x1, x2, a, b, c, n); });
	r.sum(x1, 0.0001 * r.scale), r.sum(x2, 0.0001 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 1, 40.0 * n, 15.0 * n / 2};
}

NATIVE("Basic_IF_QUAD", 1000000, 180, "block_256", shape, run);
