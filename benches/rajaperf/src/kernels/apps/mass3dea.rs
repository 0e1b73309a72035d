//! Apps_MASS3DEA: the mass matrix of each finite element, made entry by entry.
//!
//! Tuning `block` has a thread for each column of the matrix, `split` [`PARTS`] of them, since the device has
//! more threads than there are columns.

use super::exchange::exchange;
use super::fem::{Field, Matrix, constant, matrix};
use crate::prelude::*;

/// Degrees of freedom and quadrature points in each dimension.
const D: usize = 4;
const Q: usize = 5;
const D3: usize = D * D * D;
const Q3: usize = Q * Q * Q;
/// Entries of an element's matrix.
const D6: usize = D3 * D3;

pub const KERNEL: Kernel = Kernel {
    name: "MASS3DEA",
    group: Group::Apps,
    features: &[Feature::Launch],
    size: 8000 * Q3,
    reps: 1,
    shape: |_, target| shape(target),
    seq,
    smelt,
    block: D3,
    any_block: false,
    tunings: &[
        Tuning::sized("block"),
        Tuning::plain("split"),
        Tuning::plain("element"),
    ],
    ..Kernel::DEFAULT
};

fn elements(target: usize) -> usize {
    ((target + D6 / 2) / D6).max(1)
}

fn shape(target: usize) -> Shape {
    let n = elements(target);
    Shape {
        bytes_read: 8 * (Q * D + Q3 * n),
        bytes_written: 8 * D6 * n,
        // As the suite counts: an entry is in fact a sum over the quadrature points.
        flops: n * 7 * D6,
        ..Shape::of(n * D6)
    }
}

struct Data {
    /// As b\[d\]\[q\].
    basis: Vec<f64>,
    weights: Vec<f64>,
    mass: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (elements(run.target), &mut run.init);
    Data {
        basis: constant(init, Q * D, 1.0),
        weights: constant(init, Q3 * n, 1.0),
        mass: constant(init, D6 * n, 0.0),
    }
}

/// Entry (i, j), each given by dimension.
#[inline(always)]
fn entry(b: &Matrix<D, Q>, weights: &[f64; Q3], i: [usize; 3], j: [usize; 3]) -> f64 {
    let mut sum = 0.0;
    for x in 0..Q {
        for y in 0..Q {
            for z in 0..Q {
                sum += b[i[0]][x]
                    * b[j[0]][x]
                    * b[i[1]][y]
                    * b[j[1]][y]
                    * b[i[2]][z]
                    * b[j[2]][z]
                    * weights[x + Q * (y + Q * z)];
            }
        }
    }
    sum
}

fn digits(i: usize) -> [usize; 3] {
    [i % D, i / D % D, i / (D * D)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        let basis = matrix(&it.basis);
        let mass = it.mass.as_chunks_mut::<D6>().0;
        for (mass, weights) in mass.iter_mut().zip(it.weights.as_chunks().0) {
            element(basis, weights, mass);
        }
    });
    Ok(Checksum::of(&it.mass))
}

fn element(basis: &Matrix<D, Q>, weights: &[f64; Q3], mass: &mut [f64; D6]) {
    for (at, mass) in mass.iter_mut().enumerate() {
        *mass = entry(basis, weights, digits(at % D3), digits(at / D3));
    }
}

/// Threads for a column of the matrix in tuning `split`.
const PARTS: usize = D;

/// One element: `$parts` threads of its block share out a column of the matrix.
macro_rules! block_element {
    ($name:ident, $parts:expr) => {
        #[inline(always)]
        fn $name(basis: &Matrix<D, Q>, weight: impl Field, set: impl Fn(usize, f64)) {
            const THREADS: usize = D3 * $parts;
            const ROOMS: usize = Q3.div_ceil(THREADS);
            let mut bases = exchange!(1, [D, D, D * $parts]);
            let mut exchange = exchange!(ROOMS, [D, D, D * $parts]);
            let place = exchange.place();
            let t = (place[2] * D + place[1]) * D + place[0];
            let flat = basis.as_flattened();
            let flat = bases
                .publish([if t < Q * D { flat[t] } else { 0.0 }])
                .as_flattened();
            let b: &Matrix<D, Q> = matrix(&flat.as_flattened().as_flattened()[..Q * D]);
            let weights = exchange.publish(std::array::from_fn::<_, ROOMS, _>(|k| {
                if k * THREADS + t < Q3 {
                    weight.at(k * THREADS + t)
                } else {
                    0.0
                }
            }));
            let flat = weights.as_flattened().as_flattened().as_flattened();
            let Some(weights) = flat.first_chunk() else {
                return;
            };
            let (i, part) = ([place[0], place[1], place[2] % D], place[2] / D);
            for x in part * (D / $parts)..(part + 1) * (D / $parts) {
                for y in 0..D {
                    for z in 0..D {
                        let j = x + D * (y + D * z);
                        set(j * D3 + t % D3, entry(b, weights, i, [x, y, z]));
                    }
                }
            }
        }
    };
}
block_element!(whole_columns, 1);
block_element!(split_columns, PARTS);

