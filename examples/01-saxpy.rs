//! A first kernel: y = a * x + y, one thread for each element.
//!
//!     cargo smelt run --example 01-saxpy

use smelt::prelude::*;

/// An ordinary function. On the device it runs once for each thread of the grid.
///
/// `x` is a slice as everywhere in Rust. `y` would be `&mut [f32]` in a loop; here every
/// thread holds it, so it is a `DisjointMut`: an element can be changed only through
/// an index that no other thread has.
fn saxpy(a: f32, x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    let n = 1 << 20;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![2.0f32; n];

    // `&x` is copied to the device, `&mut y` there and back. The grid covers all of
    // `y`, and a little more: threads past its end get None from `get_mut`.
    gpu.launch(Grid::cover(y.len()), saxpy, (3.0, &x, &mut y))?;

    println!("y[0] = {}, y[1] = {}, y[{}] = {}", y[0], y[1], n - 1, y[n - 1]);
    let wrong = (0..n).filter(|&i| y[i] != 3.0 * x[i] + 2.0).count();
    println!("{wrong} of {n} wrong");
    Ok(())
}
