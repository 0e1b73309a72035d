//! What the finite-element kernels share.

use crate::data::Init;
use smelt::AtomicF64;

/// R rows of C.
pub type Matrix<const R: usize, const C: usize> = [[f64; C]; R];

/// `values` as a matrix.
///
/// # Panics
/// If there are fewer or more.
#[inline(always)]
pub fn matrix<const R: usize, const C: usize>(values: &[f64]) -> &Matrix<R, C> {
    assert!(values.len() == R * C);
    values.as_chunks().0.as_array().unwrap()
}

/// A value for each number.
pub trait Field: Fn(usize) -> f64 {
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        self(i)
    }
}

impl<F: Fn(usize) -> f64> Field for F {}

/// Adds what no other thread adds to.
#[inline(always)]
pub fn add(to: &AtomicF64, value: f64) {
    to.store(to.load() + value);
}

/// The points of a box of Z by Y by X.
pub struct Points<const Z: usize, const Y: usize, const X: usize>;

impl<const Z: usize, const Y: usize, const X: usize> Points<Z, Y, X> {
    /// (z, y, x), x fastest.
    #[inline(always)]
    pub fn all() -> impl Iterator<Item = (usize, usize, usize)> {
        (0..Z).flat_map(|z| (0..Y).flat_map(move |y| (0..X).map(move |x| (z, y, x))))
    }
}

/// The suite's constant arrays; under test others, since from equal values a
/// wrong index does not show.
pub fn constant(init: &mut Init, len: usize, value: f64) -> Vec<f64> {
    if cfg!(test) {
        let ones = init.random(len);
        return ones.iter().map(|x| value + 0.5 * x).collect();
    }
    init.constant(len, value)
}
