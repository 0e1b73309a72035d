// error: E0277 all zero bits are not known to be a value
// revision: ok
//
// What the kernel does not write is zero, which must be a value.

use smelt::prelude::*;
#[cfg(not(ok))]
use std::num::NonZeroU32 as Number;
#[cfg(ok)]
type Number = u32;

fn touch(_y: DisjointMut<Number>) {}

fn run(gpu: &Device, mut y: Array<Number>) -> smelt::Result<()> {
    gpu.launch(Grid::cover(10), touch, (y.write_only(),))
}

fn main() -> smelt::Result<()> {
    run(&Device::default()?, Array::from(vec![]))
}
