//! Tuning `four` of kernels that stream through arrays: a block has a stretch of them, of which each
//! thread takes four elements, one in each quarter. A quarter of the blocks, and four loads under way
//! in each thread before the first is used; neighbours still have neighbours.
//!
//! What is written is atomic only so that safe code may write several elements of a thread's own; a
//! relaxed store is a store.

use crate::prelude::*;

/// Elements of a thread.
const EACH: usize = 4;

/// The grid for `n` elements in blocks of `block` threads.
pub fn grid(n: usize, block: usize) -> Grid {
    Grid::blocks(n.div_ceil(EACH * block).max(1)).threads(block)
}

/// Calls `store` with the value that `make` gives, for this thread's numbers below `n`, all values
/// being made first.
#[inline(always)]
pub fn four<T>(n: usize, make: impl Fn(usize) -> T, store: impl Fn(usize, T)) {
    let block = thread::block_dim().x as usize;
    let first = thread::block_index().x as usize * EACH * block + thread::thread_index().x as usize;
    if first + (EACH - 1) * block < n {
        let values: [T; EACH] = std::array::from_fn(|k| make(first + k * block));
        for (k, value) in values.into_iter().enumerate() {
            store(first + k * block, value);
        }
    } else {
        for i in (first..n).step_by(block) {
            store(i, make(i));
        }
    }
}
