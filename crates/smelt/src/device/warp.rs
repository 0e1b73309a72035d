//! Operations among the threads of a warp, which run in step.
//!
//! A warp is [`warp_size`](crate::thread::warp_size) consecutive threads of a block. All threads
//! of it that have not ended must call the operation together.

use super::abi::*;
use super::thread;
use crate::DeviceCopy;
use std::mem::MaybeUninit;

mod sealed {
    pub trait Words: Copy {
        fn idx(self, lane: u32) -> Self;
        fn up(self, delta: u32) -> Self;
        fn down(self, delta: u32) -> Self;
        fn xor(self, mask: u32) -> Self;
    }
}
use sealed::Words;

/// Numbers that [`shuffle`] and its relatives move: 32 and 64 bits.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be moved between lanes",
    note = "shuffles move u32, i32, f32, u64, i64, f64, usize and isize"
)]
pub trait Shuffle: Words {}

macro_rules! method_32 {
    ($method:ident, $primitive:ident, $to:expr, $from:expr) => {
        #[inline]
        fn $method(self, at: u32) -> Self {
            $from($primitive($to(self), at))
        }
    };
}

// By halves: both go the same way, so they belong together again.
macro_rules! method_64 {
    ($method:ident, $primitive:ident, $to:expr, $from:expr) => {
        #[inline]
        fn $method(self, at: u32) -> Self {
            let bits: u64 = $to(self);
            let low = $primitive(bits as u32, at) as u64;
            let high = $primitive((bits >> 32) as u32, at) as u64;
            $from(high << 32 | low)
        }
    };
}

macro_rules! shuffled {
    ($($type:ty: $method:ident, $to:expr, $from:expr;)*) => {$(
        impl Words for $type {
            $method!(idx, __smelt_shuffle_idx_b32, $to, $from);
            $method!(up, __smelt_shuffle_up_b32, $to, $from);
            $method!(down, __smelt_shuffle_down_b32, $to, $from);
            $method!(xor, __smelt_shuffle_xor_b32, $to, $from);
        }
        impl Shuffle for $type {}
    )*};
}
shuffled! {
    u32: method_32, u32::from, u32::from;
    i32: method_32, i32::cast_unsigned, u32::cast_signed;
    f32: method_32, f32::to_bits, f32::from_bits;
    u64: method_64, u64::from, u64::from;
    i64: method_64, i64::cast_unsigned, u64::cast_signed;
    f64: method_64, f64::to_bits, f64::from_bits;
    usize: method_64, usize_bits, bits_usize;
    isize: method_64, isize_bits, bits_isize;
}

#[inline]
fn usize_bits(value: usize) -> u64 {
    value as u64
}

#[inline]
fn bits_usize(bits: u64) -> usize {
    bits as usize
}

#[inline]
fn isize_bits(value: isize) -> u64 {
    value as u64
}

#[inline]
fn bits_isize(bits: u64) -> isize {
    bits as isize
}

/// The value that the thread of this lane passed; one's own where there is no
/// such lane.
#[inline]
pub fn shuffle<T: Shuffle>(value: T, lane: u32) -> T {
    converge!(value.idx(lane))
}

/// The value of the thread `delta` lanes below; one's own where there is none.
#[inline]
pub fn shuffle_up<T: Shuffle>(value: T, delta: u32) -> T {
    converge!(value.up(delta))
}

/// The value of the thread `delta` lanes above; one's own where there is none.
#[inline]
pub fn shuffle_down<T: Shuffle>(value: T, delta: u32) -> T {
    converge!(value.down(delta))
}

/// The value of the thread whose lane is this one's with the bits of `mask`
/// flipped; one's own where there is none.
#[inline]
pub fn shuffle_xor<T: Shuffle>(value: T, mask: u32) -> T {
    converge!(value.xor(mask))
}

/// A bit for each lane: whether its thread voted true. Lanes that have ended
/// count as false.
#[inline]
pub fn ballot(vote: bool) -> u64 {
    converge!(__smelt_ballot(vote))
}

/// Whether a thread of the warp voted true.
#[inline]
pub fn any(vote: bool) -> bool {
    converge!(__smelt_any(vote))
}

/// Whether all threads of the warp that have not ended voted true.
#[inline]
pub fn all(vote: bool) -> bool {
    converge!(__smelt_all(vote))
}

