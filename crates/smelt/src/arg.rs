//! What may be passed to a kernel, and what the kernel gets for it.
//!
//! | host passes | the kernel's parameter |
//! |---|---|
//! | a number, `bool`, `char`, array, tuple, `#[derive(DeviceCopy)]` type | the same, by value |
//! | `&T` | `&T` |
//! | `&[T]`, `&Vec<T>`, `&[T; N]`, `&Pinned<T>` | `&[T]` |
//! | `&Array<T>`, `&Buffer<T>`, `buffer.range(..)`, `&Mapped<T>` | `&[T]` |
//! | `&[T; N]` | also `&[T; N]` |
//! | `&mut [T]`, `&mut Vec<T>`, `&mut [T; N]`, `&mut Pinned<T>` | [`DisjointMut<T>`](crate::DisjointMut) |
//! | `&mut Array<T>`, `array.write_only()`, `&mut Buffer<T>`, `buffer.range_mut(..)`, `&mut MappedMut<T>` | [`DisjointMut<T>`](crate::DisjointMut) |
//! | `y.as_2d(rows, columns)` | [`DisjointMut2<T>`](crate::DisjointMut2) |
//! | `y.as_3d(planes, rows, columns)` | [`DisjointMut3<T>`](crate::DisjointMut3) |
//! | `y.by_chunks(size)` | [`DisjointChunks<T>`](crate::DisjointChunks) |
//!
//! A literal among the arguments takes its type from the kernel's signature. For a closure it must
//! be written, `3u32`, and an array be passed as a slice, `&a[..]`: a closure's own types are not
//! known early enough to choose.
//!
//! There are two halves. [`Arg<D>`] says that the host may pass `Self` where a kernel wants
//! `D`; it maps memory and makes the *raw* form that lies in the parameter block.
//! [`Param`] is the device's half: how the kernel's parameter is made from the raw form.
//! The entry of a kernel is generic over the params only, so that one kernel
//! launched with a `Vec` here and a `Buffer` there is still one kernel.
//!
//! # The lifetime of parameters
//!
//! A kernel must accept its parameters for *every* lifetime (`for<'k>` in the
//! bounds below), so it can keep none of them beyond its own call, whatever the host's
//! borrows allow. `DisjointMut` needs that: a thread that got hold of another thread's view
//! could reach one element twice.

// `'k` is the lifetime that this file is about; it stays visible.
#![allow(clippy::needless_lifetimes)]

use crate::copy::Zeroable;
use crate::device::abi;
use crate::device::{DisjointChunks, DisjointMut, DisjointMut2, DisjointMut3};
use crate::host::maps::{Access, Maps};
use crate::{
    Array, Buffer, BufferView, BufferViewMut, DeviceCopy, DeviceShare, Error, Mapped, MappedMut,
    Pinned, Result, WriteOnly,
};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The device's half of an argument.
///
/// # Safety
/// `decode` is called once a thread, with a raw form that the [`Arg`] of this param made;
/// what it gives must be sound to have in every thread of the launch at once.
pub unsafe trait Param {
    /// What lies in the parameter block.
    type Raw: Copy;
    /// What the kernel's parameter is.
    type Device<'k>;

    /// Makes the parameter. `_call` only carries the lifetime.
    ///
    /// # Safety
    /// `raw` is that of a running launch whose memory is good for `'k`.
    unsafe fn decode<'k>(raw: Self::Raw, _call: &'k ()) -> Self::Device<'k>;
}

/// Says that `Self` may be passed where a kernel's parameter is a `D`.
///
/// # Safety
/// What `begin` gives must make `Param::decode` sound in every thread of the launch, until the
/// maps end.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel as `{D}`",
    label = "cannot be passed as `{D}`",
    note = "a kernel takes values (DeviceCopy types), `&T`, `&[T]`, and DisjointMut<T> for `&mut [T]`, \
            `&mut Vec<T>` and `&mut Buffer<T>`",
    note = "elements must be DeviceCopy, or atomics behind a `&`: not Cell, Vec, String or references",
    note = "give a literal its type where the kernel is a closure: 3u32, 0.5f32"
)]
pub unsafe trait Arg<D> {
    /// The device's half.
    type Param: Param;
    /// Whether the device works on memory of the host, for which a launch waits.
    const BORROWS_HOST: bool;

