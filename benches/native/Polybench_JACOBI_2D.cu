// Polybench_JACOBI_2D: means of neighbours, from one square to the other and
// back.
#include "native.h"

static __launch_bounds__(256) __global__ void step(In from, Out to, Index n)
{
	Index i = 1 + (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = 1 + (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < n - 1 && j < n - 1)
		to[j + i * n] =
			0.2 * (from[j + i * n] + from[j - 1 + i * n] +
			       from[j + 1 + i * n] + from[j + (i + 1) * n] +
			       from[j + (i - 1) * n]);
}

static void
run(Run &r)
{
	Index n = square_side(r.target) + 2;
	Buffer a(r.init.data(n * n)), b(r.init.data(n * n));
	dim3 grid(cover(n - 2, 32), cover(n - 2, 8)), block(32, 8);
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
	Index n = square_side(target) + 2, inner = (n - 2) * (n - 2);
	return {inner, 2, 16.0 * (n * n - 4) + 16.0 * inner, 10.0 * inner};
}

NATIVE("Polybench_JACOBI_2D", 1000000, 2000, "block_256", shape, run);
