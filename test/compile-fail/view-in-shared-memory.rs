// error: E0277 cannot be copied to a device
// revision: ok
//
// Another thread of the block could take it.

use smelt::prelude::*;

#[cfg(not(ok))]
smelt::shared! {
    static VIEW: DisjointMut<'static, f32>;
}
#[cfg(ok)]
smelt::shared! {
    static VIEW: f32;
}

fn main() {
    _ = VIEW.as_mut_ptr();
}
