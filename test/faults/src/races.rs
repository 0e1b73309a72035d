//! Data races: in shared memory, in global memory, within a block, between blocks.

use crate::Suite;
use smelt::prelude::*;
use smelt::{dynamic_shared, FaultKind};
use std::sync::atomic::{AtomicU32, Ordering};

const SOURCE: (&str, &str) = ("src/races.rs", include_str!("races.rs"));

smelt::shared! {
    static TILE: [u32; 64];
    static BYTES: [u8; 64];
}

fn x() -> usize {
    thread::thread_index().x as usize
}

fn no_barrier(mut y: DisjointMut<u32>) {
    let t = x();
    // SAFETY: none: that is the point.
    unsafe { TILE.set(t, t as u32) }; // here: shared memory without barrier
    y[thread::index()] = unsafe { TILE.get(63 - t) }; // other: shared memory without barrier
}

fn with_barrier(mut y: DisjointMut<u32>) {
    let t = x();
    // SAFETY: each its own; all is read behind the barrier.
    unsafe { TILE.set(t, t as u32) };
    sync::barrier();
    y[thread::index()] = unsafe { TILE.get(63 - t) };
}

/// The first barrier is there, the one before the next round is not.
fn second_round(mut y: DisjointMut<u32>) {
    let t = x();
    let mut sum = 0;
    for round in 0..2 {
        // SAFETY: none: that is the point.
        unsafe { TILE.set(t, round) }; // here: second round
        sync::barrier();
        sum += unsafe { TILE.get((t + 1) % 64) }; // other: second round
    }
    y[thread::index()] = sum;
}

fn second_round_right(mut y: DisjointMut<u32>) {
    let t = x();
    let mut sum = 0;
    for round in 0..2 {
        // SAFETY: each its own; all is read between the barriers.
        unsafe { TILE.set(t, round) };
        sync::barrier();
        sum += unsafe { TILE.get((t + 1) % 64) };
        sync::barrier();
    }
    y[thread::index()] = sum;
}

/// A shuffle makes the lanes wait for each other, and orders no memory.
fn shuffle_is_no_barrier(mut y: DisjointMut<u32>) {
    let t = x();
    // SAFETY: none: that is the point.
    unsafe { TILE.set(t, t as u32) }; // other: shuffle is no barrier
    let lane = warp::shuffle_xor(t as u32, 1);
    y[thread::index()] = lane + unsafe { TILE.get(t ^ 1) }; // here: shuffle is no barrier
}

/// Neighbours in a word are not one place.
fn bytes_apart(mut y: DisjointMut<u32>) {
    let t = x();
    // SAFETY: each its own.
    unsafe { BYTES.set(t, t as u8) };
    y[thread::index()] = unsafe { BYTES.get(t) } as u32;
}

fn bytes_meet(_: DisjointMut<u32>) {
    let t = x();
    // SAFETY: none: that is the point.
    unsafe { BYTES.set(t / 2, t as u8) }; // both: one byte
}

fn one_element(mut y: DisjointMut<u32>) {
    let i = thread::index().get();
    // SAFETY: none: that is the point.
    *unsafe { y.get_unchecked_mut(i / 2) } = 1; // both: one element of a view
}

fn own_elements(mut y: DisjointMut<u32>) {
    let i = thread::index().get();
    // SAFETY: each its own.
    *unsafe { y.get_unchecked_mut(i ^ 1) } = 1;
}

/// The barrier orders the threads of a block, not the blocks.
fn between_blocks(mut y: DisjointMut<u32>) {
    let i = thread::index();
    y[i] = 1; // other: between blocks
    sync::barrier();
    let p = y.as_mut_ptr();
    let before = i.get().wrapping_sub(64);
    if i.get() >= 64 {
        // SAFETY: none: that is the point.
        let old = unsafe { p.add(before).read() }; // here: between blocks
        y[i] += old;
    }
}

fn within_blocks(mut y: DisjointMut<u32>) {
    let i = thread::index();
    y[i] = 1;
    sync::barrier();
    let p = y.as_mut_ptr();
    // SAFETY: written before the barrier, by this block, and by nobody after.
    let other = unsafe { p.add(i.get() ^ 1).read() };
    sync::barrier();
    y[i] += other;
}

/// A copy of several elements touches each of them.
fn copy_over(_: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    y[i] = 7; // other: copy
    let p = y.as_mut_ptr();
    if i.get() == 20 {
        // SAFETY: none: that is the point.
        unsafe { p.add(8).copy_to_nonoverlapping(p.add(30), 6) }; // here: copy
    }
}

fn counted(counter: &[AtomicU32]) {
    counter[0].fetch_add(1, Ordering::Relaxed);
}

