// error: E0505 cannot move out of `x`
// revision: ok
//
// A part of a buffer borrows it.

use smelt::prelude::*;

fn read(_x: &[u32]) {}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = Buffer::filled(&gpu, 10, 1u32)?;
    let view = x.range(2..5);
    #[cfg(not(ok))]
    drop(x);
    gpu.launch(Grid::cover(3), read, (view,))
}
