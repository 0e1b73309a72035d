//! Threads that work together: shared memory, barriers, warps, atomics.

use crate::suite::{ensure, equal, same, Outcome, Suite};
use kernels_dep::BLOCK;
use smelt::prelude::*;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

smelt::shared! {
    static LINE: [u64; BLOCK];
    static PARTS: [f64; 64];
}

fn grid(n: usize) -> Grid {
    Grid::cover(n).block(BLOCK)
}

/// Sums per block, and the total by one atomic of each block.
fn reduce(x: &[u64], total: &[AtomicU64]) {
    let i = thread::index().get();
    let sum = kernels_dep::block_sum(x.get(i).copied().unwrap_or(0));
    if thread::thread_index().x == 0 {
        total[0].fetch_add(sum, Ordering::Relaxed);
    }
}

fn reduction(gpu: &Device) -> Outcome {
    for n in [1, 127, 128, 129, 10_007] {
        let x: Vec<u64> = (0..n as u64).map(|i| i * i + 1).collect();
        let total = [AtomicU64::new(0)];
        gpu.launch(grid(n), reduce, (&x, &total[..]))?;
        gpu.wait()?;
        equal(total[0].load(Ordering::Relaxed), x.iter().sum())?;
    }
    Ok(())
}

fn local_join(x: &[u64], mut out: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    let mut mine = None;
    if i.get() < x.len() {
        mine = Some(x[i.get()]);
    }
    // SAFETY: each thread its own element; read after the barrier only.
    unsafe { LINE.set(t, mine.unwrap_or(0)) };
    sync::barrier();
    if let Some(mine) = mine {
        out[i] = mine + unsafe { LINE.get((t + 1) % BLOCK) };
    }
}

fn generic_join<T: DeviceCopy + Into<u64>>(x: &[T], mut out: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    let mut mine = None;
    if i.get() < x.len() {
        mine = Some(x[i.get()]);
    }
    unsafe { LINE.set(t, mine.map_or(0, Into::into)) };
    sync::barrier();
    if let Some(mine) = mine {
        out[i] = mine.into() + unsafe { LINE.get((t + 1) % BLOCK) };
    }
}

/// What `mine + neighbour in the block` is.
fn joined(x: &[u64]) -> Vec<u64> {
    (0..x.len())
        .map(|i| {
            let next = i / BLOCK * BLOCK + (i % BLOCK + 1) % BLOCK;
            x[i] + x.get(next).copied().unwrap_or(0)
        })
        .collect()
}

fn joins(gpu: &Device) -> Outcome {
    for n in [1, 100, 128, 300, 1000] {
        let x: Vec<u64> = (0..n as u64).map(|i| i * 3 + 1).collect();
        let small: Vec<u32> = x.iter().map(|v| *v as u32).collect();
        let want = joined(&x);
        let mut out = vec![0u64; n];
        gpu.launch(grid(n), local_join, (&x, &mut out))?;
        same(&out, &want).map_err(|e| format!("here, n = {n}: {e}"))?;
        let mut out = vec![0u64; n];
        gpu.launch(grid(n), generic_join::<u32>, (&small, &mut out))?;
        same(&out, &want).map_err(|e| format!("here, generic, n = {n}: {e}"))?;
        let mut out = vec![0u64; n];
        gpu.launch(grid(n), kernels_dep::join_generic::<u32>, (&small, &mut out))?;
        same(&out, &want).map_err(|e| format!("dependency, generic, n = {n}: {e}"))?;

        let mut out = vec![0u64; n];
        gpu.launch(grid(n), kernels_dep::join, (&x, &mut out))?;
        let sums: Vec<u64> = x.chunks(BLOCK).map(|c| c.iter().sum()).collect();
        let want: Vec<u64> = (0..n).map(|i| x[i] + sums[i / BLOCK]).collect();
        same(&out, &want).map_err(|e| format!("dependency, n = {n}: {e}"))?;
    }
    Ok(())
}

/// A barrier in a loop whose count the host gives; threads hand values round.
fn rotate(rounds: u32, mut out: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    let mut value = i.get() as u64;
    for _ in 0..rounds {
        unsafe { LINE.set(t, value) };
        sync::barrier();
        value = unsafe { LINE.get((t + 1) % BLOCK) };
        sync::barrier();
    }
    if let Some(out) = out.get_mut(i) {
        *out = value;
    }
}

fn barrier_in_loop(gpu: &Device) -> Outcome {
    for rounds in [0, 1, 5, 200] {
        let mut out = vec![0u64; 3 * BLOCK];
        gpu.launch(grid(3 * BLOCK), rotate, (rounds, &mut out))?;
        let want: Vec<u64> = (0..3 * BLOCK)
            .map(|i| (i / BLOCK * BLOCK + (i % BLOCK + rounds as usize) % BLOCK) as u64)
            .collect();
        same(&out, &want).map_err(|e| format!("{rounds} rounds: {e}"))?;
    }
    Ok(())
}

