//! Stable sorts by radix: a pass for each byte of a key, the lowest first.
//!
//! On GPUs one kernel counts the digits of all passes, and each pass is one kernel that reads and
//! writes everything once: a block ranks the keys of its tile, finds how many of each digit lie in
//! earlier tiles by looking back ([`lookback`](super::lookback)), and writes the tile out digit by
//! digit. (Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs",
//! 2022.) On the CPU a thread does a tile by itself, without what is dear there: barriers and warps.
//!
//! What makes the writes sound: in a pass key `i` goes to the number of keys with a smaller digit, plus
//! the number with the same digit before it. That is a permutation, so no two threads write one
//! place. It needs digits that are always the same for the same key, so [`Key`] is sealed.

use super::lookback::{Lookback, RawLookback, What};
use super::{On, Target};
use crate::device::{launch_bounds, thread, warp};
use crate::{
    Buffer, BufferView, BufferViewMut, Device, DeviceCopy, DeviceKind, DisjointChunks, DisjointMut,
    Error, Grid, Result, Shared, Views, Zeroable, sync,
};
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, Ordering};

/// Threads in a block on GPUs, one for each value of a digit.
const THREADS: usize = 256;
const DIGITS: usize = 256;
/// Keys of a thread.
const ITEMS: usize = 16;
const TILE: usize = THREADS * ITEMS;
/// Threads that count, and keys that each has under way.
const COUNTERS: usize = 512;
const UNDER_WAY: usize = 4;
const MOST_PASSES: usize = 8;
/// Keys of a thread on the CPU.
const ALONE: usize = 1 << 14;
/// Tiles that are looked at together on the way back.
const AHEAD: usize = 8;
/// A warp has at least 32 threads.
const MOST_WARPS: usize = THREADS / 32;
/// Bits of a word with digit and rank: together they take one register.
const DIGIT: u32 = DIGITS as u32 - 1;
const RANK: u32 = 8;

crate::shared! {
    /// The tile in the order of its digits: keys, then values.
    static SORTED: [Word; TILE];
    /// For each warp how many keys of each digit it has, then where they begin in the tile.
    static COUNTS: [u32; MOST_WARPS * DIGITS];
    /// What a place in the tile is to be raised by, to be the place in the result.
    static SHIFTS: [u32; DIGITS];
    /// How often each digit occurs in each pass.
    static OCCURS: [u32; MOST_PASSES * DIGITS];
    static SUMS: [u32; COUNTERS / 32];
    static LAST: u32;
}

/// Room for a key or a value.
#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Word([MaybeUninit<u8>; 8]);
// SAFETY: bytes.
unsafe impl DeviceCopy for Word {}

mod sealed {
    pub trait Ordered: Copy {
        /// Bits that are ordered as the keys are; above the key's own bits there are zeros.
        fn ordered(self) -> u64;
        /// None comes after it.
        const LAST: Self;
    }
}
use sealed::Ordered;

/// What can be sorted by: integers, `bool`, `char`, and floats in the order of
/// [`f64::total_cmp`] (-NaN, -infinity, .., -0, 0, .., infinity, NaN).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key to sort by",
    note = "integers of up to 64 bits, f32, f64, bool and char are"
)]
pub trait Key: DeviceCopy + Zeroable + Ordered + Send + Sync {}

macro_rules! keys {
    ($($type:ty: $last:expr, |$key:ident| $ordered:expr;)*) => {$(
        impl Ordered for $type {
            #[inline(always)]
            fn ordered(self) -> u64 {
                let $key = self;
                $ordered
            }
            const LAST: Self = $last;
        }
        impl Key for $type {}
    )*};
}
keys! {
    u8: u8::MAX, |key| key as u64;
    u16: u16::MAX, |key| key as u64;
    u32: u32::MAX, |key| key as u64;
    u64: u64::MAX, |key| key;
    usize: usize::MAX, |key| key as u64;
    bool: true, |key| key as u64;
    char: char::MAX, |key| key as u64;
    i8: i8::MAX, |key| (key as u8 ^ 1 << 7) as u64;
    i16: i16::MAX, |key| (key as u16 ^ 1 << 15) as u64;
    i32: i32::MAX, |key| (key as u32 ^ 1 << 31) as u64;
    i64: i64::MAX, |key| key as u64 ^ 1 << 63;
    isize: isize::MAX, |key| key as u64 ^ 1 << 63;
    // Of negative ones all bits are turned, of others the sign.
    f32: f32::from_bits(u32::MAX >> 1), |key| (key.to_bits() ^ ((key.to_bits() as i32 >> 31) as u32 | 1 << 31)) as u64;
    f64: f64::from_bits(u64::MAX >> 1), |key| key.to_bits() ^ ((key.to_bits() as i64 >> 63) as u64 | 1 << 63);
}

