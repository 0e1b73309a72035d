//! Stream_TRIAD: a = b + alpha c.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "TRIAD",
    group: Group::Stream,
    reps: 1000,
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

fn data(run: &mut Run) -> ([Vec<f64>; 3], f64) {
    let (n, init) = (run.size, &mut run.init);
    let arrays = [init.constant(n, 0.0), init.data(n), init.data(n)];
    (arrays, init.scalar())
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let ([mut a, b, c], alpha) = data(run);
    run.time_host(|| {
        for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
            *a = b + alpha * c;
        }
    });
    Ok(Checksum::new().scaled(&a, 0.001 * run.scale))
}

fn triad(alpha: f64, mut a: DisjointMut<f64>, b: &[f64], c: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if let Some(a) = a.get_mut(t) {
        *a = b[i] + alpha * c[i];
    }
}

fn triad_unchecked(alpha: f64, mut a: DisjointMut<f64>, b: &[f64], c: &[f64]) {
    let i = thread::index().get();
    if i < a.len() {
        // SAFETY: all have a's length; element i of a is this thread's.
        unsafe { *a.get_unchecked_mut(i) = b.get_unchecked(i) + alpha * c.get_unchecked(i) }
    }
}

/// All have the length of a.
#[inline(always)]
fn triad_four(access: impl Access, alpha: f64, a: &[AtomicF64], b: &[f64], c: &[f64]) {
    let sum = |i| access.at(b, i) + alpha * access.at(c, i);
    stripes::four(a.len(), sum, |i, sum| access.at(a, i).store(sum));
}

both! {
    fn four, four_unchecked(alpha: f64, a: &[AtomicF64], b: &[f64], c: &[f64]) = triad_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([a, b, c], alpha) = data(run);
    let (mut a, b, c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (alpha, a.as_atomic(), &b, &c)
        ),
        None => {
            launch!(
                queue,
                grid,
                [triad, triad_unchecked],
                (alpha, &mut a, &b, &c)
            )
        }
    })?;
    let a = run.to_host(&a)?;
    Ok(Checksum::new().scaled(&a, 0.001 * run.scale))
}
