//! Apps_DIFFUSION3DPA: a finite-element diffusion operator applied element by element, without
//! being made: the gradient at the quadrature points, times a symmetric tensor, and back.

use super::exchange::exchange;
use super::fem::{Field, Matrix, Points, add, constant, matrix};
use crate::prelude::*;

/// Degrees of freedom and quadrature points in each dimension.
const D: usize = 3;
const Q: usize = 4;
const D3: usize = D * D * D;
const Q3: usize = Q * Q * Q;
/// Different components of the tensor: xx, xy, xz, yy, yz, zz.
const S: usize = 6;

pub const KERNEL: Kernel = Kernel {
    name: "DIFFUSION3DPA",
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
    let gradient = 5 * D3 * Q + 7 * D * D * Q * Q + 7 * D * Q3;
    let back = 7 * D * Q3 + 7 * D * D * Q * Q + 7 * D3 * Q + 3 * D3;
    Shape {
        bytes_read: 8 * (2 * Q * D + (2 * D3 + S * Q3) * n),
        bytes_written: 8 * D3 * n,
        flops: n * (2 * Q * D + gradient + 15 * Q3 + back),
        ..Shape::of(n * Q3)
    }
}

struct Data {
    /// As b\[d\]\[q\], and its derivative.
    basis: Vec<f64>,
    derived: Vec<f64>,
    tensor: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (elements(run.target), &mut run.init);
    Data {
        basis: constant(init, Q * D, 1.0),
        derived: constant(init, Q * D, 1.0),
        tensor: constant(init, Q3 * S * n, 1.0),
        x: constant(init, D3 * n, 1.0),
        y: constant(init, D3 * n, 0.0),
    }
}

/// Whether the value at (q, d) is taken from there; if not, from the mirror image. A basis is
/// symmetric under that and its derivative antisymmetric, so the suite keeps the latter half of
/// each; its data are neither, so it matters which.
#[inline(always)]
fn is_kept(q: usize, d: usize) -> bool {
    2 * (d * Q + q) >= D * Q
}

#[inline(always)]
fn basis_at(b: &Matrix<D, Q>, q: usize, d: usize) -> f64 {
    if is_kept(q, d) {
        b[d][q]
    } else {
        b[D - 1 - d][Q - 1 - q]
    }
}

#[inline(always)]
fn derived_at(g: &Matrix<D, Q>, q: usize, d: usize) -> f64 {
    if is_kept(q, d) {
        g[d][q]
    } else {
        -g[D - 1 - d][Q - 1 - q]
    }
}

/// The basis and its derivative, each as its kept half says.
#[inline(always)]
fn halves(basis: &Matrix<D, Q>, derived: &Matrix<D, Q>) -> (Matrix<D, Q>, Matrix<D, Q>) {
    let (mut b, mut g) = ([[0.0; Q]; D], [[0.0; Q]; D]);
    for (d, q, _) in Points::<D, Q, 1>::all() {
        b[d][q] = basis_at(basis, q, d);
        g[d][q] = derived_at(derived, q, d);
    }
    (b, g)
}

/// The tensor, given as its components, times a gradient.
#[inline(always)]
fn flux(tensor: [f64; S], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let [xx, xy, xz, yy, yz, zz] = tensor;
    [
        xx * x + xy * y + xz * z,
        xy * x + yy * y + yz * z,
        xz * x + yz * y + zz * z,
    ]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        let (b, g) = halves(matrix(&it.basis), matrix(&it.derived));
        let x = it.x.as_chunks::<D3>().0;
        let y = it.y.as_chunks_mut::<D3>().0;
        let tensor = it.tensor.as_chunks::<Q3>().0.as_chunks::<S>().0;
        for ((y, x), tensor) in y.iter_mut().zip(x).zip(tensor) {
            element(&b, &g, tensor, x, y);
        }
    });
    Ok(Checksum::of(&it.y))
}

