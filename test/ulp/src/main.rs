//! How far off the functions of f32 and f64 are on a device, in units in the last place,
//! against 113-bit arithmetic on the host.
//!
//!     ulp [--samples N] [FUNCTION]     a line of CSV for each function and type
//!     ulp --check FILE [--samples N]   PASS or FAIL for each against such lines of a longer run
//!
//! Inputs are special values, then a random stream that is the same in every run: the shorter
//! run's is the longer one's beginning. The device is that of SMELT_DEVICE.

mod functions;
mod inputs;

use inputs::{Domain, Float};
use smelt::prelude::*;
use std::collections::HashMap;
use std::ffi::{c_char, c_void, CString};
use std::process::ExitCode;

/// As in reference.c.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Worst {
    ulp: f64,
    at: [f64; 3],
    wrong: usize,
    wrong_at: [f64; 3],
}

extern "C" {
    fn ulp_judge(
        name: *const c_char,
        wide: bool,
        x: *const c_void,
        y: *const c_void,
        z: *const c_void,
        got: *const c_void,
        n: usize,
        worst: *mut Worst,
    ) -> bool;
}

/// What a run was asked for, and what a longer run found, by "type,function".
struct Measure {
    gpu: Device,
    samples: usize,
    filter: Option<String>,
    known: Option<HashMap<String, Known>>,
    failed: bool,
}

struct Known {
    ulp: f64,
    wrong: bool,
}

/// Another processor's libm may take other paths (with or without FMA); they differ by
/// hundredths.
const MARGIN: f64 = 0.05;

impl Measure {
    /// Runs `f` over the domain on the device, judges the results, and says so.
    fn function<T: Float>(
        &mut self,
        name: &str,
        domain: &Domain,
        f: impl Fn(T, T, T) -> T + Copy + Send + Sync + 'static,
    ) -> smelt::Result<()> {
        if self
            .filter
            .as_ref()
            .is_some_and(|part| !name.contains(part.as_str()))
        {
            return Ok(());
        }
        let [x, y, z] = domain.inputs::<T>(self.samples);
        let mut got = vec![T::default(); x.len()];
        let kernel = move |x: &[T], y: &[T], z: &[T], mut out: DisjointMut<T>| {
            let i = thread::index();
            let n = i.get();
            if let Some(out) = out.get_mut(i) {
                *out = f(x[n], y[n], z[n]);
            }
        };
        let grid = Grid::cover(x.len()).threads(128);
        self.gpu.launch(grid, kernel, (&x, &y, &z, &mut got))?;
        self.gpu.wait()?;
        let worst = judge(name, &x, &y, &z, &got);
        self.report(name, T::NAME, domain, worst, x.len());
        Ok(())
    }

    fn report(&mut self, name: &str, kind: &str, domain: &Domain, worst: Worst, count: usize) {
        let key = format!("{kind},{name}");
        let [x, y, z] = worst.at;
        let Some(known) = &self.known else {
            let range = domain.text;
            let ulp = worst.ulp;
            let wrong = worst.wrong;
            let [wx, wy, wz] = worst.wrong_at;
            println!(
                "{key},{ulp:.3},{x:e},{y:e},{z:e},{wrong},{wx:e},{wy:e},{wz:e},{count},{range}"
            );
            return;
        };
        let verdict = match known.get(&key) {
            None => Some("the list has no line for it".to_string()),
            Some(known) if worst.wrong > 0 && !known.wrong => {
                let (n, at) = (worst.wrong, worst.wrong_at);
                Some(format!("{n} results of another kind, the first at {at:?}"))
            }
            Some(known) if worst.ulp > known.ulp + MARGIN => {
                let (ulp, at, was) = (worst.ulp, worst.at, known.ulp);
                Some(format!("{ulp:.3} ulp at {at:?}, was {was}"))
            }
            Some(_) => None,
        };
        self.failed |= verdict.is_some();
        match verdict {
            None => println!("PASS ulp/{kind}: {name}"),
            Some(why) => println!("FAIL ulp/{kind}: {name}: {why}"),
        }
    }
}

/// The judge's time is what a run takes: it is spread over the processors.
fn judge<T: Float>(name: &str, x: &[T], y: &[T], z: &[T], got: &[T]) -> Worst {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let part = got.len().div_ceil(threads);
    let c_name = CString::new(name).expect("names have no NUL");
    let mut all = vec![];
    std::thread::scope(|scope| {
        let c_name = &c_name;
        let workers = (0..got.len()).step_by(part).map(|from| {
            scope.spawn(move || {
                let to = (from + part).min(got.len());
                let mut worst = Worst::default();
                let known = unsafe {
                    // SAFETY: each part is that long, and of the type that `wide` says.
                    ulp_judge(
                        c_name.as_ptr(),
                        size_of::<T>() == 8,
                        x[from..to].as_ptr().cast(),
                        y[from..to].as_ptr().cast(),
                        z[from..to].as_ptr().cast(),
                        got[from..to].as_ptr().cast(),
                        to - from,
                        &mut worst,
                    )
                };
                assert!(known, "reference.c does not know {c_name:?}");
                worst
            })
        });
        let workers: Vec<_> = workers.collect();
        all.extend(workers.into_iter().map(|w| w.join().expect("a judge died")));
    });
    all.into_iter().reduce(merge).unwrap_or_default()
}

fn merge(a: Worst, b: Worst) -> Worst {
    let mut worst = if b.ulp > a.ulp { b } else { a };
    worst.wrong = a.wrong + b.wrong;
    worst.wrong_at = if a.wrong > 0 { a.wrong_at } else { b.wrong_at };
    worst
}

/// The lines that a run without --check prints; `#` begins a comment.
fn read_known(path: &str) -> HashMap<String, Known> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &str| {
        let fields: Vec<_> = line.split(',').collect();
        let known = Known {
            ulp: fields.get(2)?.parse().ok()?,
            wrong: *fields.get(6)? != "0",
        };
        Some((format!("{},{}", fields[0], fields[1]), known))
    };
    lines
        .map(|line| entry(line).unwrap_or_else(|| panic!("{path}: {line}")))
        .collect()
}

fn main() -> smelt::Result<ExitCode> {
    let mut measure = Measure {
        gpu: Device::default()?,
        samples: 1 << 17,
        filter: None,
        known: None,
        failed: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .unwrap_or_else(|| panic!("{argument} wants a value"))
        };
        match argument.as_str() {
            "--samples" => measure.samples = value().parse().expect("a number of samples"),
            "--check" => measure.known = Some(read_known(&value())),
            _ => measure.filter = Some(argument),
        }
    }
    if measure.known.is_none() {
        println!("# {}", measure.gpu.info()?.name);
        println!("# type,function,ulp,at x,y,z,wrong,at x,y,z,samples,range");
    }
    functions::f32(&mut measure)?;
    functions::f64(&mut measure)?;
    Ok(if measure.failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
