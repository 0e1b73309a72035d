//! Selection: what is wanted of an array, closed up, in its order.
//!
//! On GPUs one launch reads everything once: a block takes a tile, votes on its elements, looks back
//! for how many are wanted in the tiles before ([`lookback`](super::lookback)), and writes. A round of
//! the block's threads is one vote a warp, so that neighbours write neighbours. On the CPU a thread
//! does a tile by itself, after another launch has counted each tile's.
//!
//! What makes the writes sound: wanted element `i` goes to the number of wanted ones before it, which
//! each thread has from votes that are cast once. On the CPU, where the two launches ask
//! twice, a tile never writes more than it has counted.

use super::lookback::{Lookback, RawLookback};
use super::{On, Target};
use crate::arg::{Arg, Param};
use crate::device::{launch_bounds, thread, warp};
use crate::host::error::at;
use crate::host::maps::Maps;
use crate::{
    Buffer, BufferView, BufferViewMut, Device, DeviceCopy, DeviceKind, DisjointMut, Error, Grid,
    Pinned, Result, Shared,
};
use std::mem::MaybeUninit;
use std::panic::Location;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Threads in a block, and elements of each.
const THREADS: usize = 256;
const ITEMS: usize = 16;
const TILE: usize = THREADS * ITEMS;
/// A warp has at least 32 threads.
const MOST_VOTES: usize = TILE / 32;
/// Elements up to so many bytes are kept in registers meanwhile; larger ones are read again.
const KEPT: usize = 8;
/// Elements of a tile on the CPU, and the count of one whose elements could not be asked.
const ALONE: usize = 1 << 15;
const PANICKED: u32 = u32::MAX;

crate::shared! {
    /// How many each vote found, then the place of its first.
    static VOTES: [u32; MOST_VOTES];
    /// Whether what lies before the tile is known.
    static KNOWN: u32;
}

#[inline(always)]
fn cell<T>(memory: &'static Shared<T>, i: usize) -> &'static AtomicU32 {
    // SAFETY: within the block's memory, say the callers; all accesses are atomic.
    unsafe { AtomicU32::from_ptr((&raw const *memory).cast_mut().cast::<u32>().add(i)) }
}

/// The memory of selections from up to so many elements: on GPUs a word for each few thousand. One
/// selection runs at a time; given to several streams, they follow each other.
///
/// A selection reads each element once and writes what is wanted, in order, to the front of another
/// array, of which the rest stays as it is.
///
/// ```
/// # use smelt::prelude::*;
/// use smelt::prim::Select;
/// # let gpu = Device::default()?;
/// let x = Buffer::from_slice(&gpu, &[3, -1, 4, -1, -5])?;
/// let mut y = Buffer::zeroed(&gpu, 5)?;
/// let mut select = Select::new(&gpu, 5)?;
/// select.by(&gpu, x.view(), y.view_mut(), |x| *x < 0)?;
/// assert_eq!(select.count()?, 3);
/// assert_eq!(y.to_vec()?, [-1, -1, -5, 0, 0]);
///
/// let mut places = Buffer::zeroed(&gpu, 5)?;
/// select.places(&gpu, x.view(), places.view_mut(), |x| *x < 0)?;
/// assert_eq!(places.to_vec()?[..select.count()?], [1, 3, 4]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Select {
    len: usize,
    alone: bool,
    run: Run,
    /// Of each tile, on the CPU.
    tiles: Buffer<u32>,
    /// Whether the last selection was from nothing.
    empty: bool,
}

/// What a launch works with.
struct Run {
    lookback: Lookback,
    count: Pinned<u32>,
    /// Of the last launch; None once it is known to have ended well.
    pending: Option<Target>,
}

/// The same in the kernel.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawSelect {
    lookback: RawLookback,
    count: *mut u32,
}

// SAFETY: each thread of the launch has the same, and one of them writes the count.
unsafe impl Param for RawSelect {
    type Raw = RawSelect;
    type Device<'k> = RawSelect;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawSelect, _call: &'k ()) -> RawSelect {
        raw
    }
}

