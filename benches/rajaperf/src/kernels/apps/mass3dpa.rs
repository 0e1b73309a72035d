//! Apps_MASS3DPA: a finite-element mass matrix applied element by element, without being made:
//! to the quadrature points along x, y and z, times their weights, and back.

use super::exchange::exchange;
use super::fem::{Field, Matrix, Points, add, constant, matrix};
use crate::prelude::*;

/// Degrees of freedom and quadrature points in each dimension.
const D: usize = 4;
const Q: usize = 5;
const D3: usize = D * D * D;
const Q3: usize = Q * Q * Q;

pub const KERNEL: Kernel = Kernel {
    name: "MASS3DPA",
    group: Group::Apps,
    features: &[Feature::Launch],
    size: 8000 * Q3,
    reps: 50,
    shape: |_, target| shape(target),
    seq,
    smelt,
    block: Q * Q,
    any_block: false,
    tunings: &[Tuning::sized("block"), Tuning::plain("element")],
    ..Kernel::DEFAULT
};

fn elements(target: usize) -> usize {
    ((target + Q3 / 2) / Q3).max(1)
}

fn shape(target: usize) -> Shape {
    let n = elements(target);
    let there = D * D * D * Q + D * D * Q * Q + D * Q * Q * Q;
    Shape {
        bytes_read: 8 * (2 * Q * D + (2 * D3 + Q3) * n),
        bytes_written: 8 * D3 * n,
        flops: n * (2 * there + Q3 + 2 * there + D3),
        ..Shape::of(n * Q3)
    }
}

struct Data {
    /// B\[d\]\[q\] and its transpose.
    basis: Vec<f64>,
    transposed: Vec<f64>,
    weights: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (elements(run.target), &mut run.init);
    Data {
        basis: constant(init, Q * D, 1.0),
        transposed: constant(init, Q * D, 1.0),
        weights: constant(init, Q3 * n, 1.0),
        x: constant(init, D3 * n, 1.0),
        y: constant(init, D3 * n, 0.0),
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        let (basis, transposed) = (matrix(&it.basis), matrix(&it.transposed));
        let x = it.x.as_chunks::<D3>().0;
        let y = it.y.as_chunks_mut::<D3>().0;
        let weights = it.weights.as_chunks::<Q3>().0;
        for ((y, x), weights) in y.iter_mut().zip(x).zip(weights) {
            element(basis, transposed, weights, x, y);
        }
    });
    Ok(Checksum::of(&it.y))
}

fn element(
    b: &Matrix<D, Q>,
    bt: &Matrix<Q, D>,
    weights: &[f64; Q3],
    x: &[f64; D3],
    y: &mut [f64; D3],
) {
    let mut ddq = [[[0.0; Q]; D]; D];
    for (z, y, d) in Points::<D, D, D>::all() {
        for q in 0..Q {
            ddq[z][y][q] += x[(z * D + y) * D + d] * b[d][q];
        }
    }
    let mut dqq = [[[0.0; Q]; Q]; D];
    for (z, q, d) in Points::<D, Q, D>::all() {
        for x in 0..Q {
            dqq[z][q][x] += ddq[z][d][x] * b[d][q];
        }
    }
    let mut qqq = [[[0.0; Q]; Q]; Q];
    for (q, d, y) in Points::<Q, D, Q>::all() {
        for x in 0..Q {
            qqq[q][y][x] += dqq[d][y][x] * b[d][q];
        }
    }
    let mut qqd = [[[0.0; D]; Q]; Q];
    for (z, y, q) in Points::<Q, Q, Q>::all() {
        let value = qqq[z][y][q] * weights[(z * Q + y) * Q + q];
        for d in 0..D {
            qqd[z][y][d] += value * bt[q][d];
        }
    }
    let mut qdd = [[[0.0; D]; D]; Q];
    for (z, q, d) in Points::<Q, Q, D>::all() {
        for x in 0..D {
            qdd[z][d][x] += qqd[z][q][x] * bt[q][d];
        }
    }
    for (d, row, x) in Points::<D, D, D>::all() {
        let sum: f64 = (0..Q).map(|q| qdd[q][row][x] * bt[q][d]).sum();
        y[(d * D + row) * D + x] += sum;
    }
}

