// Basic_REDUCE3_INT: sum, minimum and maximum of integers in one loop.
#include "native.h"

struct Reduce3Total {
	int sum, min, max;
	static __host__ __device__ Reduce3Total
	identity()
	{
		return {0, 0x7fffffff, -0x7fffffff - 1};
	}
	__device__ void
	add(Reduce3Total o)
	{
		sum += o.sum;
		min = o.min < min ? o.min : min;
		max = o.max > max ? o.max : max;
	}
	__device__ void
	add_to(Reduce3Total *result)
	{
		atomicAdd(&result->sum, sum);
		atomicMin(&result->min, min);
		atomicMax(&result->max, max);
	}
};

__launch_bounds__(256) __global__
	void reduce3(const int *__restrict__ v, Reduce3Total *result, Index n)
{
	__shared__ Reduce3Total part[256];
	Reduce3Total all = Reduce3Total::identity();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		all.add((Reduce3Total{v[i], v[i], v[i]}));
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
	Memory<int> v(r.init.ints(n));
	Memory<Reduce3Total> result(1);
	Pinned<Reduce3Total> host(1);
	unsigned blocks = r.few_blocks(reduce3, n, 256);
	Reduce3Total all = Reduce3Total::identity();
	r.time([&] {
		*host = Reduce3Total::identity();
		CHECK(GPU(MemcpyAsync)(result.p, host.p, sizeof(Reduce3Total),
				       GPU(MemcpyHostToDevice), 0));
		reduce3<<<blocks, 256>>>(v, result, n);
		r.read(host.p, result.p, 1);
		all = *host;
	});
	r.checksum += (long double)all.sum + all.min + all.max;
}

static Shape
shape(Index n)
{
	return {n, 1, 4.0 * n + 24, 0};
}

NATIVE("Basic_REDUCE3_INT", 1000000, 50, "occgs_256", shape, run);
