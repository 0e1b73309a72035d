/*
 * VOP2: vector instructions with two sources (section 12.7). Most are VOP3 as
 * well, with the same function.
 */
#include "rows.h"

ROW(v_add_f32, d->f[l] = a->f[l] + b->f[l])
ROW(v_sub_f32, d->f[l] = a->f[l] - b->f[l])
ROW(v_subrev_f32, d->f[l] = b->f[l] - a->f[l])
ROW(v_mul_f32, d->f[l] = a->f[l] * b->f[l])
ROW(v_mul_legacy_f32,
    d->f[l] = a->f[l] == 0 || b->f[l] == 0 ? 0 : a->f[l] * b->f[l])
ROW(v_fmac_f64, d->d[l] = fma(a->d[l], b->d[l], c->d[l]))
ROW(v_fmac_f32, d->f[l] = fmaf(a->f[l], b->f[l], c->f[l]))
ROW(v_mac_f32, d->f[l] = a->f[l] * b->f[l] + c->f[l])
ROW(v_madmk_f32, d->f[l] = a->f[l] * c->f[l] + b->f[l])
ROW(v_madak_f32, d->f[l] = a->f[l] * b->f[l] + c->f[l])
ROW(v_fmamk_f32, d->f[l] = fmaf(a->f[l], c->f[l], b->f[l]))
ROW(v_fmaak_f32, d->f[l] = fmaf(a->f[l], b->f[l], c->f[l]))

static inline int32_t
sext24(uint32_t x)
{
	return (int32_t)(x << 8) >> 8;
}

ROW(v_mul_i32_i24,
    d->u[l] = (uint32_t)sext24(a->u[l]) * (uint32_t)sext24(b->u[l]))
ROW(v_mul_hi_i32_i24,
    d->i[l] = (int32_t)((int64_t)sext24(a->u[l]) * sext24(b->u[l]) >> 32))
ROW(v_mul_u32_u24, d->u[l] = (a->u[l] & 0xffffff) * (b->u[l] & 0xffffff))
ROW(v_mul_hi_u32_u24, d->u[l] = (uint32_t)((uint64_t)(a->u[l] & 0xffffff) *
						   (b->u[l] & 0xffffff) >>
					   32))
ROW(v_min_f32, d->f[l] = min_f32(a->f[l], b->f[l], ieee))
ROW(v_max_f32, d->f[l] = max_f32(a->f[l], b->f[l], ieee))
ROW(v_min_i32, d->i[l] = a->i[l] < b->i[l] ? a->i[l] : b->i[l])
ROW(v_max_i32, d->i[l] = a->i[l] > b->i[l] ? a->i[l] : b->i[l])
ROW(v_min_u32, d->u[l] = a->u[l] < b->u[l] ? a->u[l] : b->u[l])
ROW(v_max_u32, d->u[l] = a->u[l] > b->u[l] ? a->u[l] : b->u[l])
ROW(v_lshrrev_b32, d->u[l] = b->u[l] >> (a->u[l] & 31))
ROW(v_ashrrev_i32, d->i[l] = b->i[l] >> (a->u[l] & 31))
ROW(v_lshlrev_b32, d->u[l] = b->u[l] << (a->u[l] & 31))
ROW(v_and_b32, d->u[l] = a->u[l] & b->u[l])
ROW(v_or_b32, d->u[l] = a->u[l] | b->u[l])
ROW(v_xor_b32, d->u[l] = a->u[l] ^ b->u[l])
ROW(v_xnor_b32, d->u[l] = ~(a->u[l] ^ b->u[l]))
ROW(add_wrap, d->u[l] = a->u[l] + b->u[l])
ROW(sub_wrap, d->u[l] = a->u[l] - b->u[l])
ROW(add_saturate,
    d->u[l] = a->u[l] + b->u[l] < a->u[l] ? UINT32_MAX : a->u[l] + b->u[l])
ROW(sub_saturate, d->u[l] = a->u[l] < b->u[l] ? 0 : a->u[l] - b->u[l])

static void
v_add_u32(struct args *x)
{
	(x->clamp ? add_saturate : add_wrap)(x);
}

static void
v_sub_u32(struct args *x)
{
	(x->clamp ? sub_saturate : sub_wrap)(x);
}

static void
swap_sources(struct args *x)
{
	const union row *a = x->a;
	x->a = x->b;
	x->b = a;
}

static void
v_subrev_u32(struct args *x)
{
	swap_sources(x);
	v_sub_u32(x);
}

