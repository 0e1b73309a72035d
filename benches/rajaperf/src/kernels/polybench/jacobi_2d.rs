//! Polybench_JACOBI_2D: each inner element becomes the mean of itself and its four neighbours, from
//! one square to the other and back.

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

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
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
