//! Stable sorts of floats, alone or with values that go with them, by radix: eight passes over digits of
//! eight bits, the lowest first.
//!
//! On GPUs one kernel counts the digits of all passes, and each pass is one kernel that reads and
//! writes everything once: a block ranks the keys of its tile, finds how many of each digit
//! lie in earlier tiles by looking back, and writes the tile out
//! digit by digit. (Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for
//! GPUs", 2022.) On the CPU a thread does a tile by itself, without what is dear there:
//! barriers and warps.
//!
//! What makes the writes sound: in a pass key `i` goes to the number of keys with a smaller digit, plus
//! the number with the same digit before it. That is a permutation, so no two threads
//! write one place.

use crate::order::{block_number, last_block};
use smelt::prelude::*;
use smelt::{BufferViewMut, DeviceKind, Error, Result, Shared};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Threads in a block on GPUs, one for each value of a digit.
const THREADS: usize = 256;
const DIGITS: usize = 256;
const PASSES: usize = 8;
/// Keys of a thread.
const ITEMS: usize = 12;
const TILE: usize = THREADS * ITEMS;
/// Keys of a thread on the CPU.
const ALONE: usize = 1 << 14;
/// Tiles that are looked at together on the way back.
const AHEAD: usize = 8;
/// A warp has at least 32 threads.
const MOST_WARPS: usize = THREADS / 32;

smelt::shared! {
    /// The tile in the order of its digits: keys, then values.
    static SORTED: [u64; TILE];
    /// For each warp how many keys of each digit it has, then how many the warps before it have.
    static COUNTS: [u32; MOST_WARPS * DIGITS];
    /// Where a digit begins in the tile.
    static STARTS: [u32; DIGITS];
    /// What a place in the tile is to be raised by, to be the place in the result.
    static SHIFTS: [u32; DIGITS];
    /// How often each digit occurs in each pass.
    static OCCURS: [u32; PASSES * DIGITS];
    static SUMS: [u32; MOST_WARPS];
}

/// Bits that are ordered as the floats are.
#[inline(always)]
fn ordered(bits: u64) -> u64 {
    bits ^ ((bits as i64 >> 63) as u64 | 1 << 63)
}

#[inline(always)]
fn digit(bits: u64, pass: usize) -> usize {
    (ordered(bits) >> (8 * pass)) as usize % DIGITS
}

/// An element of shared memory, to be changed by many threads.
#[inline(always)]
fn shared_atomic<const N: usize>(
    memory: &'static Shared<[u32; N]>,
    i: usize,
) -> &'static AtomicU32 {
    // The language's own bounds check.
    let () = [(); N][i];
    // SAFETY: within the array, which the block holds to its end; as long as it is changed by
    // many, all accesses are atomic, see the callers.
    unsafe { AtomicU32::from_ptr(memory.as_mut_ptr().cast::<u32>().add(i)) }
}

/// The sum of `value` over the threads of the block before this one.
#[inline(always)]
fn block_before(value: u32) -> u32 {
    let t = thread::thread_index().x as usize;
    let (lane, warp_size) = (thread::lane(), thread::warp_size());
    let mut through = value;
    let mut delta = 1;
    while delta < warp_size {
        let below = warp::shuffle_up(through, delta);
        if lane >= delta {
            through += below;
        }
        delta *= 2;
    }
    // What an earlier call left there has been read.
    sync::barrier();
    let warp = t / warp_size as usize;
    if lane == warp_size - 1 {
        // SAFETY: one thread of each warp, its own element; read after the barrier.
        unsafe { SUMS.set(warp, through) };
    }
    sync::barrier();
    let mut before = through - value;
    for other in 0..warp {
        // SAFETY: written before the barrier, and not again before the next call's.
        before += unsafe { SUMS.get(other) };
    }
    before
}