/* With carries. The carry row is all ones or zeroes until it is packed. */
#define CARRY(name, value, over)                                               \
	CLONES static void name(struct args *x)                                \
	{                                                                      \
		union row *d = x->d;                                           \
		const union row *a = x->a, *b = x->b;                          \
		union row carry;                                               \
		uint64_t in = x->in;                                           \
		(void)in;                                                      \
		EACH_LANE                                                      \
		{                                                              \
			uint64_t r = value;                                    \
			uint32_t o = over;                                     \
			d->u[l] = x->clamp && o ? 0u - (r >> 63 ? 0u : 1u)     \
						: (uint32_t)r;                 \
			carry.u[l] = 0 - o;                                    \
		}                                                              \
		x->out = row_mask(&carry);                                     \
	}
CARRY(v_add_co_u32, (uint64_t)a->u[l] + b->u[l], r >> 32 & 1)
CARRY(v_sub_co_u32, (uint64_t)a->u[l] - b->u[l], r >> 63)
CARRY(v_addc_co_u32, (uint64_t)a->u[l] + b->u[l] + (in >> l & 1), r >> 32 & 1)
CARRY(v_subb_co_u32, (uint64_t)a->u[l] - b->u[l] - (in >> l & 1), r >> 63)

static void
v_subrev_co_u32(struct args *x)
{
	swap_sources(x);
	v_sub_co_u32(x);
}

static void
v_subbrev_co_u32(struct args *x)
{
	swap_sources(x);
	v_subb_co_u32(x);
}

ROW(v_cndmask_b32, d->u[l] = x->in >> l & 1 ? b->u[l] : a->u[l])

/* Half precision: sums, products and quotients rounded through float or double
 * are rounded once in effect, as 24 and 53 bits are more than 2 * 11 + 2. */
#define HALF2(op) float_to_half(from_half(a->u[l]) op from_half(b->u[l]))
ROW(v_add_f16, d->u[l] = HALF2(+))
ROW(v_sub_f16, d->u[l] = HALF2(-))
ROW(v_subrev_f16,
    d->u[l] = float_to_half(from_half(b->u[l]) - from_half(a->u[l])))
ROW(v_mul_f16, d->u[l] = HALF2(*))
ROW(v_mac_f16,
    d->u[l] = float_to_half(from_half(HALF2(*)) + from_half(c->u[l])))
ROW(v_madmk_f16,
    d->u[l] = float_to_half(from_half(float_to_half(from_half(a->u[l]) *
						    from_half(c->u[l]))) +
			    from_half(b->u[l])))
ROW(v_fmac_f16, d->u[l] = to_half(fma((double)from_half(a->u[l]),
				      (double)from_half(b->u[l]),
				      (double)from_half(c->u[l]))))
ROW(v_fmamk_f16, d->u[l] = to_half(fma((double)from_half(a->u[l]),
				       (double)from_half(c->u[l]),
				       (double)from_half(b->u[l]))))
ROW(v_max_f16, d->u[l] = float_to_half(max_f32(from_half(a->u[l]),
					       from_half(b->u[l]), ieee)))
ROW(v_min_f16, d->u[l] = float_to_half(min_f32(from_half(a->u[l]),
					       from_half(b->u[l]), ieee)))
ROW(v_ldexp_f16,
    d->u[l] = to_half(ldexp((double)from_half(a->u[l]), sext16(b->u[l]))))
ROW(add_u16, d->u[l] = (a->u[l] + b->u[l]) & 0xffff)
ROW(sub_u16, d->u[l] = (a->u[l] - b->u[l]) & 0xffff)
ROW(add_u16_saturate,
    d->u[l] = a->u[l] + b->u[l] > 0xffff ? 0xffff : a->u[l] + b->u[l])
ROW(sub_u16_saturate, d->u[l] = a->u[l] < b->u[l] ? 0 : a->u[l] - b->u[l])

static void
v_add_u16(struct args *x)
{
	(x->clamp ? add_u16_saturate : add_u16)(x);
}

static void
v_sub_u16(struct args *x)
{
	(x->clamp ? sub_u16_saturate : sub_u16)(x);
}

static void
v_subrev_u16(struct args *x)
{
	swap_sources(x);
	v_sub_u16(x);
}

