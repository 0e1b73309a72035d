//! Copies that the host does not wait for.

use super::error::{at, check};
use super::pinned::Pinned;
use super::stream::{Event, Stream};
use crate::{Buffer, BufferView, BufferViewMut, DeviceCopy, DeviceShare, Result};
use smelt_sys as sys;
use std::fmt;
use std::mem::ManuallyDrop;
use std::panic::Location;

/// A copy between pinned memory and a device that is under way. It owns the memory until it is
/// over; [`wait`](Self::wait) gives it back.
///
/// Made by [`Buffer::copy_from_async`] and [`Buffer::copy_to_async`]. With two of them on two
/// streams data moves while kernels work:
///
/// ```
/// # use smelt::prelude::*;
/// fn double(mut x: DisjointMut<f32>) {
///     if let Some(x) = x.get_mut(thread::index()) {
///         *x *= 2.0;
///     }
/// }
/// let gpu = Device::default()?;
/// let (stream, n) = (gpu.stream()?, 1000);
/// let mut x = Buffer::filled(&gpu, n, 0.0)?;
/// let input = Pinned::from_slice(&gpu, &vec![1.5; n])?;
/// let going = x.copy_from_async(&stream, input)?;
/// stream.launch(Grid::cover(n), double, (&mut x,))?;    // after the copy, in the stream's order
/// let coming = x.copy_to_async(&stream, Pinned::zeroed(&gpu, n)?)?;
/// let input = going.wait()?;                            // free to be filled again
/// assert_eq!(input[9], 1.5);
/// assert_eq!(coming.wait()?[9], 3.0);
/// # Ok::<(), smelt::Error>(())
/// ```
///
/// Dropping it waits; leaking it leaks the memory.
#[must_use = "dropping it waits for the copy"]
pub struct Copying<'a, T> {
    /// Taken out by `wait` and `drop`, once.
    memory: ManuallyDrop<Pinned<T>>,
    over: Event,
    stream: &'a Stream,
    /// To the host: kernels made what it holds.
    out: bool,
}

impl<'a, T: DeviceShare> Copying<'a, T> {
    /// Gives the copy to the stream.
    fn begin(
        stream: &'a Stream,
        view: &BufferView<'_, T>,
        memory: Pinned<T>,
        out: bool,
    ) -> Result<Self> {
        let memory = ManuallyDrop::new(memory);
        let given = if out {
            view.read_async(stream.raw(), memory.start())
        } else {
            view.write_async(stream.raw(), memory.start())
        };
        match given.and_then(|()| stream.record()) {
            Ok(over) => Ok(Self {
                memory,
                over,
                stream,
                out,
            }),
            Err(error) => {
                // A part may be on its way. Where not even a wait helps, the memory stays.
                if view.wait_uses().is_ok() {
                    drop(ManuallyDrop::into_inner(memory));
                }
                Err(error)
            }
        }
    }
}

impl<T> Copying<'_, T> {
    /// Whether the copy is over.
    ///
    /// # Errors
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    pub fn is_over(&self) -> Result<bool> {
        self.over.is_over()
    }

    /// Waits for the copy, not for later work of the stream, and gives the memory back.
    ///
    /// # Errors
    /// [`Error::Panic`](crate::Error::Panic) if this was a copy from the device and a kernel before it, of this stream
    /// or one that it had to come after, panicked and no earlier call has said so;
    /// [`Error::DeviceLost`](crate::Error::DeviceLost). The memory is dropped then.
    #[track_caller]
    pub fn wait(self) -> Result<Pinned<T>> {
        at(Location::caller());
        self.over.wait()?;
        if self.out {
            // SAFETY: a live stream.
            check(unsafe { sys::smelt_stream_check(self.stream.raw()) })?;
        }
        let mut this = ManuallyDrop::new(self);
        // SAFETY: all fields are taken out or dropped once, here.
        unsafe {
            std::ptr::drop_in_place(&mut this.over);
            Ok(ManuallyDrop::take(&mut this.memory))
        }
    }
}

impl<T> Drop for Copying<'_, T> {
    fn drop(&mut self) {
        // A lost device may still be at the memory.
        if self.over.wait().is_ok() {
            // SAFETY: taken out here only, as `wait` forgets what it took from.
            unsafe { ManuallyDrop::drop(&mut self.memory) }
        }
    }
}

impl<T> fmt::Debug for Copying<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Copying({} elements)", self.memory.len())
    }
}

impl<T: DeviceShare> BufferView<'_, T> {
    /// Copies it to `memory` on a stream, after the work that writes it. The host does not wait.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) if the lengths differ or the stream is another device's;
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    #[track_caller]
    pub fn copy_to_async<'s>(
        &self,
        stream: &'s Stream,
        memory: Pinned<T>,
    ) -> Result<Copying<'s, T>> {
        at(Location::caller());
        self.same_length(memory.len())?;
        Copying::begin(stream, self, memory, true)
    }
}

impl<T: DeviceCopy + DeviceShare> BufferViewMut<'_, T> {
    /// Replaces all its elements with those of `memory` on a stream, after the work that uses it.
    /// The host does not wait.
    ///
    /// # Errors
    /// As for [`BufferView::copy_to_async`].
    #[track_caller]
    pub fn copy_from_async<'s>(
        &mut self,
        stream: &'s Stream,
        memory: Pinned<T>,
    ) -> Result<Copying<'s, T>> {
        at(Location::caller());
        let view = self.view();
        view.same_length(memory.len())?;
        Copying::begin(stream, &view, memory, false)
    }
}

impl<T: DeviceShare> Buffer<T> {
    /// As [`BufferView::copy_to_async`], all of it.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_to_async<'s>(
        &self,
        stream: &'s Stream,
        memory: Pinned<T>,
    ) -> Result<Copying<'s, T>> {
        self.view().copy_to_async(stream, memory)
    }

    /// As [`BufferViewMut::copy_from_async`], all of it.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_async<'s>(
        &mut self,
        stream: &'s Stream,
        memory: Pinned<T>,
    ) -> Result<Copying<'s, T>>
    where
        T: DeviceCopy,
    {
        self.view_mut().copy_from_async(stream, memory)
    }
}