    /// Maps what must be mapped and makes the raw form.
    fn begin(self, maps: &mut Maps) -> Result<<Self::Param as Param>::Raw>;
}

/// Passed by value.
pub struct Value<T>(PhantomData<T>);
/// Passed as `&T`.
pub struct Ref<T>(PhantomData<T>);
/// Passed as `&[T]`.
pub struct Slice<T>(PhantomData<T>);
/// Passed as [`DisjointMut`].
pub struct Mut<T>(PhantomData<T>);
/// Passed as [`DisjointChunks`].
pub struct MutChunks<T>(PhantomData<T>);
/// Passed as [`DisjointMut2`].
pub struct Mut2<T>(PhantomData<T>);
/// Passed as [`DisjointMut3`].
pub struct Mut3<T>(PhantomData<T>);

/// An address of the device and a number of elements. The address is never null and
/// aligned for them, also where there are none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawSlice {
    memory: *mut u8,
    len: usize,
}

/// A slice and how it is cut up; what the numbers mean is the param's affair.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawView<const N: usize> {
    memory: *mut u8,
    extents: [usize; N],
}

/// How many bytes lie behind an argument's address is told with it: addresses are cheaper where
/// they are few.
#[inline(always)]
unsafe fn shared<T: DeviceShare>(memory: *mut u8, len: usize) -> *const T {
    let bytes = len.wrapping_mul(size_of::<T>());
    // SAFETY: the host's slice has that length.
    let memory = unsafe { abi::__smelt_arg_extent(memory, bytes) };
    if T::READONLY {
        // SAFETY: from a host `&` of memory that does not change.
        unsafe { abi::__smelt_arg_readonly(memory) }.cast()
    } else {
        memory.cast_const().cast()
    }
}

#[inline(always)]
unsafe fn unique<T>(memory: *mut u8, len: usize) -> *mut T {
    let bytes = len.wrapping_mul(size_of::<T>());
    // SAFETY: from a host `&mut` of that length.
    unsafe { abi::__smelt_arg_unique(abi::__smelt_arg_extent(memory, bytes)) }.cast()
}

// SAFETY: a copy for each thread.
unsafe impl<T: DeviceCopy> Param for Value<T> {
    type Raw = T;
    type Device<'k> = T;
    #[inline(always)]
    unsafe fn decode<'k>(raw: T, _call: &'k ()) -> T {
        raw
    }
}

// SAFETY: shared by all threads, as DeviceShare allows.
unsafe impl<T: DeviceShare> Param for Ref<T> {
    type Raw = *mut u8;
    type Device<'k> = &'k T;
    #[inline(always)]
    unsafe fn decode<'k>(raw: *mut u8, _call: &'k ()) -> &'k T {
        // SAFETY: the caller's.
        unsafe { &*shared::<T>(raw, 1) }
    }
}

// SAFETY: shared by all threads, as DeviceShare allows.
unsafe impl<T: DeviceShare> Param for Slice<T> {
    type Raw = RawSlice;
    type Device<'k> = &'k [T];
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawSlice, _call: &'k ()) -> &'k [T] {
        // SAFETY: the caller's.
        unsafe { &*std::ptr::slice_from_raw_parts(shared::<T>(raw.memory, raw.len), raw.len) }
    }
}

// SAFETY: threads share it out by their tokens; see `device::disjoint`.
unsafe impl<T: DeviceCopy> Param for Mut<T> {
    type Raw = RawSlice;
    type Device<'k> = DisjointMut<'k, T>;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawSlice, _call: &'k ()) -> DisjointMut<'k, T> {
        // SAFETY: the caller's.
        unsafe { DisjointMut::new(unique(raw.memory, raw.len), raw.len) }
    }
}

// SAFETY: as for Mut; [length, size of a chunk].
unsafe impl<T: DeviceCopy> Param for MutChunks<T> {
    type Raw = RawView<2>;
    type Device<'k> = DisjointChunks<'k, T>;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawView<2>, _call: &'k ()) -> DisjointChunks<'k, T> {
        let [len, size] = raw.extents;
        // SAFETY: the caller's.
        unsafe { DisjointChunks::new(unique(raw.memory, len), len, size) }
    }
}

