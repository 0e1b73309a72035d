//! Stream_ADD: c = a + b.

use crate::prelude::*;

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

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, c] = data(run);
    let (a, b, mut c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let grid = run.cover(run.size);
    run.time(|queue| launch!(queue, grid, [add, add_unchecked], (&a, &b, &mut c)))?;
    Ok(Checksum::of(&run.to_host(&c)?))
}
