// Apps_PRESSURE: pressure from compression and energy, in two kernels.
#include "native.h"

__launch_bounds__(256) __global__
	void pressure1(Out bvc, In compression, double cls, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		bvc[i] = cls * (compression[i] + 1.0);
}

__launch_bounds__(256) __global__
	void pressure2(Out p_new, In bvc, In e_old, In vnewc, double p_cut,
		       double eosvmax, double pmin, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	p_new[i] = bvc[i] * e_old[i];
	if (fabs(p_new[i]) < p_cut)
		p_new[i] = 0.0;
	if (vnewc[i] >= eosvmax)
		p_new[i] = 0.0;
	if (p_new[i] < pmin)
		p_new[i] = pmin;
}

static void
run(Run &r)
{
	Index n = r.size;
	Init &init = r.init;
	Buffer compression(init.data(n)), bvc(init.data(n)),
		p_new(init.constant(n, 0)), e_old(init.data(n)),
		vnewc(init.data(n));
	double cls = init.scalar(), p_cut = init.scalar(), pmin = init.scalar(),
	       eosvmax = init.scalar();
	unsigned grid = cover(n, 256);
	r.time([&] {
		pressure1<<<grid, 256>>>(bvc, compression, cls, n);
		pressure2<<<grid, 256>>>(p_new, bvc, e_old, vnewc, p_cut,
					 eosvmax, pmin, n);
	});
	r.sum(p_new);
}

static Shape
shape(Index n)
{
	return {n, 2, 48.0 * n, 3.0 * n};
}

NATIVE("Apps_PRESSURE", 1000000, 700, "block_256", shape, run);
