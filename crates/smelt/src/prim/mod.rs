//! Reductions, scans, sorts, selections and histograms of arrays on a device.
//!
//! | what | call | time |
//! |---|---|---|
//! | one value of all elements | [`Reduction::of`] | reads each once |
//! | one value of what a kernel computes | [`GridReduction::reduce`] | that of the kernel |
//! | each element with all before it | [`Scan::exclusive`], [`Scan::inclusive`] | reads and writes each once |
//! | keys in order, with values or without | [`Sort::keys`], [`Sort::pairs`] | once for each byte of a key |
//! | what is wanted, closed up, or its places | [`Select::by`], [`Select::flagged`], [`Select::places`] | reads each once |
//! | how many there are of each kind | [`Histogram::even`], [`Histogram::of`] | reads each once |
//!
//! Each is an object that holds the memory it needs, to be made once and used often. Work is
//! given to a [`Device`] or a [`Stream`] and not waited for; a panic in an operator is reported
//! by the next wait. All work on every device; the kernels are compiled with the program that
//! uses them, for its types and operators.

/// For each of a thread's 16 elements, as that many copies: arrays that are indexed by their numbers
/// become registers, which they do not where a loop is too long to be unrolled.
macro_rules! each {
    ($round:ident $body:block) => {
        each!($round $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($round:ident $body:block; $($number:literal)*) => {$({
        const $round: usize = $number;
        $body
    })*};
}

mod histogram;
mod lookback;
mod reduction;
mod scan;
mod select;
mod sort;

pub use histogram::{Count, Histogram, Sample};
pub use reduction::{GridReduction, RawReduction, Reduction};
pub use scan::Scan;
pub use select::Select;
pub use sort::{Key, Sort};

use crate::host::stream::Target;
use crate::{Device, Stream};

mod sealed {
    pub trait On {
        fn target(&self) -> super::Target;
    }
}

/// Where work is given to: a [`Device`] (its own stream) or a [`Stream`].
pub trait On: sealed::On {}

impl sealed::On for Device {
    fn target(&self) -> Target {
        Device::target(self)
    }
}
impl On for Device {}

impl sealed::On for Stream {
    fn target(&self) -> Target {
        Stream::target(self)
    }
}
impl On for Stream {}
