//! Lcals_TRIDIAG_ELIM: elimination below the diagonal of a tridiagonal matrix, from the second row on.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "TRIDIAG_ELIM",
    group: Group::Lcals,
    reps: 1000,
    shape: |_, n| Shape {
        bytes_read: 24 * n.saturating_sub(1),
        bytes_written: 8 * n.saturating_sub(1),
        flops: 2 * (n - 1),
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

/// xout, xin, y, z: one element more than the size.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let (n, init) = (run.size + 1, &mut run.init);
    [
        init.constant(n, 0.0),
        init.data(n),
        init.data(n),
        init.data(n),
    ]
}

fn checksum(run: &Run, xout: &[f64]) -> Checksum {
    Checksum::of(&xout[..run.size])
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut xout, xin, y, z] = data(run);
    run.time_host(|| {
        let of = xout[1..].iter_mut().zip(&xin).zip(&y[1..]).zip(&z[1..]);
        for (((xout, xin), y), z) in of {
            *xout = z * (y - xin);
        }
    });
    Ok(checksum(run, &xout))
}

fn eliminate(mut xout: DisjointMut<f64>, xin: &[f64], y: &[f64], z: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if i > 0 && i < xout.len() {
        xout[t] = z[i] * (y[i] - xin[i - 1]);
    }
}

fn eliminate_unchecked(mut xout: DisjointMut<f64>, xin: &[f64], y: &[f64], z: &[f64]) {
    let i = thread::index().get();
    if i > 0 && i < xout.len() {
        // SAFETY: all have xout's length; element i of xout is this thread's.
        unsafe {
            *xout.get_unchecked_mut(i) =
                z.get_unchecked(i) * (y.get_unchecked(i) - xin.get_unchecked(i - 1));
        }
    }
}

/// All have the length of xout, of which the first stays.
#[inline(always)]
fn eliminate_four(access: impl Access, xout: &[AtomicF64], xin: &[f64], y: &[f64], z: &[f64]) {
    let value = |i| access.at(z, i + 1) * (access.at(y, i + 1) - access.at(xin, i));
    let rest = xout.len().saturating_sub(1);
    stripes::four(rest, value, |i, value| access.at(xout, i + 1).store(value));
}

both! {
    fn four, four_unchecked(xout: &[AtomicF64], xin: &[f64], y: &[f64], z: &[f64]) = eliminate_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [xout, xin, y, z] = data(run);
    let (mut xout, xin) = (run.to_device(&xout)?, run.to_device(&xin)?);
    let (y, z) = (run.to_device(&y)?, run.to_device(&z)?);
    let grid = run.cover(run.size + 1);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (xout.as_atomic(), &xin, &y, &z)
        ),
        None => {
            launch!(
                queue,
                grid,
                [eliminate, eliminate_unchecked],
                (&mut xout, &xin, &y, &z)
            )
        }
    })?;
    let xout = run.to_host(&xout)?;
    Ok(checksum(run, &xout))
}
