// error: E0277 `String` cannot be copied to a device
// revision: ok
//
// A string is an address of the host.

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Value {
    count: u32,
    #[cfg(not(ok))]
    field: String,
    #[cfg(ok)]
    field: [u8; 8],
}

fn kernel(value: Value) {
    _ = value.count;
    _ = value.field;
}

fn launch(gpu: &Device, value: Value) -> smelt::Result<()> {
    gpu.launch(Grid::cover(1), kernel, (value,))
}

fn main() {
    _ = launch;
}
