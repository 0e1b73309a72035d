// error: E0502 cannot borrow
// revision: ok
//
// What a kernel writes no other argument reaches.

use smelt::prelude::*;

fn add(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y += x[i.get()];
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let x = Array::from(vec![1; 10]);
    let mut y = Array::from(vec![1; 10]);
    #[cfg(ok)]
    gpu.launch(Grid::cover(10), add, (&x, &mut y))?;
    #[cfg(not(ok))]
    gpu.launch(Grid::cover(10), add, (&y, &mut y))?;
    println!("{} {}", x[0], y[0]);
    Ok(())
}
