//! Borrowed host memory on a device for many launches.
//!
//! As in `std::thread::scope`, what ends the borrows is the function that runs the closure, not a
//! guard's drop, which a program can leave out: all memory of a scope belongs to the scope, and
//! goes back after the closure has returned or panicked.

use super::buffer::{Buffer, BufferView, check_range};
use super::device::Device;
use super::error::at;
use super::launch::{Grid, launch};
use super::maps::{Access, Maps};
use crate::arg::Args;
use crate::copy::Zeroable;
use crate::{DeviceCopy, Result};
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::{Mutex, PoisonError};

/// Where the closure of [`Device::scope`] maps borrowed memory.
pub struct DataScope<'scope, 'env: 'scope> {
    device: Device,
    /// What to do at the end, in the order it was asked for.
    ends: Mutex<Vec<Box<dyn End + Send>>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Borrowed memory that kernels may read until the end of its scope.
pub struct Mapped<'scope, T> {
    place: Place<T>,
    scope: PhantomData<&'scope T>,
}

/// Borrowed memory that kernels may write until the end of its scope.
pub struct MappedMut<'scope, T> {
    place: Place<T>,
    host: *mut T,
    scope: PhantomData<&'scope mut T>,
}

/// Where the elements are for the device: in a buffer that the scope keeps, or with the host.
struct Place<T> {
    device: Device,
    /// Null: host memory, which the device shares.
    buffer: *const Buffer<T>,
    host: *mut T,
    len: usize,
}

// SAFETY: as a shared reference.
unsafe impl<T: Sync> Send for Mapped<'_, T> {}
// SAFETY: as a shared reference.
unsafe impl<T: Sync> Sync for Mapped<'_, T> {}
// SAFETY: as an exclusive reference.
unsafe impl<T: Send> Send for MappedMut<'_, T> {}
// SAFETY: as an exclusive reference.
unsafe impl<T: Sync> Sync for MappedMut<'_, T> {}

impl<T> Clone for Place<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Place<T> {}

/// A mapping's end; the buffer goes with it.
trait End {
    fn end(&self) -> Result<()>;
}

struct Map<T> {
    /// Boxed: `Place` points to it.
    buffer: Box<Buffer<T>>,
    /// Null: nothing comes back.
    back: *mut T,
}

// SAFETY: the buffer is Send, and the borrow behind `back` is exclusive.
unsafe impl<T: Send> Send for Map<T> {}

impl<T: DeviceCopy> End for Map<T> {
    fn end(&self) -> Result<()> {
        if self.back.is_null() {
            return Ok(());
        }
        self.buffer.view().read(null_mut(), self.back)
    }
}

#[derive(Clone, Copy)]
enum Begin {
    Copy,
    Zero,
}

impl Device {
    /// Runs `work`, which may map slices that it borrows and launch kernels on them as often as
    /// it likes; at the end what kernels may have written is copied back. The host cannot touch
    /// the slices meanwhile.
    ///
    /// ```
    /// # use smelt::prelude::*;
    /// fn add(x: &[u32], mut y: DisjointMut<u32>) {
    ///     let i = thread::index();
    ///     if let Some(y) = y.get_mut(i) {
    ///         *y += x[i.get()];
    ///     }
    /// }
    /// let gpu = Device::default()?;
    /// let x = vec![1; 1000];
    /// let mut y = vec![10; 1000];
    /// gpu.scope(|s| {
    ///     let x = s.to(&x)?;
    ///     let mut y = s.tofrom(&mut y)?;
    ///     for _ in 0..5 {
    ///         s.launch(Grid::cover(1000), add, (&x, &mut y))?;
    ///     }
    ///     assert_eq!(y.update_from(..1)?, [15]);
    ///     Ok(())
    /// })?;
    /// assert_eq!(y, [15; 1000]);
    /// # Ok::<(), smelt::Error>(())
    /// ```
    ///
    /// # Errors
    /// That of `work`, else the first one of copying back, which waits for the kernels and so
    /// tells of their panics. All that can be copied back is, also after an error and after a
    /// panic of `work`, which goes on then.
    #[track_caller]
    pub fn scope<'env, R>(
        &self,
        work: impl for<'scope> FnOnce(&'scope DataScope<'scope, 'env>) -> Result<R>,
    ) -> Result<R> {
        let from = Location::caller();
        let scope = DataScope {
            device: *self,
            ends: Mutex::new(Vec::new()),
            scope: PhantomData,
            env: PhantomData,
        };
        let ran = catch_unwind(AssertUnwindSafe(|| work(&scope)));
        at(from);
        let ended = scope.end();
        match ran {
            Ok(result) => result.and_then(|value| ended.map(|()| value)),
            Err(payload) => resume_unwind(payload),
        }
    }
}

