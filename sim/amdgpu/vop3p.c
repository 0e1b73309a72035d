/*
 * VOP3P: packed instructions, two 16-bit or 32-bit values at once, and mixed
 * precision (section 12.11). Fetching has applied selections and signs, so the
 * functions see each pair in its place.
 */
#include "rows.h"

/* One expression for each half; X, Y, Z are the operands' halves. */
#define PACKED(name, expr)                                                     \
	static inline uint32_t name##_half(uint32_t X, uint32_t Y, uint32_t Z, \
					   bool clamp, bool ieee)              \
	{                                                                      \
		(void)Y;                                                       \
		(void)Z;                                                       \
		(void)clamp;                                                   \
		(void)ieee;                                                    \
		return (uint32_t)(expr)&0xffff;                                \
	}                                                                      \
	ROW(name, d->u[l] = name##_half(a->u[l] & 0xffff, b->u[l] & 0xffff,    \
					c->u[l] & 0xffff, x->clamp, ieee) |    \
			    name##_half(a->u[l] >> 16, b->u[l] >> 16,          \
					c->u[l] >> 16, x->clamp, ieee)         \
				    << 16)

static inline uint32_t
signed16(int32_t value, bool clamp)
{
	return (uint32_t)(clamp ? clamp_i64(value, -32768, 32767) : value);
}

static inline uint32_t
unsigned16(int64_t value, bool clamp)
{
	return (uint32_t)(clamp ? clamp_i64(value, 0, 65535) : value);
}

PACKED(v_pk_mad_i16, signed16((int32_t)((uint32_t)(sext16(X) * sext16(Y)) +
					(uint32_t)sext16(Z)),
			      clamp))
PACKED(v_pk_mul_lo_u16, X *Y)
PACKED(v_pk_add_i16, signed16(sext16(X) + sext16(Y), clamp))
PACKED(v_pk_sub_i16, signed16(sext16(X) - sext16(Y), clamp))
PACKED(v_pk_lshlrev_b16, Y << (X & 15))
PACKED(v_pk_lshrrev_b16, Y >> (X & 15))
PACKED(v_pk_ashrrev_i16, sext16(Y) >> (X & 15))
PACKED(v_pk_max_i16, sext16(X) > sext16(Y) ? X : Y)
PACKED(v_pk_min_i16, sext16(X) < sext16(Y) ? X : Y)
PACKED(v_pk_mad_u16, unsigned16((int64_t)X *Y + Z, clamp))
PACKED(v_pk_add_u16, unsigned16((int64_t)X + Y, clamp))
PACKED(v_pk_sub_u16, unsigned16((int64_t)X - Y, clamp))
PACKED(v_pk_max_u16, X > Y ? X : Y)
PACKED(v_pk_min_u16, X < Y ? X : Y)
PACKED(v_pk_fma_f16, to_half(fma((double)from_half(X), (double)from_half(Y),
				 (double)from_half(Z))))
PACKED(v_pk_add_f16, float_to_half(from_half(X) + from_half(Y)))
PACKED(v_pk_mul_f16, float_to_half(from_half(X) * from_half(Y)))
PACKED(v_pk_min_f16, float_to_half(min_f32(from_half(X), from_half(Y), ieee)))
PACKED(v_pk_max_f16, float_to_half(max_f32(from_half(X), from_half(Y), ieee)))

ROW(v_fma_mix_f32, d->f[l] = fmaf(a->f[l], b->f[l], c->f[l]))

/* Exact in double but for the last bit of the sum, far below a half's. */
static inline uint32_t
mix_half(float a, float b, float c)
{
	return to_half(fma((double)a, (double)b, (double)c));
}

ROW(v_fma_mixlo_f16, d->u[l] = mix_half(a->f[l], b->f[l], c->f[l]))

/* Pairs of floats in a 64-bit element: [0] is the low one. */
#define LOW(r) as_float((uint32_t)(r)->q[l])
#define HIGH(r) as_float((uint32_t)((r)->q[l] >> 32))
#define PAIR(low, high) ((uint64_t)float_bits(high) << 32 | float_bits(low))
ROW(v_pk_fma_f32, d->q[l] = PAIR(fmaf(LOW(a), LOW(b), LOW(c)),
				 fmaf(HIGH(a), HIGH(b), HIGH(c))))
