// error: E0502 cannot borrow
// revision: ok
//
// A kernel that writes an array takes it from the host.

use smelt::prelude::*;

fn double(mut y: DisjointMut<u32>) {
    if let Some(y) = y.get_mut(thread::index()) {
        *y *= 2;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = Array::from(vec![1; 10]);
    let host: &[u32] = &y;
    #[cfg(ok)]
    let host = host.to_vec();
    gpu.launch(Grid::cover(10), double, (&mut y,))?;
    println!("{}", host[0]);
    Ok(())
}