/// Threads that end before a barrier count as arrived.
fn early_end(mut out: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    unsafe { LINE.set(t, 5) };
    sync::barrier();
    if t >= 40 {
        return;
    }
    unsafe { LINE.set(t, t as u64) };
    sync::barrier();
    out[i] = unsafe { LINE.get(39 - t) + LINE.get(100) };
}

fn dynamic(n: usize, x: &[f32], mut out: DisjointMut<f32>) {
    let i = thread::index();
    let at = i.get();
    // SAFETY: the launch gives n floats; written before the barrier, read after.
    let memory = unsafe { smelt::dynamic_shared::<f32>() };
    if at < n {
        unsafe { memory.add(at).write(x[at]) };
    }
    sync::barrier();
    if at < n {
        out[i] = unsafe { memory.add(n - 1 - at).read() };
    }
}

fn dynamic_shared(gpu: &Device) -> Outcome {
    for n in [1usize, 64, 100, 256] {
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let mut out = vec![0f32; n];
        let grid = Grid::cover(n).block(256).shared(n * 4);
        gpu.launch(grid, dynamic, (n, &x, &mut out))?;
        let want: Vec<f32> = x.iter().rev().copied().collect();
        same(&out, &want)?;
    }
    Ok(())
}

/// Each lane's view of its warp.
fn warp_operations(mut out: DisjointMut<[u64; 8]>) {
    let i = thread::index();
    let at = i.get() as u64;
    let lane = thread::lane();
    let size = thread::warp_size();
    let mut sum = at;
    let mut step = size / 2;
    while step > 0 {
        sum += warp::shuffle_xor(sum, step);
        step /= 2;
    }
    let row = [
        sum,
        warp::shuffle(at, 3),
        warp::shuffle_up(at as f64, 2) as u64,
        warp::shuffle_down(at as u32, 1) as u64,
        warp::ballot(lane % 3 == 0),
        warp::any(lane == 5) as u64,
        warp::all(lane < size) as u64 + 2 * warp::all(lane != 7) as u64,
        size as u64,
    ];
    if let Some(out) = out.get_mut(i) {
        *out = row;
    }
}

fn warps(gpu: &Device) -> Outcome {
    let mut out = vec![[0u64; 8]; 256];
    gpu.launch(Grid::cover(256).block(128), warp_operations, (&mut out,))?;
    let size = out[0][7];
    ensure(size == 32 || size == 64, format!("warp of {size}"))?;
    for i in 0..256u64 {
        let (first, lane) = (i / size * size, i % size);
        let want = [
            (first..first + size).sum(),
            first + 3,
            if lane >= 2 { i - 2 } else { i },
            if lane + 1 < size { i + 1 } else { i },
            (0..size).filter(|l| l % 3 == 0).map(|l| 1u64 << l).sum(),
            1,
            1,
            size,
        ];
        equal(out[i as usize], want).map_err(|e| format!("thread {i}: {e}"))?;
    }
    Ok(())
}

fn histogram(x: &[u32], bins: &[AtomicU32], low: &[AtomicI32]) {
    for i in thread::grid_stride(x.len()) {
        let v = x[i.get()];
        bins[(v % 10) as usize].fetch_add(1, Ordering::Relaxed);
        low[0].fetch_min(-(v as i32), Ordering::Relaxed);
        low[1].fetch_max(v as i32, Ordering::AcqRel);
        low[2].fetch_xor(v as i32, Ordering::SeqCst);
        // A loop of compare and exchange.
        let mut old = low[3].load(Ordering::Relaxed);
        while let Err(now) =
            low[3].compare_exchange_weak(old, old + 2, Ordering::AcqRel, Ordering::Relaxed)
        {
            old = now;
        }
    }
}

fn atomics(gpu: &Device) -> Outcome {
    let x: Vec<u32> = (0..5000u32).map(|i| i.wrapping_mul(2654435761) >> 12).collect();
    let bins: Vec<AtomicU32> = (0..10).map(|_| AtomicU32::new(0)).collect();
    let low: Vec<AtomicI32> = (0..4).map(|_| AtomicI32::new(0)).collect();
    gpu.launch(Grid::blocks(7).threads(64), histogram, (&x, &bins, &low))?;
    gpu.wait()?;
    let read = |v: &AtomicI32| v.load(Ordering::Relaxed);
    for (bin, count) in bins.iter().enumerate() {
        let want = x.iter().filter(|v| **v % 10 == bin as u32).count() as u32;
        equal(count.load(Ordering::Relaxed), want)?;
    }
    let most = *x.iter().max().unwrap() as i32;
    equal(read(&low[0]), -most)?;
    equal(read(&low[1]), most)?;
    equal(read(&low[2]), x.iter().fold(0, |a, v| a ^ *v as i32))?;
    equal(read(&low[3]), 2 * x.len() as i32)
}

