//! Stream_TRIAD: a = b + alpha c.

use crate::prelude::*;

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

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([a, b, c], alpha) = data(run);
    let (mut a, b, c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [triad, triad_unchecked],
            (alpha, &mut a, &b, &c)
        )
    })?;
    let a = run.to_host(&a)?;
    Ok(Checksum::new().scaled(&a, 0.001 * run.scale))
}
