//! Polybench_JACOBI_1D: each element becomes the mean of itself and its two neighbours, from one
//! array to the other and back.
//!
//! Tuning `fused` does both in one launch: a thread makes again what it needs of its neighbours. The
//! second result goes to another array than the one that is read, and they change places.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "JACOBI_1D",
    group: Group::Polybench,
    reps: 1600,
    shape: |_, n| Shape {
        iterations: 2 * n,
        kernels: 2,
        bytes_read: 16 * (n + 2),
        bytes_written: 16 * n,
        flops: 6 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size + 2, &mut run.init);
    [init.data(n), init.data(n)]
}

fn checksum(run: &Run, a: &[f64], b: &[f64]) -> Checksum {
    let scale = 0.0001 * run.scale;
    Checksum::new().scaled(a, scale).scaled(b, scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut a, mut b] = data(run);
    let step = |from: &[f64], to: &mut [f64]| {
        for (to, from) in to[1..].iter_mut().zip(from.windows(3)) {
            *to = 0.33333 * (from[0] + from[1] + from[2]);
        }
    };
    run.time_host(|| {
        step(&a, &mut b);
        step(&b, &mut a);
    });
    Ok(checksum(run, &a, &b))
}

fn step(from: &[f64], mut to: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if i > 0 && i + 1 < to.len() {
        to[t] = 0.33333 * (from[i - 1] + from[i] + from[i + 1]);
    }
}

fn step_unchecked(from: &[f64], mut to: DisjointMut<f64>) {
    let i = thread::index().get();
    if i > 0 && i + 1 < to.len() {
        // SAFETY: both have to's length, and i has two neighbours there; element i of
        // to is this thread's.
        unsafe {
            let from = |i| *from.get_unchecked(i);
            *to.get_unchecked_mut(i) = 0.33333 * (from(i - 1) + from(i) + from(i + 1));
        }
    }
}

/// b's element `i`, which at the ends never changes, from a. Both have n elements.
#[inline(always)]
fn stepped(access: impl Access, a: &[f64], ends: &[f64], i: usize, n: usize) -> f64 {
    if i == 0 || i + 1 == n {
        return *access.at(ends, i);
    }
    let a = |i| *access.at(a, i);
    0.33333 * (a(i - 1) + a(i) + a(i + 1))
}

/// The elements `i` of b and of the new a; all have n.
#[inline(always)]
fn stepped_twice(access: impl Access, a: &[f64], ends: &[f64], i: usize, n: usize) -> [f64; 2] {
    let [before, here, after] = [i - 1, i, i + 1].map(|i| stepped(access, a, ends, i, n));
    [here, 0.33333 * (before + here + after)]
}

fn fused(a: &[f64], ends: &[f64], mut b: DisjointMut<f64>, mut new: DisjointMut<f64>) {
    let (t, n) = (thread::index(), b.len());
    let i = t.get();
    if i > 0 && i + 1 < n {
        [b[t], new[t]] = stepped_twice(crate::access::Checked, a, ends, i, n);
    }
}

fn fused_unchecked(a: &[f64], ends: &[f64], mut b: DisjointMut<f64>, mut new: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), b.len());
    if i > 0 && i + 1 < n {
        // SAFETY: all have n elements; the i of b and new are this thread's.
        unsafe {
            let access = crate::access::Unchecked::new();
            let values = stepped_twice(access, a, ends, i, n);
            [*b.get_unchecked_mut(i), *new.get_unchecked_mut(i)] = values;
        }
    }
}

fn smelt_fused(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b] = data(run);
    // The ends are the same in all repetitions, in copies too.
    let (mut a, mut new) = (run.to_device(&a)?, run.to_device(&a)?);
    let (ends, mut b) = (run.to_device(&b)?, run.to_device(&b)?);
    let grid = run.cover(run.size + 2);
    run.time(|queue| {
        let args = (&a, &ends, &mut b, &mut new);
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
    let [a, b] = data(run);
    let (mut a, mut b) = (run.to_device(&a)?, run.to_device(&b)?);
    let grid = run.cover(run.size + 2);
    run.time(|queue| {
        launch!(queue, grid, [step, step_unchecked], (&a, &mut b))?;
        launch!(queue, grid, [step, step_unchecked], (&b, &mut a))
    })?;
    let (a, b) = (run.to_host(&a)?, run.to_host(&b)?);
    Ok(checksum(run, &a, &b))
}
