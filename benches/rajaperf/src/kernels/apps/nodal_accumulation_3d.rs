//! Apps_NODAL_ACCUMULATION_3D: each real zone, which an index list names, adds an eighth of its
//! volume to each of its nodes.
//!
//! Tuning `nodes` turns it round: a thread for each node, which gathers from its up to eight real
//! zones. It needs no atomics and gives the same result each time, but takes for granted that the real
//! zones are the domain's box, where the list could name any.

use super::domain::{Domain, Steps};
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "NODAL_ACCUMULATION_3D",
    group: Group::Apps,
    features: &[Feature::Forall, Feature::Atomic],
    reps: 100,
    shape: |_, target| shape(target),
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("nodes")],
    ..Kernel::DEFAULT
};

fn shape(target: usize) -> Shape {
    let domain = Domain::cube(target);
    let zones = domain.real_zones();
    Shape {
        bytes_read: 2 * 8 * zones,
        bytes_atomic: 8 * domain.real_nodes(),
        flops: 9 * zones,
        ..Shape::of(zones)
    }
}

struct Data {
    domain: Domain,
    steps: Steps,
    x: Vec<f64>,
    volume: Vec<f64>,
    zones: Vec<usize>,
}

fn data(run: &mut Run) -> Data {
    let (domain, init) = (Domain::cube(run.target), &mut run.init);
    Data {
        steps: domain.steps(),
        x: init.constant(domain.len(), 0.0),
        volume: init.constant(domain.end_zone(), 1.0),
        zones: domain.zone_list(),
        domain,
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        for &i in &it.zones {
            let part = 0.125 * it.volume[i];
            for node in it.steps.nodes(i) {
                it.x[node] += part;
            }
        }
    });
    Ok(checksum(run, &it.x))
}

fn nodal(steps: Steps, zones: &[usize], volume: &[f64], x: &[AtomicF64]) {
    let t = thread::index().get();
    if t < zones.len() {
        let i = zones[t];
        let part = 0.125 * volume[i];
        let [a, b, c, d, e, f, g, h] = steps.nodes(i);
        for node in [h, a, b, c, d, e, f, g] {
            x[node].fetch_add(part);
        }
    }
}

fn nodal_unchecked(steps: Steps, zones: &[usize], volume: &[f64], x: &[AtomicF64]) {
    let t = thread::index().get();
    if t < zones.len() {
        // SAFETY: the zones lie within the volumes, and their nodes within x.
        unsafe {
            let i = *zones.get_unchecked(t);
            let part = 0.125 * volume.get_unchecked(i);
            for node in steps.nodes(i) {
                x.get_unchecked(node).fetch_add(part);
            }
        }
    }
}

/// The range of the real zones in each dimension.
#[derive(Clone, Copy, DeviceCopy)]
struct Real {
    first: usize,
    end: usize,
}

/// Adds to node (x, y, z) of number `i` what its real zones give, in the order of their
/// numbers, as the loop over zones would.
#[inline(always)]
fn gather(
    node: &mut f64,
    (x, y, z): (usize, usize, usize),
    i: usize,
    steps: Steps,
    real: Real,
    volume: impl Fn(usize) -> f64,
) {
    let is_real = |at: usize, back: usize| at >= real.first + back && at < real.end + back;
    let mut sum = *node;
    for back in (0..8).rev() {
        let (dx, dy, dz) = (back & 1, back >> 1 & 1, back >> 2);
        if is_real(x, dx) && is_real(y, dy) && is_real(z, dz) {
            sum += 0.125 * volume(i - dx - dy * steps.j as usize - dz * steps.k as usize);
        }
    }
    *node = sum;
}

fn nodes(steps: Steps, real: Real, volume: &[f64], mut out: DisjointMut3<f64>) {
    let t = thread::index3();
    let (x, y, z) = t.get();
    if let Some(node) = out.get_mut(t) {
        let i = x + y * steps.j as usize + z * steps.k as usize;
        gather(node, (x, y, z), i, steps, real, |zone| volume[zone]);
    }
}

fn nodes_unchecked(steps: Steps, real: Real, volume: &[f64], mut out: DisjointMut3<f64>) {
    let t = thread::index3();
    let (x, y, z) = t.get();
    if let Some(node) = out.get_mut(t) {
        let i = x + y * steps.j as usize + z * steps.k as usize;
        // SAFETY: gather asks for real zones only.
        let volume = |zone| unsafe { *volume.get_unchecked(zone) };
        gather(node, (x, y, z), i, steps, real, volume);
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let volume = run.to_device(&it.volume)?;
    let x = match run.tuning {
        "nodes" => {
            let mut x = run.to_device(&it.x)?;
            let (real, n) = (it.domain.real_range(), it.domain.nodes);
            let real = Real {
                first: real.start,
                end: real.end,
            };
            let grid = Grid::cover((n, n, n)).block((32, (run.block / 32).max(1), 1));
            run.time(|queue| {
                let args = (it.steps, real, &volume, x.as_3d(n, n, n));
                launch!(queue, grid, [nodes, nodes_unchecked], args)
            })?;
            run.to_host(&x)?
        }
        _ => {
            let zones = run.to_device(&it.zones)?;
            let x = run.cells_to_device(it.x)?;
            let grid = run.cover(zones.len());
            run.time(|queue| {
                let args = (it.steps, &zones, &volume, &x);
                launch!(queue, grid, [nodal, nodal_unchecked], args)
            })?;
            run.cells_to_host(&x)?
        }
    };
    Ok(checksum(run, &x))
}

fn checksum(run: &Run, x: &[f64]) -> Checksum {
    Checksum::new().scaled(x, 0.001 * run.scale)
}
