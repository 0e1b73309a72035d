//! Stream_DOT: the sum of a times b, read back in every repetition. (The checksum is that of all
//! repetitions together.)

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "DOT",
    group: Group::Stream,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 2000,
    shape: |_, n| Shape {
        bytes_read: 8 + 16 * n,
        bytes_written: 8,
        flops: 2 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.data(n), init.data(n)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b] = data(run);
    let mut sum = 0.0;
    run.time_host(|| sum += a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>());
    Ok(Checksum::of_number(sum))
}

fn dot(share: Share, a: &[f64], b: &[f64], total: GridReduction<f64>) {
    let sum = share.fold(a.len(), 0.0, |sum, i| sum + a[i] * b[i]);
    total.reduce(sum, |a, b| a + b);
}

fn dot_unchecked(share: Share, a: &[f64], b: &[f64], total: GridReduction<f64>) {
    // SAFETY: i is below a's length, which is b's too.
    let product = |i: usize| unsafe { a.get_unchecked(i) * b.get_unchecked(i) };
    let sum = share.fold(a.len(), 0.0, |sum, i| sum + product(i));
    total.reduce(sum, |a, b| a + b);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b] = data(run);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let (grid, blocks) = run.reduction_grid(run.size);
    let share = run.share(run.size, blocks);
    let mut reduction = Reduction::new(&run.gpu, blocks, 0.0)?;
    let mut sum = 0.0;
    run.time(|queue| {
        let args = (share, &a, &b, &mut reduction);
        launch!(queue, grid, [dot, dot_unchecked], args)?;
        sum += reduction.get()?;
        Ok(())
    })?;
    Ok(Checksum::of_number(sum))
}
