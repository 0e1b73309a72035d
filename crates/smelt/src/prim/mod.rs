//! Reductions, scans and sorts.

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
