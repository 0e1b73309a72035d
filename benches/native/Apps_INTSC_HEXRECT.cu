// Apps_INTSC_HEXRECT: volume and first moments of the intersections of
// hexahedra, each with 24 triangular facets, with boxes of a rectangular mesh.
// A thread has one intersection, and its polygon lies in shared memory.
#include "native.h"

#define BLOCK 64
#define VALUES 4
#define FACETS 24
// Room for a polygon's corners along x, y, z; one more against bank conflicts.
#define ROOM 10
#define ALL (3 * ROOM + 1)

struct Box {
	double low[3], size[3];
};

// The point of an edge on the cut, reckoned from its lower end.
static __device__ void
crossing(double *a, double *b, double *c, int to, int low, int high, double cut)
{
	double part = (cut - a[low]) / (a[high] - a[low]);
	a[to] = cut;
	b[to] = b[low] + (b[high] - b[low]) * part;
	c[to] = c[low] + (c[high] - c[low]) * part;
}

// Moves a polygon of n corners from one end of its room to the other, but for
// what lies beyond the cut along a; gives the number of its corners.
static __device__ int
clip(double *a, double *b, double *c, bool to_start, bool below, double cut,
     int n)
{
	int from = to_start ? ROOM - 1 : 0, to = to_start ? ROOM - n : n - 1;
	int step = to_start ? 1 : -1, put = to_start ? 0 : ROOM - 1;
	for (int i = 0; i < n; i++, from = to, to += step) {
		bool in = below ? a[from] < cut : a[from] >= cut;
		bool next = below ? a[to] < cut : a[to] >= cut;
		if (in) {
			bool out = !next;
			int low = below ? from : to, high = below ? to : from;
			double part = 0, on_b = 0, on_c = 0;
			if (out) {
				part = (cut - a[low]) / (a[high] - a[low]);
				on_b = b[low] + (b[high] - b[low]) * part;
				on_c = c[low] + (c[high] - c[low]) * part;
			}
			a[put] = a[from], b[put] = b[from], c[put] = c[from];
			put += step;
			if (out) {
				a[put] = cut, b[put] = on_b, c[put] = on_c;
				put += step;
			}
		} else if (next) {
			crossing(a, b, c, put, below ? to : from,
				 below ? from : to, cut);
			put += step;
		}
	}
	return to_start ? put : ROOM - 1 - put;
}

// Adds volume and moments between z = 0 and a polygon of n corners.
static __device__ void
add_polygon(double (&sums)[VALUES], const double *x, const double *y,
	    const double *z, int n, const Box &box)
{
	double part[VALUES] = {};
	double dx = box.size[0], dy = box.size[1];
	double xb = x[1], yb = y[1], zb = z[1];
	for (int i = 2; i < n; i++) {
		double xs[4] = {x[0], xb, x[i], x[0]},
		       ys[4] = {y[0], yb, y[i], y[0]},
		       zs[4] = {z[0], zb, z[i], z[0]};
		double s[VALUES] = {}, area = 0;
		for (int k = 0; k < 3; k++) {
			double h = 0.5 * (zs[k] + zs[k + 1]);
			s[0] += h;
			s[1] += h *
				(box.low[0] + 0.5 * dx * (xs[k] + xs[k + 1]));
			s[2] += h *
				(box.low[1] + 0.5 * dy * (ys[k] + ys[k + 1]));
			s[3] += h * (box.low[2] + 0.5 * h);
			area += (xs[k] - xs[k + 1]) * (ys[k] + ys[k + 1]);
		}
		area *= 0.5;
		for (int v = 0; v < VALUES; v++)
			part[v] += 0.33333333333333333 * area * s[v];
		xb = x[i], yb = y[i], zb = z[i];
	}
	for (int v = 0; v < VALUES; v++)
		sums[v] += part[v] * (dx * dy);
}

// A facet in the frame where the box is of width 1 along x and y and begins at
// 0 along z.
static __device__ void
facet(const double (&hex)[3][8], const Box &box, double sx, double sy, int i,
      double *x, double *y, double *z)
{
	const unsigned char faces[6][4] = {{0, 2, 6, 4}, {1, 5, 7, 3},
					   {0, 4, 5, 1}, {2, 3, 7, 6},
					   {0, 1, 3, 2}, {4, 6, 7, 5}};
	const unsigned char *f = faces[i / 4];
	int from = f[i % 4], to = f[(i + 1) % 4];
	double *out[3] = {x, y, z}, scale[3] = {sx, sy, 1};
	for (int a = 0; a < 3; a++) {
		const double *v = hex[a];
		out[a][0] = (v[from] - box.low[a]) * scale[a];
		out[a][1] = (0.25 * (v[f[0]] + v[f[1]] + v[f[2]] + v[f[3]]) -
			     box.low[a]) *
			    scale[a];
		out[a][2] = (v[to] - box.low[a]) * scale[a];
	}
}

#define EACH(v, test) (v[0] test && v[1] test && v[2] test)

