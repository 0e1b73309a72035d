//! Reductions over a block and over a whole grid, for use in safe kernels.
//!
//! [`grid_reduce`] is what the suite's Base_CUDA variants do with atomics, in an order that does not
//! depend on luck: each block leaves its partial value in memory and takes a ticket; the block
//! that draws the last one reduces the partial values. So a result is the same in every
//! run on the same grid, needs no value put there before, and one launch makes it.
//!
//! What makes it safe to call: the shared memory is this file's alone and every access lies between
//! barriers as said at each; all else are atomics behind checked indices. As with
//! `sync::barrier` all threads of a block must make the call together.

use smelt::prelude::*;
use smelt::{DeviceKind, Result, Shared};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// Most words of a value that is reduced.
const MOST_WORDS: usize = 8;
/// Most warps in a block: 1024 threads in warps of 32.
const MOST_WARPS: usize = 32;

smelt::shared! {
    static PARTIAL: [u64; MOST_WARPS * MOST_WORDS];
    static LAST: u32;
}

/// What can be reduced: a value of a few words and how two of them make one. `combine` must be
/// associative and commutative up to rounding.
pub trait Reduce: DeviceCopy {
    /// Words of a value, at most 8.
    const WORDS: usize;
    /// The value that changes nothing.
    const IDENTITY: Self;

    fn word(&self, i: usize) -> u64;
    fn from_words(word: impl Fn(usize) -> u64) -> Self;
    fn combine(self, other: Self) -> Self;
}

/// A sum.
impl Reduce for f64 {
    const WORDS: usize = 1;
    const IDENTITY: Self = 0.0;

    #[inline(always)]
    fn word(&self, _: usize) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn from_words(word: impl Fn(usize) -> u64) -> Self {
        f64::from_bits(word(0))
    }
    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        self + other
    }
}

/// Thread's number in its block, and threads in a block.
#[inline(always)]
fn place() -> (usize, usize) {
    let (t, n) = (thread::thread_index(), thread::block_dim());
    let threads = n.x as usize * n.y as usize * n.z as usize;
    let t = (t.z as usize * n.y as usize + t.y as usize) * n.x as usize + t.x as usize;
    (t, threads)
}

/// Combines the values of the first `lanes` lanes; lane 0 gets the result.
#[inline(always)]
fn warp_reduce<T: Reduce>(mut value: T, lanes: usize) -> T {
    let lane = thread::lane() as usize;
    let mut delta = thread::warp_size() / 2;
    while delta > 0 {
        let other = T::from_words(|i| warp::shuffle_down(value.word(i), delta));
        if lane + (delta as usize) < lanes {
            value = value.combine(other);
        }
        delta /= 2;
    }
    value
}

/// Combines the values of all threads of the block; thread 0 gets the result, the others
/// get nothing of use.
#[inline(always)]
pub fn block_reduce<T: Reduce>(value: T) -> T {
    const { assert!(T::WORDS <= MOST_WORDS) };
    let (t, threads) = place();
    let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
    let value = warp_reduce(value, warp_size.min(threads - (t - lane)));
    // What an earlier call left there has been read.
    sync::barrier();
    if lane == 0 {
        let at = t / warp_size * T::WORDS;
        for i in 0..T::WORDS {
            // SAFETY: one thread of each warp, its own words; read after the barrier.
            unsafe { PARTIAL.set(at + i, value.word(i)) };
        }
    }
    sync::barrier();
    let warps = threads.div_ceil(warp_size);
    if t >= warp_size {
        return value;
    }
    let value = if lane < warps {
        // SAFETY: written before the barrier, and not again before the next call's.
        T::from_words(|i| unsafe { PARTIAL.get(lane * T::WORDS + i) })
    } else {
        T::IDENTITY
    };
    warp_reduce(value, warp_size.min(threads))
}

/// Combines the values of all threads of a 1-dimensional grid, and puts the result into
/// [`Reduction::read`]'s hands.
///
/// # Panics
/// If `scratch` is too short for the grid.
#[inline(always)]
pub fn grid_reduce<T: Reduce>(value: T, scratch: &[AtomicU64], result: &[AtomicU64]) {
    let (t, threads) = place();
    let (block, blocks) = (
        thread::block_index().x as usize,
        thread::grid_dim().x as usize,
    );
    let (ticket, partials) = (&scratch[0], &scratch[1..]);
    let value = block_reduce(value);
    if t == 0 {
        for i in 0..T::WORDS {
            partials[block * T::WORDS + i].store(value.word(i), Ordering::Relaxed);
        }
        // Releases this block's partial value, and acquires those of the blocks before.
        let drawn = ticket.fetch_add(1, Ordering::AcqRel) as usize;
        // SAFETY: this thread alone writes, and the last read was before the
        // barriers in block_reduce.
        unsafe { LAST.write((drawn + 1 == blocks) as u32) };
    }
    sync::barrier();
    // SAFETY: written before the barrier, not after.
    if unsafe { LAST.read() } == 0 {
        return;
    }
    let mut value = T::IDENTITY;
    let mut at = t;
    while at < blocks {
        let word = |i: usize| partials[at * T::WORDS + i].load(Ordering::Relaxed);
        value = value.combine(T::from_words(word));
        at += threads;
    }
    let value = block_reduce(value);
    if t == 0 {
        for i in 0..T::WORDS {
            result[i].store(value.word(i), Ordering::Relaxed);
        }
        // For the next launch.
        ticket.store(0, Ordering::Relaxed);
    }
}

