//! Polybench_MVT: x1 += A y1 and x2 += A^T y2.
//!
//! As in the suite the second product takes y2 at the place of the result, not of the
//! term: x2[i] grows by the sum of column i of A, times y2[i].
//!
//! Tuning `team` has both products in one launch: a block for each row and one for each few columns,
//! whose threads add up their products together.

use crate::prelude::*;
use crate::team;

pub const KERNEL: Kernel = Kernel {
    name: "MVT",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 100,
    shape: |_, target| {
        let n = square_side(target);
        Shape {
            iterations: 2 * n,
            kernels: 2,
            bytes_read: 8 * 2 * (n * n + n),
            bytes_written: 8 * 2 * n,
            flops: 4 * n * n,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("team")],
    ..Kernel::DEFAULT
};

/// y1, y2, A.
fn data(run: &mut Run) -> [Vec<f64>; 3] {
    let (n, init) = (square_side(run.target), &mut run.init);
    [init.data(n), init.data(n), init.data(n * n)]
}

/// x1, x2.
fn results(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (square_side(run.target), &mut run.init);
    [init.constant(n, 0.0), init.constant(n, 0.0)]
}

fn checksum(run: &Run, x1: &[f64], x2: &[f64]) -> Checksum {
    Checksum::new()
        .scaled(x1, 0.01 * run.scale)
        .scaled(x2, 0.01 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [y1, y2, a] = data(run);
    let [mut x1, mut x2] = results(run);
    let mut sums = vec![0.0; n];
    run.time_host(|| {
        for (x, a) in x1.iter_mut().zip(a.chunks_exact(n)) {
            *x += a.iter().zip(&y1).map(|(a, y)| a * y).sum::<f64>();
        }
        // Row by row: the same sums in the same order, but consecutive memory.
        sums.fill(0.0);
        for a in a.chunks_exact(n) {
            for ((sum, a), y) in sums.iter_mut().zip(a).zip(&y2) {
                *sum += a * y;
            }
        }
        for (x, sum) in x2.iter_mut().zip(&sums) {
            *x += sum;
        }
    });
    Ok(checksum(run, &x1, &x2))
}

fn rows(a: &[f64], y: &[f64], mut x: DisjointMut<f64>) {
    let (t, n) = (thread::index(), y.len());
    if let Some(x) = x.get_mut(t) {
        let mut dot = 0.0;
        for (a, y) in a[t.get() * n..][..n].iter().zip(y) {
            dot += a * y;
        }
        *x += dot;
    }
}

fn rows_unchecked(a: &[f64], y: &[f64], mut x: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), y.len());
    if i < n {
        let mut dot = 0.0;
        // SAFETY: both vectors have n elements, A n rows of n; that of x is this thread's.
        unsafe {
            for j in 0..n {
                dot += a.get_unchecked(j + i * n) * y.get_unchecked(j);
            }
            *x.get_unchecked_mut(i) += dot;
        }
    }
}

fn columns(a: &[f64], y: &[f64], mut x: DisjointMut<f64>) {
    let (t, n) = (thread::index(), y.len());
    if let Some(x) = x.get_mut(t) {
        let y = y[t.get()];
        let mut dot = 0.0;
        for j in 0..n {
            dot += a[t.get() + j * n] * y;
        }
        *x += dot;
    }
}

fn columns_unchecked(a: &[f64], y: &[f64], mut x: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), y.len());
    if i < n {
        let mut dot = 0.0;
        // SAFETY: as for the rows.
        unsafe {
            let y = y.get_unchecked(i);
            for j in 0..n {
                dot += a.get_unchecked(i + j * n) * y;
            }
            *x.get_unchecked_mut(i) += dot;
        }
    }
}

/// Columns that a block of `team` has: 64 bytes of a row.
const COLUMNS: usize = 8;

/// The first blocks have a row each, the others [`COLUMNS`] columns. A has n rows of n, the vectors
/// n elements.
#[inline(always)]
fn team_product(
    access: impl Access,
    a: &[f64],
    y1: &[f64],
    y2: &[f64],
    x1: &[AtomicF64],
    x2: &[AtomicF64],
) {
    let ((block, t, threads), n) = (team::place(), y1.len());
    if block < n {
        let products = |j| access.at(a, block * n + j) * access.at(y1, j);
        let sum = team::sum::<1>(team::strided(t, threads, n, products));
        if t == 0 {
            let x = access.at(x1, block);
            x.store(x.load() + sum);
        }
        return;
    }
    let column = (block - n) * COLUMNS + t % COLUMNS;
    let mut sum = 0.0;
    if column < n {
        let y = access.at(y2, column);
        let products = |i| access.at(a, i * n + column) * y;
        sum = team::strided(t / COLUMNS, threads / COLUMNS, n, products);
    }
    let sum = team::sum::<COLUMNS>(sum);
    if t < COLUMNS && column < n {
        let x = access.at(x2, column);
        x.store(x.load() + sum);
    }
}

both! {
    fn team_products, team_products_unchecked(
        a: &[f64], y1: &[f64], y2: &[f64], x1: &[AtomicF64], x2: &[AtomicF64],
    ) = team_product;
}

fn smelt_team(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [y1, y2, a] = data(run);
    let [x1, x2] = results(run);
    let (y1, y2) = (run.to_device(&y1)?, run.to_device(&y2)?);
    let (x1, x2) = (run.cells_to_device(x1)?, run.cells_to_device(x2)?);
    let a = run.to_device(&a)?;
    let grid = Grid::blocks(n + n.div_ceil(COLUMNS)).threads(team::threads(run.block));
    run.time(|queue| {
        let args = (&a, &y1, &y2, &x1, &x2);
        launch!(queue, grid, [team_products, team_products_unchecked], args)
    })?;
    let (x1, x2) = (run.cells_to_host(&x1)?, run.cells_to_host(&x2)?);
    Ok(checksum(run, &x1, &x2))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "team" {
        return smelt_team(run);
    }
    let n = square_side(run.target);
    let [y1, y2, a] = data(run);
    let [x1, x2] = results(run);
    let (y1, y2) = (run.to_device(&y1)?, run.to_device(&y2)?);
    let (mut x1, mut x2) = (run.to_device(&x1)?, run.to_device(&x2)?);
    let a = run.to_device(&a)?;
    let grid = run.cover(n);
    run.time(|queue| {
        launch!(queue, grid, [rows, rows_unchecked], (&a, &y1, &mut x1))?;
        let args = (&a, &y2, &mut x2);
        launch!(queue, grid, [columns, columns_unchecked], args)
    })?;
    let (x1, x2) = (run.to_host(&x1)?, run.to_host(&x2)?);
    Ok(checksum(run, &x1, &x2))
}
