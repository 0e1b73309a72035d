// error: E0502 cannot borrow `y` as
// revision: ok
//
// What a kernel writes no other argument reads.

use smelt::prelude::*;

fn kernel(a: f32, x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = a * x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    let mut y = vec![0.0f32; 4];
    #[cfg(not(ok))]
    gpu.launch(Grid::cover(4), kernel, (1.0, &y, &mut y))?;
    #[cfg(ok)]
    gpu.launch(Grid::cover(4), kernel, (1.0, &x, &mut y))?;
    _ = x;
    Ok(())
}
