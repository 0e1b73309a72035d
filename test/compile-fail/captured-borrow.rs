// error: E0597 `x` does not live long enough
// revision: ok
//
// What a closure captures is not brought to the device.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 4];
    let mut y = vec![0.0f32; 4];
    #[cfg(not(ok))]
    {
        let x = &x;
        let kernel = move |mut y: DisjointMut<f32>| {
            let i = thread::index();
            y[i] = x[i.get()];
        };
        gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    }
    #[cfg(ok)]
    {
        let kernel = move |x: &[f32], mut y: DisjointMut<f32>| {
            let i = thread::index();
            y[i] = x[i.get()];
        };
        gpu.launch(Grid::cover(4), kernel, (&x, &mut y))?;
    }
    Ok(())
}
