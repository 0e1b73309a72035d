/*
 * Uninitialised values in vector instructions.
 */
#include "undef.h"

#include <string.h>

static bool
is_wide(enum type type)
{
	return type == T_B64 || type == T_F64 || type == T_P32;
}

static bool
has_mask(const struct inst *i)
{
	return i->op->flags & (OP_CARRY_IN | OP_MASK_SRC2 | OP_VCC_IN);
}

/* Operands and result of one vector instruction, as undefined bits. */
struct vector_flow {
	union row tmp[3], result;
	const union row *u[3];
	uint64_t in, out; /* masks */
	uint64_t write;	  /* lanes that take the result */
	uint64_t exec;
	bool any;
};

static const union row none;

static const union row *
fetch(struct wave *w, const struct inst *i, int k, union row *tmp)
{
	struct operand o = i->src[k];
	if (o.kind != OPERAND_VGPR && o.kind != OPERAND_SGPR &&
	    o.kind != OPERAND_SCC)
		return &none;
	o.mods &= MOD_SEXT;
	o.neg_hi = 0;
	if (o.type == T_MIX) {
		o.type = o.hi & 2 ? T_B16 : T_B32;
		o.select = !(o.hi & 2) ? SEL_DWORD
			   : o.hi & 1  ? SEL_WORD1
				       : SEL_WORD0;
	}
	return operand_fetch(&w->undef->wave, &o, tmp);
}

static uint64_t
element(const union row *row, enum type type, int lane)
{
	return is_wide(type) ? row->q[lane] : row->u[lane];
}

/* What lane l of operand k has undefined, of the bits that are looked at. */
static uint64_t
lane_bits(const struct inst *i, const struct vector_flow *f, int k, int lane)
{
	if (f->u[k] == &none)
		return 0;
	uint64_t bits = element(f->u[k], (enum type)i->src[k].type, lane);
	if (i->rule && undef_flow(i) != FLOW_BITS && i->rule->bits[k])
		bits &= i->rule->bits[k];
	return bits;
}

static bool
any_lane(const struct inst *i, const struct vector_flow *f, uint64_t lanes)
{
	if (f->in & lanes)
		return true;
	for (int k = 0; k < 3; k++) {
		bool wide = is_wide((enum type)i->src[k].type);
		if (f->u[k] == &none ||
		    !(undef_row(f->u[k]->u) ||
		      (wide && undef_row(f->u[k]->u + LANES))))
			continue;
		for (uint64_t m = lanes; m; m &= m - 1)
			if (lane_bits(i, f, k, __builtin_ctzll(m)))
				return true;
	}
	return false;
}

/* Both halves of packed results have operands of their own. */
static uint64_t
all_of(enum type type, uint64_t bits)
{
	switch (type) {
	case T_B16:
	case T_F16:
		return bits ? 0xffff : 0;
	case T_P16:
		return (bits & 0xffff ? 0xffff : 0) |
		       (bits & 0xffff0000 ? 0xffff0000 : 0);
	case T_P32:
		return ((uint32_t)bits ? UINT32_MAX : 0) |
		       (bits >> 32 ? ~(uint64_t)UINT32_MAX : 0);
	default:
		return bits ? ~(uint64_t)0 : 0;
	}
}

static void
put_element(union row *row, enum type type, int lane, uint64_t value)
{
	if (is_wide(type))
		row->q[lane] = value;
	else
		row->u[lane] = (uint32_t)value;
}

static void
combine_lanes(const struct inst *i, struct vector_flow *f)
{
	enum type type = (enum type)i->dst.type;
	enum flow flow = undef_flow(i);
	for (int l = 0; l < LANES; l++) {
		uint64_t u[3];
		for (int k = 0; k < 3; k++)
			u[k] = lane_bits(i, f, k, l);
		uint64_t any = u[0] | u[1] | u[2];
		uint64_t d =
			flow == FLOW_UPWARD ? undef_upward(any)
			: flow == FLOW_HALVES
				? (u[0] ? 0xffff : 0) | (u[1] ? 0xffff0000 : 0)
				: all_of(type, any);
		if (f->in >> l & 1)
			d = ~(uint64_t)0;
		put_element(&f->result, type, l, d);
		if (any || f->in >> l & 1)
			f->out |= (uint64_t)1 << l;
	}
}

/* The operand with its undefined bits as they are wanted. */
static void
fill(const struct inst *i, const struct vector_flow *f, int k, bool ones,
     union row *row)
{
	enum type type = (enum type)i->src[k].type;
	for (int l = 0; l < LANES; l++) {
		uint64_t value = element(row, type, l);
		uint64_t bits = lane_bits(i, f, k, l);
		put_element(row, type, l, ones ? value | bits : value & ~bits);
	}
}

