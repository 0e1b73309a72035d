//! What every kernel's file needs.

pub use crate::access::Access;
pub use crate::both;
pub use crate::data::Checksum;
pub use crate::launch;
pub use crate::prim::{Cells, Share};
pub use crate::run::Run;
pub use crate::suite::{Feature, Group, Kernel, Shape, Tuning, cube_side, square_side};
pub use smelt::prelude::*;
pub use smelt::prim::{GridReduction, Reduction};
