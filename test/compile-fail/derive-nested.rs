// error: E0277 `&'static f32` cannot be copied to a device
// revision: ok
//
// Arrays and tuples of references are none the better.

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Value {
    count: u32,
    #[cfg(not(ok))]
    field: [(u32, &'static f32); 2],
    #[cfg(ok)]
    field: [(u32, f32); 2],
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
