//! Comm_HALO_PACKING_FUSED: as HALO_PACKING, all neighbours and variables in one kernel each.
//!
//! Tuning `direct` is the suite's: a row of blocks for each neighbour and variable, as many as are needed on
//! average. `tasks` gives every block its own piece of one of them, so that none is idle.

use super::halo::{self, Halo};
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "HALO_PACKING_FUSED",
    group: Group::Comm,
    features: &[Feature::Workgroup],
    reps: 200,
    shape: |params, target| halo::shape(params, target, 2),
    seq: Halo::seq,
    smelt,
    tunings: &[Tuning::sized("direct"), Tuning::sized("tasks")],
    block: 1024,
    ..Kernel::DEFAULT
};

/// A gather or scatter: where its values lie in the buffers, its cells in the lists, and its variable
/// among the variables.
#[derive(Clone, Copy, DeviceCopy)]
struct Loop {
    values: usize,
    cells: usize,
    var: usize,
    len: usize,
}

/// Calls `body` with the place in the buffers and in the variables of each of this thread's values:
/// threads of a row of blocks take turns.
#[inline(always)]
fn each(it: Loop, lists: impl Fn(usize) -> i32, mut body: impl FnMut(usize, usize)) {
    let (threads, block) = (
        thread::block_dim().x as usize,
        thread::block_index().x as usize,
    );
    let mut i = block * threads + thread::thread_index().x as usize;
    while i < it.len {
        let cell = lists(it.cells + i) as usize;
        body(it.values + i, it.var.wrapping_add(cell));
        i += threads * thread::grid_dim().x as usize;
    }
}

fn pack(loops: &[Loop], lists: &[i32], vars: &[AtomicF64], buffers: &[AtomicF64]) {
    let it = loops[thread::block_index().y as usize];
    each(
        it,
        |i| lists[i],
        |value, cell| buffers[value].store(vars[cell].load()),
    );
}

fn pack_unchecked(loops: &[Loop], lists: &[i32], vars: &[AtomicF64], buffers: &[AtomicF64]) {
    // SAFETY: there is a loop for each row of blocks; what it names lies in the lists, buffers and
    // variables.
    unsafe {
        let it = *loops.get_unchecked(thread::block_index().y as usize);
        each(
            it,
            |i| *lists.get_unchecked(i),
            |value, cell| {
                let to = buffers.get_unchecked(value);
                to.store(vars.get_unchecked(cell).load());
            },
        );
    }
}

fn unpack(loops: &[Loop], lists: &[i32], vars: &[AtomicF64], buffers: &[AtomicF64]) {
    let it = loops[thread::block_index().y as usize];
    each(
        it,
        |i| lists[i],
        |value, cell| vars[cell].store(buffers[value].load()),
    );
}

fn unpack_unchecked(loops: &[Loop], lists: &[i32], vars: &[AtomicF64], buffers: &[AtomicF64]) {
    // SAFETY: as for packing.
    unsafe {
        let it = *loops.get_unchecked(thread::block_index().y as usize);
        each(
            it,
            |i| *lists.get_unchecked(i),
            |value, cell| {
                let value = buffers.get_unchecked(value).load();
                vars.get_unchecked(cell).store(value);
            },
        );
    }
}

/// The loops over each neighbour's list and each variable of `cells` cells, and all lists one
/// after the other.
fn loops<'a>(
    lists: impl Iterator<Item = &'a Vec<i32>>,
    vars: usize,
    cells: usize,
) -> (Vec<Loop>, Vec<i32>) {
    let (mut loops, mut all, mut values) = (Vec::new(), Vec::new(), 0);
    for list in lists {
        for v in 0..vars {
            loops.push(Loop {
                values,
                cells: all.len(),
                var: v * cells,
                len: list.len(),
            });
            values += list.len();
        }
        all.extend(list);
    }
    (loops, all)
}

/// Loops cut into pieces of at most a block.
fn tasks(loops: &[Loop], block: usize) -> Vec<Loop> {
    let cut = |it: &Loop| {
        let it = *it;
        (0..it.len).step_by(block).map(move |start| Loop {
            values: it.values + start,
            cells: it.cells + start,
            len: block.min(it.len - start),
            ..it
        })
    };
    loops.iter().flat_map(cut).collect()
}

/// One direction on the device: its loops, lists and buffers, and its grid.
struct Side {
    loops: Buffer<Loop>,
    lists: Buffer<i32>,
    buffers: Buffer<AtomicF64>,
    grid: Grid,
}

impl Side {
    fn new(run: &mut Run, halo: &Halo, which: usize) -> smelt::Result<Self> {
        let lists = halo.lists.iter().map(|lists| &lists[which]);
        let (mut loops, lists) = loops(lists, halo.vars.len(), halo.vars[0].len());
        let mut blocks = 1;
        if run.tuning == "direct" {
            let average = (lists.len() * halo.vars.len()).div_ceil(loops.len().max(1));
            blocks = average.div_ceil(run.block).max(1);
        } else {
            loops = tasks(&loops, run.block);
        }
        let grid = Grid::blocks((blocks, loops.len())).threads((run.block, 1));
        let values = [&halo.packed, &halo.arrived][which].concat();
        Ok(Self {
            loops: run.move_to_device(loops)?,
            lists: run.to_device(&lists)?,
            buffers: run.cells_to_device(values)?,
            grid,
        })
    }
}

/// Tuning `direct`, or else one task a block.
pub fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let halo = Halo::new(run);
    let out = Side::new(run, &halo, 0)?;
    let back = Side::new(run, &halo, 1)?;
    let vars = run.cells_to_device(halo.vars.concat())?;
    run.time(|queue| {
        let args = (&out.loops, &out.lists, &vars, &out.buffers);
        launch!(queue, out.grid, [pack, pack_unchecked], args)?;
        // Ready to be sent.
        queue.gpu.wait()?;
        let args = (&back.loops, &back.lists, &vars, &back.buffers);
        launch!(queue, back.grid, [unpack, unpack_unchecked], args)?;
        queue.gpu.wait()
    })?;
    let vars = run.cells_to_host(&vars)?;
    let mut left = &run.cells_to_host(&out.buffers)?[..];
    let mut packed = Vec::new();
    for buffer in &halo.packed {
        let (this, others) = left.split_at(buffer.len());
        packed.push(this.to_vec());
        left = others;
    }
    let vars: Vec<_> = vars
        .chunks_exact(halo.vars[0].len())
        .map(<[f64]>::to_vec)
        .collect();
    Ok(Halo::checksum(&vars, &packed))
}
