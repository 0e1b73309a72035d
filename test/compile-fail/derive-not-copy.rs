// error: E0277 the trait bound `Value: Copy` is not satisfied
// revision: ok
//
// Values are copied to the device.

use smelt::prelude::*;

#[cfg_attr(ok, derive(Clone, Copy))]
#[derive(DeviceCopy)]
struct Value {
    field: f32,
}

fn main() {
    _ = |value: Value| _ = value.field;
}
