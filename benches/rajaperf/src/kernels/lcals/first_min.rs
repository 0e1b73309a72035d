//! Lcals_FIRST_MIN: the smallest element and the first place where it is.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "FIRST_MIN",
    group: Group::Lcals,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 100,
    shape: |_, n| Shape {
        bytes_read: 16 + 8 * n,
        bytes_written: 16,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    bounded: true,
    ..Kernel::DEFAULT
};

/// A value and where it is.
#[derive(Clone, Copy, DeviceCopy)]
struct MinLoc {
    value: f64,
    place: usize,
}

impl MinLoc {
    /// The smaller of this and an element that comes later in the array.
    #[inline(always)]
    fn then(self, value: f64, place: usize) -> Self {
        if value < self.value {
            Self { value, place }
        } else {
            self
        }
    }
}

impl MinLoc {
    const IDENTITY: Self = Self {
        value: f64::INFINITY,
        place: usize::MAX,
    };

    /// Of equal values the first.
    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        let first = other.value == self.value && other.place < self.place;
        if other.value < self.value || first {
            other
        } else {
            self
        }
    }
}

fn data(run: &mut Run) -> Vec<f64> {
    let n = run.size;
    let mut x = run.init.constant(n, 0.0);
    x[n / 2] = -1.0e+10;
    x
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let x = data(run);
    let mut place = 0;
    run.time_host(|| {
        let start = MinLoc {
            value: x[0],
            place: 0,
        };
        place = (0..)
            .zip(&x)
            .fold(start, |min, (i, x)| min.then(*x, i))
            .place;
    });
    Ok(Checksum::of_number(place as f64))
}

fn first_min(share: Share, x: &[f64], total: GridReduction<MinLoc>) {
    let min = share.fold(x.len(), MinLoc::IDENTITY, |min, i| min.then(x[i], i));
    total.reduce(min, MinLoc::combine);
}

fn first_min_unchecked(share: Share, x: &[f64], total: GridReduction<MinLoc>) {
    // SAFETY: i is below the length.
    let step = |min: MinLoc, i: usize| min.then(unsafe { *x.get_unchecked(i) }, i);
    let min = share.fold(x.len(), MinLoc::IDENTITY, step);
    total.reduce(min, MinLoc::combine);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let x = data(run);
    let x = run.to_device(&x)?;
    let (grid, blocks) = run.reduction_grid(run.size);
    let share = run.share(run.size, blocks);
    let mut reduction = Reduction::new(&run.gpu, blocks, MinLoc::IDENTITY)?;
    let mut place = 0;
    run.time(|queue| {
        let args = (share, &x, &mut reduction);
        launch!(queue, grid, [first_min, first_min_unchecked], args)?;
        place = reduction.get()?.place;
        Ok(())
    })?;
    Ok(Checksum::of_number(place as f64))
}
