//! Memory that stays on a device.

use super::device::Device;
use super::error::{at, check};
use super::maps::{Access, Maps};
use crate::copy::Zeroable;
use crate::{DeviceCopy, DeviceShare, Error, Plain, Result};
use smelt_sys as sys;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Bound, Range, RangeBounds};
use std::panic::Location;
use std::ptr::{NonNull, null_mut};

mod atomic;

/// Elements in the memory of one device, for kernels there. Passing one to a launch
/// moves no data and does not wait.
///
/// Streams that share one are kept in order, see [`Stream`](crate::Stream). Dropping it gives
/// the memory back once the work that uses it has been done.
///
/// ```
/// # use smelt::prelude::*;
/// fn add(x: &[u32], mut y: DisjointMut<u32>) {
///     for i in thread::grid_stride(y.len()) {
///         y[i] += x[i.get()];
///     }
/// }
/// let gpu = Device::default()?;
/// let x = Buffer::from_slice(&gpu, &[1, 2, 3])?;
/// let mut y = Buffer::filled(&gpu, 3, 10)?;
/// gpu.launch(Grid::cover(3), add, (&x, &mut y))?;
/// gpu.launch(Grid::cover(3), add, (&x, &mut y))?;
/// assert_eq!(y.to_vec()?, [12, 14, 16]);
/// gpu.launch(Grid::cover(2), add, (x.range(..2), y.range_mut(1..)))?;
/// assert_eq!(y.to_vec()?, [12, 15, 18]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Buffer<T> {
    memory: Raw,
    len: usize,
    device: Device,
    owns: PhantomData<T>,
}

/// A part of a buffer, to be read; made by [`Buffer::range`] and [`Buffer::view`]. Launches take
/// it by value.
pub struct BufferView<'a, T> {
    memory: Raw,
    len: usize,
    device: Device,
    borrows: PhantomData<&'a T>,
}

/// A part of a buffer, to be written; made by [`Buffer::range_mut`] and [`Buffer::view_mut`].
/// Launches take it by value or by `&mut`.
pub struct BufferViewMut<'a, T> {
    view: BufferView<'a, T>,
    borrows: PhantomData<&'a mut T>,
}

/// Where the elements begin.
#[derive(Clone, Copy)]
struct Raw {
    /// None where there are no bytes.
    buffer: Option<NonNull<sys::smelt_buffer>>,
    offset: usize,
    /// Of the device; dangling where there are no bytes.
    start: NonNull<u8>,
}

// SAFETY: owns its elements, which are reached through the runtime only.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Buffer<T> {}
// SAFETY: as a reference.
unsafe impl<T: Sync> Send for BufferView<'_, T> {}
// SAFETY: as a reference.
unsafe impl<T: Sync> Sync for BufferView<'_, T> {}
// SAFETY: as a reference.
unsafe impl<T: Send> Send for BufferViewMut<'_, T> {}
// SAFETY: as a reference.
unsafe impl<T: Sync> Sync for BufferViewMut<'_, T> {}

impl<T> Clone for BufferView<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for BufferView<'_, T> {}

impl Raw {
    fn null<T>() -> Self {
        Self {
            buffer: None,
            offset: 0,
            start: NonNull::<T>::dangling().cast(),
        }
    }

    fn raw(&self) -> *mut sys::smelt_buffer {
        self.buffer.map_or(null_mut(), NonNull::as_ptr)
    }

    /// `bytes` further on.
    fn advance(&self, bytes: usize) -> Self {
        if self.buffer.is_none() {
            return *self;
        }
        Self {
            offset: self.offset + bytes,
            // SAFETY: within the buffer or at its end, says the caller.
            start: unsafe { self.start.add(bytes) },
            ..*self
        }
    }
}