/// Passes of a sort: an even number, so that the last one writes where the keys came from.
const fn passes<K>() -> usize {
    match size_of::<K>() {
        1 => 2,
        size => size,
    }
}

#[inline(always)]
fn digit<K: Key>(key: K, pass: u32) -> u32 {
    (key.ordered() >> (8 * pass)) as u32 % DIGITS as u32
}

/// An element of shared memory, to be changed by many threads.
#[inline(always)]
fn cell<const N: usize>(memory: &'static Shared<[u32; N]>, i: u32) -> &'static AtomicU32 {
    // SAFETY: within the array, say the callers; all accesses are atomic.
    unsafe { AtomicU32::from_ptr(memory.as_mut_ptr().cast::<u32>().add(i as usize)) }
}

/// The sum of `value` over the threads of the block before this one; a barrier was after what an
/// earlier call read.
#[inline(always)]
fn block_before(value: u32) -> u32 {
    let t = thread::thread_index().x;
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let through = warp::scan_numbers(value);
    if lane == lanes - 1 {
        cell(&SUMS, t / lanes).store(through, Relaxed);
    }
    sync::barrier();
    let mut before = through.wrapping_sub(value);
    for other in 0..THREADS as u32 / lanes {
        let sum = cell(&SUMS, other).load(Relaxed);
        before = before.wrapping_add(if other < t / lanes { sum } else { 0 });
    }
    before
}

/// Counts the digits of all passes; `starts` becomes where each begins. `counts` is all 0 before
/// and after.
#[inline(always)]
fn count<K: Key>(keys: &[K], counts: &[AtomicU32], starts: &[AtomicU32], lookback: RawLookback) {
    let t = thread::thread_index().x;
    let all = (const { passes::<K>() } * DIGITS) as u32;
    let mut i = t;
    while i < all {
        cell(&OCCURS, i).store(0, Relaxed);
        i += COUNTERS as u32;
    }
    sync::barrier();
    let one = |key: K| {
        for pass in 0..const { passes::<K>() } as u32 {
            cell(&OCCURS, pass * DIGITS as u32 + digit(key, pass)).fetch_add(1, Relaxed);
        }
    };
    let stride = thread::grid_dim().x as usize * COUNTERS;
    let mut i = thread::block_index().x as usize * COUNTERS + t as usize;
    while i + (UNDER_WAY - 1) * stride < keys.len() {
        // SAFETY: below the length.
        let some: [K; UNDER_WAY] =
            std::array::from_fn(|k| unsafe { *keys.get_unchecked(i + k * stride) });
        for key in some {
            one(key);
        }
        i += UNDER_WAY * stride;
    }
    while i < keys.len() {
        // SAFETY: below the length.
        one(unsafe { *keys.get_unchecked(i) });
        i += stride;
    }
    sync::barrier();
    let mut i = t;
    while i < all {
        let number = cell(&OCCURS, i).load(Relaxed);
        if number > 0 {
            // SAFETY: there is a count for each.
            unsafe { counts.get_unchecked(i as usize) }.fetch_add(number, Relaxed);
        }
        i += COUNTERS as u32;
    }
    // What the block wrote is before its ticket.
    sync::barrier();
    if t == 0 {
        let last = lookback.draw(1, Ordering::AcqRel) + 1 == thread::grid_dim().x;
        // SAFETY: only accessed atomically.
        unsafe { AtomicU32::from_ptr(LAST.as_mut_ptr()) }.store(last as u32, Relaxed);
    }
    sync::barrier();
    // SAFETY: as above.
    if unsafe { AtomicU32::from_ptr(LAST.as_mut_ptr()) }.load(Relaxed) == 0 {
        return;
    }
    for pass in 0..const { passes::<K>() } {
        let mut number = 0;
        if t < DIGITS as u32 {
            // SAFETY: there is a count for each.
            let count = unsafe { counts.get_unchecked(pass * DIGITS + t as usize) };
            number = count.load(Relaxed);
            count.store(0, Relaxed);
        }
        let before = block_before(number);
        if t < DIGITS as u32 {
            // SAFETY: there is a start for each.
            unsafe { starts.get_unchecked(pass * DIGITS + t as usize) }.store(before, Relaxed);
        }
        sync::barrier();
    }
}

/// How many keys with this thread's digit lie in tiles before, of which there are `own` in this
/// one, published as such except for the first tile.
#[inline(always)]
fn look_back(lookback: &RawLookback, tile: u32, own: u32) -> u32 {
    let (tile, t) = (tile as usize, thread::thread_index().x as usize);
    if tile == 0 {
        return 0;
    }
    let mut before = 0u32;
    let mut end = tile;
    'back: loop {
        // Several loads under way at a time; the first tile's is a total, so none is needed
        // before it.
        let words: [_; AHEAD] =
            std::array::from_fn(|k| lookback.read_number(end.saturating_sub(1 + k) * DIGITS + t));
        for known in words {
            end -= 1;
            let mut known = known;
            let (what, number) = loop {
                match known {
                    Some(known) => break known,
                    None => {
                        std::hint::spin_loop();
                        known = lookback.read_number(end * DIGITS + t);
                    }
                }
            };
            before = before.wrapping_add(number);
            if what == What::Total {
                break 'back;
            }
        }
    }
    lookback.publish_number(tile * DIGITS + t, What::Total, before.wrapping_add(own));
    before
}