ROW(v_pk_mul_f32, d->q[l] = PAIR(LOW(a) * LOW(b), HIGH(a) * HIGH(b)))
ROW(v_pk_add_f32, d->q[l] = PAIR(LOW(a) + LOW(b), HIGH(a) + HIGH(b)))

/* The low result is from the first source, the high one from the second, each
 * the half that op_sel names; op_sel_hi means nothing. */
ROW(v_pk_mov_b32, d->q[l] = (a->q[l] & UINT32_MAX) | b->q[l] << 32)

ROW(v_dot2_f32_f16,
    d->f[l] = (float)((double)from_half(a->u[l]) * (double)from_half(b->u[l]) +
		      (double)from_half(a->u[l] >> 16) *
			      (double)from_half(b->u[l] >> 16) +
		      (double)c->f[l]))

static inline int64_t
dot_signed(uint32_t a, uint32_t b, int bits)
{
	int64_t sum = 0;
	for (int i = 0; i < 32; i += bits) {
		int32_t x = (int32_t)(a << (32 - bits - i)) >> (32 - bits);
		int32_t y = (int32_t)(b << (32 - bits - i)) >> (32 - bits);
		sum += (int64_t)x * y;
	}
	return sum;
}

static inline uint64_t
dot_unsigned(uint32_t a, uint32_t b, int bits)
{
	uint64_t sum = 0;
	uint32_t mask = (1u << bits) - 1;
	for (int i = 0; i < 32; i += bits)
		sum += (uint64_t)(a >> i & mask) * (b >> i & mask);
	return sum;
}

#define DOT_I(name, bits)                                                      \
	ROW(name, int64_t sum = dot_signed(a->u[l], b->u[l], bits) + c->i[l];  \
	    d->i[l] =                                                          \
		    (int32_t)(x->clamp ? clamp_i64(sum, INT32_MIN, INT32_MAX)  \
				       : sum))
#define DOT_U(name, bits)                                                      \
	ROW(name,                                                              \
	    uint64_t sum = dot_unsigned(a->u[l], b->u[l], bits) + c->u[l];     \
	    d->u[l] =                                                          \
		    x->clamp && sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum)
DOT_I(v_dot2_i32_i16, 16)
DOT_U(v_dot2_u32_u16, 16)
DOT_I(v_dot4_i32_i8, 8)
DOT_U(v_dot4_u32_u8, 8)
DOT_I(v_dot8_i32_i4, 4)
DOT_U(v_dot8_u32_u4, 4)

/* gfx11's, of which neg_lo says whose bits have signs. */
static inline int64_t
dot_mixed(const struct inst *inst, uint32_t a, uint32_t b, int bits)
{
	bool sign_a = inst->word[1] >> 29 & 1, sign_b = inst->word[1] >> 30 & 1;
	int64_t sum = 0;
	for (int i = 0; i < 32; i += bits) {
		uint32_t x = a << (32 - bits - i), y = b << (32 - bits - i);
		sum += (sign_a ? (int32_t)x >> (32 - bits)
			       : (int64_t)(x >> (32 - bits))) *
		       (sign_b ? (int32_t)y >> (32 - bits)
			       : (int64_t)(y >> (32 - bits)));
	}
	return sum;
}

#define DOT_IU(name, bits)                                                     \
	ROW(name, int64_t sum = dot_mixed(x->inst, a->u[l], b->u[l], bits) +   \
				c->i[l];                                       \
	    d->i[l] =                                                          \
		    (int32_t)(x->clamp ? clamp_i64(sum, INT32_MIN, INT32_MAX)  \
				       : sum))
DOT_IU(v_dot4_i32_iu8, 8)
DOT_IU(v_dot8_i32_iu4, 4)

ROW(accvgpr_move, d->u[l] = a->u[l])

#define P(n, g9, g11, td, ta, tb, tc)                                          \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ta, T_##tb, T_##tc}, .exec = exec_valu, .row = n   \
	}
#define PX(n, g9, g11, td, ta, tb, tc, ...)                                    \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ta, T_##tb, T_##tc}, .exec = exec_valu, .row = n,  \
		__VA_ARGS__                                                    \
	}
#define IC .flags = OP_INT_CLAMP