// SAFETY: both memories live until the launch has ended: the buffer's use is noted, and the pinned
// memory is freed after waiting for it. Launches that share them are kept in order by that use.
unsafe impl Arg<RawSelect> for &mut Run {
    type Param = RawSelect;
    const BORROWS_HOST: bool = false;
    fn begin(self, maps: &mut Maps) -> Result<RawSelect> {
        self.pending = Some(maps.target());
        Ok(RawSelect {
            lookback: self.lookback.begin(maps)?,
            count: self.count.as_mut_ptr(),
        })
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.pending.is_some() {
            // A launch may still write the count. What goes wrong is told by the next wait.
            let _ = self.lookback.wait();
        }
    }
}

impl Select {
    /// For arrays of up to `len` elements.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are too many to be counted in 32 bits;
    /// [`Error::NoDeviceMemory`], [`Error::NoMemory`] (pinned memory), and [`Error::Engine`] from
    /// the driver.
    #[track_caller]
    pub fn new(gpu: &Device, len: usize) -> Result<Self> {
        if u32::try_from(len).is_err() {
            return Err(Error::Invalid(
                format!("a selection from {len} elements").into(),
            ));
        }
        let alone = gpu.info()?.kind == DeviceKind::Cpu;
        let (tiles, alone_tiles) = match alone {
            true => (0, len.div_ceil(ALONE)),
            false => (len.div_ceil(TILE), 0),
        };
        Ok(Self {
            len,
            alone,
            run: Run {
                lookback: Lookback::new::<u32>(gpu, tiles)?,
                count: Pinned::from_slice(gpu, &[0])?,
                pending: None,
            },
            tiles: Buffer::zeroed(gpu, alone_tiles)?,
            empty: true,
        })
    }

    /// Copies to `y` the elements of `x` for which `wanted` holds. It may be asked more than once for an
    /// element, and should say the same each time.
    ///
    /// # Errors
    /// [`Error::Invalid`] if `y` has fewer elements than `x`, or `x` more than [`new`](Self::new) was
    /// told; those of [`Device::launch`]. A panic in `wanted` is told by [`count`](Self::count).
    #[track_caller]
    pub fn by<T, F>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        y: BufferViewMut<'_, T>,
        wanted: F,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
        F: Fn(&T) -> bool + Copy + Send + Sync + 'static,
    {
        let get = |x: &T, _| *x;
        self.run(on.target(), x, y, move |x: &T, _: &T| wanted(x), get)
    }

    /// Copies to `y` the elements of `x` whose flag is set.
    ///
    /// # Errors
    /// As [`by`](Self::by), and [`Error::Invalid`] unless there are as many flags as elements.
    #[track_caller]
    pub fn flagged<T>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        flags: BufferView<'_, bool>,
        y: BufferViewMut<'_, T>,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
    {
        let on = on.target();
        let n = x.len();
        if flags.len() != n {
            let text = format!("{} flags of {n} elements", flags.len());
            return Err(Error::Invalid(text.into()));
        }
        if !self.begin(n, y.len())? {
            return Ok(());
        }
        if self.alone {
            let grid = Grid::blocks(n.div_ceil(ALONE)).threads(1);
            let count = |flags: &[bool], tiles: DisjointMut<u32>| {
                count_alone(flags.len(), tiles, |i| flags[i]);
            };
            on.launch(grid, count, (flags, &mut self.tiles))?;
            let kernel =
                |x: &[T], flags: &[bool], y: DisjointMut<T>, tiles: &[u32], raw: RawSelect| {
                    move_alone(x.len(), tiles, y, raw, |i| flags[i], |i| x[i]);
                };
            let args = (x, flags, y, &self.tiles, &mut self.run);
            return on.launch(grid, kernel, args);
        }
        let grid = Grid::blocks(n.div_ceil(TILE)).threads(THREADS);
        let kernel = |x: &[T], flags: &[bool], y: DisjointMut<T>, raw: RawSelect| {
            launch_bounds::<256, 3>();
            // SAFETY: asked for places below both lengths only, which are the same.
            unsafe {
                let wanted = |i: usize, _: &T| *flags.get_unchecked(i);
                select_tile(x.len(), y, raw, wanted, |i| *x.get_unchecked(i));
            }
        };
        on.launch(grid, kernel, (x, flags, y, &mut self.run))
    }

