// Apps_INTSC_HEXHEX: volume and first moments of the intersections of pairs of
// hexahedra: each triangle of the one's surface is clipped against each
// tetrahedron of the other. A block of 64 threads straddles pairs of 72
// triangles and tetrahedra, so a second kernel puts the blocks' partial sums
// together.
#include "native.h"

#define BLOCK 64
#define TETRAHEDRA 6
#define TRIANGLES 12
#define PER_PAIR (TRIANGLES * TETRAHEDRA)
#define PAIRS 8
#define VALUES 4
#define GROUP (PER_PAIR * PAIRS / BLOCK)
#define HEX 24
#define CORNERS 9

#ifdef __HIP__
#define WARP 64
static __device__ double
shuffle_xor(double v, int mask)
{
	return __shfl_xor(v, mask);
}
#else
#define WARP 32
static __device__ double
shuffle_xor(double v, int mask)
{
	return __shfl_xor_sync(0xffffffff, v, mask);
}
#endif

// A polygon's corners in order, as a linked list; -1 ends it.
struct Order {
	int next[CORNERS], first, free;
};

// Coordinates x, y, z, and h = 1 - x - y - z of each corner.
struct Polygon {
	double x[CORNERS], y[CORNERS], z[CORNERS], h[CORNERS];
};

// Puts at `to` the point of an edge where the cut coordinate is 0.
static __device__ void
cross(const double *c, Polygon &p, int to, int in, int out)
{
	double part = (0.0 - c[out]) / (c[in] - c[out]);
	p.x[to] = p.x[in] * part + p.x[out] * (1.0 - part);
	p.y[to] = p.y[in] * part + p.y[out] * (1.0 - part);
	p.z[to] = p.z[in] * part + p.z[out] * (1.0 - part);
	p.h[to] = p.h[in] * part + p.h[out] * (1.0 - part);
}

// Cuts off what has the coordinate c, which may be one of p's, below 0.
static __device__ void
clip(const double *c, Polygon &p, Order &o)
{
	int start = o.first, leaves = -1, leaves_to = -1, enters = -1,
	    enters_to = -1;
	double value = start >= 0 ? c[start] : 0.0;
	double first = value, last = value;
	for (int j = start; j >= 0;) {
		int next = o.next[j], to = next < 0 ? start : next;
		double v = c[to];
		if (value >= 0 && v < 0)
			leaves = j, leaves_to = to;
		if (value < 0 && v >= 0)
			enters = j, enters_to = to;
		j = next, last = value, value = v;
	}
	int new1 = -1, new2 = -1;
	if (leaves >= 0) {
		new1 = o.free, o.free = o.next[new1];
		cross(c, p, new1, leaves, leaves_to);
		new2 = o.free, o.free = o.next[new2];
		cross(c, p, new2, enters_to, enters);
	}
	o.first = -1;
	for (int j = start; j >= 0;) {
		int next = o.next[j];
		if (c[j] < 0.0)
			o.next[j] = o.free, o.free = j;
		else if (o.first == -1)
			o.first = j;
		j = next;
	}
	if (leaves >= 0) {
		o.next[leaves] = new1, o.next[new1] = new2;
		o.next[new2] = last < 0 || first < 0 ? -1 : enters_to;
	}
}

// Adds six times the volume and 24 times the moments between the polygon and z
// = 0.
static __device__ void
add_polygon(double (&s)[VALUES], const Polygon &p, const Order &o)
{
	int j = o.first;
	if (j < 0)
		return;
	double x0 = p.x[j], y0 = p.y[j], z0 = p.z[j];
	j = o.next[j];
	double x1 = p.x[j], y1 = p.y[j], z1 = p.z[j];
	for (j = o.next[j]; j >= 0; j = o.next[j]) {
		double x2 = p.x[j], y2 = p.y[j], z2 = p.z[j];
		double area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
		double v = (z0 + z1 + z2) * area;
		s[0] += v;
		s[1] += v * (x0 + x1 + x2) +
			area * (x0 * z0 + x1 * z1 + x2 * z2);
		s[2] += v * (y0 + y1 + y2) +
			area * (y0 * z0 + y1 * z1 + y2 * z2);
		s[3] += (z0 * z0 + z1 * z1 + z2 * z2 + z0 * z1 + z0 * z2 +
			 z1 * z2) *
			area;
		x1 = x2, y1 = y2, z1 = z2;
	}
}

struct Point {
	double x, y, z;
};

static __device__ Point
minus(Point a, Point b)
{
	return {a.x - b.x, a.y - b.y, a.z - b.z};
}

static __device__ Point
times(Point a, Point b)
{
	return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
		a.x * b.y - a.y * b.x};
}

