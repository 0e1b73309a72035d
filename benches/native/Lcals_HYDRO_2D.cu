// Lcals_HYDRO_2D: a fragment of two-dimensional hydrodynamics in three kernels.
#include "native.h"

// Element of the inside that this thread does, or none.
static __device__ bool
inside(Index n, Index &i)
{
	Index k = 1 + (Index)blockIdx.y * 8 + threadIdx.y;
	Index j = 1 + (Index)blockIdx.x * 32 + threadIdx.x;
	i = j + k * n;
	return k < n - 1 && j < n - 1;
}

__launch_bounds__(256) __global__
	void hydro_2d1(Out za, Out zb, In zp, In zq, In zr, In zm, Index n)
{
	Index i;
	if (!inside(n, i))
		return;
	za[i] = (zp[i - 1 + n] + zq[i - 1 + n] - zp[i - 1] - zq[i - 1]) *
		(zr[i] + zr[i - 1]) / (zm[i - 1] + zm[i - 1 + n]);
	zb[i] = (zp[i - 1] + zq[i - 1] - zp[i] - zq[i]) * (zr[i] + zr[i - n]) /
		(zm[i] + zm[i - 1]);
}

__launch_bounds__(256) __global__
	void hydro_2d2(Out zu, Out zv, In za, In zb, In zz, In zr, double s,
		       Index n)
{
	Index i;
	if (!inside(n, i))
		return;
	zu[i] +=
		s *
		(za[i] * (zz[i] - zz[i + 1]) - za[i - 1] * (zz[i] - zz[i - 1]) -
		 zb[i] * (zz[i] - zz[i - n]) + zb[i + n] * (zz[i] - zz[i + n]));
	zv[i] +=
		s *
		(za[i] * (zr[i] - zr[i + 1]) - za[i - 1] * (zr[i] - zr[i - 1]) -
		 zb[i] * (zr[i] - zr[i - n]) + zb[i + n] * (zr[i] - zr[i + n]));
}

__launch_bounds__(256) __global__
	void hydro_2d3(Out zrout, Out zzout, In zr, In zu, In zz, In zv,
		       double t, Index n)
{
	Index i;
	if (!inside(n, i))
		return;
	zrout[i] = zr[i] + t * zu[i];
	zzout[i] = zz[i] + t * zv[i];
}

static void
run(Run &r)
{
	Index n = square_side(r.target), m = n * n;
	Buffer zrout(r.init.constant(m, 0)), zzout(r.init.constant(m, 0)),
		za(r.init.data(m)), zb(r.init.data(m)), zm(r.init.data(m)),
		zp(r.init.data(m)), zq(r.init.data(m)), zr(r.init.data(m)),
		zu(r.init.data(m)), zv(r.init.data(m)), zz(r.init.data(m));
	dim3 grid(cover(n - 2, 32), cover(n - 2, 8)), block(32, 8);
	r.time([&] {
		hydro_2d1<<<grid, block>>>(za, zb, zp, zq, zr, zm, n);
		hydro_2d2<<<grid, block>>>(zu, zv, za, zb, zz, zr, 0.0041, n);
		hydro_2d3<<<grid, block>>>(zrout, zzout, zr, zu, zz, zv, 0.0037,
					   n);
	});
	r.sum(zzout, 0.001 * r.scale), r.sum(zrout, 0.001 * r.scale);
}

static Shape
shape(Index n)
{
	double m = (double)square_side(n), in = (m - 2) * (m - 2);
	double reads = 4 * ((m - 1) * (m - 1) - 1) + 2 * (m - 1) * (m - 2) +
		       2 * (m * m - 4) + 6 * in;
	return {n, 3, 8 * (reads + 6 * in), 44 * in};
}

NATIVE("Lcals_HYDRO_2D", 1000000, 100, "block_256", shape, run);
