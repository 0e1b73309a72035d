// Apps_MASS3DPA: a finite-element mass matrix applied element by element,
// without being made. A block's threads stand for x and y, z is in registers.
#include "native.h"

#define D 4
#define Q 5
#define D3 (D * D * D)
#define Q3 (Q * Q * Q)
// Each thread's share of a loop over i < n, along a dimension of the block.
#define EACH(i, dim, n) for (int i = threadIdx.dim; i < n; i += blockDim.dim)

__launch_bounds__(Q *Q) __global__ void mass3dpa(In B, In Bt, In W, In X, Out Y)
{
	__shared__ double room_b[Q * D], room0[Q3], room1[Q3];
	auto b = (double(*)[D])room_b;
	auto bt = (double(*)[Q])room_b;
	auto ddd = (double(*)[D][D])room0;
	auto ddq = (double(*)[D][Q])room1;
	auto dqq = (double(*)[Q][Q])room0;
	auto qqq = (double(*)[Q][Q])room1;
	auto qqd = (double(*)[Q][D])room0;
	auto qdd = (double(*)[D][D])room1;
	Index e = blockIdx.x;

	EACH(y, y, D)
	{
		EACH(x, x, D)
		for (int z = 0; z < D; z++)
			ddd[z][y][x] = X[x + D * (y + D * z) + D3 * e];
		EACH(q, x, Q)
		b[q][y] = B[q + Q * y];
	}
	__syncthreads();
	EACH(y, y, D)
	EACH(q, x, Q)
	{
		double u[D] = {};
		for (int d = 0; d < D; d++)
			for (int z = 0; z < D; z++)
				u[z] += ddd[z][y][d] * b[q][d];
		for (int z = 0; z < D; z++)
			ddq[z][y][q] = u[z];
	}
	__syncthreads();
	EACH(q, y, Q)
	EACH(x, x, Q)
	{
		double u[D] = {};
		for (int d = 0; d < D; d++)
			for (int z = 0; z < D; z++)
				u[z] += ddq[z][d][x] * b[q][d];
		for (int z = 0; z < D; z++)
			dqq[z][q][x] = u[z];
	}
	__syncthreads();
	EACH(y, y, Q)
	EACH(x, x, Q)
	{
		double u[Q] = {};
		for (int d = 0; d < D; d++)
			for (int q = 0; q < Q; q++)
				u[q] += dqq[d][y][x] * b[q][d];
		for (int q = 0; q < Q; q++)
			qqq[q][y][x] = u[q] * W[x + Q * (y + Q * q) + Q3 * e];
	}
	__syncthreads();
	EACH(d, y, D)
	EACH(q, x, Q)
	bt[d][q] = Bt[d + D * q];
	__syncthreads();
	EACH(y, y, Q)
	EACH(d, x, D)
	{
		double u[Q] = {};
		for (int q = 0; q < Q; q++)
			for (int z = 0; z < Q; z++)
				u[z] += qqq[z][y][q] * bt[d][q];
		for (int z = 0; z < Q; z++)
			qqd[z][y][d] = u[z];
	}
	__syncthreads();
	EACH(d, y, D)
	EACH(x, x, D)
	{
		double u[Q] = {};
		for (int q = 0; q < Q; q++)
			for (int z = 0; z < Q; z++)
				u[z] += qqd[z][q][x] * bt[d][q];
		for (int z = 0; z < Q; z++)
			qdd[z][d][x] = u[z];
	}
	__syncthreads();
	EACH(y, y, D)
	EACH(x, x, D)
	{
		double u[D] = {};
		for (int q = 0; q < Q; q++)
			for (int z = 0; z < D; z++)
				u[z] += qdd[q][y][x] * bt[z][q];
		for (int z = 0; z < D; z++)
			Y[x + D * (y + D * z) + D3 * e] += u[z];
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
		w(i.constant(Q3 * n, 1)), x(i.constant(D3 * n, 1)),
		y(i.constant(D3 * n, 0));
	r.time([&] { mass3dpa<<<(unsigned)n, dim3(Q, Q)>>>(b, bt, w, x, y); });
	r.sum(y);
}

static Shape
shape(Index target)
{
	Index n = elements(target);
	Index there = D * D * D * Q + D * D * Q * Q + D * Q * Q * Q;
	return {n * Q3, 1, 8.0 * (2 * Q * D + (3 * D3 + Q3) * n),
		(double)(4 * there + Q3 + D3) * n};
}

NATIVE("Apps_MASS3DPA", 1000000, 50, "block_25", shape, run);
