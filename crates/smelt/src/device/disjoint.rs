//! Memory that many threads write, each its own elements.
//!
//! What makes it sound: within one launch all threads hold a view of the same memory,
//! of the same kind and with the same extents, because both come from the host
//! with the argument. A kind maps tokens of one type to elements, different tokens to
//! different elements. Tokens are unique to a thread ([`thread`](crate::thread)), so two threads
//! never reach one element; and a thread itself has one view (views are neither `Clone`
//! nor `DeviceCopy`, and live no longer than the kernel's call, see
//! [`arg`](crate::arg)) that it must borrow mutably, so it never holds two references
//! to one element either. The memory comes from a `&mut` on the host, so no other
//! argument reaches it.

use super::thread::{Index1, Index2, Index3};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Where the memory that the threads share out begins. Neither `Send` nor `Sync`.
struct Memory<'k, T> {
    start: *mut T,
    lives: PhantomData<&'k mut [T]>,
}

impl<T> Memory<'_, T> {
    #[inline]
    fn new(start: *mut T) -> Self {
        Self {
            start,
            lives: PhantomData,
        }
    }

    /// # Safety
    /// `i` is below the number of elements.
    #[inline]
    unsafe fn element(&self, i: usize) -> *mut T {
        // SAFETY: within the memory, says the caller.
        unsafe { self.start.add(i) }
    }
}

/// The language's own bounds check, with its own message and the caller's place, so
/// that device compilers report it like any other.
#[inline]
#[track_caller]
fn check(i: usize, len: usize) {
    // SAFETY: elements of no size.
    let all: &[()] = unsafe { &*std::ptr::slice_from_raw_parts(std::ptr::dangling(), len) };
    all[i]
}

/// A slice that the threads of a 1-dimensional grid write, each the elements that its
/// tokens name. This is what a kernel gets for `&mut [T]`, `&mut Vec<T>` and
/// `&mut Buffer<T>`.
///
/// ```
/// # use smelt::prelude::*;
/// fn double(mut y: DisjointMut<u32>) {
///     if let Some(y) = y.get_mut(thread::index()) {
///         *y *= 2;
///     }
/// }
/// # let gpu = Device::default()?;
/// let mut y = vec![1, 2, 3];
/// gpu.launch(Grid::cover(y.len()), double, (&mut y,))?;
/// assert_eq!(y, [2, 4, 6]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct DisjointMut<'k, T> {
    memory: Memory<'k, T>,
    len: usize,
}

impl<'k, T> DisjointMut<'k, T> {
    /// # Safety
    /// Valid for `'k`; every other view of the memory is one of the same launch,
    /// with the same start and length.
    #[inline]
    pub(crate) unsafe fn new(start: *mut T, len: usize) -> Self {
        Self {
            memory: Memory::new(start),
            len,
        }
    }

    /// Elements of the whole slice.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// This thread's element, `None` past the end.
    #[inline]
    pub fn get_mut(&mut self, i: Index1) -> Option<&mut T> {
        let i = i.get();
        if i < self.len {
            // SAFETY: checked; unique by the module's argument.
            Some(unsafe { &mut *self.memory.element(i) })
        } else {
            None
        }
    }

    /// This thread's element, `None` past the end.
    #[inline]
    pub fn get(&self, i: Index1) -> Option<&T> {
        let i = i.get();
        if i < self.len {
            // SAFETY: checked; only this thread could write it.
            Some(unsafe { &*self.memory.element(i) })
        } else {
            None
        }
    }

    /// Any element.
    ///
    /// # Safety
    /// `i` is below [`len`](Self::len), and until the reference ends no other
    /// thread accesses the element, nor does this one by other means.
    #[inline]
    pub unsafe fn get_unchecked_mut(&mut self, i: usize) -> &mut T {
        // SAFETY: the caller's.
        unsafe { &mut *self.memory.element(i) }
    }

