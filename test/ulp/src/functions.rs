//! The functions, and where each is measured.

use crate::inputs::{Domain, Range::*};
use crate::Measure;

/// C's names that Rust has no stable method for.
mod libm_f32 {
    extern "C" {
        #[link_name = "exp10f"]
        pub fn exp10(x: f32) -> f32;
        #[link_name = "erff"]
        pub fn erf(x: f32) -> f32;
        #[link_name = "erfcf"]
        pub fn erfc(x: f32) -> f32;
        #[link_name = "tgammaf"]
        pub fn tgamma(x: f32) -> f32;
        #[link_name = "lgammaf"]
        pub fn lgamma(x: f32) -> f32;
        #[link_name = "fdimf"]
        pub fn fdim(x: f32, y: f32) -> f32;
        #[link_name = "fmodf"]
        pub fn fmod(x: f32, y: f32) -> f32;
        #[link_name = "remainderf"]
        pub fn remainder(x: f32, y: f32) -> f32;
        #[link_name = "ldexpf"]
        pub fn ldexp(x: f32, n: i32) -> f32;
    }
}

mod libm_f64 {
    extern "C" {
        pub fn exp10(x: f64) -> f64;
        pub fn erf(x: f64) -> f64;
        pub fn erfc(x: f64) -> f64;
        pub fn tgamma(x: f64) -> f64;
        pub fn lgamma(x: f64) -> f64;
        pub fn fdim(x: f64, y: f64) -> f64;
        pub fn fmod(x: f64, y: f64) -> f64;
        pub fn remainder(x: f64, y: f64) -> f64;
        pub fn ldexp(x: f64, n: i32) -> f64;
    }
}

macro_rules! domain {
    ($text:literal; [$($x:expr),+] [$($y:expr),*] [$($z:expr),*]) => {
        Domain { text: $text, x: &[$($x),+], y: &[$($y),*], z: &[$($z),*] }
    };
    ($text:literal; $($x:expr),+) => {
        domain!($text; [$($x),+] [] [])
    };
}

