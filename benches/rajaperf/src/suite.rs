//! What a kernel of the suite is: its name, sizes and costs, and the functions that run its
//! variants.
//!
//! A kernel is one constant [`Kernel`] in one file, `kernels/GROUP/NAME.rs`. The numbers (default
//! size and repetitions, bytes and operations of a repetition) are those of LLNL's RAJA Performance
//! Suite, so that a table here can lie beside one of the suite's own.

use crate::data::Checksum;
use crate::run::Run;

/// The suite's groups, in the order it lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Basic,
    Lcals,
    Polybench,
    Stream,
    Apps,
    Algorithm,
    Comm,
}

impl Group {
    pub const ALL: [Group; 7] = [
        Group::Basic,
        Group::Lcals,
        Group::Polybench,
        Group::Stream,
        Group::Apps,
        Group::Algorithm,
        Group::Comm,
    ];

    pub fn name(self) -> String {
        format!("{self:?}")
    }
}

/// What of RAJA a kernel exercises in the suite; users choose kernels by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Forall,
    Kernel,
    Launch,
    Sort,
    Scan,
    Workgroup,
    Reduction,
    Atomic,
    View,
}

impl Feature {
    pub const ALL: [Feature; 9] = [
        Feature::Forall,
        Feature::Kernel,
        Feature::Launch,
        Feature::Sort,
        Feature::Scan,
        Feature::Workgroup,
        Feature::Reduction,
        Feature::Atomic,
        Feature::View,
    ];

    pub fn name(self) -> String {
        format!("{self:?}")
    }
}

/// The ways a kernel is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Plain Rust on the host: the reference for checksums.
    BaseSeq,
    /// Without `unsafe`, every index checked.
    SmeltSafe,
    /// With unchecked accesses.
    SmeltUnsafe,
}

impl Variant {
    pub const ALL: [Variant; 3] = [Variant::BaseSeq, Variant::SmeltSafe, Variant::SmeltUnsafe];

    pub fn name(self) -> &'static str {
        match self {
            Variant::BaseSeq => "Base_Seq",
            Variant::SmeltSafe => "Smelt_Safe",
            Variant::SmeltUnsafe => "Smelt_Unsafe",
        }
    }
}

/// One way of mapping a kernel to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    pub name: &'static str,
    /// Whether the number of threads in a block is part of it.
    pub sized: bool,
}

impl Tuning {
    /// One that is run with each block size asked for: `NAME_SIZE`.
    pub const fn sized(name: &'static str) -> Self {
        Self { name, sized: true }
    }

    /// One that has no block size, as a call of a library.
    pub const fn plain(name: &'static str) -> Self {
        Self { name, sized: false }
    }

    /// Its name with the block size, if that is part of it.
    pub fn name_with(&self, block: usize) -> String {
        match self.sized {
            true => format!("{}_{block}", self.name),
            false => self.name.to_string(),
        }
    }
}

/// Sizes that only some kernels have; options set them, under the suite's names.
#[derive(Clone, Debug)]
pub struct Params {
    pub array_of_ptrs_array_size: usize,
    pub multi_reduce_num_bins: usize,
    pub ltimes_num_d: usize,
    pub ltimes_num_g: usize,
    pub ltimes_num_m: usize,
    pub halo_width: usize,
    pub halo_num_vars: usize,
    pub atomic_replication: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            array_of_ptrs_array_size: 26,
            multi_reduce_num_bins: 10,
            ltimes_num_d: 64,
            ltimes_num_g: 32,
            ltimes_num_m: 25,
            halo_width: 1,
            halo_num_vars: 3,
            atomic_replication: 4096,
        }
    }
}

/// What one repetition costs at a size.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The size in fact run; a kernel on a cube rounds the target.
    pub size: usize,
    pub iterations: usize,
    pub kernels: usize,
    pub bytes_read: usize,
    pub bytes_written: usize,
    pub bytes_atomic: usize,
    pub flops: usize,
}

impl Shape {
    /// One kernel of `size` that does nothing; a start for the rest.
    pub fn of(size: usize) -> Self {
        Self {
            size,
            iterations: size,
            kernels: 1,
            bytes_read: 0,
            bytes_written: 0,
            bytes_atomic: 0,
            flops: 0,
        }
    }

    /// What the suite's bandwidth counts: an atomic update is a read and a write.
    pub fn bytes(&self) -> usize {
        self.bytes_read + self.bytes_written + 2 * self.bytes_atomic
    }
}

/// Runs one variant with one tuning: makes the data, times the repetitions through
/// [`Run::time`] or [`Run::time_host`], and gives the checksum of the results.
pub type RunVariant = fn(&mut Run) -> smelt::Result<Checksum>;

/// One kernel of the suite.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// Without its group.
    pub name: &'static str,
    pub group: Group,
    pub features: &'static [Feature],
    /// Default problem size.
    pub size: usize,
    /// Default repetitions.
    pub reps: usize,
    /// What a repetition costs for a target size.
    pub shape: fn(&Params, usize) -> Shape,
    /// `Base_Seq`.
    pub seq: RunVariant,
    /// `Smelt_Safe` and `Smelt_Unsafe`; the run says which.
    pub smelt: RunVariant,
    /// Of the Smelt variants, the one of the native kernel first.
    pub tunings: &'static [Tuning],
    /// Threads in a block unless the user says otherwise; the suite's.
    pub block: usize,
    /// Whether other block sizes can be asked for.
    pub any_block: bool,
    /// Largest difference of a right checksum, as a part of the sum of the absolute values that
    /// the checksum is made of.
    pub tolerance: f64,
    /// Whether no index of the safe kernel can be past an end, whatever the lengths of its arrays:
    /// it has none, or they come from tokens and from an array's own length.
    pub bounded: bool,
}

impl Kernel {
    /// What most kernels have; the rest is set in each.
    pub const DEFAULT: Kernel = Kernel {
        name: "",
        group: Group::Basic,
        features: &[Feature::Forall],
        size: 1_000_000,
        reps: 1,
        shape: |_, n| Shape::of(n),
        seq: |_| Ok(Checksum::new()),
        smelt: |_| Ok(Checksum::new()),
        tunings: &[Tuning::sized("block")],
        block: 256,
        any_block: true,
        tolerance: 1e-10,
        bounded: false,
    };

    /// `Group_NAME`.
    pub fn full_name(&self) -> String {
        format!("{:?}_{}", self.group, self.name)
    }
}

/// The side of the square with about `size` elements, rounded as the suite does.
pub fn square_side(size: usize) -> usize {
    ((size as f64).sqrt() + std::f64::consts::SQRT_2 - 1.0) as usize
}

/// The side of the cube with about `size` elements, rounded as the suite does.
pub fn cube_side(size: usize) -> usize {
    ((size as f64).cbrt() + 3f64.cbrt() - 1.0) as usize
}
