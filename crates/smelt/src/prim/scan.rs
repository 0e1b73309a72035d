//! Scans: each element becomes the combination of all before it.
//!
//! On GPUs one launch reads and writes everything once: a block takes a tile and looks back for what
//! lies before ([`lookback`](super::lookback)). A thread's elements are consecutive, so that nearly
//! all the work is its own; they change places through shared memory, so that neighbours read and
//! write neighbours. Each thread has an odd number of them: then its accesses there meet those of
//! its neighbours in no bank. On the CPU a thread does a tile by itself, after another launch has
//! combined each tile.

use super::lookback::{Lookback, RawLookback};
use super::{On, Target};
use crate::arg::{Arg, Param};
use crate::device::{block, launch_bounds, thread, warp};
use crate::host::maps::Maps;
use crate::{
    Buffer, BufferView, BufferViewMut, Device, DeviceCopy, DeviceKind, DisjointChunks, DisjointMut,
    Error, Grid, Result, Views, sync,
};
use std::mem::MaybeUninit;

/// Threads in a block.
const THREADS: usize = 256;
/// Most elements of a thread.
const MOST: usize = 23;
/// Bytes of a tile at most.
const ROOM: usize = THREADS * 120;
/// Elements of a tile on the CPU.
const ALONE: usize = 1 << 15;

/// Elements of a thread.
const fn items<T>() -> usize {
    match size_of::<T>() {
        0..=4 => MOST,
        5..=8 => 15,
        9..=16 => 7,
        17..=40 => 3,
        _ => 1,
    }
}

/// Elements of a block.
const fn tile<T>() -> usize {
    THREADS * items::<T>()
}

#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Aligned([MaybeUninit<u8>; 16]);
// SAFETY: bytes.
unsafe impl DeviceCopy for Aligned {}

crate::shared! {
    static TILE: [Aligned; ROOM / 16];
}

/// The memory of scans over up to so many elements: on GPUs some words for each few
/// thousand. One scan runs at a time; given to several streams, they follow each other.
///
/// Operators must be associative (up to rounding, for floats) and need not be commutative. Of
/// floats the last bits can differ from run to run on GPUs: which sums meet depends on
/// timing. A scan reads and writes each element once.
///
/// ```
/// # use smelt::prelude::*;
/// use smelt::prim::Scan;
/// # let gpu = Device::default()?;
/// let x = Buffer::from_slice(&gpu, &[3u32, 1, 4, 1, 5])?;
/// let mut y = Buffer::zeroed(&gpu, 5)?;
/// let mut scan = Scan::new(&gpu, 5)?;
/// scan.exclusive(&gpu, x.view(), y.view_mut(), 0, |a, b| a + b)?;
/// assert_eq!(y.to_vec()?, [0, 3, 4, 8, 9]);
/// scan.inclusive(&gpu, x.view(), y.view_mut(), u32::max)?;
/// assert_eq!(y.to_vec()?, [3, 3, 4, 4, 5]);
/// scan.exclusive_in_place(&gpu, y.view_mut(), 100, |a, b| a + b)?;
/// assert_eq!(y.to_vec()?, [100, 103, 106, 110, 114]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Scan<T> {
    len: usize,
    alone: bool,
    lookback: Lookback,
    /// Of each tile, on the CPU; None where the operator has panicked.
    tiles: Buffer<Option<T>>,
}

// SAFETY: each thread of the launch has the same.
unsafe impl Param for RawLookback {
    type Raw = RawLookback;
    type Device<'k> = RawLookback;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawLookback, _call: &'k ()) -> RawLookback {
        raw
    }
}

// SAFETY: the buffer's use is noted, so it lives until the launch has ended.
unsafe impl Arg<RawLookback> for &mut Lookback {
    type Param = RawLookback;
    const BORROWS_HOST: bool = false;
    fn begin(self, maps: &mut Maps) -> Result<RawLookback> {
        Lookback::begin(self, maps)
    }
}

