// Algorithm_HISTOGRAM: how many elements fall into each bin, read back in every
// repetition.
#include "native.h"
#include <algorithm>

#define BINS 10
#define SHARED_COPIES 16
#define COPIES 2

typedef unsigned long long Count;

static __launch_bounds__(256) __global__
	void histogram(Count *counts, const Index *__restrict__ bins, Index n)
{
	__shared__ Count part[BINS * SHARED_COPIES];
	for (int t = threadIdx.x; t < BINS * SHARED_COPIES; t += 256)
		part[t] = 0;
	__syncthreads();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		atomicAdd(&part[bins[i] * SHARED_COPIES +
				threadIdx.x % SHARED_COPIES],
			  (Count)1);
	__syncthreads();
	for (int bin = threadIdx.x; bin < BINS; bin += 256) {
		Count sum = 0;
		for (int c = 0; c < SHARED_COPIES; c++)
			sum += part[bin * SHARED_COPIES + c];
		if (sum != 0)
			atomicAdd(&counts[bin + blockIdx.x % COPIES * BINS],
				  sum);
	}
}

static std::vector<Index>
bins_of(Run &r)
{
	Index n = r.size, bin = 0;
	Array ends = r.init.random(BINS);
	std::sort(ends.begin(), ends.end());
	std::vector<Index> bins(n);
	for (Index i = 0; i < n; i++) {
		while (bin + 1 < BINS && (double)i / n >= ends[bin])
			bin++;
		bins[i] = bin;
	}
	return bins;
}

static void
time_grid(Run &r, unsigned blocks)
{
	Memory<Index> bins(bins_of(r));
	Memory<Count> counts(BINS * COPIES);
	Pinned<Count> host(BINS * COPIES);
	Count final[BINS];
	r.time([&] {
		CHECK(GPU(MemsetAsync)(counts.p, 0,
				       BINS * COPIES * sizeof(Count), 0));
		histogram<<<blocks, 256>>>(counts, bins, r.size);
		r.read(host.p, counts.p, BINS * COPIES);
		for (int bin = 0; bin < BINS; bin++)
			final[bin] = host.p[bin] + host.p[BINS + bin];
	});
	r.sum(final, BINS);
}

static void
run_few(Run &r)
{
	time_grid(r, r.few_blocks(histogram, r.size, 256));
}

static void
run_direct(Run &r)
{
	time_grid(r, cover(r.size, 256));
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * n + 16.0 * BINS, 0};
}

NATIVE("Algorithm_HISTOGRAM", 1000000, 50, "atomic_occgs_256", shape, run_few);
NATIVE("Algorithm_HISTOGRAM", 1000000, 50, "atomic_direct_256", shape,
       run_direct);
