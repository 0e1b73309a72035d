//! Where a thread stands in its grid, and the tokens that give it elements of its
//! own.
//!
//! A token ([`Index1`], [`Index2`], [`Index3`]) is a number, or two or three, that no
//! other thread of the launch can hold. That is what makes
//! [`DisjointMut`](crate::DisjointMut) safe, so three things are kept:
//!
//! 1. Tokens are made here only, from the position of the thread that asks.
//! 2. Two threads have different positions in the dimensions that a token covers.
//!    A 1-dimensional token on a 2-dimensional grid would break this, so asking
//!    for one marks the kernel, and the runtime refuses to launch it on a grid
//!    of more dimensions (`Error::Launch`).
//! 3. Tokens stay with their thread: they are neither `Send` nor `Sync`, so no
//!    kernel can capture one (kernels must be both), and they are not
//!    `DeviceCopy`, so they fit in no argument and no shared memory.

use super::abi::*;
use std::marker::PhantomData;

/// Not `Send`, not `Sync`.
type Stays = PhantomData<*const ()>;

/// A number that only this thread of the launch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index1(usize, Stays);

/// A column and a row that only this thread of the launch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index2 {
    x: usize,
    y: usize,
    stays: Stays,
}

/// A column, a row and a plane that only this thread of the launch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Index3 {
    x: usize,
    y: usize,
    z: usize,
    stays: Stays,
}

impl Index1 {
    /// The number.
    #[inline]
    pub fn get(self) -> usize {
        self.0
    }
}

impl Index2 {
    /// `(x, y)`: column and row.
    #[inline]
    pub fn get(self) -> (usize, usize) {
        (self.x, self.y)
    }

    /// The column; runs fastest over the threads of a block.
    #[inline]
    pub fn x(self) -> usize {
        self.x
    }

    /// The row.
    #[inline]
    pub fn y(self) -> usize {
        self.y
    }
}

impl Index3 {
    /// `(x, y, z)`: column, row and plane.
    #[inline]
    pub fn get(self) -> (usize, usize, usize) {
        (self.x, self.y, self.z)
    }

    /// The column; runs fastest over the threads of a block.
    #[inline]
    pub fn x(self) -> usize {
        self.x
    }

    /// The row.
    #[inline]
    pub fn y(self) -> usize {
        self.y
    }

    /// The plane.
    #[inline]
    pub fn z(self) -> usize {
        self.z
    }
}

/// `block * dim + thread` without overflow: each is below 2^32, and
/// (2^32 - 1) * (2^32 - 1) + (2^32 - 1) < 2^64. The wrapping forms keep the
/// overflow checks of debug builds out of every kernel.
#[inline]
fn position(block: u32, dim: u32, thread: u32) -> usize {
    (block as usize)
        .wrapping_mul(dim as usize)
        .wrapping_add(thread as usize)
}

#[inline]
fn position_x() -> usize {
    position(
        __smelt_block_idx_x(),
        __smelt_block_dim_x(),
        __smelt_thread_idx_x(),
    )
}

#[inline]
fn position_y() -> usize {
    position(
        __smelt_block_idx_y(),
        __smelt_block_dim_y(),
        __smelt_thread_idx_y(),
    )
}

#[inline]
fn position_z() -> usize {
    position(
        __smelt_block_idx_z(),
        __smelt_block_dim_z(),
        __smelt_thread_idx_z(),
    )
}

/// This thread's number in a 1-dimensional grid, from 0.
///
/// The last block may reach past the data: indexing with a token checks.
#[inline]
pub fn index() -> Index1 {
    // SAFETY: a mark for the device compiler; the host refuses a grid of more dimensions here.
    unsafe { __smelt_index_dims(1) };
    Index1(position_x(), PhantomData)
}

/// This thread's place in a 2-dimensional grid (or one of fewer dimensions).
#[inline]
pub fn index2() -> Index2 {
    // SAFETY: a mark for the device compiler; the host refuses a grid of more dimensions here.
    unsafe { __smelt_index_dims(2) };
    Index2 {
        x: position_x(),
        y: position_y(),
        stays: PhantomData,
    }
}

