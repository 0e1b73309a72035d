//! Apps_DEL_DOT_VEC_2D: the divergence of a vector field over the real zones of a mesh of
//! quadrilaterals, which an index list names.

use super::domain::Domain;
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "DEL_DOT_VEC_2D",
    group: Group::Apps,
    reps: 100,
    shape: |_, target| shape(target),
    seq,
    smelt,
    ..Kernel::DEFAULT
};

fn shape(target: usize) -> Shape {
    let domain = Domain::square(target);
    let zones = domain.real_zones();
    Shape {
        bytes_read: 8 * zones + 4 * 8 * domain.real_nodes(),
        bytes_written: 8 * zones,
        flops: 54 * zones,
        ..Shape::of(zones)
    }
}

struct Data {
    domain: Domain,
    zones: Vec<usize>,
    /// x, y and the velocities along them.
    fields: [Vec<f64>; 4],
    divergence: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let domain = Domain::square(run.target);
    let (n, init) = (domain.len(), &mut run.init);
    // The suite fills these three before their real values, which counts.
    for _ in 0..3 {
        init.constant(0, 0.0);
    }
    Data {
        fields: [
            domain.positions(0, 0.2),
            domain.positions(1, 0.1),
            init.data(n),
            init.data(n),
        ],
        zones: domain.zone_list(),
        divergence: init.constant(n, 0.0),
        domain,
    }
}

/// The four nodes of a zone, counter-clockwise from the second.
#[inline(always)]
fn nodes(i: usize, step: usize) -> [usize; 4] {
    [i + 1, i + 1 + step, i + step, i]
}

#[inline(always)]
fn corners(field: &[f64], i: usize, step: usize) -> [f64; 4] {
    // No sum below overflows, and the farthest is checked first: so the compiler
    // knows the others to be inside.
    assert!(i < 1 << 48 && step < 1 << 32);
    let [a, b, c, d] = nodes(i, step);
    let far = field[b];
    [field[a], far, field[c], field[d]]
}

/// # Safety
/// The nodes are below the length of `field`.
#[inline(always)]
unsafe fn corners_unchecked(field: &[f64], i: usize, step: usize) -> [f64; 4] {
    let [a, b, c, d] = nodes(i, step);
    // SAFETY: the caller's.
    let at = |node| unsafe { *field.get_unchecked(node) };
    [at(a), at(b), at(c), at(d)]
}

#[inline(always)]
fn divergence(x: [f64; 4], y: [f64; 4], fx: [f64; 4], fy: [f64; 4]) -> f64 {
    const TINY: f64 = 1.0e-20;
    let along_i = |v: [f64; 4]| 0.5 * (v[0] + v[1] - v[2] - v[3]);
    let along_j = |v: [f64; 4]| 0.5 * (v[1] + v[2] - v[3] - v[0]);
    let sum = |v: [f64; 4]| v[0] + v[1] + v[2] + v[3];
    let (xi, xj, yi, yj) = (along_i(x), along_j(x), along_i(y), along_j(y));
    let (fxi, fxj, fyi, fyj) = (along_i(fx), along_j(fx), along_i(fy), along_j(fy));
    let per_area = 1.0 / (xi * yj - xj * yi + TINY);
    let dfxdx = per_area * (fxi * yj - fxj * yi);
    let dfydy = per_area * (fyj * xi - fyi * xj);
    let affine = sum(fy) / sum(y);
    dfxdx + dfydy + affine
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let step = it.domain.steps().j as usize;
    let [x, y, fx, fy] = &it.fields;
    run.time_host(|| {
        for &i in &it.zones {
            it.divergence[i] = divergence(
                corners(x, i, step),
                corners(y, i, step),
                corners(fx, i, step),
                corners(fy, i, step),
            );
        }
    });
    Ok(Checksum::of(&it.divergence))
}

/// The list may name a zone twice, as far as the compiler knows, so safe threads write it
/// atomically: a plain store to the device, that cannot tear.
fn del_dot(
    step: u32,
    zones: &[usize],
    x: &[f64],
    y: &[f64],
    fx: &[f64],
    fy: &[f64],
    out: &[AtomicF64],
) {
    let t = thread::index().get();
    if t < zones.len() {
        let (i, step) = (zones[t], step as usize);
        out[i].store(divergence(
            corners(x, i, step),
            corners(y, i, step),
            corners(fx, i, step),
            corners(fy, i, step),
        ));
    }
}

fn del_dot_unchecked(
    step: u32,
    zones: &[usize],
    x: &[f64],
    y: &[f64],
    fx: &[f64],
    fy: &[f64],
    out: &[AtomicF64],
) {
    let t = thread::index().get();
    if t < zones.len() {
        // SAFETY: the zones are different and lie within the arrays, their nodes too.
        unsafe {
            let (i, step) = (*zones.get_unchecked(t), step as usize);
            out.get_unchecked(i).store(divergence(
                corners_unchecked(x, i, step),
                corners_unchecked(y, i, step),
                corners_unchecked(fx, i, step),
                corners_unchecked(fy, i, step),
            ));
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let step = it.domain.steps().j;
    let zones = run.to_device(&it.zones)?;
    let [x, y, fx, fy] = &it.fields;
    let (x, y) = (run.to_device(x)?, run.to_device(y)?);
    let (fx, fy) = (run.to_device(fx)?, run.to_device(fy)?);
    let out = run.cells_to_device(it.divergence)?;
    let grid = run.cover(zones.len());
    run.time(|queue| {
        let args = (step, &zones, &x, &y, &fx, &fy, &out);
        launch!(queue, grid, [del_dot, del_dot_unchecked], args)
    })?;
    Ok(Checksum::of(&run.cells_to_host(&out)?))
}
