/*
 * DS: LDS, and exchanges between lanes that use its crossbar (section 11).
 */
#include "isa.h"

#include <string.h>

static void
addresses_at(struct wave *w, const struct inst *i, int64_t offset,
	     uint64_t *addresses)
{
	for (int l = 0; l < LANES; l++)
		addresses[l] =
			(uint32_t)(w->v[i->src[0].reg][l] + (uint32_t)offset);
}

/* One access, or two with an offset each (read2, write2): the offsets then
 * count elements, or 64 of them. */
void
exec_ds(struct wave *w, const struct inst *i)
{
	uint64_t addresses[LANES];
	uint64_t mask = wave_exec(w);
	if (i->flags & INST_GDS) {
		wave_fault(w, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
			   "%s: global data share is not simulated",
			   i->op->name);
		return;
	}
	if (i->op->count != 2) {
		addresses_at(w, i, i->offset, addresses);
		memory_access(w, i, addresses, mask);
		return;
	}
	struct inst half = *i;
	struct op single = *i->op;
	single.count = 1;
	half.op = &single;
	uint32_t unit = i->op->bytes * (uint32_t)i->op->stride;
	/* Both addresses are read before a result may overwrite them. */
	uint64_t second[LANES];
	addresses_at(w, i, (i->offset & 255) * unit, addresses);
	addresses_at(w, i, (i->offset >> 8 & 255) * unit, second);
	memory_access(w, &half, addresses, mask);
	half.dst.reg = (uint16_t)(half.dst.reg + i->op->bytes / 4);
	half.src[1] = i->src[2];
	memory_access(w, &half, second, mask);
}

/* Which lane of its 32 lane l reads. Section 12.13.1, DS_SWIZZLE_B32. Modes
 * with bits 15:14 set (FFT, rotate) beyond those two are not there. */
static int
swizzle_source(uint32_t offset, int l)
{
	if (offset & 0x8000) {
		if (offset >> 13 == 6) { /* rotate */
			int by = (int)(offset >> 5 & 31);
			int mask = (int)(offset & 31);
			int to = offset >> 10 & 1 ? l - by : l + by;
			return (l & mask) | (to & 31 & ~mask);
		}
		if (offset >> 8 == 0x80) /* four neighbours */
			return (l & ~3) | (int)(offset >> (l & 3) * 2 & 3);
		return -1;
	}
	int source = l & (int)(offset & 31);
	source |= (int)(offset >> 5 & 31);
	return source ^ (int)(offset >> 10 & 31);
}

/* A fault where it is a mode that is not there. */
static void
swizzle_sources(struct wave *w, const struct inst *i, int from[LANES])
{
	for (int l = 0; l < LANES; l++) {
		from[l] = swizzle_source((uint32_t)i->offset, l & 31);
		if (from[l] < 0) {
			wave_fault(w, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
				   "ds_swizzle_b32 mode 0x%x is not simulated",
				   (unsigned)i->offset);
			return;
		}
		from[l] += l & 32;
	}
}

/* ds_bpermute: lane l receives from lane addr[l] / 4; ds_permute: it sends
 * there (push), and who receives nothing has -1. */
static void
permute_sources(const struct wave *w, const struct inst *i, bool push,
		int from[LANES])
{
	uint64_t exec = wave_exec(w);
	uint32_t lanes = w->wave32 ? 32 : 64;
	for (uint32_t l = 0; l < lanes; l++) {
		uint32_t at = w->v[i->src[0].reg][l] + (uint32_t)i->offset;
		if (!push)
			from[l] = (int)(at / 4 % lanes);
		else if (exec >> l & 1)
			from[at / 4 % lanes] = (int)l;
	}
}

/* Inactive lanes give 0. */
void
ds_exchange(struct wave *w, struct wave *rows, const struct inst *i)
{
	uint64_t exec = wave_exec(w);
	bool swizzle = strcmp(i->op->name, "ds_swizzle_b32") == 0;
	const uint32_t *data = rows->v[i->src[swizzle ? 0 : 1].reg];
	vgpr_row result = {0};
	int from[LANES];
	memset(from, 0xff, sizeof(from));
	if (swizzle)
		swizzle_sources(w, i, from);
	else
		permute_sources(w, i, i->op->name[3] == 'p', from);
	for (int l = 0; l < LANES; l++)
		if (from[l] >= 0 && exec >> from[l] & 1)
			result[l] = data[from[l]];
	for (int l = 0; l < LANES; l++)
		if (exec >> l & 1)
			rows->v[i->dst.reg][l] = result[l];
}