fn counted_plainly(counter: &[AtomicU32]) {
    let t = x();
    if t == 0 {
        counter[0].fetch_add(1, Ordering::Relaxed); // other: atomic and plain
    } else if t == 1 {
        // SAFETY: none: that is the point.
        unsafe { counter[0].as_ptr().write(0) }; // here: atomic and plain
    }
}

fn dynamic(mut y: DisjointMut<u32>) {
    let t = x();
    // SAFETY: none: that is the point.
    let all = unsafe { dynamic_shared::<u32>() };
    unsafe { all.add(t).write(1) }; // here: dynamic shared memory
    y[thread::index()] = unsafe { all.add(t ^ 1).read() }; // other: dynamic shared memory
}

/// A function that stays one, so that its line is not the kernel's.
#[inline(never)]
fn store(p: *mut u32, value: u32) {
    // SAFETY: none: that is the point.
    unsafe { p.write(value) } // both: in a function
}

fn in_a_function(mut y: DisjointMut<u32>) {
    let i = thread::index().get();
    store(unsafe { y.as_mut_ptr().add(i / 2) }, 1);
}

/// All read one element that the host wrote, each with locals of its own.
fn read_by_all(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    let mut own = [0; 8];
    for (k, own) in own.iter_mut().enumerate() {
        *own = x[k];
    }
    own.sort_unstable();
    y[i] = own[i.get() % 8] + x[0];
}

/// The same across barriers, where the locals are not on the stack.
fn locals_across_barriers(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    let mut own = [0; 8];
    for (k, own) in own.iter_mut().enumerate() {
        *own = x[k] + i.get() as u32;
        sync::barrier();
    }
    own.sort_unstable();
    store(&mut own[3], 2);
    sync::barrier();
    y[i] = own[i.get() % 8];
}

pub fn run(suite: &mut Suite) {
    let gpu = suite.gpu.clone();
    let grid = Grid::blocks(2).threads(64);
    let mut y = vec![0u32; 128];
    let counter = [AtomicU32::new(0)];
    let x = vec![1u32; 128];

    for (name, result) in [
        (
            "shared memory without barrier",
            gpu.launch(grid, no_barrier, (&mut y,)),
        ),
        ("second round", gpu.launch(grid, second_round, (&mut y,))),
        (
            "shuffle is no barrier",
            gpu.launch(grid, shuffle_is_no_barrier, (&mut y,)),
        ),
        (
            "between blocks",
            gpu.launch(grid, between_blocks, (&mut y,)),
        ),
        (
            "atomic and plain",
            gpu.launch(grid, counted_plainly, (&counter,)),
        ),
        (
            "dynamic shared memory",
            gpu.launch(grid.shared(256), dynamic, (&mut y,)),
        ),
    ] {
        suite.wrong(SOURCE, name, FaultKind::Race, result);
    }
    let result = gpu.launch(grid, one_element, (&mut y,));
    let fault = suite.wrong(SOURCE, "one element of a view", FaultKind::Race, result);
    let places = fault.map(|f| {
        (
            f.address,
            f.here.thread,
            f.here.block,
            f.other.map(|o| o.thread),
        )
    });
    suite.equal(
        "whose fault it is",
        places,
        Some((y.as_ptr() as u64, [1, 0, 0], [0, 0, 0], Some([0, 0, 0]))),
    );
    let result = gpu.launch(grid, copy_over, (&x, &mut y));
    let fault = suite.wrong(SOURCE, "copy", FaultKind::Race, result);
    suite.equal(
        "which memory it is",
        fault.is_some_and(|f| f.message.contains("byte 32 of the kernel's slice 2,")),
        true,
    );
    let result = gpu.launch(grid, bytes_meet, (&mut y,));
    suite.wrong(SOURCE, "one byte", FaultKind::Race, result);
    let result = gpu.launch(grid, in_a_function, (&mut y,));
    suite.wrong(SOURCE, "in a function", FaultKind::Race, result);

    suite.right("barrier", gpu.launch(grid, with_barrier, (&mut y,)));
    suite.right(
        "two barriers",
        gpu.launch(grid, second_round_right, (&mut y,)),
    );
    suite.right("bytes apart", gpu.launch(grid, bytes_apart, (&mut y,)));
    suite.right("own elements", gpu.launch(grid, own_elements, (&mut y,)));
    suite.right("within blocks", gpu.launch(grid, within_blocks, (&mut y,)));
    suite.equal("within blocks: result", y.iter().sum::<u32>(), 256);
    suite.right("counted", gpu.launch(grid, counted, (&counter,)));
    let result = gpu.launch(grid, locals_across_barriers, (&x, &mut y));
    suite.right("locals across barriers", result);
    suite.right("read by all", gpu.launch(grid, read_by_all, (&x, &mut y)));
}
