/*
 * Uninitialised values in arithmetic: which bits of a result are undefined.
 *
 * Mostly all of them if one bit of an operand is. That is too coarse for what
 * only moves bits about, which compilers do with halves and bytes of registers:
 * there the instruction's own function is run with the undefined bits as zeroes
 * and as ones, in every combination of its operands, and the bits in which the
 * results differ are the undefined ones. In sums and products undefined bits
 * reach upward only.
 *
 * Registers of undefined bits are a wave like any other (struct undef), so that
 * operands are fetched from it, and results stored to it, by the functions that
 * do so for values.
 */
#include "undef.h"

#include <string.h>

enum flow
undef_flow(const struct inst *i)
{
	return i->rule ? i->rule->flow : FLOW_ALL;
}

bool
undef_governed(const struct inst *i, uint64_t ua, uint64_t ub, uint64_t uc)
{
	return i->rule && ((ua & i->rule->bits[0]) | (ub & i->rule->bits[1]) |
			   (uc & i->rule->bits[2]));
}

/* Ones from the lowest bit that is set on. */
uint64_t
undef_upward(uint64_t bits)
{
	return bits ? ~(uint64_t)0 << __builtin_ctzll(bits) : 0;
}

bool
undef_row(const uint32_t *row)
{
	uint32_t any = 0;
	for (int l = 0; l < LANES; l++)
		any |= row[l];
	return any;
}

/* The first undefined operand that has an origin gives it on. */
const struct inst *
undef_origin(const struct wave *w, const struct inst *i)
{
	const struct undef *u = w->undef;
	for (int k = 0; k < 6; k++) {
		const struct operand *o = &i->src[k / 2];
		unsigned reg = o->reg + k % 2u;
		const struct inst *origin = NULL;
		if (o->kind == OPERAND_VGPR && undef_row(u->rows[reg]))
			origin = u->vector[reg];
		else if (o->kind == OPERAND_SGPR && u->wave.s[reg % SGPRS])
			origin = u->scalar[reg % SGPRS];
		if (origin)
			return origin;
	}
	return w->current;
}

/* EXEC is always defined: that it is not now is told. */
void
undef_exec(struct wave *w, const struct inst *origin)
{
	if (wave_exec(&w->undef->wave))
		undef_report(w, origin, "which lanes go on (EXEC)");
}

uint64_t
undef_bits(const struct wave *w, const struct operand *o)
{
	bool of_register = o->kind == OPERAND_SGPR || o->kind == OPERAND_SCC;
	return of_register ? operand_scalar(&w->undef->wave, o) : 0;
}

#define BITS(name, ...)                                                        \
	{                                                                      \
		name, FLOW_BITS, {__VA_ARGS__}, NULL                           \
	}
#define ALL(name, ...)                                                         \
	{                                                                      \
		name, FLOW_ALL, {__VA_ARGS__}, NULL                            \
	}
#define UPWARD(name, ...)                                                      \
	{                                                                      \
		name, FLOW_UPWARD, {__VA_ARGS__}, NULL                         \
	}
#define MOVE(name)                                                             \
	{                                                                      \
		name, FLOW_MOVE, {0}, NULL                                     \
	}
#define HALVES(name)                                                           \
	{                                                                      \
		name, FLOW_HALVES, {0}, NULL                                   \
	}
#define STEP(name, step)                                                       \
	{                                                                      \
		name, FLOW_ALL, {0}, step                                      \
	}

