//! Grids: of one, two and three dimensions, any size, block sizes given and chosen,
//! strides, and more threads than 32 bits can count.

use crate::suite::{ensure, equal, same, Outcome, Suite};
use smelt::prelude::*;
use smelt::DeviceKind;
use std::sync::atomic::{AtomicU64, Ordering};

fn mark(mut out: DisjointMut<u32>) {
    let i = thread::index();
    let at = i.get() as u32;
    if let Some(out) = out.get_mut(i) {
        *out += at + 1;
    }
}

/// Each element is touched once, whatever the number.
fn cover(gpu: &Device) -> Outcome {
    let sizes = [
        0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1009, 1023, 1024, 1025,
        4099, 65_537, 262_139, 1_000_003,
    ];
    for n in sizes {
        let mut out = vec![7u32; n];
        gpu.launch(Grid::cover(n), mark, (&mut out,))?;
        let want: Vec<u32> = (0..n as u32).map(|i| i + 8).collect();
        same(&out, &want).map_err(|e| format!("n = {n}: {e}"))?;
    }
    Ok(())
}

fn block_sizes(gpu: &Device) -> Outcome {
    for block in [1, 2, 31, 32, 33, 64, 100, 128, 256, 512, 1024] {
        let mut out = vec![0u32; 3001];
        gpu.launch(Grid::cover(3001).block(block), mark, (&mut out,))?;
        let want: Vec<u32> = (1..=3001).collect();
        same(&out, &want).map_err(|e| format!("block {block}: {e}"))?;
    }
    Ok(())
}

fn strided(mut out: DisjointMut<u32>) {
    for i in thread::grid_stride(out.len()) {
        let at = i.get() as u32;
        out[i] += at + 1;
    }
}

fn grid_stride(gpu: &Device) -> Outcome {
    for (blocks, threads, n) in [(1, 1, 10), (2, 32, 1000), (7, 33, 100_003), (64, 128, 5), (3, 64, 0)] {
        let mut out = vec![0u32; n];
        gpu.launch(Grid::blocks(blocks).threads(threads), strided, (&mut out,))?;
        let want: Vec<u32> = (1..=n as u32).collect();
        same(&out, &want).map_err(|e| format!("{blocks} x {threads} over {n}: {e}"))?;
    }
    Ok(())
}

/// Counts threads, block by block, and remembers the largest index.
fn count(n: u64, counts: &[AtomicU64]) {
    let at = thread::index().get() as u64;
    if at == n - 1 {
        counts[1].store(at, Ordering::Relaxed);
    }
    if thread::thread_index().x == 0 {
        counts[0].fetch_add(thread::block_dim().x as u64, Ordering::Relaxed);
    }
}

fn more_than_32_bits(gpu: &Device) -> Outcome {
    let n: u64 = (1 << 32) + 1024 * 3;
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    let launched = gpu.launch(Grid::cover(n as usize).block(1024), count, (n, &counts[..]));
    if gpu.info()?.kind == DeviceKind::Amd {
        // Its dispatch packet counts the threads of a dimension in 32 bits.
        let refused = matches!(launched, Err(smelt::Error::Launch(_)));
        return ensure(refused, format!("not refused: {launched:?}"));
    }
    launched?;
    gpu.wait()?;
    equal(counts[0].load(Ordering::Relaxed), n)?;
    equal(counts[1].load(Ordering::Relaxed), n - 1)
}

fn mark2(mut out: DisjointMut2<[u32; 2]>) {
    let i = thread::index2();
    if let Some(out) = out.get_mut(i) {
        out[0] += i.x() as u32;
        out[1] += i.y() as u32 + 1;
    }
}

fn two_dimensions(gpu: &Device) -> Outcome {
    let shapes = [(1, 1), (1, 100), (100, 1), (31, 33), (64, 64), (257, 129), (0, 5), (7, 0)];
    for (columns, rows) in shapes {
        for block in [None, Some((8, 8)), Some((32, 4)), Some((1, 64)), Some((5, 3))] {
            let mut grid = Grid::cover((columns, rows));
            if let Some(block) = block {
                grid = grid.block(block);
            }
            let mut out = vec![[5u32, 0]; columns * rows];
            gpu.launch(grid, mark2, (out.as_2d(rows, columns),))?;
            for (at, got) in out.iter().enumerate() {
                let want = [(at % columns) as u32 + 5, (at / columns) as u32 + 1];
                equal(*got, want).map_err(|e| format!("{columns} x {rows} [{at}]: {e}"))?;
            }
        }
    }
    Ok(())
}