// SAFETY: as for Mut; [rows, columns].
unsafe impl<T: DeviceCopy> Param for Mut2<T> {
    type Raw = RawView<2>;
    type Device<'k> = DisjointMut2<'k, T>;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawView<2>, _call: &'k ()) -> DisjointMut2<'k, T> {
        let [rows, columns] = raw.extents;
        let len = rows.wrapping_mul(columns);
        // SAFETY: the caller's.
        unsafe { DisjointMut2::new(unique(raw.memory, len), rows, columns) }
    }
}

// SAFETY: as for Mut; [planes, rows, columns].
unsafe impl<T: DeviceCopy> Param for Mut3<T> {
    type Raw = RawView<3>;
    type Device<'k> = DisjointMut3<'k, T>;
    #[inline(always)]
    unsafe fn decode<'k>(raw: RawView<3>, _call: &'k ()) -> DisjointMut3<'k, T> {
        let [planes, rows, columns] = raw.extents;
        let len = planes.wrapping_mul(rows).wrapping_mul(columns);
        // SAFETY: the caller's.
        unsafe { DisjointMut3::new(unique(raw.memory, len), planes, rows, columns) }
    }
}

// ---- by value ----

// One impl for each type and not one for all DeviceCopy types: that would collide with the one
// for `&T`, since another crate may implement DeviceCopy for a reference to
// its own type. The derive writes one for its type.
macro_rules! by_value {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        // SAFETY: a copy.
        unsafe impl<$($generics)*> Arg<$type> for $type {
            type Param = Value<$type>;
            const BORROWS_HOST: bool = false;
            #[inline]
            fn begin(self, _: &mut Maps) -> Result<$type> {
                Ok(self)
            }
        }
    )*};
}
by_value! {
    [] u8; [] u16; [] u32; [] u64; [] u128; [] usize;
    [] i8; [] i16; [] i32; [] i64; [] i128; [] isize;
    [] f32; [] f64; [] bool; [] char; [] ();
    [] std::num::NonZeroU8; [] std::num::NonZeroU16; [] std::num::NonZeroU32;
    [] std::num::NonZeroU64; [] std::num::NonZeroU128; [] std::num::NonZeroUsize;
    [] std::num::NonZeroI8; [] std::num::NonZeroI16; [] std::num::NonZeroI32;
    [] std::num::NonZeroI64; [] std::num::NonZeroI128; [] std::num::NonZeroIsize;
    [] std::cmp::Ordering; [] std::time::Duration;
    [T: DeviceCopy, const N: usize] [T; N];
    [T: DeviceCopy] Option<T>;
    [T: DeviceCopy, E: DeviceCopy] std::result::Result<T, E>;
    [T: DeviceCopy] std::num::Wrapping<T>;
    [T: DeviceCopy] std::num::Saturating<T>;
    [T: ?Sized + 'static] PhantomData<T>;
    [A: DeviceCopy] (A,);
    [A: DeviceCopy, B: DeviceCopy] (A, B);
    [A: DeviceCopy, B: DeviceCopy, C: DeviceCopy] (A, B, C);
    [A: DeviceCopy, B: DeviceCopy, C: DeviceCopy, D: DeviceCopy] (A, B, C, D);
    [A: DeviceCopy, B: DeviceCopy, C: DeviceCopy, D: DeviceCopy, E: DeviceCopy] (A, B, C, D, E);
    [A: DeviceCopy, B: DeviceCopy, C: DeviceCopy, D: DeviceCopy, E: DeviceCopy, F: DeviceCopy]
        (A, B, C, D, E, F);
    [A: DeviceCopy, B: DeviceCopy, C: DeviceCopy, D: DeviceCopy, E: DeviceCopy, F: DeviceCopy,
     G: DeviceCopy] (A, B, C, D, E, F, G);
    [A: DeviceCopy, B: DeviceCopy, C: DeviceCopy, D: DeviceCopy, E: DeviceCopy, F: DeviceCopy,
     G: DeviceCopy, H: DeviceCopy] (A, B, C, D, E, F, G, H);
}

// ---- memory of the host ----

fn map_shared<T: DeviceShare>(maps: &mut Maps, slice: &[T]) -> Result<RawSlice> {
    // Atomics may have changed; the host must see it.
    let direction = if T::READONLY {
        smelt_sys::SMELT_MAP_TO
    } else {
        smelt_sys::SMELT_MAP_TOFROM
    };
    Ok(RawSlice {
        memory: map(maps, slice.as_ptr().cast_mut(), slice.len(), direction)?,
        len: slice.len(),
    })
}

fn map_unique<T>(maps: &mut Maps, slice: &mut [T]) -> Result<RawSlice> {
    let direction = smelt_sys::SMELT_MAP_TOFROM;
    Ok(RawSlice {
        memory: map(maps, slice.as_mut_ptr(), slice.len(), direction)?,
        len: slice.len(),
    })
}

/// The device's address of `len` elements at `host`.
fn map<T>(maps: &mut Maps, host: *mut T, len: usize, direction: u32) -> Result<*mut u8> {
    let size = len * size_of::<T>();
    if size == 0 {
        return Ok(NonNull::<T>::dangling().as_ptr().cast());
    }
    let memory: *mut c_void = maps.begin(host.cast(), size, direction)?;
    // A range inside a mapped one keeps its distance from that one's start, which
    // the host aligned for another type.
    if !memory.cast::<T>().is_aligned() {
        return Err(Error::Invalid(
            "argument lies inside memory that is mapped already, at an offset that is not \
             aligned on the device"
                .into(),
        ));
    }
    Ok(memory.cast())
}

// SAFETY: mapped for the launch, which waits; borrowed meanwhile.
unsafe impl<'k, T: DeviceShare> Arg<&'k T> for &T {
    type Param = Ref<T>;
    const BORROWS_HOST: bool = true;
    fn begin(self, maps: &mut Maps) -> Result<*mut u8> {
        Ok(map_shared(maps, std::slice::from_ref(self))?.memory)
    }
}

macro_rules! shared_slice {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        // SAFETY: mapped for the launch, which waits; borrowed meanwhile.
        unsafe impl<'k, $($generics)*> Arg<&'k [T]> for $type {
            type Param = Slice<T>;
            const BORROWS_HOST: bool = true;
            fn begin(self, maps: &mut Maps) -> Result<RawSlice> {
                map_shared(maps, self)
            }
        }
    )*};
}
shared_slice! {
    [T: DeviceShare] &[T];
    [T: DeviceShare] &Vec<T>;
    [T: DeviceShare, const N: usize] &[T; N];
    [T: DeviceShare] &Pinned<T>;
}

