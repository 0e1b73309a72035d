// error: E0631 found function signature `fn(f32, &_,
// revision: ok
//
// F64 is not f32.

use smelt::prelude::*;

fn kernel(a: f32, x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = a * x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    let mut y = vec![0.0f32; 4];
    #[cfg(not(ok))]
    let a = 1.0f64;
    #[cfg(ok)]
    let a = 1.0f32;
    gpu.launch(Grid::cover(4), kernel, (a, &x, &mut y))?;
    Ok(())
}
