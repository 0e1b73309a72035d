/*
 * FLAT, GLOBAL and SCRATCH, and MUBUF: vector memory (sections 9 and 10).
 *
 * Both forms have the same loads, stores and atomics under the same numbers, so
 * they share one table; only how a lane's address comes about differs.
 */
#include "undef.h"

#include <string.h>

/* ---- addresses ---- */

static uint64_t
vgpr_pair(const struct wave *w, unsigned reg, int lane)
{
	return (uint64_t)w->v[reg + 1][lane] << 32 | w->v[reg][lane];
}

static uint64_t
sgpr_pair(const struct wave *w, unsigned reg)
{
	return (uint64_t)w->s[reg + 1] << 32 | w->s[reg];
}

/* SCRATCH addresses are offsets into the lane's private memory. */
static void
scratch_addresses(struct wave *w, const struct inst *i, uint64_t *addresses)
{
	uint32_t base = i->flags & INST_SADDR ? w->s[i->sdst] : 0;
	for (int l = 0; l < LANES; l++) {
		uint32_t at = base + (uint32_t)i->offset;
		if (!(i->flags & INST_NO_VADDR))
			at += w->v[i->src[0].reg][l];
		addresses[l] = PRIVATE_APERTURE | at;
	}
}

void
exec_flat(struct wave *w, const struct inst *i)
{
	uint64_t addresses[LANES];
	unsigned reg = i->src[0].reg;
	if (i->segment == SEGMENT_SCRATCH) {
		scratch_addresses(w, i, addresses);
	} else if (i->flags & INST_SADDR) {
		uint64_t base = sgpr_pair(w, i->sdst) + (uint64_t)i->offset;
		for (int l = 0; l < LANES; l++)
			addresses[l] = base + w->v[reg][l];
	} else {
		for (int l = 0; l < LANES; l++)
			addresses[l] =
				vgpr_pair(w, reg, l) + (uint64_t)i->offset;
	}
	memory_access(w, i, addresses, wave_exec(w));
}

/* A buffer resource, four scalar registers. Section 9.1.5; the fields that a
 * compute compiler uses. */
struct resource {
	uint64_t base;
	uint32_t stride;
	uint32_t records;
	uint32_t index_stride;
	uint32_t element_size;
	bool swizzle;
	bool add_tid;
};

static struct resource
read_resource(const struct wave *w, unsigned reg)
{
	const uint32_t *s = &w->s[reg];
	bool old = w->code->arch->generation != GEN_GFX11;
	struct resource r = {
		.base = (uint64_t)(s[1] & 0xffff) << 32 | s[0],
		.stride = s[1] >> 16 & 0x3fff,
		.records = s[2],
		.index_stride = 8u << (s[3] >> 21 & 3),
		.element_size = 4,
		.swizzle = old ? s[1] >> 31 : s[1] >> 30 & 3,
		.add_tid = s[3] >> 23 & 1,
	};
	return r;
}

/* Offset from the base of lane l's element; *index its record. Section 9.1.5,
 * "Buffer addressing". */
static uint64_t
buffer_offset(const struct wave *w, const struct inst *i,
	      const struct resource *r, int lane, uint64_t *index)
{
	unsigned reg = i->src[0].reg;
	uint64_t offset = (uint64_t)i->offset;
	*index = 0;
	if (i->flags & INST_IDXEN)
		*index = w->v[reg++][lane];
	/* 32 bits, wrapping: LLVM folds constants into negative indices. */
	if (i->flags & INST_OFFEN)
		offset = (uint32_t)(offset + w->v[reg][lane]);
	if (r->add_tid)
		*index += (uint64_t)lane;
	if (!r->swizzle)
		return *index * r->stride + offset;
	uint64_t row = *index / r->index_stride,
		 column = *index % r->index_stride;
	uint64_t element = offset / r->element_size;
	return (row * r->stride + element * r->element_size) * r->index_stride +
	       column * r->element_size + offset % r->element_size;
}

/* Raw buffers check bytes, structured ones records; out of range reads give 0
 * and stores do nothing. */
static bool
in_range(const struct resource *r, uint64_t index, uint64_t offset,
	 uint32_t bytes)
{
	if (r->swizzle)
		return true;
	if (r->stride)
		return index < r->records;
	return offset + bytes <= r->records;
}

static void
zero_lane(struct wave *w, const struct inst *i, int lane)
{
	unsigned count = (i->op->bytes + 3u) / 4;
	if (i->op->kind != MEMORY_LOAD)
		return;
	for (unsigned k = 0; k < count; k++)
		w->v[i->dst.reg + k][lane] = 0;
	undef_zero(w, i->dst.reg, count, lane);
}

