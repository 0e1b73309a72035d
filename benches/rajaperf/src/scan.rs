//! Exclusive prefix sums in one launch that reads and writes everything once.
//!
//! Each block takes a tile of the array, in the order in which blocks begin. It publishes the sum of its
//! tile, and then finds what lies before it by looking back: at each earlier tile it takes the
//! tile's sum or, where that is known already, the sum of everything up to its end, at which it
//! stops. A block waits only for blocks that began before it, so it never waits for one that
//! waits for it. (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled
//! Look-back", NVIDIA 2016.) Which sums a block finds depends on timing, so that the last bits of a
//! result can differ from run to run.
//!
//! On the CPU a thread does a tile by itself, without what is dear there (barriers and warps), after
//! another launch has added the tiles up.

use crate::order::block_number;
use crate::prim::Cells;
use smelt::prelude::*;
use smelt::{DeviceKind, Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// Threads in a block.
const THREADS: usize = 256;
/// Elements of a thread.
const ITEMS: usize = 16;
const TILE: usize = THREADS * ITEMS;
/// Elements of a tile on the CPU.
const ALONE: usize = 1 << 15;
/// Most warps in a block: a warp has at least 32 threads.
const MOST_WARPS: usize = THREADS / 32;

smelt::shared! {
    /// Sum of each warp's part of the tile.
    static WARPS: [f64; MOST_WARPS];
    /// Sum of what lies before the tile.
    static BEFORE: [f64; 1];
}

/// Stands where nothing is known yet: a NaN that no sum is, as sums that are it become another.
const NOTHING: u64 = u64::MAX;
/// Tiles that a lane looks at together.
const AHEAD: usize = 4;

/// What is known of the tiles: their sums, and the totals up to their ends.
struct Tiles<'k> {
    sums: &'k [AtomicU64],
    totals: &'k [AtomicU64],
}

impl<'k> Tiles<'k> {
    /// Of the memory for even and for odd launches the one for this launch.
    #[inline(always)]
    fn new(state: &'k [AtomicU64], launch: u64) -> Self {
        let (even, odd) = state.split_at(state.len() / 2);
        let (sums, totals) = if launch % 2 == 0 { even } else { odd }.split_at(even.len() / 2);
        Self { sums, totals }
    }

    /// Makes the tile's part ready for another launch.
    #[inline(always)]
    fn forget(&self, tile: usize) {
        self.sums[tile].store(NOTHING, Ordering::Relaxed);
        self.totals[tile].store(NOTHING, Ordering::Relaxed);
    }

    #[inline(always)]
    fn publish(value: f64, to: &AtomicU64) {
        let bits = value.to_bits();
        let bits = if bits == NOTHING {
            f64::NAN.to_bits()
        } else {
            bits
        };
        to.store(bits, Ordering::Relaxed);
    }

    /// The total up to the end of the tile, or else its sum, once one of them is known; and
    /// whether it is the total.
    #[inline(always)]
    fn wait(&self, tile: usize, mut total: u64, mut sum: u64) -> (bool, f64) {
        while total == NOTHING && sum == NOTHING {
            std::hint::spin_loop();
            total = self.totals[tile].load(Ordering::Relaxed);
            sum = self.sums[tile].load(Ordering::Relaxed);
        }
        match total {
            NOTHING => (false, f64::from_bits(sum)),
            total => (true, f64::from_bits(total)),
        }
    }

    /// The sum of all before the tile, for every lane of the warp that asks: AHEAD tiles for each
    /// lane at a time, the nearest first.
    #[inline(always)]
    fn before(&self, tile: usize) -> f64 {
        let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
        let mut sum = 0.0;
        let mut end = tile;
        while end > 0 {
            // All loads first, so that they are under way together.
            let (mut sums, mut totals) = ([0; AHEAD], [0; AHEAD]);
            crate::rounds!(K in [0 1 2 3] {
                if let Some(tile) = end.checked_sub(1 + lane + K * warp_size) {
                    totals[K] = self.totals[tile].load(Ordering::Relaxed);
                    sums[K] = self.sums[tile].load(Ordering::Relaxed);
                }
            });
            crate::rounds!(K in [0 1 2 3] {
                let (is_total, value) = match end.checked_sub(1 + lane + K * warp_size) {
                    Some(tile) => self.wait(tile, totals[K], sums[K]),
                    None => (false, 0.0),
                };
                let known = warp::ballot(is_total);
                // The nearest total; nothing beyond it counts.
                let stop = known.trailing_zeros() as usize;
                sum += warp_sum(if lane <= stop { value } else { 0.0 });
                if known != 0 {
                    return sum;
                }
            });
            end = end.saturating_sub(AHEAD * warp_size);
        }
        sum
    }
}

/// The sum over the warp, in all lanes.
#[inline(always)]
fn warp_sum(mut value: f64) -> f64 {
    let mut mask = thread::warp_size() / 2;
    while mask > 0 {
        value += warp::shuffle_xor(value, mask);
        mask /= 2;
    }
    value
}

/// The sum over this lane and those below.
#[inline(always)]
fn warp_scan(mut value: f64) -> f64 {
    let lane = thread::lane();
    let mut delta = 1;
    while delta < thread::warp_size() {
        let below = warp::shuffle_up(value, delta);
        if lane >= delta {
            value += below;
        }
        delta *= 2;
    }
    value
}

