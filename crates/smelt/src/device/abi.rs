//! The primitives that smelt-cc recognises (ARCHITECTURE.md, contract 1). On a
//! device smelt-cc puts instructions in their place; for the host's own instance
//! of a kernel libsmelt defines them.
//!
//! # Convergence
//!
//! A barrier, a shuffle or a vote must be met by the threads of a block or warp at
//! one place in the code. rustc does not know that: its MIR pass JumpThreading
//! copies whatever follows an `if` into both of its arms when a later `if` tests
//! the same thing, and one barrier becomes two. The pass never copies the head of
//! a loop (that would make the loop irreducible), so each such primitive stands at
//! the head of a loop that never repeats, by itself or through [`converge`].

use std::mem::MaybeUninit;

// Named here so that a Rust dylib with the runtime in it exports them; the code itself
// is bundled in smelt-sys.
#[link(name = "smelt", kind = "static", modifiers = "-bundle")]
unsafe extern "C" {
    pub fn __smelt_kernel_id(id: u128);
    pub fn __smelt_block_layout(size: usize, align: usize);
    pub fn __smelt_index_dims(dims: u32);
    pub fn __smelt_launch_bounds(max_threads: u32, min_blocks: u32);

    pub safe fn __smelt_thread_idx_x() -> u32;
    pub safe fn __smelt_thread_idx_y() -> u32;
    pub safe fn __smelt_thread_idx_z() -> u32;
    pub safe fn __smelt_block_idx_x() -> u32;
    pub safe fn __smelt_block_idx_y() -> u32;
    pub safe fn __smelt_block_idx_z() -> u32;
    pub safe fn __smelt_block_dim_x() -> u32;
    pub safe fn __smelt_block_dim_y() -> u32;
    pub safe fn __smelt_block_dim_z() -> u32;
    pub safe fn __smelt_grid_dim_x() -> u32;
    pub safe fn __smelt_grid_dim_y() -> u32;
    pub safe fn __smelt_grid_dim_z() -> u32;
    pub safe fn __smelt_lane_id() -> u32;
    pub safe fn __smelt_warp_size() -> u32;

    /// Gives false.
    pub safe fn __smelt_barrier() -> bool;
    pub safe fn __smelt_shuffle_idx_b32(value: u32, lane: u32) -> u32;
    pub safe fn __smelt_shuffle_up_b32(value: u32, delta: u32) -> u32;
    pub safe fn __smelt_shuffle_down_b32(value: u32, delta: u32) -> u32;
    pub safe fn __smelt_shuffle_xor_b32(value: u32, mask: u32) -> u32;
    /// `lane` takes part, or the result is any bits.
    pub safe fn __smelt_shuffle_raw_b32(value: MaybeUninit<u32>, lane: u32) -> MaybeUninit<u32>;
    /// The same, where the value's bits may be none: those of the result are some.
    #[link_name = "__smelt_shuffle_raw_b32"]
    #[allow(clashing_extern_declarations)]
    pub safe fn __smelt_shuffle_bits_b32(value: MaybeUninit<u32>, lane: u32) -> u32;
    /// That of the lane whose number is this one's with the bits of `mask` flipped. Where it is a
    /// constant, as it stands in the call, a target may have an instruction for it.
    pub safe fn __smelt_shuffle_near_b32(value: MaybeUninit<u32>, mask: u32) -> MaybeUninit<u32>;
    pub safe fn __smelt_ballot(vote: bool) -> u64;
    pub safe fn __smelt_any(vote: bool) -> bool;
    pub safe fn __smelt_all(vote: bool) -> bool;

    pub fn __smelt_atomic_add_f32(at: *mut f32, value: f32, scope: u32) -> f32;
    pub fn __smelt_atomic_min_f32(at: *mut f32, value: f32, scope: u32) -> f32;
    pub fn __smelt_atomic_max_f32(at: *mut f32, value: f32, scope: u32) -> f32;
    pub fn __smelt_atomic_add_f64(at: *mut f64, value: f64, scope: u32) -> f64;
    pub fn __smelt_atomic_min_f64(at: *mut f64, value: f64, scope: u32) -> f64;
    pub fn __smelt_atomic_max_f64(at: *mut f64, value: f64, scope: u32) -> f64;

    pub safe fn __smelt_dynamic_shared() -> *mut u8;

    /// Identity: nobody writes the memory behind it during the launch.
    pub fn __smelt_arg_readonly(memory: *const u8) -> *const u8;
    /// Identity: no other argument reaches the memory behind it.
    pub fn __smelt_arg_unique(memory: *mut u8) -> *mut u8;
    /// Identity: all that is reached through it lies in its first `bytes` bytes.
    pub fn __smelt_arg_extent(memory: *mut u8, bytes: usize) -> *mut u8;
}

/// Evaluates a convergent primitive at the head of a loop that never repeats.
///
/// The way out tests something that rustc cannot know and that smelt-cc puts a
/// constant in for: no warp has 0 lanes. So the loop is gone in the first LLVM
/// pass that looks at it, and stays for as long as MIR lasts. It is a macro and
/// not a function with a closure: the primitive must be the loop's first block in
/// the MIR that is stored for other crates, before any inlining there.
macro_rules! converge {
    ($primitive:expr) => {
        loop {
            let value = $primitive;
            if $crate::device::abi::__smelt_warp_size() != 0 {
                break value;
            }
        }
    };
}
pub(crate) use converge;
