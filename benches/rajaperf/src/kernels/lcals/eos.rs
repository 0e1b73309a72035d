//! Lcals_EOS: a fragment of an equation of state.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "EOS",
    group: Group::Lcals,
    reps: 500,
    shape: |_, n| Shape {
        bytes_read: 16 * n + 8 * (n + 7 - 1),
        bytes_written: 8 * n,
        flops: 16 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

#[derive(Clone, Copy, DeviceCopy)]
struct Constants {
    q: f64,
    r: f64,
    t: f64,
}

impl Constants {
    #[inline(always)]
    fn value(&self, y: f64, z: f64, u: &[f64; 7]) -> f64 {
        let Self { q, r, t } = *self;
        u[0] + r * (z + r * y)
            + t * (u[3] + r * (u[2] + r * u[1]) + t * (u[6] + q * (u[5] + q * u[4])))
    }
}

/// x, y, z, u, all 7 elements longer than the size, and the constants.
fn data(run: &mut Run) -> ([Vec<f64>; 4], Constants) {
    let (n, init) = (run.size + 7, &mut run.init);
    let arrays = [
        init.constant(n, 0.0),
        init.data(n),
        init.data(n),
        init.data(n),
    ];
    let [q, r, t] = std::array::from_fn(|_| init.scalar());
    (arrays, Constants { q, r, t })
}

fn checksum(run: &Run, x: &[f64]) -> Checksum {
    Checksum::new().scaled(&x[..run.size], 0.0001 * run.scale)
}

/// The seven elements from `i` on.
#[inline(always)]
fn window(u: &[f64], i: usize) -> &[f64; 7] {
    u[i..i + 7].try_into().unwrap()
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let ([mut x, y, z, u], constants) = data(run);
    let n = run.size;
    run.time_host(|| {
        for (((x, y), z), u) in x[..n].iter_mut().zip(&y).zip(&z).zip(u.windows(7)) {
            *x = constants.value(*y, *z, window(u, 0));
        }
    });
    Ok(checksum(run, &x))
}

fn eos(n: usize, c: Constants, mut x: DisjointMut<f64>, y: &[f64], z: &[f64], u: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if i < n {
        x[t] = c.value(y[i], z[i], window(u, i));
    }
}

fn eos_unchecked(n: usize, c: Constants, mut x: DisjointMut<f64>, y: &[f64], z: &[f64], u: &[f64]) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: all are 7 longer than n; element i of x is this thread's.
        unsafe {
            let u = &*u.as_ptr().add(i).cast::<[f64; 7]>();
            *x.get_unchecked_mut(i) = c.value(*y.get_unchecked(i), *z.get_unchecked(i), u);
        }
    }
}

/// All are 7 longer than n.
#[inline(always)]
fn eos_four(
    access: impl Access,
    n: usize,
    c: Constants,
    x: &[AtomicF64],
    y: &[f64],
    z: &[f64],
    u: &[f64],
) {
    let value = |i| {
        let u = std::array::from_fn(|k| *access.at(u, i + k));
        c.value(*access.at(y, i), *access.at(z, i), &u)
    };
    stripes::four(n, value, |i, value| access.at(x, i).store(value));
}

both! {
    fn four, four_unchecked(n: usize, c: Constants, x: &[AtomicF64], y: &[f64], z: &[f64], u: &[f64]) = eos_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([x, y, z, u], constants) = data(run);
    let (mut x, y) = (run.to_device(&x)?, run.to_device(&y)?);
    let (z, u) = (run.to_device(&z)?, run.to_device(&u)?);
    let (n, grid) = (run.size, run.cover(run.size));
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (n, constants, x.as_atomic(), &y, &z, &u)
        ),
        None => {
            launch!(
                queue,
                grid,
                [eos, eos_unchecked],
                (n, constants, &mut x, &y, &z, &u)
            )
        }
    })?;
    let x = run.to_host(&x)?;
    Ok(checksum(run, &x))
}
