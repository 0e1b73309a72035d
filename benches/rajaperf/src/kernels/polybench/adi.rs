//! Polybench_ADI: the alternating direction implicit method, columns and rows of a square in turn, a thread
//! solving each by elimination and back substitution.
//!
//! Tuning `ahead` loads what the next steps need before it makes these, since a thread has a thousand steps
//! that depend on each other and hardly any neighbour to hide its latencies behind; blocks are single
//! warps, to be spread over the device.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "ADI",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 16,
    shape: |_, target| {
        let n = side(target);
        let m = n - 2;
        Shape {
            iterations: 2 * m,
            kernels: 2,
            bytes_read: 8 * 6 * n * m,
            bytes_written: 8 * 6 * m * m,
            flops: 30 * m * m,
            ..Shape::of(m * m)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("ahead")],
    bounded: true,
    ..Kernel::DEFAULT
};

/// Steps in time that make up the unit of time.
const STEPS: f64 = 4.0;

/// Of the square with its border.
fn side(target: usize) -> usize {
    square_side(target) + 2
}

/// One direction: the coefficients of the system that is solved (`a` beside its diagonal,
/// `b` on it), and of the other direction, which is explicit.
#[derive(Clone, Copy, DeviceCopy)]
struct Coefficients {
    a: f64,
    b: f64,
    other: f64,
}

impl Coefficients {
    /// For columns and for rows.
    fn of(n: usize, steps: f64) -> [Self; 2] {
        let (step, time) = (1.0 / n as f64, 1.0 / steps);
        let [twice, once] = [2.0, 1.0].map(|factor| factor * time / (step * step));
        let (a, d) = (-twice / 2.0, -once / 2.0);
        [
            Self {
                a,
                b: 1.0 + twice,
                other: d,
            },
            Self {
                a: d,
                b: 1.0 + once,
                other: a,
            },
        ]
    }

    /// The next p and q of the elimination, from those before and three values across.
    #[inline(always)]
    fn eliminate(&self, [p, q]: [f64; 2], [before, here, after]: [f64; 3]) -> [f64; 2] {
        let Self { a, b, other } = *self;
        let explicit = -other * before + (1.0 + 2.0 * other) * here - other * after;
        [-a / (a * p + b), (explicit - a * q) / (a * p + b)]
    }
}

/// U, V, P, Q.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let (n, init) = (side(run.target), &mut run.init);
    [
        init.constant(n * n, 0.0),
        init.data(n * n),
        init.data(n * n),
        init.data(n * n),
    ]
}

