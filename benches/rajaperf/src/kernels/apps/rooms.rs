//! A few numbers of a thread's own that are indexed by what is only known at run time. As an array they would lie in
//! device memory, since registers have no index; so a thread of the device has a part of its block's
//! shared memory.

use crate::prelude::*;
use smelt::Shared;

/// Some numbers.
pub trait Room {
    fn get(&self, i: usize) -> f64;
    fn put(&mut self, i: usize, value: f64);
}

/// The host's.
impl<const N: usize> Room for [f64; N] {
    #[inline(always)]
    fn get(&self, i: usize) -> f64 {
        self[i]
    }

    #[inline(always)]
    fn put(&mut self, i: usize, value: f64) {
        self[i] = value;
    }
}

/// A thread's part of `cells`.
pub struct Part<const N: usize> {
    cells: &'static Shared<[f64; N]>,
    first: usize,
}

impl<const N: usize> Part<N> {
    /// `words` for each thread of a block of at most N / `words`. An odd number lets neighbours
    /// use different banks.
    #[inline(always)]
    pub fn new(cells: &'static Shared<[f64; N]>, words: usize) -> Self {
        // So the compiler sees how many there are.
        let t = thread::thread_index().x as usize % (N / words);
        Self {
            cells,
            first: t * words,
        }
    }
}

impl<const N: usize> Room for Part<N> {
    #[inline(always)]
    fn get(&self, i: usize) -> f64 {
        self.cells.load(self.first + i)
    }

    #[inline(always)]
    fn put(&mut self, i: usize, value: f64) {
        self.cells.store(self.first + i, value);
    }
}

/// The same without checks.
pub struct UncheckedPart<const N: usize>(Part<N>);

impl<const N: usize> UncheckedPart<N> {
    /// # Safety
    /// No number is used that is not below the words of a thread.
    #[inline(always)]
    pub unsafe fn new(part: Part<N>) -> Self {
        Self(part)
    }

    #[inline(always)]
    fn word(&self, i: usize) -> *mut f64 {
        let first = self.0.cells.as_mut_ptr().cast::<f64>();
        first.wrapping_add(self.0.first + i)
    }
}

impl<const N: usize> Room for UncheckedPart<N> {
    #[inline(always)]
    fn get(&self, i: usize) -> f64 {
        // SAFETY: a word of this thread's own, says who made it.
        unsafe { *self.word(i) }
    }

    #[inline(always)]
    fn put(&mut self, i: usize, value: f64) {
        // SAFETY: as above.
        unsafe { *self.word(i) = value }
    }
}
