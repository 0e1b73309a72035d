//! Basic_MULTI_REDUCE: data summed up by bins.
//!
//! Neighbours mostly fall into one bin, so a warp whose lanes agree adds up first and does one
//! atomic addition; there are several copies of the bins, so that those of different
//! blocks seldom meet. The last block adds the copies up and leaves them at zero.

use crate::order::last_block;
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

/// Copies of the bins.
const COPIES: usize = 256;

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
    bins: &[usize],
    data: &[f64],
    copies: &[AtomicF64],
    values: &[AtomicF64],
    blocks: &[AtomicU64],
) {
    let (n, warp_size) = (bins.len(), thread::warp_size() as usize);
    let copy = thread::block_index().x as usize % COPIES * (copies.len() / COPIES);
    let t = thread::index().get();
    let stride = thread::grid_dim().x as usize * thread::block_dim().x as usize;
    // The warp's first element: its lanes stay together to the end.
    let mut first = t - t % warp_size;
    while first < n {
        let i = first + t % warp_size;
        let (bin, value) = if i < n {
            (bins[i], data[i])
        } else {
            (bins[first], 0.0)
        };
        if warp::all(bin == warp::shuffle(bin, 0)) {
            let sum = warp::reduce(value, |a, b| a + b);
            if t % warp_size == 0 {
                copies[copy + bin].fetch_add(sum);
            }
        } else {
            copies[copy + bin].fetch_add(value);
        }
        first += stride;
    }
    if last_block(&blocks[0]) {
        add_up(copies, values);
    }
}

fn accumulate_unchecked(
    bins: &[usize],
    data: &[f64],
    copies: &[AtomicF64],
    values: &[AtomicF64],
    blocks: &[AtomicU64],
) {
    let (n, warp_size) = (bins.len(), thread::warp_size() as usize);
    let copy = thread::block_index().x as usize % COPIES * (copies.len() / COPIES);
    let t = thread::index().get();
    let stride = thread::grid_dim().x as usize * thread::block_dim().x as usize;
    let mut first = t - t % warp_size;
    while first < n {
        let i = first + t % warp_size;
        // SAFETY: both have n elements, and first is below n; a bin is below the number
        // of bins, of which there are COPIES times as many copies.
        unsafe {
            let (bin, value) = if i < n {
                (*bins.get_unchecked(i), *data.get_unchecked(i))
            } else {
                (*bins.get_unchecked(first), 0.0)
            };
            if warp::all(bin == warp::shuffle(bin, 0)) {
                let sum = warp::reduce(value, |a, b| a + b);
                if t % warp_size == 0 {
                    copies.get_unchecked(copy + bin).fetch_add(sum);
                }
            } else {
                copies.get_unchecked(copy + bin).fetch_add(value);
            }
        }
        first += stride;
    }
    if last_block(&blocks[0]) {
        add_up(copies, values);
    }
}

/// Adds the copies of the bins up, a warp for each bin, and leaves them at zero.
#[inline(always)]
fn add_up(copies: &[AtomicF64], values: &[AtomicF64]) {
    let (lane, warp_size) = (thread::lane() as usize, thread::warp_size() as usize);
    let warps = thread::block_dim().x as usize / warp_size;
    let mut bin = thread::thread_index().x as usize / warp_size;
    while bin < values.len() {
        let mut sum = 0.0;
        for copy in (lane..COPIES).step_by(warp_size) {
            let copy = &copies[copy * values.len() + bin];
            sum += copy.load();
            copy.store(0.0);
        }
        let sum = warp::reduce(sum, |a, b| a + b);
        if lane == 0 {
            values[bin].store(sum);
        }
        bin += warps;
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (bins, data) = data(run);
    let n_bins = run.params.multi_reduce_num_bins;
    let zeros = |n: usize| (0..n).map(|_| AtomicF64::new(0.0)).collect::<Vec<_>>();
    let (bins, data) = (run.to_device(&bins)?, run.to_device(&data)?);
    let copies = run.move_to_device(zeros(COPIES * n_bins))?;
    let values = run.move_to_device(zeros(n_bins))?;
    let mut host = zeros(n_bins);
    let (grid, _) = run.reduction_grid(run.size);
    let blocks = run.move_to_device(vec![AtomicU64::new(0)])?;
    run.time(|queue| {
        let args = (&bins, &data, &copies, &values, &blocks);
        launch!(queue, grid, [accumulate, accumulate_unchecked], args)?;
        values.copy_to(&mut host)
    })?;
    Ok(Checksum::of(AtomicF64::get_mut_slice(&mut host)))
}
