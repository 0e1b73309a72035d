// error: E0382 use of moved value: `sum`
// revision: ok
//
// A launch has one result: the second would be made of some blocks' first values.

use smelt::prelude::*;
use smelt::prim::{GridReduction, Reduction};

fn kernel(sum: GridReduction<u32>) {
    sum.reduce(1, |a, b| a + b);
    #[cfg(not(ok))]
    sum.reduce(2, |a, b| a + b);
}

fn main() {
    let gpu = Device::cpu().unwrap();
    let mut sum = Reduction::new(&gpu, 1, 0).unwrap();
    gpu.launch(Grid::blocks(1).threads(64), kernel, (&mut sum,)).unwrap();
}
