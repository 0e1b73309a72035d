// Polybench_3MM: E = A B, F = C D, G = E F, a thread for each element.
#include "native.h"

static __launch_bounds__(256) __global__
	void product(Out to, In a, In b, Index ni, Index nj, Index nk)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < ni && j < nj) {
		double dot = 0;
		for (Index k = 0; k < nk; k++)
			dot += a[k + i * nk] * b[j + k * nj];
		to[j + i * nj] = dot;
	}
}

static void
run(Run &r)
{
	Index n = square_side(r.target), nk = (Index)(1.01 * n),
	      nm = (Index)(1.2 * n);
	Buffer a(r.init.data(n * nk)), b(r.init.data(nk * n)),
		c(r.init.data(n * nm)), d(r.init.data(nm * n)),
		e(r.init.constant(n * n, 0)), f(r.init.constant(n * n, 0)),
		g(r.init.constant(n * n, 0));
	dim3 grid(cover(n, 32), cover(n, 8)), block(32, 8);
	r.time([&] {
		product<<<grid, block>>>(e, a, b, n, n, nk);
		product<<<grid, block>>>(f, c, d, n, n, nm);
		product<<<grid, block>>>(g, e, f, n, n, n);
	});
	r.sum(g, 0.000000001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target), nk = (Index)(1.01 * n),
	      nm = (Index)(1.2 * n);
	return {n * n, 3, 8.0 * (2 * n * (nk + nm) + 5 * n * n),
		2.0 * n * n * (nk + nm + n)};
}

NATIVE("Polybench_3MM", 1000000, 2, "block_256", shape, run);
