//! Basic_REDUCE_STRUCT: centre and bounds of points. (The suite's CUDA variant adds the sum of y to
//! that of x, which its checksum does not show; here both are what they should be.)

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "REDUCE_STRUCT",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 48 + 16 * n,
        bytes_written: 48,
        flops: 2 * n + 2,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    ..Kernel::DEFAULT
};

/// Sum, minimum and maximum of x, then of y.
#[derive(Clone, Copy, DeviceCopy)]
struct Bounds {
    sum: [f64; 2],
    min: [f64; 2],
    max: [f64; 2],
}

impl Bounds {
    #[inline(always)]
    fn of(x: f64, y: f64) -> Self {
        Self {
            sum: [x, y],
            min: [x, y],
            max: [x, y],
        }
    }
}

// Comparisons rather than f64::min, whose care for NaN costs instructions.
#[inline(always)]
fn least(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

#[inline(always)]
fn most(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

impl Bounds {
    const IDENTITY: Self = Self {
        sum: [0.0; 2],
        min: [f64::MAX; 2],
        max: [f64::MIN; 2],
    };

    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        let both =
            |a: [f64; 2], b: [f64; 2], f: fn(f64, f64) -> f64| [f(a[0], b[0]), f(a[1], b[1])];
        Self {
            sum: both(self.sum, other.sum, |a, b| a + b),
            min: both(self.min, other.min, least),
            max: both(self.max, other.max, most),
        }
    }
}

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let n = run.size;
    let line = |length: f64| {
        let step = length / n as f64;
        (0..n).map(|i| i as f64 * step).collect()
    };
    [line(100.0), line(50.0)]
}

fn checksum(all: Bounds, n: usize) -> Checksum {
    let mut checksum = Checksum::new();
    for i in 0..2 {
        checksum = checksum
            .number(all.sum[i] / n as f64)
            .number(all.min[i])
            .number(all.max[i]);
    }
    checksum
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let mut all = Bounds::IDENTITY;
    run.time_host(|| {
        let points = x.iter().zip(&y);
        all = points.fold(Bounds::IDENTITY, |all, (&x, &y)| {
            all.combine(Bounds::of(x, y))
        });
    });
    Ok(checksum(all, run.size))
}

fn bounds(share: Share, x: &[f64], y: &[f64], total: GridReduction<Bounds>) {
    let step = |all: Bounds, i: usize| all.combine(Bounds::of(x[i], y[i]));
    let all = share.fold(x.len(), Bounds::IDENTITY, step);
    total.reduce(all, Bounds::combine);
}

fn bounds_unchecked(share: Share, x: &[f64], y: &[f64], total: GridReduction<Bounds>) {
    let step = |all: Bounds, i: usize| {
        // SAFETY: i is below x's length, which is y's too.
        let (x, y) = unsafe { (*x.get_unchecked(i), *y.get_unchecked(i)) };
        all.combine(Bounds::of(x, y))
    };
    let all = share.fold(x.len(), Bounds::IDENTITY, step);
    total.reduce(all, Bounds::combine);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let (x, y) = (run.to_device(&x)?, run.to_device(&y)?);
    let (grid, blocks) = run.reduction_grid(run.size);
    let share = run.share(run.size, blocks);
    let mut reduction = Reduction::new(&run.gpu, blocks, Bounds::IDENTITY)?;
    let mut all = Bounds::IDENTITY;
    run.time(|queue| {
        let args = (share, &x, &y, &mut reduction);
        launch!(queue, grid, [bounds, bounds_unchecked], args)?;
        all = reduction.get()?;
        Ok(())
    })?;
    Ok(checksum(all, run.size))
}
