//~ errors 1
//~ error: a kernel cannot print a value of type `core::time::Duration`
//~  --> src/bin/print.rs:11
//~   = note: kernels print integers
use smelt::prelude::*;

fn kernel(x: &[f32]) {
    let i = thread::index().get();
    // The first is fine.
    smelt::println!("{i} of {}", x.len());
    smelt::println!("{:?} at {i}", std::time::Duration::from_micros(i as u64));
}

fn main() -> smelt::Result<()> {
    Device::default()?.launch(Grid::cover(1), kernel, (&[1.0],))
}
