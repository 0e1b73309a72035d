// Stream_DOT: the sum of a times b, read back in every repetition.
#include "native.h"

struct DotTotal {
	double sum;
	static __host__ __device__ DotTotal
	identity()
	{
		return {0.0};
	}
	__device__ void
	add(DotTotal o)
	{
		sum += o.sum;
	}
	__device__ void
	add_to(DotTotal *result)
	{
		atomicAdd(&result->sum, sum);
	}
};

__launch_bounds__(256) __global__
	void dot(In a, In b, DotTotal *result, Index n)
{
	__shared__ DotTotal part[256];
	DotTotal all = DotTotal::identity();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		all.add(DotTotal{a[i] * b[i]});
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
	Buffer a(r.init.data(n)), b(r.init.data(n));
	Memory<DotTotal> result(1);
	Pinned<DotTotal> host(1);
	unsigned blocks = r.few_blocks(dot, n, 256);
	double sum = 0;
	r.time([&] {
		*host = DotTotal::identity();
		CHECK(GPU(MemcpyAsync)(result.p, host.p, sizeof(DotTotal),
				       GPU(MemcpyHostToDevice), 0));
		dot<<<blocks, 256>>>(a, b, result, n);
		r.read(host.p, result.p, 1);
		sum += host.p->sum;
	});
	r.checksum += sum;
}

static Shape
shape(Index n)
{
	return {n, 1, 16.0 * n + 16, 2.0 * n};
}

NATIVE("Stream_DOT", 1000000, 2000, "occgs_256", shape, run);