macro_rules! unique_slice {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        // SAFETY: mapped for the launch, which waits; borrowed exclusively meanwhile.
        unsafe impl<'k, $($generics)*> Arg<DisjointMut<'k, T>> for $type {
            type Param = Mut<T>;
            const BORROWS_HOST: bool = true;
            fn begin(self, maps: &mut Maps) -> Result<RawSlice> {
                map_unique(maps, self)
            }
        }
    )*};
}
unique_slice! {
    [T: DeviceCopy] &mut [T];
    [T: DeviceCopy] &mut Vec<T>;
    [T: DeviceCopy, const N: usize] &mut [T; N];
    [T: DeviceCopy] &mut Pinned<T>;
}

// ---- memory of the device ----

/// Arguments that lie in memory of the runtime: `$begin` notes their use, which keeps launches
/// and copies of all streams in order and the memory alive.
macro_rules! device_slice {
    ($([$($bound:tt)*] $type:ty as $device:ty, $param:ty: |$self:ident, $maps:ident| $begin:expr;)*) => {$(
        // SAFETY: the runtime orders all uses of the memory, so that nobody writes it (or, where it
        // is written, reaches it) during the launch, even after the borrow has ended.
        unsafe impl<'k, T: $($bound)*> Arg<$device> for $type {
            type Param = $param;
            const BORROWS_HOST: bool = false;
            #[inline]
            fn begin(self, $maps: &mut Maps) -> Result<RawSlice> {
                let $self = self;
                let len = $self.len();
                let memory = $begin?;
                Ok(RawSlice { memory, len })
            }
        }
    )*};
}
device_slice! {
    [DeviceShare] &Buffer<T> as &'k [T], Slice<T>:
        |this, maps| this.view().used_by(maps, Access::shared::<T>());
    [DeviceShare] BufferView<'_, T> as &'k [T], Slice<T>:
        |this, maps| this.used_by(maps, Access::shared::<T>());
    [DeviceShare] &BufferView<'_, T> as &'k [T], Slice<T>:
        |this, maps| this.used_by(maps, Access::shared::<T>());
    [DeviceShare] &BufferViewMut<'_, T> as &'k [T], Slice<T>:
        |this, maps| this.view().used_by(maps, Access::shared::<T>());
    [DeviceCopy] &Array<T> as &'k [T], Slice<T>:
        |this, maps| this.begin(maps, Access::Read);
    [DeviceCopy] &Mapped<'_, T> as &'k [T], Slice<T>:
        |this, maps| this.used_by(maps);
    [DeviceCopy] &MappedMut<'_, T> as &'k [T], Slice<T>:
        |this, maps| this.used_by(maps, Access::Read);

    [DeviceCopy] &mut Buffer<T> as DisjointMut<'k, T>, Mut<T>:
        |this, maps| this.view().used_by(maps, Access::Write);
    [DeviceCopy] BufferViewMut<'_, T> as DisjointMut<'k, T>, Mut<T>:
        |this, maps| this.view().used_by(maps, Access::Write);
    [DeviceCopy] &mut BufferViewMut<'_, T> as DisjointMut<'k, T>, Mut<T>:
        |this, maps| this.view().used_by(maps, Access::Write);
    [DeviceCopy] &mut Array<T> as DisjointMut<'k, T>, Mut<T>:
        |this, maps| this.begin_mut(maps);
    [DeviceCopy + Zeroable] WriteOnly<'_, T> as DisjointMut<'k, T>, Mut<T>:
        |this, maps| this.0.begin_overwrite(maps);
    [DeviceCopy] &mut MappedMut<'_, T> as DisjointMut<'k, T>, Mut<T>:
        |this, maps| this.used_by(maps, Access::Write);
}

