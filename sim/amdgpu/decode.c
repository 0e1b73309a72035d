/*
 * Decoding: words to struct inst, through the tables of the formats.
 *
 * Each format is a function that takes its fields apart; the numbers in the
 * field() calls are first bit and width, as the manual's tables give them
 * (section 13, "Microcode formats"; for gfx11 "RDNA3 Instruction Set
 * Architecture", section 15). An instruction that is not known, or has a bit
 * that is not simulated, becomes exec_illegal: never something like it.
 */
#include "check.h"
#include "counts.h"
#include "undef.h"

#include <stdlib.h>
#include <string.h>

enum { OPCODES = 1024 };

static const struct op *lookup[GENERATIONS][FORMATS][OPCODES];
static pthread_once_t lookup_once = PTHREAD_ONCE_INIT;

static void
add_op(enum generation gen, enum format format, int base, const struct op *op)
{
	int opcode = gen == GEN_GFX11 ? op->gfx11 : op->gfx9;
	if (opcode < 0 || (op->flags & OP_ONLY_90A && gen != GEN_GFX90A) ||
	    (op->flags & OP_ONLY_942 && gen == GEN_GFX90A))
		return;
	if (base + opcode < OPCODES && !lookup[gen][format][base + opcode])
		lookup[gen][format][base + opcode] = op;
}

static void
add_table(enum format format, int base9, int base11, const struct table *table)
{
	for (size_t k = 0; k < table->count; k++) {
		add_op(GEN_GFX90A, format, base9, &table->ops[k]);
		add_op(GEN_GFX942, format, base9, &table->ops[k]);
		add_op(GEN_GFX11, format, base11, &table->ops[k]);
	}
}

/* VOP1, VOP2 and VOPC are in VOP3 too, each with a range of its own. Rows of
 * gfx942 come first where they share a number with an older instruction. */
static void
make_lookup(void)
{
	for (size_t k = 0; k < table_vop2.count; k++)
		if (table_vop2.ops[k].flags & OP_ONLY_942)
			add_op(GEN_GFX942, FORMAT_VOP2, 0, &table_vop2.ops[k]);
	add_table(FORMAT_SOP2, 0, 0, &table_sop);
	add_table(FORMAT_SOPK, 0, 0, &table_sopk);
	add_table(FORMAT_SOP1, 0, 0, &table_sop1);
	add_table(FORMAT_SOPC, 0, 0, &table_sopc);
	add_table(FORMAT_SOPP, 0, 0, &table_sopp);
	add_table(FORMAT_SMEM, 0, 0, &table_smem);
	add_table(FORMAT_VOP1, 0, 0, &table_vop1);
	add_table(FORMAT_VOP2, 0, 0, &table_vop2);
	add_table(FORMAT_VOPC, 0, 0, &table_vopc);
	add_table(FORMAT_VOP3, 0, 0, &table_vopc);
	add_table(FORMAT_VOP3, 0x100, 0x100, &table_vop2);
	add_table(FORMAT_VOP3, 0x140, 0x180, &table_vop1);
	add_table(FORMAT_VOP3, 0, 0, &table_vop3);
	add_table(FORMAT_VOP3, 0, 0, &table_vop2_moved);
	add_table(FORMAT_VOP3P, 0, 0, &table_vop3p);
	add_table(FORMAT_DS, 0, 0, &table_ds);
	add_table(FORMAT_FLAT, 0, 0, &table_flat);
	add_table(FORMAT_MUBUF, 0, 0, &table_flat);
	add_table(FORMAT_MUBUF, 0, 0, &table_mubuf);
}

/* What is being decoded. */
struct source {
	const struct arch *arch;
	const uint32_t *words;
	size_t count;
	bool gfx11;
	bool wave32;
	bool bad;
	/* An instruction has one literal at most; operands share it. */
	bool has_literal;
	uint32_t literal;
	struct inst *inst;
};

static uint32_t
field(uint32_t word, int at, int width)
{
	return word >> at & (uint32_t)(((uint64_t)1 << width) - 1);
}

static int64_t
signed_field(uint32_t word, int at, int width)
{
	uint32_t value = field(word, at, width);
	uint32_t top = 1u << (width - 1);
	return (int64_t)(value ^ top) - (int64_t)top;
}

