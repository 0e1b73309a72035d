// Lcals_TRIDIAG_ELIM: elimination below the diagonal of a tridiagonal matrix.
#include "native.h"

__launch_bounds__(256) __global__
	void eliminate(Out xout, In xin, In y, In z, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i > 0 && i <= n)
		xout[i] = z[i] * (y[i] - xin[i - 1]);
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer xout(r.init.constant(n + 1, 0)), xin(r.init.data(n + 1)),
		y(r.init.data(n + 1)), z(r.init.data(n + 1));
	r.time([&] {
		eliminate<<<cover(n + 1, 256), 256>>>(xout, xin, y, z, n);
	});
	r.sum(xout.host().data(), n);
}

static Shape
shape(Index n)
{
	return {n, 1, 32.0 * (n - 1), 2.0 * (n - 1)};
}

NATIVE("Lcals_TRIDIAG_ELIM", 1000000, 1000, "block_256", shape, run);