fn element(
    b: &Matrix<D, Q>,
    g: &Matrix<D, Q>,
    tensor: &[[f64; Q3]; S],
    x: &[f64; D3],
    y: &mut [f64; D3],
) {
    let mut ddq = [[[[0.0; Q]; D]; D]; 2];
    for (z, y, d) in Points::<D, D, D>::all() {
        let x = x[(z * D + y) * D + d];
        for q in 0..Q {
            ddq[0][z][y][q] += x * b[d][q];
            ddq[1][z][y][q] += x * g[d][q];
        }
    }
    let mut dqq = [[[[0.0; Q]; Q]; D]; 3];
    for (z, q, d) in Points::<D, Q, D>::all() {
        for x in 0..Q {
            dqq[0][z][q][x] += ddq[1][z][d][x] * b[d][q];
            dqq[1][z][q][x] += ddq[0][z][d][x] * g[d][q];
            dqq[2][z][q][x] += ddq[0][z][d][x] * b[d][q];
        }
    }
    let mut qqq = [[[[0.0; Q]; Q]; Q]; 3];
    for (q, d, y) in Points::<Q, D, Q>::all() {
        for x in 0..Q {
            qqq[0][q][y][x] += dqq[0][d][y][x] * b[d][q];
            qqq[1][q][y][x] += dqq[1][d][y][x] * b[d][q];
            qqq[2][q][y][x] += dqq[2][d][y][x] * g[d][q];
        }
    }
    let mut qqd = [[[[0.0; D]; Q]; Q]; 3];
    for (z, y, x) in Points::<Q, Q, Q>::all() {
        let at = (z * Q + y) * Q + x;
        let gradient = [qqq[0][z][y][x], qqq[1][z][y][x], qqq[2][z][y][x]];
        let [u, v, w] = flux(tensor.map(|t| t[at]), gradient);
        for d in 0..D {
            qqd[0][z][y][d] += u * g[d][x];
            qqd[1][z][y][d] += v * b[d][x];
            qqd[2][z][y][d] += w * b[d][x];
        }
    }
    let mut qdd = [[[[0.0; D]; D]; Q]; 3];
    for (z, q, d) in Points::<Q, Q, D>::all() {
        for x in 0..D {
            qdd[0][z][d][x] += qqd[0][z][q][x] * b[d][q];
            qdd[1][z][d][x] += qqd[1][z][q][x] * g[d][q];
            qdd[2][z][d][x] += qqd[2][z][q][x] * b[d][q];
        }
    }
    for (d, row, x) in Points::<D, D, D>::all() {
        let mut sums = [0.0; 3];
        for q in 0..Q {
            sums[0] += qdd[0][q][row][x] * b[d][q];
            sums[1] += qdd[1][q][row][x] * b[d][q];
            sums[2] += qdd[2][q][row][x] * g[d][q];
        }
        y[(d * D + row) * D + x] += sums[0] + sums[1] + sums[2];
    }
}

/// One element: a thread of its block stands for a point.
#[inline(always)]
fn block_element(
    basis: &Matrix<D, Q>,
    derived: &Matrix<D, Q>,
    from: impl Field,
    tensor: impl Field,
    sum: impl FnOnce(usize, f64),
) {
    let mut bases = exchange!(1, [Q, Q, Q]);
    let mut exchange = exchange!(3, [Q, Q, Q]);
    let [x, y, z] = exchange.place();
    let (in_x, in_y, in_z) = (x < D, y < D, z < D);
    let mut out = [0.0];
    if in_y && z == 0 {
        out = [basis_at(basis, x, y)];
    } else if in_y && z == 1 {
        out = [derived_at(derived, x, y)];
    }
    let [[b, g, ..]] = bases.publish(out);
    let mut out = [0.0];
    if in_x && in_y && in_z {
        out = [from.at((z * D + y) * D + x)];
    }
    let [ddd] = exchange.publish(out);
    let mut out = [0.0; 2];
    if in_y && in_z {
        for d in 0..D {
            out[0] += ddd[z][y][d] * b[d][x];
            out[1] += ddd[z][y][d] * g[d][x];
        }
    }
    let ddq = exchange.publish(out);
    let mut out = [0.0; 3];
    if in_z {
        for d in 0..D {
            out[0] += ddq[1][z][d][x] * b[d][y];
            out[1] += ddq[0][z][d][x] * g[d][y];
            out[2] += ddq[0][z][d][x] * b[d][y];
        }
    }
    let dqq = exchange.publish(out);
    let mut out = [0.0; 3];
    for d in 0..D {
        out[0] += dqq[0][d][y][x] * b[d][z];
        out[1] += dqq[1][d][y][x] * b[d][z];
        out[2] += dqq[2][d][y][x] * g[d][z];
    }
    let at = (z * Q + y) * Q + x;
    let tensor = std::array::from_fn(|s| tensor.at(s * Q3 + at));
    let qqq = exchange.publish(flux(tensor, out));
    let mut out = [0.0; 3];
    if in_x {
        for q in 0..Q {
            out[0] += qqq[0][z][y][q] * g[x][q];
            out[1] += qqq[1][z][y][q] * b[x][q];
            out[2] += qqq[2][z][y][q] * b[x][q];
        }
    }
    let qqd = exchange.publish(out);
    let mut out = [0.0; 3];
    if in_x && in_y {
        for q in 0..Q {
            out[0] += qqd[0][z][q][x] * b[y][q];
            out[1] += qqd[1][z][q][x] * g[y][q];
            out[2] += qqd[2][z][q][x] * b[y][q];
        }
    }
    let qdd = exchange.publish(out);
    if in_x && in_y && in_z {
        let mut out = [0.0; 3];
        for q in 0..Q {
            out[0] += qdd[0][q][y][x] * b[z][q];
            out[1] += qdd[1][q][y][x] * b[z][q];
            out[2] += qdd[2][q][y][x] * g[z][q];
        }
        sum((z * D + y) * D + x, out[0] + out[1] + out[2]);
    }
}

