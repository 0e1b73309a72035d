//! Algorithm_SCAN: each element becomes the sum of all before it.
//!
//! Both Smelt variants are the same call of the library.

use crate::prelude::*;
use smelt::prim::Scan;

pub const KERNEL: Kernel = Kernel {
    name: "SCAN",
    group: Group::Algorithm,
    features: &[Feature::Scan],
    reps: 100,
    shape: |_, n| Shape {
        bytes_read: 8 * n,
        bytes_written: 8 * n,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::plain("library")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (run.size, &mut run.init);
    [init.random(n), init.constant(n, 0.0)]
}

fn checksum(run: &Run, y: &[f64]) -> Checksum {
    Checksum::new().scaled(y, 0.01 * run.scale / run.size as f64)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, mut y] = data(run);
    run.time_host(|| {
        let mut sum = 0.0;
        for (y, x) in y.iter_mut().zip(&x) {
            *y = sum;
            sum += x;
        }
    });
    Ok(checksum(run, &y))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let (x, mut y) = (run.to_device(&x)?, run.to_device(&y)?);
    let mut scan = Scan::new(&run.gpu, run.size)?;
    run.time(|queue| scan.exclusive(&queue.gpu, x.view(), y.view_mut(), 0.0, |a, b| a + b))?;
    let y = run.to_host(&y)?;
    Ok(checksum(run, &y))
}
