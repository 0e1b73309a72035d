// Apps_CONVECTION3DPA: a finite-element convection operator applied element by
// element, without being made. A thread of an element's block stands for a
// point.
#include "native.h"

#define D 3
#define Q 4
#define D3 (D * D * D)
#define Q3 (Q * Q * Q)
#define C 3
// Each thread's share of a loop over i < n, along a dimension of the block.
#define EACH(i, dim, n) for (int i = threadIdx.dim; i < n; i += blockDim.dim)
#define BOX(k, nk, j, nj, i, ni) EACH(k, z, nk) EACH(j, y, nj) EACH(i, x, ni)

__launch_bounds__(Q3) __global__
	void convection(In B, In Bt, In G, In V, In X, Out Y)
{
	__shared__ double room[6][Q3];
	auto u = (double(*)[D][D])room[0];
	auto bu = (double(*)[D][Q])room[1];
	auto gu = (double(*)[D][Q])room[2];
	auto bbu = (double(*)[Q][Q])room[3];
	auto gbu = (double(*)[Q][Q])room[4];
	auto bgu = (double(*)[Q][Q])room[5];
	auto gbbu = (double(*)[Q][Q])room[0];
	auto bgbu = (double(*)[Q][Q])room[1];
	auto bbgu = (double(*)[Q][Q])room[2];
	auto dgu = (double(*)[Q][Q])room[3];
	auto bdgu = (double(*)[Q][Q])room[4];
	auto bbdgu = (double(*)[D][Q])room[5];
	Index e = blockIdx.x;

	BOX(z, D, y, D, x, D)
	u[z][y][x] = X[x + D * (y + D * z) + D3 * e];
	__syncthreads();
	BOX(z, D, y, D, q, Q)
	{
		double b = 0, g = 0;
		for (int d = 0; d < D; d++) {
			b += B[q + Q * d] * u[z][y][d];
			g += G[q + Q * d] * u[z][y][d];
		}
		bu[z][y][q] = b, gu[z][y][q] = g;
	}
	__syncthreads();
	BOX(z, D, q, Q, x, Q)
	{
		double bb = 0, gb = 0, bg = 0;
		for (int d = 0; d < D; d++) {
			bb += B[q + Q * d] * bu[z][d][x];
			gb += G[q + Q * d] * bu[z][d][x];
			bg += B[q + Q * d] * gu[z][d][x];
		}
		bbu[z][q][x] = bb, gbu[z][q][x] = gb, bgu[z][q][x] = bg;
	}
	__syncthreads();
	BOX(q, Q, y, Q, x, Q)
	{
		double gbb = 0, bgb = 0, bbg = 0;
		for (int d = 0; d < D; d++) {
			gbb += G[q + Q * d] * bbu[d][y][x];
			bgb += B[q + Q * d] * gbu[d][y][x];
			bbg += B[q + Q * d] * bgu[d][y][x];
		}
		gbbu[q][y][x] = gbb, bgbu[q][y][x] = bgb, bbgu[q][y][x] = bbg;
	}
	__syncthreads();
	BOX(z, Q, y, Q, x, Q)
	{
		In v = V + x + Q * (y + Q * z) + C * Q3 * e;
		dgu[z][y][x] = v[0] * bbgu[z][y][x] + v[Q3] * bgbu[z][y][x] +
			       v[2 * Q3] * gbbu[z][y][x];
	}
	__syncthreads();
	BOX(d, D, y, Q, x, Q)
	{
		double b = 0;
		for (int q = 0; q < Q; q++)
			b += Bt[d + D * q] * dgu[q][y][x];
		bdgu[d][y][x] = b;
	}
	__syncthreads();
	BOX(z, D, d, D, x, Q)
	{
		double b = 0;
		for (int q = 0; q < Q; q++)
			b += Bt[d + D * q] * bdgu[z][q][x];
		bbdgu[z][d][x] = b;
	}
	__syncthreads();
	BOX(z, D, y, D, d, D)
	{
		double b = 0;
		for (int q = 0; q < Q; q++)
			b += Bt[d + D * q] * bbdgu[z][y][q];
		Y[d + D * (y + D * z) + D3 * e] += b;
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
	Buffer b(i.constant(Q * D, 1)), bt(i.constant(Q * D, 1)),
		g(i.constant(Q * D, 1)), v(i.constant(Q3 * C * n, 1)),
		x(i.constant(D3 * n, 1)), y(i.constant(D3 * n, 0));
	r.time([&] {
		convection<<<(unsigned)n, dim3(Q, Q, Q)>>>(b, bt, g, v, x, y);
	});
	r.sum(y);
}

static Shape
shape(Index target)
{
	Index n = elements(target);
	Index gradient = 4 * D3 * Q + 6 * D * D * Q * Q + 6 * D * Q3;
	Index back = 2 * D * Q3 + 2 * D * D * Q * Q + (1 + 2 * Q) * D3;
	return {n * Q3, 1, 8.0 * (3 * Q * D + (3 * D3 + C * Q3) * n),
		(double)(gradient + 5 * Q3 + back) * n};
}

NATIVE("Apps_CONVECTION3DPA", 1000000, 50, "block_64", shape, run);
