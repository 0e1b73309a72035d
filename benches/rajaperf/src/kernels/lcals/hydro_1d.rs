//! Lcals_HYDRO_1D: a fragment of one-dimensional hydrodynamics.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "HYDRO_1D",
    group: Group::Lcals,
    reps: 1000,
    shape: |_, n| Shape {
        bytes_read: 8 * n + 8 * (n + 1),
        bytes_written: 8 * n,
        flops: 5 * n,
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
    fn value(&self, y: f64, z10: f64, z11: f64) -> f64 {
        self.q + y * (self.r * z10 + self.t * z11)
    }
}

/// x, y, z, all 12 elements longer than the size, and the constants.
fn data(run: &mut Run) -> ([Vec<f64>; 3], Constants) {
    let (n, init) = (run.size + 12, &mut run.init);
    let arrays = [init.constant(n, 0.0), init.data(n), init.data(n)];
    let [q, r, t] = std::array::from_fn(|_| init.scalar());
    (arrays, Constants { q, r, t })
}

fn checksum(run: &Run, x: &[f64]) -> Checksum {
    Checksum::new().scaled(&x[..run.size], 0.001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let ([mut x, y, z], constants) = data(run);
    let n = run.size;
    run.time_host(|| {
        for ((x, y), z) in x[..n].iter_mut().zip(&y).zip(z[10..].windows(2)) {
            *x = constants.value(*y, z[0], z[1]);
        }
    });
    Ok(checksum(run, &x))
}

fn hydro(n: usize, c: Constants, mut x: DisjointMut<f64>, y: &[f64], z: &[f64]) {
    let t = thread::index();
    let i = t.get();
    if i < n {
        x[t] = c.value(y[i], z[i + 10], z[i + 11]);
    }
}

fn hydro_unchecked(n: usize, c: Constants, mut x: DisjointMut<f64>, y: &[f64], z: &[f64]) {
    let i = thread::index().get();
    if i < n {
        // SAFETY: all are 12 longer than n; element i of x is this thread's.
        unsafe {
            let (z10, z11) = (z.get_unchecked(i + 10), z.get_unchecked(i + 11));
            *x.get_unchecked_mut(i) = c.value(*y.get_unchecked(i), *z10, *z11);
        }
    }
}

/// All are 12 longer than n.
#[inline(always)]
fn hydro_four(access: impl Access, n: usize, c: Constants, x: &[AtomicF64], y: &[f64], z: &[f64]) {
    let value = |i| {
        c.value(
            *access.at(y, i),
            *access.at(z, i + 10),
            *access.at(z, i + 11),
        )
    };
    stripes::four(n, value, |i, value| access.at(x, i).store(value));
}

both! {
    fn four, four_unchecked(n: usize, c: Constants, x: &[AtomicF64], y: &[f64], z: &[f64]) = hydro_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([x, y, z], constants) = data(run);
    let (mut x, y, z) = (run.to_device(&x)?, run.to_device(&y)?, run.to_device(&z)?);
    let (n, grid) = (run.size, run.cover(run.size));
    let four_grid = run.four(run.size);
    run.time(|queue| match four_grid {
        Some(grid) => launch!(
            queue,
            grid,
            [four, four_unchecked],
            (n, constants, x.as_atomic(), &y, &z)
        ),
        None => {
            launch!(
                queue,
                grid,
                [hydro, hydro_unchecked],
                (n, constants, &mut x, &y, &z)
            )
        }
    })?;
    let x = run.to_host(&x)?;
    Ok(checksum(run, &x))
}
