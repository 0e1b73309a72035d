/*
 * How functions over rows are written, and the arithmetic that several share.
 *
 * ROW makes a function whose body runs for each lane l. All lanes are computed,
 * active or not, so that the loops vectorise; the caller stores only what EXEC
 * allows. Nothing here may therefore trap or read memory through a lane's
 * value. The functions exist twice, for machines with AVX2 and FMA and for all
 * others.
 */
#ifndef SIM_ROWS_H
#define SIM_ROWS_H

#include "isa.h"

#include <math.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CLONES /* ifuncs run before a sanitizer is ready */
#else
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#endif

#define EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < LANES; l++)

#define ROW(name, ...)                                                         \
	CLONES static void name(struct args *x)                                \
	{                                                                      \
		union row *restrict_d = x->d;                                  \
		const union row *a = x->a, *b = x->b, *c = x->c;               \
		(void)b;                                                       \
		(void)c;                                                       \
		(void)a;                                                       \
		const bool ieee = x->wave->mode & MODE_IEEE;                   \
		(void)ieee;                                                    \
		union row *d = restrict_d;                                     \
		EACH_LANE                                                      \
		{                                                              \
			__VA_ARGS__;                                           \
		}                                                              \
	}

__extension__ typedef _Float16 half;
__extension__ typedef __float128 quad;
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static inline float
as_float(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t
float_bits(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof(f));
	return bits;
}

static inline double
as_double(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof(d));
	return d;
}

static inline uint64_t
double_bits(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof(d));
	return bits;
}

/* Half precision: exact to float; from double with one rounding. */
static inline float
from_half(uint32_t bits)
{
	uint16_t low = (uint16_t)bits;
	half h;
	memcpy(&h, &low, sizeof(h));
	return (float)h;
}

static inline uint32_t
to_half(double value)
{
	half h = (half)value;
	uint16_t bits;
	memcpy(&bits, &h, sizeof(bits));
	return bits;
}

static inline uint32_t
float_to_half(float value)
{
	half h = (half)value;
	uint16_t bits;
	memcpy(&bits, &h, sizeof(bits));
	return bits;
}

/* Toward zero; a finite value never becomes infinite. */
static inline uint32_t
half_rtz(float value)
{
	uint32_t bits = float_to_half(value);
	if (!isfinite(value))
		return bits;
	return fabsf(from_half(bits)) > fabsf(value) ? bits - 1 : bits;
}

static inline uint32_t
half_of(uint32_t word, int high)
{
	return word >> (high ? 16 : 0) & 0xffff;
}

static inline int32_t
sext16(uint32_t value)
{
	return (int16_t)value;
}

/* IEEE-754 2008 minNum and maxNum as the hardware has them: a NaN gives way
 * to a number, -0 is less than +0. With MODE.IEEE on a signalling NaN is the
 * result, quieted. Section 6.2.5 and the descriptions of V_MIN/MAX.
 */
static inline bool
is_snan_f32(float f)
{
	uint32_t bits = float_bits(f) & 0x7fffffff;
	return bits > 0x7f800000 && bits < 0x7fc00000;
}

static inline float
min_f32(float a, float b, bool ieee)
{
	bool less = a < b || (a == b && signbit(a));
	float number = a != a ? b : b != b ? a : less ? a : b;
	if (ieee && (is_snan_f32(a) || is_snan_f32(b)))
		return is_snan_f32(a) ? a + a : b + b;
	return number;
}

static inline float
max_f32(float a, float b, bool ieee)
{
	bool more = a > b || (a == b && !signbit(a));
	float number = a != a ? b : b != b ? a : more ? a : b;
	if (ieee && (is_snan_f32(a) || is_snan_f32(b)))
		return is_snan_f32(a) ? a + a : b + b;
	return number;
}

static inline bool
is_snan_f64(double d)
{
	uint64_t bits = double_bits(d) & 0x7fffffffffffffff;
	return bits > 0x7ff0000000000000 && bits < 0x7ff8000000000000;
}

static inline double
min_f64(double a, double b, bool ieee)
{
	bool less = a < b || (a == b && signbit(a));
	double number = a != a ? b : b != b ? a : less ? a : b;
	if (ieee && (is_snan_f64(a) || is_snan_f64(b)))
		return is_snan_f64(a) ? a + a : b + b;
	return number;
}

static inline double
max_f64(double a, double b, bool ieee)
{
	bool more = a > b || (a == b && !signbit(a));
	double number = a != a ? b : b != b ? a : more ? a : b;
	if (ieee && (is_snan_f64(a) || is_snan_f64(b)))
		return is_snan_f64(a) ? a + a : b + b;
	return number;
}

/* The middle one of three; with a NaN among them, the least (V_MED3_F32). */
static inline float
med3_f32(float a, float b, float c, bool ieee)
{
	if (a != a || b != b || c != c)
		return min_f32(min_f32(a, b, ieee), c, ieee);
	float most = max_f32(max_f32(a, b, ieee), c, ieee);
	if (most == a)
		return max_f32(b, c, ieee);
	return most == b ? max_f32(a, c, ieee) : max_f32(a, b, ieee);
}

static inline int64_t
clamp_i64(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Conversions to integers saturate and make 0 of a NaN. */
static inline int32_t
to_i32(double value)
{
	return value != value		? 0
	       : value >= 2147483647.0	? INT32_MAX
	       : value <= -2147483648.0 ? INT32_MIN
					: (int32_t)value;
}

static inline uint32_t
to_u32(double value)
{
	return !(value > 0)	       ? 0
	       : value >= 4294967295.0 ? UINT32_MAX
				       : (uint32_t)(int64_t)value;
}

/* Bits of a row whose elements are all ones or all zeroes (u). */
uint64_t
row_mask(const union row *row);

#endif