/// Counts the digits of all passes; `starts` becomes where each begins. `counts` is all 0 before
/// and after.
fn count(keys: &[u64], counts: &[AtomicU32], starts: &[AtomicU32], blocks: &[AtomicU64]) {
    let t = thread::thread_index().x as usize;
    for i in (t..PASSES * DIGITS).step_by(THREADS) {
        shared_atomic(&OCCURS, i).store(0, Relaxed);
    }
    sync::barrier();
    for i in thread::grid_stride(keys.len()) {
        let key = keys[i.get()];
        for pass in 0..PASSES {
            shared_atomic(&OCCURS, pass * DIGITS + digit(key, pass)).fetch_add(1, Relaxed);
        }
    }
    sync::barrier();
    for i in (t..PASSES * DIGITS).step_by(THREADS) {
        let number = shared_atomic(&OCCURS, i).load(Relaxed);
        if number > 0 {
            counts[i].fetch_add(number, Relaxed);
        }
    }
    if last_block(&blocks[0]) {
        for pass in 0..PASSES {
            let count = &counts[pass * DIGITS + t];
            let before = block_before(count.load(Relaxed));
            starts[pass * DIGITS + t].store(before, Relaxed);
            count.store(0, Relaxed);
        }
    }
}

/// What is known of a digit in a tile: a number of keys, of the tile or of all up to its end, and the
/// number of the launch, so that what earlier launches left counts as nothing.
#[derive(Clone, Copy)]
struct Known(u64);

impl Known {
    const TILE: u64 = 1;
    const TOTAL: u64 = 2;

    #[inline(always)]
    fn new(launch: u64, what: u64, number: u32) -> Self {
        Self(launch << 34 | what << 32 | number as u64)
    }

    #[inline(always)]
    fn number(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    fn is_total(self) -> bool {
        self.0 >> 32 & 3 == Self::TOTAL
    }
}

/// How many keys with this thread's digit lie in tiles before, of which there are `own` in this
/// one.
#[inline(always)]
fn look_back(known: &[AtomicU64], launch: u64, tile: usize, own: u32) -> u32 {
    let t = thread::thread_index().x as usize;
    let publish = |what, number| {
        known[tile * DIGITS + t].store(Known::new(launch, what, number).0, Relaxed);
    };
    if tile == 0 {
        publish(Known::TOTAL, own);
        return 0;
    }
    publish(Known::TILE, own);
    let mut before = 0;
    let mut end = tile;
    'back: loop {
        // Several loads under way at a time; the first tile's is a total, so none is needed
        // before it.
        let mut words = [0; AHEAD];
        for (k, word) in words.iter_mut().enumerate() {
            *word = known[end.saturating_sub(1 + k) * DIGITS + t].load(Relaxed);
        }
        for word in words {
            end -= 1;
            let mut it = Known(word);
            while it.0 >> 34 != launch {
                std::hint::spin_loop();
                it = Known(known[end * DIGITS + t].load(Relaxed));
            }
            before += it.number();
            if it.is_total() {
                break 'back;
            }
        }
    }
    publish(Known::TOTAL, before + own);
    before
}

/// The lanes whose digit is this one's.
#[inline(always)]
fn same_digit(digit: usize) -> u64 {
    let mut lanes = warp::ballot(true);
    crate::rounds!(BIT in [0 1 2 3 4 5 6 7] {
        let mine = digit >> BIT & 1 == 1;
        let with = warp::ballot(mine);
        lanes &= if mine { with } else { !with };
    });
    lanes
}

/// For each of this thread's rounds.
macro_rules! each {
    ($round:ident $body:block) => {
        $crate::rounds!($round in [0 1 2 3 4 5 6 7 8 9 10 11] $body)
    };
}