    /// Writes to `y` the places in `x` of the elements for which `wanted` holds.
    ///
    /// # Errors
    /// As [`by`](Self::by).
    #[track_caller]
    pub fn places<T, F>(
        &mut self,
        on: &impl On,
        x: BufferView<'_, T>,
        y: BufferViewMut<'_, u32>,
        wanted: F,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
        F: Fn(&T) -> bool + Copy + Send + Sync + 'static,
    {
        let get = |_: &T, i: usize| i as u32;
        self.run(on.target(), x, y, move |x: &T, _: &u32| wanted(x), get)
    }

    /// How many elements the last selection found, for which it waits; 0 before the first.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn count(&mut self) -> Result<usize> {
        if self.empty {
            return Ok(0);
        }
        if let Some(target) = self.run.pending {
            at(Location::caller());
            target.wait_also_destroyed()?;
            self.run.pending = None;
        }
        Ok(self.run.count[0] as usize)
    }

    /// Of elements of `x`, what `get` makes of each and its place.
    #[track_caller]
    #[inline]
    fn run<T, U, F, G>(
        &mut self,
        on: Target,
        x: BufferView<'_, T>,
        y: BufferViewMut<'_, U>,
        wanted: F,
        get: G,
    ) -> Result<()>
    where
        T: DeviceCopy + Send + Sync,
        U: DeviceCopy + Send + Sync,
        F: Fn(&T, &U) -> bool + Copy + Send + Sync + 'static,
        G: Fn(&T, usize) -> U + Copy + Send + Sync + 'static,
    {
        let n = x.len();
        if !self.begin(n, y.len())? {
            return Ok(());
        }
        if self.alone {
            let grid = Grid::blocks(n.div_ceil(ALONE)).threads(1);
            let count = move |x: &[T], tiles: DisjointMut<u32>| {
                count_alone(x.len(), tiles, |i| wanted(&x[i], &get(&x[i], i)));
            };
            on.launch(grid, count, (x, &mut self.tiles))?;
            let kernel = move |x: &[T], y: DisjointMut<U>, tiles: &[u32], raw: RawSelect| {
                let wanted = |i: usize| wanted(&x[i], &get(&x[i], i));
                move_alone(x.len(), tiles, y, raw, wanted, |i| get(&x[i], i));
            };
            return on.launch(grid, kernel, (x, y, &self.tiles, &mut self.run));
        }
        let grid = Grid::blocks(n.div_ceil(TILE)).threads(THREADS);
        let kernel = move |x: &[T], y: DisjointMut<U>, raw: RawSelect| {
            launch_bounds::<256, 3>();
            // SAFETY: asked for places below the length only.
            unsafe {
                let wanted = |i: usize, it: &U| wanted(x.get_unchecked(i), it);
                let get = |i: usize| get(x.get_unchecked(i), i);
                select_tile(x.len(), y, raw, wanted, get);
            }
        };
        on.launch(grid, kernel, (x, y, &mut self.run))
    }

    /// Whether there is something to do.
    fn begin(&mut self, n: usize, room: usize) -> Result<bool> {
        if n > self.len || room < n {
            let most = self.len;
            let text = format!("a selection from up to {most} elements, from {n} into {room}");
            return Err(Error::Invalid(text.into()));
        }
        self.empty = n == 0;
        Ok(n > 0)
    }
}

