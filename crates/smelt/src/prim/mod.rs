//! Reductions, scans and sorts.

mod reduction;

pub use reduction::{GridReduction, RawReduction, Reduction};
