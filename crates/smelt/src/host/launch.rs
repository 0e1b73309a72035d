//! Grids, the parameter block, the entry of a kernel, and the launch.

use super::error::{at, check};
use super::fallback;
use super::maps::Maps;
use super::stream::Target;
use crate::Result;
use crate::arg::{Args, Params};
use crate::device::abi;
use smelt_sys as sys;
use std::any::TypeId;
use std::mem::transmute;
use std::panic::Location;

/// How many threads run a kernel, and in what blocks.
///
/// ```
/// # use smelt::prelude::*;
/// Grid::cover(1_000_003);                       // at least so many threads
/// Grid::cover((1920, 1080));                    // columns and rows
/// Grid::cover(4096).block(128).shared(1024);    // blocks of 128, 1024 bytes of shared memory
/// Grid::blocks(80).threads(256);                // 80 blocks of 256 threads
/// Grid::blocks((8, 8, 8)).threads((4, 4, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Grid {
    extent: [u64; 3],
    in_threads: bool,
    block: [u32; 3],
    shared_bytes: u32,
}

/// One, two or three numbers: `n`, `(x, y)`, `(x, y, z)`.
pub trait Extent {
    /// The number of dimensions, and x, y, z; 1 for those that are not there.
    fn extent(self) -> [usize; 3];
}

impl Extent for usize {
    #[inline]
    fn extent(self) -> [usize; 3] {
        [self, 1, 1]
    }
}

impl Extent for (usize, usize) {
    #[inline]
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, 1]
    }
}

impl Extent for (usize, usize, usize) {
    #[inline]
    fn extent(self) -> [usize; 3] {
        [self.0, self.1, self.2]
    }
}

impl Grid {
    /// At least so many threads in each dimension, in blocks that the device runs best. The
    /// last blocks may reach past the extent; index tokens are checked where they
    /// are used. With an extent of 0 nothing runs.
    #[inline]
    pub fn cover(threads: impl Extent) -> Self {
        Self {
            extent: threads.extent().map(|n| n as u64),
            in_threads: true,
            block: [0; 3],
            shared_bytes: 0,
        }
    }

    /// [`cover`](Self::cover) of `(width, height)`.
    #[inline]
    pub fn cover2(width: usize, height: usize) -> Self {
        Self::cover((width, height))
    }

    /// [`cover`](Self::cover) of `(width, height, depth)`.
    #[inline]
    pub fn cover3(width: usize, height: usize, depth: usize) -> Self {
        Self::cover((width, height, depth))
    }

    /// Exactly so many blocks; of what size, [`threads`](Self::threads) says, else the device
    /// chooses.
    #[inline]
    pub fn blocks(blocks: impl Extent) -> Self {
        Self {
            in_threads: false,
            ..Self::cover(blocks)
        }
    }

    /// So many threads in each block.
    #[inline]
    pub fn threads(self, threads: impl Extent) -> Self {
        Self {
            // What does not fit 32 bits is refused at the launch all the same.
            block: threads
                .extent()
                .map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            ..self
        }
    }

    /// The same as [`threads`](Self::threads).
    #[inline]
    pub fn block(self, threads: impl Extent) -> Self {
        self.threads(threads)
    }

    /// Shared memory for each block, in bytes, beside what the kernel's statics take; see
    /// [`dynamic_shared`](crate::dynamic_shared).
    #[inline]
    pub fn shared(self, bytes: usize) -> Self {
        Self {
            shared_bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            ..self
        }
    }
}

/// The parameter block (ARCHITECTURE.md, contract 1). The runtime fills in the first two in
/// its copy.
#[repr(C)]
pub(crate) struct Block<F, R> {
    state: u64,
    launch: u64,
    kernel: F,
    args: R,
}

/// A kernel's entry on the device. smelt-cc finds each instance by its first call and makes
/// the kernel from it. On the host it is what [`fallback`] runs.
///
/// It is never inlined: smelt-cc must find it, and not a copy of it in
/// the fallback's entry.
///
/// # Safety
/// `block` is the parameter block of a running launch.
#[inline(never)]
pub(crate) unsafe extern "C-unwind" fn __smelt_entry<F, P>(block: *const Block<F, P::Raw>)
where
    F: Copy + Send + Sync + 'static,
    P: Params<F>,
{
    // Constants, with nothing to inline even where this crate was built without optimisation.
    // SAFETY: marks for the device compiler; a TypeId is 128 bits without padding.
    unsafe {
        abi::__smelt_kernel_id(transmute::<TypeId, u128>(const { TypeId::of::<F>() }));
        abi::__smelt_block_layout(
            const { size_of::<Block<F, P::Raw>>() },
            const { align_of::<Block<F, P::Raw>>() },
        );
    }
    // SAFETY: the caller's.
    unsafe { P::call(&(*block).kernel, &(*block).args) }
}

#[inline]
pub(crate) fn launch<F, A, D>(
    target: Target,
    grid: &Grid,
    kernel: F,
    args: A,
    from: &'static Location<'static>,
) -> Result<()>
where
    F: Copy + Send + Sync + 'static,
    A: Args<F, D>,
{
    at(from);
    let mut maps = Maps::new(target);
    maps.set_shared_bytes(grid.shared_bytes as u64);
    let block = Block {
        state: 0,
        launch: 0,
        kernel,
        args: args.begin(&mut maps)?,
    };
    // SAFETY: 128 bits without padding; which ones matters within one compiler only.
    let id = unsafe { transmute::<TypeId, u128>(TypeId::of::<F>()) };
    let (uses, use_count) = maps.uses();
    let launch = sys::smelt_launch {
        size: size_of::<sys::smelt_launch>() as u32,
        grid_kind: grid.in_threads as u32,
        kernel: [id as u64, (id >> 64) as u64],
        grid: grid.extent,
        block: grid.block,
        // Arguments that lie there made it larger, and fit 32 bits.
        shared_bytes: maps.shared_bytes() as u32,
        params: (&raw const block).cast(),
        params_size: size_of_val(&block) as u64,
        params_align: align_of_val(&block) as u64,
        host_entry: Some(fallback::entry::<F, A::Params>),
        uses,
        use_count,
    };
    // SAFETY: the block is that of this kernel, and its memory is mapped.
    unsafe { submit(target, &launch)? };
    if !A::BORROWS_HOST {
        return Ok(());
    }
    // Its end first: what maps end with must not overtake the kernel, and an error of the
    // kernel is worth more than one of a copy.
    let ran = target.wait();
    ran.and(maps.end())
}

/// The part that is the same for all kernels.
///
/// # Safety
/// `launch` is whole.
unsafe fn submit(target: Target, launch: &sys::smelt_launch) -> Result<()> {
    fallback::prepare();
    // SAFETY: the caller's; the runtime copies the block and keeps no pointer.
    check(unsafe { sys::smelt_kernel_launch(target.stream.as_ptr(), launch) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_too_large_for_a_block_stay_too_large() {
        let grid = Grid::blocks(1).threads(1 << 40).shared(1 << 40);
        assert_eq!(grid.block, [u32::MAX, 1, 1]);
        assert_eq!(grid.shared_bytes, u32::MAX);
    }
}
