// error: E0277 `*const ()` cannot be sent between threads safely
// revision: ok
//
// All threads of the launch would hold the same token.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    let token = thread::index();
    #[cfg(ok)]
    let token = token.get();
    let kernel = move |mut y: DisjointMut<f32>| {
        #[cfg(not(ok))]
        let i = token;
        #[cfg(ok)]
        let i = { _ = token; thread::index() };
        y[i] = 1.0;
    };
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
