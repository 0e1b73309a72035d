// error: E0271 to return
// revision: ok
//
// Nobody would get what it returns.

use smelt::prelude::*;

#[cfg(not(ok))]
fn kernel(x: &[f32]) -> f32 {
    x[0]
}
#[cfg(ok)]
fn kernel(x: &[f32]) {
    _ = x[0];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&x,))?;
    Ok(())
}
