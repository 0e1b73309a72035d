// error: E0277 `*const u8` cannot be copied to a device
// revision: ok
//
// Fields of variants are checked too.

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
enum Value {
    Nothing,
    Number(u32),
    Named {
        #[cfg(not(ok))]
        at: *const u8,
        #[cfg(ok)]
        at: u8,
    },
}

fn main() {
    _ = [Value::Nothing, Value::Number(1)];
    _ = |value| matches!(value, Value::Named { .. });
    _ = |value| if let Value::Named { at } = value { _ = at };
}
