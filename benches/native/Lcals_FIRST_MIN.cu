// Lcals_FIRST_MIN: the smallest element and the first place where it is.
#include "native.h"

struct MinLoc {
	double value;
	Index place;
};

__launch_bounds__(256) __global__
	void first_min(In x, MinLoc *result, MinLoc start, Index n)
{
	__shared__ MinLoc part[256];
	MinLoc min = start;
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		if (x[i] < min.value)
			min = {x[i], i};
	part[threadIdx.x] = min;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if ((int)threadIdx.x < half &&
		    part[threadIdx.x + half].value < part[threadIdx.x].value)
			part[threadIdx.x] = part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x == 0)
		result[blockIdx.x] = part[0];
}

static void
run(Run &r)
{
	Index n = r.size;
	Array hx = r.init.constant(n, 0);
	hx[n / 2] = -1.0e+10;
	Buffer x(hx);
	unsigned blocks = r.few_blocks(first_min, n, 256);
	Memory<MinLoc> result(blocks);
	Pinned<MinLoc> host(blocks);
	MinLoc min{};
	r.time([&] {
		MinLoc start = {hx[0], 0};
		first_min<<<blocks, 256>>>(x, result, start, n);
		r.read(host.p, result.p, blocks);
		min = start;
		for (unsigned b = 0; b < blocks; b++)
			if (host.p[b].value < min.value)
				min = host.p[b];
	});
	r.checksum += min.place;
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * n + 32, 0};
}

NATIVE("Lcals_FIRST_MIN", 1000000, 100, "occgs_256", shape, run);
