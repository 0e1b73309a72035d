// error: E0631 found function signature `fn(&mut [f32]) -> _`
// revision: ok
//
// Every thread would hold the whole slice.

use smelt::prelude::*;

#[cfg(not(ok))]
fn kernel(y: &mut [f32]) {
    y[0] = 1.0;
}

#[cfg(ok)]
fn kernel(mut y: DisjointMut<f32>) {
    y[thread::index()] = 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
