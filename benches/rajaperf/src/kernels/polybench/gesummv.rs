//! Polybench_GESUMMV: y = alpha A x + beta B x.
//!
//! Tuning `team` has a block for each row, whose threads add up its products together.

use crate::prelude::*;
use crate::team;

pub const KERNEL: Kernel = Kernel {
    name: "GESUMMV",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 120,
    shape: |_, target| {
        let n = square_side(target);
        Shape {
            iterations: n,
            bytes_read: 8 * (2 * n * n + n),
            bytes_written: 8 * n,
            flops: (4 * n + 3) * n,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("team")],
    ..Kernel::DEFAULT
};

const ALPHA: f64 = 0.62;
const BETA: f64 = 1.002;

/// x, y, A, B.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let (n, init) = (square_side(run.target), &mut run.init);
    [
        init.data(n),
        init.constant(n, 0.0),
        init.data(n * n),
        init.data(n * n),
    ]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [x, mut y, a, b] = data(run);
    run.time_host(|| {
        let rows = a.chunks_exact(n).zip(b.chunks_exact(n));
        for (y, (a, b)) in y.iter_mut().zip(rows) {
            let (mut by_a, mut by_b) = (0.0, 0.0);
            for ((a, b), x) in a.iter().zip(b).zip(&x) {
                by_a += a * x;
                by_b += b * x;
            }
            *y = ALPHA * by_a + BETA * by_b;
        }
    });
    Ok(Checksum::of(&y))
}

fn rows(a: &[f64], b: &[f64], x: &[f64], mut y: DisjointMut<f64>) {
    let (t, n) = (thread::index(), x.len());
    if let Some(y) = y.get_mut(t) {
        let at = t.get() * n;
        let (mut by_a, mut by_b) = (0.0, 0.0);
        for ((a, b), x) in a[at..][..n].iter().zip(&b[at..][..n]).zip(x) {
            by_a += a * x;
            by_b += b * x;
        }
        *y = ALPHA * by_a + BETA * by_b;
    }
}

fn rows_unchecked(a: &[f64], b: &[f64], x: &[f64], mut y: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), x.len());
    if i < n {
        let (mut by_a, mut by_b) = (0.0, 0.0);
        // SAFETY: both vectors have n elements, both matrices n rows of n; that of y is
        // this thread's.
        unsafe {
            for j in 0..n {
                let x = x.get_unchecked(j);
                by_a += a.get_unchecked(j + i * n) * x;
                by_b += b.get_unchecked(j + i * n) * x;
            }
            *y.get_unchecked_mut(i) = ALPHA * by_a + BETA * by_b;
        }
    }
}

/// A block for each row of A and B, which are as long as x; y has an element for each.
#[inline(always)]
fn team_row(access: impl Access, a: &[f64], b: &[f64], x: &[f64], y: &[AtomicF64]) {
    let ((row, t, threads), n) = (team::place(), x.len());
    let dot = |m: &[f64]| {
        let products = |j| access.at(m, row * n + j) * access.at(x, j);
        team::sum::<1>(team::strided(t, threads, n, products))
    };
    let sum = ALPHA * dot(a) + BETA * dot(b);
    if t == 0 {
        access.at(y, row).store(sum);
    }
}

both! {
    fn team_rows, team_rows_unchecked(a: &[f64], b: &[f64], x: &[f64], y: &[AtomicF64]) = team_row;
}

fn smelt_team(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [x, y, a, b] = data(run);
    let (x, y) = (run.to_device(&x)?, run.cells_to_device(y)?);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let grid = Grid::blocks(n).threads(team::threads(run.block));
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [team_rows, team_rows_unchecked],
            (&a, &b, &x, &y)
        )
    })?;
    Ok(Checksum::of(&run.cells_to_host(&y)?))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "team" {
        return smelt_team(run);
    }
    let n = square_side(run.target);
    let [x, y, a, b] = data(run);
    let (x, mut y) = (run.to_device(&x)?, run.to_device(&y)?);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let grid = run.cover(n);
    run.time(|queue| launch!(queue, grid, [rows, rows_unchecked], (&a, &b, &x, &mut y)))?;
    Ok(Checksum::of(&run.to_host(&y)?))
}
