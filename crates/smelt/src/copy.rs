//! Which values may travel to a device, and which memory it may look at.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::num::*;
use std::sync::atomic::*;
use std::time::Duration;

use crate::{AtomicF32, AtomicF64};

/// Values that mean the same on the device as on the host: plain data without
/// addresses of host memory.
///
/// Derive it, which checks every field and also makes the type an argument that can be
/// passed by value:
///
/// ```
/// use smelt::prelude::*;
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
///     kind: u8,
/// }
/// ```
///
/// # Safety
/// The type holds no reference, raw pointer, function pointer, or other handle of
/// the host (a file descriptor that is only a number is allowed: it is useless but
/// harmless), neither itself nor in a field.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied to a device",
    label = "not `DeviceCopy`",
    note = "numbers, bool, char, arrays, tuples and Option of such are; for a struct or enum of \
            your own write #[derive(Clone, Copy, DeviceCopy)]",
    note = "references, pointers, Box, String and Vec hold addresses of the host"
)]
pub unsafe trait DeviceCopy: Copy + 'static {
    /// Whether any bits are a value: then what comes from a lane that has panicked needs no
    /// care. True only if they are.
    #[doc(hidden)]
    const ANY_BITS: bool = false;
}

/// Memory that many device threads may look at through a `&`: [`DeviceCopy`] types,
/// which nobody writes meanwhile, and atomics. Not `Cell` and the like, which are
/// for one thread only.
///
/// Atomics of the host are copied to a device that has memory of its own, and back when the launch
/// has ended: what other threads of the host change meanwhile may be lost.
///
/// # Safety
/// Accesses through `&Self` from several threads, devices included, are no data race, and no
/// value holds an address of the host. `READONLY` is true only if no byte can change
/// through `&Self`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared with a device",
    label = "neither `DeviceCopy` nor atomic",
    note = "kernels take slices of DeviceCopy types (#[derive(Clone, Copy, DeviceCopy)]) and of \
            atomics; Cell, RefCell, Mutex and types with host addresses cannot be shared with one"
)]
pub unsafe trait DeviceShare: 'static {
    /// Whether the memory stays as it is while it is borrowed.
    #[doc(hidden)]
    const READONLY: bool;
}

// SAFETY: a Copy type has no UnsafeCell, so nothing changes behind its `&`.
unsafe impl<T: DeviceCopy> DeviceShare for T {
    const READONLY: bool = true;
}

/// Types of which a value is all zero bits.
///
/// # Safety
/// It is.
#[diagnostic::on_unimplemented(
    message = "all zero bits are not known to be a value of `{Self}`",
    note = "use Buffer::filled or Buffer::from_slice"
)]
pub unsafe trait Zeroable {}

/// Types of which any bits are a value, and every bit belongs to it: their bytes can be looked at
/// as another such type.
///
/// # Safety
/// Both are so.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from any bits",
    note = "integers, floats and arrays of them can"
)]
pub unsafe trait Plain: DeviceCopy {}

macro_rules! any_bits {
    ($($type:ty)*) => {$(
        // SAFETY: plain numbers, all of whose bit patterns are values.
        unsafe impl Plain for $type {}
    )*};
}
any_bits! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 }
// SAFETY: nothing but its elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

macro_rules! plain {
    ($($type:ty)*) => {$(
        // SAFETY: plain numbers.
        unsafe impl DeviceCopy for $type {}
        // SAFETY: zero is one of its values.
        unsafe impl Zeroable for $type {}
    )*};
}
plain! {
    () bool char
}

macro_rules! number {
    ($($type:ty)*) => {$(
        // SAFETY: plain numbers, all of whose bit patterns are values.
        unsafe impl DeviceCopy for $type {
            const ANY_BITS: bool = true;
        }
        // SAFETY: zero is one of its values.
        unsafe impl Zeroable for $type {}
    )*};
}
number! {
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64
}

macro_rules! nonzero {
    ($($type:ty)*) => {$(
        // SAFETY: a plain number.
        unsafe impl DeviceCopy for $type {}
    )*};
}
nonzero! {
    NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroUsize
    NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128 NonZeroIsize
    Ordering Duration
}

// SAFETY: nothing but what it is made of, in all of these.
unsafe impl<T: DeviceCopy, const N: usize> DeviceCopy for [T; N] {
    const ANY_BITS: bool = T::ANY_BITS;
}
unsafe impl<T: Zeroable, const N: usize> Zeroable for [T; N] {}
unsafe impl<T: DeviceCopy> DeviceCopy for Option<T> {}
unsafe impl<T: DeviceCopy, E: DeviceCopy> DeviceCopy for Result<T, E> {}
unsafe impl<T: DeviceCopy> DeviceCopy for Wrapping<T> {}
unsafe impl<T: Zeroable> Zeroable for Wrapping<T> {}
unsafe impl<T: DeviceCopy> DeviceCopy for Saturating<T> {}
unsafe impl<T: Zeroable> Zeroable for Saturating<T> {}
unsafe impl<T: DeviceCopy> DeviceCopy for MaybeUninit<T> {}
unsafe impl<T> Zeroable for MaybeUninit<T> {}
// Of no size, so there is nothing in it.
unsafe impl<T: ?Sized + 'static> DeviceCopy for PhantomData<T> {}
unsafe impl<T: ?Sized> Zeroable for PhantomData<T> {}

macro_rules! tuple {
    ($($name:ident)*) => {
        // SAFETY: nothing but its fields.
        unsafe impl<$($name: DeviceCopy),*> DeviceCopy for ($($name,)*) {}
        // SAFETY: all fields zero.
        unsafe impl<$($name: Zeroable),*> Zeroable for ($($name,)*) {}
    };
}
tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
tuple!(A B C D E);
tuple!(A B C D E G);
tuple!(A B C D E G H);
tuple!(A B C D E G H I);
tuple!(A B C D E G H I J);
tuple!(A B C D E G H I J K);
tuple!(A B C D E G H I J K L);
tuple!(A B C D E G H I J K L M);

macro_rules! atomic {
    ($($type:ty)*) => {$(
        // SAFETY: every access through `&` is atomic.
        unsafe impl DeviceShare for $type {
            const READONLY: bool = false;
        }
        // SAFETY: as above.
        unsafe impl<const N: usize> DeviceShare for [$type; N] {
            const READONLY: bool = false;
        }
        // SAFETY: zero is one of its values.
        unsafe impl Zeroable for $type {}
    )*};
}
atomic! {
    AtomicBool AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicUsize
    AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicIsize AtomicF32 AtomicF64
}
