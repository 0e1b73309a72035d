//! A closure as a kernel: what it captures travels with the launch.
//!
//!     cargo smelt run --example 02-closure

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    // A `move` closure may capture plain data: numbers, arrays, tuples, your own
    // `DeviceCopy` structs. Slices go through the arguments: the device needs to
    // know which memory to bring along. (Captured by reference, they are refused.)
    let coefficients = [1.0f64, -0.5, 0.25, 2.0];
    let shift = 0.5;

    let x: Vec<f64> = (0..1000).map(|i| i as f64 / 100.0).collect();
    let mut y = vec![0.0f64; x.len()];
    gpu.launch(
        Grid::cover(y.len()),
        move |x: &[f64], mut y: DisjointMut<f64>| {
            let i = thread::index();
            if let Some(y) = y.get_mut(i) {
                let t = x[i.get()] + shift;
                *y = coefficients.iter().fold(0.0, |sum, c| sum * t + c);
            }
        },
        (&x, &mut y),
    )?;

    for i in [0, 1, 10, 999] {
        println!("p({:.2}) = {:.6}", x[i] + shift, y[i]);
    }
    Ok(())
}