/* The next word of the instruction: second word, literal, DPP or SDWA word. */
static uint32_t
take_word(struct source *s)
{
	if (s->inst->dwords >= s->count) {
		s->bad = true;
		return 0;
	}
	uint32_t word = s->words[s->inst->dwords++];
	s->inst->word[1] = word;
	return word;
}

static uint32_t
take_literal(struct source *s)
{
	if (!s->has_literal)
		s->literal = take_word(s);
	s->has_literal = true;
	return s->literal;
}

static bool
find_op(struct source *s, enum format format, uint32_t opcode)
{
	s->inst->op = opcode < OPCODES
			      ? lookup[s->arch->generation][format][opcode]
			      : NULL;
	s->bad |= !s->inst->op;
	return !s->bad;
}

/* ---- operands ---- */

/* Inline floats, numbers 240 to 248: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1/(2 pi).
 */
static const uint16_t inline_f16[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
				       0xc000, 0x4400, 0xc400, 0x3118};
static const uint32_t inline_f32[9] = {0x3f000000, 0xbf000000, 0x3f800000,
				       0xbf800000, 0x40000000, 0xc0000000,
				       0x40800000, 0xc0800000, 0x3e22f983};
static const uint64_t inline_f64[9] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static uint64_t
inline_float(enum type type, uint32_t index)
{
	switch (type) {
	case T_B64:
	case T_F64:
		return inline_f64[index];
	case T_B16:
	case T_F16:
	case T_P16:
		return inline_f16[index];
	default:
		return inline_f32[index];
	}
}

/* A literal is the high half of a double; otherwise it is zero-extended. */
static uint64_t
literal_value(enum type type, uint32_t literal)
{
	return type == T_F64 ? (uint64_t)literal << 32 : literal;
}

static void
set_const(struct operand *o, uint64_t value)
{
	bool wide = o->type == T_B64 || o->type == T_F64 || o->type == T_MASK;
	o->kind = OPERAND_CONST;
	o->value = wide ? value : (uint32_t)value;
}

static void
set_vgpr(struct operand *o, unsigned reg)
{
	o->kind = OPERAND_VGPR;
	o->reg = (uint16_t)reg;
}

/* Scalar numbers: gfx11 has NULL at 124 and M0 at 125. */
static unsigned
scalar_reg(const struct source *s, unsigned reg)
{
	return s->gfx11 && reg >= 124 && reg <= 125 ? reg ^ 1 : reg;
}

static void
set_sgpr(const struct source *s, struct operand *o, unsigned reg)
{
	o->kind = OPERAND_SGPR;
	o->reg = (uint16_t)scalar_reg(s, reg);
	if (o->reg == SGPR_NULL && s->gfx11)
		set_const(o, 0);
}

/* A 9-bit source (or an 8-bit scalar one), section 5.1 and 6.1. */
static void
set_source(struct source *s, int k, uint32_t code)
{
	struct operand *o = &s->inst->src[k];
	enum type type = (enum type)o->type;
	if (code >= 256)
		set_vgpr(o, code - 256);
	else if (code < 128)
		set_sgpr(s, o, code);
	else if (code <= 192)
		set_const(o, code - 128);
	else if (code <= 208)
		set_const(o, (uint64_t)(192 - (int64_t)code));
	else if (code >= 240 && code <= 248)
		set_const(o, inline_float(type, code - 240));
	else if (code == 235 || code == 236)
		set_const(o, SHARED_APERTURE | (code == 236 ? UINT32_MAX : 0));
	else if (code == 237 || code == 238)
		set_const(o, PRIVATE_APERTURE | (code == 238 ? UINT32_MAX : 0));
	else if (code == 251)
		o->kind = OPERAND_VCCZ;
	else if (code == 252)
		o->kind = OPERAND_EXECZ;
	else if (code == 253)
		o->kind = OPERAND_SCC;
	else if (code == 255)
		set_const(o, literal_value(type, take_literal(s)));
	else
		s->bad = true;
}