fn mark3(mut out: DisjointMut3<[u16; 3]>) {
    let i = thread::index3();
    if let Some(out) = out.get_mut(i) {
        let (x, y, z) = i.get();
        *out = [x as u16 + 1, y as u16 + 1, z as u16 + 1];
    }
}

fn three_dimensions(gpu: &Device) -> Outcome {
    for (x, y, z) in [(1, 1, 1), (3, 5, 7), (33, 1, 9), (1, 40, 40), (64, 8, 4), (17, 0, 3)] {
        for block in [None, Some((4, 4, 4)), Some((32, 2, 1)), Some((1, 1, 64))] {
            let mut grid = Grid::cover((x, y, z));
            if let Some(block) = block {
                grid = grid.block(block);
            }
            let mut out = vec![[0u16; 3]; x * y * z];
            gpu.launch(grid, mark3, (out.as_3d(z, y, x),))?;
            for (at, got) in out.iter().enumerate() {
                let want = [at % x + 1, at / x % y + 1, at / (x * y) + 1].map(|v| v as u16);
                equal(*got, want).map_err(|e| format!("{x} x {y} x {z} [{at}]: {e}"))?;
            }
        }
    }
    Ok(())
}

/// A view of other extents than the memory has is refused, and a larger or smaller grid
/// than the view is no harm.
fn views(gpu: &Device) -> Outcome {
    let mut out = vec![[5u32, 0]; 12];
    let result = gpu.launch(Grid::cover((3, 5)), mark2, (out.as_2d(5, 3),));
    ensure(result.is_err(), "a view larger than the memory was taken")?;
    gpu.launch(Grid::cover((30, 50)), mark2, (out.as_2d(4, 3),))?;
    equal(out[11], [7, 4])?;
    gpu.launch(Grid::cover((2, 2)).block((2, 2)), mark2, (out.as_2d(3, 4),))?;
    equal(out[11], [7, 4])
}

fn sum_chunk(mut chunks: DisjointChunks<u32>) {
    let i = thread::index();
    if let Some(chunk) = chunks.get_mut(i) {
        let sum = chunk.iter().sum::<u32>();
        chunk.fill(sum);
    }
}

fn chunks(gpu: &Device) -> Outcome {
    for (n, size) in [(100, 7), (64, 8), (5, 100), (0, 3), (33, 1)] {
        let mut out: Vec<u32> = (0..n).collect();
        let count = (n as usize).div_ceil(size);
        let want: Vec<u32> = out
            .chunks(size)
            .flat_map(|c| vec![c.iter().sum::<u32>(); c.len()])
            .collect();
        gpu.launch(Grid::cover(count), sum_chunk, (out.by_chunks(size),))?;
        same(&out, &want).map_err(|e| format!("{n} by {size}: {e}"))?;
    }
    Ok(())
}

/// Where a thread is: all the numbers fit together.
fn positions(counts: &[AtomicU64]) {
    let (t, b) = (thread::thread_index(), thread::block_index());
    let (d, g) = (thread::block_dim(), thread::grid_dim());
    let x = b.x as u64 * d.x as u64 + t.x as u64;
    let y = b.y as u64 * d.y as u64 + t.y as u64;
    let z = b.z as u64 * d.z as u64 + t.z as u64;
    let good = t.x < d.x && t.y < d.y && t.z < d.z && b.x < g.x && b.y < g.y && b.z < g.z;
    if good {
        counts[0].fetch_add(1, Ordering::Relaxed);
    }
    counts[1].fetch_add(x + 100 * y + 10_000 * z, Ordering::Relaxed);
}

fn explicit(gpu: &Device) -> Outcome {
    let counts = [AtomicU64::new(0), AtomicU64::new(0)];
    let grid = Grid::blocks((3, 2, 4)).threads((5, 6, 2));
    gpu.launch(grid, positions, (&counts[..],))?;
    gpu.wait()?;
    equal(counts[0].load(Ordering::Relaxed), 24 * 60)?;
    let mut want = 0;
    for z in 0..8 {
        for y in 0..12 {
            for x in 0..15 {
                want += x + 100 * y + 10_000 * z;
            }
        }
    }
    equal(counts[1].load(Ordering::Relaxed), want)
}

pub fn run(suite: &mut Suite) {
    suite.test("grid covers any number", cover);
    suite.test("block sizes", block_sizes);
    suite.test("grid stride", grid_stride);
    suite.test("two dimensions", two_dimensions);
    suite.test("three dimensions", three_dimensions);
    suite.test("views", views);
    suite.test("chunks", chunks);
    suite.test("blocks and threads given", explicit);
    if crate::has_kernels() {
        suite.test("more than 2^32 threads", more_than_32_bits);
    } else {
        suite.skip("more than 2^32 threads", "built without kernels");
    }
}
