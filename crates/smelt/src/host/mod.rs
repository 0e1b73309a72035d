//! The host's side: devices, memory and launches, over libsmelt.

pub(crate) mod buffer;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod fallback;
pub(crate) mod launch;
pub(crate) mod maps;

pub use buffer::Buffer;
pub use device::{Device, DeviceInfo, DeviceKind, Memory};
pub use error::{Error, Result};
pub use launch::{Extent, Grid};
