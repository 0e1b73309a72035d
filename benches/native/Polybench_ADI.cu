// Polybench_ADI: the alternating direction implicit method, a thread for each
// column and row.
#include "native.h"

struct Coefficients {
	double a, b, c, d, e, f;
};

static __launch_bounds__(256) __global__
	void columns(Index n, Coefficients k, Out p, Out q, In u, Out v)
{
	Index i = 1 + (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n - 1)
		return;
	v[i] = 1;
	p[i * n] = 0;
	q[i * n] = v[i];
	for (Index j = 1; j < n - 1; j++) {
		double below = k.a * p[i * n + j - 1] + k.b;
		p[i * n + j] = -k.c / below;
		q[i * n + j] =
			(-k.d * u[j * n + i - 1] +
			 (1.0 + 2.0 * k.d) * u[j * n + i] -
			 k.f * u[j * n + i + 1] - k.a * q[i * n + j - 1]) /
			below;
	}
	v[(n - 1) * n + i] = 1;
	for (Index j = n - 2; j >= 1; j--)
		v[j * n + i] = p[i * n + j] * v[(j + 1) * n + i] + q[i * n + j];
}

static __launch_bounds__(256) __global__
	void rows(Index n, Coefficients k, Out p, Out q, Out u, In v)
{
	Index i = 1 + (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n - 1)
		return;
	u[i * n] = 1;
	p[i * n] = 0;
	q[i * n] = u[i * n];
	for (Index j = 1; j < n - 1; j++) {
		double below = k.d * p[i * n + j - 1] + k.e;
		p[i * n + j] = -k.f / below;
		q[i * n + j] =
			(-k.a * v[(i - 1) * n + j] +
			 (1.0 + 2.0 * k.a) * v[i * n + j] -
			 k.c * v[(i + 1) * n + j] - k.d * q[i * n + j - 1]) /
			below;
	}
	u[i * n + n - 1] = 1;
	for (Index j = n - 2; j >= 1; j--)
		u[i * n + j] = p[i * n + j] * u[i * n + j + 1] + q[i * n + j];
}

static Coefficients
coefficients(Index n)
{
	double step = 1.0 / n, time = 1.0 / 4, twice = 2 * time / (step * step),
	       once = time / (step * step);
	return {-twice / 2, 1 + twice, -twice / 2,
		-once / 2,  1 + once,  -once / 2};
}

static void
run(Run &r)
{
	Index n = square_side(r.target) + 2;
	Buffer u(r.init.constant(n * n, 0)), v(r.init.data(n * n)),
		p(r.init.data(n * n)), q(r.init.data(n * n));
	Coefficients k = coefficients(n);
	unsigned blocks = cover(n - 2, 256);
	r.time([&] {
		columns<<<blocks, 256>>>(n, k, p, q, u, v);
		rows<<<blocks, 256>>>(n, k, p, q, u, v);
	});
	r.sum(u, 0.0000001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = square_side(target) + 2, m = n - 2;
	return {m * m, 2, 48.0 * (n * m + m * m), 30.0 * m * m};
}

NATIVE("Polybench_ADI", 1000000, 16, "block_256", shape, run);
