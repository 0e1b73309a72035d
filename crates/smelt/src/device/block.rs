//! Operations among all threads of a block.
//!
//! All threads of the block must make the call, together. What they leave for each other lies in
//! shared memory of this module, which nobody else reaches, and is read after a barrier only.
//! A thread that has ended, or is elsewhere, would have left nothing there: a meeting counts who has
//! come, and all panic unless it was everybody. So no call ever gives a result that is made of
//! less than the whole block, and none reads what was not written.

use super::slice::BlockLen;
use super::{Shared, sync, thread, warp};
use crate::DeviceCopy;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes that the threads of a block leave for each other at a time.
const ROOM: usize = 8192;
/// A block has 1024 threads at most, and a warp 32 at least.
const MOST_WARPS: usize = 32;
/// Most bytes of a value.
const MOST_SIZE: usize = ROOM / MOST_WARPS;

crate::shared! {
    static LEFT: [Aligned; ROOM / 16];
    static COUNT: u32;
    static DONE: u32;
}

/// 16 bytes, aligned as any value that may travel is.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Aligned([MaybeUninit<u8>; 16]);
// SAFETY: bytes.
unsafe impl DeviceCopy for Aligned {}

/// Thread's number in its block, x running fastest, below [`size`].
#[inline]
pub fn thread_number() -> usize {
    let (t, n) = (thread::thread_index(), thread::block_dim());
    // Below 1024.
    let row = t.z.wrapping_mul(n.y).wrapping_add(t.y);
    row.wrapping_mul(n.x).wrapping_add(t.x) as usize
}

/// As an argument of a launch: shared memory for `len` elements in each block, which the kernel gets as a
/// [`BlockSlice`](crate::BlockSlice).
#[inline]
pub fn slice<T: DeviceCopy>(len: usize) -> BlockLen<T> {
    BlockLen::new(len)
}

/// Threads in the block.
#[inline]
pub fn size() -> usize {
    let n = thread::block_dim();
    n.x.wrapping_mul(n.y).wrapping_mul(n.z) as usize
}

