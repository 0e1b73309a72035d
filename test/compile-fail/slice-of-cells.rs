// error: E0277 `&Vec<Cell<u32>>` cannot be passed to a kernel as `&[Cell<u32>]`
// revision: ok
//
// Many threads would change a Cell at once.

use smelt::prelude::*;

#[cfg(not(ok))]
use std::cell::Cell as Element;
#[cfg(ok)]
use std::sync::atomic::AtomicU32 as Element;

#[cfg(not(ok))]
fn kernel(x: &[Element<u32>]) {
    x[0].set(1);
}
#[cfg(ok)]
fn kernel(x: &[Element]) {
    x[0].store(1, std::sync::atomic::Ordering::Relaxed);
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![Element::new(0u32)];
    gpu.launch(Grid::cover(4), kernel, (&x,))?;
    Ok(())
}
