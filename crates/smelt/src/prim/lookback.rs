//! What blocks before this one have found, in the launch in which they find it.
//!
//! Blocks are numbered in the order in which they begin. Each publishes its own value, then looks
//! back over those before it: it takes each one's value or, where that is known already, the
//! value of everything up to that one's end, at which it stops. (Merrill and Garland, "Single-pass
//! Parallel Prefix Scan with Decoupled Look-back", NVIDIA 2016.) A block waits only for blocks with
//! smaller numbers, which have begun, so none waits for one that cannot run. If one of them panics,
//! what is waited for never comes: so who waits looks at the stream's count of panics.
//!
//! A value is published as words of 64 bits: half of one is a part of the value, the other half says
//! what of, and in which launch. So it needs no order among accesses, is never seen in part, and what
//! earlier launches left counts as nothing and has not to be cleared. How the values of
//! other blocks are grouped depends on timing, so the last bits of floats can differ from run
//! to run.

use crate::device::{block, thread, warp};
use crate::host::maps::{Access, Maps};
use crate::{Buffer, Device, DeviceCopy, Error, Result, Shared, sync};
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::{self, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64};

crate::shared! {
    static NUMBER: u32;
    static COME: [u32; 2];
}

/// A word of this file's shared memory.
#[inline(always)]
fn word<T>(shared: &'static Shared<T>, i: usize) -> &'static AtomicU32 {
    // SAFETY: within the block's memory, say the callers, and only accessed in this way.
    unsafe { AtomicU32::from_ptr((&raw const *shared).cast_mut().cast::<u32>().add(i)) }
}

/// Words before the published ones, of which the first two count blocks.
const HEAD: usize = 32;
/// Number of a launch at most; then everything is cleared.
const MOST_LAUNCHES: u32 = 1 << 31;

/// Words of a published value.
const fn words<T>() -> usize {
    match size_of::<T>().div_ceil(4) {
        0 => 1,
        words => words,
    }
}

/// Memory for what the blocks of a launch publish, for one launch at a time.
pub(crate) struct Lookback {
    memory: Buffer<u64>,
    launches: u32,
}

impl Lookback {
    /// For so many blocks that publish so many values each.
    #[track_caller]
    pub(crate) fn new<T>(gpu: &Device, values: usize) -> Result<Self> {
        let len = values
            .checked_mul(words::<T>())
            .and_then(|len| len.checked_add(HEAD))
            .ok_or_else(|| Error::NoDeviceMemory(format!("{values} values").into()))?;
        Ok(Self {
            memory: Buffer::zeroed(gpu, len)?,
            launches: 0,
        })
    }

    /// Waits for all launches.
    pub(crate) fn wait(&self) -> Result<()> {
        self.memory.view().wait_all()
    }

    /// For a launch.
    pub(crate) fn begin(&mut self, maps: &mut Maps) -> Result<RawLookback> {
        if self.launches + 1 == MOST_LAUNCHES {
            self.memory.view().fill_bytes(maps.stream(), &0u64)?;
            self.launches = 0;
        }
        self.launches += 1;
        Ok(RawLookback {
            memory: self.memory.view().used_by(maps, Access::Write)?,
            // SAFETY: a live stream.
            panicked: unsafe { smelt_sys::smelt_stream_panicked(maps.stream()) } as *mut u8,
            launch: self.launches,
        })
    }
}

/// The same in the kernel.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct RawLookback {
    memory: *mut u8,
    panicked: *mut u8,
    launch: u32,
}

/// What is published.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// The block's own value.
    Own = 0,
    /// That of all blocks up to this one's end.
    Total = 1,
}

impl RawLookback {
    #[inline(always)]
    fn word(&self, i: usize) -> &AtomicU64 {
        // SAFETY: `new` made room for as many blocks as the launch has, say the callers; all
        // accesses are atomic.
        unsafe { AtomicU64::from_ptr(self.memory.cast::<u64>().add(i)) }
    }

