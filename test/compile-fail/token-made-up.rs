// error: E0603 tuple struct constructor `Index1` is private
// revision: ok
//
// Tokens come from the position of the thread only.

use smelt::prelude::*;

fn kernel(mut y: DisjointMut<f32>) {
    #[cfg(not(ok))]
    let i = thread::Index1(0, std::marker::PhantomData);
    #[cfg(ok)]
    let i = thread::index();
    y[i] = 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
