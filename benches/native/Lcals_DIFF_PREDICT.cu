// Lcals_DIFF_PREDICT: difference predictors.
#include "native.h"

__launch_bounds__(256) __global__ void diff_predict(Out px, In cx, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double next = cx[i + n * 4];
#pragma unroll
		for (int k = 4; k < 13; k++) {
			double came = next;
			next -= px[i + n * k];
			px[i + n * k] = came;
		}
		px[i + n * 13] = next;
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer px(r.init.constant(14 * n, 0)), cx(r.init.data(14 * n));
	r.time([&] { diff_predict<<<cover(n, 256), 256>>>(px, cx, n); });
	r.sum(px);
}

static Shape
shape(Index n)
{
	return {n, 1, 160.0 * n, 9.0 * n};
}

NATIVE("Lcals_DIFF_PREDICT", 1000000, 200, "block_256", shape, run);
