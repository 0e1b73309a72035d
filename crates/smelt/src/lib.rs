//! Ordinary Rust functions as kernels on NVIDIA and AMD GPUs and on the CPU, from one
//! program.
//!
//! ```
//! use smelt::prelude::*;
//!
//! fn saxpy(a: f32, x: &[f32], mut y: DisjointMut<f32>) {
//!     let i = thread::index();
//!     if let Some(y) = y.get_mut(i) {
//!         *y += a * x[i.get()];
//!     }
//! }
//!
//! fn main() -> smelt::Result<()> {
//!     let gpu = Device::default()?;
//!     let x = vec![1.0f32; 1000];
//!     let mut y = vec![2.0f32; 1000];
//!     gpu.launch(Grid::cover(y.len()), saxpy, (3.0, &x, &mut y))?;
//!     assert_eq!(y[999], 5.0);
//!     Ok(())
//! }
//! ```
//!
//! Build with `cargo smelt run --release`. Under plain `cargo` the same program runs, with its
//! kernels done slowly by the host.
//!
//! # From the CPU to a device
//!
//! | on the CPU | on a device |
//! |---|---|
//! | `for i in 0..n { f(i) }` | `gpu.launch(Grid::cover(n), kernel, args)`; in it `thread::index()` |
//! | `for y in 0..h { for x in 0..w { .. } }` | `Grid::cover((w, h))`, [`thread::index2`] |
//! | a loop longer than there are threads | [`thread::grid_stride`] |
//! | `x: &[T]`, read by all | the same |
//! | `y: &mut [T]`, written by one | `y: DisjointMut<T>`, each thread its own elements |
//! | `y.chunks_mut(n)` | [`y.by_chunks(n)`](Views::by_chunks), [`DisjointChunks`] |
//! | a matrix in a `Vec` | [`a.as_2d(rows, columns)`](Views::as_2d), [`DisjointMut2`] |
//! | `Vec<T>` used on both sides | [`Array<T>`]: copied only when the other side has newer data |
//! | `Vec<T>` that stays there | [`Buffer<T>`] |
//! | `&mut [T]` for many launches | [`Device::scope`] |
//! | `AtomicU32` and relatives, `&[AtomicU32]` | the same; [`AtomicF32`], [`AtomicF64`] |
//! | a local array shared by a team of threads | [`BlockSlice`]; [`shared!`] |
//! | `iter.sum()`, `max()`, `fold` over a team | [`block::reduce`], [`warp::reduce`] |
//! | `iter().fold`, `scan`, `sort_by_key` of an array | [`prim::Reduction`], [`prim::Scan`], [`prim::Sort`] |
//! | `iter().filter().collect()`, `position`s, counts of each kind | [`prim::Select`], [`prim::Histogram`] |
//! | `std::sync::Barrier` for a team | [`sync::barrier`] |
//! | SIMD across lanes | [`warp`] |
//! | `panic!`, index out of bounds | the same; the launch gives [`Error::Panic`] |
//! | `println!` | [`smelt::println!`](crate::println!) |
//! | a struct passed along | `#[derive(Clone, Copy, DeviceCopy)]` |
//! | a thread beside another | [`Stream`] |
//! | `thread::join` | [`Device::wait`], [`Stream::wait`] |
//!
//! # What is safe
//!
//! A kernel in safe code has no data races and no access out of bounds, and launching one is
//! safe: the borrow of host memory lasts until the device has done with it, and each element of a
//! [`DisjointMut`] is reached by one thread only ([`thread`] and [`DisjointMut`] say why). A
//! [`BlockSlice`] is shared memory in phases; what [`shared!`] declares is the exception: its
//! accesses are unsafe. A program built with `SMELT_CPU_CHECK=1` finds
//! what is wrong with those as it runs ([`Error::Fault`]).

#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

#[cfg(not(target_pointer_width = "64"))]
compile_error!("smelt needs a host with 64-bit addresses");

pub mod arg;
mod copy;
mod device;
mod host;
pub mod prim;

pub use arg::Views;
#[doc(hidden)]
pub use arg::{Arg, Value};
pub use copy::{DeviceCopy, DeviceShare, Plain, Zeroable};
pub use device::{
    AtomicF32, AtomicF64, BlockLen, BlockSlice, DisjointChunks, DisjointMut, DisjointMut2,
    DisjointMut3, Scope, Shared, block, dynamic_shared, launch_bounds, sync, thread, warp,
};
#[doc(hidden)]
pub use device::print::emit as __print;
#[doc(hidden)]
pub use host::maps::Maps;
#[doc(hidden)]
pub use std::format_args as __format_args;
pub use host::profile;
pub use host::{
    Array, Buffer, BufferView, BufferViewMut, Copying, Counters, DataScope, Device, DeviceInfo,
    DeviceKind, Error, Event, Extent, Fault, FaultKind, Grid, Mapped, MappedMut, Memory, Pinned,
    Result, Split, Stream, ThreadPlace, WriteOnly,
};
pub use smelt_derive::DeviceCopy;

/// What most programs need: `use smelt::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Array, AtomicF32, AtomicF64, Buffer, Device, DeviceCopy, DisjointChunks, DisjointMut,
        DisjointMut2, DisjointMut3, Grid, Pinned, Stream, Views, block, sync, thread, warp,
    };
}
