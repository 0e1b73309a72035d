// error: - lifetime may not live long enough
// revision: ok
//
// A handle that outlives its kernel's call would be a second one for the same memory.

use smelt::BlockSlice;
use smelt::prelude::*;

#[cfg(not(ok))]
fn keep(tile: BlockSlice<u32>) -> BlockSlice<'static, u32> {
    tile
}
#[cfg(ok)]
fn keep(tile: BlockSlice<u32>) -> BlockSlice<'_, u32> {
    tile
}

fn kernel(mut y: DisjointMut<u32>, tile: BlockSlice<u32>) {
    y[thread::index()] = keep(tile).fill(|k| k as u32)[0];
}

fn main() {
    let gpu = Device::cpu().unwrap();
    let mut y = vec![0; 64];
    let tile = block::slice::<u32>(64);
    gpu.launch(Grid::blocks(1).threads(64), kernel, (&mut y, tile)).unwrap();
}
