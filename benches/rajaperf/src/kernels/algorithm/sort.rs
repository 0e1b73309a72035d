//! Algorithm_SORT: an array sorted, another one in each repetition.
//!
//! Both Smelt variants are the same call of the library.

use crate::prelude::*;
use smelt::prim::Sort;

pub const KERNEL: Kernel = Kernel {
    name: "SORT",
    group: Group::Algorithm,
    features: &[Feature::Sort],
    reps: 20,
    shape: |_, n| Shape {
        bytes_read: 8 * n,
        bytes_written: 8 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::plain("library")],
    bounded: true,
    ..Kernel::DEFAULT
};

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let mut x = run.init.random(n * run.reps);
    let mut rest = &mut x[..];
    run.time_host(|| {
        let (this, others) = std::mem::take(&mut rest).split_at_mut(n);
        this.sort_unstable_by(f64::total_cmp);
        rest = others;
    });
    Ok(Checksum::of(&x))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let x = run.init.random(n * run.reps);
    let mut x = run.to_device(&x)?;
    let mut sort = Sort::<f64>::new(&run.gpu, n)?;
    let mut start = 0;
    run.time(|queue| {
        let this = x.range_mut(start..start + n);
        start += n;
        sort.keys(&queue.gpu, this)
    })?;
    Ok(Checksum::of(&run.to_host(&x)?))
}
