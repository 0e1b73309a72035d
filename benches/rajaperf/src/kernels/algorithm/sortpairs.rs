//! Algorithm_SORTPAIRS: pairs sorted by their first, other ones in each repetition.
//!
//! Both Smelt variants are the same call of the library.

use crate::prelude::*;
use smelt::prim::Sort;

pub const KERNEL: Kernel = Kernel {
    name: "SORTPAIRS",
    group: Group::Algorithm,
    features: &[Feature::Sort],
    reps: 20,
    shape: |_, n| Shape {
        bytes_read: 16 * n,
        bytes_written: 16 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::plain("library")],
    bounded: true,
    ..Kernel::DEFAULT
};

/// Firsts and seconds of the pairs of all repetitions.
fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size * run.reps, &mut run.init);
    [init.random(n), init.random(n)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let [mut x, mut i] = data(run);
    let mut start = 0;
    run.time_host(|| {
        let this = start..start + n;
        let (x, i) = (&mut x[this.clone()], &mut i[this]);
        let mut pairs: Vec<_> = x.iter().copied().zip(i.iter().copied()).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for ((x, i), pair) in x.iter_mut().zip(i).zip(pairs) {
            (*x, *i) = pair;
        }
        start += n;
    });
    Ok(Checksum::of(&x).array(&i))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let [x, i] = data(run);
    let (mut x, mut i) = (run.to_device(&x)?, run.to_device(&i)?);
    let mut sort = Sort::<f64, f64>::new(&run.gpu, n)?;
    let mut start = 0;
    run.time(|queue| {
        let this = start..start + n;
        start += n;
        let (x, i) = (x.range_mut(this.clone()), i.range_mut(this));
        sort.pairs(&queue.gpu, x, i)
    })?;
    let (x, i) = (run.to_host(&x)?, run.to_host(&i)?);
    Ok(Checksum::of(&x).array(&i))
}
