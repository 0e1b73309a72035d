//~ errors 1
//~ error: threads of the host cannot be used in a kernel
//~  --> src/bin/spawn.rs:9:5
//~ 9 |     std::thread::spawn(|| ());
use smelt::prelude::*;

fn kernel(x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    std::thread::spawn(|| ());
    y[i] = x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 1000];
    let mut y = vec![1.0f32; x.len()];
    gpu.launch(Grid::cover(y.len()), kernel, (&x, &mut y))
}
