//! The kernels, in safe code: every index is checked. native/kernels.cu has the same
//! by hand.

use smelt::prelude::*;

pub fn daxpy(a: f64, x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index();
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[at];
    }
}

pub const TAPS: usize = 16;

/// Sixteen taps; the coefficients travel in the parameter block.
pub fn fir(c: [f64; TAPS], input: &[f64], mut out: DisjointMut<f64>) {
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        let window = &input[at..at + TAPS];
        *out = window.iter().zip(&c).map(|(v, c)| c * v).sum();
    }
}

/// Sizes of a transport sweep: energy groups, moments, directions.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Sweep {
    pub groups: usize,
    pub moments: usize,
    pub directions: usize,
}

/// With its header, a parameter block of 32 bytes.
pub fn empty(_a: u64, _b: u64) {}

/// phi[z][g][m] += sum over d of ell[m][d] * psi[z][g][d]
pub fn ltimes(s: Sweep, ell: &[f64], psi: &[f64], mut phi: DisjointMut3<f64>) {
    let i = thread::index3();
    let (m, g, z) = i.get();
    if let Some(phi) = phi.get_mut(i) {
        let ell = &ell[m * s.directions..][..s.directions];
        let psi = &psi[(z * s.groups + g) * s.directions..][..s.directions];
        *phi += ell.iter().zip(psi).map(|(e, p)| e * p).sum::<f64>();
    }
}
