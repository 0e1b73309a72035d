// Basic_COPY8: eight arrays copied at once.
#include "native.h"

__launch_bounds__(256) __global__
	void copy8(Out y0, Out y1, Out y2, Out y3, Out y4, Out y5, Out y6,
		   Out y7, In x0, In x1, In x2, In x3, In x4, In x5, In x6,
		   In x7, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		y0[i] = x0[i];
		y1[i] = x1[i];
		y2[i] = x2[i];
		y3[i] = x3[i];
		y4[i] = x4[i];
		y5[i] = x5[i];
		y6[i] = x6[i];
		y7[i] = x7[i];
	}
}

static void
run(Run &r)
{
	Index n = r.size;
	Buffer y0(r.init.constant(n, 0)), y1(r.init.constant(n, 0)),
		y2(r.init.constant(n, 0)), y3(r.init.constant(n, 0)),
		y4(r.init.constant(n, 0)), y5(r.init.constant(n, 0)),
		y6(r.init.constant(n, 0)), y7(r.init.constant(n, 0));
	Buffer x0(r.init.data(n)), x1(r.init.data(n)), x2(r.init.data(n)),
		x3(r.init.data(n)), x4(r.init.data(n)), x5(r.init.data(n)),
		x6(r.init.data(n)), x7(r.init.data(n));
	r.time([&] {
		copy8<<<cover(n, 256), 256>>>(y0, y1, y2, y3, y4, y5, y6, y7,
					      x0, x1, x2, x3, x4, x5, x6, x7,
					      n);
	});
	for (Buffer *y : {&y0, &y1, &y2, &y3, &y4, &y5, &y6, &y7})
		r.sum(*y);
}

static Shape
shape(Index n)
{
	return {n, 1, 128.0 * n, 0};
}

NATIVE("Basic_COPY8", 1000000, 50, "block_256", shape, run);
