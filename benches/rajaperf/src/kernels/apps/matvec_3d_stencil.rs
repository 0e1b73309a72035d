//! Apps_MATVEC_3D_STENCIL: a symmetric matrix of 27 diagonals times a vector, over the real zones
//! of a mesh, which an index list names.
//!
//! Only the lower 13 diagonals and the main one are stored, in one buffer one after the other: the
//! upper ones are the lower ones read at the neighbour.

use super::domain::{Domain, Steps};
use crate::prelude::*;

/// Diagonals stored, and all.
const STORED: usize = 14;
const POINTS: usize = 27;

pub const KERNEL: Kernel = Kernel {
    name: "MATVEC_3D_STENCIL",
    group: Group::Apps,
    reps: 100,
    shape: |_, target| shape(target),
    seq,
    smelt,
    // The checks of a row take the registers of larger blocks.
    any_block: false,
    ..Kernel::DEFAULT
};

fn shape(target: usize) -> Shape {
    let domain = Domain::cube(target);
    let (side, zones) = (domain.side, domain.real_zones());
    // Elements used of the diagonal whose neighbour lies so far in each dimension: those of
    // the real zones, and behind an edge those of the zones around.
    let used = |point: usize| {
        let inside = |digit: usize| if digit == 1 { side } else { side - 1 };
        zones + zones - inside(point % 3) * inside(point / 3 % 3) * inside(point / 9)
    };
    let matrix: usize = (0..STORED).map(used).sum();
    Shape {
        bytes_read: 8 * (zones + (side + 2).pow(3) + matrix),
        bytes_written: 8 * zones,
        flops: (POINTS + POINTS - 1) * zones,
        ..Shape::of(zones)
    }
}

struct Data {
    steps: Steps,
    b: Vec<f64>,
    x: Vec<f64>,
    matrix: Vec<f64>,
    zones: Vec<usize>,
}

fn data(run: &mut Run) -> Data {
    let (domain, init) = (Domain::cube(run.target), &mut run.init);
    let n = domain.end_zone();
    Data {
        steps: domain.steps(),
        b: init.constant(n, 0.0),
        x: init.data(n),
        matrix: (0..STORED).flat_map(|_| init.data(n)).collect(),
        zones: domain.zone_list(),
    }
}

/// The neighbour of zone `i` at point `P`, whose ternary digits are a step each of -1 to 1, that
/// along x last.
#[inline(always)]
fn neighbour<const P: usize>(steps: Steps, i: usize) -> usize {
    let add = |at: usize, digit: usize, step: u32| match digit {
        0 => at.wrapping_sub(step as usize),
        1 => at,
        _ => at.wrapping_add(step as usize),
    };
    let at = add(i, P / 9, steps.k);
    let at = add(at, P / 3 % 3, steps.j);
    add(at, P % 3, 1)
}

/// Point `P`'s part of row `i`, the matrix and the vector being read through functions.
#[inline(always)]
fn term<const P: usize>(
    steps: Steps,
    i: usize,
    n: usize,
    matrix: &impl Fn(usize) -> f64,
    x: &impl Fn(usize) -> f64,
) -> f64 {
    let at = neighbour::<P>(steps, i);
    let coefficient = if P < STORED {
        matrix(P * n + i)
    } else {
        matrix((POINTS - 1 - P) * n + at)
    };
    coefficient * x(at)
}

/// Row `i` times `x`. Written out, since not every target's compiler unrolls 27 turns.
#[inline(always)]
fn row(
    steps: Steps,
    i: usize,
    n: usize,
    matrix: impl Fn(usize) -> f64,
    x: impl Fn(usize) -> f64,
) -> f64 {
    macro_rules! sum {
        ($first:literal $($point:literal)*) => {
            term::<$first>(steps, i, n, &matrix, &x)
                $(+ term::<$point>(steps, i, n, &matrix, &x))*
        };
    }
    sum!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let n = it.x.len();
    run.time_host(|| {
        for &i in &it.zones {
            it.b[i] = row(it.steps, i, n, |at| it.matrix[at], |at| it.x[at]);
        }
    });
    Ok(checksum(run, &it.b))
}

/// The list may name a zone twice, as far as the compiler knows, so threads write it
/// atomically: a plain store to the device, that cannot tear.
fn matvec(steps: Steps, zones: &[usize], matrix: &[f64], x: &[f64], b: &[AtomicF64]) {
    smelt::launch_bounds::<256, 0>();
    let t = thread::index().get();
    if t < zones.len() {
        let i = zones[t];
        b[i].store(row(steps, i, x.len(), |at| matrix[at], |at| x[at]));
    }
}

fn matvec_unchecked(steps: Steps, zones: &[usize], matrix: &[f64], x: &[f64], b: &[AtomicF64]) {
    smelt::launch_bounds::<256, 0>();
    let t = thread::index().get();
    if t < zones.len() {
        // SAFETY: the zones and their neighbours lie within the vectors, whose length the
        // diagonals have.
        unsafe {
            let i = *zones.get_unchecked(t);
            let matrix = |at| *matrix.get_unchecked(at);
            b.get_unchecked(i)
                .store(row(steps, i, x.len(), matrix, |at| *x.get_unchecked(at)));
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (x, matrix) = (run.to_device(&it.x)?, run.to_device(&it.matrix)?);
    let zones = run.to_device(&it.zones)?;
    let b = run.cells_to_device(it.b)?;
    let grid = run.cover(zones.len());
    run.time(|queue| {
        let args = (it.steps, &zones, &matrix, &x, &b);
        launch!(queue, grid, [matvec, matvec_unchecked], args)
    })?;
    let b = run.cells_to_host(&b)?;
    Ok(checksum(run, &b))
}

fn checksum(run: &Run, b: &[f64]) -> Checksum {
    Checksum::new().scaled(b, run.scale)
}
