/*
 * VOP3: vector instructions that have no shorter form (section 12.10).
 */
#include "rows.h"

/* ---- floats ---- */

ROW(v_mad_f32, d->f[l] = a->f[l] * b->f[l] + c->f[l])
ROW(v_fma_f32, d->f[l] = fmaf(a->f[l], b->f[l], c->f[l]))
ROW(v_fma_f64, d->d[l] = fma(a->d[l], b->d[l], c->d[l]))
ROW(v_min3_f32,
    d->f[l] = min_f32(min_f32(a->f[l], b->f[l], ieee), c->f[l], ieee))
ROW(v_max3_f32,
    d->f[l] = max_f32(max_f32(a->f[l], b->f[l], ieee), c->f[l], ieee))
ROW(v_med3_f32, d->f[l] = med3_f32(a->f[l], b->f[l], c->f[l], ieee))
ROW(v_maxmin_f32,
    d->f[l] = min_f32(max_f32(a->f[l], b->f[l], ieee), c->f[l], ieee))
ROW(v_minmax_f32,
    d->f[l] = max_f32(min_f32(a->f[l], b->f[l], ieee), c->f[l], ieee))
ROW(v_add_f64, d->d[l] = a->d[l] + b->d[l])
ROW(v_mul_f64, d->d[l] = a->d[l] * b->d[l])
ROW(v_min_f64, d->d[l] = min_f64(a->d[l], b->d[l], ieee))
ROW(v_max_f64, d->d[l] = max_f64(a->d[l], b->d[l], ieee))
ROW(v_ldexp_f32,
    d->f[l] = (float)ldexp((double)a->f[l], (int)clamp_i64(b->i[l], -400, 400)))
ROW(v_ldexp_f64, d->d[l] = ldexp(a->d[l], (int)clamp_i64(b->i[l], -5000, 5000)))
ROW(v_mul_legacy_f32,
    d->f[l] = a->f[l] == 0 || b->f[l] == 0 ? 0 : a->f[l] * b->f[l])

#define HA (double)from_half(a->u[l])
#define HB (double)from_half(b->u[l])
#define HC (double)from_half(c->u[l])
ROW(v_fma_f16, d->u[l] = to_half(fma(HA, HB, HC)))
ROW(v_mad_f16, d->u[l] = to_half((double)from_half(to_half(HA * HB)) + HC))
ROW(v_min3_f16,
    d->u[l] = float_to_half(min_f32(min_f32((float)HA, (float)HB, ieee),
				    (float)HC, ieee)))
ROW(v_max3_f16,
    d->u[l] = float_to_half(max_f32(max_f32((float)HA, (float)HB, ieee),
				    (float)HC, ieee)))
ROW(v_med3_f16,
    d->u[l] = float_to_half(med3_f32((float)HA, (float)HB, (float)HC, ieee)))
ROW(v_maxmin_f16,
    d->u[l] = float_to_half(min_f32(max_f32((float)HA, (float)HB, ieee),
				    (float)HC, ieee)))
ROW(v_minmax_f16,
    d->u[l] = float_to_half(max_f32(min_f32((float)HA, (float)HB, ieee),
				    (float)HC, ieee)))
ROW(v_pack_b32_f16, d->u[l] = a->u[l] | b->u[l] << 16)

/* ---- division ----
 *
 * V_DIV_SCALE brings numerator (c) and denominator (b) to where Newton's method
 * neither overflows nor loses bits, V_DIV_FMAS takes the scale back in its one
 * rounding, V_DIV_FIXUP puts special cases right. A scaled quotient is far
 * above or far below 1, so its exponent tells the direction of the scale. */

static inline int
exponent_f32(float x)
{
	return (int)(float_bits(x) >> 23 & 0xff);
}

static inline int
exponent_f64(double x)
{
	return (int)(double_bits(x) >> 52 & 0x7ff);
}

static inline float
div_scale_f32(float s0, float den, float num, uint32_t *vcc)
{
	double q = fabs((double)num / (double)den);
	bool tiny_rcp = fabsf(den) > 0x1p126f && isfinite(den);
	bool tiny_q = q < 0x1p-126 && q > 0;
	bool is_den = float_bits(s0) == float_bits(den);
	bool is_num = float_bits(s0) == float_bits(num);
	*vcc = 0;
	if (den == 0 || num == 0)
		return NAN;
	if (exponent_f32(num) - exponent_f32(den) >= 96) {
		*vcc = 1;
		return is_den ? s0 * 0x1p64f : s0;
	}
	if (exponent_f32(den) == 0)
		return s0 * 0x1p64f;
	if (tiny_rcp && tiny_q) {
		*vcc = 1;
		return is_den ? s0 * 0x1p-64f : s0;
	}
	if (tiny_rcp)
		return s0 * 0x1p-64f;
	if (tiny_q) {
		*vcc = 1;
		return is_num ? s0 * 0x1p64f : s0;
	}
	return exponent_f32(num) <= 23 ? s0 * 0x1p64f : s0;
}

