//! Basic_DAXPY_ATOMIC: y += a x, each sum as one atomic step.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "DAXPY_ATOMIC",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Atomic],
    reps: 500,
    shape: |_, n| Shape {
        bytes_read: 8 * n,
        bytes_atomic: 8 * n,
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

fn daxpy(a: f64, x: &[f64], y: &[AtomicF64]) {
    let i = thread::index().get();
    if i < y.len() {
        y[i].fetch_add(a * x[i]);
    }
}

fn daxpy_unchecked(a: f64, x: &[f64], y: &[AtomicF64]) {
    let i = thread::index().get();
    if i < y.len() {
        // SAFETY: both have y's length.
        unsafe { y.get_unchecked(i).fetch_add(a * x.get_unchecked(i)) };
    }
}

/// Both have the length of y.
#[inline(always)]
fn daxpy_four(access: impl Access, a: f64, x: &[f64], y: &[AtomicF64]) {
    let product = |i| a * access.at(x, i);
    stripes::four(y.len(), product, |i, product| {
        access.at(y, i).fetch_add(product);
    });
}

both! {
    fn four, four_unchecked(a: f64, x: &[f64], y: &[AtomicF64]) = daxpy_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([y, x], a) = data(run);
    let y = run.move_to_device(y.into_iter().map(AtomicF64::new).collect())?;
    let x = run.to_device(&x)?;
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (a, &x, &y)),
        None => launch!(queue, grid, [daxpy, daxpy_unchecked], (a, &x, &y)),
    })?;
    let y = run.to_host(&y)?;
    let y: Vec<f64> = y.into_iter().map(AtomicF64::into_inner).collect();
    Ok(Checksum::of(&y))
}
