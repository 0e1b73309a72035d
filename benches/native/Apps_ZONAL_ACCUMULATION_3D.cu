// Apps_ZONAL_ACCUMULATION_3D: for each real zone the mean of its nodes.
#include "apps.h"

__launch_bounds__(256) __global__
	void zonal(Out vol, Corners x, const Index *__restrict__ zones, Index n)
{
	Index t = (Index)blockIdx.x * 256 + threadIdx.x;
	if (t >= n)
		return;
	Index i = zones[t];
	vol[i] = 0.125 * (x.v0[i] + x.v1[i] + x.v2[i] + x.v3[i] + x.v4[i] +
			  x.v5[i] + x.v6[i] + x.v7[i]);
}

static void
run(Run &r)
{
	Domain d = Domain::cube(r.target);
	Index zones = d.real_zones();
	Buffer x(r.init.constant(d.length(), 1)),
		vol(r.init.constant(d.end_zone(), 0));
	Memory<Index> list(d.zone_list());
	Corners c = corners(x, d);
	r.time([&] { zonal<<<cover(zones, 256), 256>>>(vol, c, list, zones); });
	r.sum(vol, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	Domain d = Domain::cube(n);
	double zones = (double)d.real_zones();
	return {d.real_zones(), 1, 16 * zones + 8.0 * d.real_nodes(),
		8 * zones};
}

NATIVE("Apps_ZONAL_ACCUMULATION_3D", 1000000, 100, "block_256", shape, run);
