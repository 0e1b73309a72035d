//! Reductions over a whole grid, within the launch that makes the values.
//!
//! Each block leaves its partial value in memory and takes a ticket; the block that draws the last
//! one reduces the partial values and writes the result to pinned memory of the host. Tickets are drawn in
//! groups, and by the last block of each group again: atomics on one address come one after the other,
//! which would take longer than all else in grids of a thousand blocks. So a result
//! is the same in every run on the same grid, one launch makes it, nothing has to be put
//! there before, and no copy brings it back.

use super::On;
use crate::arg::{Arg, Param};
use crate::device::block::{self, Meeting};
use crate::device::{sync, thread};
use crate::host::error::at;
use crate::host::maps::{Access, Maps};
use crate::host::stream::Target;
use crate::{Buffer, BufferView, Device, DeviceCopy, DeviceKind, Error, Grid, Pinned, Result};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering, fence};

/// Threads in a block that reads an array, elements that each has under way, and blocks for each
/// multiprocessor.
const THREADS: usize = 256;
const UNDER_WAY: usize = 8;
const BLOCKS: usize = 4;
/// Blocks that draw their tickets together, at most; groups of more than these; and bytes between tickets:
/// each has a line of the caches for itself.
const FEW: usize = 256;
const GROUPS: usize = 32;
const LINE: usize = 128;
/// Bytes before the partial values: tickets for groups, then one for each.
const HEAD: usize = (1 + GROUPS) * LINE;
/// What thread 0 tells its block: that it is the last one; that there are more than there is room for.
const LAST: u32 = 1;
const TOO_MANY: u32 = 2;

/// Where a launch reduces the values of its threads to one, which the host then reads: passed
/// as `&mut Reduction<T>`, the kernel gets a [`GridReduction<T>`].
///
/// It takes memory of the device for one value a block and pinned memory for the result.
///
/// ```
/// # use smelt::prelude::*;
/// use smelt::prim::{GridReduction, Reduction};
///
/// fn dot(a: &[f64], b: &[f64], sum: GridReduction<f64>) {
///     let mut own = 0.0;
///     for i in thread::grid_stride(a.len()) {
///         own += a[i.get()] * b[i.get()];
///     }
///     sum.reduce(own, |x, y| x + y);
/// }
/// # let gpu = Device::default()?;
/// let a = Buffer::filled(&gpu, 1000, 2.0)?;
/// let b = Buffer::filled(&gpu, 1000, 3.0)?;
/// let mut sum = Reduction::new(&gpu, 4, 0.0)?;
/// gpu.launch(Grid::blocks(4).threads(64), dot, (&a, &b, &mut sum))?;
/// assert_eq!(sum.get()?, 6000.0);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Reduction<T> {
    /// The tickets, then the partial values.
    memory: Buffer<u8>,
    blocks: usize,
    alone: bool,
    /// Blocks that fill the device.
    full: usize,
    result: Pinned<T>,
    /// Of the last launch; None once it is known to have ended well.
    pending: Option<Target>,
}

impl<T: DeviceCopy> Reduction<T> {
    /// For grids of up to so many blocks. [`get`](Self::get) gives `start` until there
    /// has been a launch.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], [`Error::NoMemory`] (pinned memory), and [`Error::Engine`] from
    /// the driver.
    #[track_caller]
    pub fn new(gpu: &Device, blocks: usize, start: T) -> Result<Self> {
        const { assert!(align_of::<T>() <= 64, "a value aligned to at most 64") };
        let size = size_of::<T>()
            .checked_mul(blocks)
            .and_then(|size| size.checked_add(HEAD))
            .ok_or_else(|| Error::NoDeviceMemory(format!("values of {blocks} blocks").into()))?;
        let info = gpu.info()?;
        let alone = info.kind == DeviceKind::Cpu;
        Ok(Self {
            memory: Buffer::zeroed(gpu, size)?,
            blocks,
            alone,
            full: info.units as usize * if alone { 1 } else { BLOCKS },
            result: Pinned::from_slice(gpu, &[start])?,
            pending: None,
        })
    }

