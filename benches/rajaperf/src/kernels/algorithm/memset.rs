//! Algorithm_MEMSET: an array set to one value, by a kernel or by the device's own means.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "MEMSET",
    group: Group::Algorithm,
    reps: 100,
    shape: |_, n| Shape {
        bytes_written: 8 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("library")],
    bounded: true,
    ..Kernel::DEFAULT
};

const VALUE: f64 = 0.0;

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut x = run.init.constant(run.size, -1.234567e89);
    run.time_host(|| x.fill(VALUE));
    Ok(Checksum::of(&x))
}

fn set(value: f64, mut x: DisjointMut<f64>) {
    if let Some(x) = x.get_mut(thread::index()) {
        *x = value;
    }
}

fn set_unchecked(value: f64, mut x: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < x.len() {
        // SAFETY: element i of x is this thread's.
        unsafe { *x.get_unchecked_mut(i) = value }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let x = run.init.constant(run.size, -1.234567e89);
    let mut x = run.to_device(&x)?;
    let (grid, library) = (run.cover(run.size), run.tuning == "library");
    run.time(|queue| {
        if library {
            return x.fill(VALUE);
        }
        launch!(queue, grid, [set, set_unchecked], (VALUE, &mut x))
    })?;
    Ok(Checksum::of(&run.to_host(&x)?))
}
