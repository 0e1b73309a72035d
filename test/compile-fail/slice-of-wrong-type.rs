// error: E0631 found function signature `fn(_, &[f32],
// revision: ok
//
// Elements are not converted.

use smelt::prelude::*;

fn kernel(a: f32, x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = a * x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    #[cfg(not(ok))]
    let x = vec![1.0f64; 4];
    #[cfg(ok)]
    let x = vec![1.0f32; 4];
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (1.0, &x, &mut y))?;
    Ok(())
}
