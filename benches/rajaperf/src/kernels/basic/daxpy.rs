//! Basic_DAXPY: y += a x.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "DAXPY",
    group: Group::Basic,
    reps: 500,
    shape: |_, n| Shape {
        bytes_read: 16 * n,
        bytes_written: 8 * n,
        flops: 2 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> ([Vec<f64>; 2], f64) {
    let (n, init) = (run.size, &mut run.init);
    ([init.constant(n, 0.0), init.data(n)], init.scalar())
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let ([mut y, x], a) = data(run);
    run.time_host(|| {
        for (y, x) in y.iter_mut().zip(&x) {
            *y += a * x;
        }
    });
    Ok(Checksum::of(&y))
}

fn daxpy(a: f64, x: &[f64], mut y: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if let Some(y) = y.get_mut(t) {
        *y += a * x[i];
    }
}

fn daxpy_unchecked(a: f64, x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < y.len() {
        // SAFETY: both have y's length; element i of y is this thread's.
        unsafe { *y.get_unchecked_mut(i) += a * x.get_unchecked(i) }
    }
}

/// Both have the length of y.
#[inline(always)]
fn daxpy_four(access: impl Access, a: f64, x: &[f64], y: &[AtomicF64]) {
    let sum = |i| access.at(y, i).load() + a * access.at(x, i);
    stripes::four(y.len(), sum, |i, sum| access.at(y, i).store(sum));
}

both! {
    fn four, four_unchecked(a: f64, x: &[f64], y: &[AtomicF64]) = daxpy_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([y, x], a) = data(run);
    let (mut y, x) = (run.to_device(&y)?, run.to_device(&x)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (a, &x, y.as_atomic())),
        None => launch!(queue, grid, [daxpy, daxpy_unchecked], (a, &x, &mut y)),
    })?;
    Ok(Checksum::of(&run.to_host(&y)?))
}
