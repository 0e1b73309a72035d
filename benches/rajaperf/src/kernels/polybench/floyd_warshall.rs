//! Polybench_FLOYD_WARSHALL: for each node in turn, whether going over it is shorter.
//!
//! As in the suite the lengths that are read stay those at the start, so that what
//! remains is the step of the last node.
//!
//! Tuning `resident` takes the nodes in turn within one launch: every step is made and written, but a
//! thread keeps the direct lengths of its elements in registers.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "FLOYD_WARSHALL",
    group: Group::Polybench,
    features: &[Feature::Kernel],
    reps: 8,
    shape: |_, target| {
        let n = square_side(target);
        Shape {
            iterations: n * n,
            kernels: n,
            bytes_read: 8 * n * n * n,
            bytes_written: 8 * n * n * n,
            flops: 3 * n * n * n / 2,
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("resident")],
    ..Kernel::DEFAULT
};

fn data(run: &mut Run) -> [Vec<f64>; 2] {
    let (n, init) = (square_side(run.target), &mut run.init);
    [init.signed(n * n), init.constant(n * n, 0.0)]
}

/// The shorter way; the detour where they are as long.
#[inline(always)]
fn shorter(direct: f64, detour: f64) -> f64 {
    if direct < detour { direct } else { detour }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [input, mut out] = data(run);
    run.time_host(|| {
        for k in 0..n {
            let onward = &input[k * n..][..n];
            for (out, from) in out.chunks_exact_mut(n).zip(input.chunks_exact(n)) {
                let first = from[k];
                for ((out, direct), onward) in out.iter_mut().zip(from).zip(onward) {
                    *out = shorter(*direct, first + onward);
                }
            }
            std::hint::black_box(&mut out);
        }
    });
    Ok(Checksum::new().scaled(&out, run.scale))
}

fn step(input: &[f64], mut out: DisjointMut2<f64>, k: usize) {
    let t = thread::index2();
    let (j, i) = t.get();
    let n = out.columns();
    if let Some(out) = out.get_mut(t) {
        let detour = input[k + i * n] + input[j + k * n];
        *out = shorter(input[j + i * n], detour);
    }
}

fn step_unchecked(input: &[f64], mut out: DisjointMut2<f64>, k: usize) {
    let (j, i) = thread::index2().get();
    let n = out.columns();
    if i < out.rows() && j < n {
        // SAFETY: both are squares of side n, and i, j, k below n; the element of out is
        // this thread's.
        unsafe {
            let input = |at| *input.get_unchecked(at);
            let detour = input(k + i * n) + input(j + k * n);
            *out.as_mut_ptr().add(j + i * n) = shorter(input(j + i * n), detour);
        }
    }
}

/// Elements of a thread in `resident`, in rows one below the other.
const ROWS: usize = 4;

/// A thread for [`ROWS`] elements of a column, or fewer at the end. Both are squares of side n; indices
/// are of rows and columns below n.
#[inline(always)]
fn resident_body(access: impl Access, n: usize, input: &[f64], out: &[AtomicF64]) {
    let (j, block) = thread::index2().get();
    if j >= n {
        return;
    }
    let rows: [usize; ROWS] = std::array::from_fn(|r| (block * ROWS + r).min(n - 1));
    let direct = rows.map(|i| *access.at(input, j + i * n));
    for k in 0..n {
        let onward = access.at(input, j + k * n);
        let detours = rows.map(|i| access.at(input, k + i * n) + onward);
        for ((i, direct), detour) in rows.into_iter().zip(direct).zip(detours) {
            // The elements of the last row may be a thread's more than once: the same value.
            access.at(out, j + i * n).store(shorter(direct, detour));
        }
    }
}

both! {
    fn resident, resident_unchecked(n: usize, input: &[f64], out: &[AtomicF64]) = resident_body;
}

fn smelt_resident(run: &mut Run) -> smelt::Result<Checksum> {
    let n = square_side(run.target);
    let [input, out] = data(run);
    let (input, out) = (run.to_device(&input)?, run.cells_to_device(out)?);
    let grid = Grid::cover((n, n.div_ceil(ROWS))).block(run.block2());
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [resident, resident_unchecked],
            (n, &input, &out)
        )
    })?;
    let out = run.cells_to_host(&out)?;
    Ok(Checksum::new().scaled(&out, run.scale))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "resident" {
        return smelt_resident(run);
    }
    let n = square_side(run.target);
    let [input, out] = data(run);
    let (input, mut out) = (run.to_device(&input)?, run.to_device(&out)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    run.time(|queue| {
        for k in 0..n {
            let args = (&input, out.as_2d(n, n), k);
            launch!(queue, grid, [step, step_unchecked], args)?;
        }
        Ok(())
    })?;
    let out = run.to_host(&out)?;
    Ok(Checksum::new().scaled(&out, run.scale))
}
