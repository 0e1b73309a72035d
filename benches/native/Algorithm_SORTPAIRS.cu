// Algorithm_SORTPAIRS: pairs sorted by their first, other ones in each
// repetition, by CUB.
#ifndef __HIP__
#include "native.h"
#include <cub/cub.cuh>

static void
run(Run &r)
{
	Index n = r.size, start = 0;
	Buffer x(r.init.random(n * r.reps)), i(r.init.random(n * r.reps)),
		other_x(n), other_i(n);
	size_t bytes = 0;
	cub::DoubleBuffer<double> keys(x.p, other_x.p), values(i.p, other_i.p);
	CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values,
					      (int)n));
	Memory<char> scratch(bytes);
	auto back = [&](double *to, cub::DoubleBuffer<double> &from) {
		if (from.Current() != to)
			CHECK(cudaMemcpyAsync(to, from.Current(),
					      n * sizeof(double),
					      cudaMemcpyDeviceToDevice));
	};
	r.time([&] {
		keys = {x.p + start, other_x.p};
		values = {i.p + start, other_i.p};
		CHECK(cub::DeviceRadixSort::SortPairs(scratch.p, bytes, keys,
						      values, (int)n));
		back(x.p + start, keys);
		back(i.p + start, values);
		start += n;
	});
	r.sum(x);
	r.sum(i);
}

static Shape
shape(Index n)
{
	return {n, 1, 32.0 * n, 0};
}

NATIVE("Algorithm_SORTPAIRS", 1000000, 20, "library", shape, run);
#endif
