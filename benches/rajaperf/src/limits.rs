//! What the device can do at most, measured: the report's yardstick.

use smelt::prelude::*;
use smelt::{DeviceKind, Result};
use std::time::Instant;

/// Measured limits.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes read and written by a plain copy of arrays too large for any cache.
    pub copy_gb_per_s: f64,
    /// f64 operations of threads that only multiply and add.
    pub gflop_per_s: f64,
}

fn copy(from: &[f64], mut to: DisjointMut<f64>) {
    let t = thread::index();
    if let Some(to) = to.get_mut(t) {
        *to = from[t.get()];
    }
}

/// Chains of multiply-adds in a thread, enough to hide their latency.
const CHAINS: usize = 8;
const STEPS: usize = 512;

fn multiply_add(a: f64, mut out: DisjointMut<f64>) {
    let t = thread::index();
    let mut x: [f64; CHAINS] = std::array::from_fn(|c| c as f64);
    for _ in 0..STEPS {
        for x in &mut x {
            *x = *x * a + 0.5;
        }
    }
    if let Some(out) = out.get_mut(t) {
        *out = x.iter().sum();
    }
}

/// The best of some repetitions, in seconds.
fn best(gpu: &Device, mut body: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        gpu.wait()?;
        let start = Instant::now();
        body()?;
        gpu.wait()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Measures them.
///
/// # Errors
/// Those of a launch.
pub fn measure(gpu: &Device) -> Result<Limits> {
    let is_cpu = gpu.info()?.kind == DeviceKind::Cpu;
    let (n, threads) = if is_cpu {
        (1 << 23, 1 << 12)
    } else {
        (1 << 27, 1 << 22)
    };
    let from = Buffer::filled(gpu, n, 1.0f64)?;
    let mut to = Buffer::filled(gpu, n, 0.0f64)?;
    let seconds = best(gpu, || {
        gpu.launch(Grid::cover(n).block(256), copy, (&from, &mut to))
    })?;
    let copy_gb_per_s = 16.0 * n as f64 / seconds / 1e9;
    let mut out = Buffer::filled(gpu, threads, 0.0f64)?;
    let grid = Grid::cover(threads).block(256);
    let seconds = best(gpu, || gpu.launch(grid, multiply_add, (0.999, &mut out)))?;
    let flops = 2.0 * (CHAINS * STEPS * threads) as f64;
    Ok(Limits {
        copy_gb_per_s,
        gflop_per_s: flops / seconds / 1e9,
    })
}
