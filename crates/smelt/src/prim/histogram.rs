//! Histograms: how many elements fall into each bin.
//!
//! On GPUs a block counts in shared memory, in as many copies of the bins as there is room for, one for
//! each warp at best, and adds what it has to the counts at its end. Bins for which there is no room are
//! counted where they are. A thread keeps its last bin and how often it came, so that equal
//! neighbours cost no memory access. On the CPU each thread of the machine has counts of its own, which another
//! launch adds up.

use super::{On, Target};
use crate::device::{dynamic_shared, launch_bounds, thread};
use crate::{
    Buffer, BufferView, BufferViewMut, Device, DeviceCopy, DeviceKind, DisjointChunks, DisjointMut,
    Error, Grid, Result, Views, sync,
};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Threads in a block, elements that each has under way, and blocks for each multiprocessor.
const THREADS: usize = 256;
const UNDER_WAY: usize = 8;
const BLOCKS: usize = 8;
/// Counts that a block has room for: that many blocks still fit a multiprocessor.
const ROOM: usize = 4096;
/// A block has at most so many warps.
const MOST_COPIES: usize = THREADS / 32;

mod sealed {
    pub trait Add: Copy {
        const ZERO: Self;
        /// The most that it counts.
        const MOST: u64;
        /// # Safety
        /// A live count that is only accessed in this way.
        unsafe fn add(at: *mut Self, number: u32);
        fn of(number: u64) -> Self;
    }

    /// Bins of a range, as `Histogram::even` says.
    pub trait Line: Copy {
        /// What `bin` needs, computed once; None if the range is empty.
        fn scale(lower: Self, upper: Self, bins: u32) -> Option<Self>;
        /// The number of this one's bin, which it has if it is in the range.
        fn bin(self, lower: Self, scale: Self, bins: u32) -> usize;
    }
}
use sealed::{Add, Line};

/// What a histogram counts in: `u32` or `u64`.
pub trait Count: DeviceCopy + Add + Send + Sync {}

macro_rules! counts {
    ($($type:ty, $atomic:ty;)*) => {$(
        impl Add for $type {
            const ZERO: Self = 0;
            const MOST: u64 = <$type>::MAX as u64;
            #[inline(always)]
            unsafe fn add(at: *mut Self, number: u32) {
                // SAFETY: the caller's.
                unsafe { <$atomic>::from_ptr(at) }.fetch_add(number as $type, Relaxed);
            }
            #[inline(always)]
            fn of(number: u64) -> Self {
                number as $type
            }
        }
        impl Count for $type {}
    )*};
}
counts! { u32, AtomicU32; u64, AtomicU64; }

/// Numbers that a range can be divided into bins of: integers of up to 64 bits, `f32`, `f64`.
pub trait Sample: DeviceCopy + Line + PartialOrd + Send + Sync {}

macro_rules! integers {
    ($($type:ty, $unsigned:ty, $wide:ty;)*) => {$(
        impl Line for $type {
            fn scale(lower: Self, upper: Self, _bins: u32) -> Option<Self> {
                // A difference of numbers in order fits the unsigned type.
                (lower < upper).then(|| upper.wrapping_sub(lower))
            }
            #[inline(always)]
            fn bin(self, lower: Self, scale: Self, bins: u32) -> usize {
                let (at, width) = (self.wrapping_sub(lower) as $unsigned, scale as $unsigned);
                // Short divisions where that is all it takes, which a launch knows.
                match u32::try_from(width) {
                    Ok(width) => (at as u64 * bins as u64 / width as u64) as usize,
                    Err(_) => (at as $wide * bins as $wide / width as $wide) as usize,
                }
            }
        }
        impl Sample for $type {}
    )*};
}
integers! {
    u8, u8, u64; i8, u8, u64; u16, u16, u64; i16, u16, u64; u32, u32, u64; i32, u32, u64;
    u64, u64, u128; i64, u64, u128; usize, usize, u128; isize, usize, u128;
}

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl Line for $type {
            fn scale(lower: Self, upper: Self, bins: u32) -> Option<Self> {
                let width = upper - lower;
                (lower < upper && width.is_finite()).then(|| bins as $type / width)
            }
            #[inline(always)]
            fn bin(self, lower: Self, scale: Self, bins: u32) -> usize {
                // Rounding may carry the last ones up to the border.
                (((self - lower) * scale) as u32).min(bins - 1) as usize
            }
        }
        impl Sample for $type {}
    )*};
}
floats! { f32 f64 }

