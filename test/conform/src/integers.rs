//! Every method of the integers that core has on stable, at every width.

use crate::suite::Suite;

macro_rules! unsigned {
    ($s:expr, $($type:ident $signed:ident $name:literal;)*) => {$(
        let s = &mut *$s;
        s.case(concat!($name, "-only"), |(a, b): ($type, $type)| (
            a.abs_diff(b), a.is_power_of_two(), a.checked_next_power_of_two(),
            a.checked_add_signed(b as $signed), a.wrapping_add_signed(b as $signed),
            a.saturating_add_signed(b as $signed)));
        s.case(concat!($name, "-only-2"), |(a, b): ($type, $type)| (
            (b != 0).then(|| a.div_ceil(b)), a.checked_next_multiple_of(b), a.isqrt(),
            a.midpoint(b), a.checked_signed_diff(b), a.checked_ilog(b)));
        s.case(concat!($name, "-carrying"), |(a, b, c): ($type, $type, bool)| {
            let (x, carry) = a.overflowing_add(b);
            let (y, more) = x.overflowing_add(c as $type);
            let (z, borrow) = a.overflowing_sub(b);
            (y, carry | more, z, borrow, a.is_multiple_of(b))
        });
    )*};
}

macro_rules! signed {
    ($s:expr, $($type:ident $unsigned:ident $name:literal;)*) => {$(
        let s = &mut *$s;
        s.case(concat!($name, "-only"), |(a, b): ($type, $type)| (
            a.checked_abs(), a.wrapping_abs(), a.unsigned_abs(), a.signum(), a.is_negative(), a.abs_diff(b)));
        s.case(concat!($name, "-only-2"), |(a, b): ($type, $type)| (
            a.checked_neg(), a.saturating_neg(), a.saturating_abs(), a.checked_isqrt(),
            a.overflowing_neg(), a.checked_add_unsigned(b as $unsigned)));
        s.case(concat!($name, "-only-3"), |(a, b): ($type, $type)| (
            a.wrapping_sub_unsigned(b as $unsigned), a.saturating_sub_unsigned(b as $unsigned),
            a.midpoint(b), a.cast_unsigned(), a.wrapping_neg()));
    )*};
}

macro_rules! common {
    ($s:expr, $($type:ident $name:literal;)*) => {$(
        let s = &mut *$s;
        s.case(concat!($name, "-wrapping"), |(a, b): ($type, $type)| (
            (a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a.wrapping_neg()),
            (b != 0).then(|| (a.wrapping_div(b), a.wrapping_rem(b), a.wrapping_div_euclid(b), a.wrapping_rem_euclid(b), a.overflowing_div(b), a.saturating_div(b))),
            (a & b, a | b, a ^ b, !a)));
        s.case(concat!($name, "-checked"), |(a, b): ($type, $type)| (
            (a.checked_add(b), a.checked_sub(b), a.checked_mul(b), a.checked_div(b), a.checked_rem(b), a.checked_neg()),
            (a.checked_div_euclid(b), a.checked_rem_euclid(b), a.checked_ilog2(), a.checked_ilog10(), a.checked_ilog(b))));
        s.case(concat!($name, "-saturating"), |(a, b): ($type, $type)| (
            (a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b)),
            (a.overflowing_add(b), a.overflowing_sub(b), a.overflowing_mul(b), a.overflowing_neg())));
        s.case(concat!($name, "-pow"), |(a, n): ($type, u8)| (
            a.checked_pow(n as u32 % 40), a.wrapping_pow(n as u32), a.saturating_pow(n as u32 % 9), a.overflowing_pow(n as u32 % 70)));
        s.case(concat!($name, "-shifts"), |(a, n): ($type, u32)| (
            (a.checked_shl(n % 140), a.checked_shr(n % 140), a.wrapping_shl(n), a.wrapping_shr(n), a.overflowing_shl(n), a.overflowing_shr(n)),
            (a.unbounded_shl(n % 140), a.unbounded_shr(n % 140), a.rotate_left(n), a.rotate_right(n))));
        s.case(concat!($name, "-bits"), |a: $type| (
            (a.count_ones(), a.count_zeros(), a.leading_zeros(), a.trailing_zeros(), a.leading_ones(), a.trailing_ones()),
            (a.swap_bytes(), a.reverse_bits(), a.to_be_bytes(), a.to_le_bytes(), $type::from_be_bytes(a.to_ne_bytes()), a.to_be())));
        s.case(concat!($name, "-compare"), |(a, b, c): ($type, $type, $type)| (
            (a.cmp(&b), a.min(b), a.max(c), a < b, a == b), (if b <= c { a.clamp(b, c) } else { 0 }, (a, b) < (b, c))));
        s.case(concat!($name, "-casts"), |a: $type| (
            (a as u8, a as i8, a as u16, a as i16, a as u32, a as i32),
            (a as u64, a as i64, a as u128, a as i128, a as usize, a as isize), (a as f32, a as f64)));
        s.case(concat!($name, "-from"), |(x, y, z): (f32, f64, i128)| (x as $type, y as $type, $type::try_from(z).ok()));
        s.case(concat!($name, "-division-by-constants"), |a: $type| (a / 7, a % 10, a / 64, a % 64, a / 100, a % 3));
        s.case(concat!($name, "-in-locals"), |(a, n): ($type, usize)| { let mut all = [a; 9]; all[n % 9] = !a; all[(n / 3) % 9] ^= 1; all });
    )*};
}