static inline double
div_scale_f64(double s0, double den, double num, uint32_t *vcc)
{
	long double q = fabsl((long double)num / (long double)den);
	bool tiny_rcp = fabs(den) > 0x1p1022 && isfinite(den);
	bool tiny_q = q < 0x1p-1022L && q > 0;
	bool is_den = double_bits(s0) == double_bits(den);
	bool is_num = double_bits(s0) == double_bits(num);
	*vcc = 0;
	if (den == 0 || num == 0)
		return NAN;
	if (exponent_f64(num) - exponent_f64(den) >= 768) {
		*vcc = 1;
		return is_den ? s0 * 0x1p128 : s0;
	}
	if (exponent_f64(den) == 0)
		return s0 * 0x1p128;
	if (tiny_rcp && tiny_q) {
		*vcc = 1;
		return is_den ? s0 * 0x1p-128 : s0;
	}
	if (tiny_rcp)
		return s0 * 0x1p-128;
	if (tiny_q) {
		*vcc = 1;
		return is_num ? s0 * 0x1p128 : s0;
	}
	return exponent_f64(num) <= 53 ? s0 * 0x1p128 : s0;
}

static void
v_div_scale_f32(struct args *x)
{
	union row vcc;
	for (int l = 0; l < LANES; l++) {
		uint32_t bit;
		x->d->f[l] =
			div_scale_f32(x->a->f[l], x->b->f[l], x->c->f[l], &bit);
		vcc.u[l] = 0 - bit;
	}
	x->out = row_mask(&vcc);
}

static void
v_div_scale_f64(struct args *x)
{
	union row vcc;
	for (int l = 0; l < LANES; l++) {
		uint32_t bit;
		x->d->d[l] =
			div_scale_f64(x->a->d[l], x->b->d[l], x->c->d[l], &bit);
		vcc.u[l] = 0 - bit;
	}
	x->out = row_mask(&vcc);
}

/* The sum, scaled, rounded once: to scale is exact but where the result is no
 * normal number, and there all bits of the sum are wanted. */
static inline float
div_fmas_f32(float a, float b, float c, bool scaled)
{
	float sum = fmaf(a, b, c), scale;
	if (!scaled)
		return sum;
	scale = exponent_f32(c) > 127 ? 0x1p64f : 0x1p-64f;
	if (!(fabsf(sum * scale) <= 0x1p-126f))
		return sum * scale;
	return (float)(((quad)a * (quad)b + (quad)c) * (quad)scale);
}

static inline double
div_fmas_f64(double a, double b, double c, bool scaled)
{
	double sum = fma(a, b, c), scale;
	if (!scaled)
		return sum;
	scale = exponent_f64(c) > 1023 ? 0x1p128 : 0x1p-128;
	if (!(fabs(sum * scale) <= 0x1p-1022))
		return sum * scale;
	return (double)(((quad)a * (quad)b + (quad)c) * (quad)scale);
}

static void
v_div_fmas_f32(struct args *x)
{
	for (int l = 0; l < LANES; l++)
		x->d->f[l] = div_fmas_f32(x->a->f[l], x->b->f[l], x->c->f[l],
					  x->in >> l & 1);
}

static void
v_div_fmas_f64(struct args *x)
{
	for (int l = 0; l < LANES; l++)
		x->d->d[l] = div_fmas_f64(x->a->d[l], x->b->d[l], x->c->d[l],
					  x->in >> l & 1);
}

/* span: exponent distance below which nothing but zero is left. */
static inline double
div_fixup(double q, double den, double num, int distance, int span,
	  bool den_huge)
{
	double sign = signbit(den) != signbit(num) ? -1.0 : 1.0;
	if (num != num)
		return num + num;
	if (den != den)
		return den + den;
	if ((den == 0 && num == 0) || (isinf(den) && isinf(num)))
		return (double)-NAN;
	if (den == 0 || isinf(num))
		return sign * (double)INFINITY;
	if (isinf(den) || num == 0)
		return sign * 0.0;
	if (distance < span)
		return sign * 0.0;
	if (den_huge)
		return sign * (double)INFINITY;
	return q != q ? sign * (double)INFINITY : sign * fabs(q);
}

ROW(v_div_fixup_f32,
    d->f[l] = (float)div_fixup((double)a->f[l], (double)b->f[l],
			       (double)c->f[l],
			       exponent_f32(c->f[l]) - exponent_f32(b->f[l]),
			       -150, false))
ROW(v_div_fixup_f64,
    d->d[l] = div_fixup(a->d[l], b->d[l], c->d[l],
			exponent_f64(c->d[l]) - exponent_f64(b->d[l]), -1075,
			false))
ROW(v_div_fixup_f16, d->u[l] = to_half(div_fixup(HA, HB, HC, 0, -99, false)))

