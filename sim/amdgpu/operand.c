/*
 * Operands: fetching them into rows with their modifiers, storing results, and
 * the exec functions of vector and scalar arithmetic that go around the row and
 * scalar functions.
 */
#include "isa.h"

#include "rows.h"

#include <fenv.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

uint64_t
row_mask(const union row *row)
{
	uint64_t mask = 0;
#ifdef __SSE2__
	for (int k = 0; k < LANES / 4; k++) {
		__m128i four = _mm_load_si128((const __m128i *)row->u + k);
		int bits = _mm_movemask_ps(_mm_castsi128_ps(four));
		mask |= (uint64_t)(unsigned)bits << k * 4;
	}
#else
	for (int l = 0; l < LANES; l++)
		mask |= (uint64_t)(row->u[l] >> 31) << l;
#endif
	return mask;
}

/* ---- scalar operands ---- */

static bool
is_wide(enum type type)
{
	return type == T_B64 || type == T_F64 || type == T_P32;
}

uint64_t
operand_scalar(const struct wave *w, const struct operand *o)
{
	switch (o->kind) {
	case OPERAND_SGPR:
		if (is_wide((enum type)o->type) ||
		    (o->type == T_MASK && !w->wave32))
			return (uint64_t)w->s[(o->reg + 1) % SGPRS] << 32 |
			       w->s[o->reg];
		return w->s[o->reg];
	case OPERAND_VGPR: { /* only lane operations come here */
		uint64_t exec = wave_exec(w);
		return w->v[o->reg][exec ? __builtin_ctzll(exec) : 0];
	}
	case OPERAND_VCCZ:
		return wave_mask(w, SGPR_VCC) == 0;
	case OPERAND_EXECZ:
		return wave_exec(w) == 0;
	case OPERAND_SCC:
		return w->scc;
	default:
		return o->value;
	}
}

/* ---- rows ---- */

CLONES static void
broadcast32(union row *row, uint32_t value)
{
	for (int l = 0; l < LANES; l++)
		row->u[l] = value;
}

CLONES static void
broadcast64(union row *row, uint64_t value)
{
	for (int l = 0; l < LANES; l++)
		row->q[l] = value;
}

CLONES static void
join(union row *row, vgpr_row *v)
{
	for (int l = 0; l < LANES; l++)
		row->q[l] = (uint64_t)v[1][l] << 32 | v[0][l];
}

/* The operand's bits, 32 or 64 a lane; the register itself if it can be. */
static const union row *
raw(struct wave *w, const struct operand *o, union row *tmp)
{
	bool wide = is_wide((enum type)o->type);
	if (o->kind == OPERAND_VGPR) {
		if (!wide)
			return (const union row *)w->v[o->reg];
		join(tmp, &w->v[o->reg]);
		return tmp;
	}
	uint64_t value = operand_scalar(w, o);
	if (o->kind == OPERAND_CONST && o->type == T_P32)
		value |= value << 32;
	if (wide)
		broadcast64(tmp, value);
	else
		broadcast32(tmp, (uint32_t)value);
	return tmp;
}

static uint32_t
selected(uint32_t value, enum select select, bool sign)
{
	int at = select <= SEL_BYTE3   ? (int)select * 8
		 : select == SEL_WORD1 ? 16
				       : 0;
	int bits = select <= SEL_BYTE3 ? 8 : select == SEL_DWORD ? 32 : 16;
	if (sign)
		return (uint32_t)((int32_t)(value << (32 - at - bits)) >>
				  (32 - bits));
	return value << (32 - at - bits) >> (32 - bits);
}

static const union row *
select_part(const struct operand *o, const union row *row, union row *tmp)
{
	for (int l = 0; l < LANES; l++)
		tmp->u[l] = selected(row->u[l], (enum select)o->select,
				     o->mods & MOD_SEXT);
	if (o->type == T_B16 || o->type == T_F16)
		for (int l = 0; l < LANES; l++)
			tmp->u[l] &= 0xffff;
	return tmp;
}

CLONES static const union row *
signs32(const struct operand *o, const union row *row, union row *tmp,
	uint32_t sign)
{
	uint32_t keep = o->mods & MOD_ABS ? ~sign : UINT32_MAX;
	uint32_t flip = o->mods & MOD_NEG ? sign : 0;
	for (int l = 0; l < LANES; l++)
		tmp->u[l] = (row->u[l] & keep) ^ flip;
	return tmp;
}

