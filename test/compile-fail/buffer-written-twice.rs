// error: E0499 cannot borrow `a` as mutable more than once at a time
// revision: ok
//
// What a kernel writes no other argument reaches.

use smelt::prelude::*;

fn kernel(mut a: DisjointMut<f32>, mut b: DisjointMut<f32>) {
    let i = thread::index();
    a[i] = 1.0;
    b[i] = 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut a = Buffer::filled(&gpu, 4, 0.0f32)?;
    let mut b = Buffer::filled(&gpu, 4, 0.0f32)?;
    #[cfg(not(ok))]
    gpu.launch(Grid::cover(4), kernel, (&mut a, &mut a))?;
    #[cfg(ok)]
    gpu.launch(Grid::cover(4), kernel, (&mut a, &mut b))?;
    _ = (&mut a, &mut b);
    Ok(())
}
