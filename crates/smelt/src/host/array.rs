//! Vectors that live on both sides.
//!
//! Each side's memory is marked valid or not. What makes it sound: host memory is written by a
//! fetch only while it is invalid, and it is invalid only after an exclusive borrow (a launch that
//! writes) took it from whoever had a slice of it.

use super::buffer::Buffer;
use super::device::Device;
use super::error::at;
use super::maps::{Access, Maps};
use super::stream::Target;
use crate::copy::Zeroable;
use crate::{DeviceCopy, Error, Result};
use std::fmt;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A vector that lives on the host and on devices. On the host it is a slice; launches take it by
/// `&` or `&mut` like a slice, and do not wait.
///
/// It is copied only when one side is asked for and the other has newer data. A side that a
/// kernel only overwrites is not copied either: pass [`array.write_only()`](Self::write_only), or
/// begin with [`Array::zeroed`]. On the CPU nothing is copied at all.
///
/// ```
/// # use smelt::prelude::*;
/// fn step(mut x: DisjointMut<f32>) {
///     let i = thread::index();
///     if let Some(x) = x.get_mut(i) {
///         *x = 0.5 * *x + 1.0;
///     }
/// }
/// let gpu = Device::default()?;
/// let mut x = Array::from(vec![4.0f32; 1000]);
/// for _ in 0..100 {
///     gpu.launch(Grid::cover(x.len()), step, (&mut x,))?;    // copied in, once
/// }
/// assert!((x[500] - 2.0).abs() < 1e-6);                      // copied out, once
/// # Ok::<(), smelt::Error>(())
/// ```
///
/// # Errors on the host's side
/// To look at the host's side may need a copy from the device, and a kernel before it may have
/// panicked. `Deref` cannot return an error and panics with it; [`host`](Self::host) and
/// [`host_mut`](Self::host_mut) return it.
pub struct Array<T> {
    /// What a Vec of it is made of; its length is also its number of values.
    start: NonNull<T>,
    len: usize,
    capacity: usize,
    host_valid: AtomicBool,
    sides: Mutex<Sides<T>>,
}

struct Sides<T> {
    /// Nothing was ever written: every side has only zero bits to begin with.
    zero: bool,
    /// The newest data is in the host's memory, written there by work of this stream, which has
    /// not been asked yet whether a kernel panicked. The host's side is not valid meanwhile.
    in_place: Option<Target>,
    list: Vec<Side<T>>,
}

struct Side<T> {
    device: Device,
    buffer: Buffer<T>,
    valid: bool,
    /// It holds values of T, if old ones.
    filled: bool,
}

/// An [`Array`] that a launch overwrites; made by [`Array::write_only`].
pub struct WriteOnly<'a, T>(pub(crate) &'a mut Array<T>);

// SAFETY: as a Vec and buffers; the host's memory is written under the lock.
unsafe impl<T: Send> Send for Array<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Array<T> {}

impl<T: DeviceCopy> From<Vec<T>> for Array<T> {
    /// Takes the vector's memory; nothing is copied.
    fn from(vec: Vec<T>) -> Self {
        let mut vec = ManuallyDrop::new(vec);
        Self {
            start: NonNull::new(vec.as_mut_ptr()).expect("a Vec's pointer is not null"),
            len: vec.len(),
            capacity: vec.capacity(),
            host_valid: AtomicBool::new(true),
            sides: Mutex::new(Sides {
                zero: false,
                in_place: None,
                list: Vec::new(),
            }),
        }
    }
}

impl<T: DeviceCopy> From<&[T]> for Array<T> {
    fn from(slice: &[T]) -> Self {
        slice.to_vec().into()
    }
}

impl<T: DeviceCopy, const N: usize> From<[T; N]> for Array<T> {
    fn from(array: [T; N]) -> Self {
        array.to_vec().into()
    }
}

impl<T: DeviceCopy> FromIterator<T> for Array<T> {
    fn from_iter<I: IntoIterator<Item = T>>(iter: I) -> Self {
        iter.into_iter().collect::<Vec<T>>().into()
    }
}

impl<T: DeviceCopy> Array<T> {
    /// `len` elements of all zero bits, on every side: nothing is copied before somebody has
    /// written.
    ///
    /// # Panics
    /// As `vec![0; len]`, if that is more than any memory.
    pub fn zeroed(len: usize) -> Self
    where
        T: Zeroable,
    {
        let mut vec = ManuallyDrop::new(vec![MaybeUninit::<T>::zeroed(); len]);
        let (start, capacity) = (vec.as_mut_ptr().cast::<T>(), vec.capacity());
        // SAFETY: zero bits are a value of T.
        let mut array = Self::from(unsafe { Vec::from_raw_parts(start, len, capacity) });
        array.sides_mut().zero = true;
        array
    }

