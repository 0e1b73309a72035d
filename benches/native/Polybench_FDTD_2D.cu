// Polybench_FDTD_2D: a step in time of the fields of a plane.
#include "native.h"

static const int STEPS = 40;

static __launch_bounds__(256) __global__
	void enter(Out ey, In fict, Index n, Index t)
{
	Index j = (Index)blockIdx.x * 256 + threadIdx.x;
	if (j < n)
		ey[j] = fict[t];
}

static __launch_bounds__(256) __global__ void move_ey(Out ey, In hz, Index n)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i > 0 && i < n && j < n)
		ey[j + i * n] = ey[j + i * n] -
				0.5 * (hz[j + i * n] - hz[j + (i - 1) * n]);
}

static __launch_bounds__(256) __global__ void move_ex(Out ex, In hz, Index n)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < n && j > 0 && j < n)
		ex[j + i * n] = ex[j + i * n] -
				0.5 * (hz[j + i * n] - hz[j - 1 + i * n]);
}

static __launch_bounds__(256) __global__
	void move_hz(Out hz, In ex, In ey, Index n)
{
	Index i = (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = (Index)blockIdx.x * 32 + threadIdx.x;
	if (i < n - 1 && j < n - 1)
		hz[j + i * n] = hz[j + i * n] -
				0.7 * (ex[j + 1 + i * n] - ex[j + i * n] +
				       ey[j + (i + 1) * n] - ey[j + i * n]);
}

// Not square_side(target) + 1, which rounds before it adds.
static Index
side(Index target)
{
	return (Index)(std::sqrt((double)target) + std::sqrt(2.0));
}

static void
run(Run &r)
{
	Index n = side(r.target), t = 0;
	Buffer hz(r.init.constant(n * n, 0)), ex(r.init.data(n * n)),
		ey(r.init.data(n * n)), fict(r.init.data(STEPS));
	dim3 grid(cover(n, 32), cover(n, 8)), block(32, 8);
	r.time([&] {
		enter<<<cover(n, 256), 256>>>(ey, fict, n, t++ % STEPS);
		move_ey<<<grid, block>>>(ey, hz, n);
		move_ex<<<grid, block>>>(ex, hz, n);
		move_hz<<<grid, block>>>(hz, ex, ey, n);
	});
	r.sum(hz, 0.001 * r.scale);
}

static Shape
shape(Index target)
{
	Index n = side(target);
	double edges = (n - 1.0) * n, inner = (n - 1.0) * (n - 1);
	double read = 1 + 4 * edges + 2.0 * n * n + inner;
	double written = n + 2 * edges + inner;
	return {(Index)edges, 4, 8 * (read + written), 6 * edges + 5 * inner};
}

NATIVE("Polybench_FDTD_2D", 999000, 320, "block_256", shape, run);
