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
    Ok(())
}
