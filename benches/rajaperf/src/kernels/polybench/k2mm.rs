//! Polybench_2MM: tmp = alpha A B, then D = tmp C + beta, a thread for each element.
//!
//! In tuning `registers` (product.rs) a thread makes several.

use crate::prelude::*;
use crate::product::{self, Product};

pub const KERNEL: Kernel = Kernel {
    name: "2MM",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 2,
    shape: |_, target| {
        let [n, nk] = extents(target);
        Shape {
            iterations: 2 * n * n,
            kernels: 2,
            bytes_read: 8 * (2 * n * nk + 2 * n * n),
            bytes_written: 8 * 2 * n * n,
            flops: 3 * n * n * nk + 2 * n * n * n,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("registers")],
    ..Kernel::DEFAULT
};

const ALPHA: f64 = 1.5;
const BETA: f64 = 1.2;

/// Extent of all matrices, but for the one summed over in the first product.
fn extents(target: usize) -> [usize; 2] {
    let n = square_side(target);
    [n, (1.12 * n as f64) as usize]
}

/// tmp, A, B, C, D.
fn data(run: &mut Run) -> [Vec<f64>; 5] {
    let ([n, nk], init) = (extents(run.target), &mut run.init);
    [
        init.data(n * n),
        init.data(n * nk),
        init.data(nk * n),
        init.data(n * n),
        init.constant(n * n, 0.0),
    ]
}

fn checksum(run: &Run, d: &[f64]) -> Checksum {
    Checksum::new().scaled(d, 0.000001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [n, nk] = extents(run.target);
    let [mut tmp, a, b, c, mut d] = data(run);
    // Row by row of the right factor: the same sums in the same order, but consecutive memory.
    let product = |to: &mut [f64], first: f64, factor: f64, a: &[f64], b: &[f64]| {
        let nk = b.len() / n;
        for (to, a) in to.chunks_exact_mut(n).zip(a.chunks_exact(nk)) {
            to.fill(first);
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                for (to, b) in to.iter_mut().zip(b) {
                    *to += factor * a * b;
                }
            }
        }
    };
    debug_assert_eq!(b.len(), nk * n);
    run.time_host(|| {
        product(&mut tmp, 0.0, ALPHA, &a, &b);
        product(&mut d, BETA, 1.0, &tmp, &c);
    });
    Ok(checksum(run, &d))
}

fn first(a: &[f64], b: &[f64], mut tmp: DisjointMut2<f64>, nk: usize) {
    let t = thread::index2();
    let (j, i) = t.get();
    let nj = tmp.columns();
    if let Some(tmp) = tmp.get_mut(t) {
        let mut dot = 0.0;
        for (a, b) in a[i * nk..][..nk].iter().zip(b.chunks_exact(nj)) {
            dot += ALPHA * a * b[j];
        }
        *tmp = dot;
    }
}

fn first_unchecked(a: &[f64], b: &[f64], mut tmp: DisjointMut2<f64>, nk: usize) {
    let (j, i) = thread::index2().get();
    let nj = tmp.columns();
    if i < tmp.rows() && j < nj {
        let mut dot = 0.0;
        // SAFETY: A has tmp's rows of nk, B nk rows of tmp's columns; the element of tmp
        // is inside, and this thread's.
        unsafe {
            for k in 0..nk {
                dot += ALPHA * a.get_unchecked(k + i * nk) * b.get_unchecked(j + k * nj);
            }
            *tmp.as_mut_ptr().add(j + i * nj) = dot;
        }
    }
}

fn second(tmp: &[f64], c: &[f64], mut d: DisjointMut2<f64>, nj: usize) {
    let t = thread::index2();
    let (l, i) = t.get();
    let nl = d.columns();
    if let Some(d) = d.get_mut(t) {
        let mut dot = BETA;
        for (tmp, c) in tmp[i * nj..][..nj].iter().zip(c.chunks_exact(nl)) {
            dot += tmp * c[l];
        }
        *d = dot;
    }
}

fn second_unchecked(tmp: &[f64], c: &[f64], mut d: DisjointMut2<f64>, nj: usize) {
    let (l, i) = thread::index2().get();
    let nl = d.columns();
    if i < d.rows() && l < nl {
        let mut dot = BETA;
        // SAFETY: tmp has d's rows of nj, C nj rows of d's columns; the element of d
        // is inside, and this thread's.
        unsafe {
            for j in 0..nj {
                dot += tmp.get_unchecked(j + i * nj) * c.get_unchecked(l + j * nl);
            }
            *d.as_mut_ptr().add(l + i * nl) = dot;
        }
    }
}

fn smelt_registers(run: &mut Run) -> smelt::Result<Checksum> {
    let [n, nk] = extents(run.target);
    let [tmp, a, b, c, d] = data(run);
    let (mut tmp, mut d) = (run.to_device(&tmp)?, run.to_device(&d)?);
    let (a, b, c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let first = Product {
        factor: ALPHA,
        ..Product::of(n, nk, n)
    };
    let second = Product {
        first: BETA,
        ..Product::of(n, n, n)
    };
    run.time(|queue| {
        product::launch(queue, first, &a, &b, &mut tmp)?;
        product::launch(queue, second, &tmp, &c, &mut d)
    })?;
    let d = run.to_host(&d)?;
    Ok(checksum(run, &d))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "registers" {
        return smelt_registers(run);
    }
    let [n, nk] = extents(run.target);
    let [tmp, a, b, c, d] = data(run);
    let (mut tmp, mut d) = (run.to_device(&tmp)?, run.to_device(&d)?);
    let (a, b, c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    run.time(|queue| {
        let args = (&a, &b, tmp.as_2d(n, n), nk);
        launch!(queue, grid, [first, first_unchecked], args)?;
        let args = (&tmp, &c, d.as_2d(n, n), n);
        launch!(queue, grid, [second, second_unchecked], args)
    })?;
    let d = run.to_host(&d)?;
    Ok(checksum(run, &d))
}
