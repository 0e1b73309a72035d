//! The kernels of group Stream.

use crate::suite::Kernel;

mod add;
mod copy;
mod dot;
mod mul;
mod triad;

pub const KERNELS: &[Kernel] = &[
    add::KERNEL,
    copy::KERNEL,
    dot::KERNEL,
    mul::KERNEL,
    triad::KERNEL,
];