static void
exec_exchange(struct wave *w, const struct inst *i)
{
	ds_exchange(w, w, i);
}

static void
exec_ds_nop(struct wave *w, const struct inst *i)
{
	(void)w;
	(void)i;
}

#define LOAD(n, g9, g11, size)                                                 \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_ds,          \
		.kind = MEMORY_LOAD, .bytes = size                             \
	}
#define LOADX(n, g9, g11, size, ...)                                           \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_ds,          \
		.kind = MEMORY_LOAD, .bytes = size, __VA_ARGS__                \
	}
#define STORE(n, g9, g11, size)                                                \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_ds,          \
		.kind = MEMORY_STORE, .bytes = size                            \
	}
#define STOREX(n, g9, g11, size, ...)                                          \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_ds,          \
		.kind = MEMORY_STORE, .bytes = size, __VA_ARGS__               \
	}
/* Each with and without a result, which lies 0x20 further. */
#define ATOMIC(n, suffix, code, what, size)                                    \
	{.name = n suffix,                                                     \
	 .gfx9 = code,                                                         \
	 .gfx11 = code,                                                        \
	 .exec = exec_ds,                                                      \
	 .kind = MEMORY_ATOMIC,                                                \
	 .atomic = ATOMIC_##what,                                              \
	 .bytes = size},                                                       \
	{                                                                      \
		.name = n "rtn_" suffix, .gfx9 = code + 0x20,                  \
		.gfx11 = code + 0x20, .exec = exec_ds, .kind = MEMORY_ATOMIC,  \
		.atomic = ATOMIC_##what, .bytes = size, .flags = OP_RTN        \
	}
#define ONE(n, g9, g11, what, size, fl)                                        \
	{                                                                      \
		.name = n, .gfx9 = g9, .gfx11 = g11, .exec = exec_ds,          \
		.kind = MEMORY_ATOMIC, .atomic = ATOMIC_##what, .bytes = size, \
		.flags = fl                                                    \
	}
#define D16 .flags = OP_KEEP_HIGH
#define D16_HIGH .flags = OP_KEEP_HIGH | OP_HIGH_D16
#define TWO(by) .count = 2, .stride = by