/// The value that the thread of `lane` passed, where that thread takes part; else any
/// bits, which need not be a `T`. `lane` is below the warp's size.
#[inline(always)]
pub(crate) fn exchange<T: Copy>(value: T, lane: u32) -> MaybeUninit<T> {
    by_words(value, |word| converge!(__smelt_shuffle_raw_b32(word, lane)))
}

/// The same of the lane whose number is this one's with the bits of `MASK` flipped.
#[inline(always)]
fn exchange_near<T: Copy, const MASK: u32>(value: T) -> MaybeUninit<T> {
    by_words(value, |word| {
        converge!(__smelt_shuffle_near_b32(word, MASK))
    })
}

/// What `other` gives for each word of a value, put together.
#[inline(always)]
fn by_words<T: Copy>(
    value: T,
    other: impl Fn(MaybeUninit<u32>) -> MaybeUninit<u32>,
) -> MaybeUninit<T> {
    let mut there = MaybeUninit::uninit();
    // Straight code for the usual sizes: an indexed loop over the value would have to be unrolled
    // before it can leave memory.
    macro_rules! word {
        ($($i:literal)*) => {$(
            if size_of::<T>() > 4 * $i {
                exchange_word(&value, &mut there, $i, &other);
            }
        )*};
    }
    word!(0 1 2 3 4 5 6 7);
    for i in 8..size_of::<T>().div_ceil(4) {
        exchange_word(&value, &mut there, i, &other);
    }
    there
}

#[inline(always)]
fn exchange_word<T>(
    value: &T,
    there: &mut MaybeUninit<T>,
    i: usize,
    other: impl Fn(MaybeUninit<u32>) -> MaybeUninit<u32>,
) {
    let at = 4 * i;
    let size = (size_of::<T>() - at).min(4);
    let mut word = MaybeUninit::<u32>::uninit();
    // SAFETY: `size` bytes from `at` lie within a T, and within a word.
    unsafe {
        let from = (&raw const *value).cast::<u8>().add(at);
        from.copy_to_nonoverlapping(word.as_mut_ptr().cast(), size);
    }
    let word = other(word);
    // SAFETY: as above.
    unsafe {
        let to = there.as_mut_ptr().cast::<u8>().add(at);
        to.copy_from_nonoverlapping(word.as_ptr().cast(), size);
    }
}

/// Whether that lane takes part, where it has to be known: a warp that was whole has lost lanes
/// only to a panic, and then only what is no value of its type must not be used.
#[inline(always)]
fn votes<T: DeviceCopy>(lane: u32) -> bool {
    T::ANY_BITS || ballot(true) >> (lane % 64) & 1 != 0
}

/// The value of the thread of `lane`; `None` if there is no such thread, or it has ended.
#[inline(always)]
fn get<T: DeviceCopy>(value: T, lane: u32) -> Option<T> {
    let from = lane % thread::warp_size();
    let there = exchange(value, from);
    let takes_part = (lane < thread::warp_size()) & votes::<T>(from);
    // SAFETY: that thread takes part, so these are the words of its T.
    takes_part.then(|| unsafe { there.assume_init() })
}

/// Whether the lanes of the mask are the first of the warp, without a gap.
#[inline(always)]
fn is_prefix(lanes: u64) -> bool {
    lanes & lanes.wrapping_add(1) == 0
}

/// The values of all threads of the warp that have not ended, combined by `op`; all get the
/// result. `op` must be associative and commutative (up to rounding, for floats).
///
/// ```
/// # use smelt::prelude::*;
/// fn greatest(x: &[i32], mut y: DisjointMut<i32>) {
///     let i = thread::index();
///     let most = warp::reduce(x[i.get()], i32::max);
///     y[i] = most;
/// }
/// # let gpu = Device::default()?;
/// # let x: Vec<i32> = (0..64).collect();
/// # let mut y = vec![0; 64];
/// gpu.launch(Grid::cover(64).block(64), greatest, (&x, &mut y))?;
/// assert_eq!(y[63], 63);
/// # Ok::<(), smelt::Error>(())
/// ```
#[inline(always)]
pub fn reduce<T: DeviceCopy>(value: T, op: impl Fn(T, T) -> T) -> T {
    let lanes = ballot(true);
    if lanes.count_ones() != thread::warp_size() {
        return reduce_some(value, op, lanes);
    }
    let all = fold_whole(value, op);
    if thread::warp_size() <= 32 {
        return all;
    }
    // SAFETY: lane 0 takes part, or has panicked in `op`: then this one's is a value too.
    match T::ANY_BITS || is_whole() {
        true => unsafe { exchange(all, 0).assume_init() },
        false => all,
    }
}

