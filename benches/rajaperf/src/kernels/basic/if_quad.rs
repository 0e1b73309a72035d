//! Basic_IF_QUAD: the two roots of many quadratic equations, 0 where they have none.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "IF_QUAD",
    group: Group::Basic,
    reps: 180,
    shape: |_, n| Shape {
        bytes_read: 24 * n,
        bytes_written: 16 * n,
        // 4 always, 7 more where there are roots: half of them.
        flops: 15 * n / 2,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 5] {
    let (n, init) = (run.size, &mut run.init);
    let coefficients = [init.signed(n), init.data(n), init.data(n)];
    let [a, b, c] = coefficients;
    [a, b, c, init.constant(n, 0.0), init.constant(n, 0.0)]
}

fn checksum(run: &Run, x1: &[f64], x2: &[f64]) -> Checksum {
    let scale = 0.0001 * run.scale;
    Checksum::new().scaled(x1, scale).scaled(x2, scale)
}

/// Both roots, the smaller numerator first.
#[inline(always)]
fn roots(a: f64, b: f64, c: f64) -> (f64, f64) {
    let s = b * b - 4.0 * a * c;
    if s >= 0.0 {
        let s = s.sqrt();
        ((-b - s) / (2.0 * a), (-b + s) / (2.0 * a))
    } else {
        (0.0, 0.0)
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, c, mut x1, mut x2] = data(run);
    run.time_host(|| {
        let n = x1.len();
        let (a, b, c, x2) = (&a[..n], &b[..n], &c[..n], &mut x2[..n]);
        for (i, x1) in x1.iter_mut().enumerate() {
            (*x1, x2[i]) = roots(a[i], b[i], c[i]);
        }
    });
    Ok(checksum(run, &x1, &x2))
}

fn quad(a: &[f64], b: &[f64], c: &[f64], mut x1: DisjointMut<f64>, mut x2: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if i < x1.len() {
        (x1[t], x2[t]) = roots(a[i], b[i], c[i]);
    }
}

fn quad_unchecked(
    a: &[f64],
    b: &[f64],
    c: &[f64],
    mut x1: DisjointMut<f64>,
    mut x2: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < x1.len() {
        // SAFETY: all have x1's length; element i of x1 and x2 is this thread's.
        unsafe {
            let (a, b, c) = (a.get_unchecked(i), b.get_unchecked(i), c.get_unchecked(i));
            (*x1.get_unchecked_mut(i), *x2.get_unchecked_mut(i)) = roots(*a, *b, *c);
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, c, x1, x2] = data(run);
    let (a, b, c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let (mut x1, mut x2) = (run.to_device(&x1)?, run.to_device(&x2)?);
    let grid = run.cover(run.size);
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [quad, quad_unchecked],
            (&a, &b, &c, &mut x1, &mut x2)
        )
    })?;
    let (x1, x2) = (run.to_host(&x1)?, run.to_host(&x2)?);
    Ok(checksum(run, &x1, &x2))
}
