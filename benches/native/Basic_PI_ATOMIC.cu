// Basic_PI_ATOMIC: pi by the midpoint rule, every term added to one number
// atomically.
#include "native.h"

__launch_bounds__(256) __global__ void pi_atomic(double *pi, double dx, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double x = ((double)i + 0.5) * dx;
		atomicAdd(pi, dx / (1.0 + x * x));
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	double dx = 1.0 / (double)n, pi = 0;
	Buffer sum(1);
	Pinned<double> host(1);
	r.time([&] {
		CHECK(GPU(MemsetAsync)(sum.p, 0, sizeof(double), 0));
		pi_atomic<<<cover(n, 256), 256>>>(sum, dx, n);
		r.read(host.p, sum.p, 1);
		pi = 4.0 * *host;
	});
	r.checksum += pi;
}

static Shape
shape(Index n)
{
	return {n, 1, 16, 6.0 * n + 1};
}

NATIVE("Basic_PI_ATOMIC", 1000000, 50, "block_256", shape, run);
