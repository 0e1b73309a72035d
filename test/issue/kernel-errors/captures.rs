//~ errors 1
//~ error: kernel `captures::main::{closure#0}` captures `word`, which holds an address of the host (`&str`)
//~  --> src/bin/captures.rs:16
use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let word = if std::env::args().count() > 1 {
        "abc"
    } else {
        "defg"
    };
    let mut y = vec![1.0f32; 10];
    gpu.launch(
        Grid::cover(y.len()),
        move |mut y: DisjointMut<f32>| y[thread::index()] = word.len() as f32,
        (&mut y,),
    )
}