impl<'scope, 'env> DataScope<'scope, 'env> {
    /// The device of the scope.
    pub fn device(&self) -> Device {
        self.device
    }

    /// As [`Device::launch`].
    ///
    /// # Errors
    /// Those of [`Device::launch`].
    #[track_caller]
    #[inline]
    pub fn launch<F, A, D>(&self, grid: Grid, kernel: F, args: A) -> Result<()>
    where
        F: Copy + Send + Sync + 'static,
        A: Args<F, D>,
    {
        launch(
            self.device.target(),
            &grid,
            kernel,
            args,
            Location::caller(),
        )
    }

    /// Copies `slice` to the device, for kernels to read.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`](crate::Error::NoDeviceMemory), and
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    #[track_caller]
    pub fn to<T: DeviceCopy + Send>(&'scope self, slice: &'env [T]) -> Result<Mapped<'scope, T>> {
        at(Location::caller());
        let host = slice.as_ptr().cast_mut();
        Ok(Mapped {
            place: self.map(host, slice.len(), Begin::Copy, false)?,
            scope: PhantomData,
        })
    }

    /// Copies `slice` to the device, and back at the end of the scope.
    ///
    /// # Errors
    /// As for [`to`](Self::to).
    #[track_caller]
    pub fn tofrom<T: DeviceCopy + Send>(
        &'scope self,
        slice: &'env mut [T],
    ) -> Result<MappedMut<'scope, T>> {
        at(Location::caller());
        self.map_mut(slice, Begin::Copy, true)
    }

    /// Memory for `slice` on the device, copied to it at the end of the scope. It begins as
    /// zero, or as what `slice` holds where the device shares the host's memory.
    ///
    /// # Errors
    /// As for [`to`](Self::to).
    #[track_caller]
    pub fn from<T: DeviceCopy + Send + Zeroable>(
        &'scope self,
        slice: &'env mut [T],
    ) -> Result<MappedMut<'scope, T>> {
        at(Location::caller());
        self.map_mut(slice, Begin::Zero, true)
    }

    /// Memory on the device with `slice` as its place on the host, copied neither in nor out but
    /// by [`update_to`](MappedMut::update_to) and [`update_from`](MappedMut::update_from). It
    /// begins as for [`from`](Self::from).
    ///
    /// # Errors
    /// As for [`to`](Self::to).
    #[track_caller]
    pub fn alloc<T: DeviceCopy + Send + Zeroable>(
        &'scope self,
        slice: &'env mut [T],
    ) -> Result<MappedMut<'scope, T>> {
        at(Location::caller());
        self.map_mut(slice, Begin::Zero, false)
    }

    fn map_mut<T: DeviceCopy + Send>(
        &'scope self,
        slice: &'env mut [T],
        begin: Begin,
        back: bool,
    ) -> Result<MappedMut<'scope, T>> {
        let host = slice.as_mut_ptr();
        Ok(MappedMut {
            place: self.map(host, slice.len(), begin, back)?,
            host,
            scope: PhantomData,
        })
    }

    fn map<T: DeviceCopy + Send>(
        &'scope self,
        host: *mut T,
        len: usize,
        begin: Begin,
        back: bool,
    ) -> Result<Place<T>> {
        let mut place = Place {
            device: self.device,
            buffer: std::ptr::null(),
            host,
            len,
        };
        if self.device.shares_memory() {
            return Ok(place);
        }
        let buffer = Box::new(Buffer::<T>::allocate(&self.device, len)?);
        match begin {
            Begin::Copy => buffer.view().write(null_mut(), host)?,
            Begin::Zero => buffer.view().fill_bytes(null_mut(), &0u8)?,
        }
        place.buffer = &raw const *buffer;
        let back = if back { host } else { null_mut() };
        self.ends
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(Box::new(Map { buffer, back }));
        Ok(place)
    }

    /// Ends all; the first error of those.
    fn end(&self) -> Result<()> {
        let ends = std::mem::take(&mut *self.ends.lock().unwrap_or_else(PoisonError::into_inner));
        let mut result = Ok(());
        for end in ends {
            // Also after an error: all that can come back does.
            result = result.and(end.end());
        }
        // Kernels whose memory does not come back may have panicked too.
        result.and_then(|()| self.device.wait())
    }
}

