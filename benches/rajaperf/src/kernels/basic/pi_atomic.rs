//! Basic_PI_ATOMIC: pi by the midpoint rule, every term added to one number atomically.
//!
//! Tuning `block` is what the kernel is for: one atomic addition a term. `aggregated` adds up the terms
//! of each block first, and then does one.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "PI_ATOMIC",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Atomic],
    reps: 50,
    shape: |_, n| Shape {
        bytes_atomic: 8,
        flops: 6 * n + 1,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("aggregated")],
    ..Kernel::DEFAULT
};

#[inline(always)]
fn slice_of_pi(i: usize, dx: f64) -> f64 {
    let x = (i as f64 + 0.5) * dx;
    dx / (1.0 + x * x)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let (n, dx) = (run.size, 1.0 / run.size as f64);
    let mut pi = 0.0;
    run.time_host(|| {
        pi = 0.0;
        for i in 0..n {
            pi += slice_of_pi(i, dx);
        }
        pi *= 4.0;
    });
    Ok(Checksum::of_number(pi))
}

fn pi(n: usize, dx: f64, pi: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        pi[0].fetch_add(slice_of_pi(i, dx));
    }
}

fn pi_unchecked(n: usize, dx: f64, pi: &[AtomicF64]) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: it has one element.
        unsafe { pi.get_unchecked(0).fetch_add(slice_of_pi(i, dx)) };
    }
}

fn aggregated(share: Share, n: usize, dx: f64, pi: &[AtomicF64]) {
    let sum = share.fold(n, 0.0, |sum, i| sum + slice_of_pi(i, dx));
    let sum = block::reduce(sum, |a, b| a + b);
    if thread::thread_index().x == 0 {
        pi[0].fetch_add(sum);
    }
}

fn reset(pi: &[AtomicF64]) {
    if thread::index().get() == 0 {
        pi[0].store(0.0);
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (n, dx) = (run.size, 1.0 / run.size as f64);
    let sum = run.move_to_device(vec![AtomicF64::new(0.0)])?;
    let mut host = [AtomicF64::new(0.0)];
    let (all, (few, blocks)) = (run.cover(n), run.reduction_grid(n));
    let (share, plain) = (run.share(n, blocks), run.tuning == "block");
    run.time(|queue| {
        queue
            .gpu
            .launch(Grid::blocks(1).threads(32), reset, (&sum,))?;
        if plain {
            launch!(queue, all, [pi, pi_unchecked], (n, dx, &sum))?;
        } else {
            queue.gpu.launch(few, aggregated, (share, n, dx, &sum))?;
        }
        sum.copy_to(&mut host)
    })?;
    Ok(Checksum::of_number(4.0 * host[0].load()))
}
