// Lcals_EOS: a fragment of an equation of state.
#include "native.h"

__launch_bounds__(256) __global__
	void eos(Out x, In y, In z, In u, double q, double r, double t, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		x[i] = u[i] + r * (z[i] + r * y[i]) +
		       t * (u[i + 3] + r * (u[i + 2] + r * u[i + 1]) +
			    t * (u[i + 6] + q * (u[i + 5] + q * u[i + 4])));
}

static void
run(Run &r)
{
	Index n = r.size;
	Index m = n + 7;
	Buffer x(r.init.constant(m, 0)), y(r.init.data(m)), z(r.init.data(m)),
		u(r.init.data(m));
	double q = r.init.scalar(), s = r.init.scalar(), t = r.init.scalar();
	r.time([&] { eos<<<cover(n, 256), 256>>>(x, y, z, u, q, s, t, n); });
	r.sum(x.host().data(), n, 0.0001 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 1, 32.0 * n + 48, 16.0 * n};
}

NATIVE("Lcals_EOS", 1000000, 500, "block_256", shape, run);