    /// Whether a kernel of the stream has panicked.
    #[inline(always)]
    pub(crate) fn has_panicked(&self) -> bool {
        // SAFETY: a word that lives as long as the stream, and is written atomically.
        unsafe { AtomicU32::from_ptr(self.panicked.cast()) }.load(Relaxed) != 0
    }

    /// Draws the next number, from 0, of one of two rows of the launch.
    #[inline(always)]
    pub(crate) fn draw(&self, row: usize, order: Ordering) -> u32 {
        // The counter's upper half is the number of the launch: nobody has to set it back.
        let counter = self.word(row);
        counter.fetch_max((self.launch as u64) << 32, Relaxed);
        counter.fetch_add(1, order) as u32
    }

    /// Publishes a number by itself, as value `at`.
    #[inline(always)]
    pub(crate) fn publish_number(&self, at: usize, what: What, number: u32) {
        let tag = (self.launch << 1 | what as u32) as u64;
        self.word(HEAD + at)
            .store(tag << 32 | number as u64, Relaxed);
    }

    /// What is published as number `at`, if it is there.
    #[inline(always)]
    pub(crate) fn read_number(&self, at: usize) -> Option<(What, u32)> {
        let word = self.word(HEAD + at).load(Relaxed);
        let tag = (word >> 32) as u32;
        let what = if tag & 1 == 0 { What::Own } else { What::Total };
        (tag >> 1 == self.launch).then_some((what, word as u32))
    }

    /// The block's number in the order of beginning, from 0. All threads of the block call it, once;
    /// a barrier follows before the next call of another.
    #[inline(always)]
    pub(crate) fn number(&self) -> u32 {
        if block::thread_number() == 0 {
            word(&NUMBER, 0).store(self.draw(0, Relaxed), Relaxed);
            word(&COME, 0).store(0, Relaxed);
            word(&COME, 1).store(0, Relaxed);
        }
        sync::barrier();
        word(&NUMBER, 0).load(Relaxed)
    }

    /// A barrier, the first or the second after [`number`](Self::number); whether all `threads` of
    /// the block have come, and so none has panicked: then all that they left may be read.
    #[inline(always)]
    pub(crate) fn all_come(&self, which: usize, threads: usize) -> bool {
        word(&COME, which).fetch_add(1, Relaxed);
        sync::barrier();
        word(&COME, which).load(Relaxed) as usize == threads
    }

    /// Publishes lane 0's value as number `at`. All lanes of a warp call it.
    #[inline(always)]
    fn publish<T: DeviceCopy>(&self, at: usize, what: What, value: T) {
        let tag = (self.launch << 1 | what as u32) as u64;
        for i in 0..words::<T>() {
            let word = match size_of::<T>() {
                0 => 0,
                _ => warp::word(&value, i),
            };
            if thread::lane() == 0 {
                let to = self.word(HEAD + at * words::<T>() + i);
                to.store(tag << 32 | word as u64, Relaxed);
            }
        }
    }

    /// What is published as number `at`, if it is there.
    #[inline(always)]
    fn read<T: DeviceCopy>(&self, at: usize) -> Option<(What, T)> {
        let mut value = MaybeUninit::<T>::uninit();
        let mut tag = 0;
        let mut whole = true;
        for i in 0..words::<T>() {
            let word = self.word(HEAD + at * words::<T>() + i).load(Relaxed);
            if i == 0 {
                tag = (word >> 32) as u32;
            }
            whole &= tag == (word >> 32) as u32;
            let word = word as u32;
            let size = size_of::<T>().saturating_sub(4 * i).min(4);
            // SAFETY: `size` bytes from the word's start lie within a T, and within a word.
            unsafe {
                let to = value.as_mut_ptr().cast::<u8>().add(4 * i);
                to.copy_from_nonoverlapping((&raw const word).cast(), size);
            }
        }
        if !whole || tag >> 1 != self.launch {
            return None;
        }
        let what = if tag & 1 == 0 { What::Own } else { What::Total };
        // SAFETY: all words are those of one value that was published.
        Some((what, unsafe { value.assume_init() }))
    }

