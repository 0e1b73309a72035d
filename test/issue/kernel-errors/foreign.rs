//~ errors 1
//~ error: unresolved function: `not_there`
//~  --> src/bin/foreign.rs:24:50
//~   = note: in kernel `foreign::apply<foreign::main::{closure#0}>::{closure#0}` (src/bin/foreign.rs:18)
use smelt::prelude::*;
unsafe extern "C" {
    fn not_there(x: f32) -> f32;
}

// The kernel is a closure of a generic function, whose place is known all the same.
fn apply<F: Fn(f32) -> f32 + Copy + Send + Sync + 'static>(
    gpu: &Device,
    f: F,
) -> smelt::Result<()> {
    let mut y = vec![1.0f32; 10];
    gpu.launch(
        Grid::cover(10),
        move |mut y: DisjointMut<f32>| y[thread::index()] = f(1.0),
        (&mut y,),
    )
}

fn main() -> smelt::Result<()> {
    apply(&Device::default()?, move |x| unsafe { not_there(x) })
}
