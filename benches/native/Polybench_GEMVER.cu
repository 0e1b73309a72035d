// Polybench_GEMVER: A += u1 v1^T + u2 v2^T, x = beta A^T y, x += z, w += alpha
// A x.
#include "native.h"

static __launch_bounds__(256) __global__
	void update(Out a, In u1, In v1, In u2, In v2, Index n)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < n && j < n)
		a[j + i * n] += u1[i] * v1[j] + u2[i] * v2[j];
}

static __launch_bounds__(256) __global__
	void columns(In a, Out x, In y, double beta, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double dot = 0;
		for (Index j = 0; j < n; j++)
			dot += beta * a[i + j * n] * y[j];
		x[i] = dot;
	}
}

static __launch_bounds__(256) __global__ void add(Out x, In z, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		x[i] += z[i];
}

static __launch_bounds__(256) __global__
	void rows(In a, In x, Out w, double alpha, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n) {
		double dot = w[i];
		for (Index j = 0; j < n; j++)
			dot += alpha * a[j + i * n] * x[j];
		w[i] = dot;
	}
}

static void
run(Run &r)
{
	Index n = square_side(r.target);
	Buffer a(r.init.data(n * n)), u1(r.init.data(n)), v1(r.init.data(n)),
		u2(r.init.data(n)), v2(r.init.data(n)),
		w(r.init.constant(n, 0)), x(r.init.data(n)), y(r.init.data(n)),
		z(r.init.data(n));
	dim3 grid(cover(n, 32), cover(n, 8)), block(32, 8);
	unsigned blocks = cover(n, 256);
	r.time([&] {
		update<<<grid, block>>>(a, u1, v1, u2, v2, n);
		columns<<<blocks, 256>>>(a, x, y, 1.2, n);
		add<<<blocks, 256>>>(x, z, n);
		rows<<<blocks, 256>>>(a, x, w, 1.5, n);
	});
	r.sum(w, 0.001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target);
	return {n * n, 4, 8.0 * (4 * n * n + 12 * n), 10.0 * n * n + n};
}

NATIVE("Polybench_GEMVER", 1000000, 20, "block_256", shape, run);
