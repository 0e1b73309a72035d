// Comm_HALO_PACKING_FUSED: as HALO_PACKING, all neighbours and variables in one
// kernel each.
#include "halo.h"

struct Loop {
	double *buffer;
	const int *list;
	double *var;
	Index len;
};

static __launch_bounds__(1024) __global__ void pack(const Loop *loops)
{
	Loop it = loops[blockIdx.y];
	for (Index i = threadIdx.x + (Index)blockIdx.x * 1024; i < it.len;
	     i += (Index)1024 * gridDim.x)
		it.buffer[i] = it.var[it.list[i]];
}

static __launch_bounds__(1024) __global__ void unpack(const Loop *loops)
{
	Loop it = loops[blockIdx.y];
	for (Index i = threadIdx.x + (Index)blockIdx.x * 1024; i < it.len;
	     i += (Index)1024 * gridDim.x)
		it.var[it.list[i]] = it.buffer[i];
}

static std::vector<Loop>
loops_of(const Halo &halo, const Halo::Side &side, double *buffer,
	 const int *lists, double *vars)
{
	std::vector<Loop> loops;
	for (int l = 0; l < NEIGHBOURS; l++)
		for (int v = 0; v < VARS; v++)
			loops.push_back({buffer + VARS * side.starts[l] +
						 v * side.len(l),
					 lists + side.starts[l],
					 vars + v * halo.cells, side.len(l)});
	return loops;
}

// As many blocks for each loop as are needed on average.
static dim3
grid(const Halo::Side &side)
{
	Index average = cover((Index)side.lists.size(), NEIGHBOURS);
	return dim3(cover(average, 1024), NEIGHBOURS * VARS);
}

static void
run(Run &r)
{
	Halo halo(r);
	const Halo::Side &out = halo.sides[0], &back = halo.sides[1];
	Buffer vars(halo.vars), packed(out.values), arrived(back.values);
	Memory<int> out_lists(out.lists), back_lists(back.lists);
	Memory<Loop> packs(loops_of(halo, out, packed, out_lists, vars)),
		unpacks(loops_of(halo, back, arrived, back_lists, vars));
	r.time([&] {
		pack<<<grid(out), 1024>>>(packs);
		CHECK(GPU(StreamSynchronize)(0));
		unpack<<<grid(back), 1024>>>(unpacks);
		CHECK(GPU(StreamSynchronize)(0));
	});
	halo.sum(r, vars, packed);
}

static Shape
shape(Index target)
{
	return Halo::shape(target, 2);
}

NATIVE("Comm_HALO_PACKING_FUSED", 1000000, 200, "direct_1024", shape, run);