#[inline(always)]
fn atomic(word: &'static Shared<u32>) -> &'static AtomicU32 {
    // SAFETY: shared memory of the block, only accessed in this way.
    unsafe { AtomicU32::from_ptr(word.as_mut_ptr()) }
}

/// All threads of the block at one place. Between [`all_left`](Self::all_left) and the
/// next meeting there is another barrier.
pub(crate) struct Meeting {
    pub(crate) threads: usize,
}

impl Meeting {
    /// Waits for everybody: what earlier calls left has been read.
    #[inline(always)]
    pub(crate) fn begin() -> Self {
        // Everybody has seen the last meeting's count, since that meeting's last barrier.
        atomic(&COUNT).store(0, Ordering::Relaxed);
        sync::barrier();
        // And has seen whether its result was there, since this one.
        atomic(&DONE).store(0, Ordering::Relaxed);
        Self { threads: size() }
    }

    /// Waits for everybody: all may read what was left since the beginning.
    ///
    /// # Panics
    /// Unless all threads of the block have come.
    #[inline(always)]
    #[track_caller]
    pub(crate) fn all_left(&self) {
        atomic(&COUNT).fetch_add(1, Ordering::Relaxed);
        sync::barrier();
        if atomic(&COUNT).load(Ordering::Relaxed) as usize != self.threads {
            absent();
        }
    }

    /// One thread says that it has left a result, before the last barrier.
    #[inline(always)]
    pub(crate) fn done(&self) {
        atomic(&DONE).store(1, Ordering::Relaxed);
    }

    /// Waits for everybody; whether one has said so.
    #[inline(always)]
    pub(crate) fn is_done(&self) -> bool {
        sync::barrier();
        atomic(&DONE).load(Ordering::Relaxed) != 0
    }

    /// Waits for everybody: the result may be read.
    ///
    /// # Panics
    /// If nobody has left one, having panicked.
    #[inline(always)]
    #[track_caller]
    fn wait_done(&self) {
        if !self.is_done() {
            absent();
        }
    }
}

#[cold]
#[inline(always)]
#[track_caller]
pub(crate) fn absent() -> ! {
    panic!("an operation of a whole block, and a thread of it has ended or is elsewhere")
}

/// Place `i` of what is left.
///
/// # Safety
/// It lies within [`ROOM`]; accesses are ordered by barriers.
#[inline(always)]
pub(crate) unsafe fn place<T>(i: usize) -> *mut T {
    const {
        assert!(size_of::<T>() <= MOST_SIZE, "a value of at most 256 bytes");
        assert!(align_of::<T>() <= 16, "a value aligned to at most 16");
    }
    // SAFETY: the caller's.
    unsafe { LEFT.as_mut_ptr().cast::<T>().add(i) }
}

/// The values of the first `count` threads of the block combined, in thread 0; the others
/// get nothing. All threads call it after [`Meeting::begin`].
#[inline(always)]
#[track_caller]
pub(crate) fn reduce_to_first<T: DeviceCopy>(
    meeting: &Meeting,
    value: T,
    count: usize,
    op: impl Fn(T, T) -> T,
) -> Option<T> {
    let room = const {
        match size_of::<T>() {
            0 => 1024,
            size => ROOM / size,
        }
    };
    let t = thread_number();
    if t < count && t < room {
        // SAFETY: below `room`, each thread its own; read after the barrier.
        unsafe { place::<T>(t).write(value) };
    }
    meeting.all_left();
    // Of blocks with more threads than there is room for, the rest comes in turns.
    let mut first = room;
    while first < count {
        if first <= t && t < count && t - first < room {
            // SAFETY: left by another thread before the barrier; each thread its own place.
            unsafe {
                let place = place::<T>(t - first);
                place.write(op(place.read(), value));
            }
        }
        sync::barrier();
        first += room;
    }
    let (here, step) = (count.min(room), thread::warp_size() as usize);
    if t >= step {
        return None;
    }
    // One warp takes them, each lane in steps of the warp.
    let mut all = value;
    // SAFETY: left before the barrier, by a thread below `here`.
    unsafe {
        if room < count && t < here {
            all = place::<T>(t).read();
        }
        let mut i = t + step;
        while i < here {
            all = op(all, place::<T>(i).read());
            i += step;
        }
    }
    let all = warp::fold_lanes(all, here.min(step) as u32, op);
    (t == 0).then_some(all)
}

/// The values of all threads of the block, combined by `op`; all get the result. `op` must be
/// associative and commutative (up to rounding, for floats); the order is the same in
/// every run.
///
/// ```
/// # use smelt::prelude::*;
/// fn sums(x: &[u32], mut y: DisjointMut<u32>) {
///     let i = thread::index();
///     let x = x.get(i.get()).copied().unwrap_or(0);
///     let sum = block::reduce(x, |a, b| a + b);
///     if let Some(y) = y.get_mut(i) {
///         *y = sum;
///     }
/// }
/// # let gpu = Device::default()?;
/// let x = vec![1u32; 150];
/// let mut y = vec![0; 150];
/// gpu.launch(Grid::cover(150).block(100), sums, (&x, &mut y))?;
/// assert_eq!((y[0], y[149]), (100, 50));
/// # Ok::<(), smelt::Error>(())
/// ```
///
/// # Panics
/// Unless all threads of the block make the call.
#[inline(always)]
#[track_caller]
pub fn reduce<T: DeviceCopy>(value: T, op: impl Fn(T, T) -> T) -> T {
    let meeting = Meeting::begin();
    if let Some(all) = reduce_to_first(&meeting, value, meeting.threads, op) {
        // SAFETY: only this thread has read that place since the barrier.
        unsafe { place::<T>(0).write(all) };
        meeting.done();
    }
    meeting.wait_done();
    // SAFETY: written before the barrier, and not again before the next meeting's.
    unsafe { place::<T>(0).read() }
}

/// The values of this thread and of those before it in the block, combined by `op` in the
/// order of [`thread_number`]. `op` must be associative (up to rounding, for
/// floats).
///
/// # Panics
/// Unless all threads of the block make the call.
#[inline(always)]
#[track_caller]
pub fn scan_inclusive<T: DeviceCopy>(value: T, op: impl Fn(T, T) -> T) -> T {
    let (before, through) = scan(value, &op);
    match before {
        None => through,
        Some(before) => op(before, through),
    }
}

/// The values of the threads before this one in the block, combined by `op` in the order of
/// [`thread_number`]; `start` for the first. `op` must be associative (up to rounding,
/// for floats), and `start` change nothing.
///
/// ```
/// # use smelt::prelude::*;
/// fn places(wanted: &[bool], mut y: DisjointMut<u32>) {
///     let i = thread::index();
///     y[i] = block::scan_exclusive(wanted[i.get()] as u32, 0, |a, b| a + b);
/// }
/// # let gpu = Device::default()?;
/// let mut y = vec![0; 5];
/// let wanted = [true, false, true, true, false];
/// gpu.launch(Grid::blocks(1).threads(5), places, (&wanted[..], &mut y))?;
/// assert_eq!(y, [0, 1, 1, 2, 3]);
/// # Ok::<(), smelt::Error>(())
/// ```
///
/// # Panics
/// Unless all threads of the block make the call.
#[inline(always)]
#[track_caller]
pub fn scan_exclusive<T: DeviceCopy>(value: T, start: T, op: impl Fn(T, T) -> T) -> T {
    let (before, through) = scan(value, &op);
    let before = before.unwrap_or(start);
    let below = warp::below(through);
    match below {
        None => before,
        Some(below) => op(before, below),
    }
}

/// Of the warps before this thread's, `None` in the first; and of this thread and those before it
/// in its warp.
#[inline(always)]
#[track_caller]
fn scan<T: DeviceCopy>(value: T, op: &impl Fn(T, T) -> T) -> (Option<T>, T) {
    let meeting = Meeting::begin();
    let (t, lanes) = (thread_number(), thread::warp_size() as usize);
    let through = warp::scan_inclusive(value, op);
    let (warp, last) = (
        t / lanes,
        (t % lanes == lanes - 1) || t + 1 == meeting.threads,
    );
    if last {
        // SAFETY: one thread of each warp, its own place; read after the barrier.
        unsafe { place::<T>(warp).write(through) };
    }
    meeting.all_left();
    let mut before = None;
    for other in 0..warp {
        // SAFETY: left before the barrier, and not written again before the next meeting's.
        let other = unsafe { place::<T>(other).read() };
        before = Some(match before {
            None => other,
            Some(before) => op(before, other),
        });
    }
    // All have seen who came.
    sync::barrier();
    (before, through)
}