static __device__ double
dot(Point a, Point b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Adds volume and moments of the part of a tetrahedron below a triangle.
static __device__ void
below(const Point (&triangle)[3], const Point (&tet)[4], double (&out)[VALUES])
{
	Point o = tet[0], a = minus(tet[1], o), b = minus(tet[2], o),
	      c = minus(tet[3], o);
	double det = a.x * b.y * c.z - a.x * c.y * b.z + b.x * c.y * a.z -
		     b.x * a.y * c.z + c.x * a.y * b.z - c.x * b.y * a.z;
	double per = det / (det * det + 1.0e-100);
	Point ax = times(b, c), ay = times(c, a), az = times(a, b);
	Polygon p;
	double h2[CORNERS];
	for (int i = 0; i < 3; i++) {
		Point from = minus(triangle[i], o);
		p.x[i] = dot(from, ax) * per;
		p.y[i] = dot(from, ay) * per;
		p.z[i] = dot(from, az) * per;
		p.h[i] = 1.0 - p.x[i] - p.y[i] - p.z[i];
		h2[i] = 1.0 - p.x[i] - p.y[i];
	}
	Order order = {{1, 2, -1, 4, 5, 6, 7, 8, -1}, 0, 3};
	clip(h2, p, order);
	clip(p.x, p, order);
	clip(p.y, p, order);
	clip(p.z, p, order);
	Order rest = order;
	double s[VALUES] = {};
	clip(p.h, p, order);
	add_polygon(s, p, order);
	// What lies beyond the face h = 0 counts up to that.
	for (int j = rest.first; j >= 0; j = rest.next[j])
		p.h[j] = -p.h[j] - 1.0e-50;
	clip(p.h, p, rest);
	for (int j = rest.first; j >= 0; j = rest.next[j])
		p.z[j] = 1.0 - p.x[j] - p.y[j];
	add_polygon(s, p, rest);
	s[0] *= 0.16666666666666667;
	for (int i = 1; i < VALUES; i++)
		s[i] *= 0.041666666666666667;
	out[0] += det * s[0];
	out[1] += det * (o.x * s[0] + a.x * s[1] + b.x * s[2] + c.x * s[3]);
	out[2] += det * (o.y * s[0] + a.y * s[1] + b.y * s[2] + c.y * s[3]);
	out[3] += det * (o.z * s[0] + a.z * s[1] + b.z * s[2] + c.z * s[3]);
}

static __device__ Point
corner(const double *hex, int i)
{
	return {hex[i], hex[8 + i], hex[16 + i]};
}

__launch_bounds__(BLOCK) __global__
	void triangles(In donors, In targets, Index pairs, double *sums)
{
	__shared__ double room[2 * VALUES * (BLOCK / WARP)];
	// Corners around corner 0, and edges of the tetrahedra on corners 0
	// and 7.
	const int around[7] = {1, 5, 4, 6, 2, 3, 1},
		  cycle[7] = {1, 3, 2, 6, 4, 5, 1};
	Index block = blockIdx.x;
	int t = threadIdx.x;
	Index i = block * BLOCK + t, pair = i / PER_PAIR;
	int triangle = i / TETRAHEDRA % TRIANGLES, tet = i % TETRAHEDRA;
	double low[VALUES] = {}, high[VALUES] = {};
	if (pair < pairs) {
		const double *d = donors + HEX * pair,
			     *g = targets + HEX * pair;
		int v0 = triangle < 6 ? 0 : 7,
		    v1 = around[triangle < 6 ? triangle : 12 - triangle],
		    v2 = around[triangle < 6 ? triangle + 1 : 11 - triangle];
		Point tri[3] = {corner(d, v0), corner(d, v1), corner(d, v2)};
		Point four[4] = {corner(g, 0), corner(g, cycle[tet]),
				 corner(g, cycle[tet + 1]), corner(g, 7)};
		below(tri, four, low);
	}
	if (pair * PER_PAIR > block * BLOCK)
		for (int k = 0; k < VALUES; k++)
			high[k] = low[k], low[k] = 0;
	__syncthreads();
	for (int n = 1; n < WARP; n *= 2)
		for (int k = 0; k < VALUES; k++) {
			high[k] += shuffle_xor(high[k], n);
			low[k] += shuffle_xor(low[k], n);
		}
	const int warps = BLOCK / WARP;
	if (t % WARP == 0)
		for (int k = 0; k < VALUES; k++) {
			room[k * warps + t / WARP] = low[k];
			room[(VALUES + k) * warps + t / WARP] = high[k];
		}
	__syncthreads();
	if (t < 2 * VALUES) {
		double sum = room[t * warps];
		for (int w = 1; w < warps; w++)
			sum += room[t * warps + w];
		sums[2 * VALUES * block + t] = sum;
	}
}

__launch_bounds__(BLOCK) __global__ void gather(In sums, Index groups, Out out)
{
	Index g = (Index)blockIdx.x * BLOCK + threadIdx.x;
	if (g >= groups)
		return;
	for (int k = 0; k < PAIRS; k++)
		for (int i = 0; i < VALUES; i++) {
			const double *s = sums + 2 * VALUES * (GROUP * g + k);
			out[VALUES * (PAIRS * g + k) + i] =
				s[(k ? VALUES : 0) + i] + s[2 * VALUES + i];
		}
}

static Index
side(Index target)
{
	Index s = (Index)std::cbrt(target + 0.5);
	return s > 1 ? s : 1;
}

static void
run(Run &r)
{
	Index n = r.size, pairs = PAIRS * n;
	const double range[3][2] = {{-0.2, -0.1}, {0.1, 0.2}, {-0.8, -0.7}};
	Array donor(HEX * pairs), target(HEX * pairs);
	for (Index i = 0; i < HEX * pairs; i++) {
		donor[i] = range[i / 8 % 3][i % 8 >> i / 8 % 3 & 1];
		target[i] = donor[i] + 0.01;
	}
	Buffer donors(donor), targets(target),
		sums((size_t)(2 * VALUES * GROUP * n)),
		out(Array(VALUES * pairs, 0.0));
	r.time([&] {
		triangles<<<(unsigned)(GROUP * n), BLOCK>>>(donors, targets,
							    pairs, sums);
		gather<<<cover(n, BLOCK), BLOCK>>>(sums, n, out);
	});
	r.sum(out);
}

static Shape
shape(Index target)
{
	Index s = side(target), n = s * s * s;
	return {n, 2, 70.0 * 8 * PAIRS * n, 336.0 * PER_PAIR * PAIRS * n};
}

NATIVE("Apps_INTSC_HEXHEX", 15625, 1, "block_64", shape, run);
