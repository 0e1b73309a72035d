/* Kernels that use the machine around the arithmetic; machine.c checks them. */
#include <stdint.h>

#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#define CONSTANT __attribute__((address_space(4)))

#define X __builtin_amdgcn_workitem_id_x()
#define Y __builtin_amdgcn_workitem_id_y()
#define Z __builtin_amdgcn_workitem_id_z()
#define GX __builtin_amdgcn_workgroup_id_x()
#define GY __builtin_amdgcn_workgroup_id_y()
#define GZ __builtin_amdgcn_workgroup_id_z()

static void
barrier(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* Every item of a grid whose edges cut work-groups, once. */
KERNEL
ids(GLOBAL uint32_t *out, uint32_t sx, uint32_t sy, uint32_t sz, uint32_t nx,
    uint32_t ny)
{
	uint32_t x = GX * sx + X, y = GY * sy + Y, z = GZ * sz + Z;
	uint32_t i = x + nx * (y + ny * z);
	out[i] += 1 + X + 100 * Y + 10000 * Z;
}

KERNEL
dispatch_packet(GLOBAL uint32_t *out)
{
	const CONSTANT uint32_t *packet =
		(const CONSTANT uint32_t *)__builtin_amdgcn_dispatch_ptr();
	if (GX + GY + X + Y + Z == 0)
		for (int i = 0; i < 6; i++)
			out[i] = packet[i];
}

SHARED uint32_t reverse_shared[256];
SHARED double sum_shared[256];

/* Reversal through LDS. */
KERNEL
reverse(GLOBAL uint32_t *data)
{
	reverse_shared[X] = data[GX * 256 + X];
	barrier();
	data[GX * 256 + X] = reverse_shared[255 - X];
}

/* Sum with a barrier a step; waves of one group run in turn. */
KERNEL
sum(GLOBAL const double *in, GLOBAL double *out)
{
	sum_shared[X] = in[GX * 256 + X];
	for (uint32_t step = 128; step; step /= 2) {
		barrier();
		if (X < step)
			sum_shared[X] += sum_shared[X + step];
	}
	if (X == 0)
		out[GX] = sum_shared[0];
}

/* Private memory: an array with indices that only the item knows. */
KERNEL
private_array(GLOBAL uint32_t *out, uint32_t rounds)
{
	uint32_t table[37];
	uint32_t i = GX * 256 + X;
	for (uint32_t k = 0; k < 37; k++)
		table[k] = k * i;
	for (uint32_t k = 0; k < rounds; k++) {
		uint32_t at = (i * 7 + k * 11) % 37;
		table[at] += table[(at + 5) % 37] + k;
	}
	uint32_t all = 0;
	for (uint32_t k = 0; k < 37; k++)
		all = all * 31 + table[k];
	out[i] = all;
}

struct wide {
	uint64_t v[4];
	uint8_t tail[7];
};

/* Private memory through generic pointers, all widths and misaligned. */
__attribute__((noinline)) static uint64_t
mix(struct wide *w, uint32_t k)
{
	w->v[k & 3] += w->tail[k % 7] * 3u;
	w->tail[(k + 3) % 7] ^= (uint8_t)k;
	uint32_t part;
	__builtin_memcpy(&part, (char *)w + (k % 29), 4);
	return part + w->v[(k + 1) & 3];
}

KERNEL
private_generic(GLOBAL uint64_t *out, uint32_t rounds)
{
	struct wide w;
	uint32_t i = GX * 256 + X;
	uint64_t all = 0;
	for (uint32_t k = 0; k < 4; k++)
		w.v[k] = i * (k + 1);
	for (uint32_t k = 0; k < 7; k++)
		w.tail[k] = (uint8_t)(i + k);
	for (uint32_t k = 0; k < rounds; k++)
		all += mix(&w, k + i % 5);
	out[i] = all;
}

__attribute__((noinline)) static uint64_t
fibonacci(uint32_t n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

KERNEL
recursion(GLOBAL uint64_t *out)
{
	out[GX * 64 + X] = fibonacci(X % 12);
}

/* Loops whose lanes leave at different times, nested. */
KERNEL
diverge(GLOBAL uint32_t *out)
{
	uint32_t i = GX * 256 + X, n = i, steps = 0;
	while (n > 1) {
		n = n % 2 ? 3 * n + 1 : n / 2;
		for (uint32_t k = 0; k < n % 3; k++)
			steps += 100;
		steps++;
		if (steps > 20000)
			break;
	}
	switch (i % 5) {
	case 0:
		steps += 1;
		break;
	case 3:
		steps *= 2;
		break;
	default:
		steps ^= i;
	}
	out[i] = steps;
}

/* All groups meet: each waits for a count that only the others complete. */
KERNEL
meet(GLOBAL uint32_t *count, GLOBAL uint32_t *out, uint32_t groups)
{
	if (X == 0) {
		__atomic_fetch_add(count, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(count, __ATOMIC_ACQUIRE) < groups)
			__builtin_amdgcn_s_sleep(1);
	}
	barrier();
	out[GX * 64 + X] = GX;
}

KERNEL
atomics(GLOBAL uint32_t *a, GLOBAL uint64_t *b, GLOBAL float *f,
	GLOBAL double *d, GLOBAL uint32_t *seen)
{
	uint32_t i = GX * 256 + X;
	uint32_t old = __atomic_fetch_add(&a[0], 1, __ATOMIC_RELAXED);
	seen[old] = 1;
	__atomic_fetch_max(&a[1], i * 7 % 5003, __ATOMIC_RELAXED);
	__atomic_fetch_xor(&a[2], i, __ATOMIC_RELAXED);
	__atomic_fetch_add(&b[0], (uint64_t)i << 20, __ATOMIC_RELAXED);
	__atomic_fetch_min((GLOBAL int64_t *)&b[1], -(int64_t)i,
			   __ATOMIC_RELAXED);
	uint32_t expected = 0;
	__atomic_compare_exchange_n(&a[3], &expected, i + 1, 0,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	__atomic_fetch_add(d, 1.0, __ATOMIC_RELAXED);
	__atomic_fetch_add(f, 1.0f, __ATOMIC_RELAXED);
}

/* Lanes read lanes. */
KERNEL
lanes(GLOBAL uint32_t *out)
{
	uint32_t i = GX * 64 + X, v = i * i + 1;
	out[i * 6] = (uint32_t)__builtin_amdgcn_ds_bpermute(
		(int)(X * 4 * 5 % 256), (int)v);
	out[i * 6 + 1] = (uint32_t)__builtin_amdgcn_ds_swizzle((int)v, 0x041f);
	out[i * 6 + 2] = (uint32_t)__builtin_amdgcn_update_dpp(
		7, (int)v, 0x111, 0xf, 0xf, 0); /* row_shr:1 */
	out[i * 6 + 3] = (uint32_t)__builtin_amdgcn_update_dpp(
		7, (int)v, 0xb1, 0xf, 0x5, 1); /* quad_perm:[1,0,3,2] */
	out[i * 6 + 4] = (uint32_t)__builtin_amdgcn_readlane((int)v, 9);
	out[i * 6 + 5] = (uint32_t)__builtin_amdgcn_readfirstlane((int)v);
}

/* An index into a vector that is one for the wave, but not known. */
typedef uint32_t vector __attribute__((ext_vector_type(16)));

KERNEL
indexed(GLOBAL uint32_t *out, uint32_t rounds)
{
	vector v = 0;
	for (int k = 0; k < 16; k++)
		v[k] = X * 16 + (uint32_t)k;
	for (uint32_t k = 0; k < rounds; k++) {
		uint32_t at = k * 5 % 16;
		v[at] += v[(at + 3) % 16] + k;
	}
	uint32_t all = 0;
	for (int k = 0; k < 16; k++)
		all = all * 17 + v[k];
	out[GX * 64 + X] = all;
}

/* The least and the greatest of x and y with MODE.IEEE on, then off. */
KERNEL
signalling(GLOBAL uint32_t *out, uint32_t x, uint32_t y)
{
	uint32_t r[4];
	__asm__ volatile("v_min_f32 %0, %4, %5\n\tv_max_f32 %1, %5, %4\n\t"
			 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 0\n\t"
			 "v_min_f32 %2, %4, %5\n\tv_max_f32 %3, %5, %4\n\t"
			 "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 1"
			 : "=&v"(r[0]), "=&v"(r[1]), "=&v"(r[2]), "=&v"(r[3])
			 : "v"(x), "v"(y));
	for (int k = 0; k < 4; k++)
		out[k] = r[k];
}
