//! Polybench_FDTD_2D: a step in time of the electric and magnetic field of a plane.
//!
//! Tuning `fused` does all four kernels in one launch: a thread makes again what it needs of its
//! neighbours. Results go to other arrays than those that are read, and they change places.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "FDTD_2D",
    group: Group::Polybench,
    features: &[Feature::Forall, Feature::Kernel],
    size: 999_000,
    reps: 320,
    shape: |_, target| {
        let n = side(target);
        let (edges, inner) = ((n - 1) * n, (n - 1) * (n - 1));
        Shape {
            iterations: n + 2 * edges + inner,
            kernels: 4,
            bytes_read: 8 * (1 + 4 * edges + 2 * n * n + inner),
            bytes_written: 8 * (n + 2 * edges + inner),
            flops: 6 * edges + 5 * inner,
            ..Shape::of(edges)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

/// Of the square plane.
fn side(target: usize) -> usize {
    // Not square_side(target) + 1, which rounds before it adds.
    ((target as f64).sqrt() + std::f64::consts::SQRT_2) as usize
}

/// After so many what enters begins anew.
const STEPS: usize = 40;

/// hz, ex, ey, and what enters at the first row in each step.
fn data(run: &mut Run) -> [Vec<f64>; 4] {
    let (n, init) = (side(run.target), &mut run.init);
    let hz = init.constant(n * n, 0.0);
    [hz, init.data(n * n), init.data(n * n), init.data(STEPS)]
}

fn checksum(run: &Run, hz: &[f64]) -> Checksum {
    Checksum::new().scaled(hz, 0.001 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [mut hz, mut ex, mut ey, fict] = data(run);
    let mut step = 0;
    run.time_host(|| {
        ey[..n].fill(fict[step % STEPS]);
        step += 1;
        // The row below lies n back.
        for (ey, (hz, below)) in ey[n..].iter_mut().zip(hz[n..].iter().zip(&hz)) {
            *ey -= 0.5 * (hz - below);
        }
        for (ex, hz) in ex.chunks_exact_mut(n).zip(hz.chunks_exact(n)) {
            for (ex, hz) in ex[1..].iter_mut().zip(hz.windows(2)) {
                *ex -= 0.5 * (hz[1] - hz[0]);
            }
        }
        for (i, hz) in hz.chunks_exact_mut(n).take(n - 1).enumerate() {
            let ex = &ex[i * n..][..n];
            let (ey, above) = (&ey[i * n..][..n], &ey[(i + 1) * n..][..n]);
            for j in 0..n - 1 {
                hz[j] -= 0.7 * (ex[j + 1] - ex[j] + above[j] - ey[j]);
            }
        }
    });
    Ok(checksum(run, &hz))
}

fn enter(fict: &[f64], step: usize, n: usize, mut ey: DisjointMut<f64>) {
    let j = thread::index();
    if j.get() < n {
        ey[j] = fict[step];
    }
}

fn enter_unchecked(fict: &[f64], step: usize, n: usize, mut ey: DisjointMut<f64>) {
    let j = thread::index().get();
    if j < n {
        // SAFETY: step is below STEPS, ey's first row has n elements, of which j is this thread's.
        unsafe { *ey.get_unchecked_mut(j) = *fict.get_unchecked(step) }
    }
}

fn move_ey(hz: &[f64], mut ey: DisjointMut2<f64>) {
    let t = thread::index2();
    let (j, i) = t.get();
    let n = ey.columns();
    if i > 0
        && let Some(ey) = ey.get_mut(t)
    {
        let at = j + i * n;
        *ey -= 0.5 * (hz[at] - hz[at - n]);
    }
}

fn move_ey_unchecked(hz: &[f64], mut ey: DisjointMut2<f64>) {
    let (j, i) = thread::index2().get();
    let n = ey.columns();
    if i > 0 && i < ey.rows() && j < n {
        let at = j + i * n;
        // SAFETY: both have the same extents, at lies inside and not in the first row;
        // it is this thread's.
        unsafe {
            *ey.as_mut_ptr().add(at) -= 0.5 * (hz.get_unchecked(at) - hz.get_unchecked(at - n));
        }
    }
}

fn move_ex(hz: &[f64], mut ex: DisjointMut2<f64>) {
    let t = thread::index2();
    let (j, i) = t.get();
    let n = ex.columns();
    if j > 0
        && let Some(ex) = ex.get_mut(t)
    {
        let at = j + i * n;
        *ex -= 0.5 * (hz[at] - hz[at - 1]);
    }
}

fn move_ex_unchecked(hz: &[f64], mut ex: DisjointMut2<f64>) {
    let (j, i) = thread::index2().get();
    let n = ex.columns();
    if i < ex.rows() && j > 0 && j < n {
        let at = j + i * n;
        // SAFETY: both have the same extents, at lies inside and not in the first column;
        // it is this thread's.
        unsafe {
            *ex.as_mut_ptr().add(at) -= 0.5 * (hz.get_unchecked(at) - hz.get_unchecked(at - 1));
        }
    }
}

fn move_hz(ex: &[f64], ey: &[f64], mut hz: DisjointMut2<f64>) {
    let t = thread::index2();
    let (j, i) = t.get();
    let n = hz.columns();
    if i + 1 < hz.rows() && j + 1 < n {
        let at = j + i * n;
        hz[t] -= 0.7 * (ex[at + 1] - ex[at] + ey[at + n] - ey[at]);
    }
}

fn move_hz_unchecked(ex: &[f64], ey: &[f64], mut hz: DisjointMut2<f64>) {
    let (j, i) = thread::index2().get();
    let n = hz.columns();
    if i + 1 < hz.rows() && j + 1 < n {
        let at = j + i * n;
        // SAFETY: all have the same extents, at lies inside and in neither the last row nor the
        // last column; it is this thread's.
        unsafe {
            let (ex, ey) = (ex.as_ptr().add(at), ey.as_ptr().add(at));
            *hz.as_mut_ptr().add(at) -= 0.7 * (*ex.add(1) - *ex + *ey.add(n) - *ey);
        }
    }
}

/// The fields before a step: squares of side n; and what enters.
struct Fields<'k> {
    hz: &'k [f64],
    ex: &'k [f64],
    ey: &'k [f64],
    enters: f64,
    n: usize,
}

impl Fields<'_> {
    #[inline(always)]
    fn ey(&self, access: impl Access, [i, j]: [usize; 2]) -> f64 {
        let (at, hz) = (j + i * self.n, |at| *access.at(self.hz, at));
        match i {
            0 => self.enters,
            _ => access.at(self.ey, at) - 0.5 * (hz(at) - hz(at - self.n)),
        }
    }

    #[inline(always)]
    fn ex(&self, access: impl Access, [i, j]: [usize; 2]) -> f64 {
        let (at, hz) = (j + i * self.n, |at| *access.at(self.hz, at));
        match j {
            0 => *access.at(self.ex, at),
            _ => access.at(self.ex, at) - 0.5 * (hz(at) - hz(at - 1)),
        }
    }

    /// The new hz, ex and ey at row i and column j, both below n.
    #[inline(always)]
    fn all(&self, access: impl Access, [i, j]: [usize; 2]) -> [f64; 3] {
        let (ex, ey) = (self.ex(access, [i, j]), self.ey(access, [i, j]));
        let mut hz = *access.at(self.hz, j + i * self.n);
        if i + 1 < self.n && j + 1 < self.n {
            let (right, above) = (self.ex(access, [i, j + 1]), self.ey(access, [i + 1, j]));
            hz -= 0.7 * (right - ex + above - ey);
        }
        [hz, ex, ey]
    }
}

#[allow(clippy::too_many_arguments)]
fn fused(
    fict: &[f64],
    step: usize,
    hz: &[f64],
    ex: &[f64],
    ey: &[f64],
    mut new_hz: DisjointMut2<f64>,
    mut new_ex: DisjointMut2<f64>,
    mut new_ey: DisjointMut2<f64>,
) {
    let (t, n) = (thread::index2(), new_hz.columns());
    let (j, i) = t.get();
    if i < new_hz.rows() && j < n {
        let enters = fict[step];
        let fields = Fields {
            hz,
            ex,
            ey,
            enters,
            n,
        };
        [new_hz[t], new_ex[t], new_ey[t]] = fields.all(crate::access::Checked, [i, j]);
    }
}

#[allow(clippy::too_many_arguments)]
fn fused_unchecked(
    fict: &[f64],
    step: usize,
    hz: &[f64],
    ex: &[f64],
    ey: &[f64],
    mut new_hz: DisjointMut2<f64>,
    mut new_ex: DisjointMut2<f64>,
    mut new_ey: DisjointMut2<f64>,
) {
    let (j, i) = thread::index2().get();
    let n = new_hz.columns();
    if i < new_hz.rows() && j < n {
        let at = j + i * n;
        // SAFETY: step is below STEPS; all are squares of side n; the elements at the place are this
        // thread's.
        unsafe {
            let enters = *fict.get_unchecked(step);
            let fields = Fields {
                hz,
                ex,
                ey,
                enters,
                n,
            };
            let values = fields.all(crate::access::Unchecked::new(), [i, j]);
            [
                *new_hz.as_mut_ptr().add(at),
                *new_ex.as_mut_ptr().add(at),
                *new_ey.as_mut_ptr().add(at),
            ] = values;
        }
    }
}

fn smelt_fused(run: &mut Run) -> smelt::Result<Checksum> {
    let n = side(run.target);
    let [hz, ex, ey, fict] = data(run);
    let mut now = [
        run.to_device(&hz)?,
        run.to_device(&ex)?,
        run.to_device(&ey)?,
    ];
    let mut new = [
        run.to_device(&hz)?,
        run.to_device(&ex)?,
        run.to_device(&ey)?,
    ];
    let fict = run.to_device(&fict)?;
    let plane = Grid::cover((n, n)).block(run.block2());
    let mut step = 0;
    run.time(|queue| {
        let ([hz, ex, ey], [new_hz, new_ex, new_ey]) = (&now, &mut new);
        let outputs = [new_hz, new_ex, new_ey].map(|m| m.as_2d(n, n));
        let [new_hz, new_ex, new_ey] = outputs;
        let args = (&fict, step % STEPS, hz, ex, ey, new_hz, new_ex, new_ey);
        launch!(queue, plane, [fused, fused_unchecked], args)?;
        std::mem::swap(&mut now, &mut new);
        step += 1;
        Ok(())
    })?;
    let hz = run.to_host(&now[0])?;
    Ok(checksum(run, &hz))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "fused" {
        return smelt_fused(run);
    }
    let n = side(run.target);
    let [hz, ex, ey, fict] = data(run);
    let (mut hz, mut ex) = (run.to_device(&hz)?, run.to_device(&ex)?);
    let (mut ey, fict) = (run.to_device(&ey)?, run.to_device(&fict)?);
    let row = run.cover(n);
    let plane = Grid::cover((n, n)).block(run.block2());
    let mut step = 0;
    run.time(|queue| {
        let args = (&fict, step % STEPS, n, &mut ey);
        launch!(queue, row, [enter, enter_unchecked], args)?;
        let args = (&hz, ey.as_2d(n, n));
        launch!(queue, plane, [move_ey, move_ey_unchecked], args)?;
        let args = (&hz, ex.as_2d(n, n));
        launch!(queue, plane, [move_ex, move_ex_unchecked], args)?;
        step += 1;
        let args = (&ex, &ey, hz.as_2d(n, n));
        launch!(queue, plane, [move_hz, move_hz_unchecked], args)
    })?;
    let hz = run.to_host(&hz)?;
    Ok(checksum(run, &hz))
}
