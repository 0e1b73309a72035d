//! Kernels in a library, which call what no other crate can inline.
use smelt::prelude::*;
use std::ops::{Add, Mul};

pub fn axpy<T: Copy + Mul<Output = T> + Add<Output = T>>(a: T, x: &[T], mut y: DisjointMut<T>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = a * x[i.get()] + *y;
    }
}

fn score(x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = plain::score(x[i.get()], i.get() % 8);
    }
}

pub fn run(gpu: &Device, x: &[f64], y: &mut [f64]) -> smelt::Result<()> {
    gpu.launch(Grid::cover(y.len()), score, (x, y))
}

pub fn scale(gpu: &Device, k: f64, y: &mut [f64]) -> smelt::Result<()> {
    gpu.launch(
        Grid::cover(y.len()),
        move |mut y: DisjointMut<f64>| {
            let i = thread::index();
            if let Some(y) = y.get_mut(i) {
                *y *= k;
            }
        },
        (y,),
    )
}

#[inline(never)]
pub fn root(n: usize, x: f64) -> f64 {
    (x * 4.0).sqrt() + plain::area(n, x)
}
