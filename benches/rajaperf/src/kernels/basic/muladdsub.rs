//! Basic_MULADDSUB: product, sum and difference of two arrays.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "MULADDSUB",
    group: Group::Basic,
    reps: 350,
    shape: |_, n| Shape {
        bytes_read: 16 * n,
        bytes_written: 24 * n,
        flops: 3 * n,
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

#[inline(always)]
fn three(a: f64, b: f64) -> (f64, f64, f64) {
    (a * b, a + b, a - b)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [mut out1, mut out2, mut out3, in1, in2] = data(run);
    run.time_host(|| {
        let n = out1.len();
        let (out2, out3, in1, in2) = (&mut out2[..n], &mut out3[..n], &in1[..n], &in2[..n]);
        for (i, out1) in out1.iter_mut().enumerate() {
            (*out1, out2[i], out3[i]) = three(in1[i], in2[i]);
        }
    });
    Ok(Checksum::of(&out1).array(&out2).array(&out3))
}

fn muladdsub(
    mut out1: DisjointMut<f64>,
    mut out2: DisjointMut<f64>,
    mut out3: DisjointMut<f64>,
    in1: &[f64],
    in2: &[f64],
) {
    let t = thread::index();
    let i = t.get();
    if i < out1.len() {
        (out1[t], out2[t], out3[t]) = three(in1[i], in2[i]);
    }
}

fn muladdsub_unchecked(
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
            let (product, sum, difference) = three(*in1.get_unchecked(i), *in2.get_unchecked(i));
            *out1.get_unchecked_mut(i) = product;
            *out2.get_unchecked_mut(i) = sum;
            *out3.get_unchecked_mut(i) = difference;
        }
    }
}

/// All have the length of out1.
#[inline(always)]
fn muladdsub_four(
    access: impl Access,
    out1: &[AtomicF64],
    out2: &[AtomicF64],
    out3: &[AtomicF64],
    in1: &[f64],
    in2: &[f64],
) {
    let values = |i| three(*access.at(in1, i), *access.at(in2, i));
    stripes::four(out1.len(), values, |i, (product, sum, difference)| {
        access.at(out1, i).store(product);
        access.at(out2, i).store(sum);
        access.at(out3, i).store(difference);
    });
}

both! {
    fn four, four_unchecked(out1: &[AtomicF64], out2: &[AtomicF64], out3: &[AtomicF64], in1: &[f64], in2: &[f64]) = muladdsub_four;
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
            launch!(queue, grid, [muladdsub, muladdsub_unchecked], args)
        }
    })?;
    let (out1, out2) = (run.to_host(&out1)?, run.to_host(&out2)?);
    let out3 = run.to_host(&out3)?;
    Ok(Checksum::of(&out1).array(&out2).array(&out3))
}
