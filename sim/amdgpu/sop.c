/*
 * Scalar instructions: SOP2, SOPK, SOP1, SOPC, SOPP (sections 12.1 to 12.5).
 *
 * 32-bit operands come zero-extended in 64-bit variables. Masks (of EXEC, VCC)
 * are ordinary values here; in wave32 the 32-bit forms are used on them.
 */
#include "isa.h"

#include <string.h>

#define S(name, ...)                                                           \
	static void name(struct scalar_args *x)                                \
	{                                                                      \
		__VA_ARGS__;                                                   \
	}
#define A ((uint32_t)x->a)
#define B ((uint32_t)x->b)
#define IA ((int32_t)x->a)
#define IB ((int32_t)x->b)
#define D32(value) x->d = (uint32_t)(value)
/* Result, and SCC = result is not zero. */
#define DZ(value) x->d = (value), x->scc = x->d != 0
#define DZ32(value) DZ((uint32_t)(value))

/* ---- SOP2 ---- */

S(s_add_u32, x->d = x->a + x->b; x->scc = x->d >> 32 & 1)
S(s_sub_u32, x->scc = x->b > x->a; D32(A - B))
S(s_add_i32, int32_t r; x->scc = __builtin_add_overflow(IA, IB, &r); D32(r))
S(s_sub_i32, int32_t r; x->scc = __builtin_sub_overflow(IA, IB, &r); D32(r))
S(s_addc_u32, uint64_t r = x->a + x->b + x->scc; x->scc = r >> 32 & 1; D32(r))
S(s_subb_u32, uint64_t r = x->a - x->b - x->scc; x->scc = r >> 63; D32(r))
S(s_min_i32, x->scc = IA < IB; D32(x->scc ? A : B))
S(s_min_u32, x->scc = A < B; D32(x->scc ? A : B))
S(s_max_i32, x->scc = IA > IB; D32(x->scc ? A : B))
S(s_max_u32, x->scc = A > B; D32(x->scc ? A : B))
S(s_cselect, x->d = x->scc ? x->a : x->b)
S(s_and, DZ(x->a & x->b))
S(s_or, DZ(x->a | x->b))
S(s_xor, DZ(x->a ^ x->b))
S(s_andn2, DZ(x->a & ~x->b))
S(s_orn2_b32, DZ32(A | ~B))
S(s_orn2_b64, DZ(x->a | ~x->b))
S(s_nand_b32, DZ32(~(A &B)))
S(s_nand_b64, DZ(~(x->a & x->b)))
S(s_nor_b32, DZ32(~(A | B)))
S(s_nor_b64, DZ(~(x->a | x->b)))
S(s_xnor_b32, DZ32(~(A ^ B)))
S(s_xnor_b64, DZ(~(x->a ^ x->b)))
S(s_lshl_b32, DZ32(A << (B & 31)))
S(s_lshl_b64, DZ(x->a << (B & 63)))
S(s_lshr_b32, DZ32(A >> (B & 31)))
S(s_lshr_b64, DZ(x->a >> (B & 63)))
S(s_ashr_i32, DZ32(IA >> (B & 31)))
S(s_ashr_i64, DZ((uint64_t)((int64_t)x->a >> (B & 63))))
S(s_bfm_b32, D32(((1u << (A & 31)) - 1) << (B & 31)))
S(s_bfm_b64, x->d = (((uint64_t)1 << (A & 63)) - 1) << (B & 63))
S(s_mul_i32, D32(A *B))
S(s_mul_hi_u32, D32(x->a * x->b >> 32))
S(s_mul_hi_i32, D32((uint64_t)((int64_t)IA *IB) >> 32))

/* b: bits 4:0 (5:0) the offset, 22:16 the width. */
static uint64_t
field(uint64_t value, uint32_t at, uint32_t width, bool sign)
{
	if (width == 0)
		return 0;
	uint64_t v = sign ? (uint64_t)((int64_t)value >> at) : value >> at;
	if (width >= 64)
		return v;
	v &= ((uint64_t)1 << width) - 1;
	uint64_t top = (uint64_t)1 << (width - 1);
	return sign ? (v ^ top) - top : v;
}

S(s_bfe_u32, DZ32(field(A, B & 31, B >> 16 & 127, false)))
S(s_bfe_i32, DZ32(field((uint64_t)(int64_t)IA, B & 31, B >> 16 & 127, true)))
S(s_bfe_u64, DZ(field(x->a, B & 63, B >> 16 & 127, false)))
S(s_bfe_i64, DZ(field(x->a, B & 63, B >> 16 & 127, true)))
S(s_absdiff_i32, uint32_t r = A - B; DZ32(IA < IB ? 0 - r : r))