impl<T: DeviceCopy + Send + Sync> Scan<T> {
    /// For arrays of up to `len` elements.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn new(gpu: &Device, len: usize) -> Result<Self> {
        const { assert!(size_of::<T>() <= 120, "elements of at most 120 bytes") };
        let alone = gpu.info()?.kind == DeviceKind::Cpu;
        let (tiles, alone_tiles) = match alone {
            true => (0, len.div_ceil(ALONE)),
            false => (len.div_ceil(tile::<T>()), 0),
        };
        Ok(Self {
            len,
            alone,
            lookback: Lookback::new::<T>(gpu, tiles)?,
            tiles: Buffer::filled(gpu, alone_tiles, None)?,
        })
    }

    /// `y[i]` becomes `start` combined with all of `x[..i]`, in order, by `op`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ or are more than [`new`](Self::new) was told; those
    /// of [`Device::launch`], a panic in `op` at the next wait.
    #[track_caller]
    pub fn exclusive<F>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        y: BufferViewMut<'_, T>,
        start: T,
        op: F,
    ) -> Result<()>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        self.run::<F, true>(on.target(), x, y, Some(start), op)
    }

    /// `y[i]` becomes the combination of all of `x[..=i]`, in order, by `op`.
    ///
    /// # Errors
    /// Those of [`exclusive`](Self::exclusive).
    #[track_caller]
    pub fn inclusive<F>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        y: BufferViewMut<'_, T>,
        op: F,
    ) -> Result<()>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        self.run::<F, false>(on.target(), x, y, None, op)
    }

    /// `x[i]` becomes `start` combined with all of what was `x[..i]`, in order, by `op`.
    ///
    /// # Errors
    /// Those of [`exclusive`](Self::exclusive).
    #[track_caller]
    pub fn exclusive_in_place<F>(
        &mut self,
        on: &impl On,
        x: BufferViewMut<'_, T>,
        start: T,
        op: F,
    ) -> Result<()>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        self.run_in_place::<F, true>(on.target(), x, Some(start), op)
    }

    /// `x[i]` becomes the combination of all of what was `x[..=i]`, in order, by `op`.
    ///
    /// # Errors
    /// Those of [`exclusive`](Self::exclusive).
    #[track_caller]
    pub fn inclusive_in_place<F>(
        &mut self,
        on: &impl On,
        x: BufferViewMut<'_, T>,
        op: F,
    ) -> Result<()>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        self.run_in_place::<F, false>(on.target(), x, None, op)
    }

    #[track_caller]
    #[inline]
    fn run<F, const EXCLUSIVE: bool>(
        &mut self,
        on: Target,
        x: BufferView<'_, T>,
        mut y: BufferViewMut<'_, T>,
        first: Option<T>,
        op: F,
    ) -> Result<()>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        self.check(x.len(), y.len())?;
        if self.alone {
            let grid = self.combine_tiles(on, x.range(..), op)?;
            let scan = move |x: &[T], y: DisjointChunks<T>, tiles: &[Option<T>]| {
                let element = |i: usize, _| x[i];
                scan_alone::<T, EXCLUSIVE>(y, element, tiles, first, op);
            };
            return on.launch(grid, scan, (x, y.by_chunks(ALONE), &self.tiles));
        }
        let grid = Grid::blocks(x.len().div_ceil(tile::<T>())).threads(THREADS);
        let kernel = move |x: &[T], mut y: DisjointMut<T>, lookback: RawLookback| {
            launch_bounds::<256, 5>();
            let n = x.len().min(y.len());
            // SAFETY: both are as long, and y nobody else's.
            unsafe {
                scan_tile::<T, EXCLUSIVE>(n, x.as_ptr(), y.as_mut_ptr(), lookback, first, op);
            }
        };
        on.launch(grid, kernel, (x, y, &mut self.lookback))
    }

    #[track_caller]
    #[inline]
    fn run_in_place<F, const EXCLUSIVE: bool>(
        &mut self,
        on: Target,
        mut x: BufferViewMut<'_, T>,
        first: Option<T>,
        op: F,
    ) -> Result<()>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        self.check(x.len(), x.len())?;
        if self.alone {
            let grid = self.combine_tiles(on, x.view(), op)?;
            let scan = move |x: DisjointChunks<T>, tiles: &[Option<T>]| {
                scan_alone::<T, EXCLUSIVE>(x, |_, own| own, tiles, first, op);
            };
            return on.launch(grid, scan, (x.by_chunks(ALONE), &self.tiles));
        }
        let grid = Grid::blocks(x.len().div_ceil(tile::<T>())).threads(THREADS);
        let kernel = move |mut x: DisjointMut<T>, lookback: RawLookback| {
            launch_bounds::<256, 5>();
            let (n, x) = (x.len(), x.as_mut_ptr());
            // SAFETY: nobody else's.
            unsafe { scan_tile::<T, EXCLUSIVE>(n, x, x, lookback, first, op) };
        };
        on.launch(grid, kernel, (x, &mut self.lookback))
    }

    /// On the CPU: `tiles` becomes the combination of each tile. Gives the grid.
    #[track_caller]
    #[inline]
    fn combine_tiles<F>(&mut self, on: Target, x: BufferView<'_, T>, op: F) -> Result<Grid>
    where
        F: Fn(T, T) -> T + Copy + Send + Sync + 'static,
    {
        let grid = Grid::blocks(x.len().div_ceil(ALONE)).threads(1);
        let sums = move |x: &[T], mut tiles: DisjointMut<Option<T>>| {
            let t = thread::index();
            tiles[t] = None;
            let own = &x[t.get() * ALONE..];
            let own = own.iter().take(ALONE).copied();
            tiles[t] = own.reduce(op);
        };
        on.launch(grid, sums, (x, &mut self.tiles))?;
        Ok(grid)
    }

    fn check(&self, x: usize, y: usize) -> Result<()> {
        if x == y && x <= self.len {
            return Ok(());
        }
        let text = format!("a scan for up to {} elements, of {x} into {y}", self.len);
        Err(Error::Invalid(text.into()))
    }
}

