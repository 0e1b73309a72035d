/* Kernels that go wrong, each in one way, for api.c. */
#include <stdint.h>

#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define X __builtin_amdgcn_workitem_id_x()
#define GX __builtin_amdgcn_workgroup_id_x()

KERNEL
store(GLOBAL uint32_t *out, uint32_t value)
{
	out[GX * 64 + X] = value + X;
}

/* Each item of the grid counts itself; grids may cut work-groups. */
KERNEL
count(GLOBAL uint32_t *out, uint32_t size)
{
	out[GX * size + X] += 1;
}

KERNEL
trap(GLOBAL uint32_t *out)
{
	if (X == 3)
		__builtin_trap();
	out[X] = 1;
}

KERNEL
illegal(GLOBAL uint32_t *out)
{
	out[X] = 1;
	__asm__ volatile(".long 0xfeedbeef");
}

KERNEL
misaligned(GLOBAL char *out)
{
	__atomic_fetch_add((GLOBAL uint32_t *)(out + 2), 1, __ATOMIC_RELAXED);
}

KERNEL
lds_beyond(GLOBAL uint32_t *out)
{
	uint32_t v;
	__asm__ volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
			 : "=v"(v)
			 : "v"(60000));
	out[X] = v;
}

KERNEL
jump(GLOBAL uint32_t *out)
{
	void (*f)(void) = (void (*)(void))(uintptr_t)out;
	f();
}

/* ---- findings of SMELT_SIM_CHECK; each has a sound twin ---- */

#define SHARED static __attribute__((address_space(3), loader_uninitialized))
SHARED uint32_t shared[256];

static void
barrier(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

KERNEL
race_lds(GLOBAL uint32_t *out)
{
	shared[X] = X;
	__asm__ volatile("" ::: "memory"); /* no barrier */
	out[GX * 256 + X] = shared[255 - X];
}

KERNEL
sound_lds(GLOBAL uint32_t *out)
{
	shared[X] = X;
	barrier();
	out[GX * 256 + X] = shared[255 - X];
}

KERNEL
race_global(GLOBAL uint32_t *out)
{
	out[(GX * 256 + X) % 100] = X;
}

KERNEL
init_lds(GLOBAL uint32_t *out)
{
	if (X < 255)
		shared[X] = X;
	barrier();
	out[GX * 256 + X] = shared[X];
}

KERNEL
init_global(GLOBAL uint32_t *out)
{
	out[2048 + GX * 256 + X] = out[GX * 256 + X];
}

KERNEL
bounds(GLOBAL uint32_t *out)
{
	if (GX == 1 && X == 255)
		out[4080] = X; /* of 4080 */
}
