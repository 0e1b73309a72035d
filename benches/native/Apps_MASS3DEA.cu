// Apps_MASS3DEA: the mass matrix of each finite element, made entry by entry.
#include "native.h"

#define D 4
#define Q 5
#define D3 (D * D * D)
#define Q3 (Q * Q * Q)
#define D6 (D3 * D3)
// Each thread's share of a loop over i < n, along a dimension of the block.
#define EACH(i, dim, n) for (int i = threadIdx.dim; i < n; i += blockDim.dim)

__launch_bounds__(D3) __global__ void mass3dea(In B, In W, Out M)
{
	__shared__ double b[Q][D], w[Q][Q][Q];
	Index e = blockIdx.x;

	EACH(z, z, 1)
	EACH(d, x, D)
	EACH(q, y, Q)
	b[q][d] = B[q + Q * d];
	EACH(x, x, Q)
	EACH(y, y, Q)
	EACH(z, z, Q)
	w[x][y][z] = W[x + Q * (y + Q * z) + Q3 * e];
	__syncthreads();
	int i1 = threadIdx.x, i2 = threadIdx.y, i3 = threadIdx.z;
	for (int j1 = 0; j1 < D; j1++)
		for (int j2 = 0; j2 < D; j2++)
			for (int j3 = 0; j3 < D; j3++) {
				double sum = 0;
				for (int x = 0; x < Q; x++)
					for (int y = 0; y < Q; y++)
						for (int z = 0; z < Q; z++)
							sum += b[x][i1] *
							       b[x][j1] *
							       b[y][i2] *
							       b[y][j2] *
							       b[z][i3] *
							       b[z][j3] *
							       w[x][y][z];
				Index j = j1 + D * (j2 + D * j3);
				M[i1 + D * (i2 + D * (i3 + D * j)) + D6 * e] =
					sum;
			}
}

static Index
elements(Index target)
{
	Index n = (target + D6 / 2) / D6;
	return n > 1 ? n : 1;
}

static void
run(Run &r)
{
	Index n = elements(r.target);
	Buffer b(r.init.constant(Q * D, 1)), w(r.init.constant(Q3 * n, 1)),
		m(r.init.constant(D6 * n, 0));
	r.time([&] { mass3dea<<<(unsigned)n, dim3(D, D, D)>>>(b, w, m); });
	r.sum(m);
}

static Shape
shape(Index target)
{
	Index n = elements(target);
	return {n * D6, 1, 8.0 * (Q * D + (Q3 + D6) * n), 7.0 * D6 * n};
}

NATIVE("Apps_MASS3DEA", 1000000, 1, "block_64", shape, run);
