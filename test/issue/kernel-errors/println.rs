//~ errors 1
//~ error: I/O is not possible in a kernel: `std::io::stdio::_print`
//~  --> src/bin/println.rs:12:9
//~ 12 |         println!("value {v}");
//~   = note: in kernel `println::kernel` (src/bin/println.rs:16)
//~   = note: `println::kernel` uses `println::helper` at src/bin/println.rs:18:
//~   = note: `println::helper` uses `std::io::stdio::_print` at src/bin/println.rs:12:9
//~   = help: print with smelt::println!
use smelt::prelude::*;
fn helper(v: f32) {
    if v > 3.0 {
        println!("value {v}");
    }
}

fn kernel(x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    helper(x[i.get()]);
    y[i] = 1.0;
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 1000];
    let mut y = vec![1.0f32; x.len()];
    gpu.launch(Grid::cover(y.len()), kernel, (&x, &mut y))
}
