// error: E0277 `&Vec<&f32>` cannot be passed to a kernel as
// revision: ok
//
// What they point to is not brought along.

use smelt::prelude::*;

#[cfg(not(ok))]
fn kernel(x: &[&'static f32]) {
    _ = *x[0];
}
#[cfg(ok)]
fn kernel(x: &[f32]) {
    _ = x[0];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    #[cfg(not(ok))]
    let x = vec![&1.0f32];
    #[cfg(ok)]
    let x = vec![1.0f32];
    gpu.launch(Grid::cover(4), kernel, (&x,))?;
    Ok(())
}
