// Basic_EMPTY: a loop whose body does nothing; what a launch costs.
#include "native.h"

__launch_bounds__(256) __global__ void empty(Index n)
{
	if ((Index)blockIdx.x * 256 + threadIdx.x < n) {
		// The body of the loop.
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	r.time([&] { empty<<<cover(n, 256), 256>>>(n); });
}

static Shape
shape(Index n)
{
	return {n, 1, 0, 0};
}

NATIVE("Basic_EMPTY", 1000000, 1000, "direct_256", shape, run);