/// A block for each element. No entry is another thread's; they are atomic since no token says
/// so.
macro_rules! kernels {
    ($safe:ident, $unchecked:ident, $body:ident, $threads:expr) => {
        fn $safe(basis: &[f64], weights: &[f64], mass: &[AtomicF64]) {
            smelt::launch_bounds::<{ $threads as u32 }, 0>();
            let e = thread::block_index().x as usize;
            let weights = &weights[e * Q3..][..Q3];
            let mass = &mass[e * D6..][..D6];
            $body(
                matrix(basis),
                |i| weights[i],
                |i, value| mass[i].store(value),
            );
        }

        fn $unchecked(basis: &[f64], weights: &[f64], mass: &[AtomicF64]) {
            smelt::launch_bounds::<{ $threads as u32 }, 0>();
            let e = thread::block_index().x as usize;
            // SAFETY: the basis has this size, and the other arrays a part for each block.
            unsafe {
                $body(
                    &*basis.as_ptr().cast(),
                    |i| *weights.get_unchecked(e * Q3 + i),
                    |i, value| mass.get_unchecked(e * D6 + i).store(value),
                );
            }
        }
    };
}
kernels!(mass3dea, mass3dea_unchecked, whole_columns, D3);
kernels!(split, split_unchecked, split_columns, D3 * PARTS);

/// A thread for each element, whose stages stay in its own memory.
fn by_element(basis: &[f64], weights: &[f64], mut mass: DisjointChunks<f64>) {
    smelt::launch_bounds::<64, 0>();
    let t = thread::index();
    let e = t.get();
    if let Some(mass) = mass.get_mut(t)
        && let Some(mass) = mass.as_mut_array()
    {
        element(matrix(basis), &weights.as_chunks().0[e], mass);
    }
}

fn by_element_unchecked(basis: &[f64], weights: &[f64], mut mass: DisjointChunks<f64>) {
    smelt::launch_bounds::<64, 0>();
    let t = thread::index();
    let e = t.get();
    if let Some(mass) = mass.get_mut(t) {
        // SAFETY: the bases have these sizes, and the other arrays a part for each element.
        unsafe {
            let mass = &mut *mass.as_mut_ptr().cast();
            element(
                &*basis.as_ptr().cast(),
                weights.as_chunks().0.get_unchecked(e),
                mass,
            );
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (basis, weights) = (run.to_device(&it.basis)?, run.to_device(&it.weights)?);
    let n = elements(run.target);
    if run.tuning == "element" {
        let mut mass = run.to_device(&it.mass)?;
        let grid = Grid::cover(n).block(64);
        run.time(|queue| {
            let args = (&basis, &weights, mass.by_chunks(D6));
            launch!(queue, grid, [by_element, by_element_unchecked], args)
        })?;
        return Ok(Checksum::of(&run.to_host(&mass)?));
    }
    let mass = run.cells_to_device(it.mass)?;
    let grid = Grid::blocks(n).threads((D, D, D));
    let is_split = run.tuning == "split";
    run.time(|queue| {
        let args = (&basis, &weights, &mass);
        if is_split {
            let grid = Grid::blocks(n).threads((D, D, D * PARTS));
            return launch!(queue, grid, [split, split_unchecked], args);
        }
        launch!(queue, grid, [mass3dea, mass3dea_unchecked], args)
    })?;
    Ok(Checksum::of(&run.cells_to_host(&mass)?))
}
