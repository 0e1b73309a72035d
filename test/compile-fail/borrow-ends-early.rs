// error: E0597 `x` does not live long enough
// revision: ok
//
// The device reads x until the launch has ended.

use smelt::prelude::*;

fn kernel(x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    #[cfg(ok)]
    let x = vec![1.0f32; 4];
    let args;
    {
        #[cfg(not(ok))]
        let x = vec![1.0f32; 4];
        args = (&x, &mut y);
    }
    gpu.launch(Grid::cover(4), kernel, args)?;
    Ok(())
}
