//! Apps_FIR: a finite impulse response filter of 16 coefficients.

use crate::prelude::*;

/// Number of coefficients.
const LENGTH: usize = 16;

pub const KERNEL: Kernel = Kernel {
    name: "FIR",
    group: Group::Apps,
    reps: 160,
    shape: |_, n| Shape {
        bytes_read: 8 * LENGTH + 8 * (n + LENGTH - 1),
        bytes_written: 8 * n,
        flops: 2 * LENGTH * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.data(n + LENGTH - 1), init.constant(n, 0.0)]
}

/// 3 at every fifth place, else -1.
fn coefficients() -> [f64; LENGTH] {
    std::array::from_fn(|j| if j % 5 == 0 { 3.0 } else { -1.0 })
}

#[inline(always)]
fn filter(coefficients: &[f64; LENGTH], window: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (c, x) in coefficients.iter().zip(window) {
        sum += c * x;
    }
    sum
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [input, mut output] = data(run);
    let coefficients = coefficients();
    run.time_host(|| {
        for (out, window) in output.iter_mut().zip(input.windows(LENGTH)) {
            *out = filter(&coefficients, window);
        }
    });
    Ok(checksum(run, &output))
}

fn fir(coefficients: [f64; LENGTH], input: &[f64], mut output: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if let Some(out) = output.get_mut(t) {
        *out = filter(&coefficients, &input[i..i + LENGTH]);
    }
}

fn fir_unchecked(coefficients: [f64; LENGTH], input: &[f64], mut output: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < output.len() {
        // SAFETY: the input is LENGTH - 1 longer than the output; element i of that is
        // this thread's.
        unsafe {
            *output.get_unchecked_mut(i) =
                filter(&coefficients, input.get_unchecked(i..i + LENGTH));
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [input, output] = data(run);
    let (input, mut output) = (run.to_device(&input)?, run.to_device(&output)?);
    let coefficients = coefficients();
    let grid = run.cover(run.size);
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [fir, fir_unchecked],
            (coefficients, &input, &mut output)
        )
    })?;
    let output = run.to_host(&output)?;
    Ok(checksum(run, &output))
}

fn checksum(run: &Run, output: &[f64]) -> Checksum {
    Checksum::new().scaled(output, 0.0001 * run.scale)
}
