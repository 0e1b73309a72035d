//! Lcals_GEN_LIN_RECUR: general linear recurrences: two sweeps over b5 and stb5, the second from the end.
//!
//! Each sweep is over independent elements, so the second may go forwards as well; and tuning
//! `fused` does both sweeps of an element in one launch.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "GEN_LIN_RECUR",
    group: Group::Lcals,
    reps: 500,
    shape: |_, n| Shape {
        kernels: 2,
        bytes_read: 48 * n,
        bytes_written: 32 * n,
        flops: 6 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

/// b5, stb5, sa, sb.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let (n, init) = (run.size, &mut run.init);
    [
        init.constant(n, 0.0),
        init.data(n),
        init.data(n),
        init.data(n),
    ]
}

fn checksum(run: &Run, b5: &[f64]) -> Checksum {
    Checksum::new().scaled(b5, 0.01 * run.scale)
}

/// The new b5 and stb5.
#[inline(always)]
fn step(stb5: f64, sa: f64, sb: f64) -> (f64, f64) {
    let b5 = sa + stb5 * sb;
    (b5, b5 - stb5)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut b5, mut stb5, sa, sb] = data(run);
    let n = run.size;
    run.time_host(|| {
        let (b5, stb5, sa, sb) = (&mut b5[..n], &mut stb5[..n], &sa[..n], &sb[..n]);
        for k in 0..n {
            (b5[k], stb5[k]) = step(stb5[k], sa[k], sb[k]);
        }
        for k in (0..n).rev() {
            (b5[k], stb5[k]) = step(stb5[k], sa[k], sb[k]);
        }
    });
    Ok(checksum(run, &b5))
}

fn sweep(mut b5: DisjointMut<f64>, mut stb5: DisjointMut<f64>, sa: &[f64], sb: &[f64]) {
    let t = thread::index();
    let k = t.get();
    if k < b5.len() {
        (b5[t], stb5[t]) = step(stb5[t], sa[k], sb[k]);
    }
}

fn both_sweeps(mut b5: DisjointMut<f64>, mut stb5: DisjointMut<f64>, sa: &[f64], sb: &[f64]) {
    let t = thread::index();
    let k = t.get();
    if k < b5.len() {
        let (_, half) = step(stb5[t], sa[k], sb[k]);
        (b5[t], stb5[t]) = step(half, sa[k], sb[k]);
    }
}

fn sweep_unchecked(mut b5: DisjointMut<f64>, mut stb5: DisjointMut<f64>, sa: &[f64], sb: &[f64]) {
    let k = thread::index().get();
    if k < b5.len() {
        // SAFETY: all have b5's length; element k of b5 and stb5 is this thread's.
        unsafe {
            let stb5 = stb5.get_unchecked_mut(k);
            let (sa, sb) = (sa.get_unchecked(k), sb.get_unchecked(k));
            (*b5.get_unchecked_mut(k), *stb5) = step(*stb5, *sa, *sb);
        }
    }
}

fn both_sweeps_unchecked(
    mut b5: DisjointMut<f64>,
    mut stb5: DisjointMut<f64>,
    sa: &[f64],
    sb: &[f64],
) {
    let k = thread::index().get();
    if k < b5.len() {
        // SAFETY: as in sweep_unchecked.
        unsafe {
            let stb5 = stb5.get_unchecked_mut(k);
            let (sa, sb) = (sa.get_unchecked(k), sb.get_unchecked(k));
            let (_, half) = step(*stb5, *sa, *sb);
            (*b5.get_unchecked_mut(k), *stb5) = step(half, *sa, *sb);
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [b5, stb5, sa, sb] = data(run);
    let (mut b5, mut stb5) = (run.to_device(&b5)?, run.to_device(&stb5)?);
    let (sa, sb) = (run.to_device(&sa)?, run.to_device(&sb)?);
    let grid = run.cover(run.size);
    let fused = run.tuning == "fused";
    run.time(|queue| {
        if fused {
            let args = (&mut b5, &mut stb5, &sa, &sb);
            return launch!(queue, grid, [both_sweeps, both_sweeps_unchecked], args);
        }
        launch!(
            queue,
            grid,
            [sweep, sweep_unchecked],
            (&mut b5, &mut stb5, &sa, &sb)
        )?;
        launch!(
            queue,
            grid,
            [sweep, sweep_unchecked],
            (&mut b5, &mut stb5, &sa, &sb)
        )
    })?;
    let b5 = run.to_host(&b5)?;
    Ok(checksum(run, &b5))
}
