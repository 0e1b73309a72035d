// error: E0502 cannot borrow `sums` as immutable
// revision: ok
//
// What threads change atomically is read by no other argument at the same time.

use smelt::prelude::*;

fn kernel(from: &[f64], sums: &[AtomicF64]) {
    let i = thread::index().get();
    sums[0].fetch_add(from[i]);
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let from = Buffer::filled(&gpu, 4, 0.0f64)?;
    let mut sums = Buffer::filled(&gpu, 4, 0.0f64)?;
    let atomic = sums.as_atomic();
    #[cfg(not(ok))]
    gpu.launch(Grid::cover(4), kernel, (&sums, atomic))?;
    #[cfg(ok)]
    gpu.launch(Grid::cover(4), kernel, (&from, atomic))?;
    _ = &from;
    Ok(())
}
