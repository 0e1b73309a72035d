// Basic_MULTI_REDUCE: data summed up by bins.
#include "native.h"
#include <algorithm>

#define BINS 10
#define COPIES 32 // of the bins in shared memory

__launch_bounds__(256) __global__
	void multi_reduce(double *values, In data,
			  const Index *__restrict__ bins, Index n)
{
	__shared__ double part[BINS * COPIES];
	for (int t = threadIdx.x; t < BINS * COPIES; t += 256)
		part[t] = 0;
	__syncthreads();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		atomicAdd(&part[bins[i] * COPIES + threadIdx.x % COPIES],
			  data[i]);
	__syncthreads();
	for (int bin = threadIdx.x; bin < BINS; bin += 256) {
		double sum = 0;
		for (int c = 0; c < COPIES; c++)
			sum += part[bin * COPIES + (c + bin) % COPIES];
		if (sum != 0)
			atomicAdd(&values[bin], sum);
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer data(r.init.random(n));
	Array ends = r.init.random(BINS);
	std::sort(ends.begin(), ends.end());
	std::vector<Index> bin_of(n);
	Index bin = 0;
	for (Index i = 0; i < n; i++) {
		while (bin + 1 < BINS && (double)i / n >= ends[bin])
			bin++;
		bin_of[i] = bin;
	}
	Memory<Index> bins(bin_of);
	Buffer values(BINS);
	Pinned<double> host(BINS);
	unsigned blocks = r.few_blocks(multi_reduce, n, 256);
	r.time([&] {
		CHECK(GPU(MemsetAsync)(values.p, 0, BINS * sizeof(double), 0));
		multi_reduce<<<blocks, 256>>>(values, data, bins, n);
		r.read(host.p, values.p, BINS);
	});
	r.sum(host.p, BINS);
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n + 160, 1.0 * n};
}

NATIVE("Basic_MULTI_REDUCE", 1000000, 50, "occgs_256", shape, run);
