// Polybench_FLOYD_WARSHALL: for each node in turn, whether going over it is
// shorter.
#include "native.h"

static __launch_bounds__(256) __global__
	void step(Out out, In in, Index k, Index n)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < n && j < n)
		out[j + i * n] = in[j + i * n] < in[k + i * n] + in[j + k * n]
					 ? in[j + i * n]
					 : in[k + i * n] + in[j + k * n];
}

static void
run(Run &r)
{
	Index n = square_side(r.target);
	Buffer in(r.init.with_signs(n * n)), out(r.init.constant(n * n, 0));
	dim3 grid(cover(n, 32), cover(n, 8)), block(32, 8);
	r.time([&] {
		for (Index k = 0; k < n; k++)
			step<<<grid, block>>>(out, in, k, n);
	});
	r.sum(out, r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target);
	double cube = (double)n * n * n;
	return {n * n, (int)n, 16 * cube, 1.5 * cube};
}

NATIVE("Polybench_FLOYD_WARSHALL", 1000000, 8, "block_256", shape, run);