/// For each of the warp's keys, a round after the other, how many of its digit come before it in
/// the warp, and its digit; COUNTS has the warp's numbers then.
#[inline(always)]
fn rank<K: Key>(keys: &[K; ITEMS], pass: u32, warp: u32) -> [u32; ITEMS] {
    let lane = thread::lane();
    let mut ranks = [0; ITEMS];
    each!(R {
        let digit = digit(keys[R], pass);
        let (before, number, leader) = warp::same_byte(digit);
        let mut base = 0;
        if lane == leader {
            let count = cell(&COUNTS, warp * DIGITS as u32 + digit);
            base = count.fetch_add(number, Relaxed);
        }
        ranks[R] = warp::number_of(base, leader).wrapping_add(before) << RANK | digit;
    });
    ranks
}

/// One pass: each block takes a tile. Values go with the keys if they have a size.
#[inline(always)]
fn sweep<K: Key, V: DeviceCopy>(
    keys: &[K],
    mut sorted_keys: DisjointMut<K>,
    values: &[V],
    mut sorted_values: DisjointMut<V>,
    starts: &[AtomicU32],
    lookback: RawLookback,
    pass: u32,
) {
    let n = keys.len();
    let tile = lookback.number();
    let t = thread::thread_index().x;
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let (warp, warps) = (t / lanes, THREADS as u32 / lanes);
    for other in 0..warps {
        cell(&COUNTS, other * DIGITS as u32 + t).store(0, Relaxed);
    }
    // A warp's part is consecutive, and so are its lanes' keys of each round.
    let own = (warp * lanes * ITEMS as u32 + lane) as usize;
    let begin = tile as usize * TILE;
    let here = TILE.min(n - begin);
    // Past the end there are keys that come last, and are not written.
    let mut items = [K::LAST; ITEMS];
    // SAFETY: below the length.
    unsafe {
        let keys = keys.as_ptr().add(begin);
        if here == TILE {
            each!(R {
                items[R] = keys.add(own + R * lanes as usize).read();
            });
        } else {
            each!(R {
                let i = own + R * lanes as usize;
                if i < here {
                    items[R] = keys.add(i).read();
                }
            });
        }
    }
    sync::barrier();
    let mut places = rank(&items, pass, warp);
    sync::barrier();
    let mut number = 0u32;
    for other in 0..warps {
        number = number.wrapping_add(cell(&COUNTS, other * DIGITS as u32 + t).load(Relaxed));
    }
    let start = block_before(number);
    let mut next = start;
    for other in 0..warps {
        let count = cell(&COUNTS, other * DIGITS as u32 + t);
        let of_warp = count.load(Relaxed);
        count.store(next, Relaxed);
        next = next.wrapping_add(of_warp);
    }
    // Others need it as early as can be, and this block theirs only later.
    let what = if tile == 0 { What::Total } else { What::Own };
    lookback.publish_number(tile as usize * DIGITS + t as usize, what, number);
    sync::barrier();
    let sorted = SORTED.as_mut_ptr();
    each!(R {
        let count = cell(&COUNTS, warp * DIGITS as u32 + (places[R] & DIGIT));
        places[R] = count.load(Relaxed).wrapping_add(places[R] >> RANK);
        // SAFETY: the places of a tile's keys are a permutation of it; read after the barrier.
        unsafe { sorted.cast::<K>().add(places[R] as usize).write(items[R]) };
    });
    let before = look_back(&lookback, tile, number);
    // SAFETY: there is a start for each.
    let first = unsafe { starts.get_unchecked(pass as usize * DIGITS + t as usize) }.load(Relaxed);
    cell(&SHIFTS, t).store(first.wrapping_add(before).wrapping_sub(start), Relaxed);
    sync::barrier();
    let mut results = [0; ITEMS];
    each!(R {
        let i = t as usize + R * THREADS;
        // SAFETY: written before the barrier.
        items[R] = unsafe { sorted.cast::<K>().add(i).read() };
        let shift = cell(&SHIFTS, digit(items[R], pass)).load(Relaxed);
        results[R] = shift.wrapping_add(i as u32);
    });
    scatter(&items, &results, here, sorted_keys.as_mut_ptr());
    if const { size_of::<V>() == 0 } {
        return;
    }
    let mut items = [const { MaybeUninit::<V>::uninit() }; ITEMS];
    // SAFETY: there is a value for each key; what lies past the end is moved like the keys there,
    // and is not written.
    unsafe {
        let values = values.as_ptr().add(begin);
        each!(R {
            let i = own + R * lanes as usize;
            if i < here {
                items[R].write(values.add(i).read());
            }
        });
        // The keys have been read.
        sync::barrier();
        each!(R {
            sorted.cast::<MaybeUninit<V>>().add(places[R] as usize).write(items[R]);
        });
        sync::barrier();
        each!(R {
            let i = t as usize + R * THREADS;
            items[R] = sorted.cast::<MaybeUninit<V>>().add(i).read();
        });
    }
    scatter(&items, &results, here, sorted_values.as_mut_ptr().cast());
}

