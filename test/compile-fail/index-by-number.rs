// error: E0308 expected `Index1`, found `usize`
// revision: ok
//
// Any thread could write any element.

use smelt::prelude::*;

fn kernel(mut y: DisjointMut<f32>) {
    let i = thread::index();
    #[cfg(not(ok))]
    let i = i.get();
    y[i] = 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
