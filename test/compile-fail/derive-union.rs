// error: - DeviceCopy cannot be derived for a union
// revision: ok
//
// A field could be read as an address.

use smelt::prelude::*;

#[cfg_attr(not(ok), derive(Clone, Copy, DeviceCopy))]
#[cfg_attr(ok, derive(Clone, Copy))]
union Value {
    word: u32,
    float: f32,
}

fn main() {
    let value = Value { word: 1 };
    _ = unsafe { value.float };
}
