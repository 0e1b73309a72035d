// error: E0308 expected `Index1`, found `Index2`
// revision: ok
//
// A token of a 2-dimensional grid names no element of a 1-dimensional slice.

use smelt::prelude::*;

fn kernel(mut y: DisjointMut<f32>) {
    #[cfg(not(ok))]
    let i = thread::index2();
    #[cfg(ok)]
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = 1.0;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
