// error: E0597 does not live long enough
// revision: ok
//
// What is mapped lasts as long as the scope.

use smelt::prelude::*;

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    #[cfg(ok)]
    let x = vec![1u32; 10];
    gpu.scope(|s| {
        #[cfg(not(ok))]
        let x = vec![1u32; 10];
        s.to(&x)?;
        Ok(())
    })
}