fn float_sums(x: &[f64], sums: &[AtomicF64], singles: &[AtomicF32]) {
    for i in thread::grid_stride(x.len()) {
        let v = x[i.get()];
        sums[0].fetch_add(v);
        sums[1].fetch_min(v);
        sums[2].fetch_max(v);
        singles[0].fetch_add(1.0);
        singles[1].fetch_max(v as f32);
    }
}

fn float_atomics(gpu: &Device) -> Outcome {
    // Multiples of a power of two: sums are exact in any order.
    let x: Vec<f64> = (0..3000).map(|i| (i as f64 - 1000.0) / 64.0).collect();
    let sums: Vec<AtomicF64> = (0..3).map(|_| AtomicF64::new(0.0)).collect();
    let singles: Vec<AtomicF32> = (0..2).map(|_| AtomicF32::new(0.0)).collect();
    gpu.launch(Grid::blocks(3).threads(128), float_sums, (&x, &sums, &singles))?;
    gpu.wait()?;
    equal(sums[0].load(), x.iter().sum())?;
    equal(sums[1].load(), x[0])?;
    equal(sums[2].load(), x[2999])?;
    equal(singles[0].load(), 3000.0)?;
    equal(singles[1].load(), x[2999] as f32)
}

/// A panic before a barrier: the others go on, the error comes.
fn panic_before_barrier(x: &[u64], mut out: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    let value = x[i.get()];
    unsafe { LINE.set(t, value) };
    sync::barrier();
    if let Some(out) = out.get_mut(i) {
        *out = unsafe { LINE.get(t ^ 1) };
    }
}

fn panic_and_barrier(gpu: &Device) -> Outcome {
    let x: Vec<u64> = (0..BLOCK as u64 - 2).collect();
    let mut out = vec![0u64; BLOCK];
    match gpu.launch(grid(BLOCK), panic_before_barrier, (&x, &mut out)) {
        Err(smelt::Error::Panic { threads, .. }) => equal(threads, 2)?,
        other => return Err(format!("{other:?}").into()),
    }
    let want: Vec<u64> = (0..BLOCK as u64 - 2).map(|i| i ^ 1).collect();
    same(&out[..BLOCK - 2], &want)
}

/// A barrier in a function that asks not to be inlined.
#[inline(never)]
fn swap_with_neighbour(value: u64) -> u64 {
    let t = thread::thread_index().x as usize;
    unsafe { LINE.set(t, value) };
    sync::barrier();
    unsafe { LINE.get(t ^ 1) }
}

fn swapped(mut out: DisjointMut<u64>) {
    let i = thread::index();
    let got = swap_with_neighbour(i.get() as u64);
    if let Some(out) = out.get_mut(i) {
        *out = got;
    }
}

fn partial_sums(mut out: DisjointMut<f64>) {
    let t = thread::thread_index();
    let i = thread::index();
    unsafe { PARTS.set(t.x as usize, i.get() as f64) };
    sync::barrier();
    out[i] = (0..64).map(|k| unsafe { PARTS.get(k) }).sum();
}

pub fn run(suite: &mut Suite) {
    suite.test("block reduction in a dependency", reduction);
    suite.test("barrier after a join", joins);
    suite.test("barrier in a loop", barrier_in_loop);
    suite.test("threads that end before a barrier", |gpu| {
        let mut out = vec![0u64; BLOCK];
        let result = gpu.launch(grid(BLOCK), early_end, (&mut out,));
        if std::env::var_os("SMELT_CPU_CHECK").is_some() {
            // To it they are missing; it runs the kernel all the same.
            assert!(matches!(result, Err(smelt::Error::Fault(_))), "{result:?}");
        } else {
            result?;
        }
        let want: Vec<u64> = (0..40).map(|t| 39 - t + 5).collect();
        same(&out[..40], &want)?;
        same(&out[40..], &[0; BLOCK - 40])
    });
    suite.test("blocks have their own shared memory", |gpu| {
        let mut out = vec![0f64; 64 * 50];
        gpu.launch(Grid::cover(64 * 50).block(64), partial_sums, (&mut out,))?;
        let want: Vec<f64> =
            (0..64 * 50).map(|i| (0..64).map(|k| (i / 64 * 64 + k) as f64).sum()).collect();
        same(&out, &want)
    });
    suite.test("barrier in a function of its own", |gpu| {
        let mut out = vec![0u64; 3 * BLOCK];
        gpu.launch(grid(3 * BLOCK), swapped, (&mut out,))?;
        let want: Vec<u64> = (0..3 * BLOCK as u64).map(|i| i ^ 1).collect();
        same(&out, &want)
    });
    suite.test("dynamic shared memory", dynamic_shared);
    suite.test("warp operations", warps);
    suite.test("integer atomics", atomics);
    suite.test("float atomics", float_atomics);
    suite.test("panic before a barrier", panic_and_barrier);
}