static const struct op ops[] = {
	PX(v_pk_mad_i16, 0x0, 0x0, P16, P16, P16, P16, IC),
	P(v_pk_mul_lo_u16, 0x1, 0x1, P16, P16, P16, NONE),
	PX(v_pk_add_i16, 0x2, 0x2, P16, P16, P16, NONE, IC),
	PX(v_pk_sub_i16, 0x3, 0x3, P16, P16, P16, NONE, IC),
	P(v_pk_lshlrev_b16, 0x4, 0x4, P16, P16, P16, NONE),
	P(v_pk_lshrrev_b16, 0x5, 0x5, P16, P16, P16, NONE),
	P(v_pk_ashrrev_i16, 0x6, 0x6, P16, P16, P16, NONE),
	P(v_pk_max_i16, 0x7, 0x7, P16, P16, P16, NONE),
	P(v_pk_min_i16, 0x8, 0x8, P16, P16, P16, NONE),
	PX(v_pk_mad_u16, 0x9, 0x9, P16, P16, P16, P16, IC),
	PX(v_pk_add_u16, 0xa, 0xa, P16, P16, P16, NONE, IC),
	PX(v_pk_sub_u16, 0xb, 0xb, P16, P16, P16, NONE, IC),
	P(v_pk_max_u16, 0xc, 0xc, P16, P16, P16, NONE),
	P(v_pk_min_u16, 0xd, 0xd, P16, P16, P16, NONE),
	P(v_pk_fma_f16, 0xe, 0xe, P16, P16, P16, P16),
	P(v_pk_add_f16, 0xf, 0xf, P16, P16, P16, NONE),
	P(v_pk_mul_f16, 0x10, 0x10, P16, P16, P16, NONE),
	P(v_pk_min_f16, 0x11, 0x11, P16, P16, P16, NONE),
	P(v_pk_max_f16, 0x12, 0x12, P16, P16, P16, NONE),
	P(v_fma_mix_f32, 0x20, 0x20, F32, MIX, MIX, MIX),
	PX(v_fma_mixlo_f16, 0x21, 0x21, F16, MIX, MIX, MIX,
	   .flags = OP_KEEP_HIGH),
	{.name = "v_fma_mixhi_f16",
	 .gfx9 = 0x22,
	 .gfx11 = 0x22,
	 .dst = T_F16,
	 .src = {T_MIX, T_MIX, T_MIX},
	 .exec = exec_valu,
	 .row = v_fma_mixlo_f16,
	 .flags = OP_KEEP_HIGH | OP_HIGH_D16},
	P(v_dot2_f32_f16, 0x23, 0x13, F32, P16, P16, F32),
	PX(v_dot2_i32_i16, 0x26, -1, B32, P16, P16, B32, IC),
	PX(v_dot2_u32_u16, 0x27, -1, B32, P16, P16, B32, IC),
	PX(v_dot4_i32_i8, 0x28, -1, B32, B32, B32, B32, IC),
	PX(v_dot4_i32_iu8, -1, 0x16, B32, B32, B32, B32, IC),
	PX(v_dot8_i32_iu4, -1, 0x18, B32, B32, B32, B32, IC),
	PX(v_dot4_u32_u8, 0x29, 0x17, B32, B32, B32, B32, IC),
	PX(v_dot8_i32_i4, 0x2a, -1, B32, B32, B32, B32, IC),
	PX(v_dot8_u32_u4, 0x2b, 0x19, B32, B32, B32, B32, IC),
	P(v_pk_fma_f32, 0x30, -1, P32, P32, P32, P32),
	P(v_pk_mul_f32, 0x31, -1, P32, P32, P32, NONE),
	P(v_pk_add_f32, 0x32, -1, P32, P32, P32, NONE),
	P(v_pk_mov_b32, 0x33, -1, P32, P32, P32, NONE),
	{.name = "v_accvgpr_read_b32",
	 .gfx9 = 0x58,
	 .gfx11 = -1,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_valu,
	 .row = accvgpr_move},
	{.name = "v_accvgpr_write_b32",
	 .gfx9 = 0x59,
	 .gfx11 = -1,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_valu,
	 .row = accvgpr_move},
};

const struct table table_vop3p = {ops, array_count(ops)};
