//! Lcals_INT_PREDICT: integration predictors: column i of a matrix of 13 rows, its first element
//! made from the others.
//!
//! The kernel sees the first row, which it writes, and the other twelve, which it only reads, as two
//! arrays.

use crate::prelude::*;

const ROWS: usize = 13;

pub const KERNEL: Kernel = Kernel {
    name: "INT_PREDICT",
    group: Group::Lcals,
    reps: 400,
    shape: |_, n| Shape {
        bytes_read: 80 * n,
        bytes_written: 8 * n,
        flops: 17 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

const INITIAL: f64 = 1.0;

#[derive(Clone, Copy, DeviceCopy)]
struct Constants {
    /// dm22 to dm28.
    dm: [f64; 7],
    c0: f64,
}

impl Constants {
    /// The first element of a column, `row` giving the others.
    #[inline(always)]
    fn predict(&self, row: impl Fn(usize) -> f64) -> f64 {
        let [dm22, dm23, dm24, dm25, dm26, dm27, dm28] = self.dm;
        dm28 * row(12)
            + dm27 * row(11)
            + dm26 * row(10)
            + dm25 * row(9)
            + dm24 * row(8)
            + dm23 * row(7)
            + dm22 * row(6)
            + self.c0 * (row(4) + row(5))
            + row(2)
    }
}

/// The first row, the others, and the constants.
fn data(run: &mut Run) -> ([Vec<f64>; 2], Constants) {
    let (n, init) = (run.size, &mut run.init);
    let mut first = init.constant(ROWS * n, INITIAL);
    let rest = first.split_off(n);
    let dm = std::array::from_fn(|_| init.scalar());
    let c0 = init.scalar();
    ([first, rest], Constants { dm, c0 })
}

fn checksum(mut first: Vec<f64>) -> Checksum {
    for x in &mut first {
        *x -= INITIAL;
    }
    Checksum::of(&first)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let ([mut first, rest], constants) = data(run);
    let n = run.size;
    run.time_host(|| {
        let rows: [&[f64]; ROWS - 1] = std::array::from_fn(|r| &rest[r * n..][..n]);
        for (i, x) in first[..n].iter_mut().enumerate() {
            *x = constants.predict(|row| rows[row - 1][i]);
        }
    });
    Ok(checksum(first))
}

fn predict(c: Constants, mut first: DisjointMut<f64>, rest: &[f64]) {
    let (t, n) = (thread::index(), first.len());
    let i = t.get();
    if let Some(x) = first.get_mut(t) {
        *x = c.predict(|row| rest[i + n * (row - 1)]);
    }
}

fn predict_unchecked(c: Constants, mut first: DisjointMut<f64>, rest: &[f64]) {
    let (i, n) = (thread::index().get(), first.len());
    if i < n {
        // SAFETY: rest has the twelve rows; element i of first is this thread's.
        unsafe {
            *first.get_unchecked_mut(i) = c.predict(|row| *rest.get_unchecked(i + n * (row - 1)));
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([first, rest], constants) = data(run);
    let (mut first, rest) = (run.to_device(&first)?, run.to_device(&rest)?);
    let grid = run.cover(run.size);
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [predict, predict_unchecked],
            (constants, &mut first, &rest)
        )
    })?;
    Ok(checksum(run.to_host(&first)?))
}
