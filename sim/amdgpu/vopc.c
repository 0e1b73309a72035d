/*
 * VOPC: vector compares (section 12.9). The functions make a row of all ones or
 * zeroes, which exec_compare packs into a mask.
 */
#include "rows.h"

#define CMP(name, ...) ROW(name, d->u[l] = 0u - (uint32_t)(__VA_ARGS__))

/* The sixteen float conditions; x and y are the operands of lane l. */
#define FLOAT_CONDITIONS(F)                                                    \
	F(f, 0, false)                                                         \
	F(lt, 1, X < Y)                                                        \
	F(eq, 2, X == Y)                                                       \
	F(le, 3, X <= Y)                                                       \
	F(gt, 4, X > Y)                                                        \
	F(lg, 5, X<Y || X> Y)                                                  \
	F(ge, 6, X >= Y)                                                       \
	F(o, 7, X == X && Y == Y)                                              \
	F(u, 8, X != X || Y != Y)                                              \
	F(nge, 9, !(X >= Y))                                                   \
	F(nlg, 10, !(X < Y || X > Y))                                          \
	F(ngt, 11, !(X > Y))                                                   \
	F(nle, 12, !(X <= Y))                                                  \
	F(neq, 13, !(X == Y))                                                  \
	F(nlt, 14, !(X < Y))                                                   \
	F(tru, 15, true)

#define INT_CONDITIONS(F)                                                      \
	F(f, 0, false)                                                         \
	F(lt, 1, X < Y)                                                        \
	F(eq, 2, X == Y)                                                       \
	F(le, 3, X <= Y)                                                       \
	F(gt, 4, X > Y)                                                        \
	F(ne, 5, X != Y)                                                       \
	F(ge, 6, X >= Y)                                                       \
	F(t, 7, true)

#define X a->f[l]
#define Y b->f[l]
#define F(name, code, cond) CMP(name##_f32, cond)
FLOAT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X a->d[l]
#define Y b->d[l]
#define F(name, code, cond) CMP(name##_f64, cond)
FLOAT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X from_half(a->u[l])
#define Y from_half(b->u[l])
#define F(name, code, cond) CMP(name##_f16, cond)
FLOAT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X sext16(a->u[l])
#define Y sext16(b->u[l])
#define F(name, code, cond) CMP(name##_i16, cond)
INT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X a->u[l]
#define Y b->u[l]
#define F(name, code, cond) CMP(name##_u32, cond)
INT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X a->i[l]
#define Y b->i[l]
#define F(name, code, cond) CMP(name##_i32, cond)
INT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X a->q[l]
#define Y b->q[l]
#define F(name, code, cond) CMP(name##_u64, cond)
INT_CONDITIONS(F)
#undef X
#undef Y
#undef F
#define X a->l[l]
#define Y b->l[l]
#define F(name, code, cond) CMP(name##_i64, cond)
INT_CONDITIONS(F)
#undef X
#undef Y
#undef F

/* Bits of a class mask: signalling NaN, quiet NaN, -inf, -normal, -denormal,
 * -0, +0, +denormal, +normal, +inf. */
static inline uint32_t
class_of(bool negative, bool nan, bool quiet, bool inf, bool zero,
	 bool denormal)
{
	if (nan)
		return quiet ? 1u << 1 : 1u << 0;
	uint32_t from_zero = inf ? 3 : zero ? 0 : denormal ? 1 : 2;
	return negative ? 1u << (5 - from_zero) : 1u << (6 + from_zero);
}

static inline uint32_t
class_f32(float x)
{
	uint32_t bits = float_bits(x), e = bits >> 23 & 0xff;
	uint32_t m = bits & 0x7fffff;
	return class_of(bits >> 31, e == 255 && m, m >> 22, e == 255,
			e == 0 && m == 0, e == 0);
}

static inline uint32_t
class_f64(uint64_t bits)
{
	uint64_t e = bits >> 52 & 0x7ff, m = bits & 0xfffffffffffff;
	return class_of(bits >> 63, e == 2047 && m, m >> 51, e == 2047,
			e == 0 && m == 0, e == 0);
}

static inline uint32_t
class_f16(uint32_t bits)
{
	uint32_t e = bits >> 10 & 31, m = bits & 0x3ff;
	return class_of(bits >> 15 & 1, e == 31 && m, m >> 9, e == 31,
			e == 0 && m == 0, e == 0);
}

CMP(test_class_f32, (class_f32(a->f[l]) & b->u[l]) != 0)
CMP(test_class_f64, (class_f64(a->q[l]) & b->u[l]) != 0)
CMP(test_class_f16, (class_f16(a->u[l]) & b->u[l]) != 0)

/* Opcodes of a family are consecutive; v_cmpx_* follow at a distance of 16 on
 * gfx9, of 128 on gfx11. */
#define ONE(prefix, n, g9, g11, ta, tb, f, fl)                                 \
	{.name = prefix n,                                                     \
	 .gfx9 = g9,                                                           \
	 .gfx11 = g11,                                                         \
	 .dst = T_MASK,                                                        \
	 .src = {T_##ta, T_##tb},                                              \
	 .exec = exec_compare,                                                 \
	 .row = f,                                                             \
	 .flags = fl},
#define BOTH(n, g9, g11, x9, ta, tb, f)                                        \
	ONE("v_cmp_", n, g9, g11, ta, tb, f, 0)                                \
	ONE("v_cmpx_", n, (g9) + (x9), (g11) + 0x80, ta, tb, f, OP_CMPX)

static const struct op ops[] = {
#define F(name, code, cond)                                                    \
	BOTH(#name "_f16", 0x20 + code, 0x00 + code, 16, F16, F16, name##_f16)
	FLOAT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_f32", 0x40 + code, 0x10 + code, 16, F32, F32, name##_f32)
		FLOAT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_f64", 0x60 + code, 0x20 + code, 16, F64, F64, name##_f64)
			FLOAT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_i16", 0xa0 + code, 0x30 + code, 16, B16, B16, name##_i16)
				INT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_u16", 0xa8 + code, 0x38 + code, 16, B16, B16, name##_u32)
					INT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_i32", 0xc0 + code, 0x40 + code, 16, B32, B32, name##_i32)
						INT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_u32", 0xc8 + code, 0x48 + code, 16, B32, B32, name##_u32)
							INT_CONDITIONS(F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_i64", 0xe0 + code, 0x50 + code, 16, B64, B64, name##_i64)
								INT_CONDITIONS(
									F)
#undef F
#define F(name, code, cond)                                                    \
	BOTH(#name "_u64", 0xe8 + code, 0x58 + code, 16, B64, B64, name##_u64)
									INT_CONDITIONS(
										F)
#undef F
										BOTH("class_f32",
										     0x10,
										     0x7e,
										     1,
										     F32,
										     B32,
										     test_class_f32)
											BOTH("class_f64",
											     0x12,
											     0x7f,
											     1,
											     F64,
											     B32,
											     test_class_f64)
												BOTH("class_f16",
												     0x14,
												     0x7d,
												     1,
												     F16,
												     B32,
												     test_class_f16)};

const struct table table_vopc = {ops, array_count(ops)};
