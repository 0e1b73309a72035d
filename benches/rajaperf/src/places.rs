//! Where each block's results begin when all write to one list in order, found in the launch that
//! makes them.
//!
//! Each block publishes how many results it has, then looks back over the blocks before it: it takes
//! the count of each or, where that is known already, the count of everything up to its end, at
//! which it stops. (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
//! NVIDIA 2016.) A block waits only for blocks with smaller numbers, and numbers are drawn in the
//! order in which blocks begin (`order`), so no block waits for one that cannot run. Count and what
//! it is a count of are one word, so a reader never sees one without the other.

use crate::order::block_number;
use crate::prim::Cells;
use smelt::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

smelt::shared! {
    static BEFORE: [u64; 1];
}

// A word: number of the launch, what the count is of, count. Words of earlier launches count as
// nothing, so none has to be cleared.
const COUNT_BITS: u32 = 38;
const WHAT_BITS: u32 = 2;
const LAUNCHES: u64 = 1 << (64 - COUNT_BITS - WHAT_BITS);
/// Of the block alone.
const OWN: u64 = 1;
/// Of all blocks up to this one's end.
const TOTAL: u64 = 2;

#[inline(always)]
fn word(launch: u64, what: u64, count: u64) -> u64 {
    (launch % LAUNCHES) << (COUNT_BITS + WHAT_BITS) | what << COUNT_BITS | count
}

/// What and how many, once the block has said so in this launch.
#[inline(always)]
fn wait(word: &AtomicU64, launch: u64) -> (u64, u64) {
    loop {
        let known = word.load(Ordering::Relaxed);
        if known >> (COUNT_BITS + WHAT_BITS) == launch % LAUNCHES {
            let what = known >> COUNT_BITS & ((1 << WHAT_BITS) - 1);
            return (what, known & ((1 << COUNT_BITS) - 1));
        }
        std::hint::spin_loop();
    }
}

/// Sum over the warp, in all lanes.
#[inline(always)]
fn warp_sum(mut value: u64) -> u64 {
    let mut mask = thread::warp_size() / 2;
    while mask > 0 {
        value += warp::shuffle_xor(value, mask);
        mask /= 2;
    }
    value
}

/// Count of all before `tile`, for all lanes of a warp: a tile for each lane at a time, the nearest
/// first.
#[inline(always)]
fn look_back(words: &[AtomicU64], tile: usize, launch: u64) -> u64 {
    let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
    let (mut sum, mut end) = (0, tile);
    while end > 0 {
        let (what, count) = match lane < end {
            true => wait(&words[end - 1 - lane], launch),
            false => (OWN, 0),
        };
        let totals = warp::ballot(what == TOTAL);
        // The nearest total; nothing beyond it counts.
        let stop = totals.trailing_zeros() as usize;
        sum += warp_sum(if lane <= stop { count } else { 0 });
        if totals != 0 {
            break;
        }
        end = end.saturating_sub(warp_size);
    }
    sum
}

/// Takes the next tile: the block's number in the order that results have. To be
/// called once by all threads of a block, which has one dimension.
#[inline(always)]
pub fn next_tile(state: &[AtomicU64]) -> usize {
    block_number(&state[0], thread::grid_dim().x as usize)
}

/// How many results lie before those of the block, which has `count`; `state` has a
/// word for each block and one more; `launch` differs from that of the launch before. To be called
/// once by all threads of a block, which has one dimension.
#[inline(always)]
pub fn places_before(state: &[AtomicU64], tile: usize, launch: u64, count: u64) -> u64 {
    let words = &state[1..];
    let t = thread::thread_index().x;
    if t < thread::warp_size() {
        if t == 0 && tile > 0 {
            words[tile].store(word(launch, OWN, count), Ordering::Relaxed);
        }
        let before = look_back(words, tile, launch);
        if t == 0 {
            words[tile].store(word(launch, TOTAL, before + count), Ordering::Relaxed);
            BEFORE.store(0, before);
        }
    }
    sync::barrier();
    BEFORE.load(0)
}

/// The memory that a grid of `blocks` needs, for [`next_tile`] and [`places_before`].
pub fn state(gpu: &Device, blocks: usize) -> smelt::Result<Buffer<AtomicU64>> {
    Buffer::from_vec(gpu, (0..=blocks).map(|_| AtomicU64::new(0)).collect())
}
