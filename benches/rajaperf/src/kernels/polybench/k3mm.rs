//! Polybench_3MM: E = A B, F = C D, G = E F, a thread for each element.
//!
//! In tuning `registers` (product.rs) a thread makes several.

use crate::prelude::*;
use crate::product::{self, Product};

pub const KERNEL: Kernel = Kernel {
    name: "3MM",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 2,
    shape: |_, target| {
        let [n, nk, nm] = extents(target);
        Shape {
            iterations: 3 * n * n,
            kernels: 3,
            bytes_read: 8 * (2 * n * nk + 2 * n * nm + 2 * n * n),
            bytes_written: 8 * 3 * n * n,
            flops: 2 * n * n * (nk + nm + n),
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("registers")],
    ..Kernel::DEFAULT
};

/// Extent of all matrices, but for those summed over in the first and second product.
fn extents(target: usize) -> [usize; 3] {
    let n = square_side(target);
    [n, (1.01 * n as f64) as usize, (1.2 * n as f64) as usize]
}

/// A, B, C, D.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let ([n, nk, nm], init) = (extents(run.target), &mut run.init);
    [n * nk, nk * n, n * nm, nm * n].map(|len| init.data(len))
}

/// E, F, G.
fn results(run: &mut Run) -> [Vec<f64>; 3] {
    let (n, init) = (square_side(run.target), &mut run.init);
    [0; 3].map(|_| init.constant(n * n, 0.0))
}

fn checksum(run: &Run, g: &[f64]) -> Checksum {
    Checksum::new().scaled(g, 0.000000001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [a, b, c, d] = data(run);
    let [mut e, mut f, mut g] = results(run);
    // Row by row of the right factor: the same sums in the same order, but consecutive memory.
    let product = |to: &mut [f64], a: &[f64], b: &[f64]| {
        for (to, a) in to.chunks_exact_mut(n).zip(a.chunks_exact(b.len() / n)) {
            to.fill(0.0);
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                for (to, b) in to.iter_mut().zip(b) {
                    *to += a * b;
                }
            }
        }
    };
    run.time_host(|| {
        product(&mut e, &a, &b);
        product(&mut f, &c, &d);
        product(&mut g, &e, &f);
    });
    Ok(checksum(run, &g))
}

fn product(a: &[f64], b: &[f64], mut to: DisjointMut2<f64>, nk: usize) {
    let t = thread::index2();
    let (j, i) = t.get();
    let nj = to.columns();
    if let Some(to) = to.get_mut(t) {
        let mut dot = 0.0;
        for (a, b) in a[i * nk..][..nk].iter().zip(b.chunks_exact(nj)) {
            dot += a * b[j];
        }
        *to = dot;
    }
}

fn product_unchecked(a: &[f64], b: &[f64], mut to: DisjointMut2<f64>, nk: usize) {
    let (j, i) = thread::index2().get();
    let nj = to.columns();
    if i < to.rows() && j < nj {
        let mut dot = 0.0;
        // SAFETY: the left factor has rows of nk, the right nk rows of the product's
        // columns; the element of the product is inside, and this thread's.
        unsafe {
            for k in 0..nk {
                dot += a.get_unchecked(k + i * nk) * b.get_unchecked(j + k * nj);
            }
            *to.as_mut_ptr().add(j + i * nj) = dot;
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [n, nk, nm] = extents(run.target);
    let [a, b, c, d] = data(run);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let (c, d) = (run.to_device(&c)?, run.to_device(&d)?);
    let [e, f, g] = results(run);
    let (mut e, mut f, mut g) = (run.to_device(&e)?, run.to_device(&f)?, run.to_device(&g)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    let registers = run.tuning == "registers";
    run.time(|queue| {
        if registers {
            product::launch(queue, Product::of(n, nk, n), &a, &b, &mut e)?;
            product::launch(queue, Product::of(n, nm, n), &c, &d, &mut f)?;
            return product::launch(queue, Product::of(n, n, n), &e, &f, &mut g);
        }
        let args = (&a, &b, e.as_2d(n, n), nk);
        launch!(queue, grid, [product, product_unchecked], args)?;
        let args = (&c, &d, f.as_2d(n, n), nm);
        launch!(queue, grid, [product, product_unchecked], args)?;
        let args = (&e, &f, g.as_2d(n, n), n);
        launch!(queue, grid, [product, product_unchecked], args)
    })?;
    let g = run.to_host(&g)?;
    Ok(checksum(run, &g))
}
