//! Products of matrices in which a thread makes [`SPAN`] by [`SPAN`] elements, which it holds in
//! registers, so that what is loaded from shared memory is used as often. Strips of both factors go
//! through shared memory. The terms of an element are added up in the order that one thread would.
//!
//! On the CPU, where threads of a block run one after the other and caches stand for shared memory, a thread
//! makes [`STRIP`] neighbours of a row.

use crate::prelude::*;
use crate::run::Queue;

/// Side of the square of threads in a block, and depth of a strip.
const TILE: usize = 16;
/// Elements along each side for a thread.
const SPAN: usize = 4;
/// Side of the square that a block makes.
const WIDE: usize = TILE * SPAN;

smelt::shared! {
    // TILE columns of the left factor, transposed, and TILE rows of the right one.
    static LEFT: [f64; TILE * WIDE];
    static RIGHT: [f64; TILE * WIDE];
}

/// C = first + (factor A) B, where A has `rows` rows of `depth`, B `depth` rows of `columns`.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Product {
    pub rows: usize,
    pub depth: usize,
    pub columns: usize,
    pub factor: f64,
    pub first: f64,
}

impl Product {
    /// A B.
    pub fn of(rows: usize, depth: usize, columns: usize) -> Self {
        Self {
            rows,
            depth,
            columns,
            factor: 1.0,
            first: 0.0,
        }
    }
}

/// `store` and `load` access the strips, by which and place. Matrices are as `it` says; places in
/// the strips are below TILE * WIDE since blocks are TILE by TILE, and each thread stores its own
/// between barriers.
#[inline(always)]
fn in_registers(
    access: impl Access,
    it: Product,
    a: &[f64],
    b: &[f64],
    store: impl Fn(bool, usize, f64),
    load: impl Fn(bool, usize) -> f64,
) -> [[f64; SPAN]; SPAN] {
    let (t, block) = (thread::thread_index(), thread::block_index());
    // So the compiler sees it too.
    let (tx, ty) = (t.x as usize % TILE, t.y as usize % TILE);
    let (left, top) = (block.x as usize * WIDE, block.y as usize * WIDE);
    let from_a = |row: usize, k: usize| match row < it.rows && k < it.depth {
        true => it.factor * access.at(a, row * it.depth + k),
        false => 0.0,
    };
    let from_b = |k: usize, column: usize| match k < it.depth && column < it.columns {
        true => *access.at(b, k * it.columns + column),
        false => 0.0,
    };
    let mut sums = [[it.first; SPAN]; SPAN];
    for k in (0..it.depth).step_by(TILE) {
        for s in 0..SPAN {
            // Neighbours read neighbours: along k in A, along a row in B.
            let (row, column) = (ty + s * TILE, tx + s * TILE);
            store(false, tx * WIDE + row, from_a(top + row, k + tx));
            store(true, ty * WIDE + column, from_b(k + ty, left + column));
        }
        sync::barrier();
        for m in 0..TILE {
            let column: [f64; SPAN] =
                std::array::from_fn(|s| load(false, m * WIDE + ty + s * TILE));
            let row: [f64; SPAN] = std::array::from_fn(|s| load(true, m * WIDE + tx + s * TILE));
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
fn put_square(it: Product, sums: [[f64; SPAN]; SPAN], mut put: impl FnMut(usize, f64)) {
    let (t, block) = (thread::thread_index(), thread::block_index());
    for (i, sums) in sums.iter().enumerate() {
        let row = block.y as usize * WIDE + t.y as usize + i * TILE;
        for (j, sum) in sums.iter().enumerate() {
            let column = block.x as usize * WIDE + t.x as usize + j * TILE;
            if row < it.rows && column < it.columns {
                put(row * it.columns + column, *sum);
            }
        }
    }
}

// C's elements are atomics only so that safe code may write several of a thread's own; a relaxed store is
// a store.
fn product(it: Product, a: &[f64], b: &[f64], c: &[AtomicF64]) {
    smelt::launch_bounds::<256, 2>();
    let store = |right: bool, i: usize, value: f64| match right {
        false => LEFT.store(i, value),
        true => RIGHT.store(i, value),
    };
    let load = |right: bool, i: usize| match right {
        false => LEFT.load(i),
        true => RIGHT.load(i),
    };
    let sums = in_registers(crate::access::Checked, it, a, b, store, load);
    put_square(it, sums, |i, sum| c[i].store(sum));
}

fn product_unchecked(it: Product, a: &[f64], b: &[f64], c: &[AtomicF64]) {
    smelt::launch_bounds::<256, 2>();
    let strip = |right: bool, i: usize| match right {
        false => LEFT.as_mut_ptr().cast::<f64>().wrapping_add(i),
        true => RIGHT.as_mut_ptr().cast::<f64>().wrapping_add(i),
    };
    // SAFETY: as in_registers says.
    let store = |right: bool, i: usize, value: f64| unsafe { *strip(right, i) = value };
    // SAFETY: as above.
    let load = |right: bool, i: usize| unsafe { *strip(right, i) };
    // SAFETY: as in_registers says.
    let access = unsafe { crate::access::Unchecked::new() };
    let sums = in_registers(access, it, a, b, store, load);
    // SAFETY: put_square gives places in C, each to one thread.
    put_square(it, sums, |i, sum| unsafe {
        c.get_unchecked(i).store(sum);
    });
}

/// Elements of a row that a thread makes on the CPU: half of its vector registers.
const STRIP: usize = 32;

/// A thread for each strip, along x, of each row, along y. Matrices are as `it` says, and all indices are
/// of rows and columns that they have.
#[inline(always)]
fn row_strip(access: impl Access, it: Product, a: &[f64], b: &[f64], c: &[AtomicF64]) {
    let (strip, row) = thread::index2().get();
    let first = strip * STRIP;
    if row >= it.rows || first >= it.columns {
        return;
    }
    if first + STRIP <= it.columns {
        let mut sums = [it.first; STRIP];
        for k in 0..it.depth {
            let a = it.factor * access.at(a, row * it.depth + k);
            let at = k * it.columns + first;
            // One check for the whole strip.
            let _ = access.at(b, at + STRIP - 1);
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum += a * access.at(b, at + i);
            }
        }
        for (i, sum) in sums.into_iter().enumerate() {
            access.at(c, row * it.columns + first + i).store(sum);
        }
        return;
    }
    for column in first..it.columns {
        let mut sum = it.first;
        for k in 0..it.depth {
            let a = it.factor * access.at(a, row * it.depth + k);
            sum += a * access.at(b, k * it.columns + column);
        }
        access.at(c, row * it.columns + column).store(sum);
    }
}

both! {
    fn strips, strips_unchecked(it: Product, a: &[f64], b: &[f64], c: &[AtomicF64]) = row_strip;
}

/// Makes `c`.
pub fn launch(
    queue: &Queue,
    it: Product,
    a: &Buffer<f64>,
    b: &Buffer<f64>,
    c: &mut Buffer<f64>,
) -> smelt::Result<()> {
    if queue.on_cpu {
        let grid = Grid::cover((it.columns.div_ceil(STRIP), it.rows)).block((1, 8));
        let args = (it, a, b, c.as_atomic());
        return launch!(queue, grid, [strips, strips_unchecked], args);
    }
    let squares = (it.columns.div_ceil(WIDE), it.rows.div_ceil(WIDE));
    let grid = Grid::blocks(squares).threads((TILE, TILE));
    launch!(
        queue,
        grid,
        [product, product_unchecked],
        (it, a, b, c.as_atomic())
    )
}
