//! Basic_INDEXLIST_3LOOP: the list of the places where x is negative, in three loops: flags, their
//! prefix sums, the list.

use crate::places::{next_tile, places_before, state};
use crate::prelude::*;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

pub const KERNEL: Kernel = Kernel {
    name: "INDEXLIST_3LOOP",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Scan],
    reps: 100,
    shape: |_, n| Shape {
        iterations: 3 * n + 1,
        kernels: 3,
        bytes_read: 8 * n + 8 + 16 * (n + 1),
        // About half of them are negative.
        bytes_written: 8 * n + 8 + 8 * (n + 1) + 4 * (n + 1) / 2,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

/// Threads of a block of the scan, and elements of a thread.
const THREADS: usize = 256;
const ITEMS: usize = 8;
const TILE: usize = THREADS * ITEMS;
/// A warp has at least 32 threads.
const MOST_WARPS: usize = THREADS / 32;

/// x, and the list with its initial contents.
fn data(run: &mut Run) -> (Vec<f64>, Vec<i32>) {
    let (n, init) = (run.size, &mut run.init);
    (init.signed(n), init.ints(n))
}

fn checksum(list: &[i32], len: usize) -> Checksum {
    Checksum::of(list).number(len as f64)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let (x, mut list) = data(run);
    let n = run.size;
    let mut counts = vec![0u64; n + 1];
    run.time_host(|| {
        for (count, x) in counts.iter_mut().zip(&x) {
            *count = (*x < 0.0) as u64;
        }
        let mut sum = 0;
        for count in &mut counts {
            sum += std::mem::replace(count, sum);
        }
        for (i, pair) in counts.windows(2).enumerate() {
            if pair[0] != pair[1] {
                list[pair[0] as usize] = i as i32;
            }
        }
    });
    Ok(checksum(&list, counts[n] as usize))
}

fn flags(x: &[f64], mut counts: DisjointMut<u64>) {
    let t = thread::index();
    if t.get() < x.len() {
        counts[t] = (x[t.get()] < 0.0) as u64;
    }
}

fn flags_unchecked(x: &[f64], mut counts: DisjointMut<u64>) {
    let i = thread::index().get();
    if i < x.len() {
        // SAFETY: counts is longer than x; element i is this thread's.
        unsafe { *counts.get_unchecked_mut(i) = (*x.get_unchecked(i) < 0.0) as u64 };
    }
}

smelt::shared! {
    /// Sum of each warp's part.
    static WARPS: [u64; MOST_WARPS];
}

/// The sum over this lane and those below.
#[inline(always)]
fn warp_scan(mut value: u64) -> u64 {
    let lane = thread::lane();
    let mut delta = 1;
    while delta < thread::warp_size() {
        let below = warp::shuffle_up(value, delta);
        if lane >= delta {
            value += below;
        }
        delta *= 2;
    }
    value
}

/// Sums of what lies before each of this thread's elements in its warp's part, and the part's sum.
#[inline(always)]
fn scan_part(elements: [u64; ITEMS]) -> ([u64; ITEMS], u64) {
    let last = thread::warp_size() - 1;
    let mut sum = 0;
    let before = elements.map(|element| {
        let through = warp_scan(element);
        let before = sum + through - element;
        sum += warp::shuffle(through, last);
        before
    });
    (before, sum)
}

/// `sums[i]` becomes the sum of `counts[..i]`; `read` and `write` do the accesses of a thread's own
/// elements. (Both are one array in the suite; here a thread's elements of a tile belong to no token of
/// its own, so what is written are atomics.)
#[inline(always)]
fn scan(
    state: &[AtomicU64],
    launch: u64,
    read: impl Fn(usize) -> u64,
    mut write: impl FnMut(usize, u64),
) {
    let tile = next_tile(state);
    let (t, warp_size) = (
        thread::thread_index().x as usize,
        thread::warp_size() as usize,
    );
    let (lane, warp) = (thread::lane() as usize, t / warp_size);
    // A warp's part is consecutive, and so are its lanes' elements of each round.
    let first = tile * TILE + warp * warp_size * ITEMS + lane;
    let mut round = 0;
    let elements = [(); ITEMS].map(|()| {
        round += 1;
        read(first + (round - 1) * warp_size)
    });
    let (before, sum) = scan_part(elements);
    if lane == 0 {
        WARPS.store(warp, sum);
    }
    sync::barrier();
    let (mut below, mut whole) = (0, 0);
    for other in 0..THREADS / warp_size {
        if other == warp {
            below = whole;
        }
        whole += WARPS.load(other);
    }
    let earlier = places_before(state, tile, launch, whole);
    for (round, before) in before.iter().enumerate() {
        write(first + round * warp_size, earlier + below + before);
    }
}

fn sums(counts: &[u64], sums: &[AtomicU64], state: &[AtomicU64], launch: u64) {
    let read = |i: usize| counts.get(i).copied().unwrap_or(0);
    let write = |i: usize, sum| {
        if let Some(element) = sums.get(i) {
            element.store(sum, Ordering::Relaxed);
        }
    };
    scan(state, launch, read, write);
}

fn list(sums: &[AtomicU64], list: &[AtomicI32], len: &[AtomicU64]) {
    let i = thread::index().get();
    if i + 1 < sums.len() {
        let here = sums[i].load(Ordering::Relaxed);
        let next = sums[i + 1].load(Ordering::Relaxed);
        if here != next {
            list[here as usize].store(i as i32, Ordering::Relaxed);
        }
        if i + 2 == sums.len() {
            len[0].store(next, Ordering::Relaxed);
        }
    }
}

fn list_unchecked(sums: &[AtomicU64], list: &[AtomicI32], len: &[AtomicU64]) {
    let i = thread::index().get();
    if i + 1 < sums.len() {
        // SAFETY: both sums lie inside, and nobody writes them now; there are as many places for the list as
        // sums can count, each written by one thread; len has one element.
        unsafe {
            let here = *sums.get_unchecked(i).as_ptr();
            let next = *sums.get_unchecked(i + 1).as_ptr();
            if here != next {
                *list.get_unchecked(here as usize).as_ptr() = i as i32;
            }
            if i + 2 == sums.len() {
                *len.get_unchecked(0).as_ptr() = next;
            }
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (x, places) = data(run);
    let n = run.size;
    let x = run.to_device(&x)?;
    let places = run.move_to_device(places.into_iter().map(AtomicI32::new).collect())?;
    let mut counts = run.to_device(&vec![0u64; n + 1])?;
    let totals = run.move_to_device((0..=n).map(|_| AtomicU64::new(0)).collect())?;
    let blocks = (n + 1).div_ceil(TILE);
    let state = state(&run.gpu, blocks)?;
    let len = run.move_to_device(vec![AtomicU64::new(0)])?;
    let mut host = [AtomicU64::new(0)];
    let grid = run.cover(n);
    let scan_grid = Grid::blocks(blocks).threads(THREADS);
    let mut number = 0;
    run.time(|queue| {
        number += 1;
        launch!(queue, grid, [flags, flags_unchecked], (&x, &mut counts))?;
        queue
            .gpu
            .launch(scan_grid, sums, (&counts, &totals, &state, number))?;
        launch!(
            queue,
            grid,
            [list, list_unchecked],
            (&totals, &places, &len)
        )?;
        len.copy_to(&mut host)
    })?;
    let list: Vec<i32> = run
        .to_host(&places)?
        .into_iter()
        .map(AtomicI32::into_inner)
        .collect();
    Ok(checksum(&list, host[0].load(Ordering::Relaxed) as usize))
}
