// error: E0382 borrow of moved value: `y`
// revision: ok
//
// A thread with two views could reach one element twice.

use smelt::prelude::*;

fn take(mut y: DisjointMut<f32>) {
    y[thread::index()] = 1.0;
}

fn kernel(mut y: DisjointMut<f32>) {
    #[cfg(ok)]
    {
        y[thread::index()] = 2.0;
    }
    take(y);
    #[cfg(not(ok))]
    {
        y[thread::index()] = 2.0;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