/// For each of this thread's rounds.
macro_rules! each {
    ($round:ident $body:block) => {
        $crate::rounds!($round in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] $body)
    };
}

/// Sums of what lies before each of this thread's elements within its warp's part, and the
/// sum of that part.
#[inline(always)]
fn scan_part(elements: [f64; ITEMS]) -> ([f64; ITEMS], f64) {
    let (lane, last) = (thread::lane(), thread::warp_size() - 1);
    let mut through = elements;
    each!(R {
        through[R] = warp_scan(elements[R]);
    });
    let mut sum = 0.0;
    let mut before = elements;
    each!(R {
        let below = warp::shuffle_up(through[R], 1);
        before[R] = if lane == 0 { sum } else { sum + below };
        sum += warp::shuffle(through[R], last);
    });
    (before, sum)
}

/// `y[i]` becomes the sum of `x[..i]`. Lengths are equal; the grid has a block of THREADS for each
/// tile.
fn exclusive(
    x: &[f64],
    mut y: DisjointMut<f64>,
    state: &[AtomicU64],
    blocks: &[AtomicU64],
    launch: u64,
) {
    let tiles = Tiles::new(state, launch);
    let tile = block_number(&blocks[0], tiles.sums.len());
    let t = thread::thread_index().x as usize;
    let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
    let warp = t / warp_size;
    // A warp's part is consecutive, and so are its lanes' elements of each round.
    let first = tile * TILE + warp * warp_size * ITEMS + lane;
    let mut elements = [0.0; ITEMS];
    each!(R {
        if let Some(x) = x.get(first + R * warp_size) {
            elements[R] = *x;
        }
    });
    let (before, sum) = scan_part(elements);
    if lane == 0 {
        WARPS.store(warp, sum);
    }
    sync::barrier();
    let mut below = 0.0;
    let mut whole = 0.0;
    for other in 0..THREADS / warp_size {
        if other == warp {
            below = whole;
        }
        whole += WARPS.load(other);
    }
    if warp == 0 {
        if lane == 0 {
            Tiles::publish(whole, &tiles.sums[tile]);
        }
        let earlier = tiles.before(tile);
        if lane == 0 {
            Tiles::publish(earlier + whole, &tiles.totals[tile]);
            Tiles::new(state, launch + 1).forget(tile);
            BEFORE.store(0, earlier);
        }
    }
    sync::barrier();
    let below = BEFORE.load(0) + below;
    each!(R {
        let i = first + R * warp_size;
        if i < y.len() {
            // SAFETY: inside. Tiles are different for different blocks as their numbers are, and
            // within a tile the places are different for different threads.
            unsafe { *y.get_unchecked_mut(i) = below + before[R] }
        }
    });
}

/// On the CPU: the sum of this thread's tile.
fn sums_alone(x: &[f64], sums: &[AtomicU64]) {
    let tile = thread::index().get();
    if let Some(x) = x.chunks(ALONE).nth(tile) {
        let sum: f64 = x.iter().sum();
        sums[tile].store(sum.to_bits(), Ordering::Relaxed);
    }
}

/// On the CPU: as [`exclusive`], of this thread's tile.
fn exclusive_alone(x: &[f64], mut y: DisjointChunks<f64>, sums: &[AtomicU64]) {
    let t = thread::index();
    if let (Some(x), Some(y)) = (x.chunks(ALONE).nth(t.get()), y.get_mut(t)) {
        let earlier = sums[..t.get()].iter();
        let mut sum = earlier
            .map(|sum| f64::from_bits(sum.load(Ordering::Relaxed)))
            .sum();
        for (y, x) in y.iter_mut().zip(x) {
            *y = sum;
            sum += x;
        }
    }
}

/// The memory of prefix sums over arrays of one length.
pub struct Scan {
    len: usize,
    alone: bool,
    state: Buffer<AtomicU64>,
    blocks: Buffer<AtomicU64>,
    launches: u64,
}

impl Scan {
    pub fn new(gpu: &Device, len: usize) -> Result<Self> {
        let words = |n, word| (0..n).map(|_| AtomicU64::new(word)).collect::<Vec<_>>();
        Ok(Self {
            len,
            alone: gpu.info()?.kind == DeviceKind::Cpu,
            state: Buffer::from_vec(gpu, words(4 * len.div_ceil(TILE), NOTHING))?,
            blocks: Buffer::from_vec(gpu, words(1, 0))?,
            launches: 0,
        })
    }

    /// `y[i]` becomes the sum of `x[..i]`.
    ///
    /// # Errors
    /// `Error::Invalid` if a length is another; those of a launch.
    pub fn exclusive(&mut self, gpu: &Device, x: &Buffer<f64>, y: &mut Buffer<f64>) -> Result<()> {
        if x.len() != self.len || y.len() != self.len {
            let text = format!(
                "a scan for {} elements, of {} into {}",
                self.len,
                x.len(),
                y.len()
            );
            return Err(Error::Invalid(text.into()));
        }
        if self.alone {
            let grid = Grid::blocks(self.len.div_ceil(ALONE)).threads(1);
            gpu.launch(grid, sums_alone, (x, &self.state))?;
            return gpu.launch(grid, exclusive_alone, (x, y.by_chunks(ALONE), &self.state));
        }
        self.launches += 1;
        let grid = Grid::blocks(self.len.div_ceil(TILE)).threads(THREADS);
        let args = (x, y, &self.state, &self.blocks, self.launches);
        gpu.launch(grid, exclusive, args)
    }
}
