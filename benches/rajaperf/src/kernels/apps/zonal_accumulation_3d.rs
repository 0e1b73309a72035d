//! Apps_ZONAL_ACCUMULATION_3D: for each real zone, which an index list names, the mean of its
//! eight nodes.

use super::domain::{Domain, Steps};
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "ZONAL_ACCUMULATION_3D",
    group: Group::Apps,
    reps: 100,
    shape: |_, target| shape(target),
    seq,
    smelt,
    ..Kernel::DEFAULT
};

fn shape(target: usize) -> Shape {
    let domain = Domain::cube(target);
    let zones = domain.real_zones();
    Shape {
        bytes_read: 8 * zones + 8 * domain.real_nodes(),
        bytes_written: 8 * zones,
        flops: 8 * zones,
        ..Shape::of(zones)
    }
}

struct Data {
    steps: Steps,
    x: Vec<f64>,
    volume: Vec<f64>,
    zones: Vec<usize>,
}

fn data(run: &mut Run) -> Data {
    let (domain, init) = (Domain::cube(run.target), &mut run.init);
    Data {
        steps: domain.steps(),
        x: init.constant(domain.len(), 1.0),
        volume: init.constant(domain.end_zone(), 0.0),
        zones: domain.zone_list(),
    }
}

#[inline(always)]
fn mean([a, b, c, d, e, f, g, h]: [f64; 8]) -> f64 {
    0.125 * (a + b + c + d + e + f + g + h)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        for &i in &it.zones {
            it.volume[i] = mean(it.steps.corners(&it.x, i));
        }
    });
    Ok(checksum(run, &it.volume))
}

/// The list may name a zone twice, as far as the compiler knows, so threads write it
/// atomically: a plain store to the device, that cannot tear.
fn zonal(steps: Steps, zones: &[usize], x: &[f64], volume: &[AtomicF64]) {
    let t = thread::index().get();
    if t < zones.len() {
        let i = zones[t];
        volume[i].store(mean(steps.corners(x, i)));
    }
}

fn zonal_unchecked(steps: Steps, zones: &[usize], x: &[f64], volume: &[AtomicF64]) {
    let t = thread::index().get();
    if t < zones.len() {
        // SAFETY: the zones lie within the volumes, and their nodes within x.
        unsafe {
            let i = *zones.get_unchecked(t);
            volume
                .get_unchecked(i)
                .store(mean(steps.corners_unchecked(x, i)));
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (x, zones) = (run.to_device(&it.x)?, run.to_device(&it.zones)?);
    let volume = run.cells_to_device(it.volume)?;
    let grid = run.cover(zones.len());
    run.time(|queue| {
        let args = (it.steps, &zones, &x, &volume);
        launch!(queue, grid, [zonal, zonal_unchecked], args)
    })?;
    let volume = run.cells_to_host(&volume)?;
    Ok(checksum(run, &volume))
}

fn checksum(run: &Run, volume: &[f64]) -> Checksum {
    Checksum::new().scaled(volume, 0.001 * run.scale)
}
