//! Basic_INIT_VIEW1D: an array set to multiples of its positions, counted from 1.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "INIT_VIEW1D",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::View],
    reps: 2500,
    shape: |_, n| Shape {
        bytes_written: 8 * n,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    bounded: true,
    ..Kernel::DEFAULT
};

const STEP: f64 = 0.00000123;

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut a = run.init.constant(run.size, 0.0);
    run.time_host(|| {
        for (i, a) in a.iter_mut().enumerate() {
            *a = (i + 1) as f64 * STEP;
        }
    });
    Ok(Checksum::of(&a))
}

fn init(step: f64, mut a: DisjointMut<f64>) {
    let t = thread::index();
    if let Some(a) = a.get_mut(t) {
        *a = (t.get() + 1) as f64 * step;
    }
}

fn init_unchecked(step: f64, mut a: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < a.len() {
        // SAFETY: element i is this thread's.
        unsafe { *a.get_unchecked_mut(i) = (i + 1) as f64 * step }
    }
}

/// As long as it says.
#[inline(always)]
fn init_four(access: impl Access, step: f64, a: &[AtomicF64]) {
    let value = |i| (i + 1) as f64 * step;
    stripes::four(a.len(), value, |i, value| access.at(a, i).store(value));
}

both! {
    fn four, four_unchecked(step: f64, a: &[AtomicF64]) = init_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let a = run.init.constant(run.size, 0.0);
    let mut a = run.to_device(&a)?;
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (STEP, a.as_atomic())),
        None => launch!(queue, grid, [init, init_unchecked], (STEP, &mut a)),
    })?;
    Ok(Checksum::of(&run.to_host(&a)?))
}