fn checksum(run: &Run, u: &[f64]) -> Checksum {
    Checksum::new().scaled(u, 0.0000001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [columns, rows] = Coefficients::of(n, STEPS);
    let [mut u, mut v, mut p, mut q] = data(run);
    run.time_host(|| {
        for i in 1..n - 1 {
            let (p, q) = (&mut p[i * n..][..n], &mut q[i * n..][..n]);
            v[i] = 1.0;
            [p[0], q[0]] = [0.0, 1.0];
            for j in 1..n - 1 {
                let across = [u[j * n + i - 1], u[j * n + i], u[j * n + i + 1]];
                [p[j], q[j]] = columns.eliminate([p[j - 1], q[j - 1]], across);
            }
            v[(n - 1) * n + i] = 1.0;
            for k in (1..n - 1).rev() {
                v[k * n + i] = p[k] * v[(k + 1) * n + i] + q[k];
            }
        }
        for i in 1..n - 1 {
            let (p, q) = (&mut p[i * n..][..n], &mut q[i * n..][..n]);
            let [before, here, after] = [i - 1, i, i + 1].map(|i| &v[i * n..][..n]);
            let u = &mut u[i * n..][..n];
            u[0] = 1.0;
            [p[0], q[0]] = [0.0, 1.0];
            for j in 1..n - 1 {
                let across = [before[j], here[j], after[j]];
                [p[j], q[j]] = rows.eliminate([p[j - 1], q[j - 1]], across);
            }
            u[n - 1] = 1.0;
            for k in (1..n - 1).rev() {
                u[k] = p[k] * u[k + 1] + q[k];
            }
        }
    });
    Ok(checksum(run, &u))
}

/// Columns of V from rows of U. V lies transposed, so that a thread's column of it is a chunk.
fn columns(
    u: &[f64],
    n: usize,
    it: Coefficients,
    mut v: DisjointChunks<f64>,
    mut p: DisjointChunks<f64>,
    mut q: DisjointChunks<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if i == 0 || i + 1 >= n {
        return;
    }
    if let (Some(v), Some(p), Some(q)) = (v.get_mut(t), p.get_mut(t), q.get_mut(t)) {
        let (v, p, q) = (&mut v[..n], &mut p[..n], &mut q[..n]);
        v[0] = 1.0;
        [p[0], q[0]] = [0.0, v[0]];
        for (j, u) in u.chunks_exact(n).enumerate().take(n - 1).skip(1) {
            let across = [u[i - 1], u[i], u[i + 1]];
            [p[j], q[j]] = it.eliminate([p[j - 1], q[j - 1]], across);
        }
        v[n - 1] = 1.0;
        for k in (1..n - 1).rev() {
            v[k] = p[k] * v[k + 1] + q[k];
        }
    }
}

/// Rows of U from columns of V.
fn rows(
    v: &[f64],
    n: usize,
    it: Coefficients,
    mut u: DisjointChunks<f64>,
    mut p: DisjointChunks<f64>,
    mut q: DisjointChunks<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if i == 0 || i + 1 >= n {
        return;
    }
    if let (Some(u), Some(p), Some(q)) = (u.get_mut(t), p.get_mut(t), q.get_mut(t)) {
        let (u, p, q) = (&mut u[..n], &mut p[..n], &mut q[..n]);
        u[0] = 1.0;
        [p[0], q[0]] = [0.0, u[0]];
        for (j, v) in v.chunks_exact(n).enumerate().take(n - 1).skip(1) {
            let across = [v[i - 1], v[i], v[i + 1]];
            [p[j], q[j]] = it.eliminate([p[j - 1], q[j - 1]], across);
        }
        u[n - 1] = 1.0;
        for k in (1..n - 1).rev() {
            u[k] = p[k] * u[k + 1] + q[k];
        }
    }
}

/// Steps that a thread of `ahead` loads at once.
const AHEAD: usize = 8;

/// A thread's system: `to` from columns i - 1, i and i + 1 of `from`, which has rows of n; p, q
/// and `to` have n elements. Indices are of rows and columns inside.
#[inline(always)]
fn line_ahead(
    access: impl Access,
    it: Coefficients,
    (from, i): (&[f64], usize),
    [to, p, q]: [&mut [f64]; 3],
) {
    let n = to.len();
    // The last may load rows twice rather than rows that are not there.
    let load = |first: usize| -> [[f64; 3]; AHEAD] {
        std::array::from_fn(|s| {
            let at = (first + s).min(n - 1) * n + i;
            [at - 1, at, at + 1].map(|at| *access.at(from, at))
        })
    };
    let mut last = [0.0, 1.0];
    *access.at_mut(to, 0) = 1.0;
    (*access.at_mut(p, 0), *access.at_mut(q, 0)) = (0.0, 1.0);
    let mut next = load(1);
    let mut first = 1;
    while first < n - 1 {
        let rows = next;
        next = load(first + AHEAD);
        for (s, across) in rows.into_iter().enumerate() {
            if first + s < n - 1 {
                last = it.eliminate(last, across);
                (*access.at_mut(p, first + s), *access.at_mut(q, first + s)) = (last[0], last[1]);
            }
        }
        first += AHEAD;
    }
    let mut value = 1.0;
    *access.at_mut(to, n - 1) = value;
    // Backwards, and below 1 not at all.
    let mut end = n - 1;
    while end > 1 {
        let at = |s: usize| end.saturating_sub(1 + s).max(1);
        let ps: [f64; 2 * AHEAD] = std::array::from_fn(|s| *access.at(p, at(s)));
        let qs: [f64; 2 * AHEAD] = std::array::from_fn(|s| *access.at(q, at(s)));
        for (s, (p, q)) in ps.into_iter().zip(qs).enumerate() {
            if end > 1 + s {
                value = p * value + q;
                *access.at_mut(to, end - 1 - s) = value;
            }
        }
        end = end.saturating_sub(2 * AHEAD);
    }
}

/// Both directions, since V lies transposed.
fn ahead(
    from: &[f64],
    n: usize,
    it: Coefficients,
    mut to: DisjointChunks<f64>,
    mut p: DisjointChunks<f64>,
    mut q: DisjointChunks<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if i == 0 || i + 1 >= n {
        return;
    }
    if let (Some(to), Some(p), Some(q)) = (to.get_mut(t), p.get_mut(t), q.get_mut(t)) {
        let lines = [&mut to[..n], &mut p[..n], &mut q[..n]];
        line_ahead(crate::access::Checked, it, (from, i), lines);
    }
}

fn ahead_unchecked(
    from: &[f64],
    n: usize,
    it: Coefficients,
    mut to: DisjointChunks<f64>,
    mut p: DisjointChunks<f64>,
    mut q: DisjointChunks<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if i == 0 || i + 1 >= n {
        return;
    }
    if let (Some(to), Some(p), Some(q)) = (to.get_mut(t), p.get_mut(t), q.get_mut(t)) {
        // SAFETY: chunks have n elements, and line_ahead's indices are right.
        let access = unsafe { crate::access::Unchecked::new() };
        line_ahead(access, it, (from, i), [to, p, q]);
    }
}

/// Columns of V from rows of U.
fn columns_unchecked(
    u: &[f64],
    n: usize,
    it: Coefficients,
    mut v: DisjointMut<f64>,
    mut p: DisjointMut<f64>,
    mut q: DisjointMut<f64>,
) {
    let i = thread::index().get() + 1;
    if i + 1 >= n {
        return;
    }
    // SAFETY: all are squares of side n and i is inside; of V only column i is written, of
    // P and Q only row i, by this thread.
    unsafe {
        let (u, v) = (u.as_ptr().add(i), v.as_mut_ptr().add(i));
        let (p, q) = (p.as_mut_ptr().add(i * n), q.as_mut_ptr().add(i * n));
        *v = 1.0;
        *p = 0.0;
        *q = *v;
        for j in 1..n - 1 {
            let u = u.add(j * n);
            let across = [*u.sub(1), *u, *u.add(1)];
            [*p.add(j), *q.add(j)] = it.eliminate([*p.add(j - 1), *q.add(j - 1)], across);
        }
        *v.add((n - 1) * n) = 1.0;
        for k in (1..n - 1).rev() {
            *v.add(k * n) = *p.add(k) * *v.add((k + 1) * n) + *q.add(k);
        }
    }
}

/// Rows of U from columns of V.
fn rows_unchecked(
    v: &[f64],
    n: usize,
    it: Coefficients,
    mut u: DisjointMut<f64>,
    mut p: DisjointMut<f64>,
    mut q: DisjointMut<f64>,
) {
    let i = thread::index().get() + 1;
    if i + 1 >= n {
        return;
    }
    // SAFETY: all are squares of side n and i is inside; only row i of U, P and Q is
    // written, by this thread.
    unsafe {
        let (u, v) = (u.as_mut_ptr().add(i * n), v.as_ptr().add(i * n));
        let (p, q) = (p.as_mut_ptr().add(i * n), q.as_mut_ptr().add(i * n));
        *u = 1.0;
        *p = 0.0;
        *q = *u;
        for j in 1..n - 1 {
            let v = v.add(j);
            let across = [*v.sub(n), *v, *v.add(n)];
            [*p.add(j), *q.add(j)] = it.eliminate([*p.add(j - 1), *q.add(j - 1)], across);
        }
        *u.add(n - 1) = 1.0;
        for k in (1..n - 1).rev() {
            *u.add(k) = *p.add(k) * *u.add(k + 1) + *q.add(k);
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [by_columns, by_rows] = Coefficients::of(n, STEPS);
    let [u, v, p, q] = data(run);
    let (mut u, mut v) = (run.to_device(&u)?, run.to_device(&v)?);
    let (mut p, mut q) = (run.to_device(&p)?, run.to_device(&q)?);
    let (all, inner) = (run.cover(n), run.cover(n - 2));
    let (ahead_too, warps) = (run.tuning == "ahead", Grid::cover(n).block(32));
    run.time(|queue| {
        let gpu = queue.gpu;
        if ahead_too {
            let [v_, p_, q_] = [&mut v, &mut p, &mut q].map(|m| m.by_chunks(n));
            let args = (&u, n, by_columns, v_, p_, q_);
            launch!(queue, warps, [ahead, ahead_unchecked], args)?;
            let [u_, p_, q_] = [&mut u, &mut p, &mut q].map(|m| m.by_chunks(n));
            let args = (&v, n, by_rows, u_, p_, q_);
            launch!(queue, warps, [ahead, ahead_unchecked], args)
        } else if queue.safe {
            let [v_, p_, q_] = [&mut v, &mut p, &mut q].map(|m| m.by_chunks(n));
            gpu.launch(all, columns, (&u, n, by_columns, v_, p_, q_))?;
            let [u_, p_, q_] = [&mut u, &mut p, &mut q].map(|m| m.by_chunks(n));
            gpu.launch(all, rows, (&v, n, by_rows, u_, p_, q_))
        } else {
            let args = (&u, n, by_columns, &mut v, &mut p, &mut q);
            gpu.launch(inner, columns_unchecked, args)?;
            let args = (&v, n, by_rows, &mut u, &mut p, &mut q);
            gpu.launch(inner, rows_unchecked, args)
        }
    })?;
    let u = run.to_host(&u)?;
    Ok(checksum(run, &u))
}
