//! Basic_COPY8: eight arrays copied at once. (Its sixteen arguments are as many as a launch
//! takes.)

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "COPY8",
    group: Group::Basic,
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 64 * n,
        bytes_written: 64 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

/// The copies, then what they are of.
fn data(run: &mut Run) -> [[Vec<f64>; 8]; 2] {
    let (n, init) = (run.size, &mut run.init);
    let y = std::array::from_fn(|_| init.constant(n, 0.0));
    let x = std::array::from_fn(|_| init.data(n));
    [y, x]
}

fn checksum<'a>(y: impl IntoIterator<Item = &'a Vec<f64>>) -> Checksum {
    y.into_iter().fold(Checksum::new(), |sum, y| sum.array(y))
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut y, x] = data(run);
    let n = run.size;
    run.time_host(|| {
        let [y0, y1, y2, y3, y4, y5, y6, y7] = y.each_mut().map(|y| &mut y[..n]);
        let [x0, x1, x2, x3, x4, x5, x6, x7] = x.each_ref().map(|x| &x[..n]);
        for i in 0..n {
            y0[i] = x0[i];
            y1[i] = x1[i];
            y2[i] = x2[i];
            y3[i] = x3[i];
            y4[i] = x4[i];
            y5[i] = x5[i];
            y6[i] = x6[i];
            y7[i] = x7[i];
        }
    });
    Ok(checksum(&y))
}

#[allow(clippy::too_many_arguments)]
fn copy8(
    mut y0: DisjointMut<f64>,
    mut y1: DisjointMut<f64>,
    mut y2: DisjointMut<f64>,
    mut y3: DisjointMut<f64>,
    mut y4: DisjointMut<f64>,
    mut y5: DisjointMut<f64>,
    mut y6: DisjointMut<f64>,
    mut y7: DisjointMut<f64>,
    x0: &[f64],
    x1: &[f64],
    x2: &[f64],
    x3: &[f64],
    x4: &[f64],
    x5: &[f64],
    x6: &[f64],
    x7: &[f64],
) {
    let t = thread::index();
    let i = t.get();
    if i < y0.len() {
        y0[t] = x0[i];
        y1[t] = x1[i];
        y2[t] = x2[i];
        y3[t] = x3[i];
        y4[t] = x4[i];
        y5[t] = x5[i];
        y6[t] = x6[i];
        y7[t] = x7[i];
    }
}

#[allow(clippy::too_many_arguments)]
fn copy8_unchecked(
    mut y0: DisjointMut<f64>,
    mut y1: DisjointMut<f64>,
    mut y2: DisjointMut<f64>,
    mut y3: DisjointMut<f64>,
    mut y4: DisjointMut<f64>,
    mut y5: DisjointMut<f64>,
    mut y6: DisjointMut<f64>,
    mut y7: DisjointMut<f64>,
    x0: &[f64],
    x1: &[f64],
    x2: &[f64],
    x3: &[f64],
    x4: &[f64],
    x5: &[f64],
    x6: &[f64],
    x7: &[f64],
) {
    let i = thread::index().get();
    if i < y0.len() {
        // SAFETY: all have y0's length; element i of each y is this thread's.
        unsafe {
            *y0.get_unchecked_mut(i) = *x0.get_unchecked(i);
            *y1.get_unchecked_mut(i) = *x1.get_unchecked(i);
            *y2.get_unchecked_mut(i) = *x2.get_unchecked(i);
            *y3.get_unchecked_mut(i) = *x3.get_unchecked(i);
            *y4.get_unchecked_mut(i) = *x4.get_unchecked(i);
            *y5.get_unchecked_mut(i) = *x5.get_unchecked(i);
            *y6.get_unchecked_mut(i) = *x6.get_unchecked(i);
            *y7.get_unchecked_mut(i) = *x7.get_unchecked(i);
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [y, x] = data(run);
    let mut put = |v: &[Vec<f64>; 8]| -> smelt::Result<Vec<Buffer<f64>>> {
        v.iter().map(|v| run.to_device(v)).collect()
    };
    let (mut y, x) = (put(&y)?, put(&x)?);
    let grid = run.cover(run.size);
    run.time(|queue| {
        let [y0, y1, y2, y3, y4, y5, y6, y7] = &mut y[..] else {
            unreachable!()
        };
        let [x0, x1, x2, x3, x4, x5, x6, x7] = &x[..] else {
            unreachable!()
        };
        let args = (
            y0, y1, y2, y3, y4, y5, y6, y7, x0, x1, x2, x3, x4, x5, x6, x7,
        );
        launch!(queue, grid, [copy8, copy8_unchecked], args)
    })?;
    let y: smelt::Result<Vec<_>> = y.iter().map(|y| run.to_host(y)).collect();
    Ok(checksum(&y?))
}
