//! The kernels of group Comm.

use crate::suite::Kernel;

mod halo;
mod halo_packing;
mod halo_packing_fused;

pub const KERNELS: &[Kernel] = &[halo_packing::KERNEL, halo_packing_fused::KERNEL];
