//! The kernels of group Lcals: loops of the Livermore Compiler Analysis Loop Suite.

use crate::suite::Kernel;

mod diff_predict;
mod eos;
mod first_diff;
mod first_min;
mod first_sum;
mod gen_lin_recur;
mod hydro_1d;
mod hydro_2d;
mod int_predict;
mod planckian;
mod tridiag_elim;

pub const KERNELS: &[Kernel] = &[
    diff_predict::KERNEL,
    eos::KERNEL,
    first_diff::KERNEL,
    first_min::KERNEL,
    first_sum::KERNEL,
    gen_lin_recur::KERNEL,
    hydro_1d::KERNEL,
    hydro_2d::KERNEL,
    int_predict::KERNEL,
    planckian::KERNEL,
    tridiag_elim::KERNEL,
];
