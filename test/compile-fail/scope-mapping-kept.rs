// error: E0521 borrowed data escapes
// revision: ok
//
// Nothing of a scope outlives it.

use smelt::prelude::*;

fn double(mut y: DisjointMut<u32>) {
    if let Some(y) = y.get_mut(thread::index()) {
        *y *= 2;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![1; 10];
    #[cfg(not(ok))]
    let mut kept = None;
    gpu.scope(|s| {
        let mut y = s.tofrom(&mut y)?;
        s.launch(Grid::cover(10), double, (&mut y,))?;
        #[cfg(not(ok))]
        {
            kept = Some(y);
        }
        Ok(())
    })
}
