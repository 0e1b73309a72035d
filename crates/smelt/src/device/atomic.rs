//! Atomic floats, which `core::sync::atomic` lacks.

use super::abi::*;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Who sees an atomic operation as one step. A narrower scope is faster on GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Scope {
    /// The threads of the block.
    Block = 0,
    /// All threads of the device.
    #[default]
    Device = 1,
    /// All devices and the host.
    System = 2,
}

macro_rules! atomic_float {
    ($(#[$doc:meta])* $name:ident, $float:ty, $bits:ty, $add:ident, $min:ident, $max:ident) => {
        $(#[$doc])*
        ///
        /// All operations are relaxed: they order nothing but themselves. `&[Self]` may
        /// be passed to a kernel.
        #[repr(transparent)]
        pub struct $name(UnsafeCell<$float>);

        // SAFETY: every access through a shared reference is atomic.
        unsafe impl Sync for $name {}

        impl $name {
            /// Holds `value`.
            pub const fn new(value: $float) -> Self {
                Self(UnsafeCell::new(value))
            }

            #[inline]
            fn bits(&self) -> &$bits {
                // SAFETY: same size and alignment, and all accesses are atomic.
                unsafe { <$bits>::from_ptr(self.0.get().cast()) }
            }

            /// The value.
            #[inline]
            pub fn load(&self) -> $float {
                <$float>::from_bits(self.bits().load(Ordering::Relaxed))
            }

            /// Replaces the value.
            #[inline]
            pub fn store(&self, value: $float) {
                self.bits().store(value.to_bits(), Ordering::Relaxed)
            }

            /// Replaces the value; gives the old one.
            #[inline]
            pub fn swap(&self, value: $float) -> $float {
                <$float>::from_bits(self.bits().swap(value.to_bits(), Ordering::Relaxed))
            }

            /// Adds; gives the old value.
            #[inline]
            pub fn fetch_add(&self, value: $float) -> $float {
                self.fetch_add_in(value, Scope::Device)
            }

            /// Keeps the smaller; gives the old value.
            #[inline]
            pub fn fetch_min(&self, value: $float) -> $float {
                self.fetch_min_in(value, Scope::Device)
            }

            /// Keeps the greater; gives the old value.
            #[inline]
            pub fn fetch_max(&self, value: $float) -> $float {
                self.fetch_max_in(value, Scope::Device)
            }

            /// Adds, as one step for the threads in `scope`; gives the old value.
            #[inline]
            pub fn fetch_add_in(&self, value: $float, scope: Scope) -> $float {
                // SAFETY: a live float that is only accessed atomically.
                unsafe { $add(self.0.get(), value, scope as u32) }
            }

            /// Keeps the smaller, as one step for the threads in `scope`; gives the
            /// old value.
            #[inline]
            pub fn fetch_min_in(&self, value: $float, scope: Scope) -> $float {
                // SAFETY: a live float that is only accessed atomically.
                unsafe { $min(self.0.get(), value, scope as u32) }
            }

            /// Keeps the greater, as one step for the threads in `scope`; gives the
            /// old value.
            #[inline]
            pub fn fetch_max_in(&self, value: $float, scope: Scope) -> $float {
                // SAFETY: a live float that is only accessed atomically.
                unsafe { $max(self.0.get(), value, scope as u32) }
            }

            /// The value, with nobody else there to change it.
            #[inline]
            pub fn get_mut(&mut self) -> &mut $float {
                self.0.get_mut()
            }

            /// The value.
            #[inline]
            pub fn into_inner(self) -> $float {
                self.0.into_inner()
            }

            /// The same memory, seen as plain floats while nobody else is there.
            #[inline]
            pub fn get_mut_slice(this: &mut [Self]) -> &mut [$float] {
                // SAFETY: transparent over the float, and exclusively borrowed.
                unsafe { &mut *(this as *mut [Self] as *mut [$float]) }
            }

            /// Plain floats, to be changed atomically while they are borrowed.
            #[inline]
            pub fn from_mut_slice(floats: &mut [$float]) -> &mut [Self] {
                // SAFETY: transparent over the float, and exclusively borrowed.
                unsafe { &mut *(floats as *mut [$float] as *mut [Self]) }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new(0.0)
            }
        }

        impl From<$float> for $name {
            fn from(value: $float) -> Self {
                Self::new(value)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.load().fmt(f)
            }
        }
    };
}

atomic_float! {
    /// An `f32` that threads may change at the same time.
    AtomicF32, f32, AtomicU32,
    __smelt_atomic_add_f32, __smelt_atomic_min_f32, __smelt_atomic_max_f32
}
atomic_float! {
    /// An `f64` that threads may change at the same time.
    AtomicF64, f64, AtomicU64,
    __smelt_atomic_add_f64, __smelt_atomic_min_f64, __smelt_atomic_max_f64
}
