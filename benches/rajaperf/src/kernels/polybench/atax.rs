//! Polybench_ATAX: tmp = A x, then y = A^T tmp.

use crate::prelude::*;

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

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
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
