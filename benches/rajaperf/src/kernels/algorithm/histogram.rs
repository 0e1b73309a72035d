//! Algorithm_HISTOGRAM: how many elements fall into each bin, read back in every repetition.
//!
//! Each thread and warp counts first (`bins.rs`). There are several copies of the counts, so that
//! blocks seldom meet; the last block adds them up and leaves them at zero, which makes one launch a
//! repetition.

use crate::bins::{self, COPIES, Stretches};
use crate::order::{self, last_block};
use crate::prelude::*;
use smelt::prim::Histogram;
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
        Tuning::plain("library"),
    ],
    ..Kernel::DEFAULT
};

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

fn count(
    stretches: Stretches,
    bins: &[usize],
    copies: &[AtomicU64],
    counts: &[AtomicU64],
    blocks: &[AtomicU64],
) {
    let copy = &copies[bins::copy(counts.len())..][..counts.len()];
    let add = |bin: usize, number: u32| {
        copy[bin].fetch_add(number as u64, Relaxed);
    };
    let element = |i| (bins[i], 1);
    stretches.sum(bins.len(), 0, element, |a, b| a + b, add);
    if last_block(blocks) {
        add_up(copies, counts);
    }
}

fn count_unchecked(
    stretches: Stretches,
    bins: &[usize],
    copies: &[AtomicU64],
    counts: &[AtomicU64],
    blocks: &[AtomicU64],
) {
    let copy = bins::copy(counts.len());
    // SAFETY: there are as many elements as the stretches have; a bin is below the number of counts,
    // of which there are COPIES copies.
    unsafe {
        let add = |bin: usize, number: u32| {
            let count = copies.get_unchecked(copy + bin);
            count.fetch_add(number as u64, Relaxed);
        };
        let element = |i: usize| (*bins.get_unchecked(i), 1);
        stretches.sum(bins.len(), 0, element, |a, b| a + b, add);
        if last_block(blocks) {
            add_up(copies, counts);
        }
    }
}

/// By one block, after all others.
#[inline(always)]
fn add_up(copies: &[AtomicU64], counts: &[AtomicU64]) {
    let take = |i: usize| {
        let count = copies[i].load(Relaxed);
        copies[i].store(0, Relaxed);
        count
    };
    let put = |bin: usize, count| counts[bin].store(count, Relaxed);
    bins::add_up(counts.len(), 0, take, |a, b| a + b, put);
}

/// Tuning `library`: the crate's histogram.
fn library(run: &mut Run) -> smelt::Result<Checksum> {
    let bins = data(run);
    let n_bins = run.params.multi_reduce_num_bins;
    let bins = run.to_device(&bins)?;
    let mut counts = run.to_device(&vec![0u64; n_bins])?;
    let mut histogram = Histogram::new(&run.gpu, n_bins)?;
    let mut host = vec![0u64; n_bins];
    run.time(|queue| {
        histogram.of(&queue.gpu, bins.view(), counts.view_mut(), |bin| *bin)?;
        counts.copy_to(&mut host)
    })?;
    Ok(Checksum::of(&host))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "library" {
        return library(run);
    }
    let bins = data(run);
    let n_bins = run.params.multi_reduce_num_bins;
    let zeros = |n: usize| (0..n).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
    let bins = run.to_device(&bins)?;
    let copies = run.move_to_device(zeros(COPIES * n_bins))?;
    let counts = run.move_to_device(zeros(n_bins))?;
    let blocks = run.move_to_device(order::counters())?;
    let mut host = zeros(n_bins);
    let (grid, n_blocks) = run.reduction_grid(run.size);
    let stretches = Stretches::new(run.size, n_blocks * run.block);
    run.time(|queue| {
        let args = (stretches, &bins, &copies, &counts, &blocks);
        launch!(queue, grid, [count, count_unchecked], args)?;
        counts.copy_to(&mut host)
    })?;
    let counts: Vec<u64> = host.into_iter().map(AtomicU64::into_inner).collect();
    Ok(Checksum::of(&counts))
}