/// Writes this thread's items of the sorted tile, of which the first `here` are there, to their
/// places in the result: inside, and different for all threads, by the module's argument.
#[inline(always)]
fn scatter<T: Copy>(items: &[T; ITEMS], results: &[u32; ITEMS], here: usize, to: *mut T) {
    let t = thread::thread_index().x as usize;
    // SAFETY: as said.
    unsafe {
        if here == TILE {
            each!(R {
                to.add(results[R] as usize).write(items[R]);
            });
        } else {
            each!(R {
                if t + R * THREADS < here {
                    to.add(results[R] as usize).write(items[R]);
                }
            });
        }
    }
}

/// On the CPU: how often each digit occurs in this thread's tile.
#[inline(always)]
fn count_alone<K: Key>(keys: &[K], mut counts: DisjointChunks<u32>, pass: u32) {
    let t = thread::index();
    if let Some(counts) = counts.get_mut(t) {
        counts.fill(0);
        for key in keys.iter().skip(t.get() * ALONE).take(ALONE) {
            counts[digit(*key, pass) as usize] += 1;
        }
    }
}

/// On the CPU, one thread: counts to the places where each tile's keys of each digit begin.
#[inline(always)]
fn places_alone(mut counts: DisjointChunks<u32>) {
    if let Some(counts) = counts.get_mut(thread::index()) {
        let mut place = 0;
        for digit in 0..DIGITS {
            for count in counts[digit..].iter_mut().step_by(DIGITS) {
                place += std::mem::replace(count, place);
            }
        }
    }
}

