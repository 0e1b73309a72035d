// error: E0277 cannot be copied to a device
// revision: ok
//
// Another thread of the block could read it.

use smelt::prelude::*;

#[cfg(not(ok))]
smelt::shared! {
    static TOKEN: thread::Index1;
}
#[cfg(ok)]
smelt::shared! {
    static TOKEN: usize;
}

fn main() {
    _ = TOKEN.as_mut_ptr();
}
