// error: E0277 `fn(u32) -> u32` cannot be copied to a device
// revision: ok
//
// A function pointer is an address of the host.

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Value {
    count: u32,
    #[cfg(not(ok))]
    field: fn(u32) -> u32,
    #[cfg(ok)]
    field: u32,
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