/// The memory of histograms of so many bins: none on GPUs, a count of each bin for each thread of
/// the machine on the CPU. One histogram runs at a time; given to several streams, they follow
/// each other.
///
/// A histogram reads each element once. Its counts are the same in every run.
///
/// ```
/// # use smelt::prelude::*;
/// use smelt::prim::Histogram;
/// # let gpu = Device::default()?;
/// let x = Buffer::from_slice(&gpu, &[0.1f32, 0.7, 0.75, 1.0, -3.0])?;
/// let mut counts = Buffer::<u32>::zeroed(&gpu, 4)?;
/// let mut histogram = Histogram::new(&gpu, 4)?;
/// histogram.even(&gpu, x.view(), 0.0, 1.0, counts.view_mut())?;
/// assert_eq!(counts.to_vec()?, [1, 0, 1, 1]);
///
/// let words = Buffer::from_slice(&gpu, &[3usize, 1, 3, 9])?;
/// histogram.of(&gpu, words.view(), counts.view_mut(), |x| *x)?;
/// assert_eq!(counts.to_vec()?, [0, 1, 0, 2]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Histogram {
    bins: usize,
    alone: bool,
    units: usize,
    /// Of each thread on the CPU, bin after bin.
    rows: Buffer<u64>,
}

impl Histogram {
    /// For so many bins.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are none, or too many to be numbered in 32 bits;
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn new(gpu: &Device, bins: usize) -> Result<Self> {
        if bins == 0 || u32::try_from(bins).is_err() {
            return Err(Error::Invalid(format!("a histogram of {bins} bins").into()));
        }
        let info = gpu.info()?;
        let (alone, units) = (info.kind == DeviceKind::Cpu, info.units as usize);
        let rows = match alone {
            true => bins.checked_mul(units).ok_or_else(|| {
                Error::NoDeviceMemory(format!("{bins} bins for {units} threads").into())
            })?,
            false => 0,
        };
        Ok(Self {
            bins,
            alone,
            units,
            rows: Buffer::zeroed(gpu, rows)?,
        })
    }

