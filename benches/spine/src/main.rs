//! Kernels, launches and first launches, timed. Prints "NAME SIZE MICROSECONDS CHECKSUM" or
//! "NAME MICROSECONDS" lines, as the programs in native/ do.
//!
//!     spine kernels     the kernels of kernels.rs
//!     spine launch      what a launch costs, alone and with a wait
//!     spine first       from the start to the first result (one process each)
//!     spine checks      proves that this build checks its indices
//!     spine loops       the kernels against plain loops on one thread (for the CPU)

mod kernels;
mod loops;
mod timing;

use kernels::{daxpy, empty, fir, ltimes, Sweep, TAPS};
use smelt::prelude::*;
use std::time::Instant;
use timing::{inputs, mean, median, median_us};

const BATCHES: usize = 15;

fn time_daxpy(gpu: &Device, n: usize, launches: usize) -> smelt::Result<()> {
    let x = Buffer::from_slice(gpu, &inputs(n, 1))?;
    let mut y = Buffer::from_slice(gpu, &inputs(n, 2))?;
    let mut launch = || gpu.launch(Grid::cover(n).block(256), daxpy, (1e-3, &x, &mut y));
    launch()?;
    let sum = mean(&y.to_vec()?);
    let mut launch = || gpu.launch(Grid::cover(n).block(256), daxpy, (1e-3, &x, &mut y));
    let time = median_us(BATCHES, launches, &mut launch, || gpu.wait())?;
    println!("daxpy {n} {time:.4} {sum:.12e}");
    Ok(())
}

fn coefficients() -> [f64; TAPS] {
    std::array::from_fn(|j| inputs(TAPS, 0)[j] - 1.0)
}

fn time_fir(gpu: &Device, n: usize, launches: usize) -> smelt::Result<()> {
    let input = Buffer::from_slice(gpu, &inputs(n + TAPS - 1, 3))?;
    let mut out = Buffer::from_slice(gpu, &inputs(n, 4))?;
    let c = coefficients();
    let mut launch = || gpu.launch(Grid::cover(n).block(256), fir, (c, &input, &mut out));
    launch()?;
    let time = median_us(BATCHES, launches, &mut launch, || gpu.wait())?;
    println!("fir {n} {time:.4} {:.12e}", mean(&out.to_vec()?));
    Ok(())
}

fn time_ltimes(gpu: &Device, zones: usize, launches: usize) -> smelt::Result<()> {
    let s = Sweep { groups: 32, moments: 25, directions: 64 };
    let n = zones * s.groups * s.moments;
    let ell = Buffer::from_slice(gpu, &inputs(s.moments * s.directions, 5))?;
    let psi = Buffer::from_slice(gpu, &inputs(zones * s.groups * s.directions, 6))?;
    let mut phi = Buffer::from_slice(gpu, &inputs(n, 7))?;
    let grid = Grid::cover((s.moments, s.groups, zones)).block((32, 8, 1));
    let launch = |phi: &mut Buffer<f64>| {
        gpu.launch(grid, ltimes, (s, &ell, &psi, phi.as_3d(zones, s.groups, s.moments)))
    };
    launch(&mut phi)?;
    let sum = mean(&phi.to_vec()?);
    let time = median_us(BATCHES, launches, || launch(&mut phi), || gpu.wait())?;
    println!("ltimes {zones} {time:.4} {sum:.12e}");
    Ok(())
}

/// As native/launch.c: all batches of one kind, then all of the other, so that both find the
/// driver in the same state.
fn time_launch(gpu: &Device) -> smelt::Result<()> {
    const LAUNCHES: usize = 2000;
    let grid = Grid::blocks(1).threads(32);
    for wait_each in [false, true] {
        let mut times = vec![];
        for batch in 0..33 {
            let start = Instant::now();
            for n in 0..LAUNCHES as u64 {
                gpu.launch(grid, empty, (n, n))?;
                if wait_each {
                    gpu.wait()?;
                }
            }
            let issued = start.elapsed();
            gpu.wait()?;
            // The first two warm up.
            if batch >= 2 {
                times.push(issued.as_secs_f64() * 1e6 / LAUNCHES as f64);
            }
        }
        println!("launch-{} {:.4}", if wait_each { "wait" } else { "async" }, median(times));
    }
    Ok(())
}

/// An index past the end must be an error in this very build.
fn prove_checks(gpu: &Device) -> smelt::Result<()> {
    let n = 1000;
    let x = Buffer::from_slice(gpu, &inputs(n - 1, 1))?;
    let mut y = Buffer::from_slice(gpu, &inputs(n, 2))?;
    let phi_view = Sweep { groups: 1, moments: n, directions: 1 };
    let mut caught = 0;
    for kernel in ["daxpy", "fir", "ltimes"] {
        let launched = match kernel {
            "daxpy" => gpu.launch(Grid::cover(n), daxpy, (1.0, &x, &mut y)),
            "fir" => gpu.launch(Grid::cover(n), fir, (coefficients(), &x, &mut y)),
            _ => {
                let phi = y.as_3d(1, 1, n);
                gpu.launch(Grid::cover((n, 1, 1)), ltimes, (phi_view, &x, &x, phi))
            }
        };
        match launched.and_then(|()| gpu.wait()) {
            Err(error) => {
                println!("{kernel}: caught: {error}");
                caught += 1;
            }
            Ok(()) => println!("{kernel}: NOT CAUGHT"),
        }
    }
    println!("{caught} of 3 caught");
    if caught != 3 {
        std::process::exit(1);
    }
    Ok(())
}

fn main() -> smelt::Result<()> {
    let start = Instant::now();
    let mode = std::env::args().nth(1).unwrap_or("kernels".into());
    let gpu = Device::default()?;
    if mode == "first" {
        let mut y = Buffer::from_slice(&gpu, &[1.0f64; 64])?;
        let opened = start.elapsed();
        let x = Buffer::from_slice(&gpu, &[1.0f64; 64])?;
        gpu.launch(Grid::cover(64), daxpy, (1.0, &x, &mut y))?;
        gpu.wait()?;
        println!("device-open {:.1}", opened.as_secs_f64() * 1e6);
        println!("first-launch {:.1}", (start.elapsed() - opened).as_secs_f64() * 1e6);
        return Ok(());
    }
    eprintln!("running on {}", gpu.info()?.name);
    match mode.as_str() {
        "kernels" => {
            time_daxpy(&gpu, 1_000_000, 1000)?;
            time_daxpy(&gpu, 1 << 26, 20)?;
            time_fir(&gpu, 1_000_000, 1000)?;
            time_fir(&gpu, 1 << 25, 20)?;
            time_ltimes(&gpu, 488, 100)?;
            time_ltimes(&gpu, 4096, 20)
        }
        "launch" => time_launch(&gpu),
        "checks" => prove_checks(&gpu),
        "loops" => loops::run(&gpu),
        _ => {
            eprintln!("spine kernels|launch|first|checks|loops");
            std::process::exit(2);
        }
    }
}
