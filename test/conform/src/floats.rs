//! Every method of f32 and f64 on stable, and what IEEE leaves no choice in to the bit.
//!
//! Functions that no standard rounds for us may be off by the ulps given; docs/math.md has
//! what was measured.

use crate::suite::Suite;

macro_rules! exact {
    ($s:expr, $($type:ident $bits:ident $name:literal;)*) => {$(
        let s = &mut *$s;
        s.case(concat!($name, "-arithmetic"), |(a, b): ($type, $type)| (a + b, a - b, a * b, a / b, -a));
        s.case(concat!($name, "-remainder"), |(a, b): ($type, $type)| a % b);
        s.case(concat!($name, "-euclid"), |(a, b): ($type, $type)| (a.rem_euclid(b), a.div_euclid(b)));
        s.case(concat!($name, "-fused"), |(a, b, c): ($type, $type, $type)| a.mul_add(b, c));
        s.case(concat!($name, "-not-fused"), |(a, b, c): ($type, $type, $type)| (a * b + c, a * b - c, c - a * b));
        s.case(concat!($name, "-sqrt"), |a: $type| a.sqrt());
        s.case(concat!($name, "-rounding"), |a: $type| (a.floor(), a.ceil(), a.round(), a.trunc(), a.fract(), a.round_ties_even()));
        s.case(concat!($name, "-sign"), |(a, b): ($type, $type)| (a.abs(), a.signum(), a.copysign(b), a.is_sign_negative(), a.is_sign_positive()));
        // Which of two zeros is the less Rust leaves open; + 0.0 takes the sign off.
        s.case(concat!($name, "-min-max"), |(a, b): ($type, $type)| (a.min(b) + 0.0, b.max(a) + 0.0));
        s.case(concat!($name, "-min-max-many"), |x: [$type; 5]| (x.iter().copied().fold($type::NAN, $type::min) + 0.0, x.iter().copied().fold($type::NEG_INFINITY, $type::max) + 0.0));
        s.case(concat!($name, "-clamp"), |(a, b, c): ($type, $type, $type)| if b <= c { a.clamp(b, c) } else { 0.0 });
        s.case(concat!($name, "-compare"), |(a, b): ($type, $type)| (a < b, a <= b, a == b, a != b, a.partial_cmp(&b), a.total_cmp(&b)));
        s.case(concat!($name, "-compare-not"), |(a, b): ($type, $type)| (!(a < b), !(a >= b), a > b || a.is_nan(), if a > b { a } else { b }, if a >= b { b } else { a }));
        s.case(concat!($name, "-class"), |a: $type| (a.is_nan(), a.is_infinite(), a.is_finite(), a.is_normal(), a.is_subnormal(), a.classify() as u8));
        s.case(concat!($name, "-bits"), |a: $type| (if a.is_nan() { 0 } else { a.to_bits() }, $type::from_bits(a.to_bits() ^ 1), $type::from_be_bytes(a.to_be_bytes())));
        s.case(concat!($name, "-neighbours"), |a: $type| (a.next_up(), a.next_down(), a.recip(), a.midpoint(1.5)));
        s.case(concat!($name, "-subnormals"), |(a, b): ($bits, $bits)| {
            let (x, y) = ($type::from_bits(a >> 9), $type::from_bits(b >> 9));
            (x + y, x - y, x * 2.0, x / 3.0, x.sqrt(), x * $type::MAX)
        });
        s.case(concat!($name, "-subnormals-fused"), |(a, b, c): ($bits, $bits, $type)| {
            let (x, y) = ($type::from_bits(a >> 9), -$type::from_bits(b >> 9));
            (x.mul_add(1.5, y), x.mul_add(c, y), c.mul_add(y, x), x.mul_add(y, x), x * 0.75 + y)
        });
        s.case(concat!($name, "-subnormals-compared"), |(a, b): ($bits, $bits)| {
            let (x, y) = ($type::from_bits(a >> 9), $type::from_bits(b >> 9));
            ((x < y, x <= y, x == y, x > -y, x != 0.0), (x.partial_cmp(&y), x.total_cmp(&y), x.min(y), x.max(y), x.is_subnormal()))
        });
        s.case(concat!($name, "-subnormals-rounded"), |(a, b): ($bits, $bits)| {
            let (x, y) = ($type::from_bits(a >> 9), $type::from_bits(b >> 9 | 1));
            ((x.floor(), x.ceil(), (-x).ceil(), x.round(), x.trunc(), x.fract()), (x % y, x.abs(), x.copysign(-y), x.next_down(), x as i32, (-x) as u64))
        });
        s.case(concat!($name, "-degrees"), |a: $type| (a.to_degrees(), a.to_radians()));
        s.case(concat!($name, "-sum-product"), |x: [$type; 6]| (x.iter().sum::<$type>(), x.iter().product::<$type>()));
        s.case(concat!($name, "-horner"), |x: $type| [1.5, -0.25, 3.0, 0.125].iter().fold(0.0, |a, c| a * x + c));
        s.case(concat!($name, "-sort-total"), |x: [$type; 7]| { let mut y = x; y.sort_unstable_by($type::total_cmp); y });
        s.case(concat!($name, "-constants"), |a: $type| ($type::EPSILON * a, $type::MIN_POSITIVE / 2.0 + a, $type::MAX + a, a * 0.0, 0.0 / a));
        s.case(concat!($name, "-newton"), |a: $type| { let x = a.abs() + 1.0; let mut r = x; for _ in 0..20 { r = 0.5 * (r + x / r) } r });
        s.case(concat!($name, "-accumulate"), |(a, b): ($type, $type)| { let mut t = a; for i in 0..33 { t = t * 0.75 + b / (i as $type + 1.0) } t });
    )*};
}

