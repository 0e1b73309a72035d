// error: E0277 all zero bits are not known to be a value of
// revision: ok
//
// Zero is none of its values.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    #[cfg(not(ok))]
    let x = Buffer::<std::num::NonZeroU32>::zeroed(&gpu, 4)?;
    #[cfg(ok)]
    let x = Buffer::<u32>::zeroed(&gpu, 4)?;
    _ = x.len();
    Ok(())
}
