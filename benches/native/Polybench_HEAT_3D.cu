// Polybench_HEAT_3D: the heat equation, from one cube to the other and back.
#include "native.h"

static __launch_bounds__(256) __global__ void step(In from, Out to, Index n)
{
	Index i = 1 + (Index)blockIdx.z;
	Index j = 1 + (Index)blockIdx.y * 8 + threadIdx.y;
	Index k = 1 + (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < n - 1 && j < n - 1 && k < n - 1) {
		Index at = k + n * (j + n * i);
		to[at] =
			0.125 * (from[at + n * n] - 2.0 * from[at] +
				 from[at - n * n]) +
			0.125 * (from[at + n] - 2.0 * from[at] + from[at - n]) +
			0.125 * (from[at + 1] - 2.0 * from[at] + from[at - 1]) +
			from[at];
	}
}

static void
run(Run &r)
{
	Index n = cube_side(r.target) + 2;
	Buffer a(r.init.data(n * n * n)), b(r.init.data(n * n * n));
	dim3 grid(cover(n - 2, 32), cover(n - 2, 8), n - 2), block(32, 8);
	r.time([&] {
		step<<<grid, block>>>(a, b, n);
		step<<<grid, block>>>(b, a, n);
	});
	r.sum(a, 0.0001 * r.scale);
	r.sum(b, 0.0001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = cube_side(target) + 2, inner = (n - 2) * (n - 2) * (n - 2);
	Index read = n * n * n - 12 * (n - 2) - 8;
	return {inner, 2, 16.0 * read + 16.0 * inner, 30.0 * inner};
}

NATIVE("Polybench_HEAT_3D", 1000000, 400, "block_256", shape, run);
