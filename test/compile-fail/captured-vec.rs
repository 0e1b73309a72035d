// error: E0277 the trait bound `Vec<f32>: Copy` is not satisfied in
// revision: ok
//
// A kernel is copied to the device byte by byte.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    #[cfg(not(ok))]
    let x = vec![1.0f32; 4];
    #[cfg(ok)]
    let x = [1.0f32; 4];
    let mut y = vec![0.0f32; 4];
    let kernel = move |mut y: DisjointMut<f32>| {
        let i = thread::index();
        y[i] = x[i.get()];
    };
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
