// error: E0506 cannot assign
// revision: ok
//
// The host keeps off what a scope has mapped.

use smelt::prelude::*;

fn double(mut y: DisjointMut<u32>) {
    if let Some(y) = y.get_mut(thread::index()) {
        *y *= 2;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = [1; 10];
    gpu.scope(|s| {
        let mut mapped = s.tofrom(&mut y)?;
        s.launch(Grid::cover(10), double, (&mut mapped,))?;
        #[cfg(not(ok))]
        {
            y[0] = 5;
        }
        s.launch(Grid::cover(10), double, (&mut mapped,))
    })
}
