//! Memory that the threads of a block share.

use super::abi::__smelt_dynamic_shared;
use crate::DeviceCopy;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

/// Memory that each block has one of, made by [`shared!`](crate::shared). Holds no value
/// until the block's threads have written one, and is gone with the block.
///
/// Access is unsafe: between two barriers an element must be written by one thread
/// only and read by no other, or read by any and written by none.
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: every access is unsafe and its caller answers for it.
unsafe impl<T: DeviceCopy> Sync for Shared<T> {}

impl<T: DeviceCopy> Shared<T> {
    /// For [`shared!`](crate::shared), which puts the static in its section.
    #[doc(hidden)]
    pub const fn uninit() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// The block's memory. The pointer is good until the block ends.
    #[inline]
    pub fn as_mut_ptr(&self) -> *mut T {
        self.0.get().cast()
    }

    /// The value.
    ///
    /// # Safety
    /// It was written by this thread, or by another of the block before the last
    /// barrier, and no thread writes it before the next.
    #[inline]
    pub unsafe fn read(&self) -> T {
        // SAFETY: the caller's.
        unsafe { *self.as_mut_ptr() }
    }

    /// Replaces the value.
    ///
    /// # Safety
    /// No other thread of the block reads or writes it between the last barrier
    /// and the next.
    #[inline]
    pub unsafe fn write(&self, value: T) {
        // SAFETY: the caller's.
        unsafe { *self.as_mut_ptr() = value }
    }
}

impl<T: DeviceCopy, const N: usize> Shared<[T; N]> {
    #[inline]
    #[track_caller]
    fn element(&self, i: usize) -> *mut T {
        // The language's own bounds check.
        let () = [(); N][i];
        // SAFETY: within the array.
        unsafe { self.as_mut_ptr().cast::<T>().add(i) }
    }

    /// Element `i`.
    ///
    /// # Panics
    /// If `i` is not below `N`.
    ///
    /// # Safety
    /// As for [`Shared::read`], for this element.
    #[inline]
    #[track_caller]
    pub unsafe fn get(&self, i: usize) -> T {
        // SAFETY: the caller's.
        unsafe { *self.element(i) }
    }

    /// Replaces element `i`.
    ///
    /// # Panics
    /// If `i` is not below `N`.
    ///
    /// # Safety
    /// As for [`Shared::write`], for this element.
    #[inline]
    #[track_caller]
    pub unsafe fn set(&self, i: usize, value: T) {
        // SAFETY: the caller's.
        unsafe { *self.element(i) = value }
    }
}

/// Declares block-shared memory: statics of type [`Shared`], one for each block.
///
/// ```
/// # use smelt::prelude::*;
/// smelt::shared! {
///     static TILE: [f32; 64];
/// }
///
/// fn reverse(mut y: DisjointMut<f32>) {
///     let t = thread::thread_index().x as usize;
///     let i = thread::index();
///     // SAFETY: each thread writes its own element; all is written before the
///     // barrier and only read after it.
///     unsafe { TILE.set(t, y[i]) };
///     sync::barrier();
///     y[i] = unsafe { TILE.get(63 - t) };
/// }
/// # let gpu = Device::default()?;
/// let mut y: Vec<f32> = (0..64).map(|i| i as f32).collect();
/// gpu.launch(Grid::cover(64).block(64), reverse, (&mut y,))?;
/// assert_eq!(y[0], 63.0);
/// # Ok::<(), smelt::Error>(())
/// ```
#[macro_export]
macro_rules! shared {
    ($($(#[$meta:meta])* $vis:vis static $name:ident: $type:ty;)*) => {$(
        $(#[$meta])*
        #[unsafe(link_section = ".smelt.shared")]
        $vis static $name: $crate::Shared<$type> = $crate::Shared::uninit();
    )*};
}

/// Start of the shared memory whose size the launch gave
/// ([`Grid::shared`](crate::Grid::shared)), uninitialised, 16-aligned.
///
/// # Safety
/// The launch gave as many bytes as are used; access is ordered by barriers as
/// [`Shared`] says; `T` needs no more than 16-byte alignment.
#[inline]
pub unsafe fn dynamic_shared<T: DeviceCopy>() -> *mut T {
    const { assert!(align_of::<T>() <= 16, "shared memory is 16-aligned") };
    __smelt_dynamic_shared().cast()
}
