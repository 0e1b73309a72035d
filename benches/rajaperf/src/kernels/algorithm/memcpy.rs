//! Algorithm_MEMCPY: a copy, by a kernel or by the device's own means.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "MEMCPY",
    group: Group::Algorithm,
    reps: 100,
    shape: |_, n| Shape {
        bytes_read: 8 * n,
        bytes_written: 8 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("library")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.constant(n, 0.0), init.constant(n, -1.234567e89)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, mut y] = data(run);
    run.time_host(|| y.copy_from_slice(&x));
    Ok(Checksum::of(&y))
}

fn copy(x: &[f64], mut y: DisjointMut<f64>) {
    let t = thread::index();
    if let Some(y) = y.get_mut(t) {
        *y = x[t.get()];
    }
}

fn copy_unchecked(x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < y.len() {
        // SAFETY: both have y's length; element i of y is this thread's.
        unsafe { *y.get_unchecked_mut(i) = *x.get_unchecked(i) }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let (x, mut y) = (run.to_device(&x)?, run.to_device(&y)?);
    let (grid, library) = (run.cover(run.size), run.tuning == "library");
    run.time(|queue| {
        if library {
            return y.copy_from_buffer(&x);
        }
        launch!(queue, grid, [copy, copy_unchecked], (&x, &mut y))
    })?;
    Ok(Checksum::of(&run.to_host(&y)?))
}