impl<T: DeviceCopy> WriteOnly<'_, T> {
    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }
}

// ---- views ----

mod sealed {
    use super::*;

    /// What views are made of: `&mut` of slices, buffers, arrays, mapped memory.
    pub trait Unique {
        type Item: DeviceCopy;
        const BORROWS_HOST: bool;
        fn begin(self, maps: &mut Maps) -> Result<RawSlice>;
    }

    impl<T: DeviceCopy> Unique for &mut [T] {
        type Item = T;
        const BORROWS_HOST: bool = true;
        fn begin(self, maps: &mut Maps) -> Result<RawSlice> {
            map_unique(maps, self)
        }
    }

    macro_rules! device_unique {
        ($($type:ty),*) => {$(
            impl<T: DeviceCopy> Unique for $type {
                type Item = T;
                const BORROWS_HOST: bool = false;
                #[inline]
                fn begin(self, maps: &mut Maps) -> Result<RawSlice> {
                    Arg::<DisjointMut<T>>::begin(self, maps)
                }
            }
        )*};
    }
    device_unique! {
        &mut Buffer<T>, &mut BufferViewMut<'_, T>, &mut Array<T>, &mut MappedMut<'_, T>
    }

    impl<T: DeviceCopy + Zeroable> Unique for &mut WriteOnly<'_, T> {
        type Item = T;
        const BORROWS_HOST: bool = false;
        #[inline]
        fn begin(self, maps: &mut Maps) -> Result<RawSlice> {
            Arg::<DisjointMut<T>>::begin(WriteOnly(self.0), maps)
        }
    }
}
use sealed::Unique;

/// Memory to be written in rows; made by [`Views::as_2d`].
pub struct As2d<M> {
    memory: M,
    extents: [usize; 2],
}

