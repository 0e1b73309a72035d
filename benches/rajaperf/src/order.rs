//! Order among the blocks of a launch: numbers in the order in which blocks begin, and which block
//! comes last.
//!
//! A block may wait for one with a smaller number and for no other: that one has begun, so it
//! will end, whatever else the device does not yet run.

use smelt::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

smelt::shared! {
    static DRAWN: u64;
}

/// Thread's number in its block, which has one dimension.
#[inline(always)]
fn place() -> u32 {
    thread::thread_index().x
}

/// What `draw` gives thread 0, for all threads of the block.
#[inline(always)]
fn drawn(draw: impl FnOnce() -> u64) -> u64 {
    // What an earlier call left in DRAWN has been read, and the block's writes are done.
    sync::barrier();
    if place() == 0 {
        let drawn = draw();
        // SAFETY: this thread alone writes; others read after the next barrier.
        unsafe { DRAWN.write(drawn) };
    }
    sync::barrier();
    // SAFETY: written before the barrier, and not again before the next call's.
    unsafe { DRAWN.read() }
}

/// Draws a number from `counter`; of `of` numbers the last leaves it as it was. What was written before
/// smaller numbers were drawn is visible.
#[inline(always)]
fn draw(counter: &AtomicU64, of: u64) -> u64 {
    let drawn = counter.fetch_add(1, Ordering::AcqRel);
    if drawn + 1 == of {
        counter.store(0, Ordering::Relaxed);
    }
    drawn
}

/// The block's number in order of beginning, from 0. `counter` is 0 before the launch, and after it. All
/// threads of a block, which has one dimension, must call it together, each block once.
#[inline(always)]
pub fn block_number(counter: &AtomicU64, blocks: usize) -> usize {
    drawn(|| draw(counter, blocks as u64)) as usize
}

/// Blocks that draw from one counter, at most; groups of more than these; and words between counters:
/// atomics on one address come one after the other, and each has a line of the caches for itself.
const FEW: usize = 256;
const GROUPS: usize = 32;
const LINE: usize = 16;

/// Counters for [`last_block`].
pub fn counters() -> Vec<AtomicU64> {
    (0..(1 + GROUPS) * LINE)
        .map(|_| AtomicU64::new(0))
        .collect()
}

/// Whether all blocks of the 1-dimensional grid have come here, this one last; what they wrote
/// before, it sees. To be called as [`block_number`], with [`counters`].
#[inline(always)]
pub fn last_block(counters: &[AtomicU64]) -> bool {
    let draw_last = |counter: usize, of: usize| {
        let of = of as u64;
        draw(&counters[counter * LINE], of) + 1 == of
    };
    let is_last = || {
        let blocks = thread::grid_dim().x as usize;
        if blocks <= FEW {
            return draw_last(0, blocks);
        }
        let group = thread::block_index().x as usize % GROUPS;
        let members = (blocks - group).div_ceil(GROUPS);
        draw_last(1 + group, members) && draw_last(0, GROUPS)
    };
    drawn(|| is_last() as u64) != 0
}

/// The same for each of some round numbers, as that many copies: arrays that are indexed by them
/// become registers, which they do not where a loop is too long to be unrolled.
///
/// ```text
/// rounds!(round in [0 1 2 3] { sum += elements[round]; });
/// ```
#[macro_export]
macro_rules! rounds {
    ($round:ident in [$($number:literal)*] $body:block) => {$({
        const $round: usize = $number;
        $body
    })*};
}
