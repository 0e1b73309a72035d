//! Mathematics for devices without a vendor's library.
//!
//! Compiled to bitcode for the host and taken from there to any target by
//! smelt-cc, so nothing here may know a processor: no intrinsics of x86, no
//! panics, no unwinding. The functions are those of the `libm` crate; this file
//! gives each the name that smelt-cc calls it by. `#![no_builtins]` keeps LLVM
//! from turning the loops of `memcmp` and `strlen` into calls of themselves.
#![no_std]
#![no_builtins]

macro_rules! one {
    ($($name64:ident $wide:ident $name32:ident $narrow:ident;)*) => { $(
        #[no_mangle]
        pub extern "C" fn $name64(x: f64) -> f64 {
            libm::$wide(x)
        }
        #[no_mangle]
        pub extern "C" fn $name32(x: f32) -> f32 {
            corrected::$narrow(x)
        }
    )* };
}

macro_rules! two {
    ($($name64:ident $wide:ident $name32:ident $narrow:ident;)*) => { $(
        #[no_mangle]
        pub extern "C" fn $name64(x: f64, y: f64) -> f64 {
            libm::$wide(x, y)
        }
        #[no_mangle]
        pub extern "C" fn $name32(x: f32, y: f32) -> f32 {
            libm::$narrow(x, y)
        }
    )* };
}

/// libm's, but for what is wrong in the version that Debian has: expm1f is infinite above
/// 88.7217 and not only above the logarithm of f32::MAX, 88.7228, and sinhf makes NaN of that.
mod corrected {
    pub use libm::*;

    /// Where the 1 of e^x - 1 and the other power of sinh are far below the last place.
    const LARGE: f32 = 60.0;

    pub fn expm1_f32(x: f32) -> f32 {
        if x > LARGE { expf(x) - 1.0 } else { expm1f(x) }
    }

    pub fn sinh_f32(x: f32) -> f32 {
        let size = fabsf(x);
        if size > LARGE { copysignf(coshf(size), x) } else { sinhf(x) }
    }
}

one! {
    __smelt_math_acos_f64 acos __smelt_math_acos_f32 acosf;
    __smelt_math_acosh_f64 acosh __smelt_math_acosh_f32 acoshf;
    __smelt_math_asin_f64 asin __smelt_math_asin_f32 asinf;
    __smelt_math_asinh_f64 asinh __smelt_math_asinh_f32 asinhf;
    __smelt_math_atan_f64 atan __smelt_math_atan_f32 atanf;
    __smelt_math_atanh_f64 atanh __smelt_math_atanh_f32 atanhf;
    __smelt_math_cbrt_f64 cbrt __smelt_math_cbrt_f32 cbrtf;
    __smelt_math_cos_f64 cos __smelt_math_cos_f32 cosf;
    __smelt_math_cosh_f64 cosh __smelt_math_cosh_f32 coshf;
    __smelt_math_erf_f64 erf __smelt_math_erf_f32 erff;
    __smelt_math_erfc_f64 erfc __smelt_math_erfc_f32 erfcf;
    __smelt_math_exp_f64 exp __smelt_math_exp_f32 expf;
    __smelt_math_exp10_f64 exp10 __smelt_math_exp10_f32 exp10f;
    __smelt_math_exp2_f64 exp2 __smelt_math_exp2_f32 exp2f;
    __smelt_math_expm1_f64 expm1 __smelt_math_expm1_f32 expm1_f32;
    __smelt_math_lgamma_f64 lgamma __smelt_math_lgamma_f32 lgammaf;
    __smelt_math_log_f64 log __smelt_math_log_f32 logf;
    __smelt_math_log10_f64 log10 __smelt_math_log10_f32 log10f;
    __smelt_math_log1p_f64 log1p __smelt_math_log1p_f32 log1pf;
    __smelt_math_log2_f64 log2 __smelt_math_log2_f32 log2f;
    __smelt_math_sin_f64 sin __smelt_math_sin_f32 sinf;
    __smelt_math_sinh_f64 sinh __smelt_math_sinh_f32 sinh_f32;
    __smelt_math_tan_f64 tan __smelt_math_tan_f32 tanf;
    __smelt_math_tanh_f64 tanh __smelt_math_tanh_f32 tanhf;
    __smelt_math_tgamma_f64 tgamma __smelt_math_tgamma_f32 tgammaf;
}

two! {
    __smelt_math_atan2_f64 atan2 __smelt_math_atan2_f32 atan2f;
    __smelt_math_fdim_f64 fdim __smelt_math_fdim_f32 fdimf;
    __smelt_math_fmod_f64 fmod __smelt_math_fmod_f32 fmodf;
    __smelt_math_hypot_f64 hypot __smelt_math_hypot_f32 hypotf;
    __smelt_math_pow_f64 pow __smelt_math_pow_f32 powf;
    __smelt_math_remainder_f64 remainder __smelt_math_remainder_f32 remainderf;
}

#[no_mangle]
pub extern "C" fn __smelt_math_ldexp_f64(x: f64, n: i32) -> f64 {
    libm::ldexp(x, n)
}

