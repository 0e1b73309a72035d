//! Algorithm_REDUCE_SUM: the sum of an array, read back in every repetition.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "REDUCE_SUM",
    group: Group::Algorithm,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 8 * (n + 1),
        bytes_written: 8,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[
        Tuning::sized("occgs"),
        Tuning::sized("direct"),
        Tuning::plain("library"),
    ],
    bounded: true,
    ..Kernel::DEFAULT
};

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let x = run.init.data(run.size);
    let mut sum = 0.0;
    run.time_host(|| sum = x.iter().sum());
    Ok(Checksum::of(&[sum]))
}

fn sum(x: &[f64], total: GridReduction<f64>) {
    let mut sum = 0.0;
    for i in thread::grid_stride(x.len()) {
        sum += x[i.get()];
    }
    total.reduce(sum, |a, b| a + b);
}

fn sum_unchecked(x: &[f64], total: GridReduction<f64>) {
    let mut sum = 0.0;
    for i in thread::grid_stride(x.len()) {
        // SAFETY: i is below x's length.
        sum += unsafe { x.get_unchecked(i.get()) };
    }
    total.reduce(sum, |a, b| a + b);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let x = run.init.data(run.size);
    let x = run.to_device(&x)?;
    let (grid, blocks) = run.reduction_grid(run.size);
    let mut reduction = Reduction::new(&run.gpu, blocks, 0.0)?;
    let mut total = 0.0;
    let library = run.tuning == "library";
    run.time(|queue| {
        if library {
            reduction.of(&queue.gpu, x.view(), 0.0, |a, b| a + b)?;
            total = reduction.get()?;
            return Ok(());
        }
        let args = (&x, &mut reduction);
        launch!(queue, grid, [sum, sum_unchecked], args)?;
        total = reduction.get()?;
        Ok(())
    })?;
    Ok(Checksum::of(&[total]))
}
