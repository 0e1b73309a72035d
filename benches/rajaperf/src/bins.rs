//! Sums by bins where neighbours mostly fall into one: a thread keeps one bin and its sum until an
//! element is elsewhere, and a warp whose lanes end with the same bin adds up before it touches memory.

use crate::prelude::*;

/// Copies of the bins, so that those of different blocks seldom meet.
pub const COPIES: usize = 64;

/// How elements are shared out: a warp has a stretch of them, so that a thread's are near each other;
/// neighbours have neighbours.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Stretches {
    /// Elements of a thread.
    each: usize,
}

impl Stretches {
    /// Of `n` elements for so many threads, in whole warps.
    pub fn new(n: usize, threads: usize) -> Self {
        let each = n.div_ceil(threads);
        Self { each }
    }

    /// Gives `add` sums of this thread's elements by bins, or of its warp's. `element` says of each
    /// below `n` its bin and value.
    #[inline(always)]
    pub fn sum<T: DeviceCopy>(
        self,
        n: usize,
        zero: T,
        element: impl Fn(usize) -> (usize, T),
        plus: impl Fn(T, T) -> T,
        add: impl Fn(usize, T),
    ) {
        let (lane, lanes) = (thread::lane() as usize, thread::warp_size() as usize);
        let first = (thread::index().get() - lane) * self.each;
        if first >= n {
            return;
        }
        let end = (first + self.each * lanes).min(n);
        let mut i = first + lane;
        // Lanes past the end add nothing to the first element's bin.
        let (mut bin, value) = element(if i < end { i } else { first });
        let mut sum = if i < end { value } else { zero };
        i += lanes;
        while i < end {
            let (here, value) = element(i);
            if here != bin {
                add(bin, sum);
                (bin, sum) = (here, zero);
            }
            sum = plus(sum, value);
            i += lanes;
        }
        let together = warp::all(bin == warp::shuffle(bin, 0));
        if together {
            sum = warp::reduce(sum, plus);
        }
        if !together || lane == 0 {
            add(bin, sum);
        }
    }
}

/// Where this block's copy begins.
#[inline(always)]
pub fn copy(bins: usize) -> usize {
    thread::block_index().x as usize % COPIES * bins
}

/// Adds up the copies of each bin, a warp for a bin: `take` gives what is in a place and leaves zero
/// there, `put` gets the sums. By one block, after all others.
#[inline(always)]
pub fn add_up<T: DeviceCopy>(
    bins: usize,
    zero: T,
    take: impl Fn(usize) -> T,
    plus: impl Fn(T, T) -> T,
    put: impl Fn(usize, T),
) {
    let (lane, lanes) = (thread::lane() as usize, thread::warp_size() as usize);
    let copies = COPIES.min(thread::grid_dim().x as usize);
    let warps = thread::block_dim().x as usize / lanes;
    let mut bin = thread::thread_index().x as usize / lanes;
    while bin < bins {
        let mut sum = zero;
        for copy in (lane..copies).step_by(lanes) {
            sum = plus(sum, take(copy * bins + bin));
        }
        let sum = warp::reduce(sum, &plus);
        if lane == 0 {
            put(bin, sum);
        }
        bin += warps;
    }
}