pub fn run(s: &mut Suite) {
    common! { s,
        u8 "u8"; u16 "u16"; u32 "u32"; u64 "u64"; u128 "u128";
        i8 "i8"; i16 "i16"; i32 "i32"; i64 "i64"; i128 "i128";
    }
    unsigned! { s,
        u8 i8 "u8"; u16 i16 "u16"; u32 i32 "u32"; u64 i64 "u64"; u128 i128 "u128"; usize isize "usize";
    }
    signed! { s,
        i8 u8 "i8"; i16 u16 "i16"; i32 u32 "i32"; i64 u64 "i64"; i128 u128 "i128"; isize usize "isize";
    }
    s.case("parse-decimal", |x: [u8; 5]| {
        let text = x.map(|b| b"0123456789-+a "[b as usize % 14]);
        let text = core::str::from_utf8(&text).unwrap_or("");
        (text.parse::<i32>().ok(), text.trim().parse::<u8>().ok(), i16::from_str_radix(&text[1..], 12).ok())
    });
    s.case("bool-operators", |(a, b): (bool, bool)| (a & b, a | b, a ^ b, !a, a < b, a as u8 + b as u8));
    s.case("bool-methods", |(a, b): (bool, u8)| (a.then_some(b), a.cmp(&(b > 9)), bool::from(a), i32::from(a)));
    s.case("wrapping-type", |(a, b): (u32, u32)| { use std::num::Wrapping as W; let mut x = W(a) + W(b) * W(3); x -= W(7); x <<= 3; (x.0, (-x).0, (x / W(5)).0) });
    s.case("saturating-type", |(a, b): (i16, i16)| { use std::num::Saturating as S; let x = S(a) + S(b) * S(3); (x.0, (-x).0) });
    s.case("mixed-widths", |(a, b, c): (u8, i16, u64)| ((a as i64).wrapping_mul(b as i64).wrapping_add(c as i64), c as u32 as i32 as i64 as u64, (b as u16).wrapping_add(a as u16)));
    s.case("multiply-high", |(a, b): (u64, u64)| ((a as u128 * b as u128 >> 64) as u64, ((a as i64 as i128 * b as i64 as i128) >> 64) as i64));
    s.case("hash-mix", |x: u64| { let mut h = x; for k in [0xff51afd7ed558ccdu64, 0xc4ceb9fe1a85ec53] { h ^= h >> 33; h = h.wrapping_mul(k) } h ^ h >> 33 });
    // ptxas does not wrap neg.s16 (src/cc/nvptx_ptxas.c).
    s.case("i16-negated", |(a, b): (i16, i16)| (a.saturating_neg(), a.saturating_abs(), a.wrapping_abs() < 0, a.wrapping_neg() > b, a.wrapping_neg().wrapping_div(b | 1), a.wrapping_neg() as i64));
    s.case("i8-negated", |(a, b): (i8, i8)| (a.saturating_neg(), a.saturating_abs(), a.wrapping_abs() < 0, a.wrapping_neg() > b, a.wrapping_neg().wrapping_div(b | 1), a.wrapping_neg() as i64));
    carries(s);
}

