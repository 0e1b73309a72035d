// error: E0505 cannot move out of `x` because it is borrowed
// revision: ok
//
// Host memory stays where it is until the launch has ended.

use smelt::prelude::*;

fn kernel(x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    let mut y = vec![0.0f32; 4];
    let args = (&x, &mut y);
    #[cfg(not(ok))]
    drop(x);
    gpu.launch(Grid::cover(4), kernel, args)?;
    #[cfg(ok)]
    drop(x);
    Ok(())
}
