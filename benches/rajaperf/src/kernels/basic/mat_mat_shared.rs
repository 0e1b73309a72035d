//! Basic_MAT_MAT_SHARED: C = A B, tile by tile through shared memory.
//!
//! Tuning `block` has a thread for each element of C, as the suite. In `registers` a thread makes SPAN by
//! SPAN of them, which it holds in registers, so that what is loaded from shared memory is used SPAN
//! times.

use crate::prelude::*;

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
        let inside = row < n && k + tx < n;
        A_TILE.store(
            ty * TILE + tx,
            if inside { a[row * n + k + tx] } else { 0.0 },
        );
        let inside = column < n && k + ty < n;
        B_TILE.store(
            ty * TILE + tx,
            if inside {
                b[(k + ty) * n + column]
            } else {
                0.0
            },
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

/// Elements of C along each side for a thread of `registers`.
const SPAN: usize = 4;
/// Side of the square of C that a block makes.
const WIDE: usize = TILE * SPAN;

smelt::shared! {
    // TILE columns of A, transposed, and TILE rows of B.
    static A_STRIP: [f64; TILE * WIDE];
    static B_STRIP: [f64; TILE * WIDE];
}

/// `read(0, row, column)` is an element of A, or 0 outside; `read(1, ..)` one of B. `store` and `load`
/// access the strips.
#[inline(always)]
fn in_registers(
    n: usize,
    read: impl Fn(usize, usize, usize) -> f64,
    store: impl Fn(usize, usize, f64),
    load: impl Fn(usize, usize) -> f64,
) -> [[f64; SPAN]; SPAN] {
    let (t, b) = (thread::thread_index(), thread::block_index());
    let (tx, ty) = (t.x as usize % TILE, t.y as usize % TILE);
    let (left, top) = (b.x as usize * WIDE, b.y as usize * WIDE);
    let mut sums = [[0.0; SPAN]; SPAN];
    for k in (0..n).step_by(TILE) {
        for s in 0..SPAN {
            // Neighbours read neighbours: along k in A, along a row in B.
            store(
                0,
                tx * WIDE + ty + s * TILE,
                read(0, top + ty + s * TILE, k + tx),
            );
            store(
                1,
                ty * WIDE + tx + s * TILE,
                read(1, k + ty, left + tx + s * TILE),
            );
        }
        sync::barrier();
        for m in 0..TILE {
            let column: [f64; SPAN] = std::array::from_fn(|s| load(0, m * WIDE + ty + s * TILE));
            let row: [f64; SPAN] = std::array::from_fn(|s| load(1, m * WIDE + tx + s * TILE));
            for (sums, a) in sums.iter_mut().zip(column) {
                for (sum, b) in sums.iter_mut().zip(row) {
                    *sum += a * b;
                }
            }
        }
        sync::barrier();
    }
    sums
}

/// Calls `put` with place and value of each element of C that the thread has made.
#[inline(always)]
fn put_square(n: usize, sums: [[f64; SPAN]; SPAN], mut put: impl FnMut(usize, f64)) {
    let (t, b) = (thread::thread_index(), thread::block_index());
    for (i, sums) in sums.iter().enumerate() {
        let row = b.y as usize * WIDE + t.y as usize + i * TILE;
        for (j, sum) in sums.iter().enumerate() {
            let column = b.x as usize * WIDE + t.x as usize + j * TILE;
            if row < n && column < n {
                put(row * n + column, *sum);
            }
        }
    }
}

// C's elements are atomics only so that safe code may write several of a thread's own; a relaxed store is
// a store.
fn registers(n: usize, a: &[f64], b: &[f64], c: &[AtomicF64]) {
    smelt::launch_bounds::<256, 2>();
    let read = |which: usize, row: usize, column: usize| match row < n && column < n {
        true => [a, b][which][row * n + column],
        false => 0.0,
    };
    let store = |which: usize, i: usize, value: f64| match which {
        0 => A_STRIP.store(i, value),
        _ => B_STRIP.store(i, value),
    };
    let load = |which: usize, i: usize| match which {
        0 => A_STRIP.load(i),
        _ => B_STRIP.load(i),
    };
    let sums = in_registers(n, read, store, load);
    put_square(n, sums, |i, sum| c[i].store(sum));
}

fn registers_unchecked(n: usize, a: &[f64], b: &[f64], c: &[AtomicF64]) {
    smelt::launch_bounds::<256, 2>();
    let strip = |which: usize, i: usize| match which {
        0 => A_STRIP.as_mut_ptr().cast::<f64>().wrapping_add(i),
        _ => B_STRIP.as_mut_ptr().cast::<f64>().wrapping_add(i),
    };
    let read = |which: usize, row: usize, column: usize| match row < n && column < n {
        // SAFETY: a and b have n rows of n.
        true => unsafe { *[a, b][which].get_unchecked(row * n + column) },
        false => 0.0,
    };
    // SAFETY: blocks are TILE by TILE, so i is below TILE * WIDE; each thread writes its own elements
    // and reads between the barriers only.
    let store = |which: usize, i: usize, value: f64| unsafe { *strip(which, i) = value };
    // SAFETY: as above.
    let load = |which: usize, i: usize| unsafe { *strip(which, i) };
    let sums = in_registers(n, read, store, load);
    // SAFETY: put_square gives places below n * n, each to one thread.
    put_square(n, sums, |i, sum| unsafe {
        c.get_unchecked(i).store(sum);
    });
}

fn smelt_registers(run: &mut Run) -> smelt::Result<Checksum> {
    let [a, b, c] = data(run);
    let n = square_side(run.target);
    let (a, b) = (run.to_device(&a)?, run.to_device(&b)?);
    let c = run.move_to_device(c.into_iter().map(AtomicF64::new).collect())?;
    let squares = n.div_ceil(WIDE);
    let grid = Grid::blocks((squares, squares)).threads((TILE, TILE));
    run.time(|queue| {
        launch!(
            queue,
            grid,
            [registers, registers_unchecked],
            (n, &a, &b, &c)
        )
    })?;
    let c: Vec<f64> = run
        .to_host(&c)?
        .into_iter()
        .map(AtomicF64::into_inner)
        .collect();
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