#[no_mangle]
pub extern "C" fn __smelt_math_ldexp_f32(x: f32, n: i32) -> f32 {
    libm::ldexpf(x, n)
}

/// # Safety
/// `sign` points to an `i32` that may be written.
#[no_mangle]
pub unsafe extern "C" fn __smelt_math_lgamma_r_f64(x: f64, sign: *mut i32) -> f64 {
    let (value, s) = libm::lgamma_r(x);
    unsafe { *sign = s };
    value
}

/// # Safety
/// `sign` points to an `i32` that may be written.
#[no_mangle]
pub unsafe extern "C" fn __smelt_math_lgamma_r_f32(x: f32, sign: *mut i32) -> f32 {
    let (value, s) = libm::lgammaf_r(x);
    unsafe { *sign = s };
    value
}

macro_rules! powi {
    ($name:ident $type:ty) => {
        /// Squares and multiplies in the order of compiler-rt's `__powidf2`, which
        /// is what `powi` calls on a CPU, so that both round alike.
        #[no_mangle]
        pub extern "C" fn $name(x: $type, n: i32) -> $type {
            let mut base = x;
            let mut left = n;
            let mut result = 1.0;
            loop {
                if left & 1 != 0 {
                    result *= base;
                }
                left /= 2;
                if left == 0 {
                    break;
                }
                base *= base;
            }
            if n < 0 { 1.0 / result } else { result }
        }
    };
}

powi!(__smelt_math_powi_f64 f64);
powi!(__smelt_math_powi_f32 f32);

// Between floats and 128 bits, with operations on integers only: `as` here would
// be a call of the function itself once smelt-cc has been over it.

macro_rules! from_wide {
    ($unsigned:ident $signed:ident $float:ident $bits:ident $digits:literal $bias:literal;) => {
        /// Rounds to nearest, ties to even. Beyond the largest float lies infinity.
        #[no_mangle]
        pub extern "C" fn $unsigned(x: u128) -> $float {
            if x == 0 {
                return 0.0;
            }
            let zeros = x.leading_zeros();
            let aligned = x << zeros;
            let mut digits = (aligned >> (128 - $digits)) as $bits;
            let rest = aligned << $digits;
            let half = 1u128 << 127;
            if rest > half || (rest == half && digits & 1 == 1) {
                digits += 1;
            }
            // The first digit is not stored; one carried out of the last adds to the
            // exponent by itself.
            let exponent = (127 - zeros + $bias - 1) as $bits;
            $float::from_bits((exponent << ($digits - 1)) + digits)
        }

        #[no_mangle]
        pub extern "C" fn $signed(x: i128) -> $float {
            let size = $unsigned(x.unsigned_abs());
            if x < 0 { -size } else { size }
        }
    };
}
from_wide! { __smelt_math_u128_to_f64 __smelt_math_i128_to_f64 f64 u64 53 1023; }
from_wide! { __smelt_math_u128_to_f32 __smelt_math_i128_to_f32 f32 u32 24 127; }

/// The whole part of |x|, and whether that has 128 bits or fewer.
fn whole_part(x: f64) -> (u128, bool) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let digits = (bits & ((1 << 52) - 1) | 1 << 52) as u128;
    match exponent {
        ..=-1 => (0, true),
        0..=51 => (digits >> (52 - exponent), true),
        52..=127 => (digits << (exponent - 52), true),
        _ => (0, false),
    }
}

/// As Rust's `as`: saturates, and NaN gives 0.
#[no_mangle]
pub extern "C" fn __smelt_math_f64_to_u128(x: f64) -> u128 {
    match whole_part(x) {
        _ if x.is_nan() || x < 0.0 => 0,
        (size, true) => size,
        _ => u128::MAX,
    }
}

/// As Rust's `as`: saturates, and NaN gives 0.
#[no_mangle]
pub extern "C" fn __smelt_math_f64_to_i128(x: f64) -> i128 {
    let (size, fits) = whole_part(x);
    if x.is_nan() {
        0
    } else if fits && size <= i128::MAX as u128 {
        if x < 0.0 { -(size as i128) } else { size as i128 }
    } else if x < 0.0 {
        i128::MIN
    } else {
        i128::MAX
    }
}

/// # Safety
/// Both point to `n` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn __smelt_math_memcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    let mut i = 0;
    while i < n {
        let (x, y) = unsafe { (*a.add(i), *b.add(i)) };
        if x != y {
            return x as i32 - y as i32;
        }
        i += 1;
    }
    0
}

/// # Safety
/// Both point to `n` readable bytes.
#[no_mangle]
pub unsafe extern "C" fn __smelt_math_bcmp(a: *const u8, b: *const u8, n: usize) -> i32 {
    unsafe { __smelt_math_memcmp(a, b, n) }
}

/// # Safety
/// Points to bytes that end with a zero.
#[no_mangle]
pub unsafe extern "C" fn __smelt_math_strlen(text: *const u8) -> usize {
    let mut n = 0;
    while unsafe { *text.add(n) } != 0 {
        n += 1;
    }
    n
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
