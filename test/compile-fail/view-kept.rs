// error: - implementation of `FnOnce` is not general enough
// revision: ok
//
// A thread that got hold of another's view could reach one element twice.

use smelt::prelude::*;

use std::cell::Cell;

thread_local! {
    static KEPT: Cell<Option<DisjointMut<'static, f32>>> = const { Cell::new(None) };
}

#[cfg(not(ok))]
fn kernel(y: DisjointMut<'static, f32>) {
    KEPT.set(Some(y));
}

#[cfg(ok)]
fn kernel(y: DisjointMut<f32>) {
    _ = y.len();
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let y: &'static mut Vec<f32> = Box::leak(Box::new(vec![0.0f32; 4]));
    gpu.launch(Grid::cover(4), kernel, (y,))?;
    _ = KEPT.take();
    Ok(())
}
