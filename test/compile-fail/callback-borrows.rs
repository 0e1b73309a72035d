// error: E0373 closure may outlive the current function
// revision: ok
//
// It is called when its caller may have gone.

use smelt::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() -> smelt::Result<()> {
    let stream = Device::default()?.stream()?;
    let done = Arc::new(AtomicBool::new(false));
    #[cfg(ok)]
    {
        let done = done.clone();
        stream.on_done(move || done.store(true, Ordering::Relaxed))?;
    }
    #[cfg(not(ok))]
    stream.on_done(|| done.store(true, Ordering::Relaxed))?;
    stream.wait()?;
    println!("{done:?}");
    Ok(())
}