ROW(v_mul_lo_u16, d->u[l] = a->u[l] * b->u[l] & 0xffff)
ROW(v_lshlrev_b16, d->u[l] = b->u[l] << (a->u[l] & 15) & 0xffff)
ROW(v_lshrrev_b16, d->u[l] = b->u[l] >> (a->u[l] & 15))
ROW(v_ashrrev_i16,
    d->u[l] = (uint32_t)(sext16(b->u[l]) >> (a->u[l] & 15)) & 0xffff)
ROW(v_max_u16, d->u[l] = a->u[l] > b->u[l] ? a->u[l] : b->u[l])
ROW(v_min_u16, d->u[l] = a->u[l] < b->u[l] ? a->u[l] : b->u[l])
ROW(v_max_i16, d->u[l] = sext16(a->u[l]) > sext16(b->u[l]) ? a->u[l] : b->u[l])
ROW(v_min_i16, d->u[l] = sext16(a->u[l]) < sext16(b->u[l]) ? a->u[l] : b->u[l])

/* Two half products summed onto a float. The hardware keeps the products
 * exact; double does too. */
static inline float
dot2(uint32_t a, uint32_t b, float c)
{
	double low = (double)from_half(a) * (double)from_half(b);
	double high = (double)from_half(a >> 16) * (double)from_half(b >> 16);
	return (float)(low + high + (double)c);
}

ROW(v_dot2c_f32_f16, d->f[l] = dot2(a->u[l], b->u[l], c->f[l]))
ROW(v_dot2c_i32_i16,
    d->u[l] = (uint32_t)(sext16(a->u[l]) * sext16(b->u[l])) +
	      (uint32_t)(sext16(a->u[l] >> 16) * sext16(b->u[l] >> 16)) +
	      c->u[l])

/* So many bits each, with their signs. */
static inline uint32_t
dot_signed_bits(uint32_t a, uint32_t b, int bits)
{
	uint32_t sum = 0;
	for (int i = 0; i < 32; i += bits)
		sum += (uint32_t)(((int32_t)(a << (32 - bits - i)) >>
				   (32 - bits)) *
				  ((int32_t)(b << (32 - bits - i)) >>
				   (32 - bits)));
	return sum;
}

ROW(v_dot4c_i32_i8, d->u[l] = dot_signed_bits(a->u[l], b->u[l], 8) + c->u[l])
ROW(v_dot8c_i32_i4, d->u[l] = dot_signed_bits(a->u[l], b->u[l], 4) + c->u[l])

/* Two halves at once; v_pk_fmac_f16 is VOP2 on gfx9. */
static inline uint32_t
pk_fma(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t low = to_half(fma((double)from_half(a), (double)from_half(b),
				   (double)from_half(c)));
	uint32_t high = to_half(fma((double)from_half(a >> 16),
				    (double)from_half(b >> 16),
				    (double)from_half(c >> 16)));
	return low | high << 16;
}

ROW(v_pk_fmac_f16, d->u[l] = pk_fma(a->u[l], b->u[l], c->u[l]))
ROW(v_cvt_pkrtz_f16_f32, /* gfx11 has it here */
    d->u[l] = half_rtz(a->f[l]) | half_rtz(b->f[l]) << 16)

#define V(n, g9, g11, td, ta, tb)                                              \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ta, T_##tb}, .exec = exec_valu, .row = n           \
	}
#define VX(n, g9, g11, td, ta, tb, ...)                                        \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ta, T_##tb}, .exec = exec_valu, .row = n,          \
		__VA_ARGS__                                                    \
	}
#define V3(n, g9, g11, t)                                                      \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##t,            \
		.src = {T_##t, T_##t, T_##t}, .exec = exec_valu, .row = n      \
	}
#define V3X(n, g9, g11, t, ...)                                                \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##t,            \
		.src = {T_##t, T_##t, T_##t}, .exec = exec_valu, .row = n,     \
		__VA_ARGS__                                                    \
	}
#define CO OP_CARRY_OUT | OP_INT_CLAMP
#define CI OP_CARRY_OUT | OP_CARRY_IN | OP_INT_CLAMP

