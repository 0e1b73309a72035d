// Basic_MAT_MAT_SHARED: C = A B, tile by tile through shared memory.
#include "native.h"

#define TILE 16

__launch_bounds__(TILE *TILE) __global__
	void mat_mat(Index n, Out c, In a, In b)
{
	__shared__ double as[TILE][TILE], bs[TILE][TILE], cs[TILE][TILE];
	Index tx = threadIdx.x, ty = threadIdx.y;
	Index row = (Index)blockIdx.y * TILE + ty;
	Index column = (Index)blockIdx.x * TILE + tx;

	cs[ty][tx] = 0;
	for (Index k = 0; k < (TILE + n - 1) / TILE; k++) {
		Index x = k * TILE + tx, y = k * TILE + ty;
		as[ty][tx] = x < n && row < n ? a[row * n + x] : 0.0;
		bs[ty][tx] = y < n && column < n ? b[y * n + column] : 0.0;
		__syncthreads();
		for (Index m = 0; m < TILE; m++)
			cs[ty][tx] += as[ty][m] * bs[m][tx];
		__syncthreads();
	}
	if (row < n && column < n)
		c[column + n * row] = cs[ty][tx];
}

static void
run(Run &r)
{
	Index n = square_side(r.target);
	Buffer a(r.init.constant(n * n, 1)), b(r.init.constant(n * n, 1)),
		c(r.init.constant(n * n, 0));
	dim3 grid(cover(n, TILE), cover(n, TILE)), block(TILE, TILE);
	r.time([&] { mat_mat<<<grid, block>>>(n, c, a, b); });
	r.sum(c, 1e-6 * r.scale);
}

static Shape
shape(Index n)
{
	Index side = square_side(n), tiles = (side + 15) / 16 * 16;
	n = side * side;
	return {n, 1, 24.0 * n, 2.0 * tiles * tiles * tiles};
}

NATIVE("Basic_MAT_MAT_SHARED", 1000000, 5, "block_256", shape, run);