/// For each of the warp's keys, a round after the other, how many of its digit come before it in
/// the warp; COUNTS has the warp's numbers then.
#[inline(always)]
fn rank(digits: &[usize; ITEMS], warp: usize) -> [u32; ITEMS] {
    let lane = thread::lane();
    let mut ranks = [0; ITEMS];
    each!(R {
        let lanes = same_digit(digits[R]);
        let before = (lanes & ((1 << lane) - 1)).count_ones();
        let leader = lanes.trailing_zeros();
        let mut base = 0;
        if lane == leader {
            let count = shared_atomic(&COUNTS, warp * DIGITS + digits[R]);
            base = count.fetch_add(lanes.count_ones(), Relaxed);
        }
        ranks[R] = warp::shuffle(base, leader) + before;
    });
    ranks
}

/// What a pass works with, beside keys and values.
#[derive(Clone, Copy, DeviceCopy)]
struct Pass {
    pass: usize,
    launch: u64,
}

/// One pass: each block takes a tile. Values go with the keys if there are any.
fn sweep<const VALUES: bool>(
    keys: &[u64],
    mut sorted_keys: DisjointMut<u64>,
    values: &[u64],
    mut sorted_values: DisjointMut<u64>,
    starts: &[AtomicU32],
    known: &[AtomicU64],
    blocks: &[AtomicU64],
    it: Pass,
) {
    let n = keys.len();
    let tile = block_number(&blocks[0], thread::grid_dim().x as usize);
    let t = thread::thread_index().x as usize;
    let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
    let warp = t / warp_size;
    for i in (t..THREADS / warp_size * DIGITS).step_by(THREADS) {
        shared_atomic(&COUNTS, i).store(0, Relaxed);
    }
    // A warp's part is consecutive, and so are its lanes' keys of each round. Past the end there are
    // keys of the greatest digit, which come last and are not written.
    let first = tile * TILE + warp * warp_size * ITEMS + lane;
    let mut items = [0; ITEMS];
    let mut digits = [DIGITS - 1; ITEMS];
    each!(R {
        if let Some(key) = keys.get(first + R * warp_size) {
            items[R] = *key;
            digits[R] = digit(*key, it.pass);
        }
    });
    sync::barrier();
    let ranks = rank(&digits, warp);
    sync::barrier();
    let mut own = 0;
    for other in 0..THREADS / warp_size {
        let count = shared_atomic(&COUNTS, other * DIGITS + t);
        let number = count.load(Relaxed);
        count.store(own, Relaxed);
        own += number;
    }
    let start = block_before(own);
    let before = look_back(known, it.launch, tile, own);
    let shift = starts[it.pass * DIGITS + t].load(Relaxed) + before;
    // SAFETY: each thread its own elements, read after the barrier.
    unsafe {
        STARTS.set(t, start);
        SHIFTS.set(t, shift.wrapping_sub(start));
    }
    sync::barrier();
    let mut places = [0; ITEMS];
    each!(R {
        let digit = digits[R];
        let warps_before = shared_atomic(&COUNTS, warp * DIGITS + digit).load(Relaxed);
        // SAFETY: written before the barrier, not after.
        let start = unsafe { STARTS.get(digit) };
        places[R] = (start + warps_before + ranks[R]) as usize;
        // SAFETY: the places of a tile's keys are a permutation of it; read after the barrier.
        unsafe { SORTED.set(places[R], items[R]) };
    });
    sync::barrier();
    let mut results = [0; ITEMS];
    let here = TILE.min(n - (tile * TILE).min(n));
    each!(R {
        let i = t + R * THREADS;
        // SAFETY: written before the barrier, and not again before the next.
        let (key, shift) = unsafe {
            let key = SORTED.get(i);
            (key, SHIFTS.get(digit(key, it.pass)))
        };
        results[R] = shift.wrapping_add(i as u32) as usize;
        if i < here && results[R] < sorted_keys.len() {
            // SAFETY: inside; a permutation, by the module's argument.
            unsafe { *sorted_keys.get_unchecked_mut(results[R]) = key };
        }
    });
    if !VALUES {
        return;
    }
    sync::barrier();
    each!(R {
        if let Some(value) = values.get(first + R * warp_size) {
            // SAFETY: as for the keys; those were read before the barrier.
            unsafe { SORTED.set(places[R], *value) };
        }
    });
    sync::barrier();
    each!(R {
        let i = t + R * THREADS;
        if i < here && results[R] < sorted_values.len() {
            // SAFETY: as for the keys.
            unsafe { *sorted_values.get_unchecked_mut(results[R]) = SORTED.get(i) };
        }
    });
}

