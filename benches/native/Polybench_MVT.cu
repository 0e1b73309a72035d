// Polybench_MVT: x1 += A y1, and x2 by the columns of A.
#include "native.h"

static __launch_bounds__(256) __global__ void rows(In a, Out x, In y, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double dot = 0;
		for (Index j = 0; j < n; j++)
			dot += a[j + i * n] * y[j];
		x[i] += dot;
	}
}

static __launch_bounds__(256) __global__
	void columns(In a, Out x, In y, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double dot = 0;
		for (Index j = 0; j < n; j++)
			dot += a[i + j * n] * y[i];
		x[i] += dot;
	}
}

static void
run(Run &r)
{
	Index n = square_side(r.target);
	Buffer y1(r.init.data(n)), y2(r.init.data(n)), a(r.init.data(n * n)),
		x1(r.init.constant(n, 0)), x2(r.init.constant(n, 0));
	r.time([&] {
		rows<<<cover(n, 256), 256>>>(a, x1, y1, n);
		columns<<<cover(n, 256), 256>>>(a, x2, y2, n);
	});
	r.sum(x1, 0.01 * r.scale);
	r.sum(x2, 0.01 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target);
	return {n * n, 2, 8.0 * (2 * n * n + 4 * n), 4.0 * n * n};
}

NATIVE("Polybench_MVT", 1000000, 100, "block_256", shape, run);
