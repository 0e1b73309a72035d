// Basic_REDUCE_STRUCT: centre and bounds of points.
#include "native.h"

// The bounds of a value that is not negative order as its bits do, so integer
// atomics find them; all points here are such.
struct BoundsTotal {
	double sum[2], min[2], max[2];
	static __host__ __device__ BoundsTotal
	identity()
	{
		return {{0, 0},
			{1.7976931348623157e308, 1.7976931348623157e308},
			{0, 0}};
	}
	__device__ void
	add(BoundsTotal o)
	{
		for (int k = 0; k < 2; k++) {
			sum[k] += o.sum[k];
			min[k] = o.min[k] < min[k] ? o.min[k] : min[k];
			max[k] = o.max[k] > max[k] ? o.max[k] : max[k];
		}
	}
	__device__ void
	add_to(BoundsTotal *result)
	{
		typedef unsigned long long Bits;
		for (int k = 0; k < 2; k++) {
			atomicAdd(&result->sum[k], sum[k]);
			atomicMin((Bits *)&result->min[k],
				  (Bits)__double_as_longlong(min[k]));
			atomicMax((Bits *)&result->max[k],
				  (Bits)__double_as_longlong(max[k]));
		}
	}
};

__launch_bounds__(256) __global__
	void bounds(In x, In y, BoundsTotal *result, Index n)
{
	__shared__ BoundsTotal part[256];
	BoundsTotal all = BoundsTotal::identity();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		all.add((
			BoundsTotal{{x[i], y[i]}, {x[i], y[i]}, {x[i], y[i]}}));
	part[threadIdx.x] = all;
	__syncthreads();
	for (int half = 128; half > 0; half /= 2) {
		if ((int)threadIdx.x < half)
			part[threadIdx.x].add(part[threadIdx.x + half]);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		part[0].add_to(result);
}

static void
run(Run &r)
{
	Index n = r.size;
	Array hx(n), hy(n);
	double dx = 100.0 / (double)n, dy = 50.0 / (double)n;
	for (Index i = 0; i < n; i++)
		hx[i] = i * dx, hy[i] = i * dy;
	Buffer x(hx), y(hy);
	Memory<BoundsTotal> result(1);
	Pinned<BoundsTotal> host(1);
	unsigned blocks = r.few_blocks(bounds, n, 256);
	BoundsTotal all = BoundsTotal::identity();
	r.time([&] {
		*host = BoundsTotal::identity();
		CHECK(GPU(MemcpyAsync)(result.p, host.p, sizeof(BoundsTotal),
				       GPU(MemcpyHostToDevice), 0));
		bounds<<<blocks, 256>>>(x, y, result, n);
		r.read(host.p, result.p, 1);
		all = *host;
	});
	for (int k = 0; k < 2; k++)
		r.checksum += all.sum[k] / (double)n + all.min[k] + all.max[k];
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n + 96, 2.0 * n + 2};
}

NATIVE("Basic_REDUCE_STRUCT", 1000000, 50, "occgs_256", shape, run);
