// Basic_ARRAY_OF_PTRS: y is the sum of a number of arrays, found through a list
// of pointers.
#include "native.h"

struct Pointers {
	const double *x[26];
};

__launch_bounds__(256) __global__
	void sum_arrays(Out y, Pointers p, Index arrays, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double sum = 0;
		for (Index a = 0; a < arrays; a++)
			sum += p.x[a][i];
		y[i] = sum;
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer y(r.init.constant(n, 0)), x(r.init.data(26 * n));
	Pointers p;
	for (int a = 0; a < 26; a++)
		p.x[a] = x + a * n;
	r.time([&] { sum_arrays<<<cover(n, 256), 256>>>(y, p, 26, n); });
	r.sum(y);
}

static Shape
shape(Index n)
{
	return {n, 1, 216.0 * n, 26.0 * n};
}

NATIVE("Basic_ARRAY_OF_PTRS", 1000000, 50, "block_256", shape, run);
