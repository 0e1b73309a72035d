// Lcals_HYDRO_1D: a fragment of one-dimensional hydrodynamics.
#include "native.h"

__launch_bounds__(256) __global__
	void hydro(Out x, In y, In z, double q, double r, double t, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		x[i] = q + y[i] * (r * z[i + 10] + t * z[i + 11]);
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.constant(n + 12, 0)), y(r.init.data(n + 12)),
		z(r.init.data(n + 12));
	double q = r.init.scalar(), s = r.init.scalar(), t = r.init.scalar();
	r.time([&] { hydro<<<cover(n, 256), 256>>>(x, y, z, q, s, t, n); });
	r.sum(x.host().data(), n, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * n + 8.0 * (n + 1) + 8.0 * n, 5.0 * n};
}

NATIVE("Lcals_HYDRO_1D", 1000000, 1000, "block_256", shape, run);
