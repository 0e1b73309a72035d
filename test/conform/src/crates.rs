//! Crates that real kernels use, from Debian's packages.

use crate::suite::Suite;
use arrayvec::{ArrayString, ArrayVec};
use half::{bf16, f16};
use num_complex::Complex;
use num_traits::{Bounded, CheckedAdd, Float, FloatConst, NumCast, One, PrimInt, Saturating, ToPrimitive, Zero};
use rand_core::{RngCore, SeedableRng};
use smallvec::SmallVec;

fn polynomial<T: Float>(x: T, c: &[T]) -> T {
    c.iter().fold(T::zero(), |s, &k| s.mul_add(x, k))
}

fn gcd<T: PrimInt>(a: T, b: T) -> T {
    if b.is_zero() { a } else { gcd(b, a % b) }
}

fn fft4(x: [Complex<f64>; 4]) -> [Complex<f64>; 4] {
    let (a, b) = (x[0] + x[2], x[0] - x[2]);
    let (c, d) = (x[1] + x[3], (x[1] - x[3]) * Complex::new(0.0, -1.0));
    [a + c, b + d, a - c, b - d]
}

fn numbers(s: &mut Suite) {
    s.case("complex-arithmetic", |(a, b, c, d): (f64, f64, f64, f64)| { let (x, y) = (Complex::new(a, b), Complex::new(c, d)); let (p, q, r) = (x + y, x * y, x - y.conj()); (p.re, p.im, q.re, q.im, r.re, x.norm_sqr()) });
    s.case("complex-division", |(a, b, c, d): (f32, f32, f32, f32)| { let q = Complex::new(a, b) / Complex::new(c, d); let i = Complex::new(c, d).inv(); (q.re, q.im, i.re, i.im) });
    s.case("complex-fft", |x: [f64; 4]| { let y = fft4(x.map(|r| Complex::new(r, -r / 2.0))); [y[0].re, y[1].im, y[2].re, y[3].im] });
    s.case("complex-powu", |(a, n): (f64, u8)| { let p = Complex::new(a.fract(), 0.5).powu(n as u32 % 9); (p.re, p.im) });
    s.within(8, "complex-polar", |(a, b): (f64, f64)| { let (x, y) = (Complex::new(a.fract(), b.fract()), Complex::<f64>::i()); ((x * y).norm(), x.arg(), Complex::from_polar(a.abs(), b.fract()).re) });
    s.within(16, "complex-exp", |(a, b): (f64, f64)| { let e = Complex::new(a.fract(), b.fract()).exp(); (e.re, e.im) });
    s.case("num-traits-float", |x: f32| (polynomial(x, &[1.0, 2.0, 0.5]), Float::floor(x), Float::is_nan(x), Float::max(x, 2.0), Float::abs_sub(x, 1.0)));
    s.case("num-traits-decode", |x: f64| { let (m, e, sign) = Float::integer_decode(x); (m, e, sign) });
    s.case("num-traits-integer", |(a, b): (u32, i64)| (gcd(a, 36), gcd(b.unsigned_abs(), 1 << 20), PrimInt::leading_zeros(a), PrimInt::pow(a & 15, 5), <i64 as Bounded>::max_value() ^ b));
    s.case("num-traits-cast", |(a, b): (f64, i32)| (a.to_i32(), a.to_u8(), b.to_u16(), <u64 as NumCast>::from(a), b.to_f32()));
    s.case("num-traits-generic", |(a, b): (u8, u8)| { fn sum<T: Zero + One + CheckedAdd + Copy>(a: T, b: T) -> Option<T> { a.checked_add(&b)?.checked_add(&T::one()) } (sum(a, b), Saturating::saturating_add(a, b), f32::TAU() * a as f32) });
    s.case("libm-exact", |(a, b): (f64, f64)| (libm::floor(a), libm::fmod(a, b), libm::copysign(a, b), libm::fma(a, b, 1.0), libm::sqrt(a.abs()), libm::trunc(b)));
    s.case("libm-f32", |(a, b): (f32, f32)| (libm::roundf(a), libm::fmaxf(a, b), libm::sinf(a), libm::expf(a), libm::powf(a, b), libm::atan2f(a, b)));
    s.case("libm-f64", |a: f64| (libm::sin(a), libm::exp(a), libm::log(a), libm::tanh(a), libm::cbrt(a), libm::erf(a)));
    s.case("libm-special", |a: f64| (libm::tgamma(a), libm::lgamma(a), libm::j0(a), libm::frexp(a).1, libm::ilogb(a), libm::expm1(a)));
}

