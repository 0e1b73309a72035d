//! What atomics order, between the threads of a block and between blocks, and what they do not.

use crate::Suite;
use smelt::prelude::*;
use smelt::FaultKind;
use std::sync::atomic::{fence, AtomicU32, Ordering};

const SOURCE: (&str, &str) = ("src/order.rs", include_str!("order.rs"));
const BLOCK: usize = 64;

smelt::shared! { static SUMS: [u32; BLOCK]; }

fn x() -> usize {
    thread::thread_index().x as usize
}

/// Each block leaves a sum; the one that comes last adds them up. `count` says that the sum is
/// there, and tells whether it was the last.
fn sum_of_blocks(
    x_: &[u32],
    sums: *mut u32,
    total: &mut DisjointMut<u32>,
    count: impl Fn() -> u32,
    wait: bool,
) {
    let (t, i) = (x(), thread::index().get());
    let blocks = thread::grid_dim().x;
    // SAFETY: each its own place; one thread adds up behind the barrier.
    unsafe { SUMS.set(t, x_[i]) };
    sync::barrier();
    if t != 0 {
        return;
    }
    let sum = (0..BLOCK).map(|k| unsafe { SUMS.get(k) }).sum::<u32>();
    let block = thread::block_index().x as usize;
    // SAFETY: each block its own place; the last one reads all, ordered by `count`.
    unsafe { sums.add(block).write(sum) }; // other: relaxed counter
    if count() == blocks - 1 && wait {
        let all = (0..blocks as usize).map(|b| unsafe { sums.add(b).read() }); // here: relaxed counter
        unsafe { *total.get_unchecked_mut(0) = all.sum() };
    }
}

fn last_block(x: &[u32], mut sums: DisjointMut<u32>, mut y: DisjointMut<u32>, n: &[AtomicU32]) {
    let count = || n[0].fetch_add(1, Ordering::AcqRel);
    sum_of_blocks(x, sums.as_mut_ptr(), &mut y, count, true);
}

fn last_block_fenced(
    x: &[u32],
    mut sums: DisjointMut<u32>,
    mut y: DisjointMut<u32>,
    n: &[AtomicU32],
) {
    let count = || {
        fence(Ordering::Release);
        let before = n[0].fetch_add(1, Ordering::Relaxed);
        fence(Ordering::Acquire);
        before
    };
    sum_of_blocks(x, sums.as_mut_ptr(), &mut y, count, true);
}

fn last_block_relaxed(
    x: &[u32],
    mut sums: DisjointMut<u32>,
    mut y: DisjointMut<u32>,
    n: &[AtomicU32],
) {
    let count = || n[0].fetch_add(1, Ordering::Relaxed);
    sum_of_blocks(x, sums.as_mut_ptr(), &mut y, count, true);
}

/// A chain: each block takes the sum so far from the block before, and passes it on.
fn chained(mut sums: DisjointMut<u32>, flags: &[AtomicU32]) {
    let block = thread::block_index().x as usize;
    if x() != 0 {
        return;
    }
    let p = sums.as_mut_ptr();
    let before = if block == 0 {
        0
    } else {
        while flags[block - 1].load(Ordering::Acquire) == 0 {}
        // SAFETY: written before the flag was set.
        unsafe { p.add(block - 1).read() }
    };
    // SAFETY: the block's own place; read by the next when the flag is set.
    unsafe { p.add(block).write(before + 1) };
    flags[block].store(1, Ordering::Release);
}

/// The counter is right, but other threads of the block had not waited for each other.
fn early_count(mut y: DisjointMut<u32>, n: &[AtomicU32]) {
    let i = thread::index();
    y[i] = 1; // other: barrier missing before the counter
    if x() == 0 && n[0].fetch_add(1, Ordering::AcqRel) == thread::grid_dim().x - 1 {
        let p = y.as_mut_ptr();
        // SAFETY: none: that is the point.
        let seen = unsafe { p.add(1).read() }; // here: barrier missing before the counter
        y[i] = seen;
    }
}

/// What one thread acquires, its block knows behind the next barrier.
fn spread_by_barrier(mut y: DisjointMut<u32>, n: &[AtomicU32]) {
    let i = thread::index();
    let t = x();
    let p = y.as_mut_ptr();
    y[i] = 1;
    sync::barrier();
    if t == 0 {
        // SAFETY: one thread writes.
        unsafe { SUMS.set(0, n[0].fetch_add(1, Ordering::AcqRel)) };
    }
    sync::barrier();
    if unsafe { SUMS.get(0) } == thread::grid_dim().x - 1 && t < 32 {
        // SAFETY: all other blocks have counted, and write no more.
        let other = unsafe { p.add((i.get() + 64) % 128).read() };
        y[i] += other;
    }
}

/// A flag in shared memory, from one thread of a warp to another.
fn flag_in_block(mut y: DisjointMut<u32>, flags: &[AtomicU32]) {
    let (t, block) = (x(), thread::block_index().x as usize);
    if t == 0 {
        // SAFETY: the flag says when it may be read.
        unsafe { SUMS.set(0, 5) };
        flags[block].store(1, Ordering::Release);
    }
    let _ = warp::ballot(true);
    if t == 1 && flags[block].load(Ordering::Acquire) == 1 {
        y[thread::index()] = unsafe { SUMS.get(0) };
    }
}

pub fn run(suite: &mut Suite) {
    let gpu = suite.gpu.clone();
    let blocks = 8usize;
    let grid = Grid::blocks(blocks).threads(BLOCK);
    let input = vec![1u32; blocks * BLOCK];
    let mut sums = vec![0u32; blocks];
    let mut y = vec![0u32; input.len()];
    let flags = || (0..8).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();

    let result = gpu.launch(grid, last_block, (&input, &mut sums, &mut y, &flags()));
    suite.right("last block", result);
    suite.equal("last block: result", y[0], 512);
    let result = gpu.launch(
        grid,
        last_block_fenced,
        (&input, &mut sums, &mut y, &flags()),
    );
    suite.right("last block with fences", result);
    let result = gpu.launch(
        grid,
        last_block_relaxed,
        (&input, &mut sums, &mut y, &flags()),
    );
    suite.wrong(SOURCE, "relaxed counter", FaultKind::Race, result);
    suite.right("chain", gpu.launch(grid, chained, (&mut sums, &flags())));
    suite.equal("chain: result", sums[7], 8);
    let grid = Grid::blocks(2).threads(64);
    let result = gpu.launch(grid, early_count, (&mut y, &flags()));
    suite.wrong(
        SOURCE,
        "barrier missing before the counter",
        FaultKind::Race,
        result,
    );
    let result = gpu.launch(grid, spread_by_barrier, (&mut y, &flags()));
    suite.right("spread by a barrier", result);
    suite.right("flag", gpu.launch(grid, flag_in_block, (&mut y, &flags())));
}
