// Polybench_ATAX: tmp = A x, then y = A^T tmp.
#include "native.h"

static __launch_bounds__(256) __global__
	void rows(In a, In x, Out y, Out tmp, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double dot = 0;
		y[i] = 0;
		for (Index j = 0; j < n; j++)
			dot += a[j + i * n] * x[j];
		tmp[i] = dot;
	}
}

static __launch_bounds__(256) __global__
	void columns(In a, In tmp, Out y, Index n)
{
	Index j = (Index)blockIdx.x * 256 + threadIdx.x;
	if (j < n) {
		double dot = y[j];
		for (Index i = 0; i < n; i++)
			dot += a[j + i * n] * tmp[i];
		y[j] = dot;
	}
}

static void
run(Run &r)
{
	Index n = square_side(r.target);
	Buffer tmp(r.init.data(n)), x(r.init.data(n)), a(r.init.data(n * n)),
		y(r.init.constant(n, 0));
	r.time([&] {
		rows<<<cover(n, 256), 256>>>(a, x, y, tmp, n);
		columns<<<cover(n, 256), 256>>>(a, tmp, y, n);
	});
	r.sum(y, 0.001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target);
	return {n * n, 2, 8.0 * (2 * n * n + 6 * n), 4.0 * n * n};
}

NATIVE("Polybench_ATAX", 1000000, 100, "block_256", shape, run);
