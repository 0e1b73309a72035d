//! What runs inside a kernel. Every function here is `#[inline]`, so that it
//! becomes part of the kernel whatever crate that is in.

pub(crate) mod abi;
mod atomic;
pub mod block;
mod disjoint;
pub(crate) mod print;
mod shared;
mod slice;
pub mod sync;
pub mod thread;
pub mod warp;

pub use atomic::{AtomicF32, AtomicF64, Scope};
pub use disjoint::{DisjointChunks, DisjointMut, DisjointMut2, DisjointMut3};
pub use shared::{Shared, dynamic_shared};
pub use slice::{BlockLen, BlockSlice};

/// Promises the compiler that this kernel is never launched with more than
/// `MAX_THREADS` threads in a block, and asks for registers to be kept few enough
/// that `MIN_BLOCKS` blocks fit on a multiprocessor (0: no wish).
///
/// Call it first in the kernel itself. A launch with larger blocks is refused
/// with [`Error::Launch`](crate::Error::Launch).
///
/// ```
/// # use smelt::prelude::*;
/// fn kernel(mut y: DisjointMut<f32>) {
///     smelt::launch_bounds::<256, 2>();
///     if let Some(y) = y.get_mut(thread::index()) {
///         *y = 1.0;
///     }
/// }
/// ```
#[inline]
pub fn launch_bounds<const MAX_THREADS: u32, const MIN_BLOCKS: u32>() {
    // SAFETY: a mark for the device compiler; does nothing on the host.
    unsafe { abi::__smelt_launch_bounds(MAX_THREADS, MIN_BLOCKS) }
}
