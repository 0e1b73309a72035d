//! Basic_MAT_MAT_SHARED: C = A B, tile by tile through shared memory.
//!
//! Tuning `block` has a thread for each element of C, as the suite. In `registers` (product.rs) a thread
//! makes several, which it holds in registers.

use crate::prelude::*;
use crate::product::{self, Product};

/// Side of a tile: a thread for each element.
const TILE: usize = 16;

pub const KERNEL: Kernel = Kernel {
    name: "MAT_MAT_SHARED",
    group: Group::Basic,
    features: &[Feature::Launch],
    reps: 5,
    shape: |_, target| {
        let n = square_side(target);
        Shape {
            bytes_read: 16 * n * n,
            bytes_written: 8 * n * n,
            // Of whole tiles, as the suite counts.
            flops: 2 * (TILE * n.div_ceil(TILE)).pow(3),
            ..Shape::of(n * n)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("registers")],
    any_block: false,
    ..Kernel::DEFAULT
};

/// The suite's matrices are of ones, in which a wrong index would not show; tests have others.
fn data(run: &mut Run) -> [Vec<f64>; 3] {
    let (n, init) = (run.size, &mut run.init);
    let one = |init: &mut crate::data::Init| match cfg!(test) {
        true => init.random(n).iter().map(|x| x + init.scalar()).collect(),
        false => init.constant(n, 1.0),
    };
    [one(init), one(init), init.constant(n, 0.0)]
}

fn checksum(run: &Run, c: &[f64]) -> Checksum {
    Checksum::new().scaled(c, 1e-6 * run.scale)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, mut c] = data(run);
    let n = square_side(run.target);
    run.time_host(|| {
        for (c, a) in c.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
            c.fill(0.0);
            for (a, b) in a.iter().zip(b.chunks_exact(n)) {
                for (c, b) in c.iter_mut().zip(b) {
                    *c += a * b;
                }
            }
        }
    });
    Ok(checksum(run, &c))
}

smelt::shared! {
    static A_TILE: [f64; TILE * TILE];
    static B_TILE: [f64; TILE * TILE];
}

fn multiply(n: usize, a: &[f64], b: &[f64], mut c: DisjointMut2<f64>) {
    smelt::launch_bounds::<256, 0>();
    let (t, at) = (thread::thread_index(), thread::index2());
    // Blocks are TILE by TILE; so the compiler sees it too.
    let (tx, ty) = (t.x as usize % TILE, t.y as usize % TILE);
    let (column, row) = at.get();
    let mut sum = 0.0;
    for k in (0..n).step_by(TILE) {
        let (kx, ky) = (k + tx, k + ty);
        let inside = row < n && kx < n;
        A_TILE.store(ty * TILE + tx, if inside { a[row * n + kx] } else { 0.0 });
        let inside = column < n && ky < n;
        B_TILE.store(
            ty * TILE + tx,
            if inside { b[ky * n + column] } else { 0.0 },
        );
        sync::barrier();
        for m in 0..TILE {
            sum += A_TILE.load(ty * TILE + m) * B_TILE.load(m * TILE + tx);
        }
        sync::barrier();
    }
    if let Some(c) = c.get_mut(at) {
        *c = sum;
    }
}

fn multiply_unchecked(n: usize, a: &[f64], b: &[f64], mut c: DisjointMut2<f64>) {
    smelt::launch_bounds::<256, 0>();
    let (t, at) = (thread::thread_index(), thread::index2());
    let (tx, ty) = (t.x as usize, t.y as usize);
    let (column, row) = at.get();
    let (a_tile, b_tile) = (
        A_TILE.as_mut_ptr().cast::<f64>(),
        B_TILE.as_mut_ptr().cast::<f64>(),
    );
    let mut sum = 0.0;
    for k in (0..n).step_by(TILE) {
        // SAFETY: blocks are TILE by TILE, so each thread writes its own element of the tiles; all
        // are read between the barriers only. a and b have n rows of n.
        unsafe {
            let inside = row < n && k + tx < n;
            *a_tile.add(ty * TILE + tx) = if inside {
                *a.get_unchecked(row * n + k + tx)
            } else {
                0.0
            };
            let inside = column < n && k + ty < n;
            *b_tile.add(ty * TILE + tx) = if inside {
                *b.get_unchecked((k + ty) * n + column)
            } else {
                0.0
            };
            sync::barrier();
            for m in 0..TILE {
                sum += *a_tile.add(ty * TILE + m) * *b_tile.add(m * TILE + tx);
            }
            sync::barrier();
        }
    }
    if let Some(c) = c.get_mut(at) {
        *c = sum;
    }
}

fn smelt_registers(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, c] = data(run);
    let n = square_side(run.target);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let mut c = run.to_device(&c)?;
    let it = Product::of(n, n, n);
    run.time(|queue| product::launch(queue, it, &a, &b, &mut c))?;
    let c = run.to_host(&c)?;
    Ok(checksum(run, &c))
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    if run.tuning == "registers" {
        return smelt_registers(run);
    }
    let [a, b, c] = data(run);
    let n = square_side(run.target);
    let (a, b, mut c) = (run.to_device(&a)?, run.to_device(&b)?, run.to_device(&c)?);
    let tiles = n.div_ceil(TILE);
    let grid = Grid::blocks((tiles, tiles)).threads((TILE, TILE));
    run.time(|queue| {
        let args = (n, &a, &b, c.as_2d(n, n));
        launch!(queue, grid, [multiply, multiply_unchecked], args)
    })?;
    let c = run.to_host(&c)?;
    Ok(checksum(run, &c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Choice;
    use crate::suite::{Params, Variant};

    #[test]
    fn all_variants_multiply_uneven_matrices() {
        let (params, gpu) = (Params::default(), Device::default().unwrap());
        let run = |variant, tuning| {
            let choice = Choice {
                variant,
                tuning,
                block: 256,
                target: 75 * 75,
                reps: 1,
            };
            let mut run = Run::new(gpu, 2, &KERNEL, &params, choice);
            match variant {
                Variant::BaseSeq => seq(&mut run).unwrap(),
                _ => smelt(&mut run).unwrap(),
            }
        };
        let right = run(Variant::BaseSeq, "");
        for variant in [Variant::SmeltSafe, Variant::SmeltUnsafe] {
            for tuning in KERNEL.tunings {
                assert!(run(variant, tuning.name).distance(&right) < 1e-14);
            }
        }
    }
}
