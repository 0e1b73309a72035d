//! Waiting for the other threads of a block.

use super::abi::__smelt_barrier;

/// Waits until every thread of the block that has not ended is here; what each wrote
/// before to shared or device memory is then visible to all of the block.
///
/// All threads of a block must meet the same barrier: one inside an `if` that
/// only some of them enter hangs or mixes up the data on a GPU, as in CUDA and HIP.
#[inline]
pub fn barrier() {
    // Never repeats; see `abi` on convergence.
    while __smelt_barrier() {}
}