macro_rules! functions {
    ($type:ident $libm:ident) => {
        pub fn $type(m: &mut Measure) -> smelt::Result<()> {
            type T = $type;
            const MAX: f64 = $type::MAX as f64;
            const TINY: f64 = $type::MIN_POSITIVE as f64;
            // Logarithms of the largest and of the smallest number.
            const TOP: f64 = if size_of::<T>() == 4 { 88.73 } else { 709.79 };
            const LOW: f64 = if size_of::<T>() == 4 { -103.98 } else { -745.2 };
            const LN2: f64 = std::f64::consts::LN_2;
            const LN10: f64 = std::f64::consts::LN_10;

            let any = domain!("all"; Any, Signed(1e-3, 1e6));
            let two = domain!("all"; [Any, Signed(1e-3, 1e3)] [Any, Signed(1e-3, 1e3)] []);
            m.function("add", &two, |x: T, y, _| x + y)?;
            m.function("sub", &two, |x: T, y, _| x - y)?;
            m.function("mul", &two, |x: T, y, _| x * y)?;
            m.function("div", &two, |x: T, y, _| x / y)?;
            m.function(
                "mul_add",
                &domain!("all"; [Any, Signed(1e-3, 1e3)] [Any, Signed(1e-3, 1e3)]
                         [Any, Signed(1e-3, 1e3)]),
                |x: T, y, z| x.mul_add(y, z),
            )?;
            m.function("sqrt", &domain!("all"; Any, Log(TINY / 1e3, MAX)), |x: T, _, _| x.sqrt())?;
            m.function("recip", &any, |x: T, _, _| x.recip())?;
            m.function("rem", &two, |x: T, y, _| x % y)?;
            m.function("rem_euclid", &two, |x: T, y, _| x.rem_euclid(y))?;
            m.function("floor", &any, |x: T, _, _| x.floor())?;
            m.function("ceil", &any, |x: T, _, _| x.ceil())?;
            m.function("trunc", &any, |x: T, _, _| x.trunc())?;
            m.function("round", &any, |x: T, _, _| x.round())?;
            m.function("round_ties_even", &any, |x: T, _, _| x.round_ties_even())?;
            m.function("to_degrees", &any, |x: T, _, _| x.to_degrees())?;
            m.function("to_radians", &any, |x: T, _, _| x.to_radians())?;

            let circle = domain!("all"; Even(-7.0, 7.0), Signed(1e-4, 1e6), Any);
            m.function("sin", &circle, |x: T, _, _| x.sin())?;
            m.function("cos", &circle, |x: T, _, _| x.cos())?;
            m.function("tan", &circle, |x: T, _, _| x.tan())?;
            let arc = domain!("-1 to 1"; Even(-1.0, 1.0), Signed(TINY, 1.0));
            m.function("asin", &arc, |x: T, _, _| x.asin())?;
            m.function("acos", &arc, |x: T, _, _| x.acos())?;
            m.function("atan", &domain!("all"; Even(-5.0, 5.0), Any), |x: T, _, _| x.atan())?;
            m.function("atan2", &two, |x: T, y, _| x.atan2(y))?;

            let hyperbolic = domain!("to overflow"; Even(-5.0, 5.0), Even(-TOP, TOP), Any);
            m.function("sinh", &hyperbolic, |x: T, _, _| x.sinh())?;
            m.function("cosh", &hyperbolic, |x: T, _, _| x.cosh())?;
            m.function("tanh", &hyperbolic, |x: T, _, _| x.tanh())?;
            m.function("asinh", &domain!("all"; Even(-5.0, 5.0), Any), |x: T, _, _| x.asinh())?;
            m.function("acosh", &domain!("from 1"; Even(1.0, 5.0), Log(1.0, MAX)), |x: T, _, _| x.acosh())?;
            m.function("atanh", &arc, |x: T, _, _| x.atanh())?;

            m.function("exp", &domain!("to overflow"; Even(-3.0, 3.0), Even(LOW, TOP), Any), |x: T, _, _| x.exp())?;
            m.function(
                "exp2",
                &domain!("to overflow"; Even(-3.0, 3.0), Even(LOW / LN2, TOP / LN2), Any),
                |x: T, _, _| x.exp2(),
            )?;
            m.function(
                "exp10",
                &domain!("to overflow"; Even(-3.0, 3.0), Even(LOW / LN10, TOP / LN10), Any),
                // SAFETY: C's, for any number.
                |x: T, _, _| unsafe { $libm::exp10(x) },
            )?;
            m.function("exp_m1", &domain!("to overflow"; Even(-3.0, 3.0), Even(-50.0, TOP), Any), |x: T, _, _| x.exp_m1())?;
            let positive = domain!("positive"; Log(TINY / 1e3, MAX), Even(0.5, 2.0));
            m.function("ln", &positive, |x: T, _, _| x.ln())?;
            m.function("log2", &positive, |x: T, _, _| x.log2())?;
            m.function("log10", &positive, |x: T, _, _| x.log10())?;
            m.function("ln_1p", &domain!("from -1"; Even(-1.0, 2.0), Signed(TINY, 0.9), Log(1.0, MAX)), |x: T, _, _| x.ln_1p())?;
            m.function(
                "log",
                &domain!("positive, base from 1.5 to 100"; [Log(TINY, MAX), Even(0.5, 2.0)] [Even(1.5, 100.0)] []),
                |x: T, y, _| x.log(y),
            )?;
            m.function(
                "powf",
                &domain!("x positive"; [Log(1e-4, 1e4), Log(TINY, MAX)] [Even(-9.0, 9.0), Even(-1.0, 1.0)] []),
                |x: T, y, _| x.powf(y),
            )?;
            m.function(
                "powi",
                &domain!("powers from -64 to 64"; [Signed(0.25, 4.0)] [Whole(-64, 64)] []),
                |x: T, y, _| x.powi(y as i32),
            )?;
            m.function("cbrt", &any, |x: T, _, _| x.cbrt())?;
            m.function("hypot", &two, |x: T, y, _| x.hypot(y))?;

            let even = domain!("all"; Even(-6.0, 6.0), Signed(TINY, 1.0));
            // SAFETY: C's functions, all of them for any number.
            m.function("erf", &even, |x: T, _, _| unsafe { $libm::erf(x) })?;
            const ERFC: f64 = if size_of::<T>() == 4 { 10.1 } else { 27.3 };
            let falling = domain!("to underflow"; Signed(TINY, 6.0), Even(-6.0, ERFC));
            m.function("erfc", &falling, |x: T, _, _| unsafe { $libm::erfc(x) })?;
            const GAMMA: f64 = if size_of::<T>() == 4 { 35.0 } else { 171.6 };
            m.function("tgamma x>0", &domain!("positive"; Even(0.0, 6.0), Even(0.0, GAMMA)), |x: T, _, _| unsafe { $libm::tgamma(x) })?;
            m.function("tgamma x<0", &domain!("-30 to 0"; Even(-6.0, 0.0), Even(-30.0, 0.0)), |x: T, _, _| unsafe { $libm::tgamma(x) })?;
            m.function("lgamma x>0", &domain!("positive"; Even(0.0, 6.0), Log(1e-3, 1e6)), |x: T, _, _| unsafe { $libm::lgamma(x) })?;
            m.function("lgamma x<0", &domain!("-30 to 0"; Even(-6.0, 0.0), Even(-30.0, 0.0)), |x: T, _, _| unsafe { $libm::lgamma(x) })?;
            m.function("fdim", &two, |x: T, y, _| unsafe { $libm::fdim(x, y) })?;
            m.function("fmod", &two, |x: T, y, _| unsafe { $libm::fmod(x, y) })?;
            m.function("remainder", &two, |x: T, y, _| unsafe { $libm::remainder(x, y) })?;
            m.function(
                "ldexp",
                &domain!("all"; [Any] [Whole(-2100, 2100)] []),
                |x: T, y, _| unsafe { $libm::ldexp(x, y as i32) },
            )?;
            Ok(())
        }
    };
}

functions! { f32 libm_f32 }
functions! { f64 libm_f64 }
