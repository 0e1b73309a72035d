// Basic_INDEXLIST: the list of the places where x is negative, by CUB's
// selection.
#include "native.h"
#ifndef __HIP__ // which has no CUB of its own
#include <cub/cub.cuh>

struct Negative {
	const double *x;
	__device__ bool
	operator()(int i) const
	{
		return x[i] < 0.0;
	}
};

// 0, 1, 2, ...
struct Places {
	using iterator_category = std::random_access_iterator_tag;
	using value_type = int;
	using difference_type = Index;
	using pointer = int *;
	using reference = int;
	Index at;
	__host__ __device__ int
	operator[](Index i) const
	{
		return (int)(at + i);
	}
	__host__ __device__ int
	operator*() const
	{
		return (int)at;
	}
	__host__ __device__ Places
	operator+(Index i) const
	{
		return {at + i};
	}
};

static void
run(Run &r)
{
	Index n = r.size;
	Buffer x(r.init.with_signs(n));
	Memory<int> list(r.init.ints(n));
	Memory<Index> len(1);
	Pinned<Index> host(1);
	size_t bytes = 0;
	auto select = [&](void *space) {
		CHECK(cub::DeviceSelect::If(space, bytes, Places{0}, list.p,
					    len.p, (int)n, Negative{x.p}));
	};
	select(nullptr);
	Memory<char> space(bytes);
	r.time([&] {
		select(space.p);
		r.read(host.p, len.p, 1);
	});
	std::vector<int> v = list.host();
	r.sum(v.data(), n);
	r.checksum += *host.p;
}

static Shape
shape(Index n)
{
	return {n, 1, 10.0 * n + 16, 0};
}

NATIVE("Basic_INDEXLIST", 1000000, 100, "cub", shape, run);
#endif
