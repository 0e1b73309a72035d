// Lcals_GEN_LIN_RECUR: general linear recurrences: two sweeps, the second from
// the end.
#include "native.h"

__launch_bounds__(256) __global__
	void gen_lin_recur1(Out b5, Out stb5, In sa, In sb, Index n)
{
	Index k = (Index)blockIdx.x * 256 + threadIdx.x;
	if (k < n) {
		b5[k] = sa[k] + stb5[k] * sb[k];
		stb5[k] = b5[k] - stb5[k];
	}
}

__launch_bounds__(256) __global__
	void gen_lin_recur2(Out b5, Out stb5, In sa, In sb, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i > 0 && i < n + 1) {
		Index k = n - i;
		b5[k] = sa[k] + stb5[k] * sb[k];
		stb5[k] = b5[k] - stb5[k];
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer b5(r.init.constant(n, 0)), stb5(r.init.data(n)),
		sa(r.init.data(n)), sb(r.init.data(n));
	r.time([&] {
		gen_lin_recur1<<<cover(n, 256), 256>>>(b5, stb5, sa, sb, n);
		gen_lin_recur2<<<cover(n + 1, 256), 256>>>(b5, stb5, sa, sb, n);
	});
	r.sum(b5, 0.01 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 2, 80.0 * n, 6.0 * n};
}

NATIVE("Lcals_GEN_LIN_RECUR", 1000000, 500, "block_256", shape, run);
