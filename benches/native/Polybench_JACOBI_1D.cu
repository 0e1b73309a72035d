// Polybench_JACOBI_1D: means of neighbours, from one array to the other and
// back.
#include "native.h"

static __launch_bounds__(256) __global__ void step(In from, Out to, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i > 0 && i < n - 1)
		to[i] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]);
}

static void
run(Run &r)
{
	Index n = r.size + 2;
	Buffer a(r.init.data(n)), b(r.init.data(n));
	r.time([&] {
		step<<<cover(n, 256), 256>>>(a, b, n);
		step<<<cover(n, 256), 256>>>(b, a, n);
	});
	r.sum(a, 0.0001 * r.scale);
	r.sum(b, 0.0001 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 2, 16.0 * (n + 2) + 16.0 * n, 6.0 * n};
}

NATIVE("Polybench_JACOBI_1D", 1000000, 1600, "block_256", shape, run);