/* A swizzled access that goes beyond its dword lies in pieces (compilers
 * make such for stores of two bytes at odd places): the same place as an
 * address of private memory, which is gone through byte by byte. Only the stack
 * is swizzled. */
static uint64_t
private_address(const struct wave *w, const struct resource *r,
		uint64_t address)
{
	uint64_t offset = address - w->scratch;
	uint64_t row = (uint64_t)r->element_size * r->index_stride;
	return PRIVATE_APERTURE |
	       (offset / row * r->element_size + offset % r->element_size);
}

void
exec_mubuf(struct wave *w, const struct inst *i)
{
	struct resource r = read_resource(w, i->sdst);
	uint64_t addresses[LANES] = {0};
	uint64_t mask = wave_exec(w);
	uint32_t soffset = (uint32_t)operand_scalar(w, &i->src[2]);
	for (int l = 0; l < LANES; l++) {
		if (!(mask >> l & 1))
			continue;
		uint64_t index;
		uint64_t offset = buffer_offset(w, i, &r, l, &index);
		if (in_range(&r, index, offset, i->op->bytes)) {
			addresses[l] = r.base + soffset + offset;
			if (r.swizzle && offset % 4 + i->op->bytes > 4)
				addresses[l] =
					private_address(w, &r, addresses[l]);
			continue;
		}
		zero_lane(w, i, l);
		mask &= ~((uint64_t)1 << l);
	}
	memory_access(w, i, addresses, mask);
}

/* Caches: there are none between the device and memory. */
static void
exec_cache(struct wave *w, const struct inst *i)
{
	(void)w;
	(void)i;
	atomic_thread_fence(memory_order_seq_cst);
}

/* ---- table ---- */

#define LOAD(n, g9, g11, size)                                                 \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_flat,        \
		.kind = MEMORY_LOAD, .bytes = size                             \
	}
#define LOADX(n, g9, g11, size, ...)                                           \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_flat,        \
		.kind = MEMORY_LOAD, .bytes = size, __VA_ARGS__                \
	}
#define STORE(n, g9, g11, size)                                                \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_flat,        \
		.kind = MEMORY_STORE, .bytes = size                            \
	}
#define STOREX(n, g9, g11, size, ...)                                          \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_flat,        \
		.kind = MEMORY_STORE, .bytes = size, __VA_ARGS__               \
	}
#define ATOMIC(n, g9, g11, what, size)                                         \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_flat,        \
		.kind = MEMORY_ATOMIC, .atomic = ATOMIC_##what, .bytes = size  \
	}
#define ATOMICX(n, g9, g11, what, size, ...)                                   \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_flat,        \
		.kind = MEMORY_ATOMIC, .atomic = ATOMIC_##what, .bytes = size, \
		__VA_ARGS__                                                    \
	}
#define D16 .flags = OP_KEEP_HIGH
#define D16_HIGH .flags = OP_KEEP_HIGH | OP_HIGH_D16

