//! Operations among the threads of a warp, which run in step.
//!
//! A warp is [`warp_size`](crate::thread::warp_size) consecutive threads of a block. All threads
//! of it that have not ended must call the operation together.

use super::abi::*;

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
