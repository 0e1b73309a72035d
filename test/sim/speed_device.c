/* Kernels whose instructions speed.c counts: arithmetic, and memory. */
#include <stdint.h>

#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))

KERNEL
arithmetic(GLOBAL float *out, uint32_t rounds)
{
	uint32_t i = __builtin_amdgcn_workgroup_id_x() * 256 +
		     __builtin_amdgcn_workitem_id_x();
	float a = (float)i, b = a * 0.5f, c = 1.0f, e = 2.0f;
	for (uint32_t k = 0; k < rounds; k++) {
		a = __builtin_fmaf(a, 0.999f, b);
		b = __builtin_fmaf(b, 0.998f, c);
		c = __builtin_fmaf(c, 0.997f, e);
		e = __builtin_fmaf(e, 0.996f, a);
	}
	out[i] = a + b + c + e;
}

KERNEL
stream(GLOBAL double *y, GLOBAL const double *x, double a, uint32_t rounds)
{
	uint32_t i = __builtin_amdgcn_workgroup_id_x() * 256 +
		     __builtin_amdgcn_workitem_id_x();
	uint32_t n = rounds;
	for (uint32_t k = 0; k < n; k++)
		y[i + k * 65536] += a * x[i + k * 65536];
}
