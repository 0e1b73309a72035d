//! Basic_MULTI_REDUCE: data summed up by bins.
//!
//! Each thread and warp adds up first (`bins.rs`); there are several copies of the bins, so that
//! different blocks seldom meet. The last block adds the copies up and leaves them at zero.

use crate::bins::{self, COPIES, Stretches};
use crate::order::{self, last_block};
use crate::prelude::*;
use std::sync::atomic::AtomicU64;

pub const KERNEL: Kernel = Kernel {
    name: "MULTI_REDUCE",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Atomic],
    reps: 50,
    shape: |params, n| Shape {
        bytes_read: 8 * params.multi_reduce_num_bins + 16 * n,
        bytes_written: 8 * params.multi_reduce_num_bins,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    ..Kernel::DEFAULT
};

/// The bin of each element, in runs of random sizes, and the elements.
fn data(run: &mut Run) -> (Vec<usize>, Vec<f64>) {
    let (n, bins) = (run.size, run.params.multi_reduce_num_bins);
    let data = run.init.random(n);
    let mut ends = run.init.random(bins);
    ends.sort_by(f64::total_cmp);
    let mut bin = 0;
    let bin_of = |i: usize| {
        while bin + 1 < bins && i as f64 / n as f64 >= ends[bin] {
            bin += 1;
        }
        bin
    };
    ((0..n).map(bin_of).collect(), data)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let (bins, data) = data(run);
    let mut values = vec![0.0; run.params.multi_reduce_num_bins];
    run.time_host(|| {
        values.fill(0.0);
        for (bin, data) in bins.iter().zip(&data) {
            values[*bin] += data;
        }
    });
    Ok(Checksum::of(&values))
}

fn accumulate(
    stretches: Stretches,
    bins: &[usize],
    data: &[f64],
    copies: &[AtomicF64],
    values: &[AtomicF64],
    blocks: &[AtomicU64],
) {
    let copy = &copies[bins::copy(values.len())..][..values.len()];
    let data = &data[..bins.len()];
    let add = |bin: usize, sum: f64| {
        copy[bin].fetch_add(sum);
    };
    let element = |i| (bins[i], data[i]);
    stretches.sum(bins.len(), 0.0, element, |a, b| a + b, add);
    if last_block(blocks) {
        add_up(copies, values);
    }
}

fn accumulate_unchecked(
    stretches: Stretches,
    bins: &[usize],
    data: &[f64],
    copies: &[AtomicF64],
    values: &[AtomicF64],
    blocks: &[AtomicU64],
) {
    let copy = bins::copy(values.len());
    // SAFETY: both have as many elements as the stretches; a bin is below the number of values, of
    // which there are COPIES copies.
    unsafe {
        let add = |bin: usize, sum: f64| {
            copies.get_unchecked(copy + bin).fetch_add(sum);
        };
        let element = |i: usize| (*bins.get_unchecked(i), *data.get_unchecked(i));
        stretches.sum(bins.len(), 0.0, element, |a, b| a + b, add);
    }
    if last_block(blocks) {
        add_up(copies, values);
    }
}

/// By one block, after all others.
#[inline(always)]
fn add_up(copies: &[AtomicF64], values: &[AtomicF64]) {
    let take = |i: usize| {
        let sum = copies[i].load();
        copies[i].store(0.0);
        sum
    };
    let put = |bin: usize, sum| values[bin].store(sum);
    bins::add_up(values.len(), 0.0, take, |a, b| a + b, put);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (bins, data) = data(run);
    let n_bins = run.params.multi_reduce_num_bins;
    let zeros = |n: usize| (0..n).map(|_| AtomicF64::new(0.0)).collect::<Vec<_>>();
    let (bins, data) = (run.to_device(&bins)?, run.to_device(&data)?);
    let copies = run.move_to_device(zeros(COPIES * n_bins))?;
    let values = run.move_to_device(zeros(n_bins))?;
    let mut host = zeros(n_bins);
    let (grid, n_blocks) = run.reduction_grid(run.size);
    let stretches = Stretches::new(run.size, n_blocks * run.block);
    let blocks = run.move_to_device(order::counters())?;
    run.time(|queue| {
        let args = (stretches, &bins, &data, &copies, &values, &blocks);
        launch!(queue, grid, [accumulate, accumulate_unchecked], args)?;
        values.copy_to(&mut host)
    })?;
    Ok(Checksum::of(AtomicF64::get_mut_slice(&mut host)))
}
