// Algorithm_SCAN: each element becomes the sum of all before it, by CUB.
#ifndef __HIP__
#include "native.h"
#include <cub/cub.cuh>

static void
run(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.random(n)), y(r.init.constant(n, 0));
	size_t bytes = 0;
	CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, x.p, y.p, (int)n));
	Memory<char> scratch(bytes);
	r.time([&] {
		CHECK(cub::DeviceScan::ExclusiveSum(scratch.p, bytes, x.p, y.p,
						    (int)n));
	});
	r.sum(y, 0.01 * r.scale / n);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n, 1.0 * n};
}

NATIVE("Algorithm_SCAN", 1000000, 100, "library", shape, run);
#endif
