// Basic_TRAP_INT: an integral by the trapezoid rule.
#include "native.h"

struct TrapIntTotal {
	double sum;
	static __host__ __device__ TrapIntTotal
	identity()
	{
		return {0.0};
	}
	__device__ void
	add(TrapIntTotal o)
	{
		sum += o.sum;
	}
	__device__ void
	add_to(TrapIntTotal *result)
	{
		atomicAdd(&result->sum, sum);
	}
};

static __device__ double
inverse_distance(double dx, double dy)
{
	return 1.0 / sqrt(dx * dx + dy * dy);
}

__launch_bounds__(256) __global__
	void trap_int(double x0, double h, double xp, double y, double yp,
		      TrapIntTotal *result, Index n)
{
	__shared__ TrapIntTotal part[256];
	TrapIntTotal all = TrapIntTotal::identity();
	for (Index i = (Index)blockIdx.x * 256 + threadIdx.x; i < n;
	     i += (Index)gridDim.x * 256)
		all.add(TrapIntTotal{
			inverse_distance(x0 + i * h - xp, y - yp)});
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
	double xn = r.init.scalar(), x0 = r.init.scalar(), xp = r.init.scalar(),
	       y = r.init.scalar(), yp = r.init.scalar(), h = xn - x0;
	Memory<TrapIntTotal> result(1);
	Pinned<TrapIntTotal> host(1);
	unsigned blocks = r.few_blocks(trap_int, n, 256);
	double sum = 0;
	r.time([&] {
		*host = TrapIntTotal::identity();
		CHECK(GPU(MemcpyAsync)(result.p, host.p, sizeof(TrapIntTotal),
				       GPU(MemcpyHostToDevice), 0));
		trap_int<<<blocks, 256>>>(x0, h, xp, y, yp, result, n);
		r.read(host.p, result.p, 1);
		sum += host.p->sum * h;
	});
	r.checksum += sum;
}

static Shape
shape(Index n)
{
	return {n, 1, 16, 10.0 * n};
}

NATIVE("Basic_TRAP_INT", 1000000, 50, "occgs_256", shape, run);