/* Types and neutral modifiers from the table. */
static void
start_operands(struct inst *i)
{
	i->dst.type = i->op->dst;
	i->dst.select = SEL_DWORD;
	for (int k = 0; k < 3; k++) {
		i->src[k].type = i->op->src[k];
		bool half = i->op->src[k] == T_B16 || i->op->src[k] == T_F16;
		i->src[k].select = half ? SEL_WORD0 : SEL_DWORD;
		i->src[k].hi = 2;
	}
	i->select = SEL_DWORD;
}

static bool
is_half(enum type type)
{
	return type == T_B16 || type == T_F16;
}

/* In gfx11's short forms a 16-bit operand's register number has its half in bit
 * 7. RDNA3 ISA, "16-bit VGPRs" (section 7.9). */
static void
split_half(const struct source *s, struct operand *o)
{
	if (!s->gfx11 || o->kind != OPERAND_VGPR ||
	    !is_half((enum type)o->type) || !(o->reg & 0x80))
		return;
	o->reg &= 0x7f;
	o->select = SEL_WORD1;
}

static void
set_dst(const struct source *s, unsigned reg)
{
	struct inst *i = s->inst;
	if (i->op->flags & OP_SCALAR_DST)
		set_sgpr(s, &i->dst, reg);
	else
		set_vgpr(&i->dst, reg);
	if (i->dst.kind == OPERAND_CONST)
		i->dst.reg = SGPR_NULL;
}

/* ---- scalar formats ---- */

static void
decode_sop(struct source *s, enum format format)
{
	struct inst *i = s->inst;
	uint32_t w = s->words[0];
	uint32_t opcode = format == FORMAT_SOP2	  ? field(w, 23, 7)
			  : format == FORMAT_SOP1 ? field(w, 8, 8)
						  : field(w, 16, 7);
	if (!find_op(s, format, opcode))
		return;
	start_operands(i);
	i->dst.kind = OPERAND_SGPR;
	i->dst.reg = (uint16_t)scalar_reg(s, field(w, 16, 7));
	if (i->op->src[0])
		set_source(s, 0, field(w, 0, 8));
	if (i->op->src[1])
		set_source(s, 1, field(w, 8, 8));
}

static void
decode_sopk(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w = s->words[0];
	if (!find_op(s, FORMAT_SOPK, field(w, 23, 5)))
		return;
	start_operands(i);
	i->dst.kind = OPERAND_SGPR;
	i->dst.reg = (uint16_t)scalar_reg(s, field(w, 16, 7));
	i->src[0].kind = OPERAND_SGPR;
	i->src[0].reg = i->dst.reg;
	set_const(&i->src[1], (uint64_t)signed_field(w, 0, 16));
	if (strcmp(i->op->name, "s_setreg_imm32_b32") == 0)
		set_const(&i->src[0], take_word(s));
}

static void
decode_sopp(struct source *s)
{
	uint32_t w = s->words[0];
	if (!find_op(s, FORMAT_SOPP, field(w, 16, 7)))
		return;
	s->inst->offset = signed_field(w, 0, 16);
	if (strncmp(s->inst->op->name, "s_branch", 8) == 0 ||
	    strncmp(s->inst->op->name, "s_cbranch", 9) == 0)
		s->inst->offset *= 4;
	else
		s->inst->offset &= 0xffff;
}

static void
decode_smem(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	if (s->bad || !find_op(s, FORMAT_SMEM, field(w0, 18, 8)))
		return;
	start_operands(i);
	set_sgpr(s, &i->src[0], field(w0, 0, 6) * 2);
	i->dst.reg = (uint16_t)scalar_reg(s, field(w0, 6, 7));
	s->bad |= i->src[0].reg > SGPRS - 4; /* the last may not be a base */
	bool imm = s->gfx11 || field(w0, 17, 1);
	bool soffset = s->gfx11 ? field(w1, 25, 7) != 124 : field(w0, 14, 1);
	if (imm)
		i->offset = signed_field(w1, 0, 21);
	if (soffset || !imm) {
		i->flags |= INST_SOFFSET;
		i->src[1].type = T_B32;
		set_sgpr(s, &i->src[1],
			 soffset ? field(w1, 25, 7) : field(w1, 0, 7));
	}
}