CLONES static const union row *
signs64(const struct operand *o, const union row *row, union row *tmp)
{
	uint64_t sign = (uint64_t)1 << 63;
	uint64_t keep = o->mods & MOD_ABS ? ~sign : UINT64_MAX;
	uint64_t flip = o->mods & MOD_NEG ? sign : 0;
	for (int l = 0; l < LANES; l++)
		tmp->q[l] = (row->q[l] & keep) ^ flip;
	return tmp;
}

static const union row *
packed16(const struct operand *o, const union row *row, union row *tmp)
{
	uint32_t flip = (o->mods & MOD_NEG ? 0x8000u : 0) |
			(o->neg_hi ? 0x80000000u : 0);
	for (int l = 0; l < LANES; l++) {
		uint32_t value = row->u[l];
		uint32_t low = half_of(value, o->hi & 1);
		uint32_t high = half_of(value, o->hi & 2);
		tmp->u[l] = (low | high << 16) ^ flip;
	}
	return tmp;
}

static const union row *
packed32(const struct operand *o, const union row *row, union row *tmp)
{
	uint64_t flip = (o->mods & MOD_NEG ? (uint64_t)1 << 31 : 0) |
			(o->neg_hi ? (uint64_t)1 << 63 : 0);
	for (int l = 0; l < LANES; l++) {
		uint64_t value = row->q[l];
		uint64_t low = o->hi & 1 ? value >> 32 : value & UINT32_MAX;
		uint64_t high = o->hi & 2 ? value >> 32 : value & UINT32_MAX;
		tmp->q[l] = (low | high << 32) ^ flip;
	}
	return tmp;
}

/* As float: hi bit 1 tells a half, hi bit 0 which one. */
static const union row *
mixed(const struct operand *o, const union row *row, union row *tmp)
{
	for (int l = 0; l < LANES; l++)
		tmp->f[l] = o->hi & 2 ? from_half(half_of(row->u[l], o->hi & 1))
				      : row->f[l];
	return signs32(o, tmp, tmp, 0x80000000);
}

const union row *
operand_fetch(struct wave *w, const struct operand *o, union row *tmp)
{
	const union row *row = raw(w, o, tmp);
	switch (o->type) {
	case T_P16:
		return packed16(o, row, tmp);
	case T_P32:
		return packed32(o, row, tmp);
	case T_MIX:
		return mixed(o, row, tmp);
	case T_B16:
	case T_F16:
		row = select_part(o, row, tmp);
		if (o->type == T_F16 && o->mods & (MOD_NEG | MOD_ABS))
			row = signs32(o, row, tmp, 0x8000);
		return row;
	case T_F64:
		return o->mods ? signs64(o, row, tmp) : row;
	default:
		if (o->select != SEL_DWORD)
			row = select_part(o, row, tmp);
		if (o->mods & (MOD_NEG | MOD_ABS))
			row = signs32(o, row, tmp, 0x80000000);
		return row;
	}
}

/* ---- DPP: lanes read other lanes' src0. Section 6.6. ---- */

/* The lane that lane l reads, -1 for one beyond the row or wave. */
static int
dpp_source(uint32_t ctrl, int l, int lanes)
{
	int row = l & ~15, at = l & 15, n = (int)(ctrl & 15);
	if (ctrl < 0x100) /* quad_perm */
		return (l & ~3) | (int)(ctrl >> (l & 3) * 2 & 3);
	switch (ctrl & 0x1f0) {
	case 0x100: /* row_shl */
		return at + n < 16 ? l + n : -1;
	case 0x110: /* row_shr */
		return at - n >= 0 ? l - n : -1;
	case 0x120: /* row_ror */
		return row | ((at - n) & 15);
	case 0x150: /* row_share, row_newbcast */
		return row | n;
	case 0x160: /* row_xmask */
		return row | (at ^ n);
	}
	switch (ctrl) {
	case 0x130: /* wave_shl:1 */
		return l + 1 < lanes ? l + 1 : -1;
	case 0x134: /* wave_rol:1 */
		return (l + 1) % lanes;
	case 0x138: /* wave_shr:1 */
		return l - 1;
	case 0x13c: /* wave_ror:1 */
		return (l + lanes - 1) % lanes;
	case 0x140: /* row_mirror */
		return row | (15 - at);
	case 0x141: /* row_half_mirror */
		return (l & ~7) | (7 - (l & 7));
	case 0x142: /* row_bcast:15, to the next row */
		return row ? row - 1 : -1;
	case 0x143: /* row_bcast:31, to the upper half */
		return l >= 32 ? 31 : -1;
	}
	return -1;
}

