//! Barriers and warp operations that not all threads reach together.

use crate::Suite;
use smelt::prelude::*;
use smelt::FaultKind;

const SOURCE: (&str, &str) = ("src/meetings.rs", include_str!("meetings.rs"));

fn x() -> u32 {
    thread::thread_index().x
}

fn two_barriers(mut y: DisjointMut<u32>) {
    if x() < 32 {
        sync::barrier(); // here: two barriers
    } else {
        sync::barrier(); // other: two barriers
    }
    y[thread::index()] = 1;
}

/// The other half ends without it.
fn half_a_barrier(mut y: DisjointMut<u32>) {
    let i = thread::index();
    y[i] = 1; // other: half a barrier
    if x() < 32 {
        sync::barrier(); // here: half a barrier
    }
}

fn meet() {
    sync::barrier(); // both: one helper in two places
}

/// One line, reached in two ways.
fn helper_in_two_places(mut y: DisjointMut<u32>) {
    if x() % 2 == 0 {
        meet();
        y[thread::index()] = 1;
    } else {
        meet();
        y[thread::index()] = 2;
    }
}

fn two_shuffles(mut y: DisjointMut<u32>) {
    let t = x();
    y[thread::index()] = if t % 2 == 0 {
        warp::shuffle_xor(t, 2) // here: two shuffles
    } else {
        warp::shuffle_xor(t, 4) // other: two shuffles
    };
}

fn shuffle_beside_barrier(mut y: DisjointMut<u32>) {
    let t = x();
    if t == 9 {
        sync::barrier(); // other: shuffle beside barrier
        y[thread::index()] = warp::shuffle_xor(t, 1);
    } else {
        y[thread::index()] = warp::shuffle_xor(t, 1); // here: shuffle beside barrier
        sync::barrier();
    }
}

/// All of a block go the same way, each block its own.
fn by_block(mut y: DisjointMut<u32>) {
    if thread::block_index().x == 0 {
        sync::barrier();
    } else {
        sync::barrier();
        sync::barrier();
    }
    y[thread::index()] = 1;
}

/// The warps of a block need not do the same between two barriers.
fn by_warp(mut y: DisjointMut<u32>) {
    let t = x();
    let v = if t < 32 {
        warp::shuffle_xor(t, 1)
    } else {
        warp::shuffle_xor(t, 2)
    };
    sync::barrier();
    y[thread::index()] = v;
}

/// Ended lanes take no part in warp operations.
fn ended_lanes(mut y: DisjointMut<u32>) {
    let t = x();
    if t >= 40 {
        return;
    }
    y[thread::index()] = warp::ballot(true).count_ones();
}

/// A panic is told as one; that its thread is missing at the barrier then is its doing.
fn panics_before(mut y: DisjointMut<u32>) {
    assert!(x() != 7, "seven");
    sync::barrier();
    y[thread::index()] = 1;
}

pub fn run(suite: &mut Suite) {
    let gpu = suite.gpu.clone();
    let grid = Grid::blocks(2).threads(64);
    let mut y = vec![0u32; 128];

    for (name, result) in [
        ("two barriers", gpu.launch(grid, two_barriers, (&mut y,))),
        (
            "half a barrier",
            gpu.launch(grid, half_a_barrier, (&mut y,)),
        ),
        (
            "one helper in two places",
            gpu.launch(grid, helper_in_two_places, (&mut y,)),
        ),
        ("two shuffles", gpu.launch(grid, two_shuffles, (&mut y,))),
        (
            "shuffle beside barrier",
            gpu.launch(grid, shuffle_beside_barrier, (&mut y,)),
        ),
    ] {
        suite.wrong(SOURCE, name, FaultKind::Barrier, result);
    }
    suite.right("by block", gpu.launch(grid, by_block, (&mut y,)));
    suite.right("by warp", gpu.launch(grid, by_warp, (&mut y,)));
    suite.right("ended lanes", gpu.launch(grid, ended_lanes, (&mut y,)));
    let panic = gpu.launch(grid, panics_before, (&mut y,));
    suite.equal(
        "panic before a barrier",
        matches!(panic, Err(smelt::Error::Panic { threads: 2, .. })),
        true,
    );
}
