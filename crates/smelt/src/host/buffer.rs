//! Memory that stays on a device.

use super::device::Device;
use super::error::{check, check_on};
use crate::copy::Zeroable;
use crate::{DeviceCopy, DeviceShare, Error, Result};
use smelt_sys as sys;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{NonNull, null_mut};

/// Elements in the memory of one device, for kernels there. Passing one to a launch
/// moves no data and does not wait.
///
/// Dropping it gives the memory back once the work that uses it has been done.
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
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Buffer<T> {
    /// Of the device; dangling where there are no bytes.
    memory: NonNull<u8>,
    len: usize,
    device: Device,
    owns: PhantomData<T>,
}

// SAFETY: owns its elements, which are reached through the runtime only.
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Buffer<T> {}

impl<T: DeviceShare> Buffer<T> {
    /// Memory without values.
    fn allocate(device: &Device, len: usize) -> Result<Self> {
        let size = len
            .checked_mul(size_of::<T>())
            .filter(|&size| size <= isize::MAX as usize)
            .ok_or_else(|| {
                Error::NoDeviceMemory(
                    format!("a buffer of {len} elements is larger than any memory").into(),
                )
            })?;
        let memory = if size == 0 {
            NonNull::<T>::dangling().cast()
        } else {
            const { assert!(align_of::<T>() <= 256, "device memory is 256-aligned") };
            let mut memory: *mut c_void = null_mut();
            // SAFETY: a live device; gives memory of this size.
            check(unsafe { sys::smelt_memory_alloc(device.raw(), size as u64, &mut memory) })?;
            NonNull::new(memory.cast()).expect("memory was given")
        };
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
    /// [`Error::NoDeviceMemory`], and those of [`Device::wait`].
    pub fn zeroed(device: &Device, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        let buffer = Self::allocate(device, len)?;
        buffer.fill_bytes(&0u8)?;
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
    /// [`Error::NoDeviceMemory`], and those of [`Device::wait`].
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
    /// [`Error::NoDeviceMemory`], and those of [`Device::wait`].
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
    /// [`Error::NoDeviceMemory`], and those of [`Device::wait`].
    pub fn from_vec(device: &Device, vec: Vec<T>) -> Result<Self> {
        let buffer = Self::allocate(device, vec.len())?;
        buffer.write(vec.as_ptr())?;
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
        self.memory.as_ptr().cast()
    }

    /// Copies everything to the host, after waiting for the work given so far.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut vec = Vec::new();
        vec.try_reserve_exact(self.len).map_err(|_| {
            Error::NoMemory(format!("no host memory for {} elements", self.len).into())
        })?;
        self.read(vec.as_mut_ptr())?;
        // SAFETY: all were written just now, with values that kernels made of type T.
        unsafe { vec.set_len(self.len) };
        Ok(vec)
    }

    /// Copies everything to `slice`, after waiting for the work given so far.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ; those of [`Device::wait`].
    pub fn copy_to(&self, slice: &mut [T]) -> Result<()> {
        self.same_length(slice.len())?;
        self.read(slice.as_mut_ptr())
    }

    /// Replaces everything with a copy of `slice`.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the lengths differ; those of [`Device::wait`].
    pub fn copy_from(&mut self, slice: &[T]) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.same_length(slice.len())?;
        self.write(slice.as_ptr())
    }

    /// Replaces everything with the contents of another buffer on the same device.
    ///
    /// # Errors
    /// [`Error::Invalid`] if lengths or devices differ; those of [`Device::wait`].
    pub fn copy_from_buffer(&mut self, other: &Buffer<T>) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.same_length(other.len)?;
        let source = other.memory_on(&self.device)?;
        self.copy_on_device(self.memory.as_ptr(), source, self.size())
    }

    /// Replaces every element with `value`.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    pub fn fill(&mut self, value: T) -> Result<()>
    where
        T: DeviceCopy,
    {
        if matches!(size_of::<T>(), 1 | 2 | 4 | 8 | 16) {
            return self.fill_bytes(&value);
        }
        self.fill_doubling(&value)
    }

    /// For sizes that the device has no pattern of: one element from the host, then copies
    /// of what is there already, each as long as all before.
    fn fill_doubling(&self, value: &T) -> Result<()> {
        let total = self.size();
        if total == 0 {
            return Ok(());
        }
        let start = self.memory.as_ptr();
        let mut done = size_of::<T>();
        self.write_bytes((&raw const *value).cast(), done)?;
        while done < total {
            let more = done.min(total - done);
            // SAFETY: within the buffer.
            let end = unsafe { start.add(done) };
            self.copy_on_device(end, start, more)?;
            done += more;
        }
        Ok(())
    }

    fn fill_bytes<P>(&self, pattern: &P) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: a live stream, and this buffer's memory.
        self.check(unsafe {
            sys::smelt_memory_fill(
                self.device.stream(),
                self.memory.as_ptr().cast(),
                (&raw const *pattern).cast(),
                size_of::<P>() as u64,
                self.size() as u64,
            )
        })
    }

    fn copy_on_device(&self, to: *mut u8, from: *const u8, size: usize) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        // SAFETY: both within live buffers of the device, says the caller.
        self.check(unsafe {
            sys::smelt_copy_on_device(self.device.stream(), to.cast(), from.cast(), size as u64)
        })
    }

    fn read(&self, to: *mut T) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: there is room for this buffer's elements, says the caller.
        self.check(unsafe {
            sys::smelt_copy_from_device(
                self.device.stream(),
                to.cast(),
                self.memory.as_ptr().cast(),
                self.size() as u64,
            )
        })
    }

    fn write(&self, from: *const T) -> Result<()> {
        self.write_bytes(from.cast(), self.size())
    }

    fn write_bytes(&self, from: *const c_void, size: usize) -> Result<()> {
        if size == 0 {
            return Ok(());
        }
        // SAFETY: so much is there to read, says the caller, and to write.
        self.check(unsafe {
            sys::smelt_copy_to_device(
                self.device.stream(),
                self.memory.as_ptr().cast(),
                from,
                size as u64,
            )
        })
    }

    fn same_length(&self, len: usize) -> Result<()> {
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

    /// Its memory, for work of that device.
    pub(crate) fn memory_on(&self, device: &Device) -> Result<*mut u8> {
        if self.device == *device {
            return Ok(self.memory.as_ptr());
        }
        Err(Error::Invalid(
            format!("a buffer on {:?} used on {device:?}", self.device).into(),
        ))
    }

    fn check(&self, code: std::ffi::c_int) -> Result<()> {
        check_on(code, self.device.stream())
    }
}

impl<T> Buffer<T> {
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
        if self.size() == 0 {
            return;
        }
        // SAFETY: allocated there, and freed after the work that uses it. An error (a lost
        // device) leaves nothing to be done.
        unsafe {
            sys::smelt_memory_free(
                self.device.raw(),
                self.device.stream(),
                self.memory.as_ptr().cast(),
            );
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} elements on {:?})", self.len, self.device)
    }
}
