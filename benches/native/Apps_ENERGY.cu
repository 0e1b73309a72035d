// Apps_ENERGY: internal energy and artificial viscosity of a step of
// hydrodynamics, in six kernels.
#include "native.h"

static __device__ double
viscosity(double square, double ql, double qq)
{
	double sound = square <= 0.1111111e-36 ? 0.3333333e-18 : sqrt(square);
	return sound * ql + qq;
}

__launch_bounds__(256) __global__
	void energy1(Out e_new, In e_old, In delvc, In p_old, In q_old, In work,
		     Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		e_new[i] = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) +
			   0.5 * work[i];
}

__launch_bounds__(256) __global__
	void energy2(In delvc, Out q_new, In comp_half, In p_half, In e_new,
		     In bvc, In pbvc, In ql, In qq, double rho0, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	if (delvc[i] > 0.0) {
		q_new[i] = 0.0;
	} else {
		double v = 1.0 / (1.0 + comp_half[i]);
		double s = (pbvc[i] * e_new[i] + v * v * bvc[i] * p_half[i]) /
			   rho0;
		q_new[i] = viscosity(s, ql[i], qq[i]);
	}
}

__launch_bounds__(256) __global__
	void energy3(Out e_new, In delvc, In p_old, In q_old, In p_half,
		     In q_new, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i < n)
		e_new[i] = e_new[i] + 0.5 * delvc[i] *
					      (3.0 * (p_old[i] + q_old[i]) -
					       4.0 * (p_half[i] + q_new[i]));
}

__launch_bounds__(256) __global__
	void energy4(Out e_new, In work, double e_cut, double emin, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	e_new[i] += 0.5 * work[i];
	if (fabs(e_new[i]) < e_cut)
		e_new[i] = 0.0;
	if (e_new[i] < emin)
		e_new[i] = emin;
}

__launch_bounds__(256) __global__
	void energy5(In delvc, In pbvc, Out e_new, In vnewc, In bvc, In p_new,
		     In ql, In qq, In p_old, In q_old, In p_half, In q_new,
		     double rho0, double e_cut, double emin, Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n)
		return;
	double q;
	if (delvc[i] > 0.0) {
		q = 0.0;
	} else {
		double s = (pbvc[i] * e_new[i] +
			    vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) /
			   rho0;
		q = viscosity(s, ql[i], qq[i]);
	}
	e_new[i] = e_new[i] - (7.0 * (p_old[i] + q_old[i]) -
			       8.0 * (p_half[i] + q_new[i]) + (p_new[i] + q)) *
				      delvc[i] / 6.0;
	if (fabs(e_new[i]) < e_cut)
		e_new[i] = 0.0;
	if (e_new[i] < emin)
		e_new[i] = emin;
}

__launch_bounds__(256) __global__
	void energy6(In delvc, In pbvc, In e_new, In vnewc, In bvc, In p_new,
		     Out q_new, In ql, In qq, double rho0, double q_cut,
		     Index n)
{
	Index i = (Index)blockIdx.x * 256 + threadIdx.x;
	if (i >= n || !(delvc[i] <= 0.0))
		return;
	double s =
		(pbvc[i] * e_new[i] + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) /
		rho0;
	q_new[i] = viscosity(s, ql[i], qq[i]);
	if (fabs(q_new[i]) < q_cut)
		q_new[i] = 0.0;
}

static void
run(Run &r)
{
	Index n = r.size;
	Init &init = r.init;
	Buffer e_new(init.constant(n, 0)), e_old(init.data(n)),
		delvc(init.data(n)), p_new(init.data(n)), p_old(init.data(n)),
		q_new(init.constant(n, 0)), q_old(init.data(n)),
		work(init.data(n)), comp_half(init.data(n)),
		p_half(init.data(n)), bvc(init.data(n)), pbvc(init.data(n)),
		ql(init.data(n)), qq(init.data(n)), vnewc(init.data(n));
	double rho0 = init.scalar(), e_cut = init.scalar(),
	       emin = init.scalar(), q_cut = init.scalar();
	unsigned grid = cover(n, 256);
	r.time([&] {
		energy1<<<grid, 256>>>(e_new, e_old, delvc, p_old, q_old, work,
				       n);
		energy2<<<grid, 256>>>(delvc, q_new, comp_half, p_half, e_new,
				       bvc, pbvc, ql, qq, rho0, n);
		energy3<<<grid, 256>>>(e_new, delvc, p_old, q_old, p_half,
				       q_new, n);
		energy4<<<grid, 256>>>(e_new, work, e_cut, emin, n);
		energy5<<<grid, 256>>>(delvc, pbvc, e_new, vnewc, bvc, p_new,
				       ql, qq, p_old, q_old, p_half, q_new,
				       rho0, e_cut, emin, n);
		energy6<<<grid, 256>>>(delvc, pbvc, e_new, vnewc, bvc, p_new,
				       q_new, ql, qq, rho0, q_cut, n);
	});
	r.sum(e_new), r.sum(q_new);
}

static Shape
shape(Index n)
{
	return {n, 6, 216.0 * n, 55.0 * n};
}

NATIVE("Apps_ENERGY", 1000000, 130, "block_256", shape, run);
