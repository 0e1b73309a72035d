//~ errors 1
//~ error: kernel of type `fn(smelt::device::disjoint::DisjointMut<f32>)`: a function pointer holds an address of the host
//~  --> src/bin/pointer_kernel.rs:14:9
use smelt::prelude::*;

fn k(mut y: DisjointMut<f32>) {
    y[thread::index()] = 2.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![1.0f32; 1000];
    let f: fn(DisjointMut<f32>) = k;
    gpu.launch(Grid::cover(y.len()), f, (&mut y,))
}
