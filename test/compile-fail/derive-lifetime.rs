// error: - DeviceCopy cannot be derived for a type with a lifetime
// revision: ok
//
// What it borrows lies in memory of the host.

use smelt::prelude::*;

#[cfg(not(ok))]
#[derive(Clone, Copy, DeviceCopy)]
struct Value<'a> {
    field: &'a f32,
}

#[cfg(ok)]
#[derive(Clone, Copy, DeviceCopy)]
struct Value {
    field: f32,
}

fn main() {
    _ = |value: Value| _ = value.field;
}