static const struct op ops[] = {
	VX(v_cndmask_b32, 0x0, 0x1, B32, B32, B32, .flags = OP_CARRY_IN),
	V(v_add_f32, 0x1, 0x3, F32, F32, F32),
	V(v_sub_f32, 0x2, 0x4, F32, F32, F32),
	V(v_subrev_f32, 0x3, 0x5, F32, F32, F32),
	V3X(v_fmac_f64, 0x4, -1, F64, .flags = OP_ACCUMULATE),
	V(v_mul_f32, 0x5, 0x8, F32, F32, F32),
	{.name = "v_mul_dx9_zero_f32",
	 .gfx9 = -1,
	 .gfx11 = 0x7,
	 .dst = T_F32,
	 .src = {T_F32, T_F32},
	 .exec = exec_valu,
	 .row = v_mul_legacy_f32},
	V(v_mul_i32_i24, 0x6, 0x9, B32, B32, B32),
	V(v_mul_hi_i32_i24, 0x7, 0xa, B32, B32, B32),
	V(v_mul_u32_u24, 0x8, 0xb, B32, B32, B32),
	V(v_mul_hi_u32_u24, 0x9, 0xc, B32, B32, B32),
	V(v_min_f32, 0xa, 0xf, F32, F32, F32),
	V(v_max_f32, 0xb, 0x10, F32, F32, F32),
	V(v_min_i32, 0xc, 0x11, B32, B32, B32),
	V(v_max_i32, 0xd, 0x12, B32, B32, B32),
	V(v_min_u32, 0xe, 0x13, B32, B32, B32),
	V(v_max_u32, 0xf, 0x14, B32, B32, B32),
	V(v_lshrrev_b32, 0x10, 0x19, B32, B32, B32),
	V(v_ashrrev_i32, 0x11, 0x1a, B32, B32, B32),
	V(v_lshlrev_b32, 0x12, 0x18, B32, B32, B32),
	V(v_and_b32, 0x13, 0x1b, B32, B32, B32),
	V(v_or_b32, 0x14, 0x1c, B32, B32, B32),
	V(v_xor_b32, 0x15, 0x1d, B32, B32, B32),
	V3X(v_mac_f32, 0x16, -1, F32, .flags = OP_ACCUMULATE | OP_FLUSH),
	V3X(v_madmk_f32, 0x17, -1, F32, .flags = OP_LITERAL_K | OP_FLUSH),
	V3X(v_madak_f32, 0x18, -1, F32, .flags = OP_LITERAL_K | OP_FLUSH),
	V3X(v_fmamk_f32, 0x17, 0x2c, F32, .flags = OP_LITERAL_K | OP_ONLY_942),
	V3X(v_fmaak_f32, 0x18, 0x2d, F32, .flags = OP_LITERAL_K | OP_ONLY_942),
	VX(v_add_co_u32, 0x19, -1, B32, B32, B32, .flags = CO),
	VX(v_sub_co_u32, 0x1a, -1, B32, B32, B32, .flags = CO),
	VX(v_subrev_co_u32, 0x1b, -1, B32, B32, B32, .flags = CO),
	VX(v_addc_co_u32, 0x1c, 0x20, B32, B32, B32, .flags = CI),
	VX(v_subb_co_u32, 0x1d, 0x21, B32, B32, B32, .flags = CI),
	VX(v_subbrev_co_u32, 0x1e, 0x22, B32, B32, B32, .flags = CI),
	V(v_add_f16, 0x1f, 0x32, F16, F16, F16),
	V(v_sub_f16, 0x20, 0x33, F16, F16, F16),
	V(v_subrev_f16, 0x21, 0x34, F16, F16, F16),
	V(v_mul_f16, 0x22, 0x35, F16, F16, F16),
	V3X(v_mac_f16, 0x23, -1, F16, .flags = OP_ACCUMULATE),
	V3X(v_madmk_f16, 0x24, -1, F16, .flags = OP_LITERAL_K),
	{.name = "v_madak_f16",
	 .gfx9 = 0x25,
	 .gfx11 = -1,
	 .dst = T_F16,
	 .src = {T_F16, T_F16, T_F16},
	 .exec = exec_valu,
	 .row = v_mac_f16,
	 .flags = OP_LITERAL_K},
	V3X(v_fmac_f16, -1, 0x36, F16, .flags = OP_ACCUMULATE),
	V3X(v_fmamk_f16, -1, 0x37, F16, .flags = OP_LITERAL_K),
	{.name = "v_fmaak_f16",
	 .gfx9 = -1,
	 .gfx11 = 0x38,
	 .dst = T_F16,
	 .src = {T_F16, T_F16, T_F16},
	 .exec = exec_valu,
	 .row = v_fmac_f16,
	 .flags = OP_LITERAL_K},
	VX(v_add_u16, 0x26, -1, B16, B16, B16, .flags = OP_INT_CLAMP),
	VX(v_sub_u16, 0x27, -1, B16, B16, B16, .flags = OP_INT_CLAMP),
	VX(v_subrev_u16, 0x28, -1, B16, B16, B16, .flags = OP_INT_CLAMP),
	V(v_mul_lo_u16, 0x29, -1, B16, B16, B16),
	V(v_lshlrev_b16, 0x2a, -1, B16, B16, B16),
	V(v_lshrrev_b16, 0x2b, -1, B16, B16, B16),
	V(v_ashrrev_i16, 0x2c, -1, B16, B16, B16),
	V(v_max_f16, 0x2d, 0x39, F16, F16, F16),
	V(v_min_f16, 0x2e, 0x3a, F16, F16, F16),
	V(v_max_u16, 0x2f, -1, B16, B16, B16),
	V(v_max_i16, 0x30, -1, B16, B16, B16),
	V(v_min_u16, 0x31, -1, B16, B16, B16),
	V(v_min_i16, 0x32, -1, B16, B16, B16),
	V(v_ldexp_f16, 0x33, 0x3b, F16, F16, B16),
	VX(v_add_u32, 0x34, 0x25, B32, B32, B32, .flags = OP_INT_CLAMP),
	VX(v_sub_u32, 0x35, 0x26, B32, B32, B32, .flags = OP_INT_CLAMP),
	VX(v_subrev_u32, 0x36, 0x27, B32, B32, B32, .flags = OP_INT_CLAMP),
	{.name = "v_dot2c_f32_f16",
	 .gfx9 = 0x37,
	 .gfx11 = 0x2,
	 .dst = T_F32,
	 .src = {T_B32, T_B32, T_F32},
	 .exec = exec_valu,
	 .row = v_dot2c_f32_f16,
	 .flags = OP_ACCUMULATE},
	{.name = "v_dot2c_i32_i16",
	 .gfx9 = 0x38,
	 .gfx11 = -1,
	 .dst = T_B32,
	 .src = {T_B32, T_B32, T_B32},
	 .exec = exec_valu,
	 .row = v_dot2c_i32_i16,
	 .flags = OP_ACCUMULATE},
	{.name = "v_dot4c_i32_i8",
	 .gfx9 = 0x39,
	 .gfx11 = -1,
	 .dst = T_B32,
	 .src = {T_B32, T_B32, T_B32},
	 .exec = exec_valu,
	 .row = v_dot4c_i32_i8,
	 .flags = OP_ACCUMULATE},
	{.name = "v_dot8c_i32_i4",
	 .gfx9 = 0x3a,
	 .gfx11 = -1,
	 .dst = T_B32,
	 .src = {T_B32, T_B32, T_B32},
	 .exec = exec_valu,
	 .row = v_dot8c_i32_i4,
	 .flags = OP_ACCUMULATE},
	V3X(v_fmac_f32, 0x3b, 0x2b, F32, .flags = OP_ACCUMULATE),
	V3X(v_pk_fmac_f16, 0x3c, 0x3c, B32, .flags = OP_ACCUMULATE),
	V(v_xnor_b32, 0x3d, 0x1e, B32, B32, B32),
	V(v_cvt_pkrtz_f16_f32, -1, 0x2f, B32, F32, F32),
};

const struct table table_vop2 = {ops, array_count(ops)};

/* What gfx9 has as VOP2 and gfx11 only as VOP3. */
static const struct op moved[] = {
	VX(v_add_u16, -1, 0x303, B16, B16, B16,
	   .flags = OP_INT_CLAMP | OP_KEEP_HIGH),
	VX(v_sub_u16, -1, 0x304, B16, B16, B16,
	   .flags = OP_INT_CLAMP | OP_KEEP_HIGH),
	VX(v_mul_lo_u16, -1, 0x305, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_lshlrev_b16, -1, 0x338, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_lshrrev_b16, -1, 0x339, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_ashrrev_i16, -1, 0x33a, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_max_u16, -1, 0x309, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_max_i16, -1, 0x30a, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_min_u16, -1, 0x30b, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_min_i16, -1, 0x30c, B16, B16, B16, .flags = OP_KEEP_HIGH),
	VX(v_add_co_u32, -1, 0x300, B32, B32, B32, .flags = CO),
	VX(v_sub_co_u32, -1, 0x301, B32, B32, B32, .flags = CO),
	VX(v_subrev_co_u32, -1, 0x302, B32, B32, B32, .flags = CO),
};

const struct table table_vop2_moved = {moved, array_count(moved)};
