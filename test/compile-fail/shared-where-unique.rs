// error: E0631 found function signature `fn(_, &_, smelt::DisjointMut<'_, f32>) -> _`
// revision: ok
//
// The kernel writes what the host lends for reading.

use smelt::prelude::*;

fn kernel(a: f32, x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = a * x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    #[allow(unused_mut)]
    let mut y = vec![0.0f32; 4];
    #[cfg(not(ok))]
    gpu.launch(Grid::cover(4), kernel, (1.0, &x, &y))?;
    #[cfg(ok)]
    gpu.launch(Grid::cover(4), kernel, (1.0, &x, &mut y))?;
    Ok(())
}