/// Carries between the words of 64 and 128 bits. LLVM's AMD back end loses those of a sum
/// or product to which something narrower is added (src/cc/amdgpu_carry.c).
fn carries(s: &mut Suite) {
    s.case("carry-saturating-modulo", |(a, c): (u64, u16)| a.overflowing_mul(a).0.saturating_add(c as u64) % 5);
    s.case("carry-saturating", |(a, c): (u64, u16)| a.overflowing_mul(a).0.saturating_add(c as u64));
    s.case("carry-checked-add", |(a, c): (u64, u16)| a.wrapping_add(a ^ 5).checked_add(c as u64));
    s.case("carry-checked-sub", |(a, c): (u64, u16)| a.wrapping_sub(!a).checked_sub(c as u64));
    s.case("carry-asked-by-compare", |(a, c): (u64, u32)| { let m = a.wrapping_mul(a ^ 3); let x = m.wrapping_add(c as u64); (x, x < m) });
    s.case("borrow-asked-by-compare", |(a, c): (u64, u32)| { let m = a.wrapping_mul(a ^ 3); let x = m.wrapping_sub(c as u64); (x, m < c as u64) });
    s.case("carry-128", |(a, c): (u128, u32)| a.wrapping_mul(a).wrapping_add(c as u128));
    s.case("carry-128-checked", |(a, c): (u128, u64)| (a.wrapping_add(a >> 3).wrapping_sub(c as u128), a.wrapping_mul(5).checked_add(c as u128)));
    s.case("borrow-128-saturating", |(a, c): (u128, u64)| (a.wrapping_add(!a << 3).saturating_sub(c as u128), a.wrapping_mul(5).overflowing_sub(c as u128)));
    s.case("carry-128-signed", |(a, c): (i128, u64)| (a.wrapping_add(!a << 3).saturating_sub(c as i128), a.wrapping_mul(5).overflowing_sub(c as i128), a.wrapping_mul(7).checked_add(c as i128)));
    s.case("multiply-add-128", |(a, b, c): (u64, u64, u64)| a as u128 * b as u128 + c as u128);
    s.case("multiply-add-128-high", |(a, b, c): (u64, u64, u8)| (a as u128 * b as u128 + c as u128) >> 64);
    s.case("carry-of-constants", |a: u64| (a.wrapping_mul(a).checked_add(1), a.wrapping_add(a).checked_sub(9), a.wrapping_mul(3).saturating_add(77)));
    s.case("carry-masked", |(a, b): (u64, u64)| { let s = (a.wrapping_mul(3)).wrapping_add(b & 0xffff); if s < b & 0xffff { s ^ 1 } else { s } });
    s.case("carry-shifted", |(a, b): (u64, u64)| (a.wrapping_mul(3).wrapping_add(b >> 40), a.wrapping_mul(3) > !(b >> 40)));
    s.case("borrow-shifted", |(a, b): (u64, u64)| (a.wrapping_mul(3).wrapping_sub(b >> 40), a.wrapping_mul(3) < b >> 40));
    s.case("carry-chain", |x: [u64; 4]| { let mut c = 0u128; let mut o = [0u64; 4]; for i in 0..4 { c += x[i] as u128 * x[3 - i] as u128 >> 1; o[i] = c as u64; c >>= 64; } o });
}