/// On the CPU: this thread's tile to its places.
#[inline(always)]
fn move_alone<K: Key, V: DeviceCopy>(
    keys: &[K],
    mut sorted_keys: DisjointMut<K>,
    values: &[V],
    mut sorted_values: DisjointMut<V>,
    mut places: DisjointChunks<u32>,
    pass: u32,
) {
    let t = thread::index();
    let Some(places) = places.get_mut(t) else {
        return;
    };
    let start = t.get() * ALONE;
    for (i, key) in keys.iter().enumerate().skip(start).take(ALONE) {
        let place = &mut places[digit(*key, pass) as usize];
        let at = *place as usize;
        *place += 1;
        // SAFETY: inside; a permutation, by the module's argument. There is a value for each.
        unsafe {
            sorted_keys.as_mut_ptr().add(at).write(*key);
            if const { size_of::<V>() > 0 } {
                let value = values.get_unchecked(i);
                sorted_values.as_mut_ptr().add(at).write(*value);
            }
        }
    }
}

/// The memory of stable sorts of up to so many keys of type `K`, and values of type `V` that go with
/// them: as much as those take themselves, and on GPUs a word for every 16 keys. One sort runs at a
/// time; given to several streams, they follow each other.
///
/// A sort reads and writes everything once for each byte of a key, and the keys once more.
///
/// ```
/// # use smelt::prelude::*;
/// use smelt::prim::Sort;
/// # let gpu = Device::default()?;
/// let mut keys = Buffer::from_slice(&gpu, &[3.0f32, -1.0, 2.0])?;
/// let mut values = Buffer::from_slice(&gpu, &[0u32, 1, 2])?;
/// Sort::<f32, u32>::new(&gpu, 3)?.pairs(&gpu, keys.view_mut(), values.view_mut())?;
/// assert_eq!(keys.to_vec()?, [-1.0, 2.0, 3.0]);
/// assert_eq!(values.to_vec()?, [1, 2, 0]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Sort<K: Key, V: DeviceCopy = ()> {
    len: usize,
    /// Where every second pass writes to: keys, and values if there are any.
    keys: Buffer<K>,
    values: Buffer<V>,
    passes: Passes,
}

/// What the kernels of a sort work with.
struct Passes {
    alone: bool,
    units: usize,
    counts: Buffer<AtomicU32>,
    starts: Buffer<AtomicU32>,
    lookback: Lookback,
    counts_alone: Buffer<u32>,
}

impl<K: Key, V: DeviceCopy + Zeroable> Sort<K, V> {
    /// For up to `len` keys.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are too many to be counted in 32 bits;
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn new(gpu: &Device, len: usize) -> Result<Self> {
        const {
            assert!(
                size_of::<V>() <= 8,
                "values of at most 8 bytes: sort their numbers"
            )
        };
        const { assert!(align_of::<V>() <= 8) };
        if u32::try_from(len).is_err() {
            return Err(Error::Invalid(format!("a sort of {len} keys").into()));
        }
        let info = gpu.info()?;
        let alone = info.kind == DeviceKind::Cpu;
        let (tiles, tiles_alone) = match alone {
            true => (0, len.div_ceil(ALONE)),
            false => (len.div_ceil(TILE), 0),
        };
        Ok(Self {
            len,
            keys: Buffer::zeroed(gpu, len)?,
            values: Buffer::zeroed(gpu, len)?,
            passes: Passes {
                alone,
                units: info.units as usize,
                counts: Buffer::zeroed(gpu, MOST_PASSES * DIGITS)?,
                starts: Buffer::zeroed(gpu, MOST_PASSES * DIGITS)?,
                lookback: Lookback::new::<u32>(gpu, tiles * DIGITS)?,
                counts_alone: Buffer::zeroed(gpu, tiles_alone * DIGITS)?,
            },
        })
    }