static void
fetch_filled(struct wave *w, const struct inst *i, const struct vector_flow *f,
	     int k, bool ones, union row *row)
{
	union row tmp;
	uint64_t ignored = 0;
	const union row *value = operand_fetch(w, &i->src[k], &tmp);
	if (k == 0 && i->flags & (INST_DPP | INST_DPP8))
		value = operand_dpp(w, i, value, &tmp, &ignored);
	memcpy(row, value,
	       is_wide((enum type)i->src[k].type) ? sizeof(*row)
						  : sizeof(vgpr_row));
	fill(i, f, k, ones, row);
}

/* FLOW_BITS. Masks and operands that govern all bits are taken strictly. */
static void
compare_fillings(struct wave *w, const struct inst *i, struct vector_flow *f)
{
	enum type type = (enum type)i->dst.type;
	union row rows[3], d, first;
	uint64_t mask = has_mask(i) ? operand_mask(w, i) : 0;
	memset(&f->result, 0, sizeof(f->result));
	for (int fill_in = 0; fill_in < 16; fill_in++) {
		for (int k = 0; k < 3; k++)
			if (i->op->src[k] && i->src[k].type != T_MASK)
				fetch_filled(w, i, f, k, fill_in >> k & 1,
					     &rows[k]);
		struct args x = {.d = &d,
				 .a = &rows[0],
				 .b = &rows[1],
				 .c = &rows[2],
				 .in = fill_in & 8 ? mask | f->in
						   : mask & ~f->in,
				 .exec = f->exec,
				 .wave = w,
				 .inst = i};
		i->op->row(&x);
		if (fill_in == 0)
			first = d;
		for (int l = 0; l < LANES; l++)
			put_element(&f->result, type, l,
				    element(&f->result, type, l) |
					    (element(&d, type, l) ^
					     element(&first, type, l)));
	}
	for (int l = 0; l < LANES; l++)
		if (undef_governed(i, lane_bits(i, f, 0, l),
				   lane_bits(i, f, 1, l),
				   lane_bits(i, f, 2, l)))
			put_element(&f->result, type, l, ~(uint64_t)0);
}

static void
move_bits(struct wave *w, const struct inst *i, struct vector_flow *f)
{
	union row tmp[2];
	struct args x = {.d = &f->result,
			 .a = f->u[0],
			 .exec = f->exec,
			 .wave = &w->undef->wave,
			 .inst = i};
	if (i->op->src[1])
		x.b = operand_fetch(w, &i->src[1], &tmp[0]);
	if (i->op->src[2])
		x.c = operand_fetch(w, &i->src[2], &tmp[1]);
	i->op->row(&x);
	bool lost = i->op->src[1] && (f->u[1]->u[0] | f->u[2]->u[0]);
	if (lost)
		memset(&f->result, 0xff, sizeof(f->result));
}

static void
flow_vector(struct wave *w, const struct inst *i, struct vector_flow *f)
{
	const struct op *op = i->op;
	f->exec = f->write = wave_exec(w);
	f->in = has_mask(i) && i->src[2].kind != OPERAND_CONST
			? operand_mask(&w->undef->wave, i)
			: 0;
	f->out = 0;
	for (int k = 0; k < 3; k++) {
		bool value = op->src[k] && i->src[k].type != T_MASK;
		f->u[k] = value ? fetch(w, i, k, &f->tmp[k]) : &none;
	}
	if (i->flags & (INST_DPP | INST_DPP8)) {
		union row *tmp = &f->tmp[0];
		f->u[0] = operand_dpp(w, i, f->u[0], tmp, &f->write);
	}
	bool move = undef_flow(i) == FLOW_MOVE;
	f->any = any_lane(i, f, move ? w->lane_mask : f->exec);
	if (!f->any)
		memset(&f->result, 0, sizeof(f->result));
	else if (move)
		move_bits(w, i, f);
	else if (undef_flow(i) == FLOW_BITS)
		compare_fillings(w, i, f);
	else
		combine_lanes(i, f);
}

static void
put_mask(struct wave *w, const struct inst *i, unsigned reg, uint64_t mask)
{
	struct undef *u = w->undef;
	wave_set_mask(&u->wave, reg, mask);
	if (mask)
		u->scalar[reg] = u->scalar[(reg + 1) % SGPRS] =
			undef_origin(w, i);
}

