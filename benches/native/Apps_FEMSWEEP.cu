// Apps_FEMSWEEP: a sweep of radiation transport through a mesh of elements, a
// system of eight equations each. What comes from the neighbours is multiplied
// by 0, as in the suite, so the checksum does not depend on the mesh: a cube in
// order.
#include "native.h"
#include <algorithm>
#include <numeric>

#define N 8
#define FACES 6
#define F 4
#define ANGLES 72
#define GROUPS 128
#define BLOCK 128

typedef const Index *__restrict__ List;

// Solves (a + s m) x = b by factors without pivoting.
static __device__ void
solve(const double *a, double s, const double *m, const double *b, double *x)
{
	double t[N][N], l[N][N], u[N][N], d[N], r[N];
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			t[i][j] = a[i * N + j] + s * m[i * N + j];
			l[i][j] = 0.0;
			u[i][j] = i == j ? 1.0 : 0.0;
		}
	for (int i = 0; i < N; i++)
		l[i][0] = t[i][0];
	for (int i = 1; i < N; i++)
		u[0][i] = t[0][i] / t[0][0];
	for (int i = 1; i < N; i++) {
		for (int j = i; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < j; k++)
				sum += l[j][k] * u[k][i];
			l[j][i] = t[j][i] - sum;
		}
		for (int j = i + 1; j < N; j++) {
			double sum = 0;
			for (int k = 0; k < i; k++)
				sum += l[i][k] * u[k][j];
			u[i][j] = (t[i][j] - sum) / l[i][i];
		}
	}
	d[0] = b[0] / l[0][0];
	for (int i = 1; i < N; i++) {
		double sum = 0;
		for (int j = 0; j < i; j++)
			sum += l[i][j] * d[j];
		d[i] = (b[i] - sum) / l[i][i];
	}
	x[N - 1] = r[N - 1] = d[N - 1];
	for (int i = N - 2; i >= 0; i--) {
		double sum = 0;
		for (int j = i + 1; j < N; j++)
			sum += u[i][j] * r[j];
		x[i] = r[i] = d[i] - sum;
	}
}

__launch_bounds__(BLOCK) __global__
	void sweep(In B, In A, In C, double *X, In S, In M, Index n,
		   Index faces, Index hyperplanes, List planes, List order,
		   List incoming, List shared, List low, List high)
{
	Index angle = blockIdx.y, group = blockIdx.x;
	double factor =
		fmax(sin(A[N * N * (order[angle * n] + angle * n)]) - 2.0, 0.0);
	double *x = X + N * n * (group + GROUPS * angle);
	for (Index p = 0; p < hyperplanes; p++) {
		Index end = planes[p + 1];
		for (Index k = planes[p] + threadIdx.x; k < end; k += BLOCK) {
			Index e = order[k + angle * n], at = e + angle * n;
			double a[N * N], b[N];
			for (int i = 0; i < N; i++) {
				b[i] = B[i + N * at];
				for (int j = 0; j < N; j++)
					a[i * N + j] =
						A[i * N + j + N * N * at];
			}
			for (int i = 0; i < FACES; i++) {
				Index f = shared[FACES * e + i];
				if (f < 0 || !incoming[FACES * at + i])
					continue;
				bool is_low = e == low[f * F] / N;
				List own = is_low ? low : high,
				     other = is_low ? high : low;
				In c = C + 2 * F * F * (f + angle * faces) +
				       (is_low ? F * F : 0);
				for (int j = 0; j < F; j++) {
					double sum = 0;
					for (int q = 0; q < F; q++)
						sum += factor * c[j * F + q] *
						       x[other[f * F + q]];
					b[own[f * F + j] % N] -= sum;
				}
			}
			solve(a, S[e + group * n], M + N * N * e, b, x + N * e);
		}
		__syncthreads();
	}
}

struct Mesh {
	std::vector<Index> order, planes, incoming, shared, low, high;
};