/* ---- vector formats ---- */

static void
add_mods(struct operand *o, bool neg, bool abs)
{
	o->mods |= (uint8_t)((neg ? MOD_NEG : 0) | (abs ? MOD_ABS : 0));
}

/* Section 13.3.4: the word that follows takes src0's place. */
static void
decode_sdwa(struct source *s, bool compare)
{
	struct inst *i = s->inst;
	uint32_t w = take_word(s);
	struct operand *a = &i->src[0], *b = &i->src[1];
	i->flags |= INST_SDWA;
	if (field(w, 23, 1))
		set_source(s, 0, field(w, 0, 8));
	else
		set_vgpr(a, field(w, 0, 8));
	if (field(w, 31, 1) && i->op->src[1])
		set_source(s, 1, b->reg);
	if (compare) {
		if (field(w, 15, 1))
			i->sdst = (uint16_t)field(w, 8, 7);
	} else {
		i->select = (uint8_t)field(w, 8, 3);
		i->unused = (uint8_t)field(w, 11, 2);
		i->flags |= field(w, 13, 1) ? INST_CLAMP : 0;
		i->omod = (uint8_t)field(w, 14, 2);
	}
	a->select = (uint8_t)field(w, 16, 3);
	a->mods |= field(w, 19, 1) ? MOD_SEXT : 0;
	add_mods(a, field(w, 20, 1), field(w, 21, 1));
	b->select = (uint8_t)field(w, 24, 3);
	b->mods |= field(w, 27, 1) ? MOD_SEXT : 0;
	add_mods(b, field(w, 28, 1), field(w, 29, 1));
	s->bad |= a->select > SEL_DWORD || b->select > SEL_DWORD ||
		  i->select > SEL_DWORD || i->unused > 2;
}

static void
decode_dpp(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w = take_word(s);
	i->flags |= INST_DPP;
	set_vgpr(&i->src[0], field(w, 0, 8));
	i->dpp = (uint16_t)field(w, 8, 9);
	i->flags |= field(w, 18, 1) ? INST_FI : 0;
	i->bound_ctrl = field(w, 19, 1);
	add_mods(&i->src[0], field(w, 20, 1), field(w, 21, 1));
	add_mods(&i->src[1], field(w, 22, 1), field(w, 23, 1));
	i->dpp_masks = (uint8_t)(field(w, 28, 4) << 4 | field(w, 24, 4));
}

static void
decode_dpp8(struct source *s, bool inactive)
{
	struct inst *i = s->inst;
	uint32_t w = take_word(s);
	i->flags |= INST_DPP8;
	i->flags |= inactive ? INST_FI : 0;
	set_vgpr(&i->src[0], field(w, 0, 8));
	i->dpp8 = field(w, 8, 24);
	i->bound_ctrl = true;
}

/* src0 of the short forms and of gfx11's VOP3: may announce another word. */
static void
set_first(struct source *s, uint32_t code, bool compare)
{
	if (code == 249 && !s->gfx11)
		decode_sdwa(s, compare);
	else if (code == 250)
		decode_dpp(s);
	else if ((code == 233 || code == 234) && s->gfx11)
		decode_dpp8(s, code == 234);
	else
		set_source(s, 0, code);
}

static void
decode_vop1(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w = s->words[0];
	if (!find_op(s, FORMAT_VOP1, field(w, 9, 8)))
		return;
	start_operands(i);
	set_dst(s, field(w, 17, 8));
	if (i->op->src[0])
		set_first(s, field(w, 0, 9), false);
	split_half(s, &i->dst);
	split_half(s, &i->src[0]);
	if (strcmp(i->op->name, "v_accvgpr_mov_b32") == 0) {
		i->dst.reg += ACC_BASE;
		i->src[0].reg += ACC_BASE;
	}
}

/* v_madmk and v_fmamk have the literal as multiplier, the others as addend; in
 * both the row function's c is the literal. */
