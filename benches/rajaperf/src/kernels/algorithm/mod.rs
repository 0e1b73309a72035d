//! The kernels of group Algorithm.

use crate::suite::Kernel;

mod atomic;
mod histogram;
mod memcpy;
mod memset;
mod reduce_sum;
mod scan;
mod sort;
mod sortpairs;

pub const KERNELS: &[Kernel] = &[
    atomic::KERNEL,
    histogram::KERNEL,
    memcpy::KERNEL,
    memset::KERNEL,
    reduce_sum::KERNEL,
    scan::KERNEL,
    sort::KERNEL,
    sortpairs::KERNEL,
];
