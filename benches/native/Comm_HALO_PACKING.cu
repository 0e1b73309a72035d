// Comm_HALO_PACKING: gather and scatter for each neighbour and variable, a
// kernel each.
#include "halo.h"

static __launch_bounds__(256) __global__
	void pack(Out buffer, const int *__restrict__ list, In var, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		buffer[i] = var[list[i]];
}

static __launch_bounds__(256) __global__
	void unpack(In buffer, const int *__restrict__ list, Out var, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		var[list[i]] = buffer[i];
}

static void
run(Run &r)
{
	Halo halo(r);
	const Halo::Side &out = halo.sides[0], &back = halo.sides[1];
	Buffer vars(halo.vars), packed(out.values), arrived(back.values);
	Memory<int> out_lists(out.lists), back_lists(back.lists);
	r.time([&] {
		for (int l = 0; l < NEIGHBOURS; l++) {
			Index n = out.len(l), first = out.starts[l];
			for (int v = 0; v < VARS; v++)
				pack<<<cover(n, 256), 256>>>(
					packed + VARS * first + v * n,
					out_lists + first,
					vars + v * halo.cells, n);
			CHECK(GPU(StreamSynchronize)(0));
		}
		for (int l = 0; l < NEIGHBOURS; l++) {
			Index n = back.len(l), first = back.starts[l];
			for (int v = 0; v < VARS; v++)
				unpack<<<cover(n, 256), 256>>>(
					arrived + VARS * first + v * n,
					back_lists + first,
					vars + v * halo.cells, n);
		}
		CHECK(GPU(StreamSynchronize)(0));
	});
	halo.sum(r, vars, packed);
}

static Shape
shape(Index target)
{
	return Halo::shape(target, 2 * NEIGHBOURS * VARS);
}

NATIVE("Comm_HALO_PACKING", 1000000, 200, "block_256", shape, run);
