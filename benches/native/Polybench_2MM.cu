// Polybench_2MM: tmp = alpha A B, then D = tmp C + beta, a thread for each
// element.
#include "native.h"

static __launch_bounds__(256) __global__
	void first(Out tmp, In a, In b, double alpha, Index ni, Index nj,
		   Index nk)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < ni && j < nj) {
		double dot = 0;
		for (Index k = 0; k < nk; k++)
			dot += alpha * a[k + i * nk] * b[j + k * nj];
		tmp[j + i * nj] = dot;
	}
}

static __launch_bounds__(256) __global__
	void second(In tmp, In c, Out d, double beta, Index ni, Index nl,
		    Index nj)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index l = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < ni && l < nl) {
		double dot = beta;
		for (Index j = 0; j < nj; j++)
			dot += tmp[j + i * nj] * c[l + j * nl];
		d[l + i * nl] = dot;
	}
}

static Index
summed(Index n)
{
	return (Index)(1.12 * n);
}

static void
run(Run &r)
{
	Index n = square_side(r.target), nk = summed(n);
	Buffer tmp(r.init.data(n * n)), a(r.init.data(n * nk)),
		b(r.init.data(nk * n)), c(r.init.data(n * n)),
		d(r.init.constant(n * n, 0));
	dim3 grid(cover(n, 32), cover(n, 8)), block(32, 8);
	r.time([&] {
		first<<<grid, block>>>(tmp, a, b, 1.5, n, n, nk);
		second<<<grid, block>>>(tmp, c, d, 1.2, n, n, n);
	});
	r.sum(d, 0.000001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target), nk = summed(n);
	return {n * n, 2, 8.0 * (2 * n * nk + 4 * n * n),
		3.0 * n * n * nk + 2.0 * n * n * n};
}

NATIVE("Polybench_2MM", 1000000, 2, "block_256", shape, run);
