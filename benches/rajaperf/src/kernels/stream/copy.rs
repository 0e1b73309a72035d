//! Stream_COPY: c = a.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "COPY",
    group: Group::Stream,
    reps: 1800,
    shape: |_, n| Shape {
        bytes_read: 8 * n,
        bytes_written: 8 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.data(n), init.constant(n, 0.0)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, mut c] = data(run);
    run.time_host(|| {
        for (c, a) in c.iter_mut().zip(&a) {
            *c = *a;
        }
    });
    Ok(Checksum::of(&c))
}

fn copy(a: &[f64], mut c: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if let Some(c) = c.get_mut(t) {
        *c = a[i];
    }
}

fn copy_unchecked(a: &[f64], mut c: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < c.len() {
        // SAFETY: both have c's length; element i of c is this thread's.
        unsafe { *c.get_unchecked_mut(i) = *a.get_unchecked(i) }
    }
}

/// Both have the length of c.
#[inline(always)]
fn copy_four(access: impl Access, a: &[f64], c: &[AtomicF64]) {
    stripes::four(
        c.len(),
        |i| *access.at(a, i),
        |i, a| access.at(c, i).store(a),
    );
}

both! {
    fn four, four_unchecked(a: &[f64], c: &[AtomicF64]) = copy_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, c] = data(run);
    let (a, mut c) = (run.to_device(&a)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (&a, c.as_atomic())),
        None => launch!(queue, grid, [copy, copy_unchecked], (&a, &mut c)),
    })?;
    Ok(Checksum::of(&run.to_host(&c)?))
}
