//! Basic_REDUCE_STRUCT: centre and bounds of points. (The suite's CUDA variant adds the sum of y to
//! that of x, which its checksum does not show; here both are what they should be.)

use crate::prelude::*;
use std::sync::atomic::AtomicU64;

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

impl Reduce for Bounds {
    const WORDS: usize = 6;
    const IDENTITY: Self = Self {
        sum: [0.0; 2],
        min: [f64::MAX; 2],
        max: [f64::MIN; 2],
    };

    #[inline(always)]
    fn word(&self, i: usize) -> u64 {
        let of = match i / 2 {
            0 => self.sum,
            1 => self.min,
            _ => self.max,
        };
        of[i % 2].to_bits()
    }

    #[inline(always)]
    fn from_words(word: impl Fn(usize) -> u64) -> Self {
        let pair = |i| [f64::from_bits(word(i)), f64::from_bits(word(i + 1))];
        Self {
            sum: pair(0),
            min: pair(2),
            max: pair(4),
        }
    }

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

fn bounds(share: Share, x: &[f64], y: &[f64], scratch: &[AtomicU64], result: &[AtomicU64]) {
    let step = |all: Bounds, i: usize| all.combine(Bounds::of(x[i], y[i]));
    let all = share.fold(x.len(), Bounds::IDENTITY, step);
    grid_reduce(all, scratch, result);
}

fn bounds_unchecked(
    share: Share,
    x: &[f64],
    y: &[f64],
    scratch: &[AtomicU64],
    result: &[AtomicU64],
) {
    let step = |all: Bounds, i: usize| {
        // SAFETY: i is below x's length, which is y's too.
        let (x, y) = unsafe { (*x.get_unchecked(i), *y.get_unchecked(i)) };
        all.combine(Bounds::of(x, y))
    };
    let all = share.fold(x.len(), Bounds::IDENTITY, step);
    grid_reduce(all, scratch, result);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y] = data(run);
    let (x, y) = (run.to_device(&x)?, run.to_device(&y)?);
    let (share, (grid, blocks)) = (run.share, run.reduction_grid(run.size));
    let mut reduction = Reduction::<Bounds>::new(&run.gpu, blocks)?;
    let mut all = Bounds::IDENTITY;
    run.time(|queue| {
        let args = (share, &x, &y, &reduction.scratch, &reduction.result);
        launch!(queue, grid, [bounds, bounds_unchecked], args)?;
        all = reduction.read()?;
        Ok(())
    })?;
    Ok(checksum(all, run.size))
}
