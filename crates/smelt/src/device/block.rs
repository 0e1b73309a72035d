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
const MOST_THREADS: usize = 1024;
const MOST_WARPS: usize = 32;
/// Most bytes of a value.
const MOST_SIZE: usize = ROOM / MOST_WARPS;

crate::shared! {
    static LEFT: [Aligned; ROOM / 16];
    static COUNT: u32;
    static SAID: u32;
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
        // And has seen what was said there, since this one.
        atomic(&SAID).store(0, Ordering::Relaxed);
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

    /// One thread tells all others something, not 0, before the last barrier.
    #[inline(always)]
    pub(crate) fn say(&self, what: u32) {
        atomic(&SAID).store(what, Ordering::Relaxed);
    }

    /// Waits for everybody; what one has said, 0 if none has.
    #[inline(always)]
    pub(crate) fn said(&self) -> u32 {
        sync::barrier();
        atomic(&SAID).load(Ordering::Relaxed)
    }
}

#[cold]
#[inline(always)]
#[track_caller]
pub(crate) fn absent() -> ! {
    panic!("an operation of a whole block, and a thread of it has ended or is elsewhere")
}

/// How many values there is room for; not more than threads.
const fn places<T>() -> usize {
    match size_of::<T>() {
        0 => MOST_THREADS,
        size if ROOM / size < MOST_THREADS => ROOM / size,
        _ => MOST_THREADS,
    }
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
    mut value: T,
    count: u32,
    op: impl Fn(T, T) -> T,
) -> Option<T> {
    let t = thread_number() as u32;
    let mut here = count;
    if const { places::<T>() == MOST_THREADS } {
        // SAFETY: each thread its own place; read after the barrier.
        unsafe { place::<T>(t as usize).write(value) };
        meeting.all_left();
    } else {
        let room = const { places::<T>() as u32 };
        value = fold_turns(meeting, value, t, count, &op);
        here = count.min(room);
    }
    let lanes = thread::warp_size();
    if t >= lanes {
        return None;
    }
    // One warp takes them, each lane in steps of the warp.
    let mut i = t + lanes;
    while i < here {
        // SAFETY: left before the barrier, by a thread below `here`.
        value = op(value, unsafe { place::<T>(i as usize).read() });
        i += lanes;
    }
    // All of this warp's threads came.
    let all = match here >= lanes {
        true => warp::fold_whole(value, op),
        false => warp::fold_lanes(value, here, here, op),
    };
    (t == 0).then_some(all)
}

/// Leaves the values of as many threads as there is room for. Those of the rest come in turns, and
/// are combined with those that lie there. Gives this thread's then, if it has a place.
#[inline(always)]
#[track_caller]
fn fold_turns<T: DeviceCopy>(
    meeting: &Meeting,
    value: T,
    t: u32,
    count: u32,
    op: impl Fn(T, T) -> T,
) -> T {
    let room = const { places::<T>() as u32 };
    if t < room {
        // SAFETY: each thread its own place; read after the barrier.
        unsafe { place::<T>(t as usize).write(value) };
    }
    meeting.all_left();
    let mut first = room;
    while first < count {
        if first <= t && t < count && t - first < room {
            // SAFETY: left by another thread before the barrier; each thread its own place.
            unsafe {
                let place = place::<T>((t - first) as usize);
                place.write(op(place.read(), value));
            }
        }
        sync::barrier();
        first += room;
    }
    match room < count && t < room {
        // SAFETY: this thread's own place.
        true => unsafe { place::<T>(t as usize).read() },
        false => value,
    }
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
    if let Some(all) = reduce_to_first(&meeting, value, meeting.threads as u32, op) {
        // SAFETY: only this thread has read that place since the barrier.
        unsafe { place::<T>(0).write(all) };
        meeting.say(1);
    }
    if meeting.said() == 0 {
        // Thread 0 has panicked.
        absent();
    }
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