/* The first that fits is taken; what none fits is FLOW_ALL. */
static const struct rule rules[] = {
	STEP("s_cbranch_scc*", undef_on_scc),
	STEP("s_cbranch_vcc*", undef_on_vcc),
	STEP("s_setpc_b64", undef_needs_operand),
	STEP("s_swappc_b64", undef_needs_operand),
	STEP("s_getpc_b64", undef_needs_operand),
	STEP("s_call_b64", undef_needs_operand),
	STEP("s_getreg_b32", undef_needs_operand),
	STEP("s_setreg_*", undef_needs_operand),
	STEP("s_set_gpr_idx_on", undef_set_index),
	STEP("s_set_gpr_idx_idx", undef_set_index),
	STEP("s_movrel*", undef_by_index),
	STEP("s_memtime", undef_is_clock),
	STEP("s_memrealtime", undef_is_clock),
	STEP("s_buffer_load*", undef_smem),
	BITS("s_mov*", 0),
	BITS("s_cmov*", 0),
	BITS("s_cselect*", 0),
	BITS("s_and*", 0),
	BITS("s_or*", 0),
	BITS("s_xor*", 0),
	BITS("s_xnor*", 0),
	BITS("s_nand*", 0),
	BITS("s_nor*", 0),
	BITS("s_not*", 0),
	BITS("s_brev*", 0),
	BITS("s_pack*", 0),
	BITS("s_sext*", 0),
	BITS("s_wqm*", 0),
	BITS("s_quadmask*", 0),
	BITS("s_bitreplicate*", 0),
	BITS("s_bitset*_b32", 31),
	BITS("s_bitset*_b64", 63),
	BITS("s_bitcmp*_b32", 0, 31),
	BITS("s_bitcmp*_b64", 0, 63),
	UPWARD("s_lshl1_*", 0),
	UPWARD("s_lshl2_*", 0),
	UPWARD("s_lshl3_*", 0),
	UPWARD("s_lshl4_*", 0),
	BITS("s_lshl_b32", 0, 31),
	BITS("s_lshr_b32", 0, 31),
	BITS("s_ashr_i32", 0, 31),
	BITS("s_lshl_b64", 0, 63),
	BITS("s_lshr_b64", 0, 63),
	BITS("s_ashr_i64", 0, 63),
	BITS("s_bfe_*", 0, 0x7f003f),
	UPWARD("s_add*", 0),
	UPWARD("s_sub*", 0),
	UPWARD("s_mul_i32", 0),
	UPWARD("s_mulk_i32", 0),

	MOVE("v_mov_b32"),
	MOVE("v_mov_b64"),
	MOVE("v_mov_b16"),
	MOVE("v_accvgpr_*"),
	MOVE("v_readfirstlane_b32"),
	MOVE("v_readlane_b32"),
	MOVE("v_permlane*"),
	STEP("v_movrel*", undef_by_index),
	STEP("v_swap_b32", undef_run_on_bits),
	STEP("v_writelane_b32", undef_write_lane),
	STEP("ds_bpermute_b32", undef_exchange),
	STEP("ds_permute_b32", undef_exchange),
	STEP("ds_swizzle_b32", undef_exchange),
	BITS("v_pk_mov_b32", 0),
	BITS("v_cndmask_*", 0),
	BITS("v_and_b*", 0),
	BITS("v_or_b*", 0),
	BITS("v_xor_b*", 0),
	BITS("v_xnor_b32", 0),
	BITS("v_not_b*", 0),
	BITS("v_bfi_b32", 0),
	BITS("v_bfrev_b32", 0),
	BITS("v_and_or_b32", 0),
	BITS("v_or3_b32", 0),
	BITS("v_xor3_b32", 0),
	BITS("v_pack_b32_f16", 0),
	BITS("v_lshlrev_b16", 15),
	BITS("v_lshrrev_b16", 15),
	BITS("v_ashrrev_i16", 15),
	BITS("v_lshlrev_b32", 31),
	BITS("v_lshrrev_b32", 31),
	BITS("v_ashrrev_i32", 31),
	BITS("v_lshlrev_b64", 63),
	BITS("v_lshrrev_b64", 63),
	BITS("v_ashrrev_i64", 63),
	BITS("v_lshl_or_b32", 0, 31),
	BITS("v_bfe_u32", 0, 31, 31),
	BITS("v_bfe_i32", 0, 31, 31),
	BITS("v_alignbit_b32", 0, 0, 31),
	BITS("v_alignbyte_b32", 0, 0, 3),
	BITS("v_perm_b32", 0, 0, UINT32_MAX),
	BITS("v_cvt_i32_i16", 0),
	BITS("v_cvt_u32_u16", 0),
	ALL("v_cvt_f32_ubyte0", 0xff),
	ALL("v_cvt_f32_ubyte1", 0xff00),
	ALL("v_cvt_f32_ubyte2", 0xff0000),
	ALL("v_cvt_f32_ubyte3", 0xff000000),
	ALL("v_mul_hi_u32_u24", 0xffffff, 0xffffff),
	ALL("v_mul_hi_i32_i24", 0xffffff, 0xffffff),
	UPWARD("v_mul_u32_u24", 0xffffff, 0xffffff),
	UPWARD("v_mul_i32_i24", 0xffffff, 0xffffff),
	UPWARD("v_mad_u32_u24", 0xffffff, 0xffffff),
	UPWARD("v_mad_i32_i24", 0xffffff, 0xffffff),
	UPWARD("v_mad_u64_u32", 0),
	UPWARD("v_mad_i64_i32", 0),
	UPWARD("v_mad_*_u16", 0),
	UPWARD("v_mad_*_i16", 0),
	UPWARD("v_mul_lo_u*", 0),
	UPWARD("v_add*_u32", 0),
	UPWARD("v_sub*_u32", 0),
	UPWARD("v_add_i32", 0),
	UPWARD("v_sub_i32", 0),
	UPWARD("v_add_u16", 0),
	UPWARD("v_sub_u16", 0),
	UPWARD("v_xad_u32", 0),
	UPWARD("v_lshl_add_*", 0),
	UPWARD("v_add_lshl_u32", 0),
	HALVES("v_cvt_pkrtz_f16_f32"),
	HALVES("v_cvt_pknorm_*"),
	HALVES("v_cvt_pk_u16_u32"),
	HALVES("v_cvt_pk_i16_i32"),
};

/* One '*' stands for anything. */
static bool
fits(const char *pattern, const char *name)
{
	size_t head = strcspn(pattern, "*");
	if (strncmp(pattern, name, head) != 0)
		return false;
	if (!pattern[head])
		return !name[head];
	const char *tail = pattern + head + 1;
	size_t length = strlen(name);
	return length >= head + strlen(tail) &&
	       strcmp(name + length - strlen(tail), tail) == 0;
}

const struct rule *
undef_rule(const struct op *op)
{
	for (size_t k = 0; k < array_count(rules); k++)
		if (fits(rules[k].name, op->name))
			return &rules[k];
	return NULL;
}

void
undef_step(struct wave *w, const struct inst *i)
{
	static const struct {
		exec_fn *exec;
		void (*step)(struct wave *, const struct inst *);
	} kinds[] = {
		{exec_scalar, undef_scalar},  {exec_valu, undef_vector},
		{exec_smem, undef_smem},      {exec_compare, undef_compare},
		{exec_flat, undef_addresses}, {exec_mubuf, undef_addresses},
		{exec_ds, undef_addresses},   {exec_dual, undef_dual}};
	if (i->rule && i->rule->step) {
		i->rule->step(w, i);
		return;
	}
	for (size_t k = 0; k < array_count(kinds); k++)
		if (kinds[k].exec == i->exec)
			kinds[k].step(w, i);
}
