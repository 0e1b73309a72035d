// Basic_PI_REDUCE: pi by the midpoint rule, summed by a reduction.
#include "native.h"

struct PiReduceTotal {
	double sum;
	static __host__ __device__ PiReduceTotal
	identity()
	{
		return {0.0};
	}
	__device__ void
	add(PiReduceTotal o)
	{
		sum += o.sum;
	}
	__device__ void
	add_to(PiReduceTotal *result)
	{
		atomicAdd(&result->sum, sum);
	}
};

static __device__ double
slice_of_pi(Index i, double dx)
{
	double x = ((double)i + 0.5) * dx;
	return dx / (1.0 + x * x);
}

__launch_bounds__(256) __global__
	void pi_reduce(double dx, PiReduceTotal *result, Index n)
{
	__shared__ PiReduceTotal part[256];
	PiReduceTotal all = PiReduceTotal::identity();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		all.add(PiReduceTotal{slice_of_pi(i, dx)});
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
	double dx = 1.0 / (double)n;
	Memory<PiReduceTotal> result(1);
	Pinned<PiReduceTotal> host(1);
	unsigned blocks = r.few_blocks(pi_reduce, n, 256);
	double pi = 0;
	r.time([&] {
		*host = PiReduceTotal::identity();
		CHECK(GPU(MemcpyAsync)(result.p, host.p, sizeof(PiReduceTotal),
				       GPU(MemcpyHostToDevice), 0));
		pi_reduce<<<blocks, 256>>>(dx, result, n);
		r.read(host.p, result.p, 1);
		pi = 4.0 * host.p->sum;
	});
	r.checksum += pi;
}

static Shape
shape(Index n)
{
	return {n, 1, 16, 6.0 * n + 1};
}

NATIVE("Basic_PI_REDUCE", 1000000, 50, "occgs_256", shape, run);
