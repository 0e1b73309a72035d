//! Apps_LTIMES_NOVIEW: as LTIMES, whose arrays the suite there indexes through views. Here both have
//! the same kernels: a view costs nothing that an index made by hand would save.

use super::ltimes;
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "LTIMES_NOVIEW",
    features: &[Feature::Kernel],
    ..ltimes::KERNEL
};
