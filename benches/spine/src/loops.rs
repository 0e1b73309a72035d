//! The kernels against plain loops over iterators, in one program: what the CPU as a
//! device costs, and how it scales. Buffers of the CPU device are host memory.

use crate::kernels::{daxpy, fir, TAPS};
use crate::timing::{inputs, mean, median_us};
use smelt::prelude::*;
use std::hint::black_box;

const BATCHES: usize = 9;

fn line(name: &str, n: usize, kernel: f64, plain: f64, kernel_sum: f64, plain_sum: f64) {
    let ratio = kernel / plain;
    println!("{name:10} {n:>9} {kernel:>10.2} us {plain:>10.2} us {ratio:>6.2}");
    assert!((kernel_sum - plain_sum).abs() <= 1e-12 * plain_sum.abs(), "{name}: results differ");
}

fn plain_daxpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

fn plain_fir(c: &[f64; TAPS], input: &[f64], out: &mut [f64]) {
    for (out, window) in out.iter_mut().zip(input.windows(TAPS)) {
        *out = window.iter().zip(c).map(|(v, c)| c * v).sum();
    }
}

/// The sum over each warp, in every thread of it: five steps of two shuffles.
fn warp_sum(x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index();
    let mut sum = x[i.get()];
    for step in 0..5 {
        sum += warp::shuffle_xor(sum, 1 << step);
    }
    y[i] = sum;
}

/// How many lanes of each warp have more than 1.
fn warp_count(x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index();
    y[i] = warp::ballot(x[i.get()] > 1.0).count_ones() as f64;
}

/// The like of `warp_sum` and `warp_count`, a warp at a time.
fn plain_warps(x: &[f64], y: &mut [f64], of: impl Fn(&[f64]) -> f64) {
    for (x, y) in x.chunks(32).zip(y.chunks_mut(32)) {
        y.fill(of(x));
    }
}

fn warps(gpu: &Device) -> smelt::Result<()> {
    const N: usize = 1 << 16;
    let x = inputs(N, 1);
    let (mut y, mut z) = (x.clone(), x.clone());
    let grid = Grid::cover(N).block(256);
    let launch = || gpu.launch(grid, warp_sum, (&x, &mut y));
    let kernel = median_us(BATCHES, 10, launch, || Ok(()))?;
    let sum = |x: &[f64]| x.iter().sum();
    let loops = || Ok(plain_warps(&x, black_box(&mut z), sum));
    let plain = median_us(BATCHES, 100, loops, || Ok(()))?;
    line("warp sum", N, kernel, plain, mean(&y), mean(&z));

    let launch = || gpu.launch(grid, warp_count, (&x, &mut y));
    let kernel = median_us(BATCHES, 10, launch, || Ok(()))?;
    let count = |x: &[f64]| x.iter().filter(|&&v| v > 1.0).count() as f64;
    let loops = || Ok(plain_warps(&x, black_box(&mut z), count));
    let plain = median_us(BATCHES, 100, loops, || Ok(()))?;
    line("warp count", N, kernel, plain, mean(&y), mean(&z));
    Ok(())
}

pub fn run(gpu: &Device) -> smelt::Result<()> {
    println!("{:10} {:>9} {:>13} {:>13} {:>6}", "", "size", "kernel", "plain loop", "ratio");
    for n in [10_000, 1_000_000, 10_000_000] {
        let launches = (20_000_000 / n).clamp(2, 500);
        let x = inputs(n, 1);
        let mut y = inputs(n, 2);
        let mut z = y.clone();
        let kernel = median_us(
            BATCHES,
            launches,
            || gpu.launch(Grid::cover(n), daxpy, (1e-3, &x, &mut y)),
            || Ok(()),
        )?;
        let plain = median_us(
            BATCHES,
            launches,
            || {
                plain_daxpy(black_box(1e-3), &x, black_box(&mut z));
                Ok(())
            },
            || Ok(()),
        )?;
        line("daxpy", n, kernel, plain, mean(&y), mean(&z));

        let c: [f64; TAPS] = std::array::from_fn(|j| j as f64 * 0.1 - 0.7);
        let input = inputs(n + TAPS - 1, 3);
        let launches = launches.div_ceil(4);
        let kernel = median_us(
            BATCHES,
            launches,
            || gpu.launch(Grid::cover(n), fir, (c, &input, &mut y)),
            || Ok(()),
        )?;
        let plain = median_us(
            BATCHES,
            launches,
            || {
                plain_fir(black_box(&c), &input, black_box(&mut z));
                Ok(())
            },
            || Ok(()),
        )?;
        line("fir", n, kernel, plain, mean(&y), mean(&z));
    }
    warps(gpu)
}
