// Apps_DEL_DOT_VEC_2D: the divergence of a vector field over the real zones of
// a mesh of quadrilaterals.
#include "apps.h"

// The nodes of each zone, counter-clockwise from the second.
struct Quad {
	In v1, v2, v3, v4;
};

static Quad
quad(const double *v, const Domain &d)
{
	return {v + 1, v + 1 + d.jp, v + d.jp, v};
}

static __device__ double
along_i(const Quad &v, Index i)
{
	return 0.5 * (v.v1[i] + v.v2[i] - v.v3[i] - v.v4[i]);
}

static __device__ double
along_j(const Quad &v, Index i)
{
	return 0.5 * (v.v2[i] + v.v3[i] - v.v4[i] - v.v1[i]);
}

__launch_bounds__(256) __global__
	void del_dot(Out div, Quad x, Quad y, Quad fx, Quad fy,
		     const Index *__restrict__ zones, double tiny, Index n)
{
	Index t = (Index)blockIdx.x * 256 + threadIdx.x;
	if (t >= n)
		return;
	Index i = zones[t];
	double xi = along_i(x, i), xj = along_j(x, i), yi = along_i(y, i),
	       yj = along_j(y, i), fxi = along_i(fx, i), fxj = along_j(fx, i),
	       fyi = along_i(fy, i), fyj = along_j(fy, i);
	double per_area = 1.0 / (xi * yj - xj * yi + tiny);
	double dfxdx = per_area * (fxi * yj - fxj * yi);
	double dfydy = per_area * (fyj * xi - fyi * xj);
	double affine = (fy.v1[i] + fy.v2[i] + fy.v3[i] + fy.v4[i]) /
			(y.v1[i] + y.v2[i] + y.v3[i] + y.v4[i]);
	div[i] = dfxdx + dfydy + affine;
}

static void
run(Run &r)
{
	Domain d = Domain::square(r.target);
	Index n = d.length(), zones = d.real_zones();
	// The suite fills three arrays before their real values.
	r.init.count = 3;
	Buffer x(d.positions(0, 0.2)), y(d.positions(1, 0.1)),
		fx(r.init.data(n)), fy(r.init.data(n)),
		div(r.init.constant(n, 0));
	Memory<Index> list(d.zone_list());
	Quad qx = quad(x, d), qy = quad(y, d), qfx = quad(fx, d),
	     qfy = quad(fy, d);
	r.time([&] {
		del_dot<<<cover(zones, 256), 256>>>(div, qx, qy, qfx, qfy, list,
						    1e-20, zones);
	});
	r.sum(div);
}

static Shape
shape(Index n)
{
	Domain d = Domain::square(n);
	double zones = (double)d.real_zones();
	return {d.real_zones(), 1, 16 * zones + 32.0 * d.real_nodes(),
		54 * zones};
}

NATIVE("Apps_DEL_DOT_VEC_2D", 1000000, 100, "block_256", shape, run);
