//! Algorithm_HISTOGRAM: how many elements fall into each bin, read back in every repetition.
//!
//! Neighbours mostly fall into one bin, so a warp keeps one bin and its count until an element
//! is elsewhere. There are several copies of the counts, so that blocks seldom meet; the last
//! block adds them up and leaves them at zero, which makes one launch a repetition.

use crate::order::last_block;
use crate::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub const KERNEL: Kernel = Kernel {
    name: "HISTOGRAM",
    group: Group::Algorithm,
    features: &[Feature::Forall, Feature::Atomic],
    reps: 50,
    shape: |params, n| Shape {
        bytes_read: 8 * params.multi_reduce_num_bins + 8 * n,
        bytes_written: 8 * params.multi_reduce_num_bins,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[
        Tuning::sized("atomic_occgs"),
        Tuning::sized("atomic_direct"),
    ],
    ..Kernel::DEFAULT
};

/// Copies of the counts.
const COPIES: usize = 64;

/// The bin of each element, in runs of random sizes.
fn data(run: &mut Run) -> Vec<usize> {
    let (n, bins) = (run.size, run.params.multi_reduce_num_bins);
    let mut ends = run.init.random(bins);
    ends.sort_by(f64::total_cmp);
    let mut bin = 0;
    let bin_of = |i: usize| {
        while bin + 1 < bins && i as f64 / n as f64 >= ends[bin] {
            bin += 1;
        }
        bin
    };
    (0..n).map(bin_of).collect()
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let bins = data(run);
    let mut counts = vec![0u64; run.params.multi_reduce_num_bins];
    run.time_host(|| {
        counts.fill(0);
        for bin in &bins {
            counts[*bin] += 1;
        }
    });
    Ok(Checksum::of(&counts))
}

/// The sum of `value` over the warp, in all lanes.
#[inline(always)]
fn warp_sum(mut value: u64) -> u64 {
    let mut mask = thread::warp_size() / 2;
    while mask > 0 {
        value += warp::shuffle_xor(value, mask);
        mask /= 2;
    }
    value
}

/// Where this thread's warp begins and ends, of `n` elements, and the thread's lane. A warp's
/// elements are consecutive.
#[inline(always)]
fn stretch(n: usize) -> (usize, usize, usize) {
    let (i, lane) = (thread::index().get(), thread::lane() as usize);
    let threads = thread::grid_dim().x as usize * thread::block_dim().x as usize;
    let each = n.div_ceil(threads);
    let first = (i - lane) * each;
    let end = first + each * thread::warp_size() as usize;
    (first, end.min(n), lane)
}

/// Adds the copies of the counts up, a warp for each bin.
#[inline(always)]
fn add_up(copies: &[AtomicU64], counts: &[AtomicU64]) {
    let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
    let warps = thread::block_dim().x as usize / warp_size;
    let mut bin = thread::thread_index().x as usize / warp_size;
    while bin < counts.len() {
        let mut sum = 0;
        for copy in (lane..COPIES).step_by(warp_size) {
            let copy = &copies[copy * counts.len() + bin];
            sum += copy.load(Relaxed);
            copy.store(0, Relaxed);
        }
        let sum = warp_sum(sum);
        if lane == 0 {
            counts[bin].store(sum, Relaxed);
        }
        bin += warps;
    }
}

fn count(bins: &[usize], copies: &[AtomicU64], counts: &[AtomicU64], blocks: &[AtomicU64]) {
    let copy = thread::block_index().x as usize % COPIES * counts.len();
    let copy = &copies[copy..][..counts.len()];
    let (mut first, end, lane) = stretch(bins.len());
    let (mut kept, mut number) = (0, 0);
    while first < end {
        let bin = bins[first..end].get(lane).copied();
        // Lane 0 has an element.
        let nearest = warp::shuffle(bin.unwrap_or(0), 0);
        let together = warp::all(bin.is_none_or(|bin| bin == nearest));
        let here = warp::ballot(bin.is_some()).count_ones() as u64;
        if together && nearest == kept {
            number += here;
        } else {
            if lane == 0 && number > 0 {
                copy[kept].fetch_add(number, Relaxed);
            }
            (kept, number) = (nearest, if together { here } else { 0 });
            if let Some(bin) = bin
                && !together
            {
                copy[bin].fetch_add(1, Relaxed);
            }
        }
        first += thread::warp_size() as usize;
    }
    if lane == 0 && number > 0 {
        copy[kept].fetch_add(number, Relaxed);
    }
    if last_block(&blocks[0]) {
        add_up(copies, counts);
    }
}

fn count_unchecked(
    bins: &[usize],
    copies: &[AtomicU64],
    counts: &[AtomicU64],
    blocks: &[AtomicU64],
) {
    let copy = thread::block_index().x as usize % COPIES * counts.len();
    let (mut first, end, lane) = stretch(bins.len());
    let (mut kept, mut number) = (0, 0);
    // SAFETY: end is at most the number of elements; a bin is below the number of counts, of
    // which there are COPIES copies.
    unsafe {
        let add =
            |bin: usize, number: u64| copies.get_unchecked(copy + bin).fetch_add(number, Relaxed);
        while first < end {
            let inside = first + lane < end;
            let nearest = *bins.get_unchecked(first);
            let bin = match inside {
                true => *bins.get_unchecked(first + lane),
                false => nearest,
            };
            let together = warp::all(bin == nearest);
            let here = warp::ballot(inside).count_ones() as u64;
            if together && nearest == kept {
                number += here;
            } else {
                if lane == 0 && number > 0 {
                    add(kept, number);
                }
                (kept, number) = (nearest, if together { here } else { 0 });
                if inside && !together {
                    add(bin, 1);
                }
            }
            first += thread::warp_size() as usize;
        }
        if lane == 0 && number > 0 {
            add(kept, number);
        }
        if last_block(blocks.get_unchecked(0)) {
            add_up(copies, counts);
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let bins = data(run);
    let n_bins = run.params.multi_reduce_num_bins;
    let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
    let bins = run.to_device(&bins)?;
    let copies = run.move_to_device(zeros(COPIES * n_bins))?;
    let counts = run.move_to_device(zeros(n_bins))?;
    let blocks = run.move_to_device(zeros(1))?;
    let mut host = zeros(n_bins);
    let grid = match run.tuning {
        "atomic_direct" => run.cover(run.size),
        _ => run.fill(run.size),
    };
    run.time(|queue| {
        let args = (&bins, &copies, &counts, &blocks);
        launch!(queue, grid, [count, count_unchecked], args)?;
        counts.copy_to(&mut host)
    })?;
    let counts: Vec<u64> = host.into_iter().map(AtomicU64::into_inner).collect();
    Ok(Checksum::of(&counts))
}