/* Rows are of 16 lanes, banks of 4. */
static bool
dpp_enabled(const struct inst *i, int l)
{
	return i->dpp_masks >> (4 + l / 16 % 4) & 1 &&
	       i->dpp_masks >> (l / 4 % 4) & 1;
}

const union row *
operand_dpp(struct wave *w, const struct inst *i, const union row *row,
	    union row *tmp, uint64_t *write)
{
	union row moved;
	bool wide = is_wide((enum type)i->src[0].type);
	uint64_t exec = wave_exec(w);
	int lanes = w->wave32 ? 32 : 64;
	for (int l = 0; l < lanes; l++) {
		int from =
			i->flags & INST_DPP8
				? (l & ~7) | (int)(i->dpp8 >> (l & 7) * 3 & 7)
				: dpp_source(i->dpp, l, lanes);
		bool valid =
			from >= 0 && (exec >> from & 1 || i->flags & INST_FI);
		if (wide)
			moved.q[l] = valid ? row->q[from] : 0;
		else
			moved.u[l] = valid ? row->u[from] : 0;
		if (i->flags & INST_DPP8)
			continue;
		if (!dpp_enabled(i, l) || (!valid && !i->bound_ctrl))
			*write &= ~((uint64_t)1 << l);
	}
	*tmp = moved;
	return tmp;
}

/* ---- denormals and rounding (MODE, section 4.4) ---- */

static bool
flushes(const struct wave *w, enum type type, bool output)
{
	uint32_t bit = output ? 2 : 1;
	if (type == T_F32)
		return !(w->mode >> 4 & bit);
	if (type == T_F64 || type == T_F16)
		return !(w->mode >> 6 & bit);
	return false;
}

static const union row *
flush_row(const union row *row, union row *tmp, enum type type)
{
	for (int l = 0; l < LANES; l++) {
		if (type == T_F64) {
			uint64_t bits = row->q[l];
			bool tiny = (bits >> 52 & 0x7ff) == 0;
			tmp->q[l] = tiny ? bits & (uint64_t)1 << 63 : bits;
		} else {
			uint32_t bits = row->u[l];
			uint32_t sign = type == T_F32 ? 0x80000000 : 0x8000;
			uint32_t exponent = type == T_F32 ? 0x7f800000 : 0x7c00;
			tmp->u[l] = bits & exponent ? bits : bits & sign;
		}
	}
	return tmp;
}

/* fenv's name for the rounding of results of this type; nearest is 0 in MODE.
 */
static int
rounding(const struct wave *w, enum type type)
{
	static const int names[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
				     FE_TOWARDZERO};
	return names[type == T_F32 || type == T_P32 ? w->mode & 3
						    : w->mode >> 2 & 3];
}

/* ---- storing ---- */

static void
output_modifiers(const struct inst *i, union row *row)
{
	static const float scales[4] = {1.0f, 2.0f, 4.0f, 0.5f};
	float scale = scales[i->omod];
	enum type type = (enum type)i->dst.type;
	bool clamp = i->flags & INST_CLAMP;
	for (int l = 0; l < LANES; l++) {
		if (type == T_F64) {
			double v = row->d[l] * (double)scale;
			row->d[l] = !clamp ? v : !(v > 0) ? 0 : v > 1 ? 1 : v;
		} else if (type == T_F32) {
			float v = row->f[l] * scale;
			row->f[l] = !clamp ? v : !(v > 0) ? 0 : v > 1 ? 1 : v;
		} else if (type == T_F16) {
			float v = from_half(row->u[l]) * scale;
			v = !clamp ? v : !(v > 0) ? 0 : v > 1 ? 1 : v;
			row->u[l] = float_to_half(v);
		}
	}
}

CLONES static void
blend32(uint32_t *to, const uint32_t *from, uint64_t mask)
{
	if (mask == UINT64_MAX) {
		memcpy(to, from, sizeof(vgpr_row));
		return;
	}
	for (int l = 0; l < LANES; l++)
		to[l] = mask >> l & 1 ? from[l] : to[l];
}

static void
split(struct wave *w, unsigned reg, const union row *row, uint64_t mask)
{
	vgpr_row low, high;
	for (int l = 0; l < LANES; l++) {
		low[l] = (uint32_t)row->q[l];
		high[l] = (uint32_t)(row->q[l] >> 32);
	}
	blend32(w->v[reg], low, mask);
	blend32(w->v[reg + 1], high, mask);
}