/// The bytes of `len` elements.
fn size_in_bytes<T>(len: usize) -> Result<usize> {
    len.checked_mul(size_of::<T>())
        .filter(|&size| size <= isize::MAX as usize)
        .ok_or_else(|| {
            Error::NoDeviceMemory(
                format!("a buffer of {len} elements is larger than any memory").into(),
            )
        })
}

/// A range within `len` elements.
pub(crate) fn check_range(range: impl RangeBounds<usize>, len: usize) -> Result<Range<usize>> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&start) => start.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        _ => Err(Error::Invalid(
            format!(
                "a range from {:?} to {:?} of {len} elements",
                range.start_bound(),
                range.end_bound()
            )
            .into(),
        )),
    }
}

impl<T: DeviceShare> Buffer<T> {
    /// Memory without values.
    pub(crate) fn allocate(device: &Device, len: usize) -> Result<Self> {
        let size = size_in_bytes::<T>(len)?;
        let mut memory = Raw::null::<T>();
        if size > 0 {
            const { assert!(align_of::<T>() <= 256, "device memory is 256-aligned") };
            let mut buffer = null_mut();
            // SAFETY: a live device; gives a buffer of this size that is ours.
            unsafe {
                check(sys::smelt_buffer_create(
                    device.raw(),
                    size as u64,
                    &mut buffer,
                ))?;
                memory.start = NonNull::new(sys::smelt_buffer_memory(buffer).cast())
                    .expect("memory was given");
            }
            memory.buffer = NonNull::new(buffer);
        }
        Ok(Self {
            memory,
            len,
            device: *device,
            owns: PhantomData,
        })
    }

    /// `len` elements of all zero bits.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn zeroed(device: &Device, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        at(Location::caller());
        let buffer = Self::allocate(device, len)?;
        buffer.view().fill_bytes(null_mut(), &0u8)?;
        Ok(buffer)
    }

    /// `len` elements that have no value yet. A kernel gets them as
    /// `DisjointMut<MaybeUninit<T>>`; see [`assume_init`](Buffer::assume_init).
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`].
    pub fn uninit(device: &Device, len: usize) -> Result<Buffer<MaybeUninit<T>>>
    where
        T: DeviceCopy,
    {
        Buffer::allocate(device, len)
    }

    /// `len` times `value`.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn filled(device: &Device, len: usize, value: T) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let mut buffer = Self::allocate(device, len)?;
        buffer.fill(value)?;
        Ok(buffer)
    }

    /// A copy of `slice`.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn from_slice(device: &Device, slice: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let mut buffer = Self::allocate(device, slice.len())?;
        buffer.copy_from(slice)?;
        Ok(buffer)
    }

    /// The elements of `vec`, atomics included.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn from_vec(device: &Device, vec: Vec<T>) -> Result<Self> {
        at(Location::caller());
        let buffer = Self::allocate(device, vec.len())?;
        buffer.view().write(null_mut(), vec.as_ptr())?;
        Ok(buffer)
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device whose memory it is.
    #[inline]
    pub fn device(&self) -> Device {
        self.device
    }

    /// The device's address of the first element; of no use to the host except
    /// where both share memory.
    #[inline]
    pub fn as_device_ptr(&self) -> *mut T {
        self.memory.start.as_ptr().cast()
    }

    /// All of it.
    #[inline]
    pub fn view(&self) -> BufferView<'_, T> {
        BufferView {
            memory: self.memory,
            len: self.len,
            device: self.device,
            borrows: PhantomData,
        }
    }

    /// All of it, to be written.
    #[inline]
    pub fn view_mut(&mut self) -> BufferViewMut<'_, T> {
        BufferViewMut {
            view: BufferView {
                memory: self.memory,
                len: self.len,
                device: self.device,
                borrows: PhantomData,
            },
            borrows: PhantomData,
        }
    }

    /// A part of it.
    ///
    /// # Panics
    /// If the range reaches beyond the end, as for a slice.
    #[track_caller]
    pub fn range(&self, range: impl RangeBounds<usize>) -> BufferView<'_, T> {
        self.view().range(range)
    }

    /// A part of it, to be written.
    ///
    /// # Panics
    /// If the range reaches beyond the end, as for a slice.
    #[track_caller]
    pub fn range_mut(&mut self, range: impl RangeBounds<usize>) -> BufferViewMut<'_, T> {
        self.view_mut().into_range(range)
    }

    /// Two parts, the first of `middle` elements; a launch may write both.
    ///
    /// # Panics
    /// If there are fewer elements.
    #[track_caller]
    pub fn split_at_mut(&mut self, middle: usize) -> (BufferViewMut<'_, T>, BufferViewMut<'_, T>) {
        self.view_mut().split_at(middle)
    }

    /// Copies everything to the host, after waiting for the work that writes it.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.view().to_vec()
    }

    /// Copies everything to `slice`, after waiting for the work that writes it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ; those of [`Device::wait`].
    #[track_caller]
    pub fn copy_to(&self, slice: &mut [T]) -> Result<()> {
        self.view().copy_to(slice)
    }

    /// Replaces everything with a copy of `slice`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ; [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn copy_from(&mut self, slice: &[T]) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.view_mut().copy_from(slice)
    }

    /// Replaces everything with the contents of another buffer, which may be another
    /// device's: then the data goes through the host, which waits.
    ///
    /// # Errors
    /// [`Error::Invalid`] if lengths differ; [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn copy_from_buffer(&mut self, other: &Buffer<T>) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.view_mut().copy_from_view(other.view())
    }

    /// A copy on that device.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`], and [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn copy_on(&self, device: &Device) -> Result<Buffer<T>>
    where
        T: DeviceCopy,
    {
        let mut copy = Self::allocate(device, self.len)?;
        copy.copy_from_buffer(self)?;
        Ok(copy)
    }

    /// Replaces every element with `value`.
    ///
    /// # Errors
    /// [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.view_mut().fill(value)
    }
}