/// Memory to be written in planes of rows; made by [`Views::as_3d`].
pub struct As3d<M> {
    memory: M,
    extents: [usize; 3],
}

/// Memory to be written in chunks; made by [`Views::by_chunks`].
pub struct ByChunks<M> {
    memory: M,
    size: usize,
}

/// Ways to share out a slice or buffer among the threads of a launch, other than
/// element by element. The extents are checked at the launch.
///
/// ```
/// # use smelt::prelude::*;
/// fn fill(mut a: DisjointMut2<u32>) {
///     let i = thread::index2();
///     if let Some(a) = a.get_mut(i) {
///         *a = (10 * i.y() + i.x()) as u32;
///     }
/// }
/// # let gpu = Device::default()?;
/// let mut a = vec![0; 6];
/// gpu.launch(Grid::cover((3, 2)), fill, (a.as_2d(2, 3),))?;
/// assert_eq!(a, [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), smelt::Error>(())
/// ```
pub trait Views {
    /// As rows of `columns` elements; the kernel gets a [`DisjointMut2`].
    ///
    /// # Errors
    /// The launch gives [`Error::Invalid`] unless the length is `rows * columns`.
    fn as_2d(&mut self, rows: usize, columns: usize) -> As2d<&mut Self> {
        As2d {
            memory: self,
            extents: [rows, columns],
        }
    }

    /// As planes of rows; the kernel gets a [`DisjointMut3`].
    ///
    /// # Errors
    /// The launch gives [`Error::Invalid`] unless the length is
    /// `planes * rows * columns`.
    fn as_3d(&mut self, planes: usize, rows: usize, columns: usize) -> As3d<&mut Self> {
        As3d {
            memory: self,
            extents: [planes, rows, columns],
        }
    }

    /// As runs of `size` elements, one for each thread; the kernel gets a
    /// [`DisjointChunks`].
    ///
    /// # Errors
    /// The launch gives [`Error::Invalid`] if `size` is 0.
    fn by_chunks(&mut self, size: usize) -> ByChunks<&mut Self> {
        ByChunks { memory: self, size }
    }
}

impl<T: DeviceCopy> Views for [T] {}
impl<T: DeviceCopy> Views for Buffer<T> {}
impl<T: DeviceCopy> Views for BufferViewMut<'_, T> {}
impl<T: DeviceCopy> Views for Array<T> {}
impl<T: DeviceCopy + Zeroable> Views for WriteOnly<'_, T> {}
impl<T: DeviceCopy> Views for MappedMut<'_, T> {}

fn cut<const N: usize>(raw: RawSlice, extents: [usize; N]) -> Result<RawView<N>> {
    let product = extents
        .iter()
        .try_fold(1usize, |product, &extent| product.checked_mul(extent));
    if product != Some(raw.len) {
        let text = format!("a view of {extents:?} elements over {} elements", raw.len);
        return Err(Error::Invalid(text.into()));
    }
    Ok(RawView {
        memory: raw.memory,
        extents,
    })
}

// SAFETY: the extents fit the memory, and are the same for all threads.
unsafe impl<'k, M: Unique> Arg<DisjointMut2<'k, M::Item>> for As2d<M> {
    type Param = Mut2<M::Item>;
    const BORROWS_HOST: bool = M::BORROWS_HOST;
    fn begin(self, maps: &mut Maps) -> Result<RawView<2>> {
        cut(self.memory.begin(maps)?, self.extents)
    }
}

// SAFETY: the extents fit the memory, and are the same for all threads.
unsafe impl<'k, M: Unique> Arg<DisjointMut3<'k, M::Item>> for As3d<M> {
    type Param = Mut3<M::Item>;
    const BORROWS_HOST: bool = M::BORROWS_HOST;
    fn begin(self, maps: &mut Maps) -> Result<RawView<3>> {
        cut(self.memory.begin(maps)?, self.extents)
    }
}

