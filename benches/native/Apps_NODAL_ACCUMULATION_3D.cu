// Apps_NODAL_ACCUMULATION_3D: each real zone adds an eighth of its volume to
// each of its nodes.
#include "apps.h"

__launch_bounds__(256) __global__
	void nodal(In vol, double *x0, double *x1, double *x2, double *x3,
		   double *x4, double *x5, double *x6, double *x7,
		   const Index *__restrict__ zones, Index n)
{
	Index t = (Index)blockIdx.x * 256 + threadIdx.x;
	if (t >= n)
		return;
	Index i = zones[t];
	double part = 0.125 * vol[i];
	atomicAdd(&x0[i], part), atomicAdd(&x1[i], part);
	atomicAdd(&x2[i], part), atomicAdd(&x3[i], part);
	atomicAdd(&x4[i], part), atomicAdd(&x5[i], part);
	atomicAdd(&x6[i], part), atomicAdd(&x7[i], part);
}

static void
run(Run &r)
{
	Domain d = Domain::cube(r.target);
	Index zones = d.real_zones(), j = d.jp, k = d.kp;
	Buffer x(r.init.constant(d.length(), 0)),
		vol(r.init.constant(d.end_zone(), 1));
	Memory<Index> list(d.zone_list());
	double *p = x;
	r.time([&] {
		nodal<<<cover(zones, 256), 256>>>(
			vol, p, p + 1, p + j, p + 1 + j, p + k, p + 1 + k,
			p + j + k, p + 1 + j + k, list, zones);
	});
	r.sum(x, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	Domain d = Domain::cube(n);
	double zones = (double)d.real_zones();
	return {d.real_zones(), 1, 16 * zones + 16.0 * d.real_nodes(),
		9 * zones};
}

NATIVE("Apps_NODAL_ACCUMULATION_3D", 1000000, 100, "block_256", shape, run);
