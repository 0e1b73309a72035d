/*
 * VOP1: vector instructions with one source (section 12.8).
 *
 * Approximating instructions (rcp, rsq, sqrt, exp, log, sin, cos) give the
 * correctly rounded value where the hardware promises one unit in the last
 * place or less; the sequences that compilers build on them correct that error
 * anyway.
 */
#include "rows.h"

ROW(v_mov_b32, d->u[l] = a->u[l])
ROW(v_mov_b16, d->u[l] = a->u[l] & 0xffff)
ROW(v_mov_b64, d->q[l] = a->q[l])
ROW(v_not_b32, d->u[l] = ~a->u[l])
ROW(v_not_b16, d->u[l] = ~a->u[l] & 0xffff)
ROW(v_cvt_i32_f64, d->i[l] = to_i32(a->d[l]))
ROW(v_cvt_f64_i32, d->d[l] = a->i[l])
ROW(v_cvt_f32_i32, d->f[l] = (float)a->i[l])
ROW(v_cvt_f32_u32, d->f[l] = (float)a->u[l])
ROW(v_cvt_u32_f32, d->u[l] = to_u32((double)a->f[l]))
ROW(v_cvt_i32_f32, d->i[l] = to_i32((double)a->f[l]))
ROW(v_cvt_f16_f32, d->u[l] = float_to_half(a->f[l]))
ROW(v_cvt_f32_f16, d->f[l] = from_half(a->u[l]))
ROW(v_cvt_rpi_i32_f32, d->i[l] = to_i32(floor((double)a->f[l] + 0.5)))
ROW(v_cvt_flr_i32_f32, d->i[l] = to_i32(floor((double)a->f[l])))
ROW(v_cvt_off_f32_i4,
    d->f[l] = (float)((int32_t)(a->u[l] << 28) >> 28) * 0.0625f)
ROW(v_cvt_f32_f64, d->f[l] = (float)a->d[l])
ROW(v_cvt_f64_f32, d->d[l] = (double)a->f[l])
ROW(v_cvt_f32_ubyte0, d->f[l] = (float)(a->u[l] & 0xff))
ROW(v_cvt_f32_ubyte1, d->f[l] = (float)(a->u[l] >> 8 & 0xff))
ROW(v_cvt_f32_ubyte2, d->f[l] = (float)(a->u[l] >> 16 & 0xff))
ROW(v_cvt_f32_ubyte3, d->f[l] = (float)(a->u[l] >> 24))
ROW(v_cvt_u32_f64, d->u[l] = to_u32(a->d[l]))
ROW(v_cvt_f64_u32, d->d[l] = a->u[l])
ROW(v_cvt_f16_u16, d->u[l] = float_to_half((float)a->u[l]))
ROW(v_cvt_f16_i16, d->u[l] = float_to_half((float)sext16(a->u[l])))
ROW(v_cvt_u16_f16,
    d->u[l] = (uint32_t)clamp_i64(to_u32((double)from_half(a->u[l])), 0, 65535))
ROW(v_cvt_i16_f16,
    d->u[l] = (uint32_t)clamp_i64(to_i32((double)from_half(a->u[l])), -32768,
				  32767) &
	      0xffff)
ROW(v_cvt_i32_i16, d->i[l] = sext16(a->u[l]))
ROW(v_cvt_u32_u16, d->u[l] = a->u[l])

static inline uint32_t
norm16(double value, bool sign)
{
	double scaled = rint(value * (sign ? 32767.0 : 65535.0));
	return (uint32_t)clamp_i64(to_i32(scaled), sign ? -32767 : 0,
				   sign ? 32767 : 65535) &
	       0xffff;
}

ROW(v_cvt_norm_i16_f16, d->u[l] = norm16((double)from_half(a->u[l]), true))
ROW(v_cvt_norm_u16_f16, d->u[l] = norm16((double)from_half(a->u[l]), false))
ROW(v_sat_pk_u8_i16,
    d->u[l] = (uint32_t)clamp_i64(sext16(a->u[l]), 0, 255) |
	      (uint32_t)clamp_i64(sext16(a->u[l] >> 16), 0, 255) << 8)