/// On the CPU: how often each digit occurs in this thread's tile.
fn count_alone(keys: &[u64], mut counts: DisjointChunks<u32>, pass: usize) {
    let t = thread::index();
    if let Some(counts) = counts.get_mut(t) {
        counts.fill(0);
        for key in keys.iter().skip(t.get() * ALONE).take(ALONE) {
            counts[digit(*key, pass)] += 1;
        }
    }
}

/// On the CPU, one thread: counts to the places where each tile's keys of each digit begin.
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
fn move_alone(
    keys: &[u64],
    mut sorted_keys: DisjointMut<u64>,
    values: &[u64],
    mut sorted_values: DisjointMut<u64>,
    mut places: DisjointChunks<u32>,
    pass: usize,
) {
    let t = thread::index();
    let Some(places) = places.get_mut(t) else {
        return;
    };
    let start = t.get() * ALONE;
    for (i, key) in keys.iter().enumerate().skip(start).take(ALONE) {
        let place = &mut places[digit(*key, pass)];
        let at = *place as usize;
        *place += 1;
        if at < sorted_keys.len() {
            // SAFETY: inside; a permutation, by the module's argument.
            unsafe { *sorted_keys.get_unchecked_mut(at) = *key };
        }
        if let Some(value) = values.get(i)
            && at < sorted_values.len()
        {
            // SAFETY: as for the keys.
            unsafe { *sorted_values.get_unchecked_mut(at) = *value };
        }
    }
}

/// The memory of sorts of one length.
pub struct Sort {
    gpu: Device,
    alone: bool,
    len: usize,
    blocks_to_fill: usize,
    /// Where every second pass writes to: keys, and values if there are any.
    keys: Buffer<u64>,
    values: Buffer<u64>,
    /// Stands for values where there are none.
    none: Buffer<u64>,
    counts: Buffer<AtomicU32>,
    starts: Buffer<AtomicU32>,
    known: Buffer<AtomicU64>,
    blocks: Buffer<AtomicU64>,
    counts_alone: Buffer<u32>,
    launches: u64,
}

impl Sort {
    /// For `len` keys, and as many values if `pairs`.
    ///
    /// # Errors
    /// `Error::Invalid` if there are too many to be counted in 32 bits; those of buffers.
    pub fn new(gpu: &Device, len: usize, pairs: bool) -> Result<Self> {
        if u32::try_from(len).is_err() {
            return Err(Error::Invalid(format!("a sort of {len} keys").into()));
        }
        let info = gpu.info()?;
        let alone = info.kind == DeviceKind::Cpu;
        let (tiles, tiles_alone) = match alone {
            true => (0, len.div_ceil(ALONE)),
            false => (len.div_ceil(TILE), 0),
        };
        let words = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect();
        let numbers = || (0..PASSES * DIGITS).map(|_| AtomicU32::new(0)).collect();
        Ok(Self {
            gpu: *gpu,
            alone,
            len,
            blocks_to_fill: 4 * info.units as usize,
            keys: Buffer::zeroed(gpu, len)?,
            values: Buffer::zeroed(gpu, if pairs { len } else { 0 })?,
            none: Buffer::zeroed(gpu, 0)?,
            counts: Buffer::from_vec(gpu, numbers())?,
            starts: Buffer::from_vec(gpu, numbers())?,
            known: Buffer::from_vec(gpu, words(tiles * DIGITS))?,
            blocks: Buffer::from_vec(gpu, words(1))?,
            counts_alone: Buffer::zeroed(gpu, tiles_alone * DIGITS)?,
            launches: 0,
        })
    }