// SAFETY: the size is not 0, and is the same for all threads.
unsafe impl<'k, M: Unique> Arg<DisjointChunks<'k, M::Item>> for ByChunks<M> {
    type Param = MutChunks<M::Item>;
    const BORROWS_HOST: bool = M::BORROWS_HOST;
    fn begin(self, maps: &mut Maps) -> Result<RawView<2>> {
        if self.size == 0 {
            return Err(Error::Invalid("a view in chunks of 0 elements".into()));
        }
        let raw = self.memory.begin(maps)?;
        Ok(RawView {
            memory: raw.memory,
            extents: [raw.len, self.size],
        })
    }
}

// ---- all arguments of a launch ----

/// The device's half of all arguments together: kernels of type `F` take them.
///
/// # Safety
/// `call` decodes each raw argument and calls the kernel with them in order.
pub unsafe trait Params<F> {
    /// What lies in the parameter block.
    type Raw: Copy;

    /// # Safety
    /// As [`Param::decode`], for each.
    unsafe fn call(kernel: &F, raw: &Self::Raw);
}

/// Says that a tuple may be passed to kernels of type `F`, whose parameters are of the
/// types in the tuple `D`.
///
/// # Safety
/// As [`Arg`], for each.
#[diagnostic::on_unimplemented(
    message = "these arguments do not fit the kernel",
    label = "arguments `{Self}` do not fit the kernel",
    note = "pass one tuple with an argument for each parameter, (x,) for a single one, at most 16"
)]
pub unsafe trait Args<F, D> {
    /// The device's half.
    type Params: Params<F>;
    /// Whether one of them makes the launch wait.
    const BORROWS_HOST: bool;

    /// [`Arg::begin`] of each in turn, up to the first error.
    fn begin(self, maps: &mut Maps) -> Result<<Self::Params as Params<F>>::Raw>;
}

/// The types of a function's parameters. It lets rustc find the type of a literal
/// among the arguments from the kernel's signature. It asks for `FnOnce` only because the
/// bound that matters, for every lifetime, stands beside it.
#[doc(hidden)]
pub trait Signature<D> {}

macro_rules! args {
    ($($arg:ident $device:ident $i:tt),*) => {
        impl<F, $($device),*> Signature<($($device,)*)> for F where F: FnOnce($($device),*) {}

        // SAFETY: as its contract says.
        unsafe impl<F, $($device: Param),*> Params<F> for ($($device,)*)
        where
            F: for<'k> Fn($($device::Device<'k>),*),
        {
            type Raw = ($($device::Raw,)*);
            #[inline(always)]
            #[allow(unused_variables, clippy::unused_unit)]
            unsafe fn call(kernel: &F, raw: &Self::Raw) {
                let call = ();
                // SAFETY: the caller's.
                kernel($(unsafe { $device::decode(raw.$i, &call) }),*)
            }
        }

        // SAFETY: each is an Arg.
        unsafe impl<F, $($arg: Arg<$device>, $device),*> Args<F, ($($device,)*)> for ($($arg,)*)
        where
            F: for<'k> Fn($(<$arg::Param as Param>::Device<'k>),*) + Signature<($($device,)*)>,
        {
            type Params = ($($arg::Param,)*);
            const BORROWS_HOST: bool = false $(|| $arg::BORROWS_HOST)*;
            #[inline]
            #[allow(unused_variables, clippy::unused_unit)]
            fn begin(self, maps: &mut Maps) -> Result<<Self::Params as Params<F>>::Raw> {
                Ok(($(self.$i.begin(maps)?,)*))
            }
        }
    };
}
args!();
args!(A0 D0 0);
args!(A0 D0 0, A1 D1 1);
args!(A0 D0 0, A1 D1 1, A2 D2 2);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9,
    A10 D10 10);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9,
    A10 D10 10, A11 D11 11);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9,
    A10 D10 10, A11 D11 11, A12 D12 12);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9,
    A10 D10 10, A11 D11 11, A12 D12 12, A13 D13 13);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9,
    A10 D10 10, A11 D11 11, A12 D12 12, A13 D13 13, A14 D14 14);
args!(A0 D0 0, A1 D1 1, A2 D2 2, A3 D3 3, A4 D4 4, A5 D5 5, A6 D6 6, A7 D7 7, A8 D8 8, A9 D9 9,
    A10 D10 10, A11 D11 11, A12 D12 12, A13 D13 13, A14 D14 14, A15 D15 15);
