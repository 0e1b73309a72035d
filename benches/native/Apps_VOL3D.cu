// Apps_VOL3D: the volume of each zone of a mesh of hexahedra.
#include "apps.h"

struct Vector {
	double x, y, z;
};

static __device__ double
mixed(Vector a, Vector b, Vector c)
{
	double yz = b.y * c.z - b.z * c.y, zx = b.z * c.x - b.x * c.z,
	       xy = b.x * c.y - b.y * c.x;
	return a.x * yz + a.y * zx + a.z * xy;
}

static __device__ Vector
sum(Vector a, Vector b)
{
	return {a.x + b.x, a.y + b.y, a.z + b.z};
}

__launch_bounds__(256) __global__
	void vol3d(Out vol, Corners x, Corners y, Corners z, double factor,
		   Index begin, Index end)
{
	Index i = begin + (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= end)
		return;
#define EDGE(to, from)                                                         \
	Vector{x.v##to[i] - x.v##from[i], y.v##to[i] - y.v##from[i],           \
	       z.v##to[i] - z.v##from[i]}
	Vector e71 = EDGE(7, 1), e72 = EDGE(7, 2), e74 = EDGE(7, 4),
	       e30 = EDGE(3, 0), e50 = EDGE(5, 0), e60 = EDGE(6, 0);
	double v = mixed(sum(e71, e60), e72, e30);
	v += mixed(sum(e72, e50), e74, e60);
	v += mixed(sum(e74, e30), e74, e60);
	v += mixed(sum(e74, e30), e71, e50);
	vol[i] = v * factor;
}

static void
run(Run &r)
{
	Domain d = Domain::cube(r.target);
	Buffer x(d.positions(0, 0.3)), y(d.positions(1, 0.2)),
		z(d.positions(2, 0.1)), vol(Array(d.length(), 0.0));
	Corners cx = corners(x, d), cy = corners(y, d), cz = corners(z, d);
	Index begin = d.first_zone(), end = d.end_zone();
	r.time([&] {
		vol3d<<<cover(end, 256), 256>>>(
			vol, cx, cy, cz, 0.083333333333333333, begin, end);
	});
	r.sum(vol, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	Domain d = Domain::cube(n);
	double zones = (double)(d.end_zone() - d.first_zone());
	return {d.real_zones(), 1, 24 * (zones + 1 + d.jp + d.kp) + 8 * zones,
		72 * zones};
}

NATIVE("Apps_VOL3D", 1000000, 100, "block_256", shape, run);