/* 2/pi, from its first bit after the point. */
static const uint32_t two_over_pi[] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c,
	0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
	0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
	0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
	0x56033046, 0xfc7b6bab,
};

/* 53 bits of 2/pi from bit at on, as a whole number. */
static uint64_t
two_over_pi_bits(uint32_t at)
{
	uint64_t bits = 0;
	for (uint32_t i = at; i < at + 53; i++) {
		uint32_t word = i / 32 < array_count(two_over_pi)
					? two_over_pi[i / 32]
					: 0;
		bits = bits << 1 | (word >> (31 - i % 32) & 1);
	}
	return bits;
}

/* Segment b of 2/pi for the range reduction of a: AMD's description of
 * V_TRIG_PREOP_F64. */
static inline double
trig_preop(double a, uint32_t b)
{
	int exponent = exponent_f64(a);
	int shift = (int)(b & 31) * 53;
	if (exponent > 1077)
		shift += exponent - 1077;
	int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
	return ldexp((double)two_over_pi_bits((uint32_t)shift), scale);
}

static void
v_trig_preop_f64(struct args *x)
{
	for (int l = 0; l < LANES; l++)
		x->d->d[l] = trig_preop(x->a->d[l], x->b->u[l]);
}

/* ---- integers ---- */

static inline int64_t
sext24(uint32_t x)
{
	return (int32_t)(x << 8) >> 8;
}

ROW(v_mad_i32_i24,
    d->u[l] = (uint32_t)(sext24(a->u[l]) * sext24(b->u[l])) + c->u[l])
ROW(v_mad_u32_u24,
    d->u[l] = (a->u[l] & 0xffffff) * (b->u[l] & 0xffffff) + c->u[l])
ROW(v_mad_u32_u16, d->u[l] = a->u[l] * b->u[l] + c->u[l])
ROW(v_mad_i32_i16,
    d->u[l] = (uint32_t)(sext16(a->u[l]) * sext16(b->u[l])) + c->u[l])
ROW(v_mad_u16, d->u[l] = (a->u[l] * b->u[l] + c->u[l]) & 0xffff)

static inline uint32_t
bfe_u(uint32_t x, uint32_t at, uint32_t width)
{
	return x >> (at & 31) & ((1u << (width & 31)) - 1);
}

static inline int32_t
bfe_i(uint32_t x, uint32_t at, uint32_t width)
{
	width &= 31;
	uint32_t field = bfe_u(x, at, width);
	uint32_t sign = width ? 1u << (width - 1) : 0;
	return (int32_t)((field ^ sign) - sign);
}

/* Fields that reach beyond bit 31 end there: the sign is then bit 31. */
static inline int32_t
bfe_i_cut(uint32_t x, uint32_t at, uint32_t width)
{
	at &= 31;
	width &= 31;
	if (at + width > 31)
		return width ? (int32_t)x >> at : 0;
	return bfe_i(x, at, width);
}

ROW(v_bfe_u32, d->u[l] = bfe_u(a->u[l], b->u[l], c->u[l]))
ROW(v_bfe_i32, d->i[l] = bfe_i_cut(a->u[l], b->u[l], c->u[l]))
ROW(v_bfi_b32, d->u[l] = (a->u[l] & b->u[l]) | (~a->u[l] & c->u[l]))
ROW(v_alignbit_b32,
    d->u[l] = (uint32_t)(((uint64_t)a->u[l] << 32 | b->u[l]) >> (c->u[l] & 31)))
ROW(v_alignbyte_b32, d->u[l] = (uint32_t)(((uint64_t)a->u[l] << 32 | b->u[l]) >>
					  (c->u[l] & 3) * 8))

#define MIN(p, q) ((p) < (q) ? (p) : (q))
#define MAX(p, q) ((p) > (q) ? (p) : (q))
#define MED(p, q, r) MAX(MIN(p, q), MIN(MAX(p, q), r))
ROW(v_min3_i32, d->i[l] = MIN(MIN(a->i[l], b->i[l]), c->i[l]))
ROW(v_min3_u32, d->u[l] = MIN(MIN(a->u[l], b->u[l]), c->u[l]))
ROW(v_max3_i32, d->i[l] = MAX(MAX(a->i[l], b->i[l]), c->i[l]))
ROW(v_max3_u32, d->u[l] = MAX(MAX(a->u[l], b->u[l]), c->u[l]))
ROW(v_med3_i32, d->i[l] = MED(a->i[l], b->i[l], c->i[l]))
ROW(v_med3_u32, d->u[l] = MED(a->u[l], b->u[l], c->u[l]))
ROW(v_maxmin_u32, d->u[l] = MIN(MAX(a->u[l], b->u[l]), c->u[l]))
ROW(v_minmax_u32, d->u[l] = MAX(MIN(a->u[l], b->u[l]), c->u[l]))
ROW(v_maxmin_i32, d->i[l] = MIN(MAX(a->i[l], b->i[l]), c->i[l]))
ROW(v_minmax_i32, d->i[l] = MAX(MIN(a->i[l], b->i[l]), c->i[l]))
#define SA sext16(a->u[l])
#define SB sext16(b->u[l])
#define SC sext16(c->u[l])
ROW(v_min3_i16, d->u[l] = (uint32_t)MIN(MIN(SA, SB), SC) & 0xffff)
ROW(v_max3_i16, d->u[l] = (uint32_t)MAX(MAX(SA, SB), SC) & 0xffff)
ROW(v_med3_i16, d->u[l] = (uint32_t)MED(SA, SB, SC) & 0xffff)

