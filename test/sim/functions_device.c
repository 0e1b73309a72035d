/* Device side of functions.h: a kernel for each, one value a work-item. */
#include <stdint.h>

typedef _Float16 half;

#include "functions.h"

#define GLOBAL __attribute__((address_space(1)))

#define F(name, result, arg, expression)                                       \
	__attribute__((amdgpu_kernel)) void kernel_##name(                     \
		GLOBAL result *out, GLOBAL const arg *pa,                      \
		GLOBAL const arg *pb, GLOBAL const arg *pc, uint32_t n)        \
	{                                                                      \
		uint32_t i = __builtin_amdgcn_workgroup_id_x() * 256 +         \
			     __builtin_amdgcn_workitem_id_x();                 \
		if (i >= n)                                                    \
			return;                                                \
		arg a = pa[i], b = pb[i], c = pc[i];                           \
		(void)b;                                                       \
		(void)c;                                                       \
		out[i] = expression;                                           \
	}                                                                      \
	/* The same of values that are equal in all lanes: scalar code. */     \
	__attribute__((amdgpu_kernel)) void uniform_##name(                    \
		GLOBAL result *out, GLOBAL const arg *pa,                      \
		GLOBAL const arg *pb, GLOBAL const arg *pc, uint32_t n)        \
	{                                                                      \
		for (uint32_t i = 0; i < n; i++) {                             \
			arg a = pa[i], b = pb[i], c = pc[i];                   \
			(void)b;                                               \
			(void)c;                                               \
			out[i] = expression;                                   \
		}                                                              \
	}
FUNCTIONS(F)