static Mesh
cube(Index side)
{
	Mesh m;
	Index n = side * side * side;
	auto along = [&](Index e, int axis) {
		return axis == 0   ? e % side
		       : axis == 1 ? e / side % side
				   : e / (side * side);
	};
	m.planes.assign(3 * side - 1, 0);
	for (Index e = 0; e < n; e++)
		m.planes[along(e, 0) + along(e, 1) + along(e, 2) + 1]++;
	std::partial_sum(m.planes.begin(), m.planes.end(), m.planes.begin());
	m.shared.assign(FACES * n, -1);
	for (Index a = 0; a < ANGLES; a++) {
		auto depth = [&](Index e) {
			Index sum = 0;
			for (int axis = 0; axis < 3; axis++)
				sum += a % 8 >> axis & 1
					       ? side - 1 - along(e, axis)
					       : along(e, axis);
			return sum;
		};
		std::vector<Index> all(n);
		std::iota(all.begin(), all.end(), 0);
		std::stable_sort(all.begin(), all.end(), [&](Index p, Index q) {
			return depth(p) < depth(q);
		});
		m.order.insert(m.order.end(), all.begin(), all.end());
		for (Index i = 0; i < FACES * n; i++)
			m.incoming.push_back((a % 8 >> i % FACES / 2 & 1) ==
					     i % FACES % 2);
	}
	for (Index e = 0; e < n; e++)
		for (int axis = 0; axis < 3; axis++) {
			if (along(e, axis) + 1 == side)
				continue;
			Index step = axis == 0	 ? 1
				     : axis == 1 ? side
						 : side * side;
			Index f = (Index)m.low.size() / F;
			m.shared[FACES * e + 2 * axis + 1] = f;
			m.shared[FACES * (e + step) + 2 * axis] = f;
			for (int c = 0; c < N; c++)
				if (!(c >> axis & 1)) {
					m.low.push_back(N * e +
							(c | 1 << axis));
					m.high.push_back(N * (e + step) + c);
				}
		}
	return m;
}

static Index
side(Index target)
{
	Index s = (Index)std::round(
		std::cbrt((double)target / (N * GROUPS * ANGLES)));
	return s > 1 ? s : 1;
}

static void
run(Run &r)
{
	Index s = side(r.target), n = s * s * s;
	Mesh m = cube(s);
	Index faces = (Index)m.low.size() / F;
	Init &i = r.init;
	Buffer b(i.random(N * n * ANGLES)), a(i.random(N * N * n * ANGLES)),
		c(i.random(F * F * 2 * faces * ANGLES)),
		sigma(i.random(n * GROUPS)), mass(i.random(N * N * n)),
		x(i.random(N * n * GROUPS * ANGLES));
	Memory<Index> planes(m.planes), order(m.order), incoming(m.incoming),
		shared(m.shared), low(m.low), high(m.high);
	Index hyperplanes = (Index)m.planes.size() - 1;
	r.time([&] {
		sweep<<<dim3(GROUPS, ANGLES), BLOCK>>>(
			b, a, c, x, sigma, mass, n, faces, hyperplanes, planes,
			order, incoming, shared, low, high);
	});
	r.sum(x, 1e-10);
}

static Shape
shape(Index target)
{
	Index s = side(target), n = s * s * s, faces = 3 * (s - 1) * s * s;
	double read = (double)N * n * ANGLES +
		      (double)N * N * n * (ANGLES + 1) +
		      2.0 * F * F * faces * ANGLES + (double)n * GROUPS;
	Index unknowns = N * n * GROUPS * ANGLES;
	Index each = N * N * (N - 1) * 6 + 2 * N * (N - 1) * 3 + FACES * F;
	each = each > 6 * s * s ? each - 6 * s * s : 0;
	return {unknowns, 1, 8 * (read + 2.0 * unknowns),
		(double)each * n * ANGLES * GROUPS};
}

NATIVE("Apps_FEMSWEEP", 248832000, 1, "block_128", shape, run);
