//! Math functions against the host's. The bound of each is what the device's own
//! library states (CUDA C++ Programming Guide, "Mathematical Functions"; OpenCL's
//! bounds for OCML), plus one for the host's own error; what IEEE 754 defines
//! exactly must be exact. asinh, acosh and atanh are made of others in Rust's own
//! library, whose errors add up.

use crate::suite::{ensure, Outcome, Suite};
use smelt::prelude::*;

fn inputs(low: f64, high: f64) -> Vec<f64> {
    let n = 4001;
    (0..n).map(|i| low + (high - low) * (i as f64 + 0.37) / n as f64).collect()
}

/// Distance in units of the last place; 0 for two NaNs.
fn ulps64(a: f64, b: f64) -> f64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let spacing = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
    ((a - b) / spacing).abs()
}

fn ulps32(a: f32, b: f64) -> f64 {
    let nearest = b as f32;
    if a == nearest || (a.is_nan() && b.is_nan()) {
        return 0.0;
    }
    let spacing = f32::from_bits(nearest.abs().to_bits() + 1) - nearest.abs();
    ((a as f64 - b) / spacing as f64).abs()
}

fn double<F>(gpu: &Device, f: F, low: f64, high: f64, bound: f64) -> Outcome
where
    F: Fn(f64) -> f64 + Copy + Send + Sync + 'static,
{
    let x = inputs(low, high);
    let mut y = vec![0.0f64; x.len()];
    gpu.launch(
        Grid::cover(x.len()),
        move |x: &[f64], mut y: DisjointMut<f64>| {
            let i = thread::index();
            let at = i.get();
            if let Some(y) = y.get_mut(i) {
                *y = f(x[at]);
            }
        },
        (&x, &mut y),
    )?;
    let worst = (0..x.len())
        .max_by(|&a, &b| ulps64(y[a], f(x[a])).total_cmp(&ulps64(y[b], f(x[b]))))
        .unwrap();
    let off = ulps64(y[worst], f(x[worst]));
    ensure(
        off <= bound,
        format!("f64 at {:e}: {:e}, host {:e}, {off} ulp", x[worst], y[worst], f(x[worst])),
    )
}

/// `reference` is the same function in double precision.
fn single<F, R>(gpu: &Device, f: F, reference: R, low: f64, high: f64, bound: f64) -> Outcome
where
    F: Fn(f32) -> f32 + Copy + Send + Sync + 'static,
    R: Fn(f64) -> f64,
{
    let x: Vec<f32> = inputs(low, high).iter().map(|v| *v as f32).collect();
    let mut y = vec![0.0f32; x.len()];
    gpu.launch(
        Grid::cover(x.len()),
        move |x: &[f32], mut y: DisjointMut<f32>| {
            let i = thread::index();
            let at = i.get();
            if let Some(y) = y.get_mut(i) {
                *y = f(x[at]);
            }
        },
        (&x, &mut y),
    )?;
    let off = |i: usize| ulps32(y[i], reference(x[i] as f64));
    let worst = (0..x.len()).max_by(|&a, &b| off(a).total_cmp(&off(b))).unwrap();
    ensure(
        off(worst) <= bound,
        format!(
            "f32 at {:e}: {:e}, exact {:e}, {} ulp",
            x[worst],
            y[worst],
            reference(x[worst] as f64),
            off(worst)
        ),
    )
}

