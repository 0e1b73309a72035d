//! Basic_INDEXLIST: the list of the places where x is negative, in order, made in one launch.
//!
//! A block does ITEMS rounds of a thread for each element. The votes of a warp in a round say how many of its
//! lanes have something for the list and where in it; sums over the votes before give the place within
//! the block, and looking back over the blocks the place in the list.

use crate::places::{next_tile, places_before, state};
use crate::prelude::*;
use smelt::prim::Select;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// Threads in a block, and rounds.
const THREADS: usize = 256;
const ITEMS: usize = 8;
const TILE: usize = THREADS * ITEMS;
/// Votes in a block: one in each round for each warp, which has at least 32 lanes.
const MOST_VOTES: usize = TILE / 32;

pub const KERNEL: Kernel = Kernel {
    name: "INDEXLIST",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Scan],
    reps: 100,
    shape: |_, n| Shape {
        bytes_read: 8 + 8 * n,
        // About half of them are negative.
        bytes_written: 8 + 4 * n / 2,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("library")],
    block: THREADS,
    any_block: false,
    ..Kernel::DEFAULT
};

/// x, and the list with its initial contents.
fn data(run: &mut Run) -> (Vec<f64>, Vec<i32>) {
    let (n, init) = (run.size, &mut run.init);
    (init.signed(n), init.ints(n))
}

fn checksum(list: &[i32], len: usize) -> Checksum {
    Checksum::of(list).number(len as f64)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let (x, mut list) = data(run);
    let mut len = 0;
    run.time_host(|| {
        len = 0;
        for (i, x) in x.iter().enumerate() {
            if *x < 0.0 {
                list[len] = i as i32;
                len += 1;
            }
        }
    });
    Ok(checksum(&list, len))
}

smelt::shared! {
    /// How many each vote counted, then how many were counted before it.
    static VOTES: [u64; MOST_VOTES];
    static COUNT: [u64; 1];
}

/// Replaces the counts of all votes by what was counted before each; gives the count of all.
#[inline(always)]
fn scan_votes() -> u64 {
    let (lane, warp_size) = (thread::lane(), thread::warp_size());
    sync::barrier();
    if thread::thread_index().x < warp_size {
        let votes = TILE / warp_size as usize;
        let each = votes.div_ceil(warp_size as usize);
        let first = lane as usize * each;
        let mut mine = 0;
        for v in first..(first + each).min(votes) {
            mine += VOTES.load(v);
        }
        let mut through = mine;
        let mut delta = 1;
        while delta < warp_size {
            let below = warp::shuffle_up(through, delta);
            if lane >= delta {
                through += below;
            }
            delta *= 2;
        }
        let mut before = through - mine;
        for v in first..(first + each).min(votes) {
            let count = VOTES.load(v);
            VOTES.store(v, before);
            before += count;
        }
        if lane == warp_size - 1 {
            COUNT.store(0, through);
        }
    }
    sync::barrier();
    COUNT.load(0)
}

/// The elements of this thread for which `wanted` holds, each put where it belongs.
#[inline(always)]
fn collect(
    n: usize,
    wanted: impl Fn(usize) -> bool,
    state: &[AtomicU64],
    launch: u64,
    len: &[AtomicU64],
    mut put: impl FnMut(usize, i32),
) {
    let tile = next_tile(state);
    let (t, warp_size) = (
        thread::thread_index().x as usize,
        thread::warp_size() as usize,
    );
    let (warp, warps) = (t / warp_size, THREADS / warp_size);
    let mut votes = [0u64; ITEMS];
    for (round, vote) in votes.iter_mut().enumerate() {
        let i = tile * TILE + round * THREADS + t;
        *vote = warp::ballot(i < n && wanted(i));
        if thread::lane() == 0 {
            VOTES.store(round * warps + warp, vote.count_ones() as u64);
        }
    }
    let count = scan_votes();
    let before = places_before(state, tile, launch, count);
    let lanes_below = (1u64 << thread::lane()) - 1;
    for (round, vote) in votes.iter().enumerate() {
        if vote >> thread::lane() & 1 == 1 {
            let place = before
                + VOTES.load(round * warps + warp)
                + (vote & lanes_below).count_ones() as u64;
            put(place as usize, (tile * TILE + round * THREADS + t) as i32);
        }
    }
    if t == 0 && tile + 1 == thread::grid_dim().x as usize {
        len[0].store(before + count, Ordering::Relaxed);
    }
}

// The list's elements are atomics only so that safe code may write them at places that the compiler cannot
// see to be different; a relaxed store is a store.
fn indexlist(x: &[f64], list: &[AtomicI32], state: &[AtomicU64], launch: u64, len: &[AtomicU64]) {
    let put = |place: usize, i| list[place].store(i, Ordering::Relaxed);
    collect(x.len(), |i| x[i] < 0.0, state, launch, len, put);
}

fn indexlist_unchecked(
    x: &[f64],
    list: &[AtomicI32],
    state: &[AtomicU64],
    launch: u64,
    len: &[AtomicU64],
) {
    // SAFETY: as many places as elements of x, at most; the list is as long.
    let put = |place: usize, i| unsafe { *list.get_unchecked(place).as_ptr() = i };
    // SAFETY: asked for places below x's length only.
    let wanted = |i: usize| unsafe { *x.get_unchecked(i) < 0.0 };
    collect(x.len(), wanted, state, launch, len, put);
}

/// Tuning `library`: the crate's selection.
fn library(run: &mut Run) -> smelt::Result<Checksum> {
    let (x, list) = data(run);
    let x = run.to_device(&x)?;
    let list: Vec<u32> = list.into_iter().map(i32::cast_unsigned).collect();
    let mut list = run.to_device(&list)?;
    let mut select = Select::new(&run.gpu, run.size)?;
    let mut len = 0;
    run.time(|queue| {
        select.places(&queue.gpu, x.view(), list.view_mut(), |x| *x < 0.0)?;
        len = select.count()?;
        Ok(())
    })?;
    let list = run.to_host(&list)?.into_iter().map(u32::cast_signed);
    Ok(checksum(&list.collect::<Vec<_>>(), len))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "library" {
        return library(run);
    }
    let (x, list) = data(run);
    let x = run.to_device(&x)?;
    let list = run.move_to_device(list.into_iter().map(AtomicI32::new).collect())?;
    let blocks = run.size.div_ceil(TILE);
    let state = state(&run.gpu, blocks)?;
    let len = run.move_to_device(vec![AtomicU64::new(0)])?;
    let mut host = [AtomicU64::new(0)];
    let grid = Grid::blocks(blocks).threads(THREADS);
    let mut number = 0;
    run.time(|queue| {
        number += 1;
        let args = (&x, &list, &state, number, &len);
        launch!(queue, grid, [indexlist, indexlist_unchecked], args)?;
        len.copy_to(&mut host)
    })?;
    let list: Vec<i32> = run
        .to_host(&list)?
        .into_iter()
        .map(AtomicI32::into_inner)
        .collect();
    let len = host[0].load(Ordering::Relaxed);
    Ok(checksum(&list, len as usize))
}