    /// Start of the whole slice. Getting it is safe; accesses must be free of races
    /// with those that other threads make through their tokens.
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.memory.start
    }
}

impl<T> Index<Index1> for DisjointMut<'_, T> {
    type Output = T;

    /// # Panics
    /// Past the end.
    #[inline]
    #[track_caller]
    fn index(&self, i: Index1) -> &T {
        check(i.get(), self.len);
        // SAFETY: checked; only this thread could write it.
        unsafe { &*self.memory.element(i.get()) }
    }
}

impl<T> IndexMut<Index1> for DisjointMut<'_, T> {
    /// # Panics
    /// Past the end.
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, i: Index1) -> &mut T {
        check(i.get(), self.len);
        // SAFETY: checked; unique by the module's argument.
        unsafe { &mut *self.memory.element(i.get()) }
    }
}

/// A slice of which each thread of a 1-dimensional grid has a run of elements, the
/// same number for all; see [`Views::by_chunks`](crate::Views::by_chunks).
pub struct DisjointChunks<'k, T> {
    memory: Memory<'k, T>,
    len: usize,
    size: usize,
}

impl<'k, T> DisjointChunks<'k, T> {
    /// # Safety
    /// As [`DisjointMut::new`], the size being the same for all threads too, and
    /// not 0.
    #[inline]
    pub(crate) unsafe fn new(start: *mut T, len: usize, size: usize) -> Self {
        Self {
            memory: Memory::new(start),
            len,
            size,
        }
    }

    /// Elements of a chunk.
    #[inline]
    pub fn chunk_len(&self) -> usize {
        self.size
    }

    /// Number of chunks, a shorter last one included.
    #[inline]
    pub fn len(&self) -> usize {
        self.len.div_ceil(self.size)
    }

    /// Whether there are no elements.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// This thread's chunk, `None` past the end; the last may be shorter.
    // Chunks i != j do not overlap: [i * size, (i + 1) * size) cut off at len.
    #[inline]
    pub fn get_mut(&mut self, i: Index1) -> Option<&mut [T]> {
        let start = i.get().checked_mul(self.size)?;
        if start >= self.len {
            return None;
        }
        let len = self.size.min(self.len - start);
        // SAFETY: within the memory; unique by the module's argument.
        Some(unsafe { &mut *std::ptr::slice_from_raw_parts_mut(self.memory.element(start), len) })
    }
}

/// A slice seen as rows, written by the threads of a 2-dimensional grid; see
/// [`Views::as_2d`](crate::Views::as_2d). Element (x, y) lies at `y * columns + x`.
pub struct DisjointMut2<'k, T> {
    memory: Memory<'k, T>,
    columns: usize,
    rows: usize,
}

impl<'k, T> DisjointMut2<'k, T> {
    /// # Safety
    /// As [`DisjointMut::new`], the extents being the same for all threads too,
    /// and their product, which does not overflow, the length of the memory.
    #[inline]
    pub(crate) unsafe fn new(start: *mut T, rows: usize, columns: usize) -> Self {
        Self {
            memory: Memory::new(start),
            columns,
            rows,
        }
    }

    /// Elements of a row.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    // (x, y) -> y * columns + x is injective for x < columns, and below the length
    // for y < rows.
    #[inline]
    fn offset(&self, i: Index2) -> Option<usize> {
        let (x, y) = i.get();
        if x < self.columns && y < self.rows {
            Some(y.wrapping_mul(self.columns).wrapping_add(x))
        } else {
            None
        }
    }

    /// This thread's element, `None` outside.
    #[inline]
    pub fn get_mut(&mut self, i: Index2) -> Option<&mut T> {
        let at = self.offset(i)?;
        // SAFETY: inside; unique by the module's argument.
        Some(unsafe { &mut *self.memory.element(at) })
    }

    /// This thread's element, `None` outside.
    #[inline]
    pub fn get(&self, i: Index2) -> Option<&T> {
        let at = self.offset(i)?;
        // SAFETY: inside; only this thread could write it.
        Some(unsafe { &*self.memory.element(at) })
    }

