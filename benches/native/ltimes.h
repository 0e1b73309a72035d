// What LTIMES and LTIMES_NOVIEW, the same by hand, share.
#pragma once
#include "native.h"

namespace ltimes
{

// Directions, groups, moments: the suite's defaults. Blocks are of 32 moments
// by 4 groups by 2 zones.
const Index D = 64, G = 32, M = 25;

__launch_bounds__(256) static __global__
	void kernel(Out phi, In ell, In psi, Index num_d, Index num_m,
		    Index num_g, Index num_z)
{
	Index m = (Index)blockIdx.x * 32 + threadIdx.x,
	      g = (Index)blockIdx.y * 4 + threadIdx.y,
	      z = (Index)blockIdx.z * 2 + threadIdx.z;
	if (m < num_m && g < num_g && z < num_z)
		for (Index d = 0; d < num_d; d++)
			phi[m + g * num_m + z * num_m * num_g] +=
				ell[d + m * num_d] *
				psi[d + g * num_d + z * num_d * num_g];
}

static inline Index
zones(Index target)
{
	Index z = (target + D * G / 2) / (D * G);
	return z > 1 ? z : 1;
}

static void
run(Run &r)
{
	Index z = zones(r.target);
	Buffer phi(r.init.constant(M * G * z, 0)), ell(r.init.data(D * M)),
		psi(r.init.data(D * G * z));
	dim3 grid(cover(M, 32), cover(G, 4), cover(z, 2)), block(32, 4, 2);
	r.time([&] { kernel<<<grid, block>>>(phi, ell, psi, D, M, G, z); });
	r.sum(phi, 0.001 * r.scale);
}

static Shape
shape(Index target)
{
	double z = (double)zones(target), phi = M * G * z;
	return {(Index)(D * G * z), 1, 8 * (2 * phi + D * M + D * G * z),
		2 * phi * D};
}

} // namespace ltimes
