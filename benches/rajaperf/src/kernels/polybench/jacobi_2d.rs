//! Polybench_JACOBI_2D: each inner element becomes the mean of itself and its four neighbours, from
//! one square to the other and back.
//!
//! Tuning `fused` does both in one launch: a thread makes again what it needs of its neighbours. The
//! second result goes to another array than the one that is read, and they change places.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "JACOBI_2D",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 2000,
    shape: |_, target| {
        let n = side(target);
        let inner = (n - 2) * (n - 2);
        Shape {
            iterations: 2 * inner,
            kernels: 2,
            bytes_read: 16 * (n * n - 4),
            bytes_written: 16 * inner,
            flops: 10 * inner,
            ..Shape::of(inner)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

/// Of the square with its border.
fn side(target: usize) -> usize {
    square_side(target) + 2
}

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (side(run.target), &mut run.init);
    [init.data(n * n), init.data(n * n)]
}

fn checksum(run: &Run, a: &[f64], b: &[f64]) -> Checksum {
    let scale = 0.0001 * run.scale;
    Checksum::new().scaled(a, scale).scaled(b, scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [mut a, mut b] = data(run);
    let step = |from: &[f64], to: &mut [f64]| {
        for i in 1..n - 1 {
            let [north, here, south] = [i - 1, i, i + 1].map(|i| &from[i * n..][..n]);
            let to = &mut to[i * n..][..n];
            for j in 1..n - 1 {
                to[j] = 0.2 * (here[j] + here[j - 1] + here[j + 1] + south[j] + north[j]);
            }
        }
    };
    run.time_host(|| {
        step(&a, &mut b);
        step(&b, &mut a);
    });
    Ok(checksum(run, &a, &b))
}

fn step(from: &[f64], mut to: DisjointMut2<f64>) {
    let t = thread::index2();
    let (j, i) = t.get();
    let (n, rows) = (to.columns(), to.rows());
    if i > 0 && i + 1 < rows && j > 0 && j + 1 < n {
        let at = j + i * n;
        to[t] = 0.2 * (from[at] + from[at - 1] + from[at + 1] + from[at + n] + from[at - n]);
    }
}

fn step_unchecked(from: &[f64], mut to: DisjointMut2<f64>) {
    let (j, i) = thread::index2().get();
    let (n, rows) = (to.columns(), to.rows());
    if i > 0 && i + 1 < rows && j > 0 && j + 1 < n {
        let at = j + i * n;
        let from = from.as_ptr();
        // SAFETY: both have to's extents, and the element has four neighbours there;
        // that of to is this thread's.
        unsafe {
            let from = |at| *from.add(at);
            *to.as_mut_ptr().add(at) =
                0.2 * (from(at) + from(at - 1) + from(at + 1) + from(at + n) + from(at - n));
        }
    }
}

/// b at row i and column j, which at the border never changes, from a. Both are squares of side n.
#[inline(always)]
fn stepped(access: impl Access, a: &[f64], border: &[f64], [i, j]: [usize; 2], n: usize) -> f64 {
    let at = j + i * n;
    if i == 0 || i + 1 == n || j == 0 || j + 1 == n {
        return *access.at(border, at);
    }
    let a = |at| *access.at(a, at);
    0.2 * (a(at) + a(at - 1) + a(at + 1) + a(at + n) + a(at - n))
}

/// b and the new a inside.
#[inline(always)]
fn stepped_twice(
    access: impl Access,
    a: &[f64],
    border: &[f64],
    [i, j]: [usize; 2],
    n: usize,
) -> [f64; 2] {
    let b = |i, j| stepped(access, a, border, [i, j], n);
    let here = b(i, j);
    [
        here,
        0.2 * (here + b(i, j - 1) + b(i, j + 1) + b(i + 1, j) + b(i - 1, j)),
    ]
}

fn fused(a: &[f64], border: &[f64], mut b: DisjointMut2<f64>, mut new: DisjointMut2<f64>) {
    let (t, n) = (thread::index2(), b.columns());
    let (j, i) = t.get();
    if i > 0 && i + 1 < b.rows() && j > 0 && j + 1 < n {
        [b[t], new[t]] = stepped_twice(crate::access::Checked, a, border, [i, j], n);
    }
}

fn fused_unchecked(
    a: &[f64],
    border: &[f64],
    mut b: DisjointMut2<f64>,
    mut new: DisjointMut2<f64>,
) {
    let (j, i) = thread::index2().get();
    let n = b.columns();
    if i > 0 && i + 1 < b.rows() && j > 0 && j + 1 < n {
        let at = j + i * n;
        // SAFETY: all are squares of side n; the elements at the place are this thread's.
        unsafe {
            let access = crate::access::Unchecked::new();
            let values = stepped_twice(access, a, border, [i, j], n);
            [*b.as_mut_ptr().add(at), *new.as_mut_ptr().add(at)] = values;
        }
    }
}

fn smelt_fused(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [a, b] = data(run);
    // The border is the same in all repetitions, in copies too.
    let (mut a, mut new) = (run.to_device(&a)?, run.to_device(&a)?);
    let (border, mut b) = (run.to_device(&b)?, run.to_device(&b)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    run.time(|queue| {
        let args = (&a, &border, b.as_2d(n, n), new.as_2d(n, n));
        launch!(queue, grid, [fused, fused_unchecked], args)?;
        std::mem::swap(&mut a, &mut new);
        Ok(())
    })?;
    let (a, b) = (run.to_host(&a)?, run.to_host(&b)?);
    Ok(checksum(run, &a, &b))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "fused" {
        return smelt_fused(run);
    }
    let n = side(run.target);
    let [a, b] = data(run);
    let (mut a, mut b) = (run.to_device(&a)?, run.to_device(&b)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    run.time(|queue| {
        let args = (&a, b.as_2d(n, n));
        launch!(queue, grid, [step, step_unchecked], args)?;
        let args = (&b, a.as_2d(n, n));
        launch!(queue, grid, [step, step_unchecked], args)
    })?;
    let (a, b) = (run.to_host(&a)?, run.to_host(&b)?);
    Ok(checksum(run, &a, &b))
}
