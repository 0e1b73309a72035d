// Basic_NESTED_INIT: an array of three dimensions set from its indices.
#include "native.h"

__launch_bounds__(256) __global__
	void nested_init(Out array, Index ni, Index nj, Index nk)
{
	Index i = (Index)blockIdx.x * 32 + threadIdx.x;
	Index j = (Index)blockIdx.y * 8 + threadIdx.y;
	Index k = blockIdx.z;
	if (i < ni && j < nj && k < nk)
		array[i + ni * (j + nj * k)] = 0.00000001 * i * j * k;
}

static void
run(Run &r)
{
	Index n = cube_side(r.target);
	Buffer array(r.init.constant(n * n * n, 0));
	dim3 grid(cover(n, 32), cover(n, 8), (unsigned)n), block(32, 8, 1);
	r.time([&] { nested_init<<<grid, block>>>(array, n, n, n); });
	r.sum(array);
}

static Shape
shape(Index n)
{
	Index side = cube_side(n);
	n = side * side * side;
	return {n, 1, 8.0 * n, 3.0 * n};
}

NATIVE("Basic_NESTED_INIT", 1000000, 1000, "block_256", shape, run);
