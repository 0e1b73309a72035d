// error: E0502 cannot borrow `tile` as mutable
// revision: ok
//
// Elements read while others write them.

use smelt::BlockSlice;
use smelt::prelude::*;

fn kernel(mut y: DisjointMut<u32>, mut tile: BlockSlice<u32>, mut other: BlockSlice<u32>) {
    let t = block::thread_number();
    tile.fill(|k| k as u32);
    #[cfg(not(ok))]
    let new = {
        let len = &tile;
        tile.fill(|k| (len.len() - k) as u32)
    };
    #[cfg(ok)]
    let new = {
        let len = &tile;
        other.fill(|k| (len.len() - k) as u32)
    };
    y[thread::index()] = new[t];
}

fn main() {
    let gpu = Device::cpu().unwrap();
    let mut y = vec![0; 64];
    let (a, b) = (block::slice::<u32>(64), block::slice::<u32>(64));
    gpu.launch(Grid::blocks(1).threads(64), kernel, (&mut y, a, b)).unwrap();
}