/* Only moved, and an undefined operand is. */
static bool
is_unwritten(const struct undef *u, const struct inst *i)
{
	bool moved = undef_flow(i) == FLOW_MOVE || undef_flow(i) == FLOW_BITS;
	for (int k = 0; moved && k < 6; k++) {
		const struct operand *o = &i->src[k / 2];
		unsigned reg = o->reg + k % 2u;
		bool used = k % 2 == 0 || is_wide((enum type)o->type);
		if (o->kind == OPERAND_VGPR && used && u->unwritten[reg] &&
		    undef_row(u->rows[reg]))
			return true;
	}
	return false;
}

static void
put_vector(struct wave *w, const struct inst *i, struct vector_flow *f)
{
	struct undef *u = w->undef;
	struct inst plain = *i;
	const struct inst *origin = f->any ? undef_origin(w, i) : NULL;
	bool unwritten = f->any && is_unwritten(u, i);
	uint64_t kept = f->write == f->exec
				? 0
				: wave_mask(&u->wave, i->sdst) & ~f->write;
	plain.omod = 0;
	plain.flags &= (uint16_t)~INST_CLAMP;
	if (i->op->flags & OP_SCALAR_DST) {
		u->wave.s[i->dst.reg] = f->result.u[0];
		u->scalar[i->dst.reg] = origin;
		undef_exec(w, origin);
	} else {
		operand_store(&u->wave, &plain, &f->result, f->write);
		for (unsigned k = 0;
		     f->any && k <= is_wide((enum type)i->dst.type); k++) {
			u->vector[i->dst.reg + k] = origin;
			u->unwritten[i->dst.reg + k] = unwritten;
		}
	}
	if (i->op->flags & (OP_CARRY_OUT | OP_SDST))
		put_mask(w, i, i->sdst, (f->out & f->write) | kept);
}

/* With register indexing on: the index must be defined, and counts here too. */
static bool
take_index(struct wave *w, const struct inst **i, struct inst *moved)
{
	if (!(w->mode & MODE_GPR_IDX))
		return true;
	if (w->undef->wave.s[SGPR_M0])
		undef_report(w, w->undef->scalar[SGPR_M0],
			     "the register's index (M0)");
	else
		*moved = operand_indexed(w, *i);
	*i = moved;
	return !w->stop;
}

void
undef_vector(struct wave *w, const struct inst *i)
{
	struct vector_flow f;
	struct inst moved;
	if (wave_exec(w) == 0 && !(i->op->flags & OP_NO_EXEC))
		return;
	if (!take_index(w, &i, &moved))
		return;
	flow_vector(w, i, &f);
	put_vector(w, i, &f);
}

void
undef_dual(struct wave *w, const struct inst *i)
{
	struct vector_flow x, y;
	if (wave_exec(w) == 0)
		return;
	flow_vector(w, i, &x);
	flow_vector(w, i->pair, &y);
	put_vector(w, i, &x);
	put_vector(w, i->pair, &y);
}

void
undef_compare(struct wave *w, const struct inst *i)
{
	struct vector_flow f;
	bool cmpx = i->op->flags & OP_CMPX;
	flow_vector(w, i, &f);
	uint64_t mask = f.out & f.write;
	if (!cmpx || w->code->arch->generation != GEN_GFX11)
		put_mask(w, i, i->sdst, mask);
	if (cmpx && mask)
		undef_report(w, undef_origin(w, i), "which lanes go on (EXEC)");
	else
		undef_exec(w, NULL);
}

void
undef_write_lane(struct wave *w, const struct inst *i)
{
	struct undef *u = w->undef;
	if (undef_bits(w, &i->src[1])) {
		undef_report(w, undef_origin(w, i), "the lane that is written");
		return;
	}
	uint32_t lane = (uint32_t)operand_scalar(w, &i->src[1]) &
			(w->wave32 ? 31u : 63u);
	u->rows[i->dst.reg][lane] = (uint32_t)undef_bits(w, &i->src[0]);
	u->vector[i->dst.reg] = undef_origin(w, i);
}

void
undef_exchange(struct wave *w, const struct inst *i)
{
	struct undef *u = w->undef;
	uint64_t exec = wave_exec(w), undefined = 0;
	for (uint64_t m = exec; m; m &= m - 1)
		if (u->rows[i->src[0].reg][__builtin_ctzll(m)])
			undefined |= m & -m;
	if (i->op->name[3] == 's') /* ds_swizzle has no addresses */
		undefined = 0;
	else if (i->op->name[3] == 'p' && undefined) /* sent to anywhere */
		undefined = exec;
	ds_exchange(w, &u->wave, i);
	for (uint64_t m = undefined; m; m &= m - 1)
		u->rows[i->dst.reg][__builtin_ctzll(m)] = UINT32_MAX;
	u->vector[i->dst.reg] = undef_origin(w, i);
}
