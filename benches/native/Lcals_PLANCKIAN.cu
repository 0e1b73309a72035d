// Lcals_PLANCKIAN: y = u / v, w = x / (exp(y) - 1).
#include "native.h"

__launch_bounds__(256) __global__
	void planckian(In x, Out y, In u, In v, Out w, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		y[i] = u[i] / v[i];
		w[i] = x[i] / (exp(y[i]) - 1.0);
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.data(n)), y(r.init.data(n)), u(r.init.data(n)),
		v(r.init.data(n)), w(r.init.constant(n, 0));
	r.time([&] { planckian<<<cover(n, 256), 256>>>(x, y, u, v, w, n); });
	r.sum(w);
}

static Shape
shape(Index n)
{
	return {n, 1, 40.0 * n, 4.0 * n};
}

NATIVE("Lcals_PLANCKIAN", 1000000, 50, "block_256", shape, run);
