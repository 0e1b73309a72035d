// Apps_EDGE3D: for each zone of a mesh of hexahedra the edge-element matrix of
// mass plus curl-curl, summed up over its entries.
#include "apps.h"

#define EDGES 12
#define TINY 1.0e-50

typedef double Basis[3][EDGES];
typedef double Square[3][3];

// The products of a coordinate or what it lacks to 1 with another's.
struct Pair {
	double none, first, second, both;
	__device__
	Pair(double a, double b)
	    : none((1. - a) * (1. - b)), first(a * (1. - b)),
	      second((1. - a) * b), both(a * b)
	{
	}
};

static __device__ double
along_x(const double (&v)[8], const Pair &yz)
{
	return (v[1] - v[0]) * yz.none + (v[2] - v[3]) * yz.first +
	       (v[5] - v[4]) * yz.second + (v[6] - v[7]) * yz.both;
}

static __device__ double
along_y(const double (&v)[8], const Pair &xz)
{
	return (v[3] - v[0]) * xz.none + (v[2] - v[1]) * xz.first +
	       (v[7] - v[4]) * xz.second + (v[6] - v[5]) * xz.both;
}

static __device__ double
along_z(const double (&v)[8], const Pair &xy)
{
	return (v[4] - v[0]) * xy.none + (v[5] - v[1]) * xy.first +
	       (v[6] - v[2]) * xy.both + (v[7] - v[3]) * xy.second;
}

static __device__ void
transform(const Square &by, const Basis &from, Basis &to)
{
	for (int e = 0; e < EDGES; e++)
		for (int r = 0; r < 3; r++)
			to[r][e] = by[r][0] * from[0][e] +
				   by[r][1] * from[1][e] +
				   by[r][2] * from[2][e];
}

static __device__ void
add_products(double weight, const Basis &b, double (&matrix)[EDGES][EDGES])
{
	for (int p = 0; p < EDGES; p++)
		for (int m = p; m < EDGES; m++) {
			matrix[p][m] += weight *
					(b[0][p] * b[0][m] + b[1][p] * b[1][m] +
					 b[2][p] * b[2][m]);
			if (m > p)
				matrix[m][p] = matrix[p][m];
		}
}

// Adds the part of the quadrature point (x, y, z).
static __device__ void
add_point(const double (&vx)[8], const double (&vy)[8], const double (&vz)[8],
	  double x, double y, double z, double zx, double zy, double zz,
	  double weight, double (&matrix)[EDGES][EDGES])
{
	Pair xy(x, y), xz(x, z), yz(y, z);
	double nx = 1. - x, ny = 1. - y, nz = 1. - z;
	double xx = along_x(vx, yz), xy_ = along_x(vy, yz),
	       xz_ = along_x(vz, yz), yx = along_y(vx, xz),
	       yy = along_y(vy, xz), yz_ = along_y(vz, xz);
	double det = xy_ * yz_ * zx - xz_ * yy * zx + xz_ * yx * zy -
		     xx * yz_ * zy - xy_ * yx * zz + xx * yy * zz;
	double size = fabs(det), per = 1.0 / (det + TINY);
	Square inverse = {
		{(yy * zz - yz_ * zy) * per, (xz_ * zy - xy_ * zz) * per,
		 (xy_ * yz_ - xz_ * yy) * per},
		{(yz_ * zx - yx * zz) * per, (xx * zz - xz_ * zx) * per,
		 (xz_ * yx - xx * yz_) * per},
		{(yx * zy - yy * zx) * per, (xy_ * zx - xx * zy) * per,
		 (xx * yy - xy_ * yx) * per}};
	Basis edges = {{yz.none, yz.first, yz.second, yz.both},
		       {0, 0, 0, 0, xz.none, xz.first, xz.second, xz.both},
		       {0, 0, 0, 0, 0, 0, 0, 0, xy.none, xy.first, xy.second,
			xy.both}};
	Basis curls = {{0, 0, 0, 0, nx, x, -nx, -x, -nx, -x, nx, x},
		       {-ny, -y, ny, y, 0, 0, 0, 0, ny, -ny, y, -y},
		       {nz, -nz, z, -z, -nz, nz, -z, z}};
	Basis moved;
	transform(inverse, edges, moved);
	add_products(weight * size, moved, matrix);
	per = 1. / (size + TINY);
	Square turned = {{xx * per, yx * per, zx * per},
			 {xy_ * per, yy * per, zy * per},
			 {xz_ * per, yz_ * per, zz * per}};
	transform(turned, curls, moved);
	add_products(weight * size, moved, matrix);
}

#define EIGHT(c)                                                               \
	{                                                                      \
		c.v0[i], c.v1[i], c.v2[i], c.v3[i], c.v4[i], c.v5[i], c.v6[i], \
			c.v7[i]                                                \
	}

__launch_bounds__(256) __global__ void edge3d(Out out, Corners x, Corners y,
					      Corners z, Index begin, Index end)
{
	Index i = begin + (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= end)
		return;
	double vx[8] = EIGHT(x), vy[8] = EIGHT(y), vz[8] = EIGHT(z);
	const double points[2] = {0.211324865405187118, 0.788675134594812882};
	const double weight = 0.5;
	double matrix[EDGES][EDGES];
	for (int m = 0; m < EDGES; m++)
		for (int p = m; p < EDGES; p++)
			matrix[m][p] = 0;
	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			Pair xy(points[a], points[b]);
			double zx = along_z(vx, xy), zy = along_z(vy, xy),
			       zz = along_z(vz, xy);
			for (int c = 0; c < 2; c++)
				add_point(vx, vy, vz, points[a], points[b],
					  points[c], zx, zy, zz,
					  weight * weight * weight, matrix);
		}
	double sum = 0;
	for (int m = 0; m < EDGES; m++) {
		double row = 0;
		for (int p = 0; p < EDGES; p++)
			row += matrix[m][p];
		sum += row;
	}
	out[i] = sum;
}

static void
run(Run &r)
{
	Domain d = Domain::cube(r.target);
	Buffer x(d.positions(0, 0.3)), y(d.positions(1, 0.2)),
		z(d.positions(2, 0.1)), out(Array(d.length(), 0.0));
	Corners cx = corners(x, d), cy = corners(y, d), cz = corners(z, d);
	Index begin = d.first_zone(), end = d.end_zone();
	r.time([&] {
		edge3d<<<cover(end - begin, 256), 256>>>(out, cx, cy, cz, begin,
							 end);
	});
	r.sum(out, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	Domain d = Domain::cube(n);
	double zones = (double)(d.end_zone() - d.first_zone());
	return {d.real_zones(), 1, 24 * (zones + 1 + d.jp + d.kp) + 8 * zones,
		11619 * zones};
}

NATIVE("Apps_EDGE3D", 1000000, 10, "block_256", shape, run);