    /// `counts[b]` becomes the number of elements of `x` in bin `b` of equally wide ones from `lower` up
    /// to below `upper`. What lies outside, and NaN, is in none.
    ///
    /// Of integers that is `(x - lower) * bins / (upper - lower)` rounded down, exactly. Of floats it is
    /// `(x - lower) * (bins / (upper - lower))` with each operation rounded, in the same way
    /// everywhere: what lies at a border, but for its last bits, may be on either side.
    ///
    /// # Errors
    /// As [`of`](Self::of), and [`Error::Invalid`] unless `lower` is less than `upper`, by a finite
    /// difference.
    #[track_caller]
    pub fn even<T: Sample, C: Count>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        lower: T,
        upper: T,
        counts: BufferViewMut<'_, C>,
    ) -> Result<()> {
        let bins = self.bins as u32;
        let Some(scale) = T::scale(lower, upper, bins) else {
            return Err(Error::Invalid("a histogram of an empty range".into()));
        };
        let bin = move |x: &T| match lower <= *x && *x < upper {
            true => x.bin(lower, scale, bins),
            false => usize::MAX,
        };
        self.run(on.target(), x, counts, bin)
    }

    /// `counts[b]` becomes the number of elements of `x` for which `bin` gives `b`. What is in no bin
    /// is not counted.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless there are as many counts as [`new`](Self::new) was told of bins, and
    /// if there are more elements than a count can hold; those of [`Device::launch`], a panic in `bin`
    /// at the next wait.
    #[track_caller]
    pub fn of<T, C, F>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        counts: BufferViewMut<'_, C>,
        bin: F,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
        C: Count,
        F: Fn(&T) -> usize + Copy + Send + Sync + 'static,
    {
        self.run(on.target(), x, counts, bin)
    }

    #[track_caller]
    #[inline]
    fn run<T, C, F>(
        &mut self,
        on: Target,
        x: BufferView<'_, T>,
        mut counts: BufferViewMut<'_, C>,
        bin: F,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
        C: Count,
        F: Fn(&T) -> usize + Copy + Send + Sync + 'static,
    {
        let (n, bins) = (x.len(), self.bins);
        if counts.len() != bins || n as u64 > C::MOST {
            let text = format!(
                "a histogram of {bins} bins, of {n} elements into {} counts",
                counts.len()
            );
            return Err(Error::Invalid(text.into()));
        }
        if self.alone {
            return self.run_alone(on, x, counts, bin);
        }
        let zeros = |mut counts: DisjointMut<C>| {
            if let Some(count) = counts.get_mut(thread::index()) {
                *count = C::ZERO;
            }
        };
        on.launch(Grid::cover(bins), zeros, (counts.reborrow(),))?;
        let blocks = n.div_ceil(THREADS * UNDER_WAY);
        let grid = Grid::blocks(blocks.min(self.units * BLOCKS)).threads(THREADS);
        // A block counts its share in 32 bits.
        let copies = match n.div_ceil(self.units) > u32::MAX as usize {
            true => 0,
            false => (ROOM / bins).min(MOST_COPIES),
        };
        if copies == 0 {
            let kernel = move |x: &[T], mut counts: DisjointMut<C>| {
                launch_bounds::<256, 4>();
                let (bins, counts) = (counts.len(), counts.as_mut_ptr());
                // SAFETY: one of the counts, all of which are only added to.
                count(x, bins, bin, |bin, number| unsafe {
                    C::add(counts.add(bin), number)
                });
            };
            return on.launch(grid, kernel, (x, counts));
        }
        let kernel = move |x: &[T], counts: DisjointMut<C>, copies: usize| {
            launch_bounds::<256, 4>();
            count_shared(x, counts, copies, bin);
        };
        let grid = grid.shared(copies * bins * size_of::<u32>());
        on.launch(grid, kernel, (x, counts, copies))
    }

    #[track_caller]
    fn run_alone<T, C, F>(
        &mut self,
        on: Target,
        x: BufferView<'_, T>,
        counts: BufferViewMut<'_, C>,
        bin: F,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
        C: Count,
        F: Fn(&T) -> usize + Copy + Send + Sync + 'static,
    {
        let (bins, units) = (self.bins, self.units);
        let kernel = move |x: &[T], mut rows: DisjointChunks<u64>| {
            let t = thread::index();
            let each = x.len().div_ceil(thread::grid_dim().x as usize).max(1);
            if let Some(row) = rows.get_mut(t) {
                row.fill(0);
                for x in x.chunks(each).nth(t.get()).unwrap_or(&[]) {
                    if let Some(count) = row.get_mut(bin(x)) {
                        *count += 1;
                    }
                }
            }
        };
        let grid = Grid::blocks(units).threads(1);
        on.launch(grid, kernel, (x, self.rows.view_mut().by_chunks(bins)))?;
        let sums = |rows: &[u64], mut counts: DisjointMut<C>| {
            let bins = counts.len();
            let t = thread::index();
            if let Some(count) = counts.get_mut(t) {
                *count = C::of(rows.iter().skip(t.get()).step_by(bins).sum());
            }
        };
        on.launch(Grid::cover(bins), sums, (&self.rows, counts))
    }
}

/// Gives `add` how often the bins below `bins` come among this thread's elements.
#[inline(always)]
fn count<T: DeviceCopy>(x: &[T], bins: usize, bin: impl Fn(&T) -> usize, add: impl Fn(usize, u32)) {
    let threads = thread::grid_dim().x as usize * THREADS;
    let mut i = thread::block_index().x as usize * THREADS + thread::thread_index().x as usize;
    let (mut last, mut number) = (0, 0u32);
    let mut one = |x: &T| {
        let bin = bin(x);
        if bin != last {
            if number > 0 {
                add(last, number);
            }
            (last, number) = (bin, 0);
        }
        number += (bin < bins) as u32;
    };
    while i + (UNDER_WAY - 1) * threads < x.len() {
        // All loads are under way before the first is used.
        // SAFETY: below the length.
        let some: [T; UNDER_WAY] =
            std::array::from_fn(|k| unsafe { *x.get_unchecked(i + k * threads) });
        for x in &some {
            one(x);
        }
        i += UNDER_WAY * threads;
    }
    while i < x.len() {
        // SAFETY: below the length.
        one(unsafe { x.get_unchecked(i) });
        i += threads;
    }
    if number > 0 {
        add(last, number);
    }
}

/// A block's share, in `copies` of the bins in shared memory, for which the launch gave room.
#[inline(always)]
fn count_shared<T: DeviceCopy, C: Count>(
    x: &[T],
    mut counts: DisjointMut<C>,
    copies: usize,
    bin: impl Fn(&T) -> usize,
) {
    let (t, lanes) = (
        thread::thread_index().x as usize,
        thread::warp_size() as usize,
    );
    let (bins, counts) = (counts.len(), counts.as_mut_ptr());
    let cell = |i: usize| {
        // SAFETY: within what the launch gave, say the callers; all accesses are atomic.
        unsafe { AtomicU32::from_ptr(dynamic_shared::<u32>().add(i)) }
    };
    let mut i = t;
    while i < copies * bins {
        cell(i).store(0, Relaxed);
        i += THREADS;
    }
    sync::barrier();
    let own = t / lanes % copies * bins;
    count(x, bins, bin, |bin, number| {
        cell(own + bin).fetch_add(number, Relaxed);
    });
    sync::barrier();
    let mut bin = t;
    while bin < bins {
        let mut number = 0u32;
        for copy in 0..copies {
            number = number.wrapping_add(cell(copy * bins + bin).load(Relaxed));
        }
        if number > 0 {
            // SAFETY: one of the counts, all of which are only added to.
            unsafe { C::add(counts.add(bin), number) };
        }
        bin += THREADS;
    }
}
