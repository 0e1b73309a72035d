// Apps_MATVEC_3D_STENCIL: a symmetric matrix of 27 diagonals times a vector.
// The upper diagonals are the lower ones read at the neighbour.
#include "apps.h"

#define POINTS 27
#define STORED 14

// For each point the diagonal and the vector, both moved so that the zone's
// number is the index.
struct Stencil {
	In matrix[POINTS], x[POINTS];
};

__launch_bounds__(256) __global__
	void matvec(Out b, Stencil s, const Index *__restrict__ zones, Index n)
{
	Index t = (Index)blockIdx.x * 256 + threadIdx.x;
	if (t >= n)
		return;
	Index i = zones[t];
	double sum = s.matrix[0][i] * s.x[0][i];
#pragma unroll
	for (int p = 1; p < POINTS; p++)
		sum += s.matrix[p][i] * s.x[p][i];
	b[i] = sum;
}

static void
run(Run &r)
{
	Domain d = Domain::cube(r.target);
	Index n = d.end_zone(), zones = d.real_zones();
	Buffer b(r.init.constant(n, 0)), x(r.init.data(n));
	std::vector<Buffer *> stored;
	for (int p = 0; p < STORED; p++)
		stored.push_back(new Buffer(r.init.data(n)));
	Memory<Index> list(d.zone_list());
	double *m[POINTS], *v[POINTS];
	for (int p = 0; p < POINTS; p++) {
		Index to = (p % 3 - 1) + (p / 3 % 3 - 1) * d.jp +
			   (p / 9 - 1) * d.kp;
		v[p] = x + to;
		m[p] = p < STORED ? *stored[p] : *stored[26 - p] + to;
	}
#define P(a, p) a[p], a[p + 1], a[p + 2]
#define ALL(a)                                                                 \
	{P(a, 0),  P(a, 3),  P(a, 6),  P(a, 9), P(a, 12),                      \
	 P(a, 15), P(a, 18), P(a, 21), P(a, 24)}
	Stencil s = {ALL(m), ALL(v)};
	r.time([&] { matvec<<<cover(zones, 256), 256>>>(b, s, list, zones); });
	r.sum(b, r.scale);
	for (Buffer *p : stored)
		delete p;
}

static Shape
shape(Index target)
{
	Domain d = Domain::cube(target);
	double side = (double)d.side, zones = (double)d.real_zones();
	double matrix = 0;
	for (int p = 0; p < STORED; p++) {
		double inside = 1;
		for (int digit : {p % 3, p / 3 % 3, p / 9})
			inside *= digit == 1 ? side : side - 1;
		matrix += 2 * zones - inside;
	}
	double x = (side + 2) * (side + 2) * (side + 2);
	return {d.real_zones(), 1, 8 * (zones + x + matrix + zones),
		53 * zones};
}

NATIVE("Apps_MATVEC_3D_STENCIL", 1000000, 100, "block_256", shape, run);