/// On the CPU: scans this thread's tile of `y`, in which `element` says of each place and what lies
/// there what to scan.
#[inline(always)]
fn scan_alone<T: DeviceCopy, const EXCLUSIVE: bool>(
    mut y: DisjointChunks<T>,
    element: impl Fn(usize, T) -> T,
    tiles: &[Option<T>],
    first: Option<T>,
    op: impl Fn(T, T) -> T,
) {
    let t = thread::index();
    let mut through = first;
    for tile in &tiles[..t.get()] {
        through = match (through, *tile) {
            (_, None) => return,
            (Some(through), Some(tile)) => Some(op(through, tile)),
            (None, tile) => tile,
        };
    }
    let Some(y) = y.get_mut(t) else { return };
    for (i, y) in (t.get() * ALONE..).zip(y) {
        let x = element(i, *y);
        let next = match through {
            Some(through) => op(through, x),
            None => x,
        };
        *y = match through {
            Some(through) if EXCLUSIVE => through,
            _ => next,
        };
        through = Some(next);
    }
}

/// Scans one tile of `x` into `y`; the grid has a block of THREADS for each tile. `first` comes before
/// the first element.
///
/// # Safety
/// Both have `n` elements. Nobody else uses those of `y` meanwhile, or all blocks do so here; it may be
/// `x`: a block has read its tile before it writes it.
#[inline(always)]
unsafe fn scan_tile<T: DeviceCopy, const EXCLUSIVE: bool>(
    n: usize,
    x: *const T,
    y: *mut T,
    lookback: RawLookback,
    first: Option<T>,
    op: impl Fn(T, T) -> T,
) {
    let items = const { items::<T>() };
    let number = lookback.number();
    let start = number as usize * const { tile::<T>() };
    let t = thread::thread_index().x as usize;
    let place = TILE.as_mut_ptr().cast::<T>();
    let mut own = [const { MaybeUninit::<T>::uninit() }; MOST];
    let whole = start + const { tile::<T>() } <= n;
    // SAFETY: indices into x are below n; each thread its own places of shared memory, read
    // after the barrier.
    unsafe {
        if whole {
            let x = x.add(start + t);
            for i in 0..items {
                own[i].write(x.add(i * THREADS).read());
            }
            for i in 0..items {
                place.add(t + i * THREADS).write(own[i].assume_init());
            }
        } else {
            // Past the end any value will do: only what lies there is made from it.
            for i in 0..items {
                let at = (start + t + i * THREADS).min(n - 1);
                place.add(t + i * THREADS).write(x.add(at).read());
            }
        }
    }
    sync::barrier();
    // SAFETY: all places were written before the barrier.
    let sum = unsafe {
        let own = place.add(t * items);
        let mut sum = own.read();
        for i in 1..items {
            sum = op(sum, own.add(i).read());
        }
        sum
    };
    let before = before_thread(&lookback, number, sum, first, &op);
    let Some(before) = before else {
        // After a panic, of which the host hears.
        return;
    };
    // They are read again: kept in registers meanwhile, they would leave room for fewer blocks.
    // SAFETY: each thread reads and writes its own places, which others read after the barrier.
    unsafe {
        let mut through = before;
        for i in 0..items {
            let value = place.add(t * items + i).read();
            let next = match through {
                Some(through) => op(through, value),
                None => value,
            };
            let result = match through {
                Some(through) if EXCLUSIVE => through,
                _ => next,
            };
            place.add(t * items + i).write(result);
            through = Some(next);
        }
    }
    sync::barrier();
    // SAFETY: written before the barrier. Tiles are different for different blocks as their numbers
    // are, and within a tile the places are different for different threads.
    unsafe {
        if whole {
            let y = y.add(start + t);
            for i in 0..items {
                y.add(i * THREADS).write(place.add(t + i * THREADS).read());
            }
        } else {
            for i in 0..items {
                let at = start + t + i * THREADS;
                if at < n {
                    y.add(at).write(place.add(t + i * THREADS).read());
                }
            }
        }
    }
}