/// Inputs are brought into the range where the function has something to say.
macro_rules! near {
    ($s:expr, $($type:ident $name:literal;)*) => {$(
        let s = &mut *$s;
        s.within(2, concat!($name, "-sin"), |a: $type| a.sin());
        s.within(2, concat!($name, "-cos"), |a: $type| a.cos());
        s.within(4, concat!($name, "-tan"), |a: $type| a.tan());
        s.within(2, concat!($name, "-sin-cos"), |a: $type| a.sin_cos());
        s.within(4, concat!($name, "-asin"), |a: $type| (a.asin(), a.fract().asin()));
        s.within(4, concat!($name, "-acos"), |a: $type| (a.acos(), a.fract().acos()));
        s.within(4, concat!($name, "-atan"), |a: $type| a.atan());
        s.within(4, concat!($name, "-atan2"), |(a, b): ($type, $type)| a.atan2(b));
        s.within(4, concat!($name, "-sinh"), |a: $type| a.sinh());
        s.within(4, concat!($name, "-cosh"), |a: $type| a.cosh());
        s.within(4, concat!($name, "-tanh"), |a: $type| a.tanh());
        s.within(8, concat!($name, "-asinh"), |a: $type| a.asinh());
        s.within(8, concat!($name, "-acosh"), |a: $type| (a.abs() + 1.0).acosh());
        s.within(8, concat!($name, "-atanh"), |a: $type| a.fract().atanh());
        s.within(2, concat!($name, "-exp"), |a: $type| a.exp());
        s.within(2, concat!($name, "-exp2"), |a: $type| a.exp2());
        s.within(2, concat!($name, "-exp-m1"), |a: $type| a.exp_m1());
        s.within(2, concat!($name, "-ln"), |a: $type| a.ln());
        s.within(2, concat!($name, "-log2"), |a: $type| a.log2());
        s.within(2, concat!($name, "-log10"), |a: $type| a.log10());
        s.within(2, concat!($name, "-ln-1p"), |a: $type| a.ln_1p());
        s.within(4, concat!($name, "-log"), |a: $type| (a.abs() + 1.0).log(7.0));
        s.within(2, concat!($name, "-cbrt"), |a: $type| a.cbrt());
        s.within(2, concat!($name, "-hypot"), |(a, b): ($type, $type)| a.hypot(b));
        s.within(4, concat!($name, "-powf"), |(a, b): ($type, $type)| (a.powf(b), a.abs().powf(b.fract())));
        s.within(16, concat!($name, "-powi"), |(a, n): ($type, i8)| (1.0 + a.fract() / 8.0).powi(n as i32 / 4));
    )*};
}

fn conversions(s: &mut Suite) {
    s.case("f32-to-f64", |a: f32| a as f64);
    s.case("f64-to-f32", |a: f64| a as f32);
    s.case("f64-to-f32-subnormal", |a: u64| {
        // Exponents around f32's subnormal numbers, ties among them.
        let x = f64::from_bits((a % (1 << 52)) | (1023 - 155 + (a >> 52) % 32) << 52);
        let tie = f64::from_bits(x.to_bits() & !((1 << 28) - 1) | 1 << 28);
        (x as f32, tie as f32, -x as f32, (x as f32) as f64, (x as f32) < f32::MIN_POSITIVE)
    });
    s.case("f32-subnormal-to-f64", |a: u32| {
        let x = f32::from_bits(a >> 9);
        (x as f64, -x as f64, x as f64 == 0.0, (x as f64 * 3.0) as f32)
    });
    s.case("f64-to-f32-and-back", |a: f64| (a as f32 as f64 == a, a as f32));
    s.case("float-to-i8", |a: f32| (a as i8, a as u8, a as i16, a as u16));
    s.case("float-to-i32", |a: f32| (a as i32, a as u32, a as i64, a as u64));
    s.case("double-to-i32", |a: f64| (a as i32, a as u32, a as i64, a as u64, a as i8, a as u16));
    s.case("int-to-float", |(a, b): (u64, i64)| (a as f32, a as f64, b as f32, b as f64));
    s.case("int-to-float-32", |(a, b): (u32, i32)| (a as f32, a as f64, b as f32, b as f64));
    s.case("bool-char-to-float", |(a, b): (bool, u8)| (a as u8 as f32, f64::from(b), f32::from(b as i8)));
    s.case("round-then-cast", |a: f64| (a.round() as i32, a.floor() as i64, a.ceil() as u8));
    s.case("float-in-memory", |(a, n): (f64, usize)| { let mut all = [a; 7]; all[n % 7] = -a; all[(n / 7) % 7] += 1.0; all });
    s.case("mandelbrot", |(x, y): (i16, i16)| {
        let (cx, cy) = (x as f64 / 16384.0, y as f64 / 16384.0);
        let (mut a, mut b, mut n) = (0.0, 0.0, 0u32);
        while n < 200 && a * a + b * b <= 4.0 {
            (a, b) = (a * a - b * b + cx, 2.0 * a * b + cy);
            n += 1;
        }
        (n, a, b)
    });
    s.case("kahan", |x: [f32; 8]| { let (mut sum, mut c) = (0f32, 0f32); for v in x { let y = v - c; let t = sum + y; c = (t - sum) - y; sum = t } (sum, c) });
    s.case("two-sum", |(a, b): (f64, f64)| { let s = a + b; let t = s - a; (s, (a - (s - t)) + (b - t)) });
}

pub fn run(s: &mut Suite) {
    exact! { s, f32 u32 "f32"; f64 u64 "f64"; }
    near! { s, f32 "f32"; f64 "f64"; }
    conversions(s);
}
