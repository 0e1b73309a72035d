//! What a program gave to its devices, as values.
//!
//! `SMELT_PROFILE=1` prints the same as a table at the end of the program, and `SMELT_TRACE=FILE`
//! writes each piece of work in Chrome's trace format, for Perfetto.
//!
//! ```
//! # use smelt::prelude::*;
//! # fn one(mut x: DisjointMut<u32>) { if let Some(x) = x.get_mut(thread::index()) { *x = 1 } }
//! # let gpu = Device::default()?;
//! smelt::profile::start()?;
//! let mut x = vec![0; 100];
//! gpu.launch(Grid::cover(100), one, (&mut x,))?;
//! smelt::profile::stop();
//! for entry in smelt::profile::report() {
//!     println!("{entry:?}");
//! }
//! # Ok::<(), smelt::Error>(())
//! ```

use super::error::{array, check};
use crate::Result;
use smelt_sys as sys;
use std::time::Duration;

/// What kind of work an [`Entry`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Launches of a kernel.
    Kernel,
    /// Copies from the host to the device.
    CopyTo,
    /// Copies from the device to the host.
    CopyFrom,
    /// Copies and fills within the device.
    OnDevice,
    /// Waits of the host.
    Wait,
}

/// All work of one kind that one line of source gave.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// What it is.
    pub kind: Kind,
    /// The kernel's name; empty for other work.
    pub name: String,
    /// Source file; empty where not known.
    pub file: String,
    /// Line in it, from 1; 0 where not known.
    pub line: u32,
    /// Index of the device.
    pub device: u32,
    /// How often.
    pub count: u64,
    /// Time of all together.
    pub time: Duration,
    /// Bytes of all together.
    pub bytes: u64,
    /// Bytes that were copied although the other side held the same already.
    pub needless_bytes: u64,
}

/// Begins to note all work, with nothing noted so far. While it does, each piece of work is
/// waited for, so the program as a whole is slower.
///
/// # Errors
/// Those of finding devices.
pub fn start() -> Result<()> {
    // SAFETY: takes nothing.
    check(unsafe { sys::smelt_profile_start() })
}

/// Ends that; what was noted stays until the next [`start`].
pub fn stop() {
    // SAFETY: takes nothing, and cannot fail.
    unsafe { sys::smelt_profile_stop() };
}

/// What was noted, in no order.
pub fn report() -> Vec<Entry> {
    let mut count = 0;
    // SAFETY: writes a number; cannot fail.
    unsafe { sys::smelt_profile_count(&mut count) };
    (0..count).filter_map(entry).collect()
}

fn entry(index: u32) -> Option<Entry> {
    // SAFETY: plain numbers and texts, of which all zero is a value.
    let mut from: sys::smelt_profile_entry = unsafe { std::mem::zeroed() };
    from.size = size_of::<sys::smelt_profile_entry>() as u32;
    // SAFETY: a struct with its size.
    if unsafe { sys::smelt_profile_get(index, &mut from) } != 0 {
        return None;
    }
    Some(Entry {
        kind: match from.kind {
            sys::SMELT_PROFILE_KERNEL => Kind::Kernel,
            sys::SMELT_PROFILE_TO => Kind::CopyTo,
            sys::SMELT_PROFILE_FROM => Kind::CopyFrom,
            sys::SMELT_PROFILE_ON => Kind::OnDevice,
            _ => Kind::Wait,
        },
        name: array(&from.name),
        file: array(&from.file),
        line: from.line,
        device: from.device,
        count: from.count,
        time: Duration::from_nanos(from.nanoseconds),
        bytes: from.bytes,
        needless_bytes: from.needless_bytes,
    })
}
