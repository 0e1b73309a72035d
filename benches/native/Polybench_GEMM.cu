// Polybench_GEMM: C = alpha A B, a thread for each element.
#include "native.h"

static __launch_bounds__(256) __global__
	void gemm(Out c, In a, In b, double alpha, double beta, Index ni,
		  Index nj, Index nk)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < ni && j < nj) {
		double dot = 0;
		c[j + i * nj] *= beta;
		for (Index k = 0; k < nk; k++)
			dot += alpha * a[k + i * nk] * b[j + k * nj];
		c[j + i * nj] = dot;
	}
}

static Index
summed(Index n)
{
	return (Index)(1.2 * n);
}

static void
run(Run &r)
{
	Index n = square_side(r.target), nk = summed(n);
	Buffer a(r.init.data(n * nk)), b(r.init.data(nk * n)),
		c(r.init.constant(n * n, 0));
	dim3 grid(cover(n, 32), cover(n, 8)), block(32, 8);
	r.time([&] { gemm<<<grid, block>>>(c, a, b, 0.62, 1.002, n, n, nk); });
	r.sum(c, 0.001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target), nk = summed(n);
	return {n * n, 1, 8.0 * (2 * n * nk + 2 * n * n),
		(1.0 + 3 * nk) * n * n};
}

NATIVE("Polybench_GEMM", 1000000, 4, "block_256", shape, run);
