//! Stream_ADD: c = a + b.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "ADD",
    group: Group::Stream,
    reps: 1000,
    shape: |_, n| Shape {
        bytes_read: 16 * n,
        bytes_written: 8 * n,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 3] {
    let (n, init) = (run.size, &mut run.init);
    [init.data(n), init.data(n), init.constant(n, 0.0)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, mut c] = data(run);
    run.time_host(|| {
        for ((c, a), b) in c.iter_mut().zip(&a).zip(&b) {
            *c = a + b;
        }
    });
    Ok(Checksum::of(&c))
}

fn add(a: &[f64], b: &[f64], mut c: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if let Some(c) = c.get_mut(t) {
        *c = a[i] + b[i];
    }
}

fn add_unchecked(a: &[f64], b: &[f64], mut c: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < c.len() {
        // SAFETY: all have c's length; element i of c is this thread's.
        unsafe { *c.get_unchecked_mut(i) = a.get_unchecked(i) + b.get_unchecked(i) }
    }
}

/// All have the length of c.
#[inline(always)]
fn add_four(access: impl Access, a: &[f64], b: &[f64], c: &[AtomicF64]) {
    let sum = |i| access.at(a, i) + access.at(b, i);
    stripes::four(c.len(), sum, |i, sum| access.at(c, i).store(sum));
}

both! {
    fn four, four_unchecked(a: &[f64], b: &[f64], c: &[AtomicF64]) = add_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, c] = data(run);
    let (a, b, mut c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (&a, &b, c.as_atomic())),
        None => launch!(queue, grid, [add, add_unchecked], (&a, &b, &mut c)),
    })?;
    Ok(Checksum::of(&run.to_host(&c)?))
}