/// What comes before this thread's elements, of which `sum` is the combination; None after a
/// panic.
#[inline(always)]
fn before_thread<T: DeviceCopy>(
    lookback: &RawLookback,
    number: u32,
    sum: T,
    first: Option<T>,
    op: &impl Fn(T, T) -> T,
) -> Option<Option<T>> {
    let t = thread::thread_index().x as usize;
    let (lane, lanes) = (thread::lane(), thread::warp_size() as usize);
    let (warp, warps) = (t / lanes, THREADS / lanes);
    let through = warp::scan_whole(sum, op);
    if lane as usize == lanes - 1 {
        // SAFETY: one thread of each warp, its own place; read after the barrier.
        unsafe { block::place::<T>(warp).write(through) };
    }
    if !lookback.all_come(0, THREADS) {
        return None;
    }
    let (mut below, mut all) = (None, None);
    for other in 0..warps {
        if other == warp {
            below = all;
        }
        // SAFETY: written before the barrier.
        let value = unsafe { block::place::<T>(other).read() };
        all = Some(match all {
            None => value,
            Some(all) => op(all, value),
        });
    }
    let earlier = unsafe { block::place::<Option<T>>(warps) };
    if let (0, Some(all)) = (warp, all) {
        let before = lookback.before(number, all, first, op);
        if lane == 0 {
            // SAFETY: this thread alone; read after the barrier.
            unsafe { earlier.write(before) };
        }
    }
    if !lookback.all_come(1, THREADS) {
        return None;
    }
    // SAFETY: written before the barrier.
    let before = unsafe { earlier.read() };
    if number > 0 && before.is_none() {
        return None;
    }
    let before = match (before, below) {
        (Some(before), Some(below)) => Some(op(before, below)),
        (before, None) => before,
        (None, below) => below,
    };
    Some(match (before, warp::below_whole(through)) {
        (Some(before), Some(below)) => Some(op(before, below)),
        (before, None) => before,
        (None, below) => below,
    })
}
