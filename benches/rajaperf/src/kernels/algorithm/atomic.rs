//! Algorithm_ATOMIC: ones added atomically to some thousand numbers in turn: by every thread, by every
//! warp or by every block, what lies below being added up first.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "ATOMIC",
    group: Group::Algorithm,
    features: &[Feature::Forall, Feature::Atomic],
    reps: 50,
    shape: |_, n| Shape {
        bytes_atomic: 8 * n,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[
        Tuning::sized("global"),
        Tuning::sized("warp"),
        Tuning::sized("block"),
    ],
    bounded: true,
    ..Kernel::DEFAULT
};

const VALUE: f64 = 1.0;

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut numbers = vec![0.0; run.params.atomic_replication];
    let n = run.size;
    run.time_host(|| {
        for first in (0..n).step_by(numbers.len()) {
            let left = numbers.len().min(n - first);
            for number in &mut numbers[..left] {
                *number += VALUE;
            }
        }
    });
    Ok(Checksum::of_number(numbers.iter().sum()))
}

/// The value of thread `i`, nothing past the end.
#[inline(always)]
fn value(i: usize, n: usize) -> f64 {
    if i < n { VALUE } else { 0.0 }
}

/// Which number is the `i`th's: the default number of them is a constant, as in the suite, since a
/// division takes longer than all else.
#[inline(always)]
fn turn(i: usize, numbers: usize) -> usize {
    const DEFAULT: usize = 4096;
    if numbers == DEFAULT {
        i % DEFAULT
    } else {
        i % numbers
    }
}

fn by_thread(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        numbers[turn(i, numbers.len())].fetch_add(VALUE);
    }
}

fn by_thread_unchecked(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: a remainder is below what it is divided by, here the length.
        unsafe {
            numbers
                .get_unchecked(turn(i, numbers.len()))
                .fetch_add(VALUE)
        };
    }
}

fn by_warp(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    let sum = warp::reduce(value(i, n), |a, b| a + b);
    if thread::lane() == 0 {
        numbers[turn(i / thread::warp_size() as usize, numbers.len())].fetch_add(sum);
    }
}

fn by_warp_unchecked(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    let sum = warp::reduce(value(i, n), |a, b| a + b);
    if thread::lane() == 0 {
        let at = turn(i / thread::warp_size() as usize, numbers.len());
        // SAFETY: as by thread.
        unsafe { numbers.get_unchecked(at).fetch_add(sum) };
    }
}

fn by_block(n: usize, numbers: &[AtomicF64]) {
    let sum = block::reduce(value(thread::index().get(), n), |a, b| a + b);
    if thread::thread_index().x == 0 {
        numbers[turn(thread::block_index().x as usize, numbers.len())].fetch_add(sum);
    }
}

fn by_block_unchecked(n: usize, numbers: &[AtomicF64]) {
    let sum = block::reduce(value(thread::index().get(), n), |a, b| a + b);
    if thread::thread_index().x == 0 {
        let at = turn(thread::block_index().x as usize, numbers.len());
        // SAFETY: as by thread.
        unsafe { numbers.get_unchecked(at).fetch_add(sum) };
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let numbers = (0..run.params.atomic_replication).map(|_| AtomicF64::new(0.0));
    let numbers = run.move_to_device(numbers.collect())?;
    let (grid, tuning) = (run.cover(n), run.tuning);
    run.time(|queue| {
        let args = (n, &numbers);
        match tuning {
            "warp" => launch!(queue, grid, [by_warp, by_warp_unchecked], args),
            "block" => launch!(queue, grid, [by_block, by_block_unchecked], args),
            _ => launch!(queue, grid, [by_thread, by_thread_unchecked], args),
        }
    })?;
    let numbers = run.to_host(&numbers)?;
    Ok(Checksum::of_number(
        numbers.iter().map(AtomicF64::load).sum(),
    ))
}
