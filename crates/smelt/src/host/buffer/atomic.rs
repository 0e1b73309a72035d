//! Floats of a buffer, seen as atomics for a while.

use super::{Buffer, BufferView, BufferViewMut};
use crate::{AtomicF32, AtomicF64};
use std::marker::PhantomData;

macro_rules! atomic_views {
    ($($float:ty, $atomic:ty;)*) => {$(
        impl<'a> BufferViewMut<'a, $float> {
            /// The same elements, to be changed atomically while they are borrowed: a kernel takes
            /// a slice of atomics, of which any thread may change any.
            #[inline]
            pub fn into_atomic(self) -> BufferView<'a, $atomic> {
                // Nobody else reaches the memory for 'a, so all accesses are atomic; the atomic has the
                // float's size and alignment, and any bits of one are the other's.
                BufferView {
                    memory: self.view.memory,
                    len: self.view.len,
                    device: self.view.device,
                    borrows: PhantomData,
                }
            }
        }

        impl Buffer<$float> {
            /// The elements, to be changed atomically while they are borrowed.
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
            /// let mut counts = Buffer::filled(&gpu, 2, 0.0f64)?;
            /// gpu.launch(Grid::cover(3), count, (&keys, counts.as_atomic()))?;
            /// assert_eq!(counts.to_vec()?, [1.0, 2.0]);
            /// # Ok::<(), smelt::Error>(())
            /// ```
            #[inline]
            pub fn as_atomic(&mut self) -> BufferView<'_, $atomic> {
                self.view_mut().into_atomic()
            }
        }
    )*};
}
atomic_views! {
    f32, AtomicF32;
    f64, AtomicF64;
}