    /// `len` elements that have no value yet: nothing is copied to a kernel that writes them. It
    /// gets them as `DisjointMut<MaybeUninit<T>>`; see [`assume_init`](Array::assume_init).
    ///
    /// # Panics
    /// As [`Vec::with_capacity`], if that is more than any memory.
    pub fn uninit(len: usize) -> Array<MaybeUninit<T>> {
        let mut vec = Vec::with_capacity(len);
        // SAFETY: MaybeUninit needs no value.
        unsafe { vec.set_len(len) };
        let mut array = Array::from(vec);
        // There is nothing to copy: zero is as good as anything.
        array.sides_mut().zero = true;
        array
    }

    /// Number of elements; asks for no side's data.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The host's side, after waiting for the kernels that write it.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn host(&self) -> Result<&[T]> {
        at(Location::caller());
        self.fetch()?;
        // SAFETY: it has values, which nobody writes while it is valid and borrowed.
        Ok(unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) })
    }

    /// The host's side, to be written: the others are invalid then.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn host_mut(&mut self) -> Result<&mut [T]> {
        at(Location::caller());
        self.fetch()?;
        self.written_by(None);
        // SAFETY: as above, and borrowed exclusively.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) })
    }

    /// For a kernel that writes every element and reads none: nothing is copied to it. Elements
    /// that it does not write have an old value, or zero.
    #[inline]
    pub fn write_only(&mut self) -> WriteOnly<'_, T>
    where
        T: Zeroable,
    {
        WriteOnly(self)
    }

    /// Copies it to the device now, if that has not the newest data, and not when a launch
    /// first needs it.
    ///
    /// # Errors
    /// [`Error::NoDeviceMemory`](crate::Error::NoDeviceMemory), and those of [`Device::wait`].
    #[track_caller]
    pub fn send(&self, device: &Device) -> Result<()> {
        at(Location::caller());
        self.begin(&mut Maps::new(device.target()), Access::Read)
            .map(drop)
    }

    /// The vector, with the newest data.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn into_vec(self) -> Result<Vec<T>> {
        at(Location::caller());
        self.fetch()?;
        let mut this = ManuallyDrop::new(self);
        // The buffers go now, the vector stays.
        this.sides_mut().list = Vec::new();
        // SAFETY: taken from a Vec.
        Ok(unsafe { Vec::from_raw_parts(this.start.as_ptr(), this.len, this.capacity) })
    }

    fn lock(&self) -> MutexGuard<'_, Sides<T>> {
        // What a panic left is still what the marks say.
        self.sides.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the host's side valid.
    fn fetch(&self) -> Result<()> {
        if self.host_valid.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut sides = self.lock();
        if self.host_valid.load(Ordering::Acquire) {
            return Ok(());
        }
        let fetched = if let Some(target) = sides.in_place.take() {
            target.wait_also_destroyed()
        } else if let Some(side) = sides.list.iter().find(|side| side.valid) {
            // SAFETY (of read): there is room, and nobody has a slice of memory that is invalid.
            side.buffer.view().read(null_mut(), self.start.as_ptr())
        } else {
            Ok(())
        };
        // After a panic the data is there all the same.
        if matches!(fetched, Ok(()) | Err(Error::Panic { .. })) {
            self.host_valid.store(true, Ordering::Release);
        }
        fetched
    }

    /// One side has newer data than all others; None: the host.
    fn written_by(&mut self, device: Option<&Device>) {
        *self.host_valid.get_mut() = device.is_none();
        let sides = self.sides_mut();
        sides.zero = false;
        sides.in_place = None;
        for side in &mut sides.list {
            side.valid = Some(&side.device) == device;
        }
    }

    /// The memory for a launch, with the newest data there; noted as used.
    pub(crate) fn begin(&self, maps: &mut Maps, access: Access) -> Result<*mut u8> {
        let device = *maps.device();
        if self.len * size_of::<T>() == 0 {
            return Ok(self.start.as_ptr().cast());
        }
        if device.shares_memory() {
            if self.lock().in_place.is_none() {
                self.fetch()?;
            }
            return Ok(self.start.as_ptr().cast());
        }
        let mut sides = self.lock();
        let at = sides.side(&device, self.len)?;
        if !sides.list[at].valid {
            self.send_to(&mut sides, at, maps)?;
        }
        sides.list[at].buffer.view().used_by(maps, access)
    }

    /// Copies the newest data to a side.
    fn send_to(&self, sides: &mut Sides<T>, at: usize, maps: &Maps) -> Result<()> {
        let buffer = sides.list[at].buffer.view();
        if sides.zero {
            buffer.fill_bytes(maps.stream(), &0u8)?;
        } else if self.host_valid.load(Ordering::Acquire) || sides.in_place.is_some() {
            buffer.write(maps.stream(), self.start.as_ptr())?;
        } else if let Some(newest) = sides.list.iter().find(|side| side.valid) {
            let bytes = self.len * size_of::<T>();
            buffer.copy_bytes(maps.stream(), 0, &newest.buffer.view(), bytes)?;
        }
        sides.list[at].valid = true;
        sides.list[at].filled = true;
        Ok(())
    }

    /// The memory for a launch that writes it.
    pub(crate) fn begin_mut(&mut self, maps: &mut Maps) -> Result<*mut u8> {
        let memory = self.begin(maps, Access::Write)?;
        self.written_on(maps.target());
        Ok(memory)
    }

    /// The memory for a launch that overwrites it.
    pub(crate) fn begin_overwrite(&mut self, maps: &mut Maps) -> Result<*mut u8>
    where
        T: Zeroable,
    {
        let device = *maps.device();
        if device.shares_memory() || self.len * size_of::<T>() == 0 {
            // The host's memory holds values, if old ones.
            self.written_on(maps.target());
            return Ok(self.start.as_ptr().cast());
        }
        let (len, sides) = (self.len, self.sides_mut());
        let at = sides.side(&device, len)?;
        let side = &mut sides.list[at];
        if !side.filled {
            side.buffer.view().fill_bytes(maps.stream(), &0u8)?;
            side.filled = true;
        }
        let memory = side.buffer.view().used_by(maps, Access::Write)?;
        self.written_on(maps.target());
        Ok(memory)
    }

    fn written_on(&mut self, target: Target) {
        self.written_by(Some(&target.device));
        if target.device.shares_memory() {
            self.sides_mut().in_place = Some(target);
        }
    }
}

