//! Stream_MUL: b = alpha c.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "MUL",
    group: Group::Stream,
    reps: 1800,
    shape: |_, n| Shape {
        bytes_read: 8 * n,
        bytes_written: 8 * n,
        flops: n,
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
    let ([mut b, c], alpha) = data(run);
    run.time_host(|| {
        for (b, c) in b.iter_mut().zip(&c) {
            *b = alpha * c;
        }
    });
    Ok(Checksum::of(&b))
}

fn mul(alpha: f64, mut b: DisjointMut<f64>, c: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if let Some(b) = b.get_mut(t) {
        *b = alpha * c[i];
    }
}

fn mul_unchecked(alpha: f64, mut b: DisjointMut<f64>, c: &[f64]) {
    let i = thread::index().get();
    if i < b.len() {
        // SAFETY: both have b's length; element i of b is this thread's.
        unsafe { *b.get_unchecked_mut(i) = alpha * c.get_unchecked(i) }
    }
}

/// Both have the length of b.
#[inline(always)]
fn mul_four(access: impl Access, alpha: f64, b: &[AtomicF64], c: &[f64]) {
    let product = |i| alpha * access.at(c, i);
    stripes::four(b.len(), product, |i, product| {
        access.at(b, i).store(product)
    });
}

both! {
    fn four, four_unchecked(alpha: f64, b: &[AtomicF64], c: &[f64]) = mul_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([b, c], alpha) = data(run);
    let (mut b, c) = (run.to_device(&b)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (alpha, b.as_atomic(), &c)
        ),
        None => launch!(queue, grid, [mul, mul_unchecked], (alpha, &mut b, &c)),
    })?;
    Ok(Checksum::of(&run.to_host(&b)?))
}
