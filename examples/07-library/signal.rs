//! A library with kernels. Nothing here is special to libraries: the same functions
//! and generics, launched by whoever uses the crate or from the crate itself.

use smelt::prelude::*;

/// Each element is `f` of the element of `x`. Generic: the instance is made in the
/// program that names `f`.
pub fn map<F: Fn(f32) -> f32 + Copy + Send + Sync + 'static>(
    gpu: &Device,
    x: &[f32],
    y: &mut [f32],
    f: F,
) -> smelt::Result<()> {
    gpu.launch(
        Grid::cover(y.len()),
        move |x: &[f32], mut y: DisjointMut<f32>| {
            let i = thread::index();
            if let Some(y) = y.get_mut(i) {
                *y = f(x[i.get()]);
            }
        },
        (x, y),
    )
}

/// Kernel: the mean of up to `2 * radius + 1` neighbours.
pub fn smooth(radius: usize, x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    let at = i.get();
    if let Some(y) = y.get_mut(i) {
        let window = &x[at.saturating_sub(radius)..(at + radius + 1).min(x.len())];
        *y = window.iter().sum::<f32>() / window.len() as f32;
    }
}
