// Basic_INDEXLIST_3LOOP: the list of the places where x is negative: flags,
// their prefix sums by CUB, the list.
#include "native.h"
#ifndef __HIP__ // which has no CUB of its own
#include <cub/cub.cuh>

__launch_bounds__(256) __global__
	void flags_3loop(Index *__restrict__ counts, In x, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		counts[i] = x[i] < 0.0;
}

__launch_bounds__(256) __global__
	void list_3loop(int *__restrict__ list,
			const Index *__restrict__ counts, Index *len, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		if (counts[i] != counts[i + 1])
			list[counts[i]] = (int)i;
		if (i == n - 1)
			*len = counts[i + 1];
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.with_signs(n));
	Memory<int> list(r.init.ints(n));
	Memory<Index> counts(std::vector<Index>(n + 1, 0)), len(1);
	Pinned<Index> host(1);
	size_t bytes = 0;
	auto scan = [&](void *space) {
		CHECK(cub::DeviceScan::ExclusiveSum(space, bytes, counts.p,
						    counts.p, (int)n + 1));
	};
	scan(nullptr);
	Memory<char> space(bytes);
	r.time([&] {
		flags_3loop<<<cover(n, 256), 256>>>(counts, x, n);
		scan(space.p);
		list_3loop<<<cover(n, 256), 256>>>(list, counts, len, n);
		r.read(host.p, len.p, 1);
	});
	std::vector<int> v = list.host();
	r.sum(v.data(), n);
	r.checksum += *host.p;
}

static Shape
shape(Index n)
{
	return {n, 3, 42.0 * n + 42, 0};
}

NATIVE("Basic_INDEXLIST_3LOOP", 1000000, 100, "block_256", shape, run);
#endif