impl<T: DeviceCopy> Place<T> {
    /// The buffer, which the scope keeps until its end. None: the device shares the host's
    /// memory.
    fn buffer(&self) -> Option<&Buffer<T>> {
        // SAFETY: boxed in the scope's list, which outlives 'scope.
        unsafe { self.buffer.as_ref() }
    }

    pub(crate) fn used_by(&self, maps: &mut Maps, access: Access) -> Result<*mut u8> {
        match self.buffer() {
            Some(buffer) => buffer.view().used_by(maps, access),
            None if *maps.device() == self.device => Ok(self.host.cast()),
            None => Err(crate::Error::Invalid(
                format!(
                    "memory mapped on {:?} used on {:?}",
                    self.device,
                    maps.device()
                )
                .into(),
            )),
        }
    }
}

impl<T: DeviceCopy> Mapped<'_, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.place.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.place.len == 0
    }

    pub(crate) fn used_by(&self, maps: &mut Maps) -> Result<*mut u8> {
        self.place.used_by(maps, Access::Read)
    }
}

impl<T: DeviceCopy> MappedMut<'_, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.place.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.place.len == 0
    }

    pub(crate) fn used_by(&self, maps: &mut Maps, access: Access) -> Result<*mut u8> {
        self.place.used_by(maps, access)
    }

    fn host(&mut self, range: std::ops::Range<usize>) -> &mut [T] {
        // SAFETY: borrowed exclusively for the scope, and through here by one at a time; no
        // kernel is at it, since where memory is shared launches were waited for.
        unsafe { std::slice::from_raw_parts_mut(self.host.add(range.start), range.len()) }
    }

    /// Copies a range to the host in the midst of the scope, after waiting for the kernels that
    /// write it, and lets the host look at it.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a range beyond the end; those of
    /// [`Device::wait`].
    #[track_caller]
    pub fn update_from(&mut self, range: impl RangeBounds<usize>) -> Result<&[T]> {
        at(Location::caller());
        let range = check_range(range, self.place.len)?;
        if let Some(buffer) = self.place.buffer() {
            // SAFETY (of read): within the borrowed slice.
            let to = unsafe { self.host.add(range.start) };
            BufferView::read(&buffer.range(range.clone()), null_mut(), to)?;
        } else {
            self.place.device.wait()?;
        }
        Ok(self.host(range))
    }

    /// Lets the host write a range in the midst of the scope, then copies that to the device.
    /// What `write` is shown is what the host had last, not what kernels wrote since.
    ///
    /// # Errors
    /// [`Error::Invalid`](crate::Error::Invalid) for a range beyond the end;
    /// [`Error::Engine`](crate::Error::Engine) from the driver.
    #[track_caller]
    pub fn update_to(
        &mut self,
        range: impl RangeBounds<usize>,
        write: impl FnOnce(&mut [T]),
    ) -> Result<()> {
        let from = Location::caller();
        let range = check_range(range, self.place.len)?;
        write(self.host(range.clone()));
        at(from);
        let Some(buffer) = self.place.buffer() else {
            return Ok(());
        };
        // SAFETY (of write): within the borrowed slice.
        let host = unsafe { self.host.add(range.start) };
        buffer.range(range).write(null_mut(), host)
    }
}

impl<T> fmt::Debug for Mapped<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mapped({} elements)", self.place.len)
    }
}

impl<T> fmt::Debug for MappedMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MappedMut({} elements)", self.place.len)
    }
}

impl fmt::Debug for DataScope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataScope({:?})", self.device)
    }
}
