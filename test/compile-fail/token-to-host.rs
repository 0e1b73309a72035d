// error: E0277 cannot be copied to a device
// revision: ok
//
// A token written to memory could come back in another thread.

use smelt::prelude::*;

#[cfg(not(ok))]
type Element = thread::Index1;
#[cfg(ok)]
type Element = usize;

fn kernel(mut y: DisjointMut<Element>) {
    let i = thread::index();
    #[cfg(not(ok))]
    let element = i;
    #[cfg(ok)]
    let element = i.get();
    if let Some(y) = y.get_mut(i) {
        *y = element;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y: Vec<Element> = Vec::new();
    gpu.launch(Grid::cover(4), kernel, (&mut y,))?;
    Ok(())
}