    /// Sorts.
    ///
    /// # Errors
    /// `Error::Invalid` if there are not as many keys as [`new`](Self::new) was told; those of
    /// launches.
    pub fn keys(&mut self, keys: BufferViewMut<'_, f64>) -> Result<()> {
        let mut none = Buffer::zeroed(&self.gpu, 0)?;
        self.sort::<false>(keys.cast()?, none.view_mut())
    }

    /// Sorts by keys; values stay with theirs.
    ///
    /// # Errors
    /// As for [`keys`](Self::keys), of values too.
    pub fn pairs(
        &mut self,
        keys: BufferViewMut<'_, f64>,
        values: BufferViewMut<'_, f64>,
    ) -> Result<()> {
        if values.len() != self.len || self.values.len() != self.len {
            let text = format!("{} values for {} keys", values.len(), self.len);
            return Err(Error::Invalid(text.into()));
        }
        self.sort::<true>(keys.cast()?, values.cast()?)
    }

    fn sort<const VALUES: bool>(
        &mut self,
        mut keys: BufferViewMut<'_, u64>,
        mut values: BufferViewMut<'_, u64>,
    ) -> Result<()> {
        if keys.len() != self.len {
            let text = format!("a sort for {} keys, of {}", self.len, keys.len());
            return Err(Error::Invalid(text.into()));
        }
        if self.len == 0 {
            return Ok(());
        }
        if !self.alone {
            let blocks = self.len.div_ceil(TILE).min(self.blocks_to_fill);
            let grid = Grid::blocks(blocks).threads(THREADS);
            let args = (keys.view(), &self.counts, &self.starts, &self.blocks);
            self.gpu.launch(grid, count, args)?;
        }
        // An even number: the last pass writes where the keys came from.
        for pass in (0..PASSES).step_by(2) {
            self.pass::<VALUES>(pass, &mut keys, &mut values, true)?;
            self.pass::<VALUES>(pass + 1, &mut keys, &mut values, false)?;
        }
        Ok(())
    }

    /// A pass from the caller's memory to ours (`out`), or back.
    fn pass<const VALUES: bool>(
        &mut self,
        pass: usize,
        keys: &mut BufferViewMut<'_, u64>,
        values: &mut BufferViewMut<'_, u64>,
        out: bool,
    ) -> Result<()> {
        self.launches += 1;
        let (from, to, values_from, values_to) = match out {
            true => (
                keys.view(),
                self.keys.view_mut(),
                values.view(),
                self.values.view_mut(),
            ),
            false => (
                self.keys.view(),
                keys.reborrow(),
                self.values.view(),
                values.reborrow(),
            ),
        };
        let (gpu, len) = (self.gpu, self.len);
        if !self.alone {
            // 30 bits are left for it; what is left in `known` is of the launch before.
            let launch = self.launches % (1 << 30);
            let grid = Grid::blocks(len.div_ceil(TILE)).threads(THREADS);
            let it = Pass { pass, launch };
            let (starts, known, blocks) = (&self.starts, &self.known, &self.blocks);
            let args = (from, to, values_from, values_to, starts, known, blocks, it);
            return gpu.launch(grid, sweep::<VALUES>, args);
        }
        let grid = Grid::blocks(len.div_ceil(ALONE)).threads(1);
        let counts = &mut self.counts_alone;
        gpu.launch(grid, count_alone, (&from, counts.by_chunks(DIGITS), pass))?;
        let whole = counts.by_chunks(len.div_ceil(ALONE) * DIGITS);
        gpu.launch(Grid::blocks(1).threads(1), places_alone, (whole,))?;
        let args = (
            from,
            to,
            values_from,
            values_to,
            counts.by_chunks(DIGITS),
            pass,
        );
        gpu.launch(grid, move_alone, args)
    }
}