pub fn run(suite: &mut Suite) {
    // Name: from, to, most ulp in f64, most ulp in f32.
    macro_rules! functions {
        ($($name:ident: $low:expr, $high:expr, $double:expr, $single:expr;)*) => {
            $(suite.test(concat!("math ", stringify!($name)), |gpu| {
                double(gpu, |v| v.$name(), $low, $high, $double)?;
                single(gpu, |v| v.$name(), |v| v.$name(), $low, $high, $single)
            });)*
        };
    }
    functions! {
        sin: -30.0, 30.0, 3.0, 3.0;
        cos: -30.0, 30.0, 3.0, 3.0;
        tan: -1.5, 1.5, 3.0, 5.0;
        asin: -1.0, 1.0, 3.0, 5.0;
        acos: -1.0, 1.0, 3.0, 5.0;
        atan: -20.0, 20.0, 3.0, 4.0;
        sinh: -20.0, 20.0, 4.0, 4.0;
        cosh: -20.0, 20.0, 3.0, 4.0;
        tanh: -5.0, 5.0, 3.0, 4.0;
        asinh: -50.0, 50.0, 4.0, 8.0;
        acosh: 1.1, 50.0, 4.0, 8.0;
        atanh: -0.8, 0.8, 4.0, 8.0;
        exp: -80.0, 80.0, 3.0, 3.0;
        exp2: -100.0, 100.0, 3.0, 3.0;
        exp_m1: -10.0, 10.0, 3.0, 3.0;
        ln: 1e-10, 1e5, 3.0, 3.0;
        log2: 1e-10, 1e5, 3.0, 3.0;
        log10: 1e-10, 1e5, 3.0, 4.0;
        ln_1p: -0.9, 100.0, 3.0, 3.0;
        cbrt: -1000.0, 1000.0, 3.0, 3.0;
        sqrt: 0.0, 1e6, 0.0, 0.5;
        floor: -1e6, 1e6, 0.0, 0.0;
        ceil: -1e6, 1e6, 0.0, 0.0;
        trunc: -1e6, 1e6, 0.0, 0.0;
        round: -1e3, 1e3, 0.0, 0.0;
        round_ties_even: -1e3, 1e3, 0.0, 0.0;
        fract: -1e3, 1e3, 0.0, 0.0;
        abs: -1e3, 1e3, 0.0, 0.0;
        signum: -1e3, 1e3, 0.0, 0.0;
        recip: 1.0, 1e3, 0.0, 0.5;
    }
    suite.test("math of two arguments", |gpu| {
        double(gpu, |v| v.powf(1.7), 1e-3, 1e4, 3.0)?;
        double(gpu, |v| (v - 3.0).powi(5), -10.0, 10.0, 6.0)?;
        double(gpu, |v| v.hypot(3.25), -1e3, 1e3, 3.0)?;
        double(gpu, |v| v.atan2(1.5), -1e3, 1e3, 3.0)?;
        double(gpu, |v| v.mul_add(1.1, -2.2), -1e3, 1e3, 0.0)?;
        double(gpu, |v| v.max(0.5).min(3.0), -10.0, 10.0, 0.0)?;
        double(gpu, |v| v.copysign(-1.0), -10.0, 10.0, 0.0)?;
        double(gpu, |v| v % 0.7, -10.0, 10.0, 0.0)?;
        double(gpu, |v| v.rem_euclid(3.0), -100.0, 100.0, 0.0)?;
        double(gpu, |v| v.clamp(-1.0, 1.0), -3.0, 3.0, 0.0)?;
        single(gpu, |v| v.powf(1.75), |v| v.powf(1.75), 1e-3, 1e4, 9.0)?;
        single(gpu, |v| v.hypot(3.25), |v| v.hypot(3.25), -1e3, 1e3, 4.0)?;
        single(gpu, |v| v.atan2(1.5), |v| v.atan2(1.5), -1e3, 1e3, 4.0)
    });
    suite.test("math sin_cos", |gpu| {
        double(gpu, |v| v.sin_cos().0, -10.0, 10.0, 3.0)?;
        double(gpu, |v| v.sin_cos().1, -10.0, 10.0, 3.0)
    });
    suite.test("math of large arguments", |gpu| {
        double(gpu, f64::sin, 1e15, 1e16, 3.0)?;
        double(gpu, f64::cos, -1e9, -1e8, 3.0)
    });
    suite.test("math of special values", special);
    suite.test("conversions saturate", conversions);
}

/// Zeros, infinities, NaN, subnormals: what C's annex F says, on every device.
fn special(gpu: &Device) -> Outcome {
    let x = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, -1.0, 1e-310];
    let f = |v: f64| {
        [v.sqrt(), v.exp(), v.ln(), v.atan(), v.powf(0.0), v.floor(), v * 2.0, v.max(1.0)]
    };
    let mut y = vec![[0.0f64; 8]; x.len()];
    gpu.launch(
        Grid::cover(x.len()),
        move |x: &[f64], mut y: DisjointMut<[f64; 8]>| {
            let i = thread::index();
            let at = i.get();
            if let Some(y) = y.get_mut(i) {
                *y = f(x[at]);
            }
        },
        (&x[..], &mut y),
    )?;
    for (i, v) in x.iter().enumerate() {
        for (j, want) in f(*v).iter().enumerate() {
            let got = y[i][j];
            ensure(
                ulps64(got, *want) <= 2.0 && got.is_sign_negative() == want.is_sign_negative()
                    || got.is_nan() && want.is_nan(),
                format!("function {j} of {v:e} is {got:e} instead of {want:e}"),
            )?;
        }
    }
    Ok(())
}

fn conversions(gpu: &Device) -> Outcome {
    let x = [1e20f64, -1e20, f64::NAN, 255.7, -0.9, f64::INFINITY, 2147483648.0];
    let mut y = vec![(0i32, 0u8, 0u64, 0i64); x.len()];
    let f = |v: f64| (v as i32, v as u8, v as u64, v as i64);
    gpu.launch(
        Grid::cover(x.len()),
        move |x: &[f64], mut y: DisjointMut<(i32, u8, u64, i64)>| {
            let i = thread::index();
            let at = i.get();
            if let Some(y) = y.get_mut(i) {
                *y = f(x[at]);
            }
        },
        (&x[..], &mut y),
    )?;
    crate::suite::same(&y, &x.map(f))
}
