//! Polybench_HEAT_3D: the heat equation, explicitly, from one cube to the other and back.
//!
//! Tuning `fused` does both in one launch: a thread makes again what it needs of its neighbours. The
//! second result goes to another array than the one that is read, and they change places.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "HEAT_3D",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 400,
    shape: |_, target| {
        let n = side(target);
        let inner = (n - 2).pow(3);
        Shape {
            iterations: 2 * inner,
            kernels: 2,
            // All but the edges.
            bytes_read: 16 * (n.pow(3) - 12 * (n - 2) - 8),
            bytes_written: 16 * inner,
            flops: 30 * inner,
            ..Shape::of(inner)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

/// Of the cube with its border.
fn side(target: usize) -> usize {
    cube_side(target) + 2
}

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (side(run.target), &mut run.init);
    [init.data(n.pow(3)), init.data(n.pow(3))]
}

fn checksum(run: &Run, a: &[f64], b: &[f64]) -> Checksum {
    let scale = 0.0001 * run.scale;
    Checksum::new().scaled(a, scale).scaled(b, scale)
}

/// The new value, from a function that gives the old ones by place.
#[inline(always)]
fn heated(at: usize, row: usize, plane: usize, old: impl Fn(usize) -> f64) -> f64 {
    let along = |step| 0.125 * (old(at + step) - 2.0 * old(at) + old(at - step));
    along(plane) + along(row) + along(1) + old(at)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [mut a, mut b] = data(run);
    // A row from the rows around it, so that all lengths are known.
    let step = |from: &[f64], to: &mut [f64]| {
        for row in 0..(n - 2) * (n - 2) {
            let at = (1 + row / (n - 2)) * n * n + (1 + row % (n - 2)) * n;
            let [below, north, here, south, above] =
                [at - n * n, at - n, at, at + n, at + n * n].map(|at| &from[at..][..n]);
            let to = &mut to[at..][..n];
            for k in 1..n - 1 {
                let along = |next: f64, last: f64| 0.125 * (next - 2.0 * here[k] + last);
                to[k] = along(above[k], below[k])
                    + along(south[k], north[k])
                    + along(here[k + 1], here[k - 1])
                    + here[k];
            }
        }
    };
    run.time_host(|| {
        step(&a, &mut b);
        step(&b, &mut a);
    });
    Ok(checksum(run, &a, &b))
}

fn step(from: &[f64], mut to: DisjointMut3<f64>) {
    let t = thread::index3();
    let (k, j, i) = t.get();
    let n = to.columns();
    let inner = |x: usize, n: usize| x > 0 && x + 1 < n;
    if inner(i, to.planes()) && inner(j, to.rows()) && inner(k, n) {
        to[t] = heated(k + n * (j + n * i), n, n * n, |at| from[at]);
    }
}

fn step_unchecked(from: &[f64], mut to: DisjointMut3<f64>) {
    let (k, j, i) = thread::index3().get();
    let n = to.columns();
    let inner = |x: usize, n: usize| x > 0 && x + 1 < n;
    if inner(i, to.planes()) && inner(j, to.rows()) && inner(k, n) {
        let at = k + n * (j + n * i);
        // SAFETY: both are cubes of side n, and the element has six neighbours there; that
        // of to is this thread's.
        unsafe {
            *to.as_mut_ptr().add(at) = heated(at, n, n * n, |at| *from.get_unchecked(at));
        }
    }
}

/// b and the new a at an inner element. b is made of a, but for the border, which never changes. All are
/// cubes of side n.
#[inline(always)]
fn heated_twice(
    access: impl Access,
    a: &[f64],
    border: &[f64],
    [i, j, k]: [usize; 3],
    n: usize,
) -> [f64; 2] {
    let old = |at| *access.at(a, at);
    // Along an axis only the step from the last inner element, and to the first, reaches the border.
    let at = k + n * (j + n * i);
    let along = |x: usize, step: usize| {
        let before = match x {
            1 => *access.at(border, at - step),
            _ => heated(at - step, n, n * n, old),
        };
        let after = match x + 2 == n {
            true => *access.at(border, at + step),
            false => heated(at + step, n, n * n, old),
        };
        [before, after]
    };
    let here = heated(at, n, n * n, old);
    let curve = |[before, after]: [f64; 2]| 0.125 * (after - 2.0 * here + before);
    let sum = curve(along(i, n * n)) + curve(along(j, n)) + curve(along(k, 1)) + here;
    [here, sum]
}

fn fused(a: &[f64], border: &[f64], mut b: DisjointMut3<f64>, mut new: DisjointMut3<f64>) {
    let (t, n) = (thread::index3(), b.columns());
    let (k, j, i) = t.get();
    let inner = |x: usize, n: usize| x > 0 && x + 1 < n;
    if inner(i, b.planes()) && inner(j, b.rows()) && inner(k, n) {
        [b[t], new[t]] = heated_twice(crate::access::Checked, a, border, [i, j, k], n);
    }
}

fn fused_unchecked(
    a: &[f64],
    border: &[f64],
    mut b: DisjointMut3<f64>,
    mut new: DisjointMut3<f64>,
) {
    let (k, j, i) = thread::index3().get();
    let n = b.columns();
    let inner = |x: usize, n: usize| x > 0 && x + 1 < n;
    if inner(i, b.planes()) && inner(j, b.rows()) && inner(k, n) {
        let at = k + n * (j + n * i);
        // SAFETY: all are cubes of side n; the elements at the place are this thread's.
        unsafe {
            let access = crate::access::Unchecked::new();
            let values = heated_twice(access, a, border, [i, j, k], n);
            [*b.as_mut_ptr().add(at), *new.as_mut_ptr().add(at)] = values;
        }
    }
}

fn smelt_fused(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [a, b] = data(run);
    // The border is the same in all repetitions, in copies too.
    let (mut a, mut new) = (run.to_device(&a)?, run.to_device(&a)?);
    let (border, mut b) = (run.to_device(&b)?, run.to_device(&b)?);
    let grid = Grid::cover((n, n, n)).block(run.block2());
    run.time(|queue| {
        let args = (&a, &border, b.as_3d(n, n, n), new.as_3d(n, n, n));
        launch!(queue, grid, [fused, fused_unchecked], args)?;
        std::mem::swap(&mut a, &mut new);
        Ok(())
    })?;
    let (a, b) = (run.to_host(&a)?, run.to_host(&b)?);
    Ok(checksum(run, &a, &b))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "fused" {
        return smelt_fused(run);
    }
    let n = side(run.target);
    let [a, b] = data(run);
    let (mut a, mut b) = (run.to_device(&a)?, run.to_device(&b)?);
    let grid = Grid::cover((n, n, n)).block(run.block2());
    run.time(|queue| {
        let args = (&a, b.as_3d(n, n, n));
        launch!(queue, grid, [step, step_unchecked], args)?;
        let args = (&b, a.as_3d(n, n, n));
        launch!(queue, grid, [step, step_unchecked], args)
    })?;
    let (a, b) = (run.to_host(&a)?, run.to_host(&b)?);
    Ok(checksum(run, &a, &b))
}
