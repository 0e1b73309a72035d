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

/// Draws a number from `counter` for the block; of `blocks` numbers the last
/// leaves it as it was. What blocks with smaller numbers wrote before they drew is visible.
#[inline(always)]
fn draw(counter: &AtomicU64, blocks: u64) -> u64 {
    // What an earlier call left in DRAWN has been read, and the block's writes are done.
    sync::barrier();
    if place() == 0 {
        let drawn = counter.fetch_add(1, Ordering::AcqRel);
        if drawn + 1 == blocks {
            counter.store(0, Ordering::Relaxed);
        }
        // SAFETY: this thread alone writes; others read after the next barrier.
        unsafe { DRAWN.write(drawn) };
    }
    sync::barrier();
    // SAFETY: written before the barrier, and not again before the next call's.
    unsafe { DRAWN.read() }
}

/// The block's number in order of beginning, from 0. `counter` is 0 before the launch, and after it. All
/// threads of a block, which has one dimension, must call it together, each block once.
#[inline(always)]
pub fn block_number(counter: &AtomicU64, blocks: usize) -> usize {
    draw(counter, blocks as u64) as usize
}

/// Whether all blocks of the 1-dimensional grid have come here, this one last; what they wrote
/// before, it sees. To be called as [`block_number`].
#[inline(always)]
pub fn last_block(counter: &AtomicU64) -> bool {
    let blocks = thread::grid_dim().x as u64;
    draw(counter, blocks) + 1 == blocks
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
