//! Floats of a buffer, seen as atomics for a while.

use super::{Buffer, BufferView, BufferViewMut};
use crate::{AtomicF32, AtomicF64, DeviceShare};
use std::marker::PhantomData;

mod sealed {
    /// A float of which there is an atomic that has its size and alignment, and of which any bits are a
    /// value as any are of the float.
    pub trait Atomic {
        type Atomic;
    }

    impl Atomic for f32 {
        type Atomic = super::AtomicF32;
    }

    impl Atomic for f64 {
        type Atomic = super::AtomicF64;
    }
}
use sealed::Atomic;

impl<'a, T: Atomic<Atomic: DeviceShare>> BufferViewMut<'a, T> {
    /// The same elements, to be changed atomically while they are borrowed; see
    /// [`Buffer::as_atomic`].
    #[inline]
    pub fn into_atomic(self) -> BufferView<'a, T::Atomic> {
        // Nobody else reaches the memory for 'a, so all accesses are atomic; and the trait says that
        // the elements are the same.
        BufferView {
            memory: self.view.memory,
            len: self.view.len,
            device: self.view.device,
            borrows: PhantomData,
        }
    }
}

impl<T: Atomic<Atomic: DeviceShare> + DeviceShare> Buffer<T> {
    /// The elements, `f32` or `f64`, to be changed atomically while they are borrowed: a kernel takes
    /// a slice of [`AtomicF32`] or [`AtomicF64`], of which any thread may change any.
    ///
    /// ```
    /// # use smelt::prelude::*;
    /// fn count(keys: &[u32], counts: &[AtomicF64]) {
    ///     if let Some(key) = keys.get(thread::index().get()) {
    ///         counts[*key as usize].fetch_add(1.0);
    ///     }
    /// }
    /// # let gpu = Device::default()?;
    /// let keys = Buffer::from_slice(&gpu, &[1, 0, 1])?;
    /// let mut counts = Buffer::filled(&gpu, 2, 0.0)?;
    /// gpu.launch(Grid::cover(3), count, (&keys, counts.as_atomic()))?;
    /// assert_eq!(counts.to_vec()?, [1.0, 2.0]);
    /// # Ok::<(), smelt::Error>(())
    /// ```
    #[inline]
    pub fn as_atomic(&mut self) -> BufferView<'_, T::Atomic> {
        self.view_mut().into_atomic()
    }
}