impl<T> Array<T> {
    fn sides_mut(&mut self) -> &mut Sides<T> {
        self.sides.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: DeviceCopy> Sides<T> {
    /// The number of the device's side; its memory is made now if it had none.
    fn side(&mut self, device: &Device, len: usize) -> Result<usize> {
        if let Some(at) = self.list.iter().position(|side| side.device == *device) {
            return Ok(at);
        }
        self.list.push(Side {
            device: *device,
            buffer: Buffer::allocate(device, len)?,
            valid: false,
            filled: false,
        });
        Ok(self.list.len() - 1)
    }
}

impl<T: DeviceCopy> Array<MaybeUninit<T>> {
    /// The same array, now that every element has a value.
    ///
    /// # Safety
    /// Every element was written, by the host or by a kernel launched before.
    pub unsafe fn assume_init(self) -> Array<T> {
        let mut this = ManuallyDrop::new(self);
        let in_place = this.sides_mut().in_place;
        let list = std::mem::take(&mut this.sides_mut().list);
        Array {
            start: this.start.cast(),
            len: this.len,
            capacity: this.capacity,
            host_valid: AtomicBool::new(*this.host_valid.get_mut()),
            sides: Mutex::new(Sides {
                zero: false,
                in_place,
                list: list
                    .into_iter()
                    .map(|side| Side {
                        device: side.device,
                        // SAFETY: the caller's.
                        buffer: unsafe { side.buffer.assume_init() },
                        valid: side.valid,
                        filled: side.filled,
                    })
                    .collect(),
            }),
        }
    }
}

impl<T: DeviceCopy> Deref for Array<T> {
    type Target = [T];
    #[track_caller]
    fn deref(&self) -> &[T] {
        self.host().unwrap_or_else(|error| panic!("{error}"))
    }
}

impl<T: DeviceCopy> DerefMut for Array<T> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut [T] {
        self.host_mut().unwrap_or_else(|error| panic!("{error}"))
    }
}

impl<T: DeviceCopy> Clone for Array<T> {
    fn clone(&self) -> Self {
        self.to_vec().into()
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        // SAFETY: taken from a Vec, whose elements need no drop. No device touches the host's
        // memory: copies were waited for, and where it is shared launches were too.
        drop(unsafe {
            Vec::<MaybeUninit<T>>::from_raw_parts(self.start.as_ptr().cast(), 0, self.capacity)
        });
    }
}

impl<T> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} elements)", self.len)
    }
}
