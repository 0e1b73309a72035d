// error: E0499 cannot borrow
// revision: ok
//
// What the host looks at in the midst of a scope no kernel writes meanwhile.

use smelt::prelude::*;

fn double(mut y: DisjointMut<u32>) {
    if let Some(y) = y.get_mut(thread::index()) {
        *y *= 2;
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let mut y = vec![1; 10];
    gpu.scope(|s| {
        let mut y = s.tofrom(&mut y)?;
        let host = y.update_from(..)?;
        #[cfg(ok)]
        let host = host.to_vec();
        s.launch(Grid::cover(10), double, (&mut y,))?;
        println!("{}", host[0]);
        Ok(())
    })
}