/// Selects from one tile of `n` elements; the grid has a block of THREADS for each. `y` is as long.
#[inline(always)]
fn select_tile<U: DeviceCopy>(
    n: usize,
    mut y: DisjointMut<U>,
    raw: RawSelect,
    wanted: impl Fn(usize, &U) -> bool,
    get: impl Fn(usize) -> U,
) {
    let tile = raw.lookback.number();
    let t = thread::thread_index().x as usize;
    let (lane, lanes) = (thread::lane(), thread::warp_size() as usize);
    let (warp, warps) = (t / lanes, THREADS / lanes);
    let begin = tile as usize * TILE;
    let here = TILE.min(n - begin);
    let mut items = [const { MaybeUninit::<U>::uninit() }; ITEMS];
    let mut flags = 0u32;
    if here == TILE {
        // All are under way before the first is asked.
        each!(R {
            items[R].write(get(begin + R * THREADS + t));
        });
        each!(R {
            // SAFETY: written above.
            let item = unsafe { items[R].assume_init_ref() };
            flags |= (wanted(begin + R * THREADS + t, item) as u32) << R;
        });
    } else {
        each!(R {
            let i = R * THREADS + t;
            if i < here {
                let item = items[R].write(get(begin + i));
                flags |= (wanted(begin + i, item) as u32) << R;
            }
        });
    }
    each!(R {
        let vote = warp::ballot(flags >> R & 1 != 0);
        if lane == 0 {
            cell(&VOTES, R * warps + warp).store(vote.count_ones(), Relaxed);
        }
    });
    if !raw.lookback.all_come(0, THREADS) {
        return;
    }
    if warp == 0 {
        let known = places_of_votes(&raw, tile);
        if lane == 0 {
            cell(&KNOWN, 0).store(known as u32, Relaxed);
        }
    }
    if !raw.lookback.all_come(1, THREADS) || cell(&KNOWN, 0).load(Relaxed) == 0 {
        // After a panic, of which the host hears.
        return;
    }
    let below = (1u64 << lane) - 1;
    each!(R {
        let mine = flags >> R & 1 != 0;
        let vote = warp::ballot(mine);
        if mine {
            let first = cell(&VOTES, R * warps + warp).load(Relaxed);
            let place = first.wrapping_add((vote & below).count_ones()) as usize;
            let item = match const { size_of::<U>() <= KEPT } {
                // SAFETY: only what lies inside is wanted, and that was written.
                true => unsafe { items[R].assume_init() },
                false => get(begin + R * THREADS + t),
            };
            // SAFETY: below the number of wanted elements, and different for all, by the module's
            // argument.
            unsafe { y.as_mut_ptr().add(place).write(item) };
        }
    });
}

/// One warp: of each vote the place of its first, from its count, and the count of all by the last tile.
/// False if what lies before is not known, after a panic.
#[inline(always)]
fn places_of_votes(raw: &RawSelect, tile: u32) -> bool {
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let each = TILE / (lanes * lanes) as usize;
    let first = lane as usize * each;
    let mut mine = 0u32;
    for vote in first..first + each {
        mine = mine.wrapping_add(cell(&VOTES, vote).load(Relaxed));
    }
    let through = warp::scan_numbers(mine);
    let all = warp::number_of(through, lanes - 1);
    let Some(before) = raw.lookback.places_before(tile, all) else {
        return false;
    };
    let mut place = before.wrapping_add(through.wrapping_sub(mine));
    for vote in first..first + each {
        let count = cell(&VOTES, vote).load(Relaxed);
        cell(&VOTES, vote).store(place, Relaxed);
        place = place.wrapping_add(count);
    }
    if lane == 0 && tile + 1 == thread::grid_dim().x {
        // SAFETY: this thread alone, and the host reads it after the launch.
        unsafe { raw.count.write(before.wrapping_add(all)) };
    }
    true
}

/// On the CPU: how many of this thread's tile are wanted.
#[inline(always)]
fn count_alone(n: usize, mut tiles: DisjointMut<u32>, wanted: impl Fn(usize) -> bool) {
    let t = thread::index();
    let start = t.get() * ALONE;
    tiles[t] = PANICKED;
    let all = start..n.min(start + ALONE);
    tiles[t] = all.map(|i| wanted(i) as u32).sum();
}

/// On the CPU: this thread's tile to its place.
#[inline(always)]
fn move_alone<U: DeviceCopy>(
    n: usize,
    tiles: &[u32],
    mut y: DisjointMut<U>,
    raw: RawSelect,
    wanted: impl Fn(usize) -> bool,
    get: impl Fn(usize) -> U,
) {
    let t = thread::index().get();
    let last = n.div_ceil(ALONE) - 1;
    if tiles[..=last].contains(&PANICKED) {
        return;
    }
    let mut place = tiles[..t].iter().sum::<u32>() as usize;
    let end = place + tiles[t] as usize;
    for i in t * ALONE..n.min((t + 1) * ALONE) {
        if wanted(i) && place < end {
            // SAFETY: below the counts of all tiles up to this one, which are at most n; from those
            // of the tiles before on.
            unsafe { y.as_mut_ptr().add(place).write(get(i)) };
            place += 1;
        }
    }
    if t == last {
        // SAFETY: this thread alone, and the host reads it after the launch.
        unsafe { raw.count.write(end as u32) };
    }
}
