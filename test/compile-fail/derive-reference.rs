// error: E0277 `&'static f32` cannot be copied to a device
// revision: ok
//
// A reference is an address of the host.

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Value {
    count: u32,
    #[cfg(not(ok))]
    field: &'static f32,
    #[cfg(ok)]
    field: f32,
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