static const struct op ops[] = {
	ATOMIC("ds_add_", "u32", 0x00, ADD, 4),
	ATOMIC("ds_sub_", "u32", 0x01, SUB, 4),
	ATOMIC("ds_rsub_", "u32", 0x02, RSUB, 4),
	ATOMIC("ds_inc_", "u32", 0x03, INC, 4),
	ATOMIC("ds_dec_", "u32", 0x04, DEC, 4),
	ATOMIC("ds_min_", "i32", 0x05, SMIN, 4),
	ATOMIC("ds_max_", "i32", 0x06, SMAX, 4),
	ATOMIC("ds_min_", "u32", 0x07, UMIN, 4),
	ATOMIC("ds_max_", "u32", 0x08, UMAX, 4),
	ATOMIC("ds_and_", "b32", 0x09, AND, 4),
	ATOMIC("ds_or_", "b32", 0x0a, OR, 4),
	ATOMIC("ds_xor_", "b32", 0x0b, XOR, 4),
	STORE("ds_write_b32", 0x0d, 0x0d, 4),
	STOREX("ds_write2_b32", 0x0e, 0x0e, 4, TWO(1)),
	STOREX("ds_write2st64_b32", 0x0f, 0x0f, 4, TWO(64)),
	ATOMIC("ds_cmpst_", "b32", 0x10, CMPSWAP, 4),
	ATOMIC("ds_min_", "f32", 0x12, FMIN, 4),
	ATOMIC("ds_max_", "f32", 0x13, FMAX, 4),
	{.name = "ds_nop", .gfx9 = 0x14, .gfx11 = 0x14, .exec = exec_ds_nop},
	ONE("ds_add_f32", 0x15, 0x15, FADD, 4, 0),
	STORE("ds_write_b8", 0x1e, 0x1e, 1),
	STORE("ds_write_b16", 0x1f, 0x1f, 2),
	ONE("ds_wrxchg_rtn_b32", 0x2d, 0x2d, SWAP, 4, OP_RTN),
	ONE("ds_add_rtn_f32", 0x35, 0x79, FADD, 4, OP_RTN),
	LOAD("ds_read_b32", 0x36, 0x36, 4),
	LOADX("ds_read2_b32", 0x37, 0x37, 4, TWO(1)),
	LOADX("ds_read2st64_b32", 0x38, 0x38, 4, TWO(64)),
	LOADX("ds_read_i8", 0x39, 0x39, 1, .sign = true),
	LOAD("ds_read_u8", 0x3a, 0x3a, 1),
	LOADX("ds_read_i16", 0x3b, 0x3b, 2, .sign = true),
	LOAD("ds_read_u16", 0x3c, 0x3c, 2),
	{.name = "ds_swizzle_b32",
	 .gfx9 = 0x3d,
	 .gfx11 = 0x35,
	 .exec = exec_exchange},
	{.name = "ds_permute_b32",
	 .gfx9 = 0x3e,
	 .gfx11 = 0xb2,
	 .exec = exec_exchange},
	{.name = "ds_bpermute_b32",
	 .gfx9 = 0x3f,
	 .gfx11 = 0xb3,
	 .exec = exec_exchange},
	ATOMIC("ds_add_", "u64", 0x40, ADD, 8),
	ATOMIC("ds_sub_", "u64", 0x41, SUB, 8),
	ATOMIC("ds_rsub_", "u64", 0x42, RSUB, 8),
	ATOMIC("ds_inc_", "u64", 0x43, INC, 8),
	ATOMIC("ds_dec_", "u64", 0x44, DEC, 8),
	ATOMIC("ds_min_", "i64", 0x45, SMIN, 8),
	ATOMIC("ds_max_", "i64", 0x46, SMAX, 8),
	ATOMIC("ds_min_", "u64", 0x47, UMIN, 8),
	ATOMIC("ds_max_", "u64", 0x48, UMAX, 8),
	ATOMIC("ds_and_", "b64", 0x49, AND, 8),
	ATOMIC("ds_or_", "b64", 0x4a, OR, 8),
	ATOMIC("ds_xor_", "b64", 0x4b, XOR, 8),
	STORE("ds_write_b64", 0x4d, 0x4d, 8),
	STOREX("ds_write2_b64", 0x4e, 0x4e, 8, TWO(1)),
	STOREX("ds_write2st64_b64", 0x4f, 0x4f, 8, TWO(64)),
	ATOMIC("ds_cmpst_", "b64", 0x50, CMPSWAP, 8),
	ATOMIC("ds_min_", "f64", 0x52, FMIN, 8),
	ATOMIC("ds_max_", "f64", 0x53, FMAX, 8),
	STOREX("ds_write_b8_d16_hi", 0x54, 0xa0, 1, .flags = OP_HIGH_D16),
	STOREX("ds_write_b16_d16_hi", 0x55, 0xa1, 2, .flags = OP_HIGH_D16),
	LOADX("ds_read_u8_d16", 0x56, 0xa2, 1, D16),
	LOADX("ds_read_u8_d16_hi", 0x57, 0xa3, 1, D16_HIGH),
	LOADX("ds_read_i8_d16", 0x58, 0xa4, 1, D16, .sign = true),
	LOADX("ds_read_i8_d16_hi", 0x59, 0xa5, 1, D16_HIGH, .sign = true),
	LOADX("ds_read_u16_d16", 0x5a, 0xa6, 2, D16),
	LOADX("ds_read_u16_d16_hi", 0x5b, 0xa7, 2, D16_HIGH),
	ONE("ds_add_f64", 0x5c, -1, FADD, 8, 0),
	ONE("ds_wrxchg_rtn_b64", 0x6d, 0x6d, SWAP, 8, OP_RTN),
	LOAD("ds_read_b64", 0x76, 0x76, 8),
	LOADX("ds_read2_b64", 0x77, 0x77, 8, TWO(1)),
	LOADX("ds_read2st64_b64", 0x78, 0x78, 8, TWO(64)),
	ONE("ds_add_rtn_f64", 0x7c, -1, FADD, 8, OP_RTN),
	STORE("ds_write_b96", 0xde, 0xde, 12),
	STORE("ds_write_b128", 0xdf, 0xdf, 16),
	LOAD("ds_read_b96", 0xfe, 0xfe, 12),
	LOAD("ds_read_b128", 0xff, 0xff, 16),
};

const struct table table_ds = {ops, array_count(ops)};