    /// Sorts by keys; values stay with theirs, and keep their order where keys are equal.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are not as many values as keys, or more than
    /// [`new`](Self::new) was told; those of [`Device::launch`].
    #[track_caller]
    pub fn pairs(
        &mut self,
        on: &impl On,
        mut keys: BufferViewMut<'_, K>,
        mut values: BufferViewMut<'_, V>,
    ) -> Result<()> {
        let n = keys.len();
        if values.len() != n || n > self.len {
            let text = format!(
                "a sort for up to {} keys, of {n} and {} values",
                self.len,
                values.len()
            );
            return Err(Error::Invalid(text.into()));
        }
        if n == 0 {
            return Ok(());
        }
        let on = on.target();
        self.passes.count(on, keys.view())?;
        for pass in (0..const { passes::<K>() as u32 }).step_by(2) {
            let (k, v) = (self.keys.range_mut(..n), self.values.range_mut(..n));
            let values_there = values.view();
            self.passes
                .pass(on, pass, keys.view(), k, values_there, v)?;
            let (k, v) = (self.keys.range(..n), self.values.range(..n));
            let (keys, values) = (keys.reborrow(), values.reborrow());
            self.passes.pass(on, pass + 1, k, keys, v, values)?;
        }
        Ok(())
    }
}

impl Passes {
    #[track_caller]
    #[inline]
    fn count<K: Key>(&mut self, on: Target, keys: BufferView<'_, K>) -> Result<()> {
        if self.alone {
            return Ok(());
        }
        let grid = Grid::blocks(keys.len().div_ceil(TILE).min(self.units)).threads(COUNTERS);
        let kernel =
            |keys: &[K], counts: &[AtomicU32], starts: &[AtomicU32], lookback: RawLookback| {
                launch_bounds::<512, 1>();
                count(keys, counts, starts, lookback);
            };
        let args = (keys, &self.counts, &self.starts, &mut self.lookback);
        on.launch(grid, kernel, args)
    }

    #[track_caller]
    #[inline]
    fn pass<K: Key, V: DeviceCopy>(
        &mut self,
        on: Target,
        pass: u32,
        keys: BufferView<'_, K>,
        sorted_keys: BufferViewMut<'_, K>,
        values: BufferView<'_, V>,
        sorted_values: BufferViewMut<'_, V>,
    ) -> Result<()> {
        let len = keys.len();
        if !self.alone {
            let grid = Grid::blocks(len.div_ceil(TILE)).threads(THREADS);
            let kernel = |keys: &[K],
                          sorted_keys: DisjointMut<K>,
                          values: &[V],
                          sorted_values: DisjointMut<V>,
                          starts: &[AtomicU32],
                          lookback: RawLookback,
                          pass: u32| {
                launch_bounds::<256, 3>();
                sweep(
                    keys,
                    sorted_keys,
                    values,
                    sorted_values,
                    starts,
                    lookback,
                    pass,
                );
            };
            let (starts, lookback) = (&self.starts, &mut self.lookback);
            let args = (
                keys,
                sorted_keys,
                values,
                sorted_values,
                starts,
                lookback,
                pass,
            );
            return on.launch(grid, kernel, args);
        }
        let tiles = len.div_ceil(ALONE);
        let grid = Grid::blocks(tiles).threads(1);
        let mut counts = self.counts_alone.range_mut(..tiles * DIGITS);
        let count = |keys: &[K], counts: DisjointChunks<u32>, pass: u32| {
            count_alone(keys, counts, pass);
        };
        on.launch(grid, count, (keys, counts.by_chunks(DIGITS), pass))?;
        let places = |counts: DisjointChunks<u32>| places_alone(counts);
        let whole = counts.by_chunks(tiles * DIGITS);
        on.launch(Grid::blocks(1).threads(1), places, (whole,))?;
        let kernel = |keys: &[K],
                      sorted_keys: DisjointMut<K>,
                      values: &[V],
                      sorted_values: DisjointMut<V>,
                      places: DisjointChunks<u32>,
                      pass: u32| {
            move_alone(keys, sorted_keys, values, sorted_values, places, pass);
        };
        let places = counts.by_chunks(DIGITS);
        let args = (keys, sorted_keys, values, sorted_values, places, pass);
        on.launch(grid, kernel, args)
    }
}

impl<K: Key> Sort<K, ()> {
    /// Sorts.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there are more keys than [`new`](Self::new) was told; those of
    /// [`Device::launch`].
    #[track_caller]
    pub fn keys(&mut self, on: &impl On, keys: BufferViewMut<'_, K>) -> Result<()> {
        let mut none = Buffer::<()>::zeroed(&on.target().device, keys.len())?;
        self.pairs(on, keys, none.view_mut())
    }
}