/* SDWA: the result takes part of the register; the rest is zero, the sign, or
 * what was there. */
static void
place_part(const struct inst *i, union row *row, const uint32_t *old)
{
	int at = i->select <= SEL_BYTE3	  ? i->select * 8
		 : i->select == SEL_WORD1 ? 16
					  : 0;
	int bits = i->select <= SEL_BYTE3 ? 8 : 16;
	uint32_t mask = ((1u << bits) - 1) << at;
	for (int l = 0; l < LANES; l++) {
		uint32_t part = row->u[l] << at & mask;
		uint32_t rest = 0;
		if (i->unused == 1 && row->u[l] >> (bits - 1) & 1)
			rest = ~(mask | ((1u << at) - 1));
		else if (i->unused == 2)
			rest = old[l] & ~mask;
		row->u[l] = part | rest;
	}
}

/* 16-bit results: which half, and what becomes of the other. */
static void
place_half(const struct wave *w, const struct inst *i, union row *row,
	   const uint32_t *old)
{
	bool high = i->op->flags & OP_HIGH_D16 || i->dst.select == SEL_WORD1;
	bool keep = high || i->op->flags & OP_KEEP_HIGH ||
		    w->code->arch->generation == GEN_GFX11;
	if (!keep)
		return;
	for (int l = 0; l < LANES; l++)
		row->u[l] = high ? (old[l] & 0xffff) | row->u[l] << 16
				 : (old[l] & 0xffff0000) | (row->u[l] & 0xffff);
}

void
operand_store(struct wave *w, const struct inst *i, union row *row,
	      uint64_t mask)
{
	enum type type = (enum type)i->dst.type;
	if (i->omod ||
	    (i->flags & INST_CLAMP && !(i->op->flags & OP_INT_CLAMP)))
		output_modifiers(i, row);
	if (flushes(w, type, true) || (i->op->flags & OP_FLUSH))
		flush_row(row, row, type);
	if (is_wide(type)) {
		split(w, i->dst.reg, row, mask);
		return;
	}
	uint32_t *old = w->v[i->dst.reg];
	if (i->flags & INST_SDWA && i->select != SEL_DWORD)
		place_part(i, row, old);
	else if (type == T_B16 || type == T_F16)
		place_half(w, i, row, old);
	blend32(old, row->u, mask);
}

/* ---- exec functions ---- */

static const union row *
fetch_source(struct wave *w, const struct inst *i, int k, union row *tmp)
{
	const union row *row = operand_fetch(w, &i->src[k], tmp);
	enum type type = (enum type)i->src[k].type;
	if (flushes(w, type, false) ||
	    (i->op->flags & OP_FLUSH && type == T_F32))
		row = flush_row(row, tmp, type);
	return row;
}

uint64_t
operand_mask(const struct wave *w, const struct inst *i)
{
	if (i->op->flags & OP_VCC_IN || i->src[2].kind == OPERAND_NONE)
		return wave_mask(w, SGPR_VCC);
	return operand_scalar(w, &i->src[2]);
}

static void
call_row(struct wave *w, const struct inst *i, struct args *x)
{
	int mode = w->mode & 15 ? rounding(w, (enum type)i->dst.type)
				: FE_TONEAREST;
	if (mode == FE_TONEAREST) {
		i->op->row(x);
		return;
	}
	fesetround(mode);
	i->op->row(x);
	fesetround(FE_TONEAREST);
}

/* An instruction's way from operands to result. */
struct valu {
	struct args x;
	union row tmp[4];
	uint64_t write; /* lanes that take the result */
};

static void
compute(struct wave *w, const struct inst *i, struct valu *v, union row *to)
{
	const struct op *op = i->op;
	struct args *x = &v->x;
	v->write = wave_exec(w);
	*x = (struct args){.d = to,
			   .exec = v->write,
			   .wave = w,
			   .inst = i,
			   .clamp = i->flags & INST_CLAMP &&
				    op->flags & OP_INT_CLAMP};
	if (op->src[0])
		x->a = fetch_source(w, i, 0, &v->tmp[0]);
	if (i->flags & (INST_DPP | INST_DPP8))
		x->a = operand_dpp(w, i, x->a, &v->tmp[0], &v->write);
	if (op->src[1])
		x->b = fetch_source(w, i, 1, &v->tmp[1]);
	if (op->flags & (OP_CARRY_IN | OP_MASK_SRC2 | OP_VCC_IN))
		x->in = operand_mask(w, i);
	if (op->src[2] && !(op->flags & OP_MASK_SRC2))
		x->c = fetch_source(w, i, 2, &v->tmp[2]);
	call_row(w, i, x);
}

