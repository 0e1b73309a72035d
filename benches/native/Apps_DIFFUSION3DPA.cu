// Apps_DIFFUSION3DPA: a finite-element diffusion operator applied element by
// element, without being made. A thread of an element's block stands for a
// point.
//
// A basis is symmetric under the mirror and its derivative antisymmetric, so
// both fit into the memory of one. Where both of a mirrored pair go to one
// place the later of the two is kept, as a loop in order would leave it.
#include "native.h"

#define D 3
#define Q 4
#define D3 (D * D * D)
#define Q3 (Q * Q * Q)
#define S 6
// Each thread's share of a loop over i < n, along a dimension of the block.
#define EACH(i, dim, n) for (int i = threadIdx.dim; i < n; i += blockDim.dim)
#define BOX(k, nk, j, nj, i, ni) EACH(k, z, nk) EACH(j, y, nj) EACH(i, x, ni)

// Place of a value of the basis (upper half) and of its derivative (lower
// half).
static __device__ int
low_q(int q, int d)
{
	return q <= d ? q : Q - 1 - q;
}
static __device__ int
low_d(int q, int d)
{
	return q <= d ? d : D - 1 - d;
}
static __device__ int
high_q(int q, int d)
{
	return q <= d ? Q - 1 - q : q;
}
static __device__ int
high_d(int q, int d)
{
	return q <= d ? D - 1 - d : d;
}
static __device__ double
sign(int q, int d)
{
	return q <= d ? -1.0 : 1.0;
}

#define B_AT(q, d) h[low_q(q, d)][low_d(q, d)]
#define G_AT(q, d) h[high_q(q, d)][high_d(q, d)] * sign(q, d)
#define BT_AT(q, d) ht[low_d(q, d)][low_q(q, d)]
#define GT_AT(q, d) ht[high_d(q, d)][high_q(q, d)] * sign(q, d)

