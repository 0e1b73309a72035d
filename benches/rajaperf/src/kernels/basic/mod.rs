//! The kernels of group Basic.

use crate::suite::Kernel;

mod array_of_ptrs;
mod copy8;
mod daxpy;
mod daxpy_atomic;
mod empty;
mod if_quad;
mod indexlist;
mod indexlist_3loop;
mod init3;
mod init_view1d;
mod init_view1d_offset;
mod mat_mat_shared;
mod muladdsub;
mod multi_reduce;
mod nested_init;
mod pi_atomic;
mod pi_reduce;
mod reduce3_int;
mod reduce_struct;
mod trap_int;

pub const KERNELS: &[Kernel] = &[
    array_of_ptrs::KERNEL,
    copy8::KERNEL,
    daxpy::KERNEL,
    daxpy_atomic::KERNEL,
    empty::KERNEL,
    if_quad::KERNEL,
    indexlist::KERNEL,
    indexlist_3loop::KERNEL,
    init3::KERNEL,
    init_view1d::KERNEL,
    init_view1d_offset::KERNEL,
    mat_mat_shared::KERNEL,
    muladdsub::KERNEL,
    multi_reduce::KERNEL,
    nested_init::KERNEL,
    pi_atomic::KERNEL,
    pi_reduce::KERNEL,
    reduce3_int::KERNEL,
    reduce_struct::KERNEL,
    trap_int::KERNEL,
];
