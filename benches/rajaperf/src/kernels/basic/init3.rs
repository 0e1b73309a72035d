//! Basic_INIT3: three arrays set to the same sum.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "INIT3",
    group: Group::Basic,
    reps: 500,
    shape: |_, n| Shape {
        bytes_read: 16 * n,
        bytes_written: 24 * n,
        flops: n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

/// Three outputs and two inputs.
fn data(run: &mut Run) -> [Vec<f64>; 5] {
    let (n, init) = (run.size, &mut run.init);
    let [out1, out2, out3] = std::array::from_fn(|_| init.constant(n, 0.0));
    [out1, out2, out3, init.data(n), init.data(n)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut out1, mut out2, mut out3, in1, in2] = data(run);
    run.time_host(|| {
        let n = out1.len();
        let (out2, out3, in1, in2) = (&mut out2[..n], &mut out3[..n], &in1[..n], &in2[..n]);
        for (i, out1) in out1.iter_mut().enumerate() {
            let value = -in1[i] - in2[i];
            (*out1, out2[i], out3[i]) = (value, value, value);
        }
    });
    Ok(Checksum::of(&out1).array(&out2).array(&out3))
}

fn init3(
    mut out1: DisjointMut<f64>,
    mut out2: DisjointMut<f64>,
    mut out3: DisjointMut<f64>,
    in1: &[f64],
    in2: &[f64],
) {
    let t = thread::index();
    let i = t.get();
    if i < out1.len() {
        let value = -in1[i] - in2[i];
        (out1[t], out2[t], out3[t]) = (value, value, value);
    }
}

fn init3_unchecked(
    mut out1: DisjointMut<f64>,
    mut out2: DisjointMut<f64>,
    mut out3: DisjointMut<f64>,
    in1: &[f64],
    in2: &[f64],
) {
    let i = thread::index().get();
    if i < out1.len() {
        // SAFETY: all have out1's length; element i of each output is this thread's.
        unsafe {
            let value = -in1.get_unchecked(i) - in2.get_unchecked(i);
            *out1.get_unchecked_mut(i) = value;
            *out2.get_unchecked_mut(i) = value;
            *out3.get_unchecked_mut(i) = value;
        }
    }
}

/// All have the length of out1.
#[inline(always)]
fn init3_four(
    access: impl Access,
    out1: &[AtomicF64],
    out2: &[AtomicF64],
    out3: &[AtomicF64],
    in1: &[f64],
    in2: &[f64],
) {
    let value = |i| -access.at(in1, i) - access.at(in2, i);
    stripes::four(out1.len(), value, |i, value| {
        for out in [out1, out2, out3] {
            access.at(out, i).store(value);
        }
    });
}

both! {
    fn four, four_unchecked(out1: &[AtomicF64], out2: &[AtomicF64], out3: &[AtomicF64], in1: &[f64], in2: &[f64]) = init3_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [out1, out2, out3, in1, in2] = data(run);
    let (in1, in2) = (run.to_device(&in1)?, run.to_device(&in2)?);
    let (mut out1, mut out2) = (run.to_device(&out1)?, run.to_device(&out2)?);
    let mut out3 = run.to_device(&out3)?;
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (
                out1.as_atomic(),
                out2.as_atomic(),
                out3.as_atomic(),
                &in1,
                &in2
            )
        ),
        None => {
            let args = (&mut out1, &mut out2, &mut out3, &in1, &in2);
            launch!(queue, grid, [init3, init3_unchecked], args)
        }
    })?;
    let (out1, out2) = (run.to_host(&out1)?, run.to_host(&out2)?);
    let out3 = run.to_host(&out3)?;
    Ok(Checksum::of(&out1).array(&out2).array(&out3))
}
