// error: E0499 cannot borrow
// revision: ok
//
// Two parts that are written have nothing in common.

use smelt::prelude::*;

fn both(_a: DisjointMut<u32>, _b: DisjointMut<u32>) {}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = Buffer::filled(&gpu, 10, 1u32)?;
    #[cfg(ok)]
    let (a, b) = y.split_at_mut(5);
    #[cfg(not(ok))]
    let (a, b) = (y.range_mut(..6), y.range_mut(5..));
    gpu.launch(Grid::cover(10), both, (a, b))
}
