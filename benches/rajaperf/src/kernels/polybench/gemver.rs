//! Polybench_GEMVER: A += u1 v1^T + u2 v2^T, then x = beta A^T y, x += z, and w += alpha A x.
//!
//! Tuning `team` has a block for each few columns, which makes them and adds up their products with y,
//! then one for each row: two launches instead of four.

use crate::prelude::*;
use crate::team;

pub const KERNEL: Kernel = Kernel {
    name: "GEMVER",
    group: Group::Polybench,
    features: &[Feature::Forall, Feature::Kernel],
    reps: 20,
    shape: |_, target| {
        let n = square_side(target);
        Shape {
            iterations: 3 * n * n + n,
            kernels: 4,
            bytes_read: 8 * (3 * n * n + 9 * n),
            bytes_written: 8 * (n * n + 3 * n),
            flops: 10 * n * n + n,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("team")],
    ..Kernel::DEFAULT
};

const ALPHA: f64 = 1.5;
const BETA: f64 = 1.2;

struct Data {
    a: Vec<f64>,
    /// u1, v1, u2, v2.
    uv: [Vec<f64>; 4],
    w: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (square_side(run.target), &mut run.init);
    Data {
        a: init.data(n * n),
        uv: [0; 4].map(|_| init.data(n)),
        w: init.constant(n, 0.0),
        x: init.data(n),
        y: init.data(n),
        z: init.data(n),
    }
}

fn checksum(run: &Run, w: &[f64]) -> Checksum {
    Checksum::new().scaled(w, 0.001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let Data {
        mut a,
        uv: [u1, v1, u2, v2],
        mut w,
        mut x,
        y,
        z,
    } = data(run);
    let mut sums = vec![0.0; n];
    run.time_host(|| {
        for (a, (u1, u2)) in a.chunks_exact_mut(n).zip(u1.iter().zip(&u2)) {
            for (a, (v1, v2)) in a.iter_mut().zip(v1.iter().zip(&v2)) {
                *a += u1 * v1 + u2 * v2;
            }
        }
        // Row by row: the same sums in the same order, but consecutive memory.
        sums.fill(0.0);
        for (a, y) in a.chunks_exact(n).zip(&y) {
            for (sum, a) in sums.iter_mut().zip(a) {
                *sum += BETA * a * y;
            }
        }
        for ((x, sum), z) in x.iter_mut().zip(&sums).zip(&z) {
            *x = sum + z;
        }
        for (w, a) in w.iter_mut().zip(a.chunks_exact(n)) {
            for (a, x) in a.iter().zip(&x) {
                *w += ALPHA * a * x;
            }
        }
    });
    Ok(checksum(run, &w))
}

fn update(u1: &[f64], v1: &[f64], u2: &[f64], v2: &[f64], mut a: DisjointMut2<f64>) {
    let t = thread::index2();
    let (j, i) = t.get();
    if let Some(a) = a.get_mut(t) {
        *a += u1[i] * v1[j] + u2[i] * v2[j];
    }
}

fn update_unchecked(u1: &[f64], v1: &[f64], u2: &[f64], v2: &[f64], mut a: DisjointMut2<f64>) {
    let (j, i) = thread::index2().get();
    let n = a.columns();
    if i < a.rows() && j < n {
        // SAFETY: the vectors have as many elements as A has rows and columns; the
        // element of A is inside, and this thread's.
        unsafe {
            *a.as_mut_ptr().add(j + i * n) += u1.get_unchecked(i) * v1.get_unchecked(j)
                + u2.get_unchecked(i) * v2.get_unchecked(j);
        }
    }
}

fn columns(a: &[f64], y: &[f64], mut x: DisjointMut<f64>) {
    let (t, n) = (thread::index(), x.len());
    if let Some(x) = x.get_mut(t) {
        let mut dot = 0.0;
        for (a, y) in a.chunks_exact(n).zip(y) {
            dot += BETA * a[t.get()] * y;
        }
        *x = dot;
    }
}

fn columns_unchecked(a: &[f64], y: &[f64], mut x: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), y.len());
    if i < n {
        let mut dot = 0.0;
        // SAFETY: both vectors have n elements, A n rows of n; that of x is this thread's.
        unsafe {
            for j in 0..n {
                dot += BETA * a.get_unchecked(i + j * n) * y.get_unchecked(j);
            }
            *x.get_unchecked_mut(i) = dot;
        }
    }
}

fn add(z: &[f64], mut x: DisjointMut<f64>) {
    let t = thread::index();
    if let Some(x) = x.get_mut(t) {
        *x += z[t.get()];
    }
}

fn add_unchecked(z: &[f64], mut x: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < x.len() {
        // SAFETY: z has x's length; element i of x is this thread's.
        unsafe { *x.get_unchecked_mut(i) += z.get_unchecked(i) }
    }
}

fn rows(a: &[f64], x: &[f64], mut w: DisjointMut<f64>) {
    let (t, n) = (thread::index(), x.len());
    if let Some(w) = w.get_mut(t) {
        let mut dot = *w;
        for (a, x) in a[t.get() * n..][..n].iter().zip(x) {
            dot += ALPHA * a * x;
        }
        *w = dot;
    }
}

fn rows_unchecked(a: &[f64], x: &[f64], mut w: DisjointMut<f64>) {
    let (i, n) = (thread::index().get(), x.len());
    if i < n {
        // SAFETY: as for the columns.
        unsafe {
            let mut dot = *w.get_unchecked_mut(i);
            for j in 0..n {
                dot += ALPHA * a.get_unchecked(j + i * n) * x.get_unchecked(j);
            }
            *w.get_unchecked_mut(i) = dot;
        }
    }
}

