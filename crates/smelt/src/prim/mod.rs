//! Reductions, scans and sorts of arrays on a device.
//!
//! | what | call | time |
//! |---|---|---|
//! | one value of all elements | [`Reduction::of`] | reads each once |
//! | one value of what a kernel computes | [`GridReduction::reduce`] | that of the kernel |
//! | each element with all before it | [`Scan::exclusive`], [`Scan::inclusive`] | reads and writes each once |
//! | keys in order, with values or without | [`Sort::keys`], [`Sort::pairs`] | once for each byte of a key |
//!
//! Each is an object that holds the memory it needs, to be made once and used often. Work is
//! given to a [`Device`] or a [`Stream`] and not waited for; a panic in an operator is reported
//! by the next wait. All work on every device; the kernels are compiled with the program that
//! uses them, for its types and operators.

mod lookback;
mod reduction;
mod scan;
mod sort;

pub use reduction::{GridReduction, RawReduction, Reduction};
pub use scan::Scan;
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
