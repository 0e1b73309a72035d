// error: E0499 cannot borrow `y` as mutable more than once at a time
// revision: ok
//
// Two tokens of one thread may name one element.

use smelt::prelude::*;

fn kernel(mut y: DisjointMut<f32>) {
    let i = thread::index();
    let j = thread::index();
    let a = &mut y[i];
    #[cfg(ok)]
    {
        *a += 1.0;
    }
    let b = &mut y[j];
    #[cfg(not(ok))]
    {
        *a += 1.0;
    }
    *b += 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![0.0f32; 4];
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
