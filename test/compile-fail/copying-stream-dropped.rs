// error: E0505 cannot move out of `stream`
// revision: ok
//
// A copy is of its stream, which has to be told of a kernel's panic.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let stream = gpu.stream()?;
    let buffer = Buffer::filled(&gpu, 10, 1u32)?;
    let copying = buffer.copy_to_async(&stream, Pinned::<u32>::zeroed(&gpu, 10)?)?;
    #[cfg(not(ok))]
    drop(stream);
    println!("{}", copying.wait()?[0]);
    Ok(())
}
