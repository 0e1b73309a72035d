//! Kernels from a library: see 07-library/signal.rs, a crate of its own.
//!
//!     cargo smelt run --example 07-library

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    let x: Vec<f32> = (0..4096).map(|i| (i % 7) as f32).collect();
    let mut y = vec![0.0f32; x.len()];

    // A function of the library that launches a kernel made of our closure.
    let threshold = 3.0;
    signal::map(&gpu, &x, &mut y, move |v| if v > threshold { 1.0 } else { 0.0 })?;
    println!("above {threshold}: {}", y.iter().sum::<f32>());

    // A kernel of the library, launched from here.
    gpu.launch(Grid::cover(y.len()), signal::smooth, (3, &x, &mut y))?;
    println!("smoothed: {:.4} {:.4} {:.4}", y[0], y[100], y[4095]);
    Ok(())
}
