//! Lcals_PLANCKIAN: y = u / v, w = x / (exp(y) - 1).

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "PLANCKIAN",
    group: Group::Lcals,
    reps: 50,
    shape: |_, n| Shape {
        bytes_read: 24 * n,
        bytes_written: 16 * n,
        // The exponential counted as one.
        flops: 4 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    // The devices' exponentials differ from the host's in the last bit, and exp(y) - 1 magnifies it.
    tolerance: 1e-9,
    ..Kernel::DEFAULT
};

/// x, y, u, v, w.
fn data(run: &mut Run) -> [Vec<f64>; 5] {
    let (n, init) = (run.size, &mut run.init);
    let [x, y, u, v] = std::array::from_fn(|_| init.data(n));
    [x, y, u, v, init.constant(n, 0.0)]
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, mut y, u, v, mut w] = data(run);
    run.time_host(|| {
        for ((((w, y), x), u), v) in w.iter_mut().zip(&mut y).zip(&x).zip(&u).zip(&v) {
            *y = u / v;
            *w = x / (y.exp() - 1.0);
        }
    });
    Ok(Checksum::of(&w))
}

fn planckian(x: &[f64], mut y: DisjointMut<f64>, u: &[f64], v: &[f64], mut w: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if i < w.len() {
        let ratio = u[i] / v[i];
        y[t] = ratio;
        w[t] = x[i] / (ratio.exp() - 1.0);
    }
}

fn planckian_unchecked(
    x: &[f64],
    mut y: DisjointMut<f64>,
    u: &[f64],
    v: &[f64],
    mut w: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < w.len() {
        // SAFETY: all have w's length; element i of y and w is this thread's.
        unsafe {
            let ratio = u.get_unchecked(i) / v.get_unchecked(i);
            *y.get_unchecked_mut(i) = ratio;
            *w.get_unchecked_mut(i) = x.get_unchecked(i) / (ratio.exp() - 1.0);
        }
    }
}

/// All have the length of w.
#[inline(always)]
fn planckian_four(
    access: impl Access,
    x: &[f64],
    y: &[AtomicF64],
    u: &[f64],
    v: &[f64],
    w: &[AtomicF64],
) {
    let values = |i| {
        let ratio = access.at(u, i) / access.at(v, i);
        (ratio, access.at(x, i) / (ratio.exp() - 1.0))
    };
    stripes::four(w.len(), values, |i, (ratio, value)| {
        access.at(y, i).store(ratio);
        access.at(w, i).store(value);
    });
}

both! {
    fn four, four_unchecked(x: &[f64], y: &[AtomicF64], u: &[f64], v: &[f64], w: &[AtomicF64]) = planckian_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [x, y, u, v, w] = data(run);
    let (x, mut y) = (run.to_device(&x)?, run.to_device(&y)?);
    let (u, v, mut w) = (run.to_device(&u)?, run.to_device(&v)?, run.to_device(&w)?);
    let grid = run.cover(run.size);
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (&x, y.as_atomic(), &u, &v, w.as_atomic())
        ),
        None => {
            launch!(
                queue,
                grid,
                [planckian, planckian_unchecked],
                (&x, &mut y, &u, &v, &mut w)
            )
        }
    })?;
    Ok(Checksum::of(&run.to_host(&w)?))
}