struct inst
operand_indexed(struct wave *w, const struct inst *i)
{
	struct inst moved = *i;
	uint32_t m0 = w->s[SGPR_M0];
	uint16_t by = m0 & 0xff;
	struct operand *operands[4] = {&moved.src[0], &moved.src[1],
				       &moved.src[2], &moved.dst};
	for (int k = 0; k < 4; k++) {
		struct operand *o = operands[k];
		if (!(m0 >> (12 + k) & 1) || o->kind != OPERAND_VGPR)
			continue;
		if (o->reg + by < ACC_BASE) {
			o->reg = (uint16_t)(o->reg + by);
			continue;
		}
		wave_fault(w, HSA_STATUS_ERROR_EXCEPTION,
			   "index %u leads beyond the vector registers", by);
		o->reg = 0;
	}
	return moved;
}

void
exec_valu(struct wave *w, const struct inst *i)
{
	struct valu v;
	struct inst moved;
	if (w->mode & MODE_GPR_IDX) {
		moved = operand_indexed(w, i);
		i = &moved;
	}
	const struct op *op = i->op;
	uint64_t exec = wave_exec(w);
	if (exec == 0 && !(op->flags & OP_NO_EXEC))
		return;
	/* Where nothing stands between result and register, no copy. */
	bool direct = i->flags & INST_PLAIN && exec == w->lane_mask &&
		      (w->mode & 0xf0) == 0xf0;
	union row *to = direct ? (union row *)w->v[i->dst.reg] : &v.tmp[3];
	compute(w, i, &v, to);
	if (op->flags & OP_SCALAR_DST)
		w->s[i->dst.reg] = to->u[0];
	else if (!direct)
		operand_store(w, i, to, v.write);
	if (op->flags & (OP_CARRY_OUT | OP_SDST)) {
		uint64_t kept =
			v.write == exec ? 0 : wave_mask(w, i->sdst) & ~v.write;
		wave_set_mask(w, i->sdst, (v.x.out & v.write) | kept);
	}
}

/* VOPD (RDNA3 ISA, section 7.6): both halves read before either writes. */
void
exec_dual(struct wave *w, const struct inst *i)
{
	struct valu x, y;
	if (wave_exec(w) == 0)
		return;
	compute(w, i, &x, &x.tmp[3]);
	compute(w, i->pair, &y, &y.tmp[3]);
	operand_store(w, i, &x.tmp[3], x.write);
	operand_store(w, i->pair, &y.tmp[3], y.write);
}

void
exec_compare(struct wave *w, const struct inst *i)
{
	union row tmp[3];
	uint64_t exec = wave_exec(w);
	uint64_t write = exec;
	struct args x = {.d = &tmp[2], .exec = exec, .wave = w, .inst = i};
	x.a = fetch_source(w, i, 0, &tmp[0]);
	if (i->flags & (INST_DPP | INST_DPP8))
		x.a = operand_dpp(w, i, x.a, &tmp[0], &write);
	x.b = fetch_source(w, i, 1, &tmp[1]);
	i->op->row(&x);
	uint64_t mask = row_mask(&tmp[2]) & write;
	bool cmpx = i->op->flags & OP_CMPX;
	if (!cmpx || w->code->arch->generation != GEN_GFX11)
		wave_set_mask(w, i->sdst, mask);
	if (cmpx)
		wave_set_mask(w, SGPR_EXEC, mask);
}

void
exec_scalar(struct wave *w, const struct inst *i)
{
	const struct op *op = i->op;
	struct scalar_args x = {.scc = w->scc, .wave = w, .inst = i};
	if (op->src[0])
		x.a = operand_scalar(w, &i->src[0]);
	if (op->src[1])
		x.b = operand_scalar(w, &i->src[1]);
	else if (op->flags & OP_ACCUMULATE)
		x.b = operand_scalar(w, &i->dst);
	op->scalar(&x);
	w->scc = x.scc;
	unsigned reg = i->dst.reg;
	if (op->dst == T_NONE || reg == SGPR_NULL)
		return;
	w->s[reg] = (uint32_t)x.d;
	if (op->dst == T_B64)
		w->s[(reg + 1) % SGPRS] = (uint32_t)(x.d >> 32);
}