/// One element: its block's threads stand for x and y, z is in registers.
#[inline(always)]
fn block_element(
    b: &Matrix<D, Q>,
    bt: &Matrix<Q, D>,
    weight: impl Field,
    from: impl Field,
    add: impl Fn(usize, f64),
) {
    let mut exchange = exchange!(Q, [Q, Q, 1]);
    let [x, y, _] = exchange.place();
    let column: [f64; D] = if x < D && y < D {
        std::array::from_fn(|z| from.at((z * D + y) * D + x))
    } else {
        [0.0; D]
    };
    let ddd = exchange.publish(column);
    let column: [f64; D] = if y < D {
        std::array::from_fn(|z| (0..D).map(|d| ddd[z][0][y][d] * b[d][x]).sum())
    } else {
        [0.0; D]
    };
    let ddq = exchange.publish(column);
    let column: [f64; D] = std::array::from_fn(|z| (0..D).map(|d| ddq[z][0][d][x] * b[d][y]).sum());
    // Along z a thread has all there is: no exchange.
    let column: [f64; Q] = std::array::from_fn(|q| {
        let sum: f64 = (0..D).map(|d| column[d] * b[d][q]).sum();
        sum * weight.at((q * Q + y) * Q + x)
    });
    let qqq = exchange.publish(column);
    let column: [f64; Q] = if x < D {
        std::array::from_fn(|z| (0..Q).map(|q| qqq[z][0][y][q] * bt[q][x]).sum())
    } else {
        [0.0; Q]
    };
    let qqd = exchange.publish(column);
    if x < D && y < D {
        let column: [f64; Q] =
            std::array::from_fn(|z| (0..Q).map(|q| qqd[z][0][q][x] * bt[q][y]).sum());
        for z in 0..D {
            let sum = (0..Q).map(|q| column[q] * bt[q][z]).sum();
            add((z * D + y) * D + x, sum);
        }
    }
}

/// A block for each element. No element of `y` is another thread's; it is atomic since no
/// token says so.
fn mass3dpa(basis: &[f64], transposed: &[f64], weights: &[f64], x: &[f64], y: &[AtomicF64]) {
    smelt::launch_bounds::<{ (Q * Q) as u32 }, 0>();
    let (basis, transposed) = (matrix(basis), matrix(transposed));
    let e = thread::block_index().x as usize;
    let (weights, x, y) = (
        &weights[e * Q3..][..Q3],
        &x[e * D3..][..D3],
        &y[e * D3..][..D3],
    );
    block_element(
        basis,
        transposed,
        |i| weights[i],
        |i| x[i],
        |i, sum| add(&y[i], sum),
    );
}

fn mass3dpa_unchecked(
    basis: &[f64],
    transposed: &[f64],
    weights: &[f64],
    x: &[f64],
    y: &[AtomicF64],
) {
    smelt::launch_bounds::<{ (Q * Q) as u32 }, 0>();
    let e = thread::block_index().x as usize;
    // SAFETY: the bases have these sizes, and the other arrays a part for each block.
    unsafe {
        block_element(
            &*basis.as_ptr().cast(),
            &*transposed.as_ptr().cast(),
            |i| *weights.get_unchecked(e * Q3 + i),
            |i| *x.get_unchecked(e * D3 + i),
            |i, sum| add(y.get_unchecked(e * D3 + i), sum),
        )
    }
}

/// A thread for each element, whose stages stay in its own memory.
fn by_element(
    basis: &[f64],
    transposed: &[f64],
    weights: &[f64],
    x: &[f64],
    mut y: DisjointChunks<f64>,
) {
    smelt::launch_bounds::<64, 0>();
    let t = thread::index();
    let e = t.get();
    if let Some(y) = y.get_mut(t)
        && let Some(y) = y.as_mut_array()
    {
        let (b, bt) = (matrix(basis), matrix(transposed));
        element(b, bt, &weights.as_chunks().0[e], &x.as_chunks().0[e], y);
    }
}

fn by_element_unchecked(
    basis: &[f64],
    transposed: &[f64],
    weights: &[f64],
    x: &[f64],
    mut y: DisjointChunks<f64>,
) {
    smelt::launch_bounds::<64, 0>();
    let t = thread::index();
    let e = t.get();
    if let Some(y) = y.get_mut(t) {
        // SAFETY: the bases have these sizes, and the other arrays a part for each element.
        unsafe {
            let y = &mut *y.as_mut_ptr().cast();
            element(
                &*basis.as_ptr().cast(),
                &*transposed.as_ptr().cast(),
                weights.as_chunks().0.get_unchecked(e),
                x.as_chunks().0.get_unchecked(e),
                y,
            );
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (basis, transposed) = (run.to_device(&it.basis)?, run.to_device(&it.transposed)?);
    let (weights, x) = (run.to_device(&it.weights)?, run.to_device(&it.x)?);
    let n = elements(run.target);
    if run.tuning == "element" {
        let mut y = run.to_device(&it.y)?;
        let grid = Grid::cover(n).block(64);
        run.time(|queue| {
            let args = (&basis, &transposed, &weights, &x, y.by_chunks(D3));
            launch!(queue, grid, [by_element, by_element_unchecked], args)
        })?;
        return Ok(Checksum::of(&run.to_host(&y)?));
    }
    let y = run.cells_to_device(it.y)?;
    let grid = Grid::blocks(n).threads((Q, Q, 1));
    run.time(|queue| {
        let args = (&basis, &transposed, &weights, &x, &y);
        launch!(queue, grid, [mass3dpa, mass3dpa_unchecked], args)
    })?;
    Ok(Checksum::of(&run.cells_to_host(&y)?))
}
