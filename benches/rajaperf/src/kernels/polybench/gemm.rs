//! Polybench_GEMM: C = alpha A B, a thread for each element of C.
//!
//! In tuning `registers` (product.rs) a thread makes several.

use crate::prelude::*;
use crate::product::{self, Product};

pub const KERNEL: Kernel = Kernel {
    name: "GEMM",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 4,
    shape: |_, target| {
        let [n, nk] = extents(target);
        Shape {
            bytes_read: 8 * (2 * n * nk + n * n),
            bytes_written: 8 * n * n,
            flops: (1 + 3 * nk) * n * n,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("registers")],
    ..Kernel::DEFAULT
};

const ALPHA: f64 = 0.62;
const BETA: f64 = 1.002;

/// Rows and columns of C, and the extent that is summed over.
fn extents(target: usize) -> [usize; 2] {
    let n = square_side(target);
    [n, (1.2 * n as f64) as usize]
}

fn data(run: &mut Run) -> [Vec<f64>; 3] {
    let ([n, nk], init) = (extents(run.target), &mut run.init);
    [
        init.data(n * nk),
        init.data(nk * n),
        init.constant(n * n, 0.0),
    ]
}

fn checksum(run: &Run, c: &[f64]) -> Checksum {
    Checksum::new().scaled(c, 0.001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [n, nk] = extents(run.target);
    let [a, b, mut c] = data(run);
    // Row by row of B: the same sums in the same order, but consecutive memory.
    run.time_host(|| {
        for (c, a) in c.chunks_exact_mut(n).zip(a.chunks_exact(nk)) {
            c.fill(0.0);
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                for (c, b) in c.iter_mut().zip(b) {
                    *c += ALPHA * a * b;
                }
            }
        }
    });
    Ok(checksum(run, &c))
}

fn gemm(a: &[f64], b: &[f64], mut c: DisjointMut2<f64>, nk: usize) {
    let t = thread::index2();
    let (j, i) = t.get();
    let nj = c.columns();
    if let Some(c) = c.get_mut(t) {
        *c *= BETA;
        let mut dot = 0.0;
        for (a, b) in a[i * nk..][..nk].iter().zip(b.chunks_exact(nj)) {
            dot += ALPHA * a * b[j];
        }
        *c = dot;
    }
}

fn gemm_unchecked(a: &[f64], b: &[f64], mut c: DisjointMut2<f64>, nk: usize) {
    let (j, i) = thread::index2().get();
    let nj = c.columns();
    if i < c.rows() && j < nj {
        // SAFETY: A has c's rows of nk, B nk rows of c's columns; the element of c is
        // inside, and this thread's.
        unsafe {
            let c = c.as_mut_ptr().add(j + i * nj);
            *c *= BETA;
            let mut dot = 0.0;
            for k in 0..nk {
                dot += ALPHA * a.get_unchecked(k + i * nk) * b.get_unchecked(j + k * nj);
            }
            *c = dot;
        }
    }
}

fn smelt_registers(run: &mut Run) -> smelt::Result<Checksum> {
    let [n, nk] = extents(run.target);
    let [a, b, c] = data(run);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let mut c = run.to_device(&c)?;
    let it = Product {
        factor: ALPHA,
        ..Product::of(n, nk, n)
    };
    run.time(|queue| product::launch(queue, it, &a, &b, &mut c))?;
    let c = run.to_host(&c)?;
    Ok(checksum(run, &c))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "registers" {
        return smelt_registers(run);
    }
    let [n, nk] = extents(run.target);
    let [a, b, c] = data(run);
    let (a, b, mut c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    run.time(|queue| {
        let args = (&a, &b, c.as_2d(n, n), nk);
        launch!(queue, grid, [gemm, gemm_unchecked], args)
    })?;
    let c = run.to_host(&c)?;
    Ok(checksum(run, &c))
}