static void
decode_vop2(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w = s->words[0];
	if (!find_op(s, FORMAT_VOP2, field(w, 25, 6)))
		return;
	start_operands(i);
	set_dst(s, field(w, 17, 8));
	set_vgpr(&i->src[1], field(w, 9, 8));
	set_first(s, field(w, 0, 9), false);
	i->sdst = SGPR_VCC;
	if (i->op->flags & OP_LITERAL_K) {
		/* src0 may be the literal too: it is the same word. */
		uint64_t literal =
			field(w, 0, 9) == 255 ? i->src[0].value : take_word(s);
		set_const(&i->src[2], literal);
	}
	if (i->op->flags & OP_ACCUMULATE) {
		set_vgpr(&i->src[2], i->dst.reg);
		i->src[2].type = i->op->src[2];
	}
	split_half(s, &i->dst);
	split_half(s, &i->src[0]);
	split_half(s, &i->src[1]);
	split_half(s, &i->src[2]);
}

static void
decode_vopc(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w = s->words[0];
	if (!find_op(s, FORMAT_VOPC, field(w, 17, 8)))
		return;
	start_operands(i);
	i->sdst = SGPR_VCC;
	set_vgpr(&i->src[1], field(w, 9, 8));
	set_first(s, field(w, 0, 9), true);
	split_half(s, &i->src[0]);
	split_half(s, &i->src[1]);
}

static void
vop3_sources(struct source *s, uint32_t w1)
{
	struct inst *i = s->inst;
	for (int k = 0; k < 3; k++) {
		bool mask =
			k == 2 && i->op->flags & (OP_CARRY_IN | OP_MASK_SRC2);
		if (k == 2 && i->op->flags & OP_ACCUMULATE) {
			set_vgpr(&i->src[2], i->dst.reg);
			continue;
		}
		if (mask)
			i->src[k].type = T_MASK;
		else if (!i->op->src[k])
			continue;
		if (k == 0)
			set_first(s, field(w1, 0, 9), false);
		else
			set_source(s, k, field(w1, 9 * k, 9));
	}
}

/* Selections of halves; on other types they mean something else or nothing. */
static void
vop3_halves(struct inst *i, uint32_t op_sel)
{
	for (int k = 0; k < 3; k++)
		if (is_half((enum type)i->src[k].type) && op_sel >> k & 1)
			i->src[k].select = SEL_WORD1;
	if (is_half((enum type)i->dst.type) && op_sel >> 3 & 1)
		i->dst.select = SEL_WORD1;
	i->unused = (uint8_t)op_sel;
}

static void
decode_vop3(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	if (s->bad || !find_op(s, FORMAT_VOP3, field(w0, 16, 10)))
		return;
	start_operands(i);
	bool compare = i->op->exec == exec_compare;
	bool two_results = i->op->flags & (OP_CARRY_OUT | OP_SDST);
	if (compare)
		i->sdst = (uint16_t)scalar_reg(s, field(w0, 0, 8));
	else
		set_dst(s, field(w0, 0, 8));
	vop3_sources(s, w1);
	if (two_results)
		i->sdst = (uint16_t)scalar_reg(s, field(w0, 8, 7));
	else
		vop3_halves(i, field(w0, 11, 4));
	for (int k = 0; k < 3; k++)
		add_mods(&i->src[k], field(w1, 29 + k, 1),
			 !two_results && field(w0, 8 + k, 1));
	i->flags |= field(w0, 15, 1) ? INST_CLAMP : 0;
	i->omod = (uint8_t)field(w1, 27, 2);
	s->bad |= i->sdst >= SGPRS;
}

/* Signs and selections are a bit for each source, low and high apart. */
static void
decode_vop3p(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	if (s->bad || !find_op(s, FORMAT_VOP3P, field(w0, 16, 7)))
		return;
	start_operands(i);
	set_dst(s, field(w0, 0, 8));
	uint32_t sel_hi = field(w1, 27, 2) | field(w0, 14, 1) << 2;
	for (int k = 0; k < 3; k++) {
		struct operand *o = &i->src[k];
		if (!i->op->src[k])
			continue;
		bool neg_hi = field(w0, 8 + k, 1);
		o->hi = (uint8_t)(field(w0, 11 + k, 1) | (sel_hi >> k & 1)
								 << 1);
		if (o->type == T_MIX && o->hi & 2)
			o->type = T_F16; /* for an inline constant */
		set_source(s, k, field(w1, 9 * k, 9));
		o->type = i->op->src[k];
		o->neg_hi = neg_hi;
		add_mods(o, field(w1, 29 + k, 1), o->type == T_MIX && neg_hi);
		if (o->type == T_B32)
			o->mods = 0;
	}
	i->flags |= field(w0, 15, 1) ? INST_CLAMP : 0;
	if (strcmp(i->op->name, "v_accvgpr_read_b32") == 0)
		i->src[0].reg += ACC_BASE;
	if (strcmp(i->op->name, "v_accvgpr_write_b32") == 0)
		i->dst.reg += ACC_BASE;
	s->bad |= i->src[0].reg >= VGPRS;
}