static const struct op ops[] = {
	LOAD("load_ubyte", 0x10, 0x10, 1),
	LOADX("load_sbyte", 0x11, 0x11, 1, .sign = true),
	LOAD("load_ushort", 0x12, 0x12, 2),
	LOADX("load_sshort", 0x13, 0x13, 2, .sign = true),
	LOAD("load_dword", 0x14, 0x14, 4),
	LOAD("load_dwordx2", 0x15, 0x15, 8),
	LOAD("load_dwordx3", 0x16, 0x16, 12),
	LOAD("load_dwordx4", 0x17, 0x17, 16),
	STORE("store_byte", 0x18, 0x18, 1),
	STOREX("store_byte_d16_hi", 0x19, 0x24, 1, .flags = OP_HIGH_D16),
	STORE("store_short", 0x1a, 0x19, 2),
	STOREX("store_short_d16_hi", 0x1b, 0x25, 2, .flags = OP_HIGH_D16),
	STORE("store_dword", 0x1c, 0x1a, 4),
	STORE("store_dwordx2", 0x1d, 0x1b, 8),
	STORE("store_dwordx3", 0x1e, 0x1c, 12),
	STORE("store_dwordx4", 0x1f, 0x1d, 16),
	LOADX("load_ubyte_d16", 0x20, 0x1e, 1, D16),
	LOADX("load_ubyte_d16_hi", 0x21, 0x21, 1, D16_HIGH),
	LOADX("load_sbyte_d16", 0x22, 0x1f, 1, D16, .sign = true),
	LOADX("load_sbyte_d16_hi", 0x23, 0x22, 1, D16_HIGH, .sign = true),
	LOADX("load_short_d16", 0x24, 0x20, 2, D16),
	LOADX("load_short_d16_hi", 0x25, 0x23, 2, D16_HIGH),
	ATOMIC("atomic_swap", 0x40, 0x33, SWAP, 4),
	ATOMIC("atomic_cmpswap", 0x41, 0x34, CMPSWAP, 4),
	ATOMIC("atomic_add", 0x42, 0x35, ADD, 4),
	ATOMIC("atomic_sub", 0x43, 0x36, SUB, 4),
	ATOMIC("atomic_csub", -1, 0x37, CSUB, 4),
	ATOMIC("atomic_smin", 0x44, 0x38, SMIN, 4),
	ATOMIC("atomic_umin", 0x45, 0x39, UMIN, 4),
	ATOMIC("atomic_smax", 0x46, 0x3a, SMAX, 4),
	ATOMIC("atomic_umax", 0x47, 0x3b, UMAX, 4),
	ATOMIC("atomic_and", 0x48, 0x3c, AND, 4),
	ATOMIC("atomic_or", 0x49, 0x3d, OR, 4),
	ATOMIC("atomic_xor", 0x4a, 0x3e, XOR, 4),
	ATOMIC("atomic_inc", 0x4b, 0x3f, INC, 4),
	ATOMIC("atomic_dec", 0x4c, 0x40, DEC, 4),
	ATOMIC("atomic_add_f32", 0x4d, 0x56, FADD, 4),
	ATOMIC("atomic_min_f32", -1, 0x51, FMIN, 4),
	ATOMIC("atomic_max_f32", -1, 0x52, FMAX, 4),
	ATOMIC("atomic_pk_add_f16", 0x4e, -1, PK_ADD_F16, 4),
	ATOMIC("atomic_add_f64", 0x4f, -1, FADD, 8),
	ATOMIC("atomic_min_f64", 0x50, -1, FMIN, 8),
	ATOMIC("atomic_max_f64", 0x51, -1, FMAX, 8),
	ATOMICX("atomic_pk_add_bf16", 0x52, -1, PK_ADD_BF16, 4,
		.flags = OP_ONLY_942),
	ATOMIC("atomic_swap_x2", 0x60, 0x41, SWAP, 8),
	ATOMIC("atomic_cmpswap_x2", 0x61, 0x42, CMPSWAP, 8),
	ATOMIC("atomic_add_x2", 0x62, 0x43, ADD, 8),
	ATOMIC("atomic_sub_x2", 0x63, 0x44, SUB, 8),
	ATOMIC("atomic_smin_x2", 0x64, 0x45, SMIN, 8),
	ATOMIC("atomic_umin_x2", 0x65, 0x46, UMIN, 8),
	ATOMIC("atomic_smax_x2", 0x66, 0x47, SMAX, 8),
	ATOMIC("atomic_umax_x2", 0x67, 0x48, UMAX, 8),
	ATOMIC("atomic_and_x2", 0x68, 0x49, AND, 8),
	ATOMIC("atomic_or_x2", 0x69, 0x4a, OR, 8),
	ATOMIC("atomic_xor_x2", 0x6a, 0x4b, XOR, 8),
	ATOMIC("atomic_inc_x2", 0x6b, 0x4c, INC, 8),
	ATOMIC("atomic_dec_x2", 0x6c, 0x4d, DEC, 8),
};

const struct table table_flat = {ops, array_count(ops)};

/* MUBUF's own. */
static const struct op cache_ops[] = {
	{.name = "buffer_wbl2", .gfx9 = 0x28, .gfx11 = -1, .exec = exec_cache},
	{.name = "buffer_invl2", .gfx9 = 0x29, .gfx11 = -1, .exec = exec_cache},
	{.name = "buffer_wbinvl1",
	 .gfx9 = 0x3e,
	 .gfx11 = -1,
	 .exec = exec_cache},
	{.name = "buffer_wbinvl1_vol",
	 .gfx9 = 0x3f,
	 .gfx11 = -1,
	 .exec = exec_cache},
	{.name = "buffer_gl0_inv",
	 .gfx9 = -1,
	 .gfx11 = 0x2b,
	 .exec = exec_cache},
	{.name = "buffer_gl1_inv",
	 .gfx9 = -1,
	 .gfx11 = 0x2c,
	 .exec = exec_cache},
};

const struct table table_mubuf = {cache_ops, array_count(cache_ops)};
