//! Sums over the threads of a block that have the same place in a group of `W` columns, for kernels
//! in which a block makes one sum (`W` = 1) or `W` that lie side by side.
//!
//! Blocks are whole warps: [`threads`] rounds to that.

use crate::prelude::*;

/// Most sums that a block makes.
const MOST: usize = 8;

smelt::shared! {
    // What each warp has, for each column.
    static PARTIAL: [f64; 32 * MOST];
}

/// Threads in a block, as asked for but whole warps of any device.
pub fn threads(asked: usize) -> usize {
    (asked / 64 * 64).clamp(64, 1024)
}

/// Adds up the values of those lanes that have the same number modulo `W`.
#[inline(always)]
fn warp_sum<const W: usize>(mut value: f64) -> f64 {
    let mut mask = thread::warp_size() / 2;
    while mask >= W as u32 {
        value += warp::shuffle_xor(value, mask);
        mask /= 2;
    }
    value
}

/// This thread's block, its number in the block, and the block's threads.
#[inline(always)]
pub fn place() -> (usize, usize, usize) {
    (
        thread::block_index().x as usize,
        thread::thread_index().x as usize,
        thread::block_dim().x as usize,
    )
}

/// Adds up the values of the threads of a 1-dimensional block that have the same number modulo
/// `W`, a power of two. The first `W` threads get the sums, the others nothing of use.
#[inline(always)]
pub fn sum<const W: usize>(value: f64) -> f64 {
    const { assert!(W.is_power_of_two() && W <= MOST) };
    let t = thread::thread_index().x as usize;
    let warp_size = thread::warp_size() as usize;
    let (lane, warp) = (t % warp_size, t / warp_size);
    let warps = thread::block_dim().x as usize / warp_size;
    let value = warp_sum::<W>(value);
    // What an earlier call left there has been read.
    sync::barrier();
    if lane < W {
        PARTIAL.store(warp * W + lane, value);
    }
    sync::barrier();
    let mut total = 0.0;
    if warp == 0 {
        // The lanes' columns are theirs modulo W here too, since W divides a warp.
        let mut i = lane;
        while i < warps * W {
            total += PARTIAL.load(i);
            i += warp_size;
        }
        total = warp_sum::<W>(total);
    }
    total
}

/// Terms that a thread has under way at a time.
const UNROLL: usize = 8;

/// The sum of `term(i)` for i = `first`, `first + step`, ... below `end`, with all the loads of a
/// few terms before the first is used.
#[inline(always)]
pub fn strided(first: usize, step: usize, end: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sums = [0.0; UNROLL];
    let mut i = first;
    while i + (UNROLL - 1) * step < end {
        let terms: [f64; UNROLL] = std::array::from_fn(|k| term(i + k * step));
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
        i += UNROLL * step;
    }
    // The rest at once too: few terms are all there are, often.
    let terms: [f64; UNROLL] = std::array::from_fn(|k| match i + k * step {
        at if at < end => term(at),
        _ => 0.0,
    });
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += term;
    }
    sums.iter().sum()
}