/* Opcodes of VOPD's halves, as those of VOP2; -1 is v_mov_b32, -2 none. */
static const int8_t dual_opcodes[32] = {
	0x2b, 0x2d, 0x2c, 0x08, 0x03, 0x04, 0x05, 0x07, -1, 0x01, 0x10,
	0x0f, 0x02, -2,	  -2,	-2,   0x25, 0x18, 0x1b, -2, -2,	  -2,
	-2,   -2,   -2,	  -2,	-2,   -2,   -2,	  -2,	-2, -2};

/* One half: a source of 9 bits, a register, the destination. The literal is
 * shared; *literal is -1 until it was read. */
static void
decode_half(struct source *s, uint32_t opcode, uint32_t src0, uint32_t vsrc1,
	    uint32_t vdst, int64_t *literal)
{
	struct inst *i = s->inst;
	int vop2 = dual_opcodes[opcode & 31];
	i->op = vop2 == -2   ? NULL
		: vop2 == -1 ? lookup[GEN_GFX11][FORMAT_VOP1][1]
			     : lookup[GEN_GFX11][FORMAT_VOP2][vop2];
	if (!i->op) {
		s->bad = true;
		return;
	}
	start_operands(i);
	set_vgpr(&i->dst, vdst);
	if (*literal < 0 && (src0 == 255 || i->op->flags & OP_LITERAL_K))
		*literal = take_word(s);
	if (src0 == 255)
		set_const(&i->src[0], (uint64_t)*literal);
	else
		set_source(s, 0, src0);
	if (i->op->src[1])
		set_vgpr(&i->src[1], vsrc1);
	if (i->op->flags & OP_LITERAL_K)
		set_const(&i->src[2], (uint64_t)*literal);
	if (i->op->flags & OP_ACCUMULATE)
		set_vgpr(&i->src[2], i->dst.reg);
}

/* RDNA3 ISA, section 15.3.6. */
static void
decode_dual(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	uint32_t xdst = field(w1, 24, 8);
	uint32_t ydst = field(w1, 17, 7) << 1 | (~xdst & 1);
	int64_t literal = -1;
	if (s->bad)
		return;
	i->pair = calloc(1, sizeof(*i));
	if (!i->pair) {
		s->bad = true;
		return;
	}
	decode_half(s, field(w0, 22, 4), field(w0, 0, 9), field(w0, 9, 8), xdst,
		    &literal);
	struct source second = *s;
	second.inst = i->pair;
	i->pair->dwords = i->dwords;
	if (!s->bad)
		decode_half(&second, field(w0, 17, 5), field(w1, 0, 9),
			    field(w1, 9, 8), ydst, &literal);
	i->dwords = i->pair->dwords;
	s->bad |= second.bad;
	if (s->bad)
		free(i->pair);
}

/* ---- memory formats ---- */

static void
decode_ds(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	uint32_t opcode = s->gfx11 ? field(w0, 18, 8) : field(w0, 17, 8);
	if (s->bad || !find_op(s, FORMAT_DS, opcode))
		return;
	unsigned acc = !s->gfx11 && field(w0, 25, 1) ? ACC_BASE : 0;
	i->offset = field(w0, 0, 16);
	i->flags |= field(w0, s->gfx11 ? 17 : 16, 1) ? INST_GDS : 0;
	set_vgpr(&i->src[0], field(w1, 0, 8));
	set_vgpr(&i->src[1], field(w1, 8, 8) + acc);
	set_vgpr(&i->src[2], field(w1, 16, 8) + acc);
	set_vgpr(&i->dst, field(w1, 24, 8) + acc);
}

