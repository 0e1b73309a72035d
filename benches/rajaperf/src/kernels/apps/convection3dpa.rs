//! Apps_CONVECTION3DPA: a finite-element convection operator applied element by element, without
//! being made: the gradient at the quadrature points, times a velocity, and back.

use super::exchange::exchange;
use super::fem::{Field, Matrix, Points, add, constant, matrix};
use crate::prelude::*;

/// Degrees of freedom and quadrature points in each dimension.
const D: usize = 3;
const Q: usize = 4;
const D3: usize = D * D * D;
const Q3: usize = Q * Q * Q;
/// Components of the velocity.
const C: usize = 3;

pub const KERNEL: Kernel = Kernel {
    name: "CONVECTION3DPA",
    group: Group::Apps,
    features: &[Feature::Launch],
    size: 15625 * Q3,
    reps: 50,
    shape: |_, target| shape(target),
    seq,
    smelt,
    block: Q3,
    any_block: false,
    tunings: &[Tuning::sized("block"), Tuning::plain("element")],
    ..Kernel::DEFAULT
};

fn elements(target: usize) -> usize {
    ((target + Q3 / 2) / Q3).max(1)
}

fn shape(target: usize) -> Shape {
    let n = elements(target);
    let gradient = 4 * D3 * Q + 6 * D * D * Q * Q + 6 * D * Q3;
    let back = 2 * D * Q3 + 2 * D * D * Q * Q + (1 + 2 * Q) * D3;
    Shape {
        bytes_read: 8 * (3 * Q * D + (2 * D3 + C * Q3) * n),
        bytes_written: 8 * D3 * n,
        flops: n * (gradient + 5 * Q3 + back),
        ..Shape::of(n * Q3)
    }
}

struct Data {
    /// As b\[d\]\[q\], its transpose, and its derivative.
    basis: Vec<f64>,
    transposed: Vec<f64>,
    derived: Vec<f64>,
    velocity: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (elements(run.target), &mut run.init);
    Data {
        basis: constant(init, Q * D, 1.0),
        transposed: constant(init, Q * D, 1.0),
        derived: constant(init, Q * D, 1.0),
        velocity: constant(init, Q3 * C * n, 1.0),
        x: constant(init, D3 * n, 1.0),
        y: constant(init, D3 * n, 0.0),
    }
}

/// `b[d][q]`, `bt[q][d]`, `g[d][q]`.
#[derive(Clone, Copy)]
struct Bases<'a> {
    b: &'a Matrix<D, Q>,
    bt: &'a Matrix<Q, D>,
    g: &'a Matrix<D, Q>,
}

impl<'a> Bases<'a> {
    /// # Panics
    /// If one has another size.
    #[inline(always)]
    fn new(basis: &'a [f64], transposed: &'a [f64], derived: &'a [f64]) -> Self {
        Self {
            b: matrix(basis),
            bt: matrix(transposed),
            g: matrix(derived),
        }
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        let bases = Bases::new(&it.basis, &it.transposed, &it.derived);
        let x = it.x.as_chunks::<D3>().0;
        let y = it.y.as_chunks_mut::<D3>().0;
        let velocity = it.velocity.as_chunks::<Q3>().0.as_chunks::<C>().0;
        for ((y, x), velocity) in y.iter_mut().zip(x).zip(velocity) {
            element(bases, velocity, x, y);
        }
    });
    Ok(Checksum::of(&it.y))
}

