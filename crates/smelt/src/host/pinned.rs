//! Host memory that devices copy from and to fastest.

use super::device::Device;
use super::error::check;
use crate::copy::Zeroable;
use crate::{DeviceCopy, Error, Result};
use smelt_sys as sys;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, null_mut};

/// A slice in pinned memory of the host: the device copies from and to it without a detour. To
/// the program it is an ordinary slice, and may be passed to launches like one.
///
/// It is worth it for memory that moves often; pinned memory is scarce, and slow to get.
///
/// ```
/// # use smelt::prelude::*;
/// let gpu = Device::default()?;
/// let mut x = Pinned::<f32>::zeroed(&gpu, 1000)?;
/// x[7] = 1.0;
/// let buffer = Buffer::from_slice(&gpu, &x)?;
/// buffer.copy_to(&mut x)?;
/// assert_eq!(x[6..9], [0.0, 1.0, 0.0]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Pinned<T> {
    /// Dangling where there are no bytes.
    memory: NonNull<T>,
    len: usize,
    device: Device,
    owns: PhantomData<T>,
}

// SAFETY: as a Box of a slice.
unsafe impl<T: Send> Send for Pinned<T> {}
// SAFETY: as a Box of a slice.
unsafe impl<T: Sync> Sync for Pinned<T> {}

impl<T> Pinned<T> {
    /// Where the elements are, for copies.
    pub(crate) fn start(&self) -> *mut T {
        self.memory.as_ptr()
    }
}

impl<T: DeviceCopy> Pinned<T> {
    /// Memory of all zero bits.
    fn allocate(device: &Device, len: usize) -> Result<Self> {
        let size = len
            .checked_mul(size_of::<T>())
            .filter(|&size| size <= isize::MAX as usize)
            .ok_or_else(|| {
                Error::NoMemory(format!("{len} elements are larger than any memory").into())
            })?;
        let mut memory = NonNull::dangling();
        if size > 0 {
            const { assert!(align_of::<T>() <= 64, "pinned memory is 64-aligned") };
            let mut start = null_mut();
            // SAFETY: a live device; gives memory of this size that is ours.
            check(unsafe { sys::smelt_host_alloc(device.raw(), size as u64, &mut start) })?;
            memory = NonNull::new(start.cast()).expect("memory was given");
        }
        let pinned = Self {
            memory,
            len,
            device: *device,
            owns: PhantomData,
        };
        if !memory.is_aligned() {
            return Err(Error::Unsupported(
                "the driver's pinned memory is not aligned for these elements".into(),
            ));
        }
        Ok(pinned)
    }

    /// `len` elements of all zero bits.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn zeroed(device: &Device, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::allocate(device, len)
    }

    /// A copy of `slice`.
    ///
    /// # Errors
    /// [`Error::NoMemory`].
    pub fn from_slice(device: &Device, slice: &[T]) -> Result<Self> {
        let pinned = Self::allocate(device, slice.len())?;
        // SAFETY: there is room for so many.
        unsafe {
            pinned
                .memory
                .as_ptr()
                .copy_from_nonoverlapping(slice.as_ptr(), slice.len());
        }
        Ok(pinned)
    }
}

impl<T> Deref for Pinned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: all were written when it was made.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), self.len) }
    }
}

impl<T> Drop for Pinned<T> {
    fn drop(&mut self) {
        if self.len * size_of::<T>() > 0 {
            // SAFETY: ours; every copy from or to it was waited for.
            unsafe { sys::smelt_host_free(self.device.raw(), self.memory.as_ptr().cast()) };
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Pinned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
