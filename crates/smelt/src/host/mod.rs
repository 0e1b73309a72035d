//! The host's side: devices, memory and launches, over libsmelt.

pub(crate) mod array;
pub(crate) mod buffer;
pub(crate) mod copying;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod fallback;
pub(crate) mod launch;
pub(crate) mod maps;
pub(crate) mod pinned;
mod print;
pub mod profile;
pub(crate) mod scope;
pub(crate) mod split;
pub(crate) mod stream;

pub use array::{Array, WriteOnly};
pub use buffer::{Buffer, BufferView, BufferViewMut};
pub use copying::Copying;
pub use device::{Counters, Device, DeviceInfo, DeviceKind, Memory};
pub use error::{Error, Fault, FaultKind, Result, ThreadPlace};
pub use launch::{Extent, Grid};
pub use pinned::Pinned;
pub use scope::{DataScope, Mapped, MappedMut};
pub use split::Split;
pub use stream::{Event, Stream};