fn halves(s: &mut Suite) {
    s.case("f16-from", |a: f32| (f16::from_f32(a).is_nan(), if a.is_nan() { 0 } else { f16::from_f32(a).to_bits() }, if a.is_nan() { 0 } else { f16::from_f64(a as f64 * 1.0000001).to_bits() }));
    s.case("f16-to", |a: u16| (f16::from_bits(a).to_f32(), f16::from_bits(a).to_f64(), f16::from_bits(a).is_finite(), f16::from_bits(a).signum().to_f32()));
    s.case("bf16", |(a, b): (f32, u16)| (if a.is_nan() { 0 } else { bf16::from_f32(a).to_bits() }, bf16::from_bits(b).to_f32(), bf16::from_bits(b) < bf16::ONE));
    s.case("f16-subnormals", |(a, b): (u16, u32)| {
        // Below 2^-14 both ways: half of the numbers from f32 are ties.
        let small = f32::from_bits(((127 - 26 + b % 14) << 23) | (b >> 4 & 0x7ff000) | (b & 1) << 11);
        let h = f16::from_bits(a % 0x400);
        (h.to_f32(), h.to_f64(), h > f16::ZERO, f16::from_f32(h.to_f32() * 1.5).to_bits(), f16::from_f32(small).to_bits(), f16::from_f64(small as f64).to_bits())
    });
    s.case("bf16-subnormals", |(a, b): (u16, u32)| {
        let (h, x) = (bf16::from_bits(a % 0x80), f32::from_bits(b >> 9));
        (h.to_f32(), h < bf16::ONE, bf16::from_f32(x).to_bits(), bf16::from_f32(-x).to_bits(), bf16::from_f32(h.to_f32() * 3.0).to_bits())
    });
    s.case("f16-storage", |x: [f32; 8]| { let stored = x.map(f16::from_f32); stored.iter().map(|h| h.to_f32()).fold(0.0, |most, x| if x > most { x } else { most }) });
}

fn generators(s: &mut Suite) {
    s.case("pcg32", |seed: u64| { let mut r = rand_pcg::Pcg32::seed_from_u64(seed); (r.next_u32(), r.next_u64(), r.next_u32()) });
    s.case("pcg64", |(a, b): (u128, u128)| { let mut r = rand_pcg::Pcg64::new(a, b); (r.next_u64(), r.next_u32()) });
    s.case("pcg64-mcg-bytes", |seed: u128| { let mut r = rand_pcg::Mcg128Xsl64::new(seed); let mut b = [0u8; 11]; r.fill_bytes(&mut b); b });
    s.case("pcg32-advance", |(seed, n): (u64, u64)| { let mut r = rand_pcg::Lcg64Xsh32::new(seed, 7); r.advance(n); r.next_u32() });
    s.case("xorshift", |seed: [u8; 16]| { let mut r = rand_xorshift::XorShiftRng::from_seed(seed); (r.next_u32(), r.next_u64()) });
    s.case("monte-carlo", |seed: u64| { let mut r = rand_pcg::Pcg32::seed_from_u64(seed); let mut f = || (r.next_u32() >> 8) as f32 / 16777216.0; (0..50).filter(|_| { let (x, y) = (f(), f()); x * x + y * y < 1.0 }).count() });
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Record {
    key: u32,
    values: [u16; 2],
}
// SAFETY: all zero is a value.
unsafe impl bytemuck::Zeroable for Record {}
// SAFETY: no padding, all bits are values.
unsafe impl bytemuck::Pod for Record {}

fn containers(s: &mut Suite) {
    s.case("arrayvec", |(x, n): ([u32; 8], usize)| { let mut v = ArrayVec::<u32, 8>::new(); for y in x { if y % 3 != 0 { v.push(y) } } let popped = v.pop(); if v.len() > 2 { v.swap_remove(n % 2); v.insert(1, 77) } (v.len(), popped, v.iter().fold(0u32, |s, y| s.wrapping_mul(7) ^ y), v.is_full(), v.try_push(1).is_err()) });
    s.case("arrayvec-methods", |x: [u8; 6]| { let mut v: ArrayVec<u8, 10> = x.into_iter().collect(); v.retain(|y| *y > 3); v.truncate(4); v.sort_unstable(); let removed = v.drain(..v.len() / 2).map(|y| y as u32).sum::<u32>(); (v.len(), removed, v.first().copied()) });
    s.case("arraystring", |x: u16| { let mut t = ArrayString::<16>::new(); t.push_str("n="); t.push((b'a' + (x % 26) as u8) as char); (t.len(), t.as_bytes()[2], t.try_push_str("too long for the rest").is_err()) });
    // What may grow reaches the allocator, which a kernel must not.
    s.case("smallvec", |(x, n): ([u32; 6], usize)| { let mut v = std::mem::ManuallyDrop::new(SmallVec::from_buf_and_len(x, n % 7)); v.reverse(); v.truncate(5); let popped = v.pop(); v.iter_mut().for_each(|y| *y ^= 1); (v.len(), popped, v.first().copied(), v.spilled(), v.iter().copied().max()) });
    s.case("bytemuck", |x: [u32; 4]| { let bytes: &[u8] = bytemuck::cast_slice(&x); let halves: [u16; 8] = bytemuck::cast(x); let r: &Record = bytemuck::from_bytes(&bytes[..8]); (bytes[5], halves[3], r.key, r.values[1], bytemuck::bytes_of(&x).len(), bytemuck::try_cast_slice::<u8, u32>(&bytes[1..]).is_err()) });
    s.case("bytemuck-mut", |(x, n): ([u32; 4], usize)| { let mut a = x; bytemuck::cast_slice_mut::<u32, u8>(&mut a)[n % 16] ^= 0xff; bytemuck::bytes_of_mut(&mut a)[0] = 1; (a, <u64 as bytemuck::Zeroable>::zeroed()) });
}

pub fn run(s: &mut Suite) {
    numbers(s);
    halves(s);
    generators(s);
    containers(s);
}
