//! Apps_PRESSURE: pressure from compression and energy, in two loops.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "PRESSURE",
    group: Group::Apps,
    reps: 700,
    shape: |_, n| Shape {
        iterations: 2 * n,
        kernels: 2,
        bytes_read: 4 * 8 * n,
        bytes_written: 2 * 8 * n,
        flops: 3 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

struct Data {
    compression: Vec<f64>,
    bvc: Vec<f64>,
    pressure: Vec<f64>,
    energy: Vec<f64>,
    volume: Vec<f64>,
    limits: Limits,
}

#[derive(Clone, Copy, DeviceCopy)]
struct Limits {
    cls: f64,
    cut: f64,
    least: f64,
    most_volume: f64,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (run.size, &mut run.init);
    Data {
        compression: init.data(n),
        bvc: init.data(n),
        pressure: init.constant(n, 0.0),
        energy: init.data(n),
        volume: init.data(n),
        limits: Limits {
            cls: init.scalar(),
            cut: init.scalar(),
            least: init.scalar(),
            most_volume: init.scalar(),
        },
    }
}

#[inline(always)]
fn first(limits: Limits, compression: f64) -> f64 {
    limits.cls * (compression + 1.0)
}

#[inline(always)]
fn second(limits: Limits, bvc: f64, energy: f64, volume: f64) -> f64 {
    let mut pressure = bvc * energy;
    if pressure.abs() < limits.cut || volume >= limits.most_volume {
        pressure = 0.0;
    }
    if pressure < limits.least {
        limits.least
    } else {
        pressure
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let limits = it.limits;
    run.time_host(|| {
        for (bvc, &compression) in it.bvc.iter_mut().zip(&it.compression) {
            *bvc = first(limits, compression);
        }
        let inputs = it.bvc.iter().zip(&it.energy).zip(&it.volume);
        for (pressure, ((&bvc, &energy), &volume)) in it.pressure.iter_mut().zip(inputs) {
            *pressure = second(limits, bvc, energy, volume);
        }
    });
    Ok(Checksum::of(&it.pressure))
}

fn pressure1(limits: Limits, compression: &[f64], mut bvc: DisjointMut<f64>) {
    let i = thread::index();
    if let Some(bvc) = bvc.get_mut(i) {
        *bvc = first(limits, compression[i.get()]);
    }
}

fn pressure1_unchecked(limits: Limits, compression: &[f64], mut bvc: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < bvc.len() {
        // SAFETY: both have one length; element i of bvc is this thread's.
        unsafe { *bvc.get_unchecked_mut(i) = first(limits, *compression.get_unchecked(i)) };
    }
}

fn pressure2(
    limits: Limits,
    bvc: &[f64],
    energy: &[f64],
    volume: &[f64],
    mut pressure: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(pressure) = pressure.get_mut(t) {
        *pressure = second(limits, bvc[i], energy[i], volume[i]);
    }
}

fn pressure2_unchecked(
    limits: Limits,
    bvc: &[f64],
    energy: &[f64],
    volume: &[f64],
    mut pressure: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < pressure.len() {
        // SAFETY: all have one length; element i of pressure is this thread's.
        unsafe {
            *pressure.get_unchecked_mut(i) = second(
                limits,
                *bvc.get_unchecked(i),
                *energy.get_unchecked(i),
                *volume.get_unchecked(i),
            );
        }
    }
}

/// Both loops at once: one launch, and what the first wrote is still in a register.
fn fused(
    limits: Limits,
    compression: &[f64],
    energy: &[f64],
    volume: &[f64],
    mut bvc: DisjointMut<f64>,
    mut pressure: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(pressure) = pressure.get_mut(t) {
        let value = first(limits, compression[i]);
        bvc[t] = value;
        *pressure = second(limits, value, energy[i], volume[i]);
    }
}

fn fused_unchecked(
    limits: Limits,
    compression: &[f64],
    energy: &[f64],
    volume: &[f64],
    mut bvc: DisjointMut<f64>,
    mut pressure: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < pressure.len() {
        // SAFETY: all have one length; element i of bvc and pressure is this thread's.
        unsafe {
            let value = first(limits, *compression.get_unchecked(i));
            *bvc.get_unchecked_mut(i) = value;
            *pressure.get_unchecked_mut(i) = second(
                limits,
                value,
                *energy.get_unchecked(i),
                *volume.get_unchecked(i),
            );
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (limits, is_fused) = (it.limits, run.tuning == "fused");
    let (compression, mut bvc) = (run.to_device(&it.compression)?, run.to_device(&it.bvc)?);
    let (energy, volume) = (run.to_device(&it.energy)?, run.to_device(&it.volume)?);
    let mut pressure = run.to_device(&it.pressure)?;
    let grid = run.cover(run.size);
    run.time(|queue| {
        if is_fused {
            let args = (
                limits,
                &compression,
                &energy,
                &volume,
                &mut bvc,
                &mut pressure,
            );
            return launch!(queue, grid, [fused, fused_unchecked], args);
        }
        let args = (limits, &compression, &mut bvc);
        launch!(queue, grid, [pressure1, pressure1_unchecked], args)?;
        let args = (limits, &bvc, &energy, &volume, &mut pressure);
        launch!(queue, grid, [pressure2, pressure2_unchecked], args)
    })?;
    Ok(Checksum::of(&run.to_host(&pressure)?))
}