static inline uint32_t
abs_diff(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

static inline uint32_t
sad_u8(uint32_t a, uint32_t b)
{
	uint32_t sum = 0;
	for (int i = 0; i < 32; i += 8)
		sum += abs_diff(a >> i & 0xff, b >> i & 0xff);
	return sum;
}

ROW(v_sad_u8, d->u[l] = sad_u8(a->u[l], b->u[l]) + c->u[l])
ROW(v_sad_hi_u8, d->u[l] = (sad_u8(a->u[l], b->u[l]) << 16) + c->u[l])
ROW(v_sad_u16, d->u[l] = abs_diff(a->u[l] & 0xffff, b->u[l] & 0xffff) +
			 abs_diff(a->u[l] >> 16, b->u[l] >> 16) + c->u[l])
ROW(v_sad_u32, d->u[l] = abs_diff(a->u[l], b->u[l]) + c->u[l])

static inline uint32_t
lerp_u8(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t r = 0;
	for (int i = 0; i < 32; i += 8)
		r |= (((a >> i & 0xff) + (b >> i & 0xff) + (c >> i & 1)) >> 1 &
		      0xff)
		     << i;
	return r;
}

ROW(v_lerp_u8, d->u[l] = lerp_u8(a->u[l], b->u[l], c->u[l]))
ROW(v_cvt_pk_u8_f32,
    d->u[l] = (c->u[l] & ~(0xffu << (b->u[l] & 3) * 8)) |
	      (uint32_t)clamp_i64(to_i32((double)truncf(a->f[l])), 0, 255)
		      << (b->u[l] & 3) * 8)

/* Selector values: 0-3 bytes of b, 4-7 bytes of a, 8-11 signs of their halves,
 * 12 zero, above it all ones. */
static inline uint32_t
perm_byte(uint32_t a, uint32_t b, uint32_t select)
{
	uint64_t both = (uint64_t)a << 32 | b;
	if (select < 8)
		return both >> select * 8 & 0xff;
	if (select < 12)
		return both >> ((select - 8) * 16 + 15) & 1 ? 0xff : 0;
	return select == 12 ? 0 : 0xff;
}

static inline uint32_t
perm(uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t r = 0;
	for (int i = 0; i < 32; i += 8)
		r |= perm_byte(a, b, c >> i & 0xff) << i;
	return r;
}

ROW(v_perm_b32, d->u[l] = perm(a->u[l], b->u[l], c->u[l]))
ROW(v_xad_u32, d->u[l] = (a->u[l] ^ b->u[l]) + c->u[l])
ROW(v_lshl_add_u32, d->u[l] = (a->u[l] << (b->u[l] & 31)) + c->u[l])
ROW(v_add_lshl_u32, d->u[l] = (a->u[l] + b->u[l]) << (c->u[l] & 31))
ROW(v_add3_u32, d->u[l] = a->u[l] + b->u[l] + c->u[l])
ROW(v_lshl_or_b32, d->u[l] = a->u[l] << (b->u[l] & 31) | c->u[l])
ROW(v_and_or_b32, d->u[l] = (a->u[l] & b->u[l]) | c->u[l])
ROW(v_or3_b32, d->u[l] = a->u[l] | b->u[l] | c->u[l])
ROW(v_xor3_b32, d->u[l] = a->u[l] ^ b->u[l] ^ c->u[l])
ROW(v_lshl_add_u64, d->q[l] = (a->q[l] << (b->u[l] & 7)) + c->q[l])
ROW(v_mul_lo_u32, d->u[l] = a->u[l] * b->u[l])
ROW(v_mul_hi_u32, d->u[l] = (uint32_t)((uint64_t)a->u[l] * b->u[l] >> 32))
ROW(v_mul_hi_i32, d->i[l] = (int32_t)((int64_t)a->i[l] * b->i[l] >> 32))
ROW(v_bcnt_u32_b32, d->u[l] = (uint32_t)__builtin_popcount(a->u[l]) + b->u[l])
ROW(v_bfm_b32, d->u[l] = ((1u << (a->u[l] & 31)) - 1) << (b->u[l] & 31))
ROW(v_lshlrev_b64, d->q[l] = b->q[l] << (a->u[l] & 63))
ROW(v_lshrrev_b64, d->q[l] = b->q[l] >> (a->u[l] & 63))
ROW(v_ashrrev_i64, d->l[l] = b->l[l] >> (a->u[l] & 63))
ROW(v_and_b16, d->u[l] = a->u[l] & b->u[l])
ROW(v_or_b16, d->u[l] = a->u[l] | b->u[l])
ROW(v_xor_b16, d->u[l] = a->u[l] ^ b->u[l])
ROW(v_cndmask_b16, d->u[l] = x->in >> l & 1 ? b->u[l] : a->u[l])

/* Signed, with saturation where clamp asks for it. */
static inline int32_t
narrow(int64_t value, bool saturate, int bits)
{
	int64_t most = ((int64_t)1 << (bits - 1)) - 1;
	return (int32_t)(saturate ? clamp_i64(value, -most - 1, most) : value);
}

ROW(v_add_i32, d->i[l] = narrow((int64_t)a->i[l] + b->i[l], x->clamp, 32))
ROW(v_sub_i32, d->i[l] = narrow((int64_t)a->i[l] - b->i[l], x->clamp, 32))
ROW(v_add_i16, d->u[l] = (uint32_t)narrow(SA + SB, x->clamp, 16) & 0xffff)
ROW(v_sub_i16, d->u[l] = (uint32_t)narrow(SA - SB, x->clamp, 16) & 0xffff)

static void
v_mad_u64_u32(struct args *x)
{
	union row over;
	for (int l = 0; l < LANES; l++) {
		uint64_t product = (uint64_t)x->a->u[l] * x->b->u[l];
		uint64_t sum = product + x->c->q[l];
		over.u[l] = sum < product ? UINT32_MAX : 0;
		x->d->q[l] = sum;
	}
	x->out = row_mask(&over);
}

static void
v_mad_i64_i32(struct args *x)
{
	union row over;
	for (int l = 0; l < LANES; l++) {
		int64_t product = (int64_t)x->a->i[l] * x->b->i[l];
		int64_t sum;
		over.u[l] = __builtin_add_overflow(product, x->c->l[l], &sum)
				    ? UINT32_MAX
				    : 0;
		x->d->l[l] = sum;
	}
	x->out = row_mask(&over);
}

/* ---- conversions and packing ---- */

static inline uint32_t
norm16(double value, bool sign)
{
	double scaled = rint(value * (sign ? 32767.0 : 65535.0));
	return (uint32_t)clamp_i64(to_i32(scaled), sign ? -32767 : 0,
				   sign ? 32767 : 65535) &
	       0xffff;
}

ROW(v_cvt_pknorm_i16_f32, d->u[l] = norm16((double)a->f[l], true) |
				    norm16((double)b->f[l], true) << 16)
ROW(v_cvt_pknorm_u16_f32, d->u[l] = norm16((double)a->f[l], false) |
				    norm16((double)b->f[l], false) << 16)
ROW(v_cvt_pkrtz_f16_f32, d->u[l] = half_rtz(a->f[l]) | half_rtz(b->f[l]) << 16)
ROW(v_cvt_pk_u16_u32, d->u[l] = MIN(a->u[l], 0xffffu) | MIN(b->u[l], 0xffffu)
								<< 16)
ROW(v_cvt_pk_i16_i32,
    d->u[l] = ((uint32_t)clamp_i64(a->i[l], -32768, 32767) & 0xffff) |
	      (uint32_t)clamp_i64(b->i[l], -32768, 32767) << 16)
ROW(v_cvt_pknorm_i16_f16, d->u[l] = norm16(HA, true) | norm16(HB, true) << 16)
ROW(v_cvt_pknorm_u16_f16, d->u[l] = norm16(HA, false) | norm16(HB, false) << 16)

/* ---- across lanes ---- */

static void
v_readlane_b32(struct args *x)
{
	x->d->u[0] =
		x->a->u[x->b->u[0] & (uint32_t)(x->wave->wave32 ? 31 : 63)];
}

static void
exec_writelane(struct wave *w, const struct inst *i)
{
	uint32_t lane = (uint32_t)operand_scalar(w, &i->src[1]) &
			(w->wave32 ? 31u : 63u);
	w->v[i->dst.reg][lane] = (uint32_t)operand_scalar(w, &i->src[0]);
}

ROW(v_mbcnt_lo_u32_b32,
    d->u[l] = b->u[l] +
	      (uint32_t)__builtin_popcount(
		      a->u[l] & (l < 32 ? (1u << (l & 31)) - 1 : UINT32_MAX)))
ROW(v_mbcnt_hi_u32_b32,
    d->u[l] = b->u[l] +
	      (uint32_t)__builtin_popcount(a->u[l] &
					   (l > 32 ? (1u << (l & 31)) - 1 : 0)))

/* Within rows of 16 lanes, or with the neighbouring row: selectors of 4 bits in
 * b and c, one a lane (RDNA3 ISA, V_PERMLANE16_B32). op_sel[0]: from inactive
 * lanes too; op_sel[1]: 0 instead of keeping what no active lane gives. */
static void
permlane16(struct args *x, int other)
{
	uint64_t select = (uint64_t)x->c->u[0] << 32 | x->b->u[0];
	bool inactive = x->inst->unused & 1; /* op_sel */
	union row old, source;
	memcpy(&old, x->wave->v[x->inst->dst.reg], sizeof(vgpr_row));
	memcpy(&source, x->a, sizeof(vgpr_row));
	for (int l = 0; l < LANES; l++) {
		int from = (l & ~15) ^ other;
		from |= (int)(select >> (l & 15) * 4 & 15);
		bool live = inactive || x->exec >> from & 1;
		bool zero = x->inst->unused & 2;
		x->d->u[l] = live ? source.u[from] : zero ? 0 : old.u[l];
	}
}

static void
v_permlane16_b32(struct args *x)
{
	permlane16(x, 0);
}

static void
v_permlanex16_b32(struct args *x)
{
	permlane16(x, 16);
}

#define V3(n, g9, g11, td, ta, tb, tc)                                         \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ta, T_##tb, T_##tc}, .exec = exec_valu, .row = n   \
	}