ROW(v_trunc_f64, d->d[l] = trunc(a->d[l]))
ROW(v_ceil_f64, d->d[l] = ceil(a->d[l]))
ROW(v_rndne_f64, d->d[l] = rint(a->d[l]))
ROW(v_floor_f64, d->d[l] = floor(a->d[l]))
ROW(v_trunc_f32, d->f[l] = truncf(a->f[l]))
ROW(v_ceil_f32, d->f[l] = ceilf(a->f[l]))
ROW(v_rndne_f32, d->f[l] = rintf(a->f[l]))
ROW(v_floor_f32, d->f[l] = floorf(a->f[l]))
ROW(v_trunc_f16, d->u[l] = float_to_half(truncf(from_half(a->u[l]))))
ROW(v_ceil_f16, d->u[l] = float_to_half(ceilf(from_half(a->u[l]))))
ROW(v_rndne_f16, d->u[l] = float_to_half(rintf(from_half(a->u[l]))))
ROW(v_floor_f16, d->u[l] = float_to_half(floorf(from_half(a->u[l]))))

/* The greatest value below 1 bounds the fraction of a tiny negative number. */
static inline float
fract_f32(float x)
{
	float r = x - floorf(x);
	return r >= 1.0f ? 0x1.fffffep-1f : r;
}

static inline double
fract_f64(double x)
{
	double r = x - floor(x);
	return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}

static inline uint32_t
fract_f16(uint32_t bits)
{
	float x = from_half(bits);
	uint32_t r = float_to_half(x - floorf(x));
	return from_half(r) >= 1.0f ? 0x3bff : r;
}

ROW(v_fract_f32, d->f[l] = fract_f32(a->f[l]))
ROW(v_fract_f64, d->d[l] = fract_f64(a->d[l]))
ROW(v_fract_f16, d->u[l] = fract_f16(a->u[l]))

ROW(v_exp_f32, d->f[l] = (float)exp2((double)a->f[l]))
ROW(v_log_f32, d->f[l] = (float)log2((double)a->f[l]))
ROW(v_rcp_f32, d->f[l] = 1.0f / a->f[l])
ROW(v_rsq_f32, d->f[l] = (float)(1.0 / sqrt((double)a->f[l])))
ROW(v_rcp_f64, d->d[l] = 1.0 / a->d[l])
ROW(v_rsq_f64, d->d[l] = 1.0 / sqrt(a->d[l]))
ROW(v_sqrt_f32, d->f[l] = sqrtf(a->f[l]))
ROW(v_sqrt_f64, d->d[l] = sqrt(a->d[l]))
ROW(v_rcp_f16, d->u[l] = to_half(1.0 / (double)from_half(a->u[l])))
ROW(v_sqrt_f16, d->u[l] = to_half(sqrt((double)from_half(a->u[l]))))
ROW(v_rsq_f16, d->u[l] = to_half(1.0 / sqrt((double)from_half(a->u[l]))))
ROW(v_log_f16, d->u[l] = to_half(log2((double)from_half(a->u[l]))))
ROW(v_exp_f16, d->u[l] = to_half(exp2((double)from_half(a->u[l]))))

/* The argument counts full turns. */
static inline double
sin_turns(double x)
{
	return sin((x - rint(x)) * 6.283185307179586477);
}

static inline double
cos_turns(double x)
{
	return cos((x - rint(x)) * 6.283185307179586477);
}

ROW(v_sin_f32, d->f[l] = (float)sin_turns((double)a->f[l]))
ROW(v_cos_f32, d->f[l] = (float)cos_turns((double)a->f[l]))
ROW(v_sin_f16, d->u[l] = to_half(sin_turns((double)from_half(a->u[l]))))
ROW(v_cos_f16, d->u[l] = to_half(cos_turns((double)from_half(a->u[l]))))

static inline uint32_t
reverse32(uint32_t x)
{
	x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
	x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
	x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(x);
}

