//! Basic_NESTED_INIT: an array of three dimensions set from its indices.

use crate::prelude::*;
use crate::stripes;

pub const KERNEL: Kernel = Kernel {
    name: "NESTED_INIT",
    group: Group::Basic,
    features: &[Feature::Kernel],
    reps: 1000,
    shape: |_, target| {
        let n = cube_side(target).pow(3);
        Shape {
            bytes_written: 8 * n,
            flops: 3 * n,
            ..Shape::of(n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("four")],
    ..Kernel::DEFAULT
};

#[inline(always)]
fn value(i: usize, j: usize, k: usize) -> f64 {
    0.00000001 * i as f64 * j as f64 * k as f64
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let n = cube_side(run.target);
    let mut array = run.init.constant(n * n * n, 0.0);
    run.time_host(|| {
        for (k, plane) in array.chunks_exact_mut(n * n).enumerate() {
            for (j, row) in plane.chunks_exact_mut(n).enumerate() {
                for (i, element) in row.iter_mut().enumerate() {
                    *element = value(i, j, k);
                }
            }
        }
    });
    Ok(Checksum::of(&array))
}

fn init(mut array: DisjointMut3<f64>) {
    let t = thread::index3();
    if let Some(element) = array.get_mut(t) {
        *element = value(t.x(), t.y(), t.z());
    }
}

fn init_unchecked(mut array: DisjointMut3<f64>) {
    let (i, j, k) = thread::index3().get();
    let (ni, nj, nk) = (array.columns(), array.rows(), array.planes());
    if i < ni && j < nj && k < nk {
        // SAFETY: inside, and this thread's.
        unsafe { *array.as_mut_ptr().add(i + ni * (j + nj * k)) = value(i, j, k) }
    }
}

/// Over the cube of side n, which the array is, as one row of numbers, of which 32 wide blocks would leave some out.
#[inline(always)]
fn init_four(access: impl Access, n: u32, array: &[AtomicF64]) {
    let element = |at: usize| {
        let at = at as u32;
        value(
            (at % n) as usize,
            (at / n % n) as usize,
            (at / n / n) as usize,
        )
    };
    let elements = (n as usize).pow(3);
    stripes::four(elements, element, |i, value| {
        access.at(array, i).store(value)
    });
}

both! {
    fn four, four_unchecked(n: u32, array: &[AtomicF64]) = init_four;
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let n = cube_side(run.target);
    let array = run.init.constant(n * n * n, 0.0);
    let mut array = run.to_device(&array)?;
    let grid = Grid::cover((n, n, n)).block(run.block2());
    // Its numbers have 32 bits.
    let four_grid = run
        .four(n * n * n)
        .filter(|_| n * n * n <= u32::MAX as usize);
    run.time(|queue| {
        if let Some(grid) = four_grid {
            let args = (n as u32, array.as_atomic());
            return launch!(queue, grid, [four, four_unchecked], args);
        }
        let args = (array.as_3d(n, n, n),);
        launch!(queue, grid, [init, init_unchecked], args)
    })?;
    Ok(Checksum::of(&run.to_host(&array)?))
}
