//! Lcals_FIRST_DIFF: differences of neighbours.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "FIRST_DIFF",
    group: Group::Lcals,
    reps: 2000,
    shape: |_, n| Shape {
        bytes_read: 8 * (n + 1),
        bytes_written: 8 * n,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.constant(n, 0.0), init.data(n + 1)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut x, y] = data(run);
    run.time_host(|| {
        for (x, y) in x.iter_mut().zip(y.windows(2)) {
            *x = y[1] - y[0];
        }
    });
    Ok(Checksum::of(&x))
}

fn first_diff(mut x: DisjointMut<f64>, y: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if let Some(x) = x.get_mut(t) {
        *x = y[i + 1] - y[i];
    }
}

fn first_diff_unchecked(mut x: DisjointMut<f64>, y: &[f64]) {
    let i = thread::index().get();
    if i < x.len() {
        // SAFETY: y has one element more than x; element i of x is this thread's.
        unsafe { *x.get_unchecked_mut(i) = y.get_unchecked(i + 1) - y.get_unchecked(i) }
    }
}

/// y has one element more than x.
#[inline(always)]
fn first_diff_four(access: impl Access, x: &[AtomicF64], y: &[f64]) {
    let difference = |i| access.at(y, i + 1) - access.at(y, i);
    stripes::four(x.len(), difference, |i, difference| {
        access.at(x, i).store(difference)
    });
}

both! {
    fn four, four_unchecked(x: &[AtomicF64], y: &[f64]) = first_diff_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let (mut x, y) = (run.to_device(&x)?, run.to_device(&y)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(queue, grid, [four, four_unchecked], (x.as_atomic(), &y)),
        None => {
            launch!(
                queue,
                grid,
                [first_diff, first_diff_unchecked],
                (&mut x, &y)
            )
        }
    })?;
    Ok(Checksum::of(&run.to_host(&x)?))
}