impl<'a, T: DeviceShare> BufferView<'a, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A part of it.
    ///
    /// # Panics
    /// If the range reaches beyond the end, as for a slice.
    #[track_caller]
    pub fn range(&self, range: impl RangeBounds<usize>) -> BufferView<'a, T> {
        let range = check_range(range, self.len).unwrap_or_else(|error| panic!("{error}"));
        BufferView {
            memory: self.memory.advance(range.start * size_of::<T>()),
            len: range.len(),
            ..*self
        }
    }

    /// The same bytes as elements of another type.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the bytes are no whole number of those or lie at an address that
    /// is not aligned for them.
    pub fn cast<U: Plain + DeviceShare>(self) -> Result<BufferView<'a, U>>
    where
        T: Plain,
    {
        let size = self.size();
        let whole = size_of::<U>() > 0 && size.is_multiple_of(size_of::<U>());
        if !whole || !self.memory.start.cast::<U>().is_aligned() {
            return Err(Error::Invalid(
                format!(
                    "{size} bytes at {:p} as elements of {} bytes",
                    self.memory.start,
                    size_of::<U>()
                )
                .into(),
            ));
        }
        Ok(BufferView {
            memory: self.memory,
            len: size / size_of::<U>(),
            device: self.device,
            borrows: PhantomData,
        })
    }

    /// Copies it to the host, after waiting for the work that writes it.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        at(Location::caller());
        let mut vec = Vec::new();
        vec.try_reserve_exact(self.len).map_err(|_| {
            Error::NoMemory(format!("no host memory for {} elements", self.len).into())
        })?;
        self.read(null_mut(), vec.as_mut_ptr())?;
        // SAFETY: all were written just now, with values that kernels made of type T.
        unsafe { vec.set_len(self.len) };
        Ok(vec)
    }

    /// Copies it to `slice`, after waiting for the work that writes it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ; those of [`Device::wait`].
    #[track_caller]
    pub fn copy_to(&self, slice: &mut [T]) -> Result<()> {
        at(Location::caller());
        self.same_length(slice.len())?;
        self.read(null_mut(), slice.as_mut_ptr())
    }

    pub(crate) fn fill_bytes<P>(&self, stream: *mut sys::smelt_stream, pattern: &P) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: this view's memory, whose elements are the caller's to write.
        check(unsafe {
            sys::smelt_buffer_fill(
                stream,
                self.memory.raw(),
                self.memory.offset as u64,
                (&raw const *pattern).cast(),
                size_of::<P>() as u64,
                self.size() as u64,
            )
        })
    }

    /// Waits for all uses; says nothing of panics.
    pub(crate) fn wait_all(&self) -> Result<()> {
        // SAFETY: a live buffer, or none, which is an error.
        check(unsafe { sys::smelt_buffer_wait(self.memory.raw(), 1) })
    }

    pub(crate) fn read(&self, stream: *mut sys::smelt_stream, to: *mut T) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: there is room for this view's elements, says the caller.
        check(unsafe {
            sys::smelt_buffer_read(
                stream,
                self.memory.raw(),
                self.memory.offset as u64,
                to.cast(),
                self.size() as u64,
            )
        })
    }

    pub(crate) fn write(&self, stream: *mut sys::smelt_stream, from: *const T) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: so much is there to read, says the caller, and to write.
        check(unsafe {
            sys::smelt_buffer_write(
                stream,
                self.memory.raw(),
                self.memory.offset as u64,
                from.cast(),
                self.size() as u64,
            )
        })
    }

    /// As `read`, not waited for: the memory is pinned and outlives the copy, says the caller.
    pub(crate) fn read_async(&self, stream: *mut sys::smelt_stream, to: *mut T) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        check(unsafe {
            sys::smelt_buffer_read_async(
                stream,
                self.memory.raw(),
                self.memory.offset as u64,
                to.cast(),
                self.size() as u64,
            )
        })
    }

    /// As `write`, not waited for.
    pub(crate) fn write_async(&self, stream: *mut sys::smelt_stream, from: *const T) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        check(unsafe {
            sys::smelt_buffer_write_async(
                stream,
                self.memory.raw(),
                self.memory.offset as u64,
                from.cast(),
                self.size() as u64,
            )
        })
    }

    /// Waits for all that uses the buffer; panics stay their streams' to tell.
    pub(crate) fn wait_uses(&self) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: a live buffer.
        check(unsafe { sys::smelt_buffer_wait(self.memory.raw(), 1) })
    }

    /// `size` bytes from another place; null: the stream that used it last.
    pub(crate) fn copy_bytes(
        &self,
        stream: *mut sys::smelt_stream,
        to: usize,
        from: &Self,
        size: usize,
    ) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        // SAFETY: both within live buffers, and these elements are the caller's to write.
        check(unsafe {
            sys::smelt_buffer_copy(
                stream,
                self.memory.raw(),
                (self.memory.offset + to) as u64,
                from.memory.raw(),
                from.memory.offset as u64,
                size as u64,
            )
        })
    }

    pub(crate) fn same_length(&self, len: usize) -> Result<()> {
        if len == self.len {
            return Ok(());
        }
        Err(Error::Invalid(
            format!(
                "a copy between {} elements and a buffer of {}",
                len, self.len
            )
            .into(),
        ))
    }

    /// Its memory, for a launch.
    #[inline]
    pub(crate) fn used_by(&self, maps: &mut Maps, access: Access) -> Result<*mut u8> {
        if self.device != *maps.device() {
            return Err(Error::Invalid(
                format!("a buffer on {:?} used on {:?}", self.device, maps.device()).into(),
            ));
        }
        if let Some(buffer) = self.memory.buffer {
            maps.note(buffer.as_ptr(), access);
        }
        Ok(self.memory.start.as_ptr())
    }
}