/// Columns that a block of `team` has: 64 bytes of a row.
const COLUMNS: usize = 8;
/// Rows that a thread has under way at a time.
const ROWS: usize = 8;

/// The vectors that the first launch of `team` reads.
struct Vectors<'k> {
    u1: &'k [f64],
    v1: &'k [f64],
    u2: &'k [f64],
    v2: &'k [f64],
    y: &'k [f64],
    z: &'k [f64],
}

/// A block for each [`COLUMNS`] columns of A: makes them, and of each x's element. A has n rows of n,
/// the vectors n elements.
#[inline(always)]
fn team_column(access: impl Access, v: Vectors, a: &[AtomicF64], x: &[AtomicF64]) {
    let ((block, t, threads), n) = (team::place(), v.y.len());
    let column = block * COLUMNS + t % COLUMNS;
    let mut sum = 0.0;
    if column < n {
        let (v1, v2) = (access.at(v.v1, column), access.at(v.v2, column));
        let step = threads / COLUMNS;
        let mut first = t / COLUMNS;
        while first < n {
            // All loads before the first store, which they could not pass.
            let rows: [usize; ROWS] = std::array::from_fn(|k| first + k * step);
            let cell = |i: usize| access.at(a, i * n + column);
            let old = rows.map(|i| if i < n { cell(i).load() } else { 0.0 });
            for (i, old) in rows.into_iter().zip(old) {
                if i < n {
                    let new = old + (access.at(v.u1, i) * v1 + access.at(v.u2, i) * v2);
                    cell(i).store(new);
                    sum += BETA * new * access.at(v.y, i);
                }
            }
            first += ROWS * step;
        }
    }
    let sum = team::sum::<COLUMNS>(sum);
    if t < COLUMNS && column < n {
        access.at(x, column).store(sum + access.at(v.z, column));
    }
}

/// A block for each row of A, which is as long as x; w has an element for each.
#[inline(always)]
fn team_row(access: impl Access, a: &[AtomicF64], x: &[AtomicF64], w: &[AtomicF64]) {
    let ((row, t, threads), n) = (team::place(), x.len());
    let products = |j| ALPHA * access.at(a, row * n + j).load() * access.at(x, j).load();
    let sum = team::sum::<1>(team::strided(t, threads, n, products));
    if t == 0 {
        let w = access.at(w, row);
        w.store(w.load() + sum);
    }
}

both! {
    fn team_columns, team_columns_unchecked(
        u1: &[f64], v1: &[f64], u2: &[f64], v2: &[f64], y: &[f64], z: &[f64],
        a: &[AtomicF64], x: &[AtomicF64],
    ) = |access, u1, v1, u2, v2, y, z, a, x| team_column(access, Vectors { u1, v1, u2, v2, y, z }, a, x);
    fn team_rows, team_rows_unchecked(
        a: &[AtomicF64], x: &[AtomicF64], w: &[AtomicF64],
    ) = team_row;
}

fn smelt_team(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let data = data(run);
    let a = run.cells_to_device(data.a)?;
    let [u1, v1, u2, v2] = &data.uv;
    let (u1, v1) = (run.to_device(u1)?, run.to_device(v1)?);
    let (u2, v2) = (run.to_device(u2)?, run.to_device(v2)?);
    let (w, x) = (run.cells_to_device(data.w)?, run.cells_to_device(data.x)?);
    let (y, z) = (run.to_device(&data.y)?, run.to_device(&data.z)?);
    let threads = team::threads(run.block);
    let by_row = Grid::blocks(n).threads(threads);
    let by_column = Grid::blocks(n.div_ceil(COLUMNS)).threads(threads);
    run.time(|queue| {
        let args = (&u1, &v1, &u2, &v2, &y, &z, &a, &x);
        launch!(
            queue,
            by_column,
            [team_columns, team_columns_unchecked],
            args
        )?;
        launch!(
            queue,
            by_row,
            [team_rows, team_rows_unchecked],
            (&a, &x, &w)
        )
    })?;
    let w = run.cells_to_host(&w)?;
    Ok(checksum(run, &w))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "team" {
        return smelt_team(run);
    }
    let n = square_side(run.target);
    let data = data(run);
    let mut a = run.to_device(&data.a)?;
    let [u1, v1, u2, v2] = &data.uv;
    let (u1, v1) = (run.to_device(u1)?, run.to_device(v1)?);
    let (u2, v2) = (run.to_device(u2)?, run.to_device(v2)?);
    let (mut w, mut x) = (run.to_device(&data.w)?, run.to_device(&data.x)?);
    let (y, z) = (run.to_device(&data.y)?, run.to_device(&data.z)?);
    let square = Grid::cover((n, n)).block(run.block2());
    let grid = run.cover(n);
    run.time(|queue| {
        let args = (&u1, &v1, &u2, &v2, a.as_2d(n, n));
        launch!(queue, square, [update, update_unchecked], args)?;
        let args = (&a, &y, &mut x);
        launch!(queue, grid, [columns, columns_unchecked], args)?;
        launch!(queue, grid, [add, add_unchecked], (&z, &mut x))?;
        launch!(queue, grid, [rows, rows_unchecked], (&a, &x, &mut w))
    })?;
    let w = run.to_host(&w)?;
    Ok(checksum(run, &w))
}