    /// Launches a reduction of the elements of `x` by `op`, to which `start` adds nothing; it is the
    /// result if there are none. `op` must be associative and commutative (up to rounding, for
    /// floats); the order is the same in every run on the same device.
    ///
    /// It reads each element once. As many blocks are used as fill the device, or as
    /// [`new`](Self::new) was told if that is less.
    ///
    /// ```
    /// # use smelt::prelude::*;
    /// use smelt::prim::Reduction;
    /// # let gpu = Device::default()?;
    /// let x = Buffer::from_slice(&gpu, &[3, -7, 5])?;
    /// let mut least = Reduction::new(&gpu, 1000, i32::MAX)?;
    /// least.of(&gpu, x.view(), i32::MAX, i32::min)?;
    /// assert_eq!(least.get()?, -7);
    /// # Ok::<(), smelt::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Device::launch`]; a panic in `op` is told by [`get`](Self::get).
    #[track_caller]
    pub fn of<F>(&mut self, on: &impl On, x: BufferView<'_, T>, start: T, op: F) -> Result<()>
    where
        T: Send + Sync,
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        let on = on.target();
        if self.alone {
            // A thread for each of the machine's, with a run of elements.
            let grid = Grid::blocks(self.full.min(self.blocks)).threads(1);
            let kernel = move |x: &[T], all: GridReduction<T>| {
                let each = x.len().div_ceil(thread::grid_dim().x as usize).max(1);
                let own = x.chunks(each).nth(thread::index().get()).unwrap_or(&[]);
                all.reduce(fold_run(own, start, op), op);
            };
            return on.launch(grid, kernel, (x, self));
        }
        let blocks = x.len().div_ceil(THREADS * UNDER_WAY);
        let grid = Grid::blocks(blocks.min(self.full).clamp(1, self.blocks)).threads(THREADS);
        let kernel = move |x: &[T], all: GridReduction<T>| {
            let (mut i, threads) = (
                thread::index().get(),
                thread::grid_dim().x as usize * THREADS,
            );
            let mut own = [start; UNDER_WAY];
            while i < x.len() {
                // All loads are under way before the first is used.
                let some: [T; UNDER_WAY] =
                    std::array::from_fn(|k| x.get(i + k * threads).copied().unwrap_or(start));
                own = std::array::from_fn(|k| op(own[k], some[k]));
                i += UNDER_WAY * threads;
            }
            all.reduce(own.into_iter().fold(start, op), op);
        };
        on.launch(grid, kernel, (x, self))
    }

    /// The result of the last launch, for which it waits.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn get(&mut self) -> Result<T> {
        if let Some(target) = self.pending {
            at(std::panic::Location::caller());
            target.wait_also_destroyed()?;
            self.pending = None;
        }
        Ok(self.result[0])
    }
}

/// Folds a run of elements, several at a time, so that they fill a vector.
#[inline(always)]
fn fold_run<T: Copy>(x: &[T], start: T, op: impl Fn(T, T) -> T) -> T {
    const WIDE: usize = 16;
    let mut own = [start; WIDE];
    let (whole, rest) = x.as_chunks::<WIDE>();
    for some in whole {
        own = std::array::from_fn(|k| op(own[k], some[k]));
    }
    let own = own.into_iter().fold(start, &op);
    rest.iter().fold(own, |own, x| op(own, *x))
}

impl<T> Drop for Reduction<T> {
    fn drop(&mut self) {
        if self.pending.is_some() {
            // A launch may still write the result. What goes wrong is told by the next wait.
            let _ = self.memory.view().wait_all();
        }
    }
}

/// The kernel's side of a [`Reduction`].
pub struct GridReduction<'k, T> {
    raw: RawReduction,
    lives: PhantomData<(&'k (), *mut T)>,
}

/// What lies in the parameter block.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawReduction {
    memory: *mut u8,
    blocks: usize,
    result: *mut u8,
}

// SAFETY: threads use it in the order that GridReduction::reduce says; each has one, and uses it
// up.
unsafe impl<T: DeviceCopy> Param for Reduction<T> {
    type Raw = RawReduction;
    type Device<'k> = GridReduction<'k, T>;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawReduction, _call: &'k ()) -> GridReduction<'k, T> {
        GridReduction {
            raw,
            lives: PhantomData,
        }
    }
}

// SAFETY: both memories live until the launch has ended: the buffer's use is noted, and the pinned
// memory is freed after waiting for it. Launches that share one are kept in order by that use.
unsafe impl<'k, T: DeviceCopy> Arg<GridReduction<'k, T>> for &mut Reduction<T> {
    type Param = Reduction<T>;
    const BORROWS_HOST: bool = false;
    #[inline]
    fn begin(self, maps: &mut Maps) -> Result<RawReduction> {
        if self.pending.is_some() {
            // What came of that launch is not known: after a panic tickets are anywhere.
            self.memory.range(..HEAD).fill_bytes(maps.stream(), &0u32)?;
        }
        self.pending = Some(maps.target());
        Ok(RawReduction {
            memory: self.memory.view().used_by(maps, Access::Write)?,
            blocks: self.blocks,
            result: self.result.as_mut_ptr().cast(),
        })
    }
}

