//! Basic_PI_REDUCE: pi by the midpoint rule, summed by a reduction.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "PI_REDUCE",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 8,
        bytes_written: 8,
        flops: 6 * n + 1,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    bounded: true,
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
    run.time_host(|| pi = 4.0 * (0..n).map(|i| slice_of_pi(i, dx)).sum::<f64>());
    Ok(Checksum::of_number(pi))
}

fn pi(share: Share, n: usize, dx: f64, total: GridReduction<f64>) {
    let sum = share.fold(n, 0.0, |sum, i| sum + slice_of_pi(i, dx));
    total.reduce(sum, |a, b| a + b);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (n, dx) = (run.size, 1.0 / run.size as f64);
    let (grid, blocks) = run.reduction_grid(n);
    let share = run.share(n, blocks);
    let mut sum = Reduction::new(&run.gpu, blocks, 0.0)?;
    let mut result = 0.0;
    // No array is read: safe and unsafe have nothing to differ in.
    run.time(|queue| {
        let args = (share, n, dx, &mut sum);
        queue.gpu.launch(grid, pi, args)?;
        result = 4.0 * sum.get()?;
        Ok(())
    })?;
    Ok(Checksum::of_number(result))
}
