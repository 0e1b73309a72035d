// Apps_FIR: a finite impulse response filter of 16 coefficients.
#include "native.h"

#define LENGTH 16
__constant__ double coefficients[LENGTH];

__launch_bounds__(256) __global__
	void fir(Out out, In in, Index length, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	double sum = 0;
	for (Index j = 0; j < length; j++)
		sum += coefficients[j] * in[i + j];
	out[i] = sum;
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer in(r.init.data(n + LENGTH - 1)), out(r.init.constant(n, 0));
	double values[LENGTH];
	for (int j = 0; j < LENGTH; j++)
		values[j] = j % 5 ? -1 : 3;
	CHECK(GPU(MemcpyToSymbol)(coefficients, values, sizeof values));
	r.time([&] { fir<<<cover(n, 256), 256>>>(out, in, LENGTH, n); });
	r.sum(out, 0.0001 * r.scale);
}

static Shape
shape(Index n)
{
	return {n, 1, 8.0 * (2 * n + 2 * LENGTH - 1), 2.0 * LENGTH * n};
}

NATIVE("Apps_FIR", 1000000, 160, "block_256", shape, run);