static __device__ void
intersection(const double (&hex)[3][8], const Box &box, double *x,
	     double (&sums)[VALUES])
{
	double *y = x + ROOM, *z = y + ROOM;
	double det = box.size[0] * box.size[1], top = box.size[2];
	double per = det / (det * det + 1.0e-80);
	double sx = box.size[1] * per, sy = box.size[0] * per;
	unsigned inside = 0, above = 0, across = 0;
	for (int i = 0; i < FACETS; i++) {
		double u[3], v[3], w[3];
		facet(hex, box, sx, sy, i, u, v, w);
		if (EACH(u, < 0.0) || EACH(u, >= 1.0) || EACH(v, < 0.0) ||
		    EACH(v, >= 1.0) || EACH(w, < 0.0))
			continue;
		bool within = EACH(u, >= 0.0) && EACH(u, < 1.0) &&
			      EACH(v, >= 0.0) && EACH(v, < 1.0);
		if (within && EACH(w, >= top))
			above |= 1u << i;
		else if (within && EACH(w, >= 0.0) && EACH(w, < top))
			inside |= 1u << i;
		else
			across |= 1u << i;
	}
	for (int i = 0; i < FACETS; i++) {
		if (!(across >> i & 1))
			continue;
		facet(hex, box, sx, sy, i, x, y, z);
		int n = clip(y, x, z, false, true, 1.0, 3);
		n = clip(y, x, z, true, false, 0.0, n);
		n = clip(x, y, z, false, true, 1.0, n);
		n = clip(x, y, z, true, false, 0.0, n);
		double keep[3][8];
		for (int k = 0; k < n; k++)
			keep[0][k] = x[k], keep[1][k] = y[k], keep[2][k] = z[k];
		int upper = clip(z, x, y, false, false, top, n);
		if (upper >= 3) {
			int at = ROOM - upper;
			for (int k = at; k < ROOM; k++)
				z[k] = top;
			add_polygon(sums, x + at, y + at, z + at, upper, box);
		}
		for (int k = 0; k < n; k++)
			x[k] = keep[0][k], y[k] = keep[1][k], z[k] = keep[2][k];
		n = clip(z, x, y, false, true, top, n);
		n = clip(z, x, y, true, false, 0.0, n);
		if (n >= 3)
			add_polygon(sums, x, y, z, n, box);
	}
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < FACETS; i++) {
			if (!((pass ? inside : above) >> i & 1))
				continue;
			facet(hex, box, sx, sy, i, x, y, z);
			if (pass == 0)
				z[0] = z[1] = z[2] = top;
			add_polygon(sums, x, y, z, 3, box);
		}
}

typedef const int *__restrict__ List;

__launch_bounds__(BLOCK) __global__
	void hexrect(In x, In y, In z, List corners, In planes, int nplanes,
		     List hexes, List boxes, Index n, Out out)
{
	__shared__ double rooms[ALL * BLOCK];
	Index i = (Index)blockIdx.x * BLOCK + threadIdx.x;
	if (i >= n)
		return;
	double hex[3][8];
	for (int c = 0; c < 8; c++) {
		int node = corners[8 * (Index)hexes[i] + c];
		hex[0][c] = x[node], hex[1][c] = y[node], hex[2][c] = z[node];
	}
	int per = nplanes - 1, b = boxes[i];
	int place[3] = {b % per, b / per % per, b / (per * per)};
	Box box;
	for (int a = 0; a < 3; a++) {
		const double *p = planes + a * nplanes + place[a];
		box.low[a] = p[0], box.size[a] = p[1] - p[0];
	}
	box.size[2] = box.size[2] > 0 ? box.size[2] : 0;
	double sums[VALUES] = {};
	intersection(hex, box, rooms + ALL * threadIdx.x, sums);
	for (int v = 0; v < VALUES; v++)
		out[VALUES * i + v] = sums[v];
}

static Index
side(Index target)
{
	Index s = (Index)std::cbrt(target + 0.5) / 2;
	return s > 1 ? s : 1;
}

static void
run(Run &r)
{
	int s = (int)side(r.target), along = s + 1;
	const double first[3] = {-2.0, -1.0, 1.0}, pitch = 0.1;
	Array nodes[3], plane;
	for (int a = 0; a < 3; a++) {
		double corner = first[a] + pitch * (1.0 - (a + 1.0) / along);
		double width = pitch * (1.0 - 0.5 / along);
		for (int i = 0; i < along * along * along; i++) {
			int at[3] = {i % along, i / along % along,
				     i / (along * along)};
			nodes[a].push_back(corner + at[a] * width);
		}
		for (int k = 0; k < along + 1; k++)
			plane.push_back(first[a] + k * pitch);
	}
	std::vector<int> corner, hex;
	for (int i = 0; i < s * s * s; i++)
		for (int c = 0; c < 8; c++) {
			int at[3] = {i % s + (c & 1), i / s % s + (c >> 1 & 1),
				     i / (s * s) + (c >> 2)};
			corner.push_back(at[0] +
					 along * (at[1] + along * at[2]));
			hex.push_back(i);
		}
	Buffer x(nodes[0]), y(nodes[1]), z(nodes[2]), planes(plane),
		out(Array(VALUES * r.size, 0.0));
	// Nodes and boxes are numbered alike.
	Memory<int> corners(corner), boxes(corner), hexes(hex);
	r.time([&] {
		hexrect<<<cover(r.size, BLOCK), BLOCK>>>(
			x, y, z, corners, planes, along + 1, hexes, boxes,
			r.size, out);
	});
	r.sum(out);
}

static Shape
shape(Index target)
{
	Index s = side(target), n = 8 * s * s * s;
	double nodes = (double)(s + 1) * (s + 1) * (s + 1);
	return {n, 1, 24 * nodes + 12.0 * n + 8.0 * VALUES * n,
		150.0 * FACETS * n};
}

NATIVE("Apps_INTSC_HEXRECT", 1000000, 1, "block_64", shape, run);