impl<T: DeviceCopy> GridReduction<'_, T> {
    /// Combines the values of all threads of the grid by `op`, for [`Reduction::get`]. `op` must be
    /// associative and commutative (up to rounding, for floats); the order is the same in
    /// every run on the same grid.
    ///
    /// # Panics
    /// If the grid has more blocks than [`Reduction::new`] was told, or not all threads of a
    /// block make the call.
    #[inline(always)]
    #[track_caller]
    pub fn reduce(self, value: T, op: impl Fn(T, T) -> T) {
        let RawReduction { memory, result, .. } = self.raw;
        // SAFETY: HEAD bytes and `blocks` values, aligned; see below for who uses which.
        let partials = unsafe { memory.add(HEAD).cast::<T>() };
        let meeting = Meeting::begin();
        let threads = meeting.threads as u32;
        if let Some(all) = block::reduce_to_first(&meeting, value, threads, &op) {
            let (block, blocks) = place();
            if blocks > self.raw.blocks {
                meeting.say(TOO_MANY);
            } else {
                // SAFETY: this thread's own place; read after the last ticket was drawn.
                unsafe { partials.add(block).write(all) };
                // SAFETY: the tickets of this launch.
                if unsafe { is_last(memory, block, blocks) } {
                    meeting.say(LAST);
                }
            }
        }
        let said = meeting.said();
        assert!(
            said != TOO_MANY,
            "a reduction of more blocks than it was made for"
        );
        if said != LAST {
            return;
        }
        // The last block alone. Thread 0 acquired all values, and the barrier was after that.
        let blocks = place().1;
        // SAFETY: there are `blocks`, all of which have been written.
        let own = unsafe {
            match const { size_of::<T>() <= 16 } {
                true => fold_partials::<T, 4>(partials, blocks, meeting.threads, &op),
                false => fold_partials::<T, 1>(partials, blocks, meeting.threads, &op),
            }
        };
        let own = own.unwrap_or(value);
        let meeting = Meeting::begin();
        let here = blocks.min(meeting.threads) as u32;
        if let Some(all) = block::reduce_to_first(&meeting, own, here, &op) {
            // SAFETY: this thread alone, and the host reads it after the launch.
            unsafe { result.cast::<T>().write(all) };
        }
        // Everybody has seen who came.
        sync::barrier();
    }
}

/// This thread's share of the blocks' values combined, if it has one; AHEAD of them are under way before the
/// first is used.
///
/// # Safety
/// There are `blocks` values, at least one, which nobody writes.
#[inline(always)]
unsafe fn fold_partials<T: DeviceCopy, const AHEAD: usize>(
    partials: *const T,
    blocks: usize,
    threads: usize,
    op: impl Fn(T, T) -> T,
) -> Option<T> {
    let t = block::thread_number();
    if t >= blocks {
        return None;
    }
    // SAFETY: below `blocks`, or the last.
    let read = |i: usize| unsafe { partials.add(i.min(blocks - 1)).read() };
    let mut own = read(t);
    let mut i = t + threads;
    while i < blocks {
        let some: [T; AHEAD] = std::array::from_fn(|k| read(i + k * threads));
        for (k, other) in some.into_iter().enumerate() {
            if i + k * threads < blocks {
                own = op(own, other);
            }
        }
        i += AHEAD * threads;
    }
    Some(own)
}

/// Whether all others of the `blocks` blocks have drawn a ticket before this one: then all that they
/// wrote before they did is visible.
///
/// # Safety
/// One thread of each block calls it, once in a launch; `memory` has HEAD bytes, all 0 before the
/// launch, and after it.
#[inline(always)]
unsafe fn is_last(memory: *mut u8, block: usize, blocks: usize) -> bool {
    let draw_last = |ticket: usize, of: usize| {
        // SAFETY: within HEAD bytes, which are only accessed in this way.
        let ticket = unsafe { AtomicU32::from_ptr(memory.add(ticket * LINE).cast()) };
        // Releases what this block wrote or acquired; the last acquires what those before released.
        let last = ticket.fetch_add(1, Ordering::Release) as usize + 1 == of;
        if last {
            fence(Ordering::Acquire);
            // For the next launch.
            ticket.store(0, Ordering::Relaxed);
        }
        last
    };
    if blocks <= FEW {
        return draw_last(0, blocks);
    }
    let group = block % GROUPS;
    let members = (blocks - group).div_ceil(GROUPS);
    draw_last(1 + group, members) && draw_last(0, GROUPS)
}

/// The block's number in the grid, x running fastest, and how many there are.
#[inline(always)]
fn place() -> (usize, usize) {
    let (index, dim) = (thread::block_index(), thread::grid_dim());
    let row = index.z as usize * dim.y as usize + index.y as usize;
    (
        row * dim.x as usize + index.x as usize,
        dim.x as usize * dim.y as usize * dim.z as usize,
    )
}
