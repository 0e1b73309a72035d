//! How the elements of an array are shared out among threads, and shared memory for safe code.

use smelt::Shared;
use smelt::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the elements of an array are shared out among the threads of a grid that only read them: on
/// GPUs threads take turns, so that neighbours read neighbours; on the CPU each has a run of
/// its own, since there threads of a block run one after the other.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Share {
    /// Elements of a run; 0 where threads take turns.
    each: usize,
}

impl Share {
    /// Turns.
    pub const TURNS: Self = Self { each: 0 };

    /// Runs of `n` elements for so many threads.
    pub fn runs(n: usize, threads: usize) -> Self {
        Self {
            each: n.div_ceil(threads).max(1),
        }
    }

    /// Folds this thread's share of the numbers below `n`, in ascending order, on a grid of one
    /// dimension.
    #[inline(always)]
    pub fn fold<T>(self, n: usize, start: T, mut step: impl FnMut(T, usize) -> T) -> T {
        let t = thread::index().get();
        let mut value = start;
        if self.each > 0 {
            let first = t.saturating_mul(self.each).min(n);
            for i in first..first.saturating_add(self.each).min(n) {
                value = step(value, i);
            }
        } else {
            let threads = thread::grid_dim().x as usize * thread::block_dim().x as usize;
            let mut i = t;
            while i < n {
                value = step(value, i);
                i += threads;
            }
        }
        value
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