fn element(it: Bases, velocity: &[[f64; Q3]; C], x: &[f64; D3], y: &mut [f64; D3]) {
    let Bases { b, bt, g } = it;
    let mut ddq = [[[[0.0; Q]; D]; D]; 2];
    for (z, y, d) in Points::<D, D, D>::all() {
        let x = x[(z * D + y) * D + d];
        for q in 0..Q {
            ddq[0][z][y][q] += b[d][q] * x;
            ddq[1][z][y][q] += g[d][q] * x;
        }
    }
    let mut dqq = [[[[0.0; Q]; Q]; D]; 3];
    for (z, q, d) in Points::<D, Q, D>::all() {
        for x in 0..Q {
            dqq[0][z][q][x] += b[d][q] * ddq[0][z][d][x];
            dqq[1][z][q][x] += g[d][q] * ddq[0][z][d][x];
            dqq[2][z][q][x] += b[d][q] * ddq[1][z][d][x];
        }
    }
    let mut qqq = [[[[0.0; Q]; Q]; Q]; 3];
    for (q, d, y) in Points::<Q, D, Q>::all() {
        for x in 0..Q {
            qqq[0][q][y][x] += b[d][q] * dqq[2][d][y][x];
            qqq[1][q][y][x] += b[d][q] * dqq[1][d][y][x];
            qqq[2][q][y][x] += g[d][q] * dqq[0][d][y][x];
        }
    }
    let mut dqq = [[[0.0; Q]; Q]; D];
    for (z, y, x) in Points::<Q, Q, Q>::all() {
        let at = (z * Q + y) * Q + x;
        let [u, v, w] = velocity;
        let sum = u[at] * qqq[0][z][y][x] + v[at] * qqq[1][z][y][x] + w[at] * qqq[2][z][y][x];
        for d in 0..D {
            dqq[d][y][x] += bt[z][d] * sum;
        }
    }
    let mut ddq = [[[0.0; Q]; D]; D];
    for (z, q, d) in Points::<D, Q, D>::all() {
        for x in 0..Q {
            ddq[z][d][x] += bt[q][d] * dqq[z][q][x];
        }
    }
    for (z, row, d) in Points::<D, D, D>::all() {
        let sum: f64 = (0..Q).map(|q| bt[q][d] * ddq[z][row][q]).sum();
        y[(z * D + row) * D + d] += sum;
    }
}

/// One element: a thread of its block stands for a point.
#[inline(always)]
fn block_element(it: Bases, from: impl Field, velocity: impl Field, sum: impl FnOnce(usize, f64)) {
    let Bases { b, bt, g } = it;
    let mut exchange = exchange!(3, [Q, Q, Q]);
    let [x, y, z] = exchange.place();
    let (in_x, in_y, in_z) = (x < D, y < D, z < D);
    let mut out = [0.0];
    if in_x && in_y && in_z {
        out = [from.at((z * D + y) * D + x)];
    }
    let [ddd] = exchange.publish(out);
    let mut out = [0.0; 2];
    if in_y && in_z {
        for d in 0..D {
            out[0] += b[d][x] * ddd[z][y][d];
            out[1] += g[d][x] * ddd[z][y][d];
        }
    }
    let [bu, gu] = exchange.publish(out);
    let mut out = [0.0; 3];
    if in_z {
        for d in 0..D {
            out[0] += b[d][y] * bu[z][d][x];
            out[1] += g[d][y] * bu[z][d][x];
            out[2] += b[d][y] * gu[z][d][x];
        }
    }
    let [bbu, gbu, bgu] = exchange.publish(out);
    let mut out = [0.0; 3];
    for d in 0..D {
        out[0] += b[d][z] * bgu[d][y][x];
        out[1] += b[d][z] * gbu[d][y][x];
        out[2] += g[d][z] * bbu[d][y][x];
    }
    // The gradient is this thread's own: no exchange.
    let at = (z * Q + y) * Q + x;
    let [u, v, w] = [
        velocity.at(at),
        velocity.at(Q3 + at),
        velocity.at(2 * Q3 + at),
    ];
    let [qqq] = exchange.publish([u * out[0] + v * out[1] + w * out[2]]);
    let mut out = [0.0];
    if in_z {
        for q in 0..Q {
            out[0] += bt[q][z] * qqq[q][y][x];
        }
    }
    let [dqq] = exchange.publish(out);
    let mut out = [0.0];
    if in_z && in_y {
        for q in 0..Q {
            out[0] += bt[q][y] * dqq[z][q][x];
        }
    }
    let [ddq] = exchange.publish(out);
    if in_x && in_y && in_z {
        let mut out = 0.0;
        for q in 0..Q {
            out += bt[q][x] * ddq[z][y][q];
        }
        sum((z * D + y) * D + x, out);
    }
}

