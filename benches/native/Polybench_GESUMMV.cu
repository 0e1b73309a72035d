// Polybench_GESUMMV: y = alpha A x + beta B x.
#include "native.h"

static __launch_bounds__(256) __global__
	void rows(In x, Out y, In a, In b, double alpha, double beta, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double by_a = 0, by_b = 0;
		for (Index j = 0; j < n; j++) {
			by_a += a[j + i * n] * x[j];
			by_b += b[j + i * n] * x[j];
		}
		y[i] = alpha * by_a + beta * by_b;
	}
}

static void
run(Run &r)
{
	Index n = square_side(r.target);
	Buffer x(r.init.data(n)), y(r.init.constant(n, 0)),
		a(r.init.data(n * n)), b(r.init.data(n * n));
	r.time([&] {
		rows<<<cover(n, 256), 256>>>(x, y, a, b, 0.62, 1.002, n);
	});
	r.sum(y);
}

static Shape
shape(Index target)
{
	Index n = square_side(target);
	return {n * n, 1, 8.0 * (2 * n * n + 2 * n), (4.0 * n + 3) * n};
}

NATIVE("Polybench_GESUMMV", 1000000, 120, "block_256", shape, run);
