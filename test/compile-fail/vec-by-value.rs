// error: E0277 `Vec<f32>` cannot be passed to a kernel as
// revision: ok
//
// Pass a reference.

use smelt::prelude::*;

fn kernel(x: &[f32]) {
    _ = x[0];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    #[cfg(not(ok))]
    gpu.launch(Grid::cover(4), kernel, (x,))?;
    #[cfg(ok)]
    gpu.launch(Grid::cover(4), kernel, (&x,))?;
    Ok(())
}
