//! Basic_EMPTY: a loop whose body does nothing; what a launch costs.

use crate::prelude::*;
use std::hint::black_box;

pub const KERNEL: Kernel = Kernel {
    name: "EMPTY",
    group: Group::Basic,
    reps: 1000,
    shape: |_, n| Shape::of(n),
    seq,
    smelt,
    tunings: &[Tuning::sized("direct"), Tuning::sized("occgs")],
    bounded: true,
    ..Kernel::DEFAULT
};

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    run.time_host(|| {
        for i in 0..black_box(n) {
            let _ = i;
        }
    });
    Ok(Checksum::of_number(0.0))
}

fn empty(n: usize) {
    for i in thread::grid_stride(n) {
        let _ = i;
    }
}

fn empty_direct(n: usize) {
    if thread::index().get() < n {
        // The body of the loop.
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let (all, few) = (run.cover(n), run.fill(n));
    let direct = run.tuning == "direct";
    // Safe and unsafe have nothing to differ in.
    run.time(|queue| match direct {
        true => queue.gpu.launch(all, empty_direct, (n,)),
        false => queue.gpu.launch(few, empty, (n,)),
    })?;
    Ok(Checksum::of_number(0.0))
}