/* Bits from the top down to the first that differs from the sign; -1: none. */
static inline int32_t
first_unlike_sign(uint32_t x)
{
	uint32_t y = x ^ (uint32_t)((int32_t)x >> 31);
	return y ? __builtin_clz(y) : -1;
}

ROW(v_bfrev_b32, d->u[l] = reverse32(a->u[l]))
ROW(v_ffbh_u32, d->i[l] = a->u[l] ? __builtin_clz(a->u[l]) : -1)
ROW(v_ffbl_b32, d->i[l] = a->u[l] ? __builtin_ctz(a->u[l]) : -1)
ROW(v_ffbh_i32, d->i[l] = first_unlike_sign(a->u[l]))

/* The mantissa lies in [0.5, 1); infinities and NaNs have exponent 0 and are
 * their own mantissa. */
static inline int
exponent_of(double x)
{
	int e = 0;
	if (isfinite(x))
		frexp(x, &e);
	return e;
}

static inline double
mantissa_of(double x)
{
	int e;
	return isfinite(x) ? frexp(x, &e) : x;
}

ROW(v_frexp_exp_i32_f64, d->i[l] = exponent_of(a->d[l]))
ROW(v_frexp_mant_f64, d->d[l] = mantissa_of(a->d[l]))
ROW(v_frexp_exp_i32_f32, d->i[l] = exponent_of((double)a->f[l]))
ROW(v_frexp_mant_f32, d->f[l] = (float)mantissa_of((double)a->f[l]))
ROW(v_frexp_mant_f16,
    d->u[l] = to_half(mantissa_of((double)from_half(a->u[l]))))
ROW(v_frexp_exp_i16_f16,
    d->u[l] = (uint32_t)exponent_of((double)from_half(a->u[l])) & 0xffff)

static void
v_readfirstlane_b32(struct args *x)
{
	int lane = x->exec ? __builtin_ctzll(x->exec) : 0;
	x->d->u[0] = x->a->u[lane];
}

/* Exchanges two registers; not a function of one row. */
static void
exec_swap(struct wave *w, const struct inst *i)
{
	uint64_t exec = wave_exec(w);
	uint32_t *p = w->v[i->dst.reg], *q = w->v[i->src[0].reg];
	for (int l = 0; l < LANES; l++) {
		if (!(exec >> l & 1))
			continue;
		uint32_t old = p[l];
		p[l] = q[l];
		q[l] = old;
	}
}

/* Registers by M0: source, destination, or both move by it. */
static void
move_relative(struct wave *w, const struct inst *i, bool from, bool to)
{
	uint32_t by = w->s[SGPR_M0];
	uint64_t reg = i->dst.reg + (to ? (uint64_t)by : 0);
	struct operand source = i->src[0];
	uint64_t exec = wave_exec(w);
	union row tmp;
	uint64_t read = source.reg + (from ? (uint64_t)by : 0);
	if (reg >= ACC_BASE || (from && read >= ACC_BASE)) {
		wave_fault(w, HSA_STATUS_ERROR_EXCEPTION,
			   "%s: M0 is %u, no such register", i->op->name, by);
		return;
	}
	source.reg = (uint16_t)read;
	const union row *row = operand_fetch(w, &source, &tmp);
	for (int l = 0; l < LANES; l++)
		if (exec >> l & 1)
			w->v[reg][l] = row->u[l];
}

static void
exec_movrels(struct wave *w, const struct inst *i)
{
	move_relative(w, i, true, false);
}

static void
exec_movreld(struct wave *w, const struct inst *i)
{
	move_relative(w, i, false, true);
}

static void
exec_movrelsd(struct wave *w, const struct inst *i)
{
	move_relative(w, i, true, true);
}

/* Halves of the wave change places; nothing moves in wave32. */
static void
v_permlane64_b32(struct args *x)
{
	union row old;
	memcpy(&old, x->a, sizeof(vgpr_row));
	int other = x->wave->wave32 ? 0 : 32;
	for (int l = 0; l < LANES; l++)
		x->d->u[l] = old.u[l ^ other];
}

