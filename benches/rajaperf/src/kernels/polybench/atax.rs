//! Polybench_ATAX: tmp = A x, then y = A^T tmp.
//!
//! Tuning `team` has a block for each row, then one for each few columns, whose threads add up their
//! products together.

use crate::prelude::*;
use crate::team;

pub const KERNEL: Kernel = Kernel {
    name: "ATAX",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 100,
    shape: |_, target| {
        let n = square_side(target);
        Shape {
            iterations: 2 * n,
            kernels: 2,
            bytes_read: 8 * (2 * n * n + 3 * n),
            bytes_written: 8 * 3 * n,
            flops: 4 * n * n,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("team")],
    ..Kernel::DEFAULT
};

/// tmp, x, A, y.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let (n, init) = (square_side(run.target), &mut run.init);
    [
        init.data(n),
        init.data(n),
        init.data(n * n),
        init.constant(n, 0.0),
    ]
}

fn checksum(run: &Run, y: &[f64]) -> Checksum {
    Checksum::new().scaled(y, 0.001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [mut tmp, x, a, mut y] = data(run);
    run.time_host(|| {
        for (tmp, a) in tmp.iter_mut().zip(a.chunks_exact(n)) {
            *tmp = a.iter().zip(&x).map(|(a, x)| a * x).sum();
        }
        // Row by row: the same sums in the same order, but consecutive memory.
        y.fill(0.0);
        for (tmp, a) in tmp.iter().zip(a.chunks_exact(n)) {
            for (y, a) in y.iter_mut().zip(a) {
                *y += a * tmp;
            }
        }
    });
    Ok(checksum(run, &y))
}

fn rows(a: &[f64], x: &[f64], mut tmp: DisjointMut<f64>, mut y: DisjointMut<f64>) {
    let (t, n) = (thread::index(), x.len());
    if let (Some(tmp), Some(y)) = (tmp.get_mut(t), y.get_mut(t)) {
        *y = 0.0;
        let mut dot = 0.0;
        for (a, x) in a[t.get() * n..][..n].iter().zip(x) {
            dot += a * x;
        }
        *tmp = dot;
    }
}

fn rows_unchecked(a: &[f64], x: &[f64], mut tmp: DisjointMut<f64>, mut y: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), x.len());
    if i < n {
        let mut dot = 0.0;
        // SAFETY: all vectors have n elements, A n rows of n; those of tmp and y are this
        // thread's.
        unsafe {
            *y.get_unchecked_mut(i) = 0.0;
            for j in 0..n {
                dot += a.get_unchecked(j + i * n) * x.get_unchecked(j);
            }
            *tmp.get_unchecked_mut(i) = dot;
        }
    }
}

fn columns(a: &[f64], tmp: &[f64], mut y: DisjointMut<f64>) {
    let (t, n) = (thread::index(), y.len());
    if let Some(y) = y.get_mut(t) {
        let mut dot = *y;
        for (a, tmp) in a.chunks_exact(n).zip(tmp) {
            dot += a[t.get()] * tmp;
        }
        *y = dot;
    }
}

fn columns_unchecked(a: &[f64], tmp: &[f64], mut y: DisjointMut<f64>) {
    let (j, n) = (thread::index().get(), tmp.len());
    if j < n {
        // SAFETY: as for the rows; the element of y is this thread's.
        unsafe {
            let mut dot = *y.get_unchecked_mut(j);
            for i in 0..n {
                dot += a.get_unchecked(j + i * n) * tmp.get_unchecked(i);
            }
            *y.get_unchecked_mut(j) = dot;
        }
    }
}

/// Columns that a block of `team` has: 64 bytes of a row.
const COLUMNS: usize = 8;

/// A block for each row of A, which is as long as x; tmp has an element for each.
#[inline(always)]
fn team_row(access: impl Access, a: &[f64], x: &[f64], tmp: &[AtomicF64]) {
    let ((row, t, threads), n) = (team::place(), x.len());
    let products = |j| access.at(a, row * n + j) * access.at(x, j);
    let sum = team::sum::<1>(team::strided(t, threads, n, products));
    if t == 0 {
        access.at(tmp, row).store(sum);
    }
}

/// A block for each [`COLUMNS`] columns of A, which are as long as tmp; y has an element for each.
#[inline(always)]
fn team_column(access: impl Access, a: &[f64], tmp: &[AtomicF64], y: &[AtomicF64]) {
    let ((block, t, threads), n) = (team::place(), tmp.len());
    let column = block * COLUMNS + t % COLUMNS;
    let mut sum = 0.0;
    if column < n {
        let products = |i| access.at(a, i * n + column) * access.at(tmp, i).load();
        sum = team::strided(t / COLUMNS, threads / COLUMNS, n, products);
    }
    let sum = team::sum::<COLUMNS>(sum);
    if t < COLUMNS && column < n {
        access.at(y, column).store(sum);
    }
}

both! {
    fn team_rows, team_rows_unchecked(a: &[f64], x: &[f64], tmp: &[AtomicF64]) = team_row;
    fn team_columns, team_columns_unchecked(
        a: &[f64], tmp: &[AtomicF64], y: &[AtomicF64],
    ) = team_column;
}

fn smelt_team(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [tmp, x, a, y] = data(run);
    let (tmp, y) = (run.cells_to_device(tmp)?, run.cells_to_device(y)?);
    let (x, a) = (run.to_device(&x)?, run.to_device(&a)?);
    let threads = team::threads(run.block);
    let by_row = Grid::blocks(n).threads(threads);
    let by_column = Grid::blocks(n.div_ceil(COLUMNS)).threads(threads);
    run.time(|queue| {
        launch!(
            queue,
            by_row,
            [team_rows, team_rows_unchecked],
            (&a, &x, &tmp)
        )?;
        launch!(
            queue,
            by_column,
            [team_columns, team_columns_unchecked],
            (&a, &tmp, &y)
        )
    })?;
    let y = run.cells_to_host(&y)?;
    Ok(checksum(run, &y))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "team" {
        return smelt_team(run);
    }
    let n = square_side(run.target);
    let [tmp, x, a, y] = data(run);
    let (mut tmp, mut y) = (run.to_device(&tmp)?, run.to_device(&y)?);
    let (x, a) = (run.to_device(&x)?, run.to_device(&a)?);
    let grid = run.cover(n);
    run.time(|queue| {
        let args = (&a, &x, &mut tmp, &mut y);
        launch!(queue, grid, [rows, rows_unchecked], args)?;
        let args = (&a, &tmp, &mut y);
        launch!(queue, grid, [columns, columns_unchecked], args)
    })?;
    let y = run.to_host(&y)?;
    Ok(checksum(run, &y))
}
