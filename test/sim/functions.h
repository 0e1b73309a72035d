/*
 * Functions of up to three values, each in plain C: compiled for the device by
 * clang and for the host by the C compiler, they must give the same bits.
 *
 * F(name, result type, argument type, expression of a, b, c)
 */
#define FUNCTIONS(F)                                                           \
	/* 32-bit integers */                                                  \
	F(add_u32, uint32_t, uint32_t, a + b + c)                              \
	F(sub_u32, uint32_t, uint32_t, a - b)                                  \
	F(mul_u32, uint32_t, uint32_t, a *b + c)                               \
	F(mulhi_u32, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32))    \
	F(mulhi_i32, int32_t, int32_t, (int32_t)((int64_t)a * b >> 32))        \
	F(div_u32, uint32_t, uint32_t, a / (b | 1))                            \
	F(rem_u32, uint32_t, uint32_t, a % (b | 1))                            \
	F(div_i32, int32_t, int32_t, a / ((b & 0x7fffffff) | 1))               \
	F(rem_i32, int32_t, int32_t, a % ((b & 0x7fffffff) | 1))               \
	F(shl_u32, uint32_t, uint32_t, a << (b & 31))                          \
	F(shr_u32, uint32_t, uint32_t, a >> (b & 31))                          \
	F(sar_i32, int32_t, int32_t, a >> (b & 31))                            \
	F(rot_u32, uint32_t, uint32_t, a << (b & 31) | a >> (-b & 31))         \
	F(min_i32, int32_t, int32_t, a < b ? a : b)                            \
	F(max_u32, uint32_t, uint32_t, a > b ? a : b)                          \
	F(med3_i32, int32_t, int32_t, a<-100 ? -100 : a> 100 ? 100 : a)        \
	F(min3_u32, uint32_t, uint32_t,                                        \
	  (a < b ? a : b) < c ? (a < b ? a : b) : c)                           \
	F(bits_u32, uint32_t, uint32_t, (a & b) | (~a & c))                    \
	F(xor3_u32, uint32_t, uint32_t, a ^ b ^ c)                             \
	F(xnor_u32, uint32_t, uint32_t, ~(a ^ b))                              \
	F(bfe_u32, uint32_t, uint32_t, a >> 7 & 0x1ff)                         \
	F(bfe_i32, int32_t, int32_t, (int32_t)((uint32_t)a << 9) >> 20)        \
	F(clz_u32, uint32_t, uint32_t, a ? (uint32_t)__builtin_clz(a) : 99)    \
	F(ctz_u32, uint32_t, uint32_t, a ? (uint32_t)__builtin_ctz(a) : 99)    \
	F(pop_u32, uint32_t, uint32_t, (uint32_t)__builtin_popcount(a) + b)    \
	F(bswap_u32, uint32_t, uint32_t, __builtin_bswap32(a))                 \
	F(align_u32, uint32_t, uint32_t,                                       \
	  (uint32_t)(((uint64_t)a << 32 | b) >> (c & 31)))                     \
	F(mad24_u32, uint32_t, uint32_t, (a & 0xffffff) * (b & 0xffffff) + c)  \
	F(abs_i32, int32_t, int32_t, a < 0 ? (int32_t)(0u - (uint32_t)a) : a)  \
	F(select_u32, uint32_t, uint32_t, (c & 4) ? a : b)                     \
	F(sad_u32, uint32_t, uint32_t, (a > b ? a - b : b - a) + c)            \
	F(lerp_u32, uint32_t, uint32_t, (a << 3) + b)                          \
	F(or3_u32, uint32_t, uint32_t, a << 5 | b | c)                         \
	F(addsat_u32, uint32_t, uint32_t, a + b < a ? ~0u : a + b)             \
	F(subsat_u32, uint32_t, uint32_t, a < b ? 0 : a - b)                   \
	/* narrow integers */                                                  \
	F(add_i8, int8_t, int8_t, (int8_t)(a + b))                             \
	F(mul_i8, int8_t, int8_t, (int8_t)(a * b + c))                         \
	F(shr_u8, uint8_t, uint8_t, (uint8_t)((uint8_t)(a + b) >> 3))          \
	F(add_u16, uint16_t, uint16_t, (uint16_t)(a + b))                      \
	F(mul_u16, uint16_t, uint16_t, (uint16_t)(a * b + c))                  \
	F(sar_i16, int16_t, int16_t, (int16_t)((int16_t)(a - b) >> 5))         \
	F(min_i16, int16_t, int16_t, a < b ? a : b)                            \
	F(max_u16, uint16_t, uint16_t, a > b ? a : b)                          \
	F(div_u16, uint16_t, uint16_t, (uint16_t)(a / (b | 1)))                \
	F(div_i8, int8_t, int8_t, (int8_t)(a / ((b & 127) | 1)))               \
	F(ext_i16, int32_t, int16_t, a * 3 + b)                                \
	F(ext_i8, int32_t, int8_t, a * 3 - b)                                  \
	/* 64-bit integers */                                                  \
	F(add_u64, uint64_t, uint64_t, a + b)                                  \
	F(sub_u64, uint64_t, uint64_t, a - b - c)                              \
	F(mul_u64, uint64_t, uint64_t, a *b + c)                               \
	F(mulhi_u64, uint64_t, uint64_t,                                       \
	  (uint64_t)((unsigned __int128)a * b >> 64))                          \
	F(div_u64, uint64_t, uint64_t, a / (b | 1))                            \
	F(rem_u64, uint64_t, uint64_t, a % (b >> 20 | 1))                      \
	F(div_i64, int64_t, int64_t, a / ((b & INT64_MAX) | 1))                \
	F(shl_u64, uint64_t, uint64_t, a << (b & 63))                          \
	F(shr_u64, uint64_t, uint64_t, a >> (b & 63))                          \
	F(sar_i64, int64_t, int64_t, a >> (b & 63))                            \
	F(rot_u64, uint64_t, uint64_t, a << (b & 63) | a >> (-b & 63))         \
	F(min_i64, int64_t, int64_t, a < b ? a : b)                            \
	F(max_u64, uint64_t, uint64_t, a > b ? a : b)                          \
	F(cmp_i64, int32_t, int64_t, (a < b) + 2 * (a == c) + 4 * (b >= c))    \
	F(cmp_u64, int32_t, uint64_t, (a < b) + 2 * (a != c) + 4 * (b > c))    \
	F(clz_u64, uint64_t, uint64_t, a ? (uint64_t)__builtin_clzll(a) : 99)  \
	F(ctz_u64, uint64_t, uint64_t, a ? (uint64_t)__builtin_ctzll(a) : 99)  \
	F(pop_u64, uint64_t, uint64_t, (uint64_t)__builtin_popcountll(a))      \
	F(mad_u64, uint64_t, uint32_t, (uint64_t)a *b + c)                     \
	F(mad_i64, int64_t, int32_t, (int64_t)a *b + c)                        \
	F(cmp_i32, int32_t, int32_t, (a < b) + 2 * (a == c) + 4 * (b >= c))    \
	F(cmp_u32, int32_t, uint32_t, (a <= b) + 2 * (a != c) + 4 * (b > c))   \
	F(cmp_i16, int32_t, int16_t, (a < b) + 2 * (a == c) + 4 * (b >= c))    \
	/* f32 */                                                              \
	F(add_f32, float, float, a + b)                                        \
	F(sub_f32, float, float, a - b)                                        \
	F(mul_f32, float, float, a *b)                                         \
	F(div_f32, float, float, a / b)                                        \
	F(rcp_f32, float, float, 1.0f / a)                                     \
	F(sqrt_f32, float, float, __builtin_sqrtf(a))                          \
	F(fma_f32, float, float, __builtin_fmaf(a, b, c))                      \
	F(fmsub_f32, float, float, __builtin_fmaf(-a, b, -c))                  \
	F(neg_f32, float, float, -a *__builtin_fabsf(b))                       \
	F(min_f32, float, float, __builtin_fminf(a, b))                        \
	F(max_f32, float, float, __builtin_fmaxf(a, b))                        \
	F(floor_f32, float, float, __builtin_floorf(a))                        \
	F(ceil_f32, float, float, __builtin_ceilf(a))                          \
	F(trunc_f32, float, float, __builtin_truncf(a))                        \
	F(rint_f32, float, float, __builtin_rintf(a))                          \
	F(round_f32, float, float, __builtin_roundf(a))                        \
	F(copysign_f32, float, float, __builtin_copysignf(a, b))               \
	F(cmp_f32, int32_t, float,                                             \
	  (a < b) + 2 * (a == b) + 4 * (a >= c) + 8 * (a != c) +               \
		  16 * !(b > c))                                               \
	F(unord_f32, int32_t, float, __builtin_isunordered(a, b))              \
	F(nan_f32, int32_t, float, (a != a) + 2 * (__builtin_isinf(b) != 0))   \
	F(select_f32, float, float, a < b ? c : a)                             \
	F(clamp_f32, float, float, a<0 ? 0 : a> 1 ? 1 : a)                     \
	F(half_f32, float, float, (a + b) * 0.5f)                              \
	F(omod_f32, float, float, (a * b) * 4.0f)                              \
	/* f64 */                                                              \
	F(add_f64, double, double, a + b)                                      \
	F(sub_f64, double, double, a - b)                                      \
	F(mul_f64, double, double, a *b)                                       \
	F(div_f64, double, double, a / b)                                      \
	F(rcp_f64, double, double, 1.0 / a)                                    \
	F(sqrt_f64, double, double, __builtin_sqrt(a))                         \
	F(fma_f64, double, double, __builtin_fma(a, b, c))                     \
	F(min_f64, double, double, __builtin_fmin(a, b))                       \
	F(max_f64, double, double, __builtin_fmax(a, b))                       \
	F(floor_f64, double, double, __builtin_floor(a))                       \
	F(ceil_f64, double, double, __builtin_ceil(a))                         \
	F(trunc_f64, double, double, __builtin_trunc(a))                       \
	F(rint_f64, double, double, __builtin_rint(a))                         \
	F(copysign_f64, double, double, __builtin_copysign(a, b))              \
	F(neg_f64, double, double, -a *__builtin_fabs(b) + 0.5)                \
	F(cmp_f64, int32_t, double,                                            \
	  (a < b) + 2 * (a == b) + 4 * (a >= c) + 8 * (a != c) +               \
		  16 * !(b > c))                                               \
	F(nan_f64, int32_t, double, (a != a) + 2 * (__builtin_isinf(b) != 0))  \
	/* conversions */                                                      \
	F(f32_u32, float, uint32_t, (float)a)                                  \
	F(f32_i32, float, int32_t, (float)a)                                   \
	F(f32_u64, float, uint64_t, (float)a)                                  \
	F(f32_i64, float, int64_t, (float)a)                                   \
	F(f64_u32, double, uint32_t, (double)a)                                \
	F(f64_i32, double, int32_t, (double)a)                                 \
	F(f64_u64, double, uint64_t, (double)a)                                \
	F(f64_i64, double, int64_t, (double)a)                                 \
	F(f32_u8, float, uint8_t, (float)a + (float)b)                         \
	F(f64_f32, double, float, (double)a)                                   \
	F(f32_f64, float, double, (float)a)                                    \
	F(i32_f32, int32_t, float, a >= -2e9f && a < 2e9f ? (int32_t)a : 7)    \
	F(u32_f32, uint32_t, float, a >= 0 && a < 4e9f ? (uint32_t)a : 7)      \
	F(i64_f32, int64_t, float, a > -9e18f && a < 9e18f ? (int64_t)a : 7)   \
	F(i32_f64, int32_t, double, a > -2e9 && a < 2e9 ? (int32_t)a : 7)      \
	F(u32_f64, uint32_t, double, a >= 0 && a < 4e9 ? (uint32_t)a : 7)      \
	F(i64_f64, int64_t, double, a > -9e18 && a < 9e18 ? (int64_t)a : 7)    \
	F(u64_f64, uint64_t, double, a >= 0 && a < 1e19 ? (uint64_t)a : 7)     \
	/* f16 */                                                              \
	F(add_f16, half, half, a + b)                                          \
	F(mul_f16, half, half, a *b)                                           \
	F(div_f16, half, half, a / b)                                          \
	F(cmp_f16, int32_t, half,                                              \
	  (a < b) + 2 * (a == b) + 4 * (a >= c) + 8 * (a != c))                \
	F(f32_f16, float, half, (float)a)                                      \
	F(f16_f32, half, float, (half)a)                                       \
	F(f16_i16, half, int16_t, (half)a)                                     \
	F(f16_u16, half, uint16_t, (half)a)                                    \
	F(mix_f32, float, half, __builtin_fmaf((float)a, (float)b, (float)c))
