// error: E0593 function is expected to take 2 arguments, but it takes 3 arguments
// revision: ok
//
// Each parameter has an argument.

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
    gpu.launch(Grid::cover(4), kernel, (&x, &mut y))?;
    #[cfg(ok)]
    gpu.launch(Grid::cover(4), kernel, (1.0, &x, &mut y))?;
    Ok(())
}