    /// Start of the whole slice; see [`DisjointMut::as_mut_ptr`].
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.memory.start
    }
}

/// A slice seen as planes of rows, written by the threads of a 3-dimensional grid; see
/// [`Views::as_3d`](crate::Views::as_3d). Element (x, y, z) lies at
/// `(z * rows + y) * columns + x`.
pub struct DisjointMut3<'k, T> {
    memory: Memory<'k, T>,
    columns: usize,
    rows: usize,
    planes: usize,
}

impl<'k, T> DisjointMut3<'k, T> {
    /// # Safety
    /// As [`DisjointMut2::new`].
    #[inline]
    pub(crate) unsafe fn new(start: *mut T, planes: usize, rows: usize, columns: usize) -> Self {
        Self {
            memory: Memory::new(start),
            columns,
            rows,
            planes,
        }
    }

    /// Elements of a row.
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows of a plane.
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of planes.
    #[inline]
    pub fn planes(&self) -> usize {
        self.planes
    }

    // Injective and below the length inside the extents, as in two dimensions.
    #[inline]
    fn offset(&self, i: Index3) -> Option<usize> {
        let (x, y, z) = i.get();
        if x < self.columns && y < self.rows && z < self.planes {
            let row = z.wrapping_mul(self.rows).wrapping_add(y);
            Some(row.wrapping_mul(self.columns).wrapping_add(x))
        } else {
            None
        }
    }

    /// This thread's element, `None` outside.
    #[inline]
    pub fn get_mut(&mut self, i: Index3) -> Option<&mut T> {
        let at = self.offset(i)?;
        // SAFETY: inside; unique by the module's argument.
        Some(unsafe { &mut *self.memory.element(at) })
    }

    /// This thread's element, `None` outside.
    #[inline]
    pub fn get(&self, i: Index3) -> Option<&T> {
        let at = self.offset(i)?;
        // SAFETY: inside; only this thread could write it.
        Some(unsafe { &*self.memory.element(at) })
    }

    /// Start of the whole slice; see [`DisjointMut::as_mut_ptr`].
    #[inline]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.memory.start
    }
}

impl<T> DisjointMut2<'_, T> {
    #[inline]
    #[track_caller]
    fn checked(&self, i: Index2) -> *mut T {
        check(i.x(), self.columns);
        check(i.y(), self.rows);
        let at = i.y().wrapping_mul(self.columns).wrapping_add(i.x());
        // SAFETY: inside.
        unsafe { self.memory.element(at) }
    }
}

impl<T> DisjointMut3<'_, T> {
    #[inline]
    #[track_caller]
    fn checked(&self, i: Index3) -> *mut T {
        check(i.x(), self.columns);
        check(i.y(), self.rows);
        check(i.z(), self.planes);
        let row = i.z().wrapping_mul(self.rows).wrapping_add(i.y());
        let at = row.wrapping_mul(self.columns).wrapping_add(i.x());
        // SAFETY: inside.
        unsafe { self.memory.element(at) }
    }
}

macro_rules! index_by_token {
    ($view:ident, $token:ty) => {
        impl<T> Index<$token> for $view<'_, T> {
            type Output = T;

            /// # Panics
            /// Outside the extents.
            #[inline]
            #[track_caller]
            fn index(&self, i: $token) -> &T {
                // SAFETY: checked; only this thread could write it.
                unsafe { &*self.checked(i) }
            }
        }

        impl<T> IndexMut<$token> for $view<'_, T> {
            /// # Panics
            /// Outside the extents.
            #[inline]
            #[track_caller]
            fn index_mut(&mut self, i: $token) -> &mut T {
                // SAFETY: checked; unique by the module's argument.
                unsafe { &mut *self.checked(i) }
            }
        }
    };
}
index_by_token!(DisjointMut2, Index2);
index_by_token!(DisjointMut3, Index3);