/// A block for each element. No element of `y` is another thread's; it is atomic since no
/// token says so.
fn convection(
    basis: &[f64],
    transposed: &[f64],
    derived: &[f64],
    velocity: &[f64],
    x: &[f64],
    y: &[AtomicF64],
) {
    smelt::launch_bounds::<64, 0>();
    let e = thread::block_index().x as usize;
    let bases = Bases::new(basis, transposed, derived);
    let velocity = &velocity[e * C * Q3..][..C * Q3];
    let (x, y) = (&x[e * D3..][..D3], &y[e * D3..][..D3]);
    block_element(bases, |i| x[i], |i| velocity[i], |i, sum| add(&y[i], sum));
}

fn convection_unchecked(
    basis: &[f64],
    transposed: &[f64],
    derived: &[f64],
    velocity: &[f64],
    x: &[f64],
    y: &[AtomicF64],
) {
    smelt::launch_bounds::<64, 0>();
    let e = thread::block_index().x as usize;
    // SAFETY: the bases have these sizes, and the other arrays a part for each block.
    unsafe {
        let bases = Bases {
            b: &*basis.as_ptr().cast(),
            bt: &*transposed.as_ptr().cast(),
            g: &*derived.as_ptr().cast(),
        };
        block_element(
            bases,
            |i| *x.get_unchecked(e * D3 + i),
            |i| *velocity.get_unchecked(e * C * Q3 + i),
            |i, sum| add(y.get_unchecked(e * D3 + i), sum),
        );
    }
}

/// A thread for each element, whose stages stay in its own memory.
fn by_element(
    basis: &[f64],
    transposed: &[f64],
    derived: &[f64],
    velocity: &[f64],
    x: &[f64],
    mut y: DisjointChunks<f64>,
) {
    smelt::launch_bounds::<64, 0>();
    let t = thread::index();
    let e = t.get();
    if let Some(y) = y.get_mut(t)
        && let Some(y) = y.as_mut_array()
    {
        let bases = Bases::new(basis, transposed, derived);
        let velocity = velocity.as_chunks().0.as_chunks().0;
        element(bases, &velocity[e], &x.as_chunks().0[e], y);
    }
}

fn by_element_unchecked(
    basis: &[f64],
    transposed: &[f64],
    derived: &[f64],
    velocity: &[f64],
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
            let bases = Bases {
                b: &*basis.as_ptr().cast(),
                bt: &*transposed.as_ptr().cast(),
                g: &*derived.as_ptr().cast(),
            };
            let velocity = velocity.as_chunks().0.as_chunks().0;
            element(
                bases,
                velocity.get_unchecked(e),
                x.as_chunks().0.get_unchecked(e),
                y,
            );
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (basis, transposed) = (run.to_device(&it.basis)?, run.to_device(&it.transposed)?);
    let (derived, velocity) = (run.to_device(&it.derived)?, run.to_device(&it.velocity)?);
    let x = run.to_device(&it.x)?;
    let n = elements(run.target);
    if run.tuning == "element" {
        let mut y = run.to_device(&it.y)?;
        let grid = Grid::cover(n).block(64);
        run.time(|queue| {
            let args = (
                &basis,
                &transposed,
                &derived,
                &velocity,
                &x,
                y.by_chunks(D3),
            );
            launch!(queue, grid, [by_element, by_element_unchecked], args)
        })?;
        return Ok(Checksum::of(&run.to_host(&y)?));
    }
    let y = run.cells_to_device(it.y)?;
    let grid = Grid::blocks(n).threads((Q, Q, Q));
    run.time(|queue| {
        let args = (&basis, &transposed, &derived, &velocity, &x, &y);
        launch!(queue, grid, [convection, convection_unchecked], args)
    })?;
    Ok(Checksum::of(&run.cells_to_host(&y)?))
}
