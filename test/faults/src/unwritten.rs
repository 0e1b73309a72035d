//! Reads of shared memory that the block has not written.

use crate::Suite;
use smelt::prelude::*;
use smelt::FaultKind;

const SOURCE: (&str, &str) = ("src/unwritten.rs", include_str!("unwritten.rs"));

#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

smelt::shared! {
    static TILE: [u32; 64];
    static PADDED: [Padded; 64];
}

fn x() -> usize {
    thread::thread_index().x as usize
}

fn one_missing(mut y: DisjointMut<u32>) {
    let t = x();
    if t != 5 {
        // SAFETY: none: that is the point.
        unsafe { TILE.set(t, 1) };
    }
    sync::barrier();
    y[thread::index()] = unsafe { TILE.get((t + 1) % 64) }; // here: one missing
}

/// What one block writes is not there for the next.
fn of_another_block(mut y: DisjointMut<u32>) {
    let t = x();
    if thread::block_index().x == 0 {
        // SAFETY: none: that is the point.
        unsafe { TILE.set(t, 1) };
    }
    sync::barrier();
    y[thread::index()] = unsafe { TILE.get(t) }; // here: of another block
}

fn all_written(mut y: DisjointMut<u32>) {
    let t = x();
    // SAFETY: each its own; all is read behind the barrier.
    unsafe { TILE.set(t, 1) };
    sync::barrier();
    y[thread::index()] = unsafe { TILE.get((t + 1) % 64) };
}

/// Fields are written one by one, the padding never, and all of it is copied.
fn padding(mut y: DisjointMut<u32>) {
    let t = x();
    let all = PADDED.as_mut_ptr().cast::<Padded>();
    // SAFETY: each its own; all is read behind the barrier.
    unsafe {
        (*all.add(t)).small = 1;
        (*all.add(t)).large = 2;
    }
    sync::barrier();
    let other = unsafe { *all.add(t ^ 1) };
    y[thread::index()] = other.small as u32 + other.large;
}

pub fn run(suite: &mut Suite) {
    let gpu = suite.gpu.clone();
    let grid = Grid::blocks(2).threads(64);
    let mut y = vec![0u32; 128];

    let result = gpu.launch(grid, one_missing, (&mut y,));
    let fault = suite.wrong(SOURCE, "one missing", FaultKind::Uninitialised, result);
    suite.equal(
        "who reads it",
        fault.map(|f| (f.here.block, f.here.thread, f.other.is_none())),
        Some(([0; 3], [4, 0, 0], true)),
    );
    let result = gpu.launch(grid, of_another_block, (&mut y,));
    suite.wrong(SOURCE, "of another block", FaultKind::Uninitialised, result);
    suite.right("all written", gpu.launch(grid, all_written, (&mut y,)));
    suite.right("padding", gpu.launch(grid, padding, (&mut y,)));
    suite.equal("padding: result", y[0], 3);
}
