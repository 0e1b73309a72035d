// error: E0382 borrow of moved value
// revision: ok
//
// Memory that is being copied belongs to the copy until that is over.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let stream = gpu.stream()?;
    let buffer = Buffer::filled(&gpu, 10, 1u32)?;
    let memory = Pinned::<u32>::zeroed(&gpu, 10)?;
    let copying = buffer.copy_to_async(&stream, memory)?;
    #[cfg(not(ok))]
    println!("{}", memory[0]);
    println!("{}", copying.wait()?[0]);
    Ok(())
}
