//~ errors 1
//~ error: a kernel cannot use a static that changes
//~  --> src/bin/once_lock.rs:12:18
//~   = note: which needs `once_lock::ONCE`
use smelt::prelude::*;

static ONCE: std::sync::OnceLock<f32> = std::sync::OnceLock::new();

// One call, a dozen things that are not there: one error, the most telling.
fn kernel(x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    y[i] = *ONCE.get_or_init(|| 3.0) + x[i.get()];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 1000];
    let mut y = vec![1.0f32; x.len()];
    gpu.launch(Grid::cover(y.len()), kernel, (&x, &mut y))
}