static void
exec_nop(struct wave *w, const struct inst *i)
{
	(void)w;
	(void)i;
}

#define V(n, g9, g11, td, ts)                                                  \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ts}, .exec = exec_valu, .row = n                   \
	}
#define VX(n, g9, g11, td, ts, ...)                                            \
	{                                                                      \
		.name = #n, .gfx9 = g9, .gfx11 = g11, .dst = T_##td,           \
		.src = {T_##ts}, .exec = exec_valu, .row = n, __VA_ARGS__      \
	}

static const struct op ops[] = {
	{.name = "v_nop", .gfx9 = 0, .gfx11 = 0, .exec = exec_nop},
	V(v_mov_b32, 0x1, 0x1, B32, B32),
	VX(v_readfirstlane_b32, 0x2, 0x2, B32, B32,
	   .flags = OP_SCALAR_DST | OP_NO_EXEC),
	V(v_cvt_i32_f64, 0x3, 0x3, B32, F64),
	V(v_cvt_f64_i32, 0x4, 0x4, F64, B32),
	V(v_cvt_f32_i32, 0x5, 0x5, F32, B32),
	V(v_cvt_f32_u32, 0x6, 0x6, F32, B32),
	V(v_cvt_u32_f32, 0x7, 0x7, B32, F32),
	V(v_cvt_i32_f32, 0x8, 0x8, B32, F32),
	V(v_cvt_f16_f32, 0xa, 0xa, F16, F32),
	V(v_cvt_f32_f16, 0xb, 0xb, F32, F16),
	V(v_cvt_rpi_i32_f32, 0xc, 0xc, B32, F32),
	V(v_cvt_flr_i32_f32, 0xd, 0xd, B32, F32),
	V(v_cvt_off_f32_i4, 0xe, 0xe, F32, B32),
	V(v_cvt_f32_f64, 0xf, 0xf, F32, F64),
	V(v_cvt_f64_f32, 0x10, 0x10, F64, F32),
	V(v_cvt_f32_ubyte0, 0x11, 0x11, F32, B32),
	V(v_cvt_f32_ubyte1, 0x12, 0x12, F32, B32),
	V(v_cvt_f32_ubyte2, 0x13, 0x13, F32, B32),
	V(v_cvt_f32_ubyte3, 0x14, 0x14, F32, B32),
	V(v_cvt_u32_f64, 0x15, 0x15, B32, F64),
	V(v_cvt_f64_u32, 0x16, 0x16, F64, B32),
	V(v_trunc_f64, 0x17, 0x17, F64, F64),
	V(v_ceil_f64, 0x18, 0x18, F64, F64),
	V(v_rndne_f64, 0x19, 0x19, F64, F64),
	V(v_floor_f64, 0x1a, 0x1a, F64, F64),
	V(v_fract_f32, 0x1b, 0x20, F32, F32),
	V(v_trunc_f32, 0x1c, 0x21, F32, F32),
	V(v_ceil_f32, 0x1d, 0x22, F32, F32),
	V(v_rndne_f32, 0x1e, 0x23, F32, F32),
	V(v_floor_f32, 0x1f, 0x24, F32, F32),
	VX(v_exp_f32, 0x20, 0x25, F32, F32, .flags = OP_FLUSH),
	VX(v_log_f32, 0x21, 0x27, F32, F32, .flags = OP_FLUSH),
	V(v_rcp_f32, 0x22, 0x2a, F32, F32),
	{.name = "v_rcp_iflag_f32",
	 .gfx9 = 0x23,
	 .gfx11 = 0x2b,
	 .dst = T_F32,
	 .src = {T_F32},
	 .exec = exec_valu,
	 .row = v_rcp_f32},
	V(v_rsq_f32, 0x24, 0x2e, F32, F32),
	V(v_rcp_f64, 0x25, 0x2f, F64, F64),
	V(v_rsq_f64, 0x26, 0x31, F64, F64),
	V(v_sqrt_f32, 0x27, 0x33, F32, F32),
	V(v_sqrt_f64, 0x28, 0x34, F64, F64),
	V(v_sin_f32, 0x29, 0x35, F32, F32),
	V(v_cos_f32, 0x2a, 0x36, F32, F32),
	V(v_not_b32, 0x2b, 0x37, B32, B32),
	V(v_bfrev_b32, 0x2c, 0x38, B32, B32),
	V(v_ffbh_u32, 0x2d, 0x39, B32, B32),
	V(v_ffbl_b32, 0x2e, 0x3a, B32, B32),
	V(v_ffbh_i32, 0x2f, 0x3b, B32, B32),
	V(v_frexp_exp_i32_f64, 0x30, 0x3c, B32, F64),
	V(v_frexp_mant_f64, 0x31, 0x3d, F64, F64),
	V(v_fract_f64, 0x32, 0x3e, F64, F64),
	V(v_frexp_exp_i32_f32, 0x33, 0x3f, B32, F32),
	V(v_frexp_mant_f32, 0x34, 0x40, F32, F32),
	VX(v_mov_b64, 0x38, -1, B64, B64, .flags = OP_ONLY_942),
	V(v_cvt_f16_u16, 0x39, 0x50, F16, B16),
	V(v_cvt_f16_i16, 0x3a, 0x51, F16, B16),
	V(v_cvt_u16_f16, 0x3b, 0x52, B16, F16),
	V(v_cvt_i16_f16, 0x3c, 0x53, B16, F16),
	V(v_rcp_f16, 0x3d, 0x54, F16, F16),
	V(v_sqrt_f16, 0x3e, 0x55, F16, F16),
	V(v_rsq_f16, 0x3f, 0x56, F16, F16),
	V(v_log_f16, 0x40, 0x57, F16, F16),
	V(v_exp_f16, 0x41, 0x58, F16, F16),
	V(v_frexp_mant_f16, 0x42, 0x59, F16, F16),
	V(v_frexp_exp_i16_f16, 0x43, 0x5a, B16, F16),
	V(v_floor_f16, 0x44, 0x5b, F16, F16),
	V(v_ceil_f16, 0x45, 0x5c, F16, F16),
	V(v_trunc_f16, 0x46, 0x5d, F16, F16),
	V(v_rndne_f16, 0x47, 0x5e, F16, F16),
	V(v_fract_f16, 0x48, 0x5f, F16, F16),
	V(v_sin_f16, 0x49, 0x60, F16, F16),
	V(v_cos_f16, 0x4a, 0x61, F16, F16),
	V(v_cvt_norm_i16_f16, 0x4d, 0x63, B16, F16),
	V(v_cvt_norm_u16_f16, 0x4e, 0x64, B16, F16),
	V(v_sat_pk_u8_i16, 0x4f, 0x62, B16, B32),
	V(v_mov_b16, -1, 0x1c, B16, B16),
	V(v_permlane64_b32, -1, 0x67, B32, B32),
	{.name = "v_movreld_b32",
	 .gfx9 = -1,
	 .gfx11 = 0x42,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_movreld},
	{.name = "v_movrels_b32",
	 .gfx9 = -1,
	 .gfx11 = 0x43,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_movrels},
	{.name = "v_movrelsd_b32",
	 .gfx9 = -1,
	 .gfx11 = 0x44,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_movrelsd},
	V(v_not_b16, -1, 0x69, B16, B16),
	V(v_cvt_i32_i16, -1, 0x6a, B32, B16),
	V(v_cvt_u32_u16, -1, 0x6b, B32, B16),
	{.name = "v_swap_b32",
	 .gfx9 = 0x51,
	 .gfx11 = 0x65,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_swap},
	{.name = "v_accvgpr_mov_b32",
	 .gfx9 = 0x52,
	 .gfx11 = -1,
	 .dst = T_B32,
	 .src = {T_B32},
	 .exec = exec_valu,
	 .row = v_mov_b32},
};

const struct table table_vop1 = {ops, array_count(ops)};
