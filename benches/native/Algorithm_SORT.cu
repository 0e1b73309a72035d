// Algorithm_SORT: an array sorted, another one in each repetition, by CUB.
#ifndef __HIP__
#include "native.h"
#include <cub/cub.cuh>

static void
run(Run &r)
{
	Index n = r.size, start = 0;
	Buffer x(r.init.random(n * r.reps)), other(n);
	size_t bytes = 0;
	cub::DoubleBuffer<double> keys(x.p, other.p);
	CHECK(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, (int)n));
	Memory<char> scratch(bytes);
	r.time([&] {
		keys = {x.p + start, other.p};
		CHECK(cub::DeviceRadixSort::SortKeys(scratch.p, bytes, keys,
						     (int)n));
		if (keys.Current() == other.p)
			CHECK(cudaMemcpyAsync(x.p + start, other.p,
					      n * sizeof(double),
					      cudaMemcpyDeviceToDevice));
		start += n;
	});
	r.sum(x);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n, 0};
}

NATIVE("Algorithm_SORT", 1000000, 20, "library", shape, run);
#endif