__launch_bounds__(Q3) __global__ void diffusion(In B, In G, In T, In X, Out Y)
{
	__shared__ double half[Q * D], room0[3][Q3], room1[3][Q3];
	auto h = (double(*)[D])half;
	auto ht = (double(*)[Q])half;
	auto ddd = (double(*)[D][D])room0[2];
	auto ddq0 = (double(*)[D][Q])room0[0];
	auto ddq1 = (double(*)[D][Q])room0[1];
	auto dqq = (double(*)[Q3])room1;
	auto qqq = (double(*)[Q3])room0;
	auto qqd = (double(*)[Q3])room1;
	auto qdd = (double(*)[Q3])room0;
	Index e = blockIdx.x;

	BOX(z, D, y, D, x, D)
	ddd[z][y][x] = X[x + D * (y + D * z) + D3 * e];
	if (threadIdx.z == 0)
		EACH(d, y, D)
	EACH(q, x, Q)
	if (2 * (d * Q + q) >= D * Q) {
		B_AT(q, d) = B[q + Q * d];
		h[high_q(q, d)][high_d(q, d)] = G[q + Q * d] * sign(q, d);
	}
	__syncthreads();
	BOX(z, D, y, D, q, Q)
	{
		double u = 0, v = 0;
		for (int d = 0; d < D; d++) {
			u += ddd[z][y][d] * B_AT(q, d);
			v += ddd[z][y][d] * G_AT(q, d);
		}
		ddq0[z][y][q] = u, ddq1[z][y][q] = v;
	}
	__syncthreads();
	BOX(z, D, q, Q, x, Q)
	{
		double u = 0, v = 0, w = 0;
		for (int d = 0; d < D; d++) {
			u += ddq1[z][d][x] * B_AT(q, d);
			v += ddq0[z][d][x] * G_AT(q, d);
			w += ddq0[z][d][x] * B_AT(q, d);
		}
		int at = (z * Q + q) * Q + x;
		dqq[0][at] = u, dqq[1][at] = v, dqq[2][at] = w;
	}
	__syncthreads();
	BOX(q, Q, y, Q, x, Q)
	{
		double u = 0, v = 0, w = 0;
		for (int d = 0; d < D; d++) {
			int from = (d * Q + y) * Q + x;
			u += dqq[0][from] * B_AT(q, d);
			v += dqq[1][from] * B_AT(q, d);
			w += dqq[2][from] * G_AT(q, d);
		}
		int at = (q * Q + y) * Q + x;
		In t = T + at + S * Q3 * e;
		double xx = t[0], xy = t[Q3], xz = t[2 * Q3], yy = t[3 * Q3],
		       yz = t[4 * Q3], zz = t[5 * Q3];
		qqq[0][at] = xx * u + xy * v + xz * w;
		qqq[1][at] = xy * u + yy * v + yz * w;
		qqq[2][at] = xz * u + yz * v + zz * w;
	}
	__syncthreads();
	if (threadIdx.z == 0)
		EACH(d, y, D)
	EACH(q, x, Q)
	if (2 * (d * Q + q) >= D * Q) {
		BT_AT(q, d) = B[q + Q * d];
		ht[high_d(q, d)][high_q(q, d)] = G[q + Q * d] * sign(q, d);
	}
	__syncthreads();
	BOX(z, Q, y, Q, d, D)
	{
		double u = 0, v = 0, w = 0;
		for (int q = 0; q < Q; q++) {
			int from = (z * Q + y) * Q + q;
			u += qqq[0][from] * GT_AT(q, d);
			v += qqq[1][from] * BT_AT(q, d);
			w += qqq[2][from] * BT_AT(q, d);
		}
		int at = (z * Q + y) * D + d;
		qqd[0][at] = u, qqd[1][at] = v, qqd[2][at] = w;
	}
	__syncthreads();
	BOX(z, Q, d, D, x, D)
	{
		double u = 0, v = 0, w = 0;
		for (int q = 0; q < Q; q++) {
			int from = (z * Q + q) * D + x;
			u += qqd[0][from] * BT_AT(q, d);
			v += qqd[1][from] * GT_AT(q, d);
			w += qqd[2][from] * BT_AT(q, d);
		}
		int at = (z * D + d) * D + x;
		qdd[0][at] = u, qdd[1][at] = v, qdd[2][at] = w;
	}
	__syncthreads();
	BOX(d, D, y, D, x, D)
	{
		double u = 0, v = 0, w = 0;
		for (int q = 0; q < Q; q++) {
			int from = (q * D + y) * D + x;
			u += qdd[0][from] * BT_AT(q, d);
			v += qdd[1][from] * BT_AT(q, d);
			w += qdd[2][from] * GT_AT(q, d);
		}
		Y[x + D * (y + D * d) + D3 * e] += u + v + w;
	}
}

static Index
elements(Index target)
{
	Index n = (target + Q3 / 2) / Q3;
	return n > 1 ? n : 1;
}

static void
run(Run &r)
{
	Index n = elements(r.target);
	Init &i = r.init;
	Buffer b(i.constant(Q * D, 1)), g(i.constant(Q * D, 1)),
		t(i.constant(Q3 * S * n, 1)), x(i.constant(D3 * n, 1)),
		y(i.constant(D3 * n, 0));
	r.time([&] {
		diffusion<<<(unsigned)n, dim3(Q, Q, Q)>>>(b, g, t, x, y);
	});
	r.sum(y);
}

static Shape
shape(Index target)
{
	Index n = elements(target);
	Index gradient = 5 * D3 * Q + 7 * D * D * Q * Q + 7 * D * Q3;
	Index back = 7 * D * Q3 + 7 * D * D * Q * Q + 7 * D3 * Q + 3 * D3;
	return {n * Q3, 1, 8.0 * (2 * Q * D + (3 * D3 + S * Q3) * n),
		(double)(2 * Q * D + gradient + 15 * Q3 + back) * n};
}

NATIVE("Apps_DIFFUSION3DPA", 1000000, 50, "block_64", shape, run);
