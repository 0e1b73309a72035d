//! The kernels of group Polybench.

use crate::suite::Kernel;

mod adi;
mod atax;
mod fdtd_2d;
mod floyd_warshall;
mod gemm;
mod gemver;
mod gesummv;
mod heat_3d;
mod jacobi_1d;
mod jacobi_2d;
mod k2mm;
mod k3mm;
mod mvt;

pub const KERNELS: &[Kernel] = &[
    k2mm::KERNEL,
    k3mm::KERNEL,
    adi::KERNEL,
    atax::KERNEL,
    fdtd_2d::KERNEL,
    floyd_warshall::KERNEL,
    gemm::KERNEL,
    gemver::KERNEL,
    gesummv::KERNEL,
    heat_3d::KERNEL,
    jacobi_1d::KERNEL,
    jacobi_2d::KERNEL,
    mvt::KERNEL,
];
