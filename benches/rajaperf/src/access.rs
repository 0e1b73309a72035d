//! One text for a kernel's safe and unsafe form: a body that reads through an [`Access`], and
//! [`both!`](crate::both) to make the two kernels of it.

/// How elements of slices are reached: with the index checked, or not.
pub trait Access: Copy {
    /// Element `i`.
    fn at<T>(self, slice: &[T], i: usize) -> &T;

    /// Element `i`, to be changed.
    fn at_mut<T>(self, slice: &mut [T], i: usize) -> &mut T;
}

/// Panics past the end, as `slice[i]` does.
#[derive(Clone, Copy)]
pub struct Checked;

impl Access for Checked {
    #[inline(always)]
    #[track_caller]
    fn at<T>(self, slice: &[T], i: usize) -> &T {
        &slice[i]
    }

    #[inline(always)]
    #[track_caller]
    fn at_mut<T>(self, slice: &mut [T], i: usize) -> &mut T {
        &mut slice[i]
    }
}

/// Only to be made where all indices are known to be right.
#[derive(Clone, Copy)]
pub struct Unchecked(());

impl Unchecked {
    /// # Safety
    /// All indices that are used through it are below their slices' lengths.
    #[inline(always)]
    pub unsafe fn new() -> Self {
        Self(())
    }
}

impl Access for Unchecked {
    #[inline(always)]
    fn at<T>(self, slice: &[T], i: usize) -> &T {
        // SAFETY: who made it said so.
        unsafe { slice.get_unchecked(i) }
    }

    #[inline(always)]
    fn at_mut<T>(self, slice: &mut [T], i: usize) -> &mut T {
        // SAFETY: who made it said so.
        unsafe { slice.get_unchecked_mut(i) }
    }
}

/// Defines two kernels of one body, which gets an [`Access`] before the kernel's arguments. The
/// body says why its indices are right: that is what the unchecked one rests on.
///
/// ```text
/// both! {
///     /// y += x.
///     fn add, add_unchecked(x: &[f64], y: &[AtomicF64]) = add_body;
/// }
/// ```
#[macro_export]
macro_rules! both {
    ($($(#[$doc:meta])* fn $safe:ident, $unchecked:ident($($arg:ident: $type:ty),* $(,)?) = $body:expr;)*) => {$(
        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        fn $safe($($arg: $type),*) {
            $body($crate::access::Checked, $($arg),*)
        }

        $(#[$doc])*
        #[allow(clippy::too_many_arguments)]
        fn $unchecked($($arg: $type),*) {
            // SAFETY: the body's indices are right, as it says.
            $body(unsafe { $crate::access::Unchecked::new() }, $($arg),*)
        }
    )*};
}
