//! All kernels, by group; a file each.

mod algorithm;
mod apps;
mod basic;
mod comm;
mod lcals;
mod polybench;
mod stream;

use crate::suite::Kernel;

const GROUPS: [&[Kernel]; 7] = [
    basic::KERNELS,
    lcals::KERNELS,
    polybench::KERNELS,
    stream::KERNELS,
    apps::KERNELS,
    algorithm::KERNELS,
    comm::KERNELS,
];

/// All kernels, in the suite's order of groups.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    GROUPS.into_iter().flatten()
}
