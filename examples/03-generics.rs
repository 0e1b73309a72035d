//! Generic kernels: one function, an instance for each type it is launched with.
//!
//!     cargo smelt run --example 03-generics

use smelt::prelude::*;
use std::ops::{Add, Mul};

/// A type of our own that travels by value. `DeviceCopy` says that its bytes mean the
/// same on the device; the derive checks each field.
#[derive(Clone, Copy, Debug, DeviceCopy)]
struct Complex<T: DeviceCopy> {
    re: T,
    im: T,
}

impl<T: DeviceCopy + Add<Output = T>> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T> Mul for Complex<T>
where
    T: DeviceCopy + Add<Output = T> + Mul<Output = T> + std::ops::Sub<Output = T>,
{
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

fn axpy<T>(a: T, x: &[T], mut y: DisjointMut<T>)
where
    T: DeviceCopy + Add<Output = T> + Mul<Output = T>,
{
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = a * x[i.get()] + *y;
    }
}

/// A generic host function: `a` is captured, so that it needs no more of `T` than the
/// kernel does.
fn last<T>(gpu: &Device, a: T, x: T, y: T) -> smelt::Result<T>
where
    T: DeviceCopy + Send + Sync + Add<Output = T> + Mul<Output = T>,
{
    let x = vec![x; 1000];
    let mut y = vec![y; 1000];
    let kernel = move |x: &[T], y: DisjointMut<T>| axpy(a, x, y);
    gpu.launch(Grid::cover(y.len()), kernel, (&x, &mut y))?;
    Ok(y[999])
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    let x = [4.0f32; 10];
    let mut y = [0.25f32; 10];
    gpu.launch(Grid::cover(10), axpy::<f32>, (1.5, &x, &mut y))?;
    println!("f32: {}", y[9]);

    println!("u8:  {}", last(&gpu, 3u8, 20, 2)?);
    println!("i64: {}", last(&gpu, -7i64, 1 << 40, 5)?);
    let i = Complex { re: 0.0f64, im: 1.0 };
    println!("i * i + 1 = {:?}", last(&gpu, i, i, Complex { re: 1.0, im: 0.0 })?);
    Ok(())
}