static void
shift_add(struct scalar_args *x, int shift)
{
	uint64_t r = (x->a << shift) + x->b;
	x->scc = r >> 32 != 0;
	D32(r);
}
S(s_lshl1_add_u32, shift_add(x, 1))
S(s_lshl2_add_u32, shift_add(x, 2))
S(s_lshl3_add_u32, shift_add(x, 3))
S(s_lshl4_add_u32, shift_add(x, 4))
S(s_pack_ll_b32_b16, D32((A & 0xffff) | B << 16))
S(s_pack_lh_b32_b16, D32((A & 0xffff) | (B & 0xffff0000)))
S(s_pack_hh_b32_b16, D32(A >> 16 | (B & 0xffff0000)))
S(s_pack_hl_b32_b16, D32(A >> 16 | B << 16))

#define OP(s, f, g9, g11, td, ta, tb)                                          \
	{                                                                      \
		.name = s, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,            \
		.src = {T_##ta, T_##tb}, .exec = exec_scalar, .scalar = f      \
	}
#define OPX(s, f, g9, g11, td, ta, tb, ...)                                    \
	{                                                                      \
		.name = s, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,            \
		.src = {T_##ta, T_##tb}, .exec = exec_scalar, .scalar = f,     \
		__VA_ARGS__                                                    \
	}
#define N(f, g9, g11, t) OP(#f, f, g9, g11, t, t, t)

static const struct op sop2[] = {
	N(s_add_u32, 0x0, 0x0, B32),
	N(s_sub_u32, 0x1, 0x1, B32),
	N(s_add_i32, 0x2, 0x2, B32),
	N(s_sub_i32, 0x3, 0x3, B32),
	N(s_addc_u32, 0x4, 0x4, B32),
	N(s_subb_u32, 0x5, 0x5, B32),
	N(s_min_i32, 0x6, 0x12, B32),
	N(s_min_u32, 0x7, 0x13, B32),
	N(s_max_i32, 0x8, 0x14, B32),
	N(s_max_u32, 0x9, 0x15, B32),
	OP("s_cselect_b32", s_cselect, 0xa, 0x30, B32, B32, B32),
	OP("s_cselect_b64", s_cselect, 0xb, 0x31, B64, B64, B64),
	OP("s_and_b32", s_and, 0xc, 0x16, B32, B32, B32),
	OP("s_and_b64", s_and, 0xd, 0x17, B64, B64, B64),
	OP("s_or_b32", s_or, 0xe, 0x18, B32, B32, B32),
	OP("s_or_b64", s_or, 0xf, 0x19, B64, B64, B64),
	OP("s_xor_b32", s_xor, 0x10, 0x1a, B32, B32, B32),
	OP("s_xor_b64", s_xor, 0x11, 0x1b, B64, B64, B64),
	OP("s_andn2_b32", s_andn2, 0x12, 0x22, B32, B32, B32),
	OP("s_andn2_b64", s_andn2, 0x13, 0x23, B64, B64, B64),
	N(s_orn2_b32, 0x14, 0x24, B32),
	N(s_orn2_b64, 0x15, 0x25, B64),
	N(s_nand_b32, 0x16, 0x1c, B32),
	N(s_nand_b64, 0x17, 0x1d, B64),
	N(s_nor_b32, 0x18, 0x1e, B32),
	N(s_nor_b64, 0x19, 0x1f, B64),
	N(s_xnor_b32, 0x1a, 0x20, B32),
	N(s_xnor_b64, 0x1b, 0x21, B64),
	N(s_lshl_b32, 0x1c, 0x8, B32),
	OP("s_lshl_b64", s_lshl_b64, 0x1d, 0x9, B64, B64, B32),
	N(s_lshr_b32, 0x1e, 0xa, B32),
	OP("s_lshr_b64", s_lshr_b64, 0x1f, 0xb, B64, B64, B32),
	N(s_ashr_i32, 0x20, 0xc, B32),
	OP("s_ashr_i64", s_ashr_i64, 0x21, 0xd, B64, B64, B32),
	N(s_bfm_b32, 0x22, 0x2a, B32),
	OP("s_bfm_b64", s_bfm_b64, 0x23, 0x2b, B64, B32, B32),
	N(s_mul_i32, 0x24, 0x2c, B32),
	N(s_bfe_u32, 0x25, 0x26, B32),
	N(s_bfe_i32, 0x26, 0x27, B32),
	OP("s_bfe_u64", s_bfe_u64, 0x27, 0x28, B64, B64, B32),
	OP("s_bfe_i64", s_bfe_i64, 0x28, 0x29, B64, B64, B32),
	N(s_absdiff_i32, 0x2a, 0x6, B32),
	N(s_mul_hi_u32, 0x2c, 0x2d, B32),
	N(s_mul_hi_i32, 0x2d, 0x2e, B32),
	N(s_lshl1_add_u32, 0x2e, 0xe, B32),
	N(s_lshl2_add_u32, 0x2f, 0xf, B32),
	N(s_lshl3_add_u32, 0x30, 0x10, B32),
	N(s_lshl4_add_u32, 0x31, 0x11, B32),
	N(s_pack_ll_b32_b16, 0x32, 0x32, B32),
	N(s_pack_lh_b32_b16, 0x33, 0x33, B32),
	N(s_pack_hh_b32_b16, 0x34, 0x34, B32),
	N(s_pack_hl_b32_b16, -1, 0x35, B32),
};

const struct table table_sop = {sop2, array_count(sop2)};

/* ---- SOPC ---- */

S(s_cmp_eq_i32, x->scc = A == B)
S(s_cmp_lg_i32, x->scc = A != B)
S(s_cmp_gt_i32, x->scc = IA > IB)
S(s_cmp_ge_i32, x->scc = IA >= IB)
S(s_cmp_lt_i32, x->scc = IA < IB)
S(s_cmp_le_i32, x->scc = IA <= IB)
S(s_cmp_gt_u32, x->scc = A > B)
S(s_cmp_ge_u32, x->scc = A >= B)
S(s_cmp_lt_u32, x->scc = A < B)
S(s_cmp_le_u32, x->scc = A <= B)
S(s_bitcmp0_b32, x->scc = !(A >> (B & 31) & 1))
S(s_bitcmp1_b32, x->scc = A >> (B & 31) & 1)
S(s_bitcmp0_b64, x->scc = !(x->a >> (B & 63) & 1))
S(s_bitcmp1_b64, x->scc = x->a >> (B & 63) & 1)
S(s_cmp_eq_u64, x->scc = x->a == x->b)
S(s_cmp_lg_u64, x->scc = x->a != x->b)

/* Vector register indexing (section 6.7.3): while it is on, M0 holds an index
 * and which operands it is added to. */
static void
set_index(struct wave *w, uint32_t index, uint32_t operands)
{
	w->s[SGPR_M0] =
		(w->s[SGPR_M0] & ~0xf0ffu) | (index & 0xff) | operands << 12;
}

S(s_set_gpr_idx_on, x->wave->mode |= MODE_GPR_IDX;
  set_index(x->wave, A, x->inst->word[0] >> 8 & 15))
S(s_set_gpr_idx_idx,
  x->wave->s[SGPR_M0] = (x->wave->s[SGPR_M0] & ~0xffu) | (A & 0xff))

#define C(f, g9, g11) OP(#f, f, g9, g11, NONE, B32, B32)

static const struct op sopc[] = {
	C(s_cmp_eq_i32, 0x0, 0x0),
	C(s_cmp_lg_i32, 0x1, 0x1),
	C(s_cmp_gt_i32, 0x2, 0x2),
	C(s_cmp_ge_i32, 0x3, 0x3),
	C(s_cmp_lt_i32, 0x4, 0x4),
	C(s_cmp_le_i32, 0x5, 0x5),
	OP("s_cmp_eq_u32", s_cmp_eq_i32, 0x6, 0x6, NONE, B32, B32),
	OP("s_cmp_lg_u32", s_cmp_lg_i32, 0x7, 0x7, NONE, B32, B32),
	C(s_cmp_gt_u32, 0x8, 0x8),
	C(s_cmp_ge_u32, 0x9, 0x9),
	C(s_cmp_lt_u32, 0xa, 0xa),
	C(s_cmp_le_u32, 0xb, 0xb),
	C(s_bitcmp0_b32, 0xc, 0xc),
	C(s_bitcmp1_b32, 0xd, 0xd),
	OP("s_bitcmp0_b64", s_bitcmp0_b64, 0xe, 0xe, NONE, B64, B32),
	OP("s_bitcmp1_b64", s_bitcmp1_b64, 0xf, 0xf, NONE, B64, B32),
	OP("s_set_gpr_idx_on", s_set_gpr_idx_on, 0x11, -1, NONE, B32, NONE),
	OP("s_cmp_eq_u64", s_cmp_eq_u64, 0x12, 0x10, NONE, B64, B64),
	OP("s_cmp_lg_u64", s_cmp_lg_u64, 0x13, 0x11, NONE, B64, B64),
};

const struct table table_sopc = {sopc, array_count(sopc)};

/* ---- SOP1 ---- */

static uint64_t
reverse(uint64_t value, int bits)
{
	uint64_t r = 0;
	for (int i = 0; i < bits; i++)
		r |= (value >> i & 1) << (bits - 1 - i);
	return r;
}

/* Index of the first bit that is set, from the bottom; -1 if none. */
static uint64_t
first_one(uint64_t value)
{
	return value ? (uint64_t)__builtin_ctzll(value) : UINT32_MAX;
}

/* Zeroes above the first one, of a value of so many bits; -1 if none. */
static uint64_t
leading(uint64_t value, int bits)
{
	return value ? (uint64_t)(__builtin_clzll(value) - (64 - bits))
		     : UINT32_MAX;
}

/* A nibble of ones for each nibble with a one; a bit for each with a one. */
static uint64_t
quad_mask(uint64_t value, bool whole)
{
	uint64_t r = 0;
	for (int i = 0; i < 16; i++)
		if (value >> i * 4 & 15)
			r |= whole ? (uint64_t)15 << i * 4 : (uint64_t)1 << i;
	return r;
}

/* Each bit twice. */
static uint64_t
bit_replicate(uint64_t value)
{
	uint64_t r = 0;
	for (int i = 0; i < 32; i++)
		r |= (value >> i & 1) * ((uint64_t)3 << i * 2);
	return r;
}

S(s_mov, x->d = x->a)
S(s_not_b32, DZ32(~A))
S(s_not_b64, DZ(~x->a))
S(s_wqm, DZ(quad_mask(x->a, true)))
S(s_quadmask, DZ(quad_mask(x->a, false)))
S(s_brev_b32, x->d = reverse(A, 32))
S(s_brev_b64, x->d = reverse(x->a, 64))
S(s_bcnt0_i32_b32, DZ((uint64_t)__builtin_popcount(~A)))
S(s_bcnt0_i32_b64, DZ((uint64_t)__builtin_popcountll(~x->a)))
S(s_bcnt1_i32, DZ((uint64_t)__builtin_popcountll(x->a)))
S(s_ff0_i32_b32, x->d = first_one((uint32_t)~A))
S(s_ff0_i32_b64, x->d = first_one(~x->a))
S(s_ff1_i32, x->d = first_one(x->a))
S(s_flbit_i32_b32, x->d = leading(A, 32))
S(s_flbit_i32_b64, x->d = leading(x->a, 64))
S(s_flbit_i32, x->d = leading((uint32_t)(IA ^ IA >> 31), 32))
S(s_flbit_i32_i64, x->d = leading(x->a ^ (uint64_t)((int64_t)x->a >> 63), 64))
S(s_sext_i32_i8, D32((int8_t)x->a))
S(s_sext_i32_i16, D32((int16_t)x->a))
S(s_bitset0_b32, D32((uint32_t)x->b & ~(1u << (A & 31))))
S(s_bitset0_b64, x->d = x->b & ~((uint64_t)1 << (A & 63)))
S(s_bitset1_b32, D32((uint32_t)x->b | 1u << (A & 31)))
S(s_bitset1_b64, x->d = x->b | (uint64_t)1 << (A & 63))
S(s_cmov, x->d = x->scc ? x->a : x->b)
S(s_abs_i32, DZ32(IA < 0 ? 0 - A : A))
S(s_bitreplicate, x->d = bit_replicate(x->a))

/* Address of the next instruction. */
static uint64_t
next_pc(const struct wave *w)
{
	return wave_pc(w);
}

S(s_getpc_b64, x->d = next_pc(x->wave))
S(s_setpc_b64, wave_jump(x->wave, x->a))
S(s_swappc_b64, x->d = next_pc(x->wave); wave_jump(x->wave, x->a))

/* dst gets the old EXEC, EXEC gets a (the operand) combined with the old EXEC
 * (e), SCC whether any lane is left. */
#define SAVE(name, expr)                                                       \
	static uint64_t name(uint64_t a, uint64_t e)                           \
	{                                                                      \
		return expr;                                                   \
	}
SAVE(and_exec, a &e)
SAVE(or_exec, a | e)
SAVE(xor_exec, a ^ e)
SAVE(andn2_exec, a & ~e)
SAVE(orn2_exec, a | ~e)
SAVE(nand_exec, ~(a &e))
SAVE(nor_exec, ~(a | e))
SAVE(xnor_exec, ~(a ^ e))
SAVE(andn1_exec, ~a &e)
SAVE(orn1_exec, ~a | e)

/* write: dst gets the new EXEC instead (wrexec). */
static void
save_exec(struct scalar_args *x, uint64_t (*combine)(uint64_t, uint64_t),
	  bool write)
{
	struct wave *w = x->wave;
	bool narrow = x->inst->op->dst == T_B32;
	uint64_t old = narrow ? w->s[SGPR_EXEC] : w->s2[SGPR_EXEC / 2];
	uint64_t now = combine(x->a, old);
	if (narrow) {
		now = (uint32_t)now;
		w->s[SGPR_EXEC] = (uint32_t)now;
	} else {
		w->s2[SGPR_EXEC / 2] = now;
	}
	x->scc = now != 0;
	x->d = write ? now : old;
}

S(s_and_saveexec, save_exec(x, and_exec, false))
S(s_or_saveexec, save_exec(x, or_exec, false))
S(s_xor_saveexec, save_exec(x, xor_exec, false))
S(s_andn2_saveexec, save_exec(x, andn2_exec, false))
S(s_orn2_saveexec, save_exec(x, orn2_exec, false))
S(s_nand_saveexec, save_exec(x, nand_exec, false))
S(s_nor_saveexec, save_exec(x, nor_exec, false))
S(s_xnor_saveexec, save_exec(x, xnor_exec, false))
S(s_andn1_saveexec, save_exec(x, andn1_exec, false))
S(s_orn1_saveexec, save_exec(x, orn1_exec, false))
S(s_andn1_wrexec, save_exec(x, andn1_exec, true))
S(s_andn2_wrexec, save_exec(x, andn2_exec, true))

/* Registers by M0: the operand's number is a base. */
static unsigned
relative(const struct scalar_args *x, unsigned reg, unsigned width)
{
	unsigned at = reg + x->wave->s[SGPR_M0];
	if (at <= SGPR_VCC + 2 - width)
		return at;
	wave_fault(x->wave, HSA_STATUS_ERROR_EXCEPTION,
		   "scalar register %u does not exist", at);
	return 0;
}

S(s_movrels_b32, x->d = x->wave->s[relative(x, x->inst->src[0].reg, 1)])
S(s_movrels_b64, unsigned r = relative(x, x->inst->src[0].reg, 2);
  x->d = x->wave->s[r] | (uint64_t)x->wave->s[r + 1] << 32)
S(s_movreld_b32, x->wave->s[relative(x, x->inst->dst.reg, 1)] = A)

#define SX(n, g9, g11)                                                         \
	OP("s_" #n "_saveexec_b64", s_##n##_saveexec, g9, g11, B64, B64, NONE)
#define SX32(n, g9, g11)                                                       \
	OP("s_" #n "_saveexec_b32", s_##n##_saveexec, g9, g11, B32, B32, NONE)
#define U(f, g9, g11, td, ts) OP(#f, f, g9, g11, td, ts, NONE)

static const struct op sop1[] = {
	OP("s_mov_b32", s_mov, 0x0, 0x0, B32, B32, NONE),
	OP("s_mov_b64", s_mov, 0x1, 0x1, B64, B64, NONE),
	OPX("s_cmov_b32", s_cmov, 0x2, 0x2, B32, B32, NONE,
	    .flags = OP_ACCUMULATE),
	OPX("s_cmov_b64", s_cmov, 0x3, 0x3, B64, B64, NONE,
	    .flags = OP_ACCUMULATE),
	U(s_not_b32, 0x4, 0x1e, B32, B32),
	U(s_not_b64, 0x5, 0x1f, B64, B64),
	OP("s_wqm_b32", s_wqm, 0x6, 0x1c, B32, B32, NONE),
	OP("s_wqm_b64", s_wqm, 0x7, 0x1d, B64, B64, NONE),
	U(s_brev_b32, 0x8, 0x4, B32, B32),
	U(s_brev_b64, 0x9, 0x5, B64, B64),
	U(s_bcnt0_i32_b32, 0xa, 0x16, B32, B32),
	U(s_bcnt0_i32_b64, 0xb, 0x17, B32, B64),
	OP("s_bcnt1_i32_b32", s_bcnt1_i32, 0xc, 0x18, B32, B32, NONE),
	OP("s_bcnt1_i32_b64", s_bcnt1_i32, 0xd, 0x19, B32, B64, NONE),
	U(s_ff0_i32_b32, 0xe, -1, B32, B32),
	U(s_ff0_i32_b64, 0xf, -1, B32, B64),
	OP("s_ff1_i32_b32", s_ff1_i32, 0x10, 0x8, B32, B32, NONE),
	OP("s_ff1_i32_b64", s_ff1_i32, 0x11, 0x9, B32, B64, NONE),
	U(s_flbit_i32_b32, 0x12, 0xa, B32, B32),
	U(s_flbit_i32_b64, 0x13, 0xb, B32, B64),
	U(s_flbit_i32, 0x14, 0xc, B32, B32),
	U(s_flbit_i32_i64, 0x15, 0xd, B32, B64),
	U(s_sext_i32_i8, 0x16, 0xe, B32, B32),
	U(s_sext_i32_i16, 0x17, 0xf, B32, B32),
	OPX("s_bitset0_b32", s_bitset0_b32, 0x18, 0x10, B32, B32, NONE,
	    .flags = OP_ACCUMULATE),
	OPX("s_bitset0_b64", s_bitset0_b64, 0x19, 0x11, B64, B32, NONE,
	    .flags = OP_ACCUMULATE),
	OPX("s_bitset1_b32", s_bitset1_b32, 0x1a, 0x12, B32, B32, NONE,
	    .flags = OP_ACCUMULATE),
	OPX("s_bitset1_b64", s_bitset1_b64, 0x1b, 0x13, B64, B32, NONE,
	    .flags = OP_ACCUMULATE),
	U(s_getpc_b64, 0x1c, 0x47, B64, NONE),
	U(s_setpc_b64, 0x1d, 0x48, NONE, B64),
	U(s_swappc_b64, 0x1e, 0x49, B64, B64),
	SX(and, 0x20, 0x21),
	SX(or, 0x21, 0x23),
	SX(xor, 0x22, 0x25),
	SX(andn2, 0x23, 0x31),
	SX(orn2, 0x24, 0x33),
	SX(nand, 0x25, 0x27),
	SX(nor, 0x26, 0x29),
	SX(xnor, 0x27, 0x2b),
	SX(andn1, 0x33, 0x2d),
	SX(orn1, 0x34, 0x2f),
	OP("s_andn1_wrexec_b64", s_andn1_wrexec, 0x35, 0x35, B64, B64, NONE),
	OP("s_andn2_wrexec_b64", s_andn2_wrexec, 0x36, 0x37, B64, B64, NONE),
	SX32(and, -1, 0x20),
	SX32(or, -1, 0x22),
	SX32(xor, -1, 0x24),
	SX32(andn2, -1, 0x30),
	SX32(orn2, -1, 0x32),
	SX32(nand, -1, 0x26),
	SX32(nor, -1, 0x28),
	SX32(xnor, -1, 0x2a),
	SX32(andn1, -1, 0x2c),
	SX32(orn1, -1, 0x2e),
	OP("s_andn1_wrexec_b32", s_andn1_wrexec, -1, 0x34, B32, B32, NONE),
	OP("s_andn2_wrexec_b32", s_andn2_wrexec, -1, 0x36, B32, B32, NONE),
	OP("s_quadmask_b32", s_quadmask, 0x28, 0x1a, B32, B32, NONE),
	OP("s_quadmask_b64", s_quadmask, 0x29, 0x1b, B64, B64, NONE),
	U(s_movrels_b32, 0x2a, 0x40, B32, B32),
	U(s_movrels_b64, 0x2b, 0x41, B64, B64),
	U(s_movreld_b32, 0x2c, 0x42, NONE, B32),
	U(s_set_gpr_idx_idx, 0x32, -1, NONE, B32),
	U(s_abs_i32, 0x30, 0x15, B32, B32),
	OP("s_bitreplicate_b64_b32", s_bitreplicate, 0x37, 0x14, B64, B32,
	   NONE),
};

const struct table table_sop1 = {sop1, array_count(sop1)};

/* ---- SOPK: a is the destination's old value, b the sign-extended constant
 * ---- */

S(s_movk_i32, D32(B))
S(s_cmovk_i32, D32(x->scc ? B : A))
S(s_addk_i32, int32_t r; x->scc = __builtin_add_overflow(IA, IB, &r); D32(r))
#define LOW16 (B & 0xffff)
S(s_cmpk_eq_u32, x->scc = A == LOW16)
S(s_cmpk_lg_u32, x->scc = A != LOW16)
S(s_cmpk_gt_u32, x->scc = A > LOW16)
S(s_cmpk_ge_u32, x->scc = A >= LOW16)
S(s_cmpk_lt_u32, x->scc = A < LOW16)
S(s_cmpk_le_u32, x->scc = A <= LOW16)

/* Hardware registers (section 12.2, S_GETREG_B32; numbers as LLVM has them). */
enum {
	HWREG_MODE = 1,
	HWREG_STATUS = 2,
	HWREG_TRAPSTS = 3,
	HWREG_HW_ID = 4,
	HWREG_GPR_ALLOC = 5,
	HWREG_LDS_ALLOC = 6,
	HWREG_IB_STS = 7,
	HWREG_SH_MEM_BASES = 15,
};

/* false: no such register here. */
static bool
read_hwreg(const struct wave *w, unsigned id, uint32_t *value)
{
	switch (id) {
	case HWREG_MODE:
		*value = w->mode;
		return true;
	case HWREG_STATUS:
		*value = w->scc;
		return true;
	case HWREG_TRAPSTS:
	case HWREG_HW_ID:
	case HWREG_IB_STS:
		*value = 0;
		return true;
	case HWREG_LDS_ALLOC:
		*value = (w->group->lds_size + 511) / 512 << 12;
		return true;
	case HWREG_SH_MEM_BASES:
		*value = (uint32_t)(PRIVATE_APERTURE >> 48) |
			 (uint32_t)(SHARED_APERTURE >> 48) << 16;
		return true;
	}
	return false;
}

/* The constant: id in 5:0, offset in 10:6, size - 1 in 15:11. */
static void
s_getreg_b32(struct scalar_args *x)
{
	uint32_t value;
	uint32_t imm = B & 0xffff;
	if (!read_hwreg(x->wave, imm & 63, &value)) {
		wave_fault(x->wave, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
			   "hardware register %u is not simulated", imm & 63);
		return;
	}
	x->d = field(value, imm >> 6 & 31, (imm >> 11) + 1, false);
}

static void
set_hwreg(struct scalar_args *x, uint32_t value)
{
	uint32_t imm = B & 0xffff;
	uint32_t at = imm >> 6 & 31, width = (imm >> 11) + 1;
	uint32_t mask = (uint32_t)((((uint64_t)1 << width) - 1) << at);
	switch (imm & 63) {
	case HWREG_MODE:
		x->wave->mode = (x->wave->mode & ~mask) | (value << at & mask);
		break;
	case HWREG_TRAPSTS:
		break;
	default:
		wave_fault(x->wave, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
			   "hardware register %u is not simulated", imm & 63);
	}
}

S(s_setreg_b32, set_hwreg(x, A))
S(s_setreg_imm32_b32, set_hwreg(x, (uint32_t)x->inst->src[0].value))
S(s_call_b64, x->d = next_pc(x->wave);
  wave_jump(x->wave, x->d + (uint64_t)((int64_t)(int16_t)B * 4)))
S(s_mulk_i32, D32(A *B))

S(s_nothing, (void)x)

#define K(f, g9, g11, td, ta) OP(#f, f, g9, g11, td, ta, B32)
#define KC(s, f, g9, g11) OP(s, f, g9, g11, NONE, B32, B32)

static const struct op sopk[] = {
	K(s_movk_i32, 0x0, 0x0, B32, NONE),
	K(s_cmovk_i32, 0x1, 0x2, B32, B32),
	KC("s_cmpk_eq_i32", s_cmp_eq_i32, 0x2, 0x3),
	KC("s_cmpk_lg_i32", s_cmp_lg_i32, 0x3, 0x4),
	KC("s_cmpk_gt_i32", s_cmp_gt_i32, 0x4, 0x5),
	KC("s_cmpk_ge_i32", s_cmp_ge_i32, 0x5, 0x6),
	KC("s_cmpk_lt_i32", s_cmp_lt_i32, 0x6, 0x7),
	KC("s_cmpk_le_i32", s_cmp_le_i32, 0x7, 0x8),
	KC("s_cmpk_eq_u32", s_cmpk_eq_u32, 0x8, 0x9),
	KC("s_cmpk_lg_u32", s_cmpk_lg_u32, 0x9, 0xa),
	KC("s_cmpk_gt_u32", s_cmpk_gt_u32, 0xa, 0xb),
	KC("s_cmpk_ge_u32", s_cmpk_ge_u32, 0xb, 0xc),
	KC("s_cmpk_lt_u32", s_cmpk_lt_u32, 0xc, 0xd),
	KC("s_cmpk_le_u32", s_cmpk_le_u32, 0xd, 0xe),
	K(s_addk_i32, 0xe, 0xf, B32, B32),
	K(s_mulk_i32, 0xf, 0x10, B32, B32),
	K(s_getreg_b32, 0x11, 0x11, B32, NONE),
	K(s_setreg_b32, 0x12, 0x12, NONE, B32),
	K(s_setreg_imm32_b32, 0x14, 0x13, NONE, NONE),
	K(s_call_b64, 0x15, 0x14, B64, NONE),
	/* gfx11: waits that change nothing here. */
	KC("s_waitcnt_vscnt", s_nothing, -1, 0x18),
	KC("s_waitcnt_vmcnt", s_nothing, -1, 0x19),
	KC("s_waitcnt_expcnt", s_nothing, -1, 0x1a),
	KC("s_waitcnt_lgkmcnt", s_nothing, -1, 0x1b),
};

const struct table table_sopk = {sopk, array_count(sopk)};

/* ---- SOPP ---- */

static void
exec_nothing(struct wave *w, const struct inst *i)
{
	(void)w;
	(void)i;
}

static void
exec_endpgm(struct wave *w, const struct inst *i)
{
	(void)i;
	w->state = WAVE_ENDED;
	w->stop = true;
}

static void
jump_if(struct wave *w, const struct inst *i, bool taken)
{
	if (taken)
		wave_branch(w, i->offset);
}

static void
exec_branch(struct wave *w, const struct inst *i)
{
	jump_if(w, i, true);
}

static void
exec_scc0(struct wave *w, const struct inst *i)
{
	jump_if(w, i, !w->scc);
}

static void
exec_scc1(struct wave *w, const struct inst *i)
{
	jump_if(w, i, w->scc);
}

static void
exec_vccz(struct wave *w, const struct inst *i)
{
	jump_if(w, i, wave_mask(w, SGPR_VCC) == 0);
}

static void
exec_vccnz(struct wave *w, const struct inst *i)
{
	jump_if(w, i, wave_mask(w, SGPR_VCC) != 0);
}

static void
exec_execz(struct wave *w, const struct inst *i)
{
	jump_if(w, i, wave_exec(w) == 0);
}

static void
exec_execnz(struct wave *w, const struct inst *i)
{
	jump_if(w, i, wave_exec(w) != 0);
}

/* The group's other waves go on from here once all have come (dispatch.c). */
static void
exec_barrier(struct wave *w, const struct inst *i)
{
	(void)i;
	w->state = WAVE_AT_BARRIER;
	w->stop = true;
}

/* Whoever sleeps may wait for another wave: let it run. */
static void
exec_sleep(struct wave *w, const struct inst *i)
{
	(void)i;
	w->stop = true;
}

/* Without a handler, trap 2 (llvm.trap) and unknown ones end the queue; traps 1
 * and 3 are for debuggers. LLVM's AMDGPUUsage, "Trap Handler ABI". */
static void
exec_trap(struct wave *w, const struct inst *i)
{
	if (i->offset == 1 || i->offset == 3)
		return;
	wave_fault(w, HSA_STATUS_ERROR_EXCEPTION, "s_trap %d", (int)i->offset);
}

/* Only the interrupt to the host means anything here: signals changed. */
static void
exec_sendmsg(struct wave *w, const struct inst *i)
{
	(void)w;
	if ((i->offset & 15) == 1)
		signal_notify();
}

static void
exec_gpr_idx_off(struct wave *w, const struct inst *i)
{
	(void)i;
	w->mode &= ~(uint32_t)MODE_GPR_IDX;
}

static void
exec_gpr_idx_mode(struct wave *w, const struct inst *i)
{
	w->s[SGPR_M0] = (w->s[SGPR_M0] & ~0xf000u) | ((uint32_t)i->offset & 15)
							     << 12;
}

static void
exec_round_mode(struct wave *w, const struct inst *i)
{
	w->mode = (w->mode & ~15u) | ((uint32_t)i->offset & 15);
}

static void
exec_denorm_mode(struct wave *w, const struct inst *i)
{
	w->mode = (w->mode & ~0xf0u) | ((uint32_t)i->offset & 15) << 4;
}

#define P(s, f, g9, g11)                                                       \
	{                                                                      \
		.name = s, .gfx9 = g9, .gfx11 = g11, .exec = f                 \
	}

static const struct op sopp[] = {
	P("s_nop", exec_nothing, 0x0, 0x0),
	P("s_endpgm", exec_endpgm, 0x1, 0x30),
	P("s_branch", exec_branch, 0x2, 0x20),
	P("s_cbranch_scc0", exec_scc0, 0x4, 0x21),
	P("s_cbranch_scc1", exec_scc1, 0x5, 0x22),
	P("s_cbranch_vccz", exec_vccz, 0x6, 0x23),
	P("s_cbranch_vccnz", exec_vccnz, 0x7, 0x24),
	P("s_cbranch_execz", exec_execz, 0x8, 0x25),
	P("s_cbranch_execnz", exec_execnz, 0x9, 0x26),
	P("s_barrier", exec_barrier, 0xa, 0x3d),
	P("s_setkill", exec_nothing, 0xb, 0x1),
	P("s_waitcnt", exec_nothing, 0xc, 0x9),
	P("s_sethalt", exec_nothing, 0xd, 0x2),
	P("s_sleep", exec_sleep, 0xe, 0x3),
	P("s_setprio", exec_nothing, 0xf, 0x35),
	P("s_sendmsg", exec_sendmsg, 0x10, 0x36),
	P("s_trap", exec_trap, 0x12, 0x10),
	P("s_icache_inv", exec_nothing, 0x13, 0x3c),
	P("s_incperflevel", exec_nothing, 0x14, 0x38),
	P("s_decperflevel", exec_nothing, 0x15, 0x39),
	P("s_ttracedata", exec_nothing, 0x16, 0x3a),
	P("s_set_gpr_idx_off", exec_gpr_idx_off, 0x1c, -1),
	P("s_set_gpr_idx_mode", exec_gpr_idx_mode, 0x1d, -1),
	P("s_wakeup", exec_nothing, 0x3, 0x34),
	P("s_set_inst_prefetch_distance", exec_nothing, -1, 0x4),
	P("s_clause", exec_nothing, -1, 0x5),
	P("s_delay_alu", exec_nothing, -1, 0x7),
	P("s_waitcnt_depctr", exec_nothing, -1, 0x8),
	P("s_wait_idle", exec_nothing, -1, 0xa),
	P("s_wait_event", exec_nothing, -1, 0xb),
	P("s_round_mode", exec_round_mode, -1, 0x11),
	P("s_denorm_mode", exec_denorm_mode, -1, 0x12),
	P("s_code_end", exec_nothing, -1, 0x1f),
};

const struct table table_sopp = {sopp, array_count(sopp)};