static void
decode_flat(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	if (s->bad || !find_op(s, FORMAT_FLAT, field(w0, 18, 7)))
		return;
	i->segment = (uint8_t)field(w0, s->gfx11 ? 16 : 14, 2);
	i->flags |= field(w0, s->gfx11 ? 14 : 16, 1) ? INST_GLC : 0;
	i->offset = i->segment == SEGMENT_FLAT ? (int64_t)field(w0, 0, 12)
					       : signed_field(w0, 0, 13);
	if (i->flags & INST_GLC || (!s->gfx11 && field(w0, 25, 1)))
		i->flags |= INST_COHERENT; /* glc, sc0, sc1 */
	unsigned acc = !s->gfx11 && field(w1, 23, 1) ? ACC_BASE : 0;
	unsigned none = s->gfx11 ? 124 : 127;
	unsigned saddr = field(w1, 16, 7);
	set_vgpr(&i->src[0], field(w1, 0, 8));
	set_vgpr(&i->src[1], field(w1, 8, 8) + acc);
	set_vgpr(&i->dst, field(w1, 24, 8) + acc);
	if (i->segment == SEGMENT_FLAT)
		return;
	if (saddr != none) {
		i->flags |= INST_SADDR;
		i->sdst = (uint16_t)scalar_reg(s, saddr);
	}
	if (i->segment == SEGMENT_SCRATCH) {
		/* gfx90a has a vector or a scalar address; the others tell. */
		bool vaddr = s->gfx11 ? field(w1, 23, 1)
			     : s->arch->generation == GEN_GFX942
				     ? field(w0, 13, 1)
				     : saddr == none;
		i->flags |= vaddr ? 0 : INST_NO_VADDR;
	} else if (!s->gfx11 && field(w0, 13, 1)) {
		s->bad = true; /* loads to LDS */
	}
	s->bad |= i->segment > SEGMENT_GLOBAL;
}

static void
decode_mubuf(struct source *s)
{
	struct inst *i = s->inst;
	uint32_t w0 = s->words[0], w1 = take_word(s);
	uint32_t opcode = s->gfx11 ? field(w0, 18, 8) : field(w0, 18, 7);
	if (s->bad || !find_op(s, FORMAT_MUBUF, opcode))
		return;
	unsigned acc = !s->gfx11 && field(w1, 23, 1) ? ACC_BASE : 0;
	bool offen = s->gfx11 ? field(w1, 22, 1) : field(w0, 12, 1);
	bool idxen = s->gfx11 ? field(w1, 23, 1) : field(w0, 13, 1);
	i->segment = SEGMENT_GLOBAL;
	i->offset = field(w0, 0, 12);
	i->flags |= (offen ? INST_OFFEN : 0) | (idxen ? INST_IDXEN : 0) |
		    (field(w0, 14, 1) ? INST_GLC : 0);
	set_vgpr(&i->src[0], field(w1, 0, 8));
	set_vgpr(&i->src[1], field(w1, 8, 8) + acc);
	set_vgpr(&i->dst, field(w1, 8, 8) + acc);
	i->sdst = (uint16_t)(field(w1, 16, 5) * 4);
	i->src[2].type = T_B32;
	set_source(s, 2, field(w1, 24, 8));
	s->bad |= !s->gfx11 && field(w0, 16, 1); /* loads to LDS */
}

