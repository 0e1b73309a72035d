// error: E0308 expected `Index2`, found `Index1`
// revision: ok
//
// A view in rows is written by tokens of a 2-dimensional grid.

use smelt::prelude::*;

fn kernel(mut y: DisjointMut2<f32>) {
    #[cfg(not(ok))]
    let i = thread::index();
    #[cfg(ok)]
    let i = thread::index2();
    y[i] = 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover((2, 2)), kernel, (y.as_2d(2, 2),))?;
    Ok(())
}
