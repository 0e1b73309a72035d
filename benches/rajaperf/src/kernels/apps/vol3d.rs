//! Apps_VOL3D: the volume of each zone of a mesh of hexahedra.

use super::domain::{Domain, Steps, each};
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "VOL3D",
    group: Group::Apps,
    reps: 100,
    shape: |_, target| shape(target),
    seq,
    smelt,
    ..Kernel::DEFAULT
};

fn shape(target: usize) -> Shape {
    let domain = Domain::cube(target);
    let zones = domain.end_zone() - domain.first_zone();
    let steps = domain.steps();
    Shape {
        iterations: zones,
        bytes_read: 24 * (zones + 1 + steps.j as usize + steps.k as usize),
        bytes_written: 8 * zones,
        flops: 72 * zones,
        ..Shape::of(domain.real_zones())
    }
}

struct Data {
    domain: Domain,
    position: [Vec<f64>; 3],
    volume: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let domain = Domain::cube(run.target);
    Data {
        position: [(0, 0.3), (1, 0.2), (2, 0.1)].map(|(axis, d)| domain.positions(axis, d)),
        volume: vec![0.0; domain.len()],
        domain,
    }
}

/// The mixed product of three vectors, each given as (x, y, z).
#[inline(always)]
fn mixed(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    let yz = b[1] * c[2] - b[2] * c[1];
    let zx = b[2] * c[0] - b[0] * c[2];
    let xy = b[0] * c[1] - b[1] * c[0];
    a[0] * yz + a[1] * zx + a[2] * xy
}

#[inline(always)]
fn volume(x: [f64; 8], y: [f64; 8], z: [f64; 8]) -> f64 {
    let edge = |to: usize, from: usize| [x[to] - x[from], y[to] - y[from], z[to] - z[from]];
    let sum = |a: [f64; 3], b: [f64; 3]| [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
    let (e71, e72, e74) = (edge(7, 1), edge(7, 2), edge(7, 4));
    let (e30, e50, e60) = (edge(3, 0), edge(5, 0), edge(6, 0));
    let mut volume = mixed(sum(e71, e60), e72, e30);
    volume += mixed(sum(e72, e50), e74, e60);
    volume += mixed(sum(e74, e30), e74, e60);
    volume += mixed(sum(e74, e30), e71, e50);
    volume * 0.083333333333333333
}

/// Apart, so that the compiler knows `out` to be no part of the positions.
#[inline(never)]
fn volumes(out: &mut [f64], x: &[f64], y: &[f64], z: &[f64], first: usize, steps: Steps) {
    let n = out.len();
    let x = steps.corner_slices(&x[first..], n);
    let y = steps.corner_slices(&y[first..], n);
    let z = steps.corner_slices(&z[first..], n);
    for i in 0..n {
        out[i] = volume(each(&x, i), each(&y, i), each(&z, i));
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let (first, end, steps) = (
        it.domain.first_zone(),
        it.domain.end_zone(),
        it.domain.steps(),
    );
    let [x, y, z] = &it.position;
    run.time_host(|| volumes(&mut it.volume[first..end], x, y, z, first, steps));
    Ok(checksum(run, &it.volume))
}

/// From zone `first` on, to before `end`.
#[derive(Clone, Copy, DeviceCopy)]
struct Zones {
    first: usize,
    end: usize,
    steps: Steps,
}

fn vol3d(zones: Zones, x: &[f64], y: &[f64], z: &[f64], mut out: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if i >= zones.first && i < zones.end {
        let at = zones.steps;
        out[t] = volume(at.corners(x, i), at.corners(y, i), at.corners(z, i));
    }
}

fn vol3d_unchecked(zones: Zones, x: &[f64], y: &[f64], z: &[f64], mut out: DisjointMut<f64>) {
    let i = thread::index().get();
    if i >= zones.first && i < zones.end {
        let at = zones.steps;
        // SAFETY: all arrays are over the nodes of the domain, which has all nodes of
        // the zones before its end; element i of out is this thread's.
        unsafe {
            *out.get_unchecked_mut(i) = volume(
                at.corners_unchecked(x, i),
                at.corners_unchecked(y, i),
                at.corners_unchecked(z, i),
            )
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let zones = Zones {
        first: it.domain.first_zone(),
        end: it.domain.end_zone(),
        steps: it.domain.steps(),
    };
    let [x, y, z] = &it.position;
    let (x, y, z) = (run.to_device(x)?, run.to_device(y)?, run.to_device(z)?);
    let mut out = run.to_device(&it.volume)?;
    let grid = run.cover(zones.end);
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [vol3d, vol3d_unchecked],
            (zones, &x, &y, &z, &mut out)
        )
    })?;
    let out = run.to_host(&out)?;
    Ok(checksum(run, &out))
}

fn checksum(run: &Run, volume: &[f64]) -> Checksum {
    Checksum::new().scaled(volume, 0.001 * run.scale)
}