static void
decode_format(struct source *s)
{
	uint32_t w = s->words[0];
	if (w >> 31 == 0) {
		uint32_t top = w >> 25;
		if (top == 0x3f)
			decode_vop1(s);
		else if (top == 0x3e)
			decode_vopc(s);
		else
			decode_vop2(s);
	} else if (w >> 23 == 0x17d) {
		decode_sop(s, FORMAT_SOP1);
	} else if (w >> 23 == 0x17e) {
		decode_sop(s, FORMAT_SOPC);
	} else if (w >> 23 == 0x17f) {
		decode_sopp(s);
	} else if (w >> 28 == 0xb) {
		decode_sopk(s);
	} else if (w >> 30 == 2) {
		decode_sop(s, FORMAT_SOP2);
	} else if (w >> 26 == (s->gfx11 ? 0x3d : 0x30)) {
		decode_smem(s);
	} else if (s->gfx11 ? w >> 24 == 0xcc : w >> 23 == 0x1a7) {
		decode_vop3p(s);
	} else if (w >> 26 == (s->gfx11 ? 0x35 : 0x34)) {
		decode_vop3(s);
	} else if (s->gfx11 && w >> 26 == 0x32) {
		decode_dual(s);
	} else if (w >> 26 == 0x36) {
		decode_ds(s);
	} else if (w >> 26 == 0x37) {
		decode_flat(s);
	} else if (w >> 26 == 0x38) {
		decode_mubuf(s);
	} else {
		s->bad = true;
	}
}

/* Whether the row function may write the register itself. */
static bool
is_plain(const struct inst *i)
{
	bool whole = i->dst.type == T_B32 || i->dst.type == T_F32 ||
		     i->dst.type == T_P16;
	uint32_t odd = OP_SCALAR_DST | OP_FLUSH;
	return i->op->exec == exec_valu && whole && !i->omod &&
	       !(i->op->flags & odd) && i->dst.kind == OPERAND_VGPR &&
	       !(i->flags & (INST_SDWA | INST_DPP | INST_DPP8)) &&
	       (!(i->flags & INST_CLAMP) || i->op->flags & OP_INT_CLAMP);
}

/* Clamp, where the result is neither a float nor saturates. */
static bool
clamp_unknown(const struct inst *i)
{
	return i->flags & INST_CLAMP && i->op->exec == exec_valu &&
	       !(i->op->flags & OP_INT_CLAMP) && i->dst.type != T_F32 &&
	       i->dst.type != T_F16 && i->dst.type != T_F64;
}

static void
find_rules(struct inst *inst)
{
	if (!(check_wanted() & CHECK_INIT))
		return;
	inst->rule = undef_rule(inst->op);
	if (inst->pair)
		inst->pair->rule = undef_rule(inst->pair->op);
}

void
decode_words(const struct arch *arch, const uint32_t *words, size_t count,
	     bool wave32, struct inst *inst)
{
	pthread_once(&lookup_once, make_lookup);
	struct source s = {.arch = arch,
			   .words = words,
			   .count = count,
			   .gfx11 = arch->generation == GEN_GFX11,
			   .wave32 = wave32,
			   .inst = inst};
	memset(inst, 0, sizeof(*inst));
	inst->dwords = 1;
	inst->word[0] = words[0];
	decode_format(&s);
	if (!s.bad && !clamp_unknown(inst)) {
		if (is_plain(inst))
			inst->flags |= INST_PLAIN;
		exec_fn *exec = inst->op->exec;
		if (words[0] >> 26 == 0x38 && exec == exec_flat)
			exec = exec_mubuf;
		if (inst->pair)
			exec = exec_dual;
		inst->exec = exec;
		find_rules(inst);
		inst->class = (uint8_t)counts_class(inst);
		return;
	}
	*inst = (struct inst){.exec = exec_illegal,
			      .dwords = 1,
			      .word = {words[0], count > 1 ? words[1] : 0}};
}

void
decode(struct code *code, uint64_t index)
{
	uint64_t total = (code->text_end - code->text + 3) / 4;
	const uint32_t *words =
		(const uint32_t *)(const void *)(code->base + code->text);
	struct inst *slot = &code->insts[index];
	pthread_mutex_lock(&code->decode_lock);
	if (!slot->exec) {
		struct inst decoded = {.exec = exec_illegal, .dwords = 0};
		if (index < total)
			decode_words(code->arch, words + index,
				     (size_t)(total - index), false, &decoded);
		exec_fn *exec = decoded.exec;
		/* exec, the first member, is what other threads look at. */
		memcpy((char *)slot + sizeof(exec),
		       (char *)&decoded + sizeof(exec),
		       sizeof(decoded) - sizeof(exec));
		__atomic_store_n(&slot->exec, exec, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&code->decode_lock);
}
