//! Lcals_DIFF_PREDICT: difference predictors: a column of a matrix of 14 rows, each element from the
//! one before.
//!
//! Rows 4 to 13 are what changes. In safe form they are ten arrays, so that a thread's column is its
//! element of each; the unsafe kernel works on the whole matrix as the suite does.
//!
//! Tuning `ahead` loads a column before it stores the first element, which the loads could not pass.

use crate::prelude::*;

const ROWS: usize = 14;
/// The first row that is used.
const FIRST: usize = 4;
/// Rows that change.
const USED: usize = ROWS - FIRST;

pub const KERNEL: Kernel = Kernel {
    name: "DIFF_PREDICT",
    group: Group::Lcals,
    reps: 200,
    shape: |_, n| Shape {
        bytes_read: 80 * n,
        bytes_written: 80 * n,
        flops: 9 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("ahead")],
    ..Kernel::DEFAULT
};

/// px and cx.
fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size * ROWS, &mut run.init);
    [init.constant(n, 0.0), init.data(n)]
}

/// Goes down a column: `next` is what comes into its first row; what was in a row, taken off
/// what came, comes into the next.
macro_rules! column {
    ($next:expr, $($row:expr),*) => {{
        let mut next = $next;
        $(
            let row = &mut $row;
            let came = next;
            next -= *row;
            *row = came;
        )*
        let _ = next;
    }};
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut px, cx] = data(run);
    let n = run.size;
    run.time_host(|| {
        let mut rows = px[FIRST * n..].chunks_exact_mut(n);
        let mut row = || rows.next().unwrap();
        let (p0, p1, p2, p3, p4) = (row(), row(), row(), row(), row());
        let (p5, p6, p7, p8, p9) = (row(), row(), row(), row(), row());
        let cx = &cx[FIRST * n..][..n];
        for i in 0..n {
            column!(
                cx[i], p0[i], p1[i], p2[i], p3[i], p4[i], p5[i], p6[i], p7[i], p8[i], p9[i]
            );
        }
    });
    Ok(Checksum::of(&px))
}

#[allow(clippy::too_many_arguments)]
fn predict(
    cx: &[f64],
    mut p0: DisjointMut<f64>,
    mut p1: DisjointMut<f64>,
    mut p2: DisjointMut<f64>,
    mut p3: DisjointMut<f64>,
    mut p4: DisjointMut<f64>,
    mut p5: DisjointMut<f64>,
    mut p6: DisjointMut<f64>,
    mut p7: DisjointMut<f64>,
    mut p8: DisjointMut<f64>,
    mut p9: DisjointMut<f64>,
) {
    let (t, n) = (thread::index(), p0.len());
    if t.get() < n {
        column!(
            cx[t.get() + FIRST * n],
            p0[t],
            p1[t],
            p2[t],
            p3[t],
            p4[t],
            p5[t],
            p6[t],
            p7[t],
            p8[t],
            p9[t]
        );
    }
}

fn predict_unchecked(n: usize, cx: &[f64], mut px: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: both have ROWS rows of n; column i of px is this thread's.
        unsafe {
            let mut next = *cx.get_unchecked(i + FIRST * n);
            for r in FIRST..ROWS {
                let row = px.get_unchecked_mut(i + r * n);
                let came = next;
                next -= *row;
                *row = came;
            }
        }
    }
}

/// Both have ROWS rows of n.
#[inline(always)]
fn ahead_column(access: impl Access, n: usize, cx: &[f64], px: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        let row = |r: usize| access.at(px, i + (FIRST + r) * n);
        let old: [f64; USED] = std::array::from_fn(|r| row(r).load());
        let mut next = *access.at(cx, i + FIRST * n);
        for (r, old) in old.into_iter().enumerate() {
            row(r).store(next);
            next -= old;
        }
    }
}

both! {
    fn ahead, ahead_unchecked(n: usize, cx: &[f64], px: &[AtomicF64]) = ahead_column;
}

fn smelt_ahead(run: &mut Run) -> smelt::Result<Checksum> {
    let [px, cx] = data(run);
    let (mut px, cx) = (run.to_device(&px)?, run.to_device(&cx)?);
    let (n, grid) = (run.size, run.cover(run.size));
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [ahead, ahead_unchecked],
            (n, &cx, px.as_atomic())
        )
    })?;
    Ok(Checksum::of(&run.to_host(&px)?))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "ahead" {
        return smelt_ahead(run);
    }
    if run.is_safe() {
        safe(run)
    } else {
        unchecked(run)
    }
}

fn safe(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut px, cx] = data(run);
    let n = run.size;
    let cx = run.to_device(&cx)?;
    let rows: smelt::Result<Vec<_>> = px[FIRST * n..]
        .chunks_exact(n)
        .map(|row| run.to_device(row))
        .collect();
    let mut rows: [Buffer<f64>; USED] = rows?.try_into().expect("as many as are used");
    let grid = run.cover(n);
    run.time(|queue| {
        let [p0, p1, p2, p3, p4, p5, p6, p7, p8, p9] = rows.each_mut();
        queue
            .gpu
            .launch(grid, predict, (&cx, p0, p1, p2, p3, p4, p5, p6, p7, p8, p9))
    })?;
    for (row, buffer) in px[FIRST * n..].chunks_exact_mut(n).zip(&rows) {
        row.copy_from_slice(&run.to_host(buffer)?);
    }
    Ok(Checksum::of(&px))
}

fn unchecked(run: &mut Run) -> smelt::Result<Checksum> {
    let [px, cx] = data(run);
    let (mut px, cx) = (run.to_device(&px)?, run.to_device(&cx)?);
    let (n, grid) = (run.size, run.cover(run.size));
    run.time(|queue| queue.gpu.launch(grid, predict_unchecked, (n, &cx, &mut px)))?;
    Ok(Checksum::of(&run.to_host(&px)?))
}