/// This thread's place in a 3-dimensional grid (or one of fewer dimensions).
#[inline]
pub fn index3() -> Index3 {
    // SAFETY: a mark for the device compiler; the host refuses a grid of more dimensions here.
    unsafe { __smelt_index_dims(3) };
    Index3 {
        x: position_x(),
        y: position_y(),
        z: position_z(),
        stays: PhantomData,
    }
}

/// The numbers below `n` that are this thread's share when the grid of `T` threads
/// may be smaller than `n`: its own number `i`, then `i + T`, `i + 2T`, ...
///
/// ```
/// # use smelt::prelude::*;
/// fn scale(a: f32, mut y: DisjointMut<f32>) {
///     for i in thread::grid_stride(y.len()) {
///         y[i] *= a;
///     }
/// }
/// # let gpu = Device::default()?;
/// let mut y = vec![1.0f32; 1000];
/// gpu.launch(Grid::blocks(2).threads(32), scale, (2.0, &mut y))?;
/// assert!(y.iter().all(|&y| y == 2.0));
/// # Ok::<(), smelt::Error>(())
/// ```
#[inline]
pub fn grid_stride(n: usize) -> GridStride {
    let threads = (__smelt_grid_dim_x() as usize).wrapping_mul(__smelt_block_dim_x() as usize);
    GridStride {
        next: index().get(),
        end: n.min(MOST),
        threads,
        stays: PhantomData,
    }
}

/// See [`grid_stride`]. At most `isize::MAX` numbers are visited, more than any
/// memory has elements (of a size other than 0).
//
// Why its tokens are disjoint from other threads', those of index() included.
// With T threads in the grid (the same T for all; the grid is 1-dimensional, see
// rule 2 of this module) a thread of number i < T makes only tokens i + kT. Were
// i + kT = j + lT for two threads i != j, then i = j modulo T, and as both are below
// T, i = j. index() is the case k = 0. The sum does not wrap: it is only made from
// a number below end <= 2^63 - 1, and T < 2^63 because no device has blocks of
// 2^31 threads.
#[derive(Clone, Debug)]
pub struct GridStride {
    next: usize,
    end: usize,
    threads: usize,
    stays: Stays,
}

const MOST: usize = isize::MAX as usize;

impl Iterator for GridStride {
    type Item = Index1;

    #[inline]
    fn next(&mut self) -> Option<Index1> {
        if self.next >= self.end {
            return None;
        }
        let here = self.next;
        self.next = here.wrapping_add(self.threads);
        Some(Index1(here, PhantomData))
    }
}

/// Three extents or coordinates, x running fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

/// The block of this thread, counted in blocks.
#[inline]
pub fn block_index() -> Dim3 {
    Dim3 {
        x: __smelt_block_idx_x(),
        y: __smelt_block_idx_y(),
        z: __smelt_block_idx_z(),
    }
}

/// The place of this thread in its block.
#[inline]
pub fn thread_index() -> Dim3 {
    Dim3 {
        x: __smelt_thread_idx_x(),
        y: __smelt_thread_idx_y(),
        z: __smelt_thread_idx_z(),
    }
}

/// Threads in each block.
#[inline]
pub fn block_dim() -> Dim3 {
    Dim3 {
        x: __smelt_block_dim_x(),
        y: __smelt_block_dim_y(),
        z: __smelt_block_dim_z(),
    }
}

/// Blocks in the grid.
#[inline]
pub fn grid_dim() -> Dim3 {
    Dim3 {
        x: __smelt_grid_dim_x(),
        y: __smelt_grid_dim_y(),
        z: __smelt_grid_dim_z(),
    }
}

/// The place of this thread in its warp, below [`warp_size`].
#[inline]
pub fn lane() -> u32 {
    __smelt_lane_id()
}

/// Threads in a warp: 32, or 64 on some AMD devices.
#[inline]
pub fn warp_size() -> u32 {
    __smelt_warp_size()
}
