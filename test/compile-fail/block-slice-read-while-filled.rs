// error: E0499 cannot borrow `tile` as mutable more than once
// revision: ok
//
// What was read of one phase while others already write the next.

use smelt::BlockSlice;
use smelt::prelude::*;

fn kernel(mut y: DisjointMut<u32>, mut tile: BlockSlice<u32>) {
    let t = block::thread_number();
    let old = tile.fill(|k| k as u32);
    #[cfg(ok)]
    let old = old[t];
    let new = tile.fill(|k| 2 * k as u32);
    #[cfg(not(ok))]
    let old = old[t];
    y[thread::index()] = old + new[t];
}

fn main() {
    let gpu = Device::cpu().unwrap();
    let mut y = vec![0; 64];
    let tile = block::slice::<u32>(64);
    gpu.launch(Grid::blocks(1).threads(64), kernel, (&mut y, tile)).unwrap();
}