#define V3X(n, g9, g11, td, ta, tb, tc, ...)                                   \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ta, T_##tb, T_##tc}, .exec = exec_valu, .row = n,  \
		__VA_ARGS__                                                    \
	}
#define V2(n, g9, g11, td, ta, tb) V3(n, g9, g11, td, ta, tb, NONE)
#define V2X(n, g9, g11, td, ta, tb, ...)                                       \
	V3X(n, g9, g11, td, ta, tb, NONE, __VA_ARGS__)
#define NAMED(s, n, g9, g11, td, ta, tb, tc)                                   \
	{                                                                      \
		.name = s, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,            \
		.src = {T_##ta, T_##tb, T_##tc}, .exec = exec_valu, .row = n   \
	}
#define NAMEDX(s, n, g9, g11, td, ta, tb, tc, ...)                             \
	{                                                                      \
		.name = s, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,            \
		.src = {T_##ta, T_##tb, T_##tc}, .exec = exec_valu, .row = n,  \
		__VA_ARGS__                                                    \
	}

static const struct op ops[] = {
	V3X(v_mad_f32, 0x1c1, -1, F32, F32, F32, F32,
	    .flags = OP_FLUSH | OP_ONLY_90A),
	V3(v_mad_i32_i24, 0x1c2, 0x20a, B32, B32, B32, B32),
	V3(v_mad_u32_u24, 0x1c3, 0x20b, B32, B32, B32, B32),
	V3(v_bfe_u32, 0x1c8, 0x210, B32, B32, B32, B32),
	V3(v_bfe_i32, 0x1c9, 0x211, B32, B32, B32, B32),
	V3(v_bfi_b32, 0x1ca, 0x212, B32, B32, B32, B32),
	V3(v_fma_f32, 0x1cb, 0x213, F32, F32, F32, F32),
	V3(v_fma_f64, 0x1cc, 0x214, F64, F64, F64, F64),
	V3(v_lerp_u8, 0x1cd, 0x215, B32, B32, B32, B32),
	V3(v_alignbit_b32, 0x1ce, 0x216, B32, B32, B32, B32),
	V3(v_alignbyte_b32, 0x1cf, 0x217, B32, B32, B32, B32),
	V3(v_min3_f32, 0x1d0, 0x219, F32, F32, F32, F32),
	V3(v_min3_i32, 0x1d1, 0x21a, B32, B32, B32, B32),
	V3(v_min3_u32, 0x1d2, 0x21b, B32, B32, B32, B32),
	V3(v_max3_f32, 0x1d3, 0x21c, F32, F32, F32, F32),
	V3(v_max3_i32, 0x1d4, 0x21d, B32, B32, B32, B32),
	V3(v_max3_u32, 0x1d5, 0x21e, B32, B32, B32, B32),
	V3(v_med3_f32, 0x1d6, 0x21f, F32, F32, F32, F32),
	V3(v_med3_i32, 0x1d7, 0x220, B32, B32, B32, B32),
	V3(v_med3_u32, 0x1d8, 0x221, B32, B32, B32, B32),
	V3(v_sad_u8, 0x1d9, 0x222, B32, B32, B32, B32),
	V3(v_sad_hi_u8, 0x1da, 0x223, B32, B32, B32, B32),
	V3(v_sad_u16, 0x1db, 0x224, B32, B32, B32, B32),
	V3(v_sad_u32, 0x1dc, 0x225, B32, B32, B32, B32),
	V3(v_cvt_pk_u8_f32, 0x1dd, 0x226, B32, F32, B32, B32),
	V3(v_div_fixup_f32, 0x1de, 0x227, F32, F32, F32, F32),
	V3(v_div_fixup_f64, 0x1df, 0x228, F64, F64, F64, F64),
	V3X(v_div_scale_f32, 0x1e0, 0x2fc, F32, F32, F32, F32,
	    .flags = OP_SDST),
	V3X(v_div_scale_f64, 0x1e1, 0x2fd, F64, F64, F64, F64,
	    .flags = OP_SDST),
	V3X(v_div_fmas_f32, 0x1e2, 0x237, F32, F32, F32, F32,
	    .flags = OP_VCC_IN),
	V3X(v_div_fmas_f64, 0x1e3, 0x238, F64, F64, F64, F64,
	    .flags = OP_VCC_IN),
	V3X(v_mad_u64_u32, 0x1e8, 0x2fe, B64, B32, B32, B64, .flags = OP_SDST),
	V3X(v_mad_i64_i32, 0x1e9, 0x2ff, B64, B32, B32, B64, .flags = OP_SDST),
	NAMED("v_mad_legacy_f16", v_mad_f16, 0x1ea, -1, F16, F16, F16, F16),
	NAMED("v_mad_legacy_u16", v_mad_u16, 0x1eb, -1, B16, B16, B16, B16),
	NAMED("v_mad_legacy_i16", v_mad_u16, 0x1ec, -1, B16, B16, B16, B16),
	V3(v_perm_b32, 0x1ed, 0x244, B32, B32, B32, B32),
	NAMED("v_fma_legacy_f16", v_fma_f16, 0x1ee, -1, F16, F16, F16, F16),
	NAMED("v_div_fixup_legacy_f16", v_div_fixup_f16, 0x1ef, -1, F16, F16,
	      F16, F16),
	V3(v_mad_u32_u16, 0x1f1, 0x259, B32, B16, B16, B32),
	V3(v_mad_i32_i16, 0x1f2, 0x25a, B32, B16, B16, B32),
	V3(v_xad_u32, 0x1f3, 0x245, B32, B32, B32, B32),
	V3X(v_min3_f16, 0x1f4, 0x249, F16, F16, F16, F16,
	    .flags = OP_KEEP_HIGH),
	V3X(v_min3_i16, 0x1f5, 0x24a, B16, B16, B16, B16,
	    .flags = OP_KEEP_HIGH),
	NAMEDX("v_min3_u16", v_min3_u32, 0x1f6, 0x24b, B16, B16, B16, B16,
	       .flags = OP_KEEP_HIGH),
	V3X(v_max3_f16, 0x1f7, 0x24c, F16, F16, F16, F16,
	    .flags = OP_KEEP_HIGH),
	V3X(v_max3_i16, 0x1f8, 0x24d, B16, B16, B16, B16,
	    .flags = OP_KEEP_HIGH),
	NAMEDX("v_max3_u16", v_max3_u32, 0x1f9, 0x24e, B16, B16, B16, B16,
	       .flags = OP_KEEP_HIGH),
	V3X(v_med3_f16, 0x1fa, 0x24f, F16, F16, F16, F16,
	    .flags = OP_KEEP_HIGH),
	V3X(v_med3_i16, 0x1fb, 0x250, B16, B16, B16, B16,
	    .flags = OP_KEEP_HIGH),
	NAMEDX("v_med3_u16", v_med3_u32, 0x1fc, 0x251, B16, B16, B16, B16,
	       .flags = OP_KEEP_HIGH),
	V3(v_lshl_add_u32, 0x1fd, 0x246, B32, B32, B32, B32),
	V3(v_add_lshl_u32, 0x1fe, 0x247, B32, B32, B32, B32),
	V3(v_add3_u32, 0x1ff, 0x255, B32, B32, B32, B32),
	V3(v_lshl_or_b32, 0x200, 0x256, B32, B32, B32, B32),
	V3(v_and_or_b32, 0x201, 0x257, B32, B32, B32, B32),
	V3(v_or3_b32, 0x202, 0x258, B32, B32, B32, B32),
	V3(v_xor3_b32, -1, 0x240, B32, B32, B32, B32),
	V3X(v_mad_f16, 0x203, -1, F16, F16, F16, F16, .flags = OP_KEEP_HIGH),
	V3X(v_mad_u16, 0x204, 0x241, B16, B16, B16, B16, .flags = OP_KEEP_HIGH),
	NAMEDX("v_mad_i16", v_mad_u16, 0x205, 0x253, B16, B16, B16, B16,
	       .flags = OP_KEEP_HIGH),
	V3X(v_fma_f16, 0x206, 0x248, F16, F16, F16, F16, .flags = OP_KEEP_HIGH),
	V3X(v_div_fixup_f16, 0x207, 0x254, F16, F16, F16, F16,
	    .flags = OP_KEEP_HIGH),
	V3X(v_lshl_add_u64, 0x208, -1, B64, B64, B32, B64,
	    .flags = OP_ONLY_942),
	V2(v_add_f64, 0x280, 0x327, F64, F64, F64),
	V2(v_mul_f64, 0x281, 0x328, F64, F64, F64),
	V2(v_min_f64, 0x282, 0x329, F64, F64, F64),
	V2(v_max_f64, 0x283, 0x32a, F64, F64, F64),
	V2(v_ldexp_f64, 0x284, 0x32b, F64, F64, B32),
	V2(v_mul_lo_u32, 0x285, 0x32c, B32, B32, B32),
	V2(v_mul_hi_u32, 0x286, 0x32d, B32, B32, B32),
	V2(v_mul_hi_i32, 0x287, 0x32e, B32, B32, B32),
	V2(v_ldexp_f32, 0x288, 0x31c, F32, F32, B32),
	V2X(v_readlane_b32, 0x289, 0x360, B32, B32, B32,
	    .flags = OP_SCALAR_DST | OP_NO_EXEC),
	{.name = "v_writelane_b32",
	 .gfx9 = 0x28a,
	 .gfx11 = 0x361,
	 .dst = T_B32,
	 .src = {T_B32, T_B32},
	 .exec = exec_writelane},
	V2(v_bcnt_u32_b32, 0x28b, 0x31e, B32, B32, B32),
	V2(v_mbcnt_lo_u32_b32, 0x28c, 0x31f, B32, B32, B32),
	V2(v_mbcnt_hi_u32_b32, 0x28d, 0x320, B32, B32, B32),
	V2(v_lshlrev_b64, 0x28f, 0x33c, B64, B32, B64),
	V2(v_lshrrev_b64, 0x290, 0x33d, B64, B32, B64),
	V2(v_ashrrev_i64, 0x291, 0x33e, B64, B32, B64),
	V2(v_trig_preop_f64, 0x292, 0x32f, F64, F64, B32),
	V2(v_bfm_b32, 0x293, 0x31d, B32, B32, B32),
	V2(v_cvt_pknorm_i16_f32, 0x294, 0x321, B32, F32, F32),
	V2(v_cvt_pknorm_u16_f32, 0x295, 0x322, B32, F32, F32),
	V2(v_cvt_pkrtz_f16_f32, 0x296, -1, B32, F32, F32),
	V2(v_cvt_pk_u16_u32, 0x297, 0x323, B32, B32, B32),
	V2(v_cvt_pk_i16_i32, 0x298, 0x324, B32, B32, B32),
	V2(v_cvt_pknorm_i16_f16, 0x299, 0x312, B32, F16, F16),
	V2(v_cvt_pknorm_u16_f16, 0x29a, 0x313, B32, F16, F16),
	V2X(v_add_i32, 0x29c, 0x326, B32, B32, B32, .flags = OP_INT_CLAMP),
	V2X(v_sub_i32, 0x29d, 0x325, B32, B32, B32, .flags = OP_INT_CLAMP),
	V2X(v_add_i16, 0x29e, 0x30d, B16, B16, B16,
	    .flags = OP_INT_CLAMP | OP_KEEP_HIGH),
	V2X(v_sub_i16, 0x29f, 0x30e, B16, B16, B16,
	    .flags = OP_INT_CLAMP | OP_KEEP_HIGH),
	V2(v_pack_b32_f16, 0x2a0, 0x311, B32, F16, F16),
	V2(v_mul_legacy_f32, 0x2a1, -1, F32, F32, F32),
	V2X(v_and_b16, -1, 0x362, B16, B16, B16, .flags = OP_KEEP_HIGH),
	V2X(v_or_b16, -1, 0x363, B16, B16, B16, .flags = OP_KEEP_HIGH),
	V2X(v_xor_b16, -1, 0x364, B16, B16, B16, .flags = OP_KEEP_HIGH),
	V3X(v_cndmask_b16, -1, 0x25d, B16, B16, B16, MASK,
	    .flags = OP_MASK_SRC2 | OP_KEEP_HIGH),
	V3(v_maxmin_f32, -1, 0x25e, F32, F32, F32, F32),
	V3(v_minmax_f32, -1, 0x25f, F32, F32, F32, F32),
	V3X(v_maxmin_f16, -1, 0x260, F16, F16, F16, F16, .flags = OP_KEEP_HIGH),
	V3X(v_minmax_f16, -1, 0x261, F16, F16, F16, F16, .flags = OP_KEEP_HIGH),
	V3(v_maxmin_u32, -1, 0x262, B32, B32, B32, B32),
	V3(v_minmax_u32, -1, 0x263, B32, B32, B32, B32),
	V3(v_maxmin_i32, -1, 0x264, B32, B32, B32, B32),
	V3(v_minmax_i32, -1, 0x265, B32, B32, B32, B32),
	V3(v_permlane16_b32, -1, 0x25b, B32, B32, B32, B32),
	V3(v_permlanex16_b32, -1, 0x25c, B32, B32, B32, B32),
};

const struct table table_vop3 = {ops, array_count(ops)};
