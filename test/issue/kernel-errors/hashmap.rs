//~ errors 2
//~ error: a kernel cannot allocate memory: `<std::collections::hash::map::HashMap<i32, f32>>::insert`
//~  --> src/bin/hashmap.rs:14:7
//~ error: a kernel cannot use thread-locals: `<std::collections::hash::map::HashMap<i32, f32>>::new`
//~  --> src/bin/hashmap.rs:13:17
use smelt::prelude::*;
use std::collections::HashMap;

// Parts of the standard library that live in crates of their own, such as
// hashbrown, are no code of the user's.
fn kernel(x: &[f32], mut y: DisjointMut<f32>) {
    let i = thread::index();
    let mut m = HashMap::new();
    m.insert(1, x[0]);
    y[i] = m[&1];
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = vec![1.0f32; 1000];
    let mut y = vec![1.0f32; x.len()];
    gpu.launch(Grid::cover(y.len()), kernel, (&x, &mut y))
}
