// error: E0277 is no key to sort by
// revision: ok
//
// The order of a key must always be the same for sorting to be sound, so keys are the crate's.

use smelt::prelude::*;
use smelt::prim::Sort;

#[cfg(not(ok))]
type Key = (u32, u32);
#[cfg(ok)]
type Key = u64;

fn main() {
    let gpu = Device::cpu().unwrap();
    _ = Sort::<Key, u32>::new(&gpu, 10);
}
