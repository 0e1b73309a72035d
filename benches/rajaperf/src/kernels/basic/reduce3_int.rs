//! Basic_REDUCE3_INT: sum, minimum and maximum of integers in one loop.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "REDUCE3_INT",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Reduction],
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 12 + 4 * n,
        bytes_written: 12,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("occgs"), Tuning::sized("direct")],
    bounded: true,
    ..Kernel::DEFAULT
};

/// Sum, minimum, maximum.
#[derive(Clone, Copy, DeviceCopy)]
struct Three {
    sum: i32,
    min: i32,
    max: i32,
}

impl Three {
    #[inline(always)]
    fn of(value: i32) -> Self {
        Self {
            sum: value,
            min: value,
            max: value,
        }
    }
}

impl Three {
    const IDENTITY: Self = Self {
        sum: 0,
        min: i32::MAX,
        max: i32::MIN,
    };

    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        Self {
            sum: self.sum.wrapping_add(other.sum),
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

fn checksum(total: Three) -> Checksum {
    Checksum::of_number(total.sum as f64)
        .number(total.min as f64)
        .number(total.max as f64)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let vec = run.init.ints(run.size);
    let mut total = Three::IDENTITY;
    run.time_host(|| {
        let all = |all: Three, &v: &i32| all.combine(Three::of(v));
        total = vec.iter().fold(Three::IDENTITY, all);
    });
    Ok(checksum(total))
}

fn reduce3(share: Share, vec: &[i32], total: GridReduction<Three>) {
    let step = |all: Three, i: usize| all.combine(Three::of(vec[i]));
    let all = share.fold(vec.len(), Three::IDENTITY, step);
    total.reduce(all, Three::combine);
}

fn reduce3_unchecked(share: Share, vec: &[i32], total: GridReduction<Three>) {
    // SAFETY: i is below the length.
    let step = |all: Three, i: usize| all.combine(Three::of(unsafe { *vec.get_unchecked(i) }));
    let all = share.fold(vec.len(), Three::IDENTITY, step);
    total.reduce(all, Three::combine);
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let vec = run.init.ints(run.size);
    let vec = run.to_device(&vec)?;
    let (grid, blocks) = run.reduction_grid(run.size);
    let share = run.share(run.size, blocks);
    let mut reduction = Reduction::new(&run.gpu, blocks, Three::IDENTITY)?;
    let mut total = Three::IDENTITY;
    run.time(|queue| {
        let args = (share, &vec, &mut reduction);
        launch!(queue, grid, [reduce3, reduce3_unchecked], args)?;
        total = reduction.get()?;
        Ok(())
    })?;
    Ok(checksum(total))
}
