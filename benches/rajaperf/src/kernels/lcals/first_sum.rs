//! Lcals_FIRST_SUM: sums of neighbours, from the second element on.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "FIRST_SUM",
    group: Group::Lcals,
    reps: 2000,
    shape: |_, n| Shape {
        bytes_read: 8 * n.saturating_sub(1),
        bytes_written: 8 * n,
        flops: n.saturating_sub(1),
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.constant(n, 0.0), init.data(n)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut x, y] = data(run);
    run.time_host(|| {
        for (x, y) in x[1..].iter_mut().zip(y.windows(2)) {
            *x = y[0] + y[1];
        }
    });
    Ok(Checksum::of(&x))
}

fn first_sum(mut x: DisjointMut<f64>, y: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if i > 0 && i < x.len() {
        x[t] = y[i - 1] + y[i];
    }
}

fn first_sum_unchecked(mut x: DisjointMut<f64>, y: &[f64]) {
    let i = thread::index().get();
    if i > 0 && i < x.len() {
        // SAFETY: both have x's length; element i of x is this thread's.
        unsafe { *x.get_unchecked_mut(i) = y.get_unchecked(i - 1) + y.get_unchecked(i) }
    }
}

/// Both have the length of x, of which the first stays.
#[inline(always)]
fn first_sum_four(access: impl Access, x: &[AtomicF64], y: &[f64]) {
    let sum = |i| access.at(y, i) + access.at(y, i + 1);
    let rest = x.len().saturating_sub(1);
    stripes::four(rest, sum, |i, sum| access.at(x, i + 1).store(sum));
}

both! {
    fn four, four_unchecked(x: &[AtomicF64], y: &[f64]) = first_sum_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let (mut x, y) = (run.to_device(&x)?, run.to_device(&y)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (x.as_atomic(), &y)),
        None => launch!(queue, grid, [first_sum, first_sum_unchecked], (&mut x, &y)),
    })?;
    Ok(Checksum::of(&run.to_host(&x)?))
}