/// The values of all lanes combined in their order by `op`, in lane 0, for a warp of which no thread has
/// ended. In warps of 32 all lanes have it, if `op` is commutative.
#[inline(always)]
pub(crate) fn fold_whole<T: DeviceCopy>(mut value: T, op: impl Fn(T, T) -> T) -> T {
    macro_rules! with {
        ($other:expr) => {
            let other = $other;
            // A thread has ended only if it panicked in `op`.
            if T::ANY_BITS || is_whole() {
                // SAFETY: all take part.
                value = op(value, unsafe { other.assume_init() });
            }
        };
    }
    // Neighbours, then pairs of them, and so on.
    with!(exchange_near::<T, 1>(value));
    with!(exchange_near::<T, 2>(value));
    with!(exchange_near::<T, 4>(value));
    with!(exchange_near::<T, 8>(value));
    with!(exchange_near::<T, 16>(value));
    if thread::warp_size() > 32 {
        // One lane's value is moved to all others more easily than halves are exchanged.
        with!(exchange(value, 32));
    }
    value
}

/// Whether no thread of the warp has ended, and it is not cut off by the block's end. The same in all
/// lanes.
#[inline(always)]
fn is_whole() -> bool {
    ballot(true).count_ones() == thread::warp_size()
}

/// One lane after the other: right for whatever lanes there are.
#[inline(always)]
fn reduce_some<T: DeviceCopy>(value: T, op: impl Fn(T, T) -> T, lanes: u64) -> T {
    // This thread's is one of them.
    let mut all = get(value, lanes.trailing_zeros());
    let mut left = lanes & lanes.wrapping_sub(1);
    while left != 0 {
        if let Some(other) = get(value, left.trailing_zeros()) {
            all = Some(match all {
                None => other,
                Some(all) => op(all, other),
            });
        }
        left &= left - 1;
    }
    all.unwrap_or(value)
}

/// The values of this thread and of those below it in the warp that have not ended, combined
/// by `op` in the order of lanes. `op` must be associative (up to rounding, for floats).
#[inline(always)]
pub fn scan_inclusive<T: DeviceCopy>(value: T, op: impl Fn(T, T) -> T) -> T {
    let lanes = ballot(true);
    let lane = thread::lane();
    let mut value = value;
    if is_prefix(lanes) {
        let mut delta = 1;
        while delta < thread::warp_size() {
            let below = get(value, lane.wrapping_sub(delta));
            if let (Some(below), true) = (below, lane >= delta) {
                value = op(below, value);
            }
            delta *= 2;
        }
        return value;
    }
    // One lane after the other: right for whatever lanes there are.
    let own = value;
    let mut before = None;
    let mut left = lanes;
    while left != 0 {
        let other = get(own, left.trailing_zeros());
        if let Some(other) = other
            && left.trailing_zeros() < lane
        {
            before = Some(match before {
                None => other,
                Some(before) => op(before, other),
            });
        }
        left &= left - 1;
    }
    match before {
        None => own,
        Some(before) => op(before, own),
    }
}

/// The values of those below this thread in the warp that have not ended, combined by `op` in
/// the order of lanes; `start` where there are none. `op` must be associative (up to
/// rounding, for floats), and `start` change nothing.
#[inline(always)]
pub fn scan_exclusive<T: DeviceCopy>(value: T, start: T, op: impl Fn(T, T) -> T) -> T {
    below(scan_inclusive(value, op)).unwrap_or(start)
}

/// The value of the nearest thread below in the warp that has not ended.
#[inline(always)]
pub(crate) fn below<T: DeviceCopy>(value: T) -> Option<T> {
    let lanes = ballot(true) & ((1 << thread::lane()) - 1);
    get(value, lanes.checked_ilog2().unwrap_or(u32::MAX))
}