    /// Publishes `own`, lane 0's, for block `number`, and gives lane 0 what the blocks before have,
    /// combined in order; None for the first, and after a panic. To be called by a whole
    /// warp, `first` being what comes before the first block.
    #[inline(always)]
    pub(crate) fn before<T: DeviceCopy>(
        &self,
        number: u32,
        own: T,
        first: Option<T>,
        op: impl Fn(T, T) -> T,
    ) -> Option<T> {
        let number = number as usize;
        let mut before = first;
        if number > 0 {
            self.publish(number, What::Own, own);
            before = self.look_back(number, &op);
        }
        let total = match before {
            Some(before) => op(before, own),
            None => own,
        };
        self.publish(number, What::Total, total);
        before
    }

    /// How many are in the blocks before, of which block `number` has `own`; for all lanes of the warp that
    /// calls it. After a panic None, and no total is published, so that those behind do not take
    /// for their places what are others'.
    #[inline(always)]
    pub(crate) fn places_before(&self, number: u32, own: u32) -> Option<u32> {
        let mut before = 0;
        if number > 0 {
            self.publish(number as usize, What::Own, own);
            let found = self.look_back(number as usize, &u32::wrapping_add);
            if warp::number_of(found.is_some() as u32, 0) == 0 {
                return None;
            }
            before = warp::number_of(found.unwrap_or(0), 0);
        }
        self.publish(number as usize, What::Total, before.wrapping_add(own));
        Some(before)
    }

    /// A block for each lane at a time, the nearest first.
    #[inline(always)]
    fn look_back<T: DeviceCopy>(&self, number: usize, op: &impl Fn(T, T) -> T) -> Option<T> {
        let (lane, lanes) = (thread::lane(), thread::warp_size());
        let mut near = None;
        let mut end = number;
        while end > 0 {
            let at = end.checked_sub(1 + lane as usize);
            let count = end.min(lanes as usize) as u32;
            let (value, stop) = self.wait(at, count)?;
            // The nearest total; nothing beyond it counts. Only these lanes have a value.
            let far = warp::fold_lanes(value, stop.min(count - 1) + 1, lanes, |near, far| {
                // SAFETY: of one of those lanes.
                unsafe { MaybeUninit::new(op(far.assume_init(), near.assume_init())) }
            });
            // SAFETY: lane 0 has a value; that of others is not used.
            near = Some(match near {
                None => far,
                // SAFETY: as above.
                Some(near) if lane == 0 => unsafe {
                    let (far, near): (MaybeUninit<T>, MaybeUninit<T>) = (far, near);
                    MaybeUninit::new(op(far.assume_init(), near.assume_init()))
                },
                Some(near) => near,
            });
            if stop < count {
                break;
            }
            end -= count as usize;
        }
        match (lane, near) {
            // SAFETY: as above.
            (0, Some(near)) => Some(unsafe { near.assume_init() }),
            _ => None,
        }
    }

    /// Waits until the values of the first `count` lanes are there, or of all up to the
    /// first total: this lane's value, and the lane of that total, at least `count` if
    /// there is none. None after a panic.
    #[inline(always)]
    fn wait<T: DeviceCopy>(&self, at: Option<usize>, count: u32) -> Option<(MaybeUninit<T>, u32)> {
        let mut spins = 0u32;
        loop {
            let known = match at {
                Some(at) => self.read::<T>(at),
                None => None,
            };
            let there = warp::ballot(known.is_some());
            let total = warp::ballot(matches!(known, Some((What::Total, _))));
            let needed = total.trailing_zeros().min(count - 1) + 1;
            let missing = (!there).trailing_zeros() < needed;
            if !missing {
                let value = match known {
                    Some((_, value)) => MaybeUninit::new(value),
                    None => MaybeUninit::uninit(),
                };
                return Some((value, total.trailing_zeros()));
            }
            std::hint::spin_loop();
            spins = spins.wrapping_add(1);
            if spins % 64 == 0 && warp::any(self.has_panicked()) {
                return None;
            }
        }
    }
}
