//! Stream_COPY: c = a.

use crate::prelude::*;

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

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, c] = data(run);
    let (a, mut c) = (run.to_device(&a)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    run.time(|queue| launch!(queue, grid, [copy, copy_unchecked], (&a, &mut c)))?;
    Ok(Checksum::of(&run.to_host(&c)?))
}