/// The values of the first `count` lanes combined in order, from this lane on, by `op`; lane 0 has all
/// of them.
/// All lanes of the warp call it, with the same `count`.
/// Steps beyond `until`, which is at least `count`, are left out: a constant makes straight code of
/// them, `count` makes little code.
#[inline(always)]
pub(crate) fn fold_lanes<T: DeviceCopy>(
    value: T,
    count: u32,
    until: u32,
    op: impl Fn(T, T) -> T,
) -> T {
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let mut value = value;
    let mut delta = 1;
    // Neighbours first: so the values stay in the order of the lanes.
    while delta < until {
        let from = lane + delta;
        let there = exchange(value, from % lanes);
        // Within the warp it has ended only if it panicked in `op`.
        let takes_part = votes::<T>(from);
        if (from < count) & takes_part {
            // SAFETY: that lane takes part.
            value = op(value, unsafe { there.assume_init() });
        }
        delta *= 2;
    }
    value
}

/// As [`scan_inclusive`], for a warp of which no thread has ended before.
#[inline(always)]
pub(crate) fn scan_whole<T: DeviceCopy>(value: T, op: impl Fn(T, T) -> T) -> T {
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let mut value = value;
    let mut delta = 1;
    while delta < lanes {
        let there = exchange(value, lane.wrapping_sub(delta) % lanes);
        // Ended only if it panicked in `op`.
        let takes_part = votes::<T>(lane.wrapping_sub(delta));
        if (lane >= delta) & takes_part {
            // SAFETY: that lane takes part.
            value = op(unsafe { there.assume_init() }, value);
        }
        delta *= 2;
    }
    value
}

/// Words of a value, as bits; those of bytes that have no value are any. The last word may have
/// bytes that are not the value's. All lanes of the warp call it.
#[inline(always)]
pub(crate) fn word<T: Copy>(value: &T, i: usize) -> u32 {
    let at = 4 * i;
    let size = (size_of::<T>() - at).min(4);
    let mut word = MaybeUninit::<u32>::uninit();
    // SAFETY: `size` bytes from `at` lie within a T, and within a word.
    unsafe {
        let from = (&raw const *value).cast::<u8>().add(at);
        from.copy_to_nonoverlapping(word.as_mut_ptr().cast(), size);
    }
    let lane = thread::lane();
    converge!(__smelt_shuffle_bits_b32(word, lane))
}

/// The value of the lane below, for a warp of which no thread has ended before.
#[inline(always)]
pub(crate) fn below_whole<T: DeviceCopy>(value: T) -> Option<T> {
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let there = exchange(value, lane.wrapping_sub(1) % lanes);
    let takes_part = votes::<T>(lane.wrapping_sub(1));
    // SAFETY: that lane takes part.
    ((lane > 0) & takes_part).then(|| unsafe { there.assume_init() })
}

/// The number that a lane passed which takes part.
#[inline(always)]
pub(crate) fn number_of(value: u32, lane: u32) -> u32 {
    converge!(__smelt_shuffle_bits_b32(MaybeUninit::new(value), lane))
}

/// The sum over this lane and those below, for a warp of which no thread has ended.
#[inline(always)]
pub(crate) fn scan_numbers(mut value: u32) -> u32 {
    let (lane, lanes) = (thread::lane(), thread::warp_size());
    let mut delta = 1;
    while delta < lanes {
        let below = number_of(value, lane.wrapping_sub(delta) % lanes);
        value = value.wrapping_add(if lane >= delta { below } else { 0 });
        delta *= 2;
    }
    value
}

/// Of the lanes that passed the same number below 256: how many are below this one, how many there
/// are, and which is the first. For a warp of which no thread has ended.
#[inline(always)]
pub(crate) fn same_byte(byte: u32) -> (u32, u32, u32) {
    macro_rules! with_same {
        ($bits:ty) => {{
            let mut lanes = <$bits>::MAX;
            with_same!(lanes, $bits; 0 1 2 3 4 5 6 7);
            let below = lanes & ((1 << thread::lane()) - 1);
            (below.count_ones(), lanes.count_ones(), lanes.trailing_zeros())
        }};
        ($lanes:ident, $bits:ty; $($bit:literal)*) => {$(
            let mine = byte >> $bit & 1 != 0;
            let others = ballot(mine) as $bits;
            $lanes &= if mine { others } else { !others };
        )*};
    }
    // A constant on each device.
    match thread::warp_size() {
        32 => with_same!(u32),
        _ => with_same!(u64),
    }
}
