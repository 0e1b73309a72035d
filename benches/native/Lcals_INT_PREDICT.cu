// Lcals_INT_PREDICT: integration predictors.
#include "native.h"

__launch_bounds__(256) __global__
	void int_predict(Out px, double dm22, double dm23, double dm24,
			 double dm25, double dm26, double dm27, double dm28,
			 double c0, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		px[i] = dm28 * px[i + n * 12] + dm27 * px[i + n * 11] +
			dm26 * px[i + n * 10] + dm25 * px[i + n * 9] +
			dm24 * px[i + n * 8] + dm23 * px[i + n * 7] +
			dm22 * px[i + n * 6] +
			c0 * (px[i + n * 4] + px[i + n * 5]) + px[i + n * 2];
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer px(r.init.constant(13 * n, 1.0));
	double d[8];
	for (double &x : d)
		x = r.init.scalar();
	r.time([&] {
		int_predict<<<cover(n, 256), 256>>>(px, d[0], d[1], d[2], d[3],
						    d[4], d[5], d[6], d[7], n);
	});
	Array v = px.host();
	for (double &x : v)
		x -= 1.0;
	r.sum(v.data(), n);
}

static Shape
shape(Index n)
{
	return {n, 1, 88.0 * n, 17.0 * n};
}

NATIVE("Lcals_INT_PREDICT", 1000000, 400, "block_256", shape, run);