/// How the elements of an array are shared out among the threads of a grid that only read them: on
/// GPUs threads take turns, so that neighbours read neighbours; on the CPU each has a run of
/// its own, since there threads of a block run one after the other.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Share {
    runs: bool,
}

impl Share {
    pub fn of(kind: DeviceKind) -> Self {
        Self {
            runs: kind == DeviceKind::Cpu,
        }
    }

    /// Folds this thread's share of the numbers below `n`, in ascending order, on a grid of one
    /// dimension.
    #[inline(always)]
    pub fn fold<T>(self, n: usize, start: T, mut step: impl FnMut(T, usize) -> T) -> T {
        let t = thread::index().get();
        let threads = thread::grid_dim().x as usize * thread::block_dim().x as usize;
        let mut value = start;
        if self.runs {
            let each = n.div_ceil(threads);
            let first = (t * each).min(n);
            for i in first..(first + each).min(n) {
                value = step(value, i);
            }
        } else {
            let mut i = t;
            while i < n {
                value = step(value, i);
                i += threads;
            }
        }
        value
    }
}

/// The memory of [`grid_reduce`], and its result.
pub struct Reduction<T> {
    /// For grids of up to as many blocks as [`new`](Self::new) was told.
    pub scratch: Buffer<AtomicU64>,
    pub result: Buffer<AtomicU64>,
    host: Vec<AtomicU64>,
    of: PhantomData<T>,
}

impl<T: Reduce> Reduction<T> {
    pub fn new(gpu: &Device, blocks: usize) -> Result<Self> {
        let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
        Ok(Self {
            scratch: Buffer::from_vec(gpu, zeros(1 + blocks * T::WORDS))?,
            result: Buffer::from_vec(gpu, zeros(T::WORDS))?,
            host: zeros(T::WORDS),
            of: PhantomData,
        })
    }

    /// The result of the last launch, for which it waits.
    pub fn read(&mut self) -> Result<T> {
        self.result.copy_to(&mut self.host)?;
        Ok(T::from_words(|i| self.host[i].load(Ordering::Relaxed)))
    }
}

/// Shared memory that safe code may use: numbers that are loaded and stored as one step each, so
/// that threads that forget a barrier get an old value or a new one, never anything undefined. On
/// GPUs that is an ordinary access.
pub trait Cells {
    /// What an element is.
    type Value;

    /// Element `i`.
    ///
    /// # Panics
    /// Past the end.
    fn load(&self, i: usize) -> Self::Value;

    /// Replaces element `i`.
    ///
    /// # Panics
    /// Past the end.
    fn store(&self, i: usize, value: Self::Value);
}

/// Element `i` of `cells`, seen as an atomic.
#[inline(always)]
#[track_caller]
fn cell<T: DeviceCopy, const N: usize>(cells: &Shared<[T; N]>, i: usize) -> &AtomicU64 {
    const { assert!(size_of::<T>() == 8 && align_of::<T>() == 8) };
    // The language's own bounds check.
    let () = [(); N][i];
    // SAFETY: within the array; as large and aligned as an element; its unsafe accesses
    // exclude others at the same time by their own contract.
    unsafe { AtomicU64::from_ptr(cells.as_mut_ptr().cast::<u64>().add(i)) }
}

macro_rules! cells {
    ($($type:ty: $to:expr, $from:expr;)*) => {$(
        impl<const N: usize> Cells for Shared<[$type; N]> {
            type Value = $type;

            #[inline(always)]
            #[track_caller]
            fn load(&self, i: usize) -> $type {
                $from(cell(self, i).load(Ordering::Relaxed))
            }

            #[inline(always)]
            #[track_caller]
            fn store(&self, i: usize, value: $type) {
                cell(self, i).store($to(value), Ordering::Relaxed);
            }
        }
    )*};
}
cells! {
    f64: f64::to_bits, f64::from_bits;
    u64: u64::from, u64::from;
}
