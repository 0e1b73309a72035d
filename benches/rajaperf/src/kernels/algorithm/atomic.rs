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

/// How many numbers there are by default: a constant for kernels made for it, as in the suite, since
/// a division takes longer than all else.
const DEFAULT: usize = 4096;

/// Which of `numbers` is the `i`th's; `N` of them, or 0 for kernels for any number.
#[inline(always)]
fn turn<const N: usize>(i: usize, numbers: usize) -> usize {
    match N {
        0 => i % numbers,
        _ => i % N,
    }
}

fn by_thread<const N: usize>(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        numbers[turn::<N>(i, numbers.len())].fetch_add(VALUE);
    }
}

fn by_thread_unchecked<const N: usize>(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: a remainder is below what it is divided by, here the length.
        unsafe {
            numbers
                .get_unchecked(turn::<N>(i, numbers.len()))
                .fetch_add(VALUE)
        };
    }
}

fn by_warp<const N: usize>(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    let sum = warp::reduce(value(i, n), |a, b| a + b);
    if thread::lane() == 0 {
        numbers[turn::<N>(i / thread::warp_size() as usize, numbers.len())].fetch_add(sum);
    }
}

fn by_warp_unchecked<const N: usize>(n: usize, numbers: &[AtomicF64]) {
    let i = thread::index().get();
    let sum = warp::reduce(value(i, n), |a, b| a + b);
    if thread::lane() == 0 {
        let at = turn::<N>(i / thread::warp_size() as usize, numbers.len());
        // SAFETY: as by thread.
        unsafe { numbers.get_unchecked(at).fetch_add(sum) };
    }
}

fn by_block<const N: usize>(n: usize, numbers: &[AtomicF64]) {
    let sum = block::reduce(value(thread::index().get(), n), |a, b| a + b);
    if thread::thread_index().x == 0 {
        numbers[turn::<N>(thread::block_index().x as usize, numbers.len())].fetch_add(sum);
    }
}

fn by_block_unchecked<const N: usize>(n: usize, numbers: &[AtomicF64]) {
    let sum = block::reduce(value(thread::index().get(), n), |a, b| a + b);
    if thread::thread_index().x == 0 {
        let at = turn::<N>(thread::block_index().x as usize, numbers.len());
        // SAFETY: as by thread.
        unsafe { numbers.get_unchecked(at).fetch_add(sum) };
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = run.size;
    let numbers = (0..run.params.atomic_replication).map(|_| AtomicF64::new(0.0));
    let numbers = run.move_to_device(numbers.collect())?;
    let (grid, tuning) = (run.cover(n), run.tuning);
    let default = run.params.atomic_replication == DEFAULT;
    macro_rules! of {
        ($queue:ident, $safe:ident, $unchecked:ident) => {
            if default {
                let kernels = ($safe::<DEFAULT>, $unchecked::<DEFAULT>);
                launch!($queue, grid, [kernels.0, kernels.1], (n, &numbers))
            } else {
                let kernels = ($safe::<0>, $unchecked::<0>);
                launch!($queue, grid, [kernels.0, kernels.1], (n, &numbers))
            }
        };
    }
    run.time(|queue| match tuning {
        "warp" => of!(queue, by_warp, by_warp_unchecked),
        "block" => of!(queue, by_block, by_block_unchecked),
        _ => of!(queue, by_thread, by_thread_unchecked),
    })?;
    let numbers = run.to_host(&numbers)?;
    Ok(Checksum::of_number(
        numbers.iter().map(AtomicF64::load).sum(),
    ))
}