impl<'a, T: DeviceShare> BufferViewMut<'a, T> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.view.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.view.len == 0
    }

    /// The same, for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> BufferViewMut<'_, T> {
        BufferViewMut {
            view: self.view,
            borrows: PhantomData,
        }
    }

    /// The same, to be read.
    #[inline]
    pub fn view(&self) -> BufferView<'_, T> {
        self.view
    }

    /// A part of it.
    ///
    /// # Panics
    /// If the range reaches beyond the end, as for a slice.
    #[track_caller]
    pub fn range_mut(&mut self, range: impl RangeBounds<usize>) -> BufferViewMut<'_, T> {
        self.reborrow().into_range(range)
    }

    #[track_caller]
    fn into_range(self, range: impl RangeBounds<usize>) -> BufferViewMut<'a, T> {
        BufferViewMut {
            view: self.view.range(range),
            borrows: PhantomData,
        }
    }

    /// Two parts, the first of `middle` elements; a launch may write both.
    ///
    /// # Panics
    /// If there are fewer elements.
    #[track_caller]
    pub fn split_at(self, middle: usize) -> (BufferViewMut<'a, T>, BufferViewMut<'a, T>) {
        let part = |view| BufferViewMut {
            view,
            borrows: PhantomData,
        };
        (
            part(self.view.range(..middle)),
            part(self.view.range(middle..)),
        )
    }

    /// The same bytes as elements of another type.
    ///
    /// # Errors
    /// As for [`BufferView::cast`].
    pub fn cast<U: Plain + DeviceShare>(self) -> Result<BufferViewMut<'a, U>>
    where
        T: Plain,
    {
        Ok(BufferViewMut {
            view: self.view.cast()?,
            borrows: PhantomData,
        })
    }

    /// Replaces all its elements with a copy of `slice`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ; [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn copy_from(&mut self, slice: &[T]) -> Result<()>
    where
        T: DeviceCopy,
    {
        at(Location::caller());
        self.view.same_length(slice.len())?;
        self.view.write(null_mut(), slice.as_ptr())
    }

    /// Replaces all its elements with those of another view, which may be another
    /// device's: then the data goes through the host, which waits.
    ///
    /// # Errors
    /// [`Error::Invalid`] if lengths differ; [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn copy_from_view(&mut self, other: BufferView<'_, T>) -> Result<()>
    where
        T: DeviceCopy,
    {
        at(Location::caller());
        self.view.same_length(other.len)?;
        self.view
            .copy_bytes(null_mut(), 0, &other, self.view.size())
    }

    /// Replaces all its elements with `value`.
    ///
    /// # Errors
    /// [`Error::Engine`] from the driver.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()>
    where
        T: DeviceCopy,
    {
        at(Location::caller());
        self.view.fill_bytes(null_mut(), &value)
    }
}

impl<T> BufferView<'_, T> {
    fn size(&self) -> usize {
        // Checked when it was allocated.
        self.len * size_of::<T>()
    }
}

impl<T: DeviceCopy> Buffer<MaybeUninit<T>> {
    /// The same memory, now that every element has a value.
    ///
    /// # Safety
    /// Every element was written by a kernel or a copy given to the device before.
    pub unsafe fn assume_init(self) -> Buffer<T> {
        let this = ManuallyDrop::new(self);
        Buffer {
            memory: this.memory,
            len: this.len,
            device: this.device,
            owns: PhantomData,
        }
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        // SAFETY: ours; the memory goes back after the work that uses it. An error (a lost
        // device) leaves nothing to be done.
        unsafe { sys::smelt_buffer_destroy(self.memory.raw()) };
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} elements on {:?})", self.len, self.device)
    }
}

impl<T> fmt::Debug for BufferView<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BufferView({} elements on {:?})", self.len, self.device)
    }
}

impl<T> fmt::Debug for BufferViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BufferView { len, device, .. } = self.view;
        write!(f, "BufferViewMut({len} elements on {device:?})")
    }
}