/// A block for each element. No element of `y` is another thread's; it is atomic since no
/// token says so.
fn diffusion(basis: &[f64], derived: &[f64], tensor: &[f64], x: &[f64], y: &[AtomicF64]) {
    smelt::launch_bounds::<64, 0>();
    let e = thread::block_index().x as usize;
    let (basis, derived) = (matrix(basis), matrix(derived));
    let tensor = &tensor[e * S * Q3..][..S * Q3];
    let (x, y) = (&x[e * D3..][..D3], &y[e * D3..][..D3]);
    let sum = |i: usize, sum| add(&y[i], sum);
    block_element(basis, derived, |i| x[i], |i| tensor[i], sum);
}

fn diffusion_unchecked(basis: &[f64], derived: &[f64], tensor: &[f64], x: &[f64], y: &[AtomicF64]) {
    smelt::launch_bounds::<64, 0>();
    let e = thread::block_index().x as usize;
    // SAFETY: the bases have these sizes, and the other arrays a part for each block.
    unsafe {
        block_element(
            &*basis.as_ptr().cast(),
            &*derived.as_ptr().cast(),
            |i| *x.get_unchecked(e * D3 + i),
            |i| *tensor.get_unchecked(e * S * Q3 + i),
            |i, sum| add(y.get_unchecked(e * D3 + i), sum),
        );
    }
}

/// A thread for each element, whose stages stay in its own memory.
fn by_element(
    basis: &[f64],
    derived: &[f64],
    tensor: &[f64],
    x: &[f64],
    mut y: DisjointChunks<f64>,
) {
    smelt::launch_bounds::<64, 0>();
    let t = thread::index();
    let e = t.get();
    if let Some(y) = y.get_mut(t)
        && let Some(y) = y.as_mut_array()
    {
        let (b, g) = halves(matrix(basis), matrix(derived));
        let tensor = tensor.as_chunks().0.as_chunks().0;
        element(&b, &g, &tensor[e], &x.as_chunks().0[e], y);
    }
}

fn by_element_unchecked(
    basis: &[f64],
    derived: &[f64],
    tensor: &[f64],
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
            let (b, g) = halves(&*basis.as_ptr().cast(), &*derived.as_ptr().cast());
            let tensor = tensor.as_chunks().0.as_chunks().0;
            element(
                &b,
                &g,
                tensor.get_unchecked(e),
                x.as_chunks().0.get_unchecked(e),
                y,
            );
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (basis, derived) = (run.to_device(&it.basis)?, run.to_device(&it.derived)?);
    let (tensor, x) = (run.to_device(&it.tensor)?, run.to_device(&it.x)?);
    let n = elements(run.target);
    if run.tuning == "element" {
        let mut y = run.to_device(&it.y)?;
        let grid = Grid::cover(n).block(64);
        run.time(|queue| {
            let args = (&basis, &derived, &tensor, &x, y.by_chunks(D3));
            launch!(queue, grid, [by_element, by_element_unchecked], args)
        })?;
        return Ok(Checksum::of(&run.to_host(&y)?));
    }
    let y = run.cells_to_device(it.y)?;
    let grid = Grid::blocks(n).threads((Q, Q, Q));
    run.time(|queue| {
        let args = (&basis, &derived, &tensor, &x, &y);
        launch!(queue, grid, [diffusion, diffusion_unchecked], args)
    })?;
    Ok(Checksum::of(&run.cells_to_host(&y)?))
}
