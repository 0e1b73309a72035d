//! Comm_HALO_PACKING: what is sent to the neighbours of a grid gathered into buffers, a kernel
//! for each neighbour and variable, and what came from them scattered into the halo.
//!
//! Tuning `fused` does all of a direction in one launch, as HALO_PACKING_FUSED does.

use super::halo::{self, Halo};
use super::halo_packing_fused;
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "HALO_PACKING",
    group: Group::Comm,
    reps: 200,
    shape: |params, target| halo::shape(params, target, halo::kernels(params)),
    seq: Halo::seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

fn pack(list: &[i32], var: &[AtomicF64], mut buffer: DisjointMut<f64>) {
    let t = thread::index();
    if let Some(buffer) = buffer.get_mut(t) {
        *buffer = var[list[t.get()] as usize].load();
    }
}

fn pack_unchecked(list: &[i32], var: &[AtomicF64], mut buffer: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < buffer.len() {
        // SAFETY: list has the buffer's length and names cells of the grid, of which var has
        // all; element i of the buffer is this thread's.
        unsafe {
            let cell = *list.get_unchecked(i) as usize;
            *buffer.get_unchecked_mut(i) = var.get_unchecked(cell).load();
        }
    }
}

fn unpack(list: &[i32], var: &[AtomicF64], buffer: &[f64]) {
    let i = thread::index().get();
    if let Some(value) = buffer.get(i) {
        var[list[i] as usize].store(*value);
    }
}

fn unpack_unchecked(list: &[i32], var: &[AtomicF64], buffer: &[f64]) {
    let i = thread::index().get();
    if i < buffer.len() {
        // SAFETY: list has the buffer's length and names cells of the grid, of which var has
        // all.
        unsafe {
            let cell = *list.get_unchecked(i) as usize;
            var.get_unchecked(cell).store(*buffer.get_unchecked(i));
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "fused" {
        return halo_packing_fused::smelt(run);
    }
    let halo = Halo::new(run);
    let mut lists = Vec::new();
    for [pack, unpack] in &halo.lists {
        lists.push([run.to_device(pack)?, run.to_device(unpack)?]);
    }
    let mut vars = Vec::new();
    for var in &halo.vars {
        vars.push(run.cells_to_device(var.clone())?);
    }
    let (mut packed, mut arrived) = (Vec::new(), Vec::new());
    for (p, a) in halo.packed.iter().zip(&halo.arrived) {
        packed.push(run.to_device(p)?);
        arrived.push(run.to_device(a)?);
    }
    let block = run.block;
    run.time(|queue| {
        for ([list, _], packed) in lists.iter().zip(&mut packed) {
            let (len, mut start) = (list.len(), 0);
            let grid = Grid::cover(len).block(block);
            for var in &vars {
                let args = (list, var, packed.range_mut(start..start + len));
                launch!(queue, grid, [pack, pack_unchecked], args)?;
                start += len;
            }
            // Ready to be sent.
            queue.gpu.wait()?;
        }
        for ([_, list], arrived) in lists.iter().zip(&arrived) {
            let (len, mut start) = (list.len(), 0);
            let grid = Grid::cover(len).block(block);
            for var in &vars {
                let args = (list, var, arrived.range(start..start + len));
                launch!(queue, grid, [unpack, unpack_unchecked], args)?;
                start += len;
            }
        }
        queue.gpu.wait()
    })?;
    let mut results = [Vec::new(), Vec::new()];
    for var in &vars {
        results[0].push(run.cells_to_host(var)?);
    }
    for packed in &packed {
        results[1].push(run.to_host(packed)?);
    }
    Ok(Halo::checksum(&results[0], &results[1]))
}
