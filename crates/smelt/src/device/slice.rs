//! Memory that the threads of a block fill together and then all read.
//!
//! What makes it sound: each thread has one handle of the block's memory, made with the kernel's
//! argument (as [`DisjointMut`](super::DisjointMut), it cannot be copied or kept). A phase begins with
//! a barrier, so every thread has given up what it read from the phase before: reading borrows
//! the handle, and to begin a phase takes it mutably. Then each element is written by one thread, and
//! after another barrier all may read. Threads are counted in between: where one has ended or is
//! elsewhere, its elements may not have been written, and all panic instead.

use super::abi::__smelt_dynamic_shared;
use super::{block, sync};
use crate::DeviceCopy;
use crate::arg::{Arg, Param};
use crate::host::maps::Maps;
use crate::{Error, Result};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes before the elements: two counts of threads.
const HEAD: usize = 16;

/// Elements in shared memory, as many as the launch says with [`block::slice`], which the threads of a
/// block fill together and then all read.
///
/// ```
/// # use smelt::prelude::*;
/// use smelt::BlockSlice;
///
/// /// Each element becomes the mean of itself and its neighbours in the block.
/// fn smooth(x: &[f32], mut y: DisjointMut<f32>, mut tile: BlockSlice<f32>) {
///     let i = thread::index();
///     let t = block::thread_number();
///     let first = i.get() - t;
///     let tile = tile.fill(|k| x.get(first + k).copied().unwrap_or(0.0));
///     if let Some(y) = y.get_mut(i) {
///         let near = &tile[t.saturating_sub(1)..(t + 2).min(tile.len())];
///         *y = near.iter().sum::<f32>() / near.len() as f32;
///     }
/// }
/// # let gpu = Device::default()?;
/// let x = vec![3.0; 100];
/// let mut y = vec![0.0; 100];
/// let tile = block::slice::<f32>(64);
/// gpu.launch(Grid::cover(100).block(64), smooth, (&x, &mut y, tile))?;
/// assert_eq!(y[..3], [3.0; 3]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct BlockSlice<'k, T> {
    start: *mut u8,
    len: usize,
    phase: u32,
    lives: PhantomData<&'k mut [T]>,
}

impl<T: DeviceCopy> BlockSlice<'_, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    fn count(&self, phase: u32) -> &AtomicU32 {
        // SAFETY: in the HEAD, and only accessed in this way.
        unsafe { AtomicU32::from_ptr(self.start.cast::<u32>().add((phase % 2) as usize)) }
    }

    /// Waits for all threads of the block, makes element `i` what `make(i)` gives, each in one of the
    /// threads, and waits again: all may read all. The thread with number `t` of `n` makes
    /// elements `t`, `t + n`, `t + 2n`, ..
    ///
    /// # Panics
    /// Unless all threads of the block make the call.
    #[inline(always)]
    #[track_caller]
    pub fn fill(&mut self, mut make: impl FnMut(usize) -> T) -> &[T] {
        let (t, threads) = (block::thread_number(), block::size());
        let phase = self.phase;
        self.phase = phase.wrapping_add(1);
        if phase == 0 {
            self.count(0).store(0, Ordering::Relaxed);
        }
        sync::barrier();
        // All have seen the last phase's count, and nobody adds to it before the next barrier but
        // one.
        self.count(phase.wrapping_add(1))
            .store(0, Ordering::Relaxed);
        // SAFETY: HEAD and `len` elements, aligned; each thread its own elements, which nobody
        // reads between the barriers.
        let elements = unsafe { self.start.add(HEAD).cast::<T>() };
        let mut i = t;
        while i < self.len {
            // SAFETY: as above.
            unsafe { elements.add(i).write(make(i)) };
            i = i.wrapping_add(threads);
        }
        self.count(phase).fetch_add(1, Ordering::Relaxed);
        sync::barrier();
        if self.count(phase).load(Ordering::Relaxed) as usize != threads {
            block::absent();
        }
        // SAFETY: all threads have come, so all elements were written; none is written before this
        // borrow has ended in every thread.
        unsafe { std::slice::from_raw_parts(elements, self.len) }
    }
}

/// How many elements a kernel's [`BlockSlice`] has; made by [`block::slice`].
pub struct BlockLen<T> {
    len: usize,
    of: PhantomData<T>,
}

impl<T: DeviceCopy> BlockLen<T> {
    pub(crate) fn new(len: usize) -> Self {
        const { assert!(align_of::<T>() <= 16, "shared memory is 16-aligned") };
        Self {
            len,
            of: PhantomData,
        }
    }
}

/// Where the elements lie in the shared memory that is sized at launch.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawBlockSlice {
    offset: u32,
    len: u32,
}

// SAFETY: one handle for each thread, of memory that no other argument has.
unsafe impl<T: DeviceCopy> Param for BlockLen<T> {
    type Raw = RawBlockSlice;
    type Device<'k> = BlockSlice<'k, T>;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawBlockSlice, _call: &'k ()) -> BlockSlice<'k, T> {
        BlockSlice {
            // SAFETY: the launch gave as much.
            start: unsafe { __smelt_dynamic_shared().add(raw.offset as usize) },
            len: raw.len as usize,
            phase: 0,
            lives: PhantomData,
        }
    }
}

// SAFETY: the launch gives so much shared memory to each block.
unsafe impl<'k, T: DeviceCopy> Arg<BlockSlice<'k, T>> for BlockLen<T> {
    type Param = BlockLen<T>;
    const BORROWS_HOST: bool = false;
    fn begin(self, maps: &mut Maps) -> Result<RawBlockSlice> {
        let (offset, size) = (
            maps.shared_bytes().next_multiple_of(16),
            self.len as u64 * size_of::<T>() as u64,
        );
        let (Ok(start), Ok(len), Ok(end)) = (
            u32::try_from(offset),
            u32::try_from(self.len),
            u32::try_from(size.saturating_add(offset + HEAD as u64)),
        ) else {
            let text = format!("{} elements in shared memory", self.len);
            return Err(Error::Launch(text.into()));
        };
        maps.set_shared_bytes(end as u64);
        Ok(RawBlockSlice { offset: start, len })
    }
}
