// error: E0277 `*const f32` cannot be shared between threads safely
// revision: ok
//
// An address of the host means nothing to the device.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = [1.0f32; 4];
    #[cfg(not(ok))]
    let x = x.as_ptr();
    let mut y = vec![0.0f32; 4];
    let kernel = move |mut y: DisjointMut<f32>| {
        #[cfg(not(ok))]
        let value = unsafe { *{ x } };
        #[cfg(ok)]
        let value = x[0];
        y[thread::index()] = value;
    };
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
