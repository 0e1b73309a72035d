//! What threads do together: atomics in memory, shared memory and barriers, warps.
//!
//! These are not functions of one element, so each has its own kernel and its own
//! reckoning on the host.

use crate::input::Random;
use crate::suite::{ensure, Outcome, Suite};
use smelt::prelude::*;
use std::fmt::Debug;
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering::*};

const BLOCK: usize = 128;
const THREADS: usize = 1000;

fn words(n: usize) -> Vec<u32> {
    let mut random = Random::new(7);
    (0..n).map(|_| random.word() as u32).collect()
}

fn equal<T: PartialEq + Debug>(got: &[T], want: &[T]) -> Outcome {
    ensure(got.len() == want.len(), "of another length")?;
    match (0..got.len()).find(|&i| got[i] != want[i]) {
        Some(i) => Err(format!("[{i}] is {:?} instead of {:?}", got[i], want[i]).into()),
        None => Ok(()),
    }
}

fn add_all(x: &[u32], sums: &[AtomicU32], wide: &[AtomicU64], low: &[AtomicI32]) {
    let i = thread::index().get();
    if i >= x.len() {
        return;
    }
    sums[x[i] as usize % 7].fetch_add(x[i], Relaxed);
    wide[0].fetch_add(x[i] as u64, Relaxed);
    wide[1].fetch_xor((x[i] as u64) << 20, AcqRel);
    wide[2].fetch_max(x[i] as u64 * 3, Relaxed);
    low[0].fetch_min(x[i] as i32, SeqCst);
    low[1].fetch_or(x[i] as i32 & 0xff0, Relaxed);
    let mut seen = low[2].load(Relaxed);
    while let Err(now) = low[2].compare_exchange_weak(seen, seen.wrapping_mul(2).wrapping_add(2) / 2, AcqRel, Relaxed) {
        seen = now;
    }
}

fn atomics(gpu: &Device) -> Outcome {
    let x = words(THREADS);
    let sums: Vec<AtomicU32> = (0..7).map(|_| AtomicU32::new(0)).collect();
    let wide = [AtomicU64::new(5), AtomicU64::new(0), AtomicU64::new(0)];
    let low = [AtomicI32::new(0), AtomicI32::new(0), AtomicI32::new(0)];
    gpu.launch(Grid::cover(x.len()), add_all, (&x, &sums, &wide, &low))?;
    let mut want = [0u32; 7];
    for y in &x {
        want[*y as usize % 7] = want[*y as usize % 7].wrapping_add(*y);
    }
    equal(&sums.iter().map(|s| s.load(Relaxed)).collect::<Vec<_>>(), &want)?;
    let total = x.iter().map(|&y| y as u64).sum::<u64>() + 5;
    let mixed = x.iter().fold(0, |s, &y| s ^ (y as u64) << 20);
    let most = x.iter().map(|&y| y as u64 * 3).max().unwrap();
    equal(&wide.map(|w| w.into_inner()), &[total, mixed, most])?;
    let least = x.iter().map(|&y| y as i32).min().unwrap().min(0);
    let bits = x.iter().fold(0, |s, &y| s | y as i32 & 0xff0);
    equal(&low.map(|w| w.into_inner()), &[least, bits, THREADS as i32])
}

fn float_sums(x: &[u32], narrow: &[AtomicF32], wide: &[AtomicF64]) {
    let i = thread::index().get();
    if let Some(y) = x.get(i) {
        narrow[0].fetch_add((y % 16) as f32);
        wide[0].fetch_add((y % 1024) as f64);
        narrow[1].fetch_max((y % 999) as f32);
        wide[1].fetch_min(-((y % 999) as f64));
    }
}

/// Of whole numbers, so that the order does not matter.
fn float_atomics(gpu: &Device) -> Outcome {
    let x = words(THREADS);
    let narrow = [AtomicF32::new(0.0), AtomicF32::new(0.0)];
    let wide = [AtomicF64::new(0.0), AtomicF64::new(0.0)];
    gpu.launch(Grid::cover(x.len()), float_sums, (&x, &narrow[..], &wide[..]))?;
    let most = x.iter().map(|y| y % 999).max().unwrap();
    equal(&narrow.map(|n| n.into_inner()), &[x.iter().map(|y| y % 16).sum::<u32>() as f32, most as f32])?;
    equal(&wide.map(|n| n.into_inner()), &[x.iter().map(|y| y % 1024).sum::<u32>() as f64, -(most as f64)])
}

smelt::shared! {
    static TILE: [u32; BLOCK];
    static PAIR: [[u64; 2]; BLOCK];
}

fn block_scan(x: &[u32], mut out: DisjointMut<u32>) {
    let (t, i) = (thread::thread_index().x as usize, thread::index());
    // SAFETY: own element; then reads and writes are parted by barriers.
    unsafe { TILE.set(t, x.get(i.get()).copied().unwrap_or(0)) };
    sync::barrier();
    let mut step = 1;
    while step < BLOCK {
        // SAFETY: as above.
        let before = if t >= step { Some(unsafe { TILE.get(t - step) }) } else { None };
        sync::barrier();
        if let Some(before) = before {
            // SAFETY: as above.
            unsafe { TILE.set(t, TILE.get(t).wrapping_add(before)) };
        }
        sync::barrier();
        step *= 2;
    }
    if let Some(out) = out.get_mut(i) {
        // SAFETY: nobody writes any more.
        *out = unsafe { TILE.get(t) };
    }
}

fn scan(gpu: &Device) -> Outcome {
    let x = words(THREADS);
    let mut out = vec![0u32; THREADS];
    gpu.launch(Grid::cover(THREADS).block(BLOCK), block_scan, (&x, &mut out))?;
    let mut want = x.clone();
    for block in want.chunks_mut(BLOCK) {
        for i in 1..block.len() {
            block[i] = block[i].wrapping_add(block[i - 1]);
        }
    }
    equal(&out, &want)
}

/// A barrier after a join, in a function of its own: optimisers like to copy it into
/// both arms.
#[inline(never)]
fn meet_after_join(t: usize, n: usize, value: u64) -> u64 {
    let mut mine = None;
    if t < n {
        mine = Some([value, t as u64]);
    }
    sync::barrier();
    if let Some(pair) = mine {
        // SAFETY: own element.
        unsafe { PAIR.set(t, pair) };
    }
    sync::barrier();
    // SAFETY: those below n were written before the barrier.
    let [a, b] = unsafe { PAIR.get((t * 7 + 1) % n) };
    sync::barrier();
    a.wrapping_mul(3).wrapping_add(b)
}

fn joined(x: &[u32], mut out: DisjointMut<u64>) {
    let (t, i) = (thread::thread_index().x as usize, thread::index());
    let value = x[i.get()] as u64;
    let first = meet_after_join(t, 50, value);
    out[i] = meet_after_join(t, 31, first);
}

fn barrier_after_join(gpu: &Device) -> Outcome {
    let n = BLOCK * 5;
    let x = words(n);
    let mut out = vec![0u64; n];
    gpu.launch(Grid::cover(n).block(BLOCK), joined, (&x, &mut out))?;
    let want: Vec<u64> = (0..n)
        .map(|i| {
            let (base, t) = (i / BLOCK * BLOCK, i % BLOCK);
            let first = |t: usize| {
                let from = (t * 7 + 1) % 50;
                (x[base + from] as u64).wrapping_mul(3).wrapping_add(from as u64)
            };
            let from = (t * 7 + 1) % 31;
            first(from).wrapping_mul(3).wrapping_add(from as u64)
        })
        .collect();
    equal(&out, &want)
}

fn barrier_loop(rounds: u32, mut out: DisjointMut<u32>) {
    let (t, i) = (thread::thread_index().x as usize, thread::index());
    // SAFETY: a ring of own elements, read between barriers.
    unsafe { TILE.set(t, t as u32) };
    for round in 0..rounds {
        sync::barrier();
        // SAFETY: as above.
        let next = unsafe { TILE.get((t + round as usize) % BLOCK) };
        sync::barrier();
        // SAFETY: as above.
        unsafe { TILE.set(t, next.wrapping_mul(5) ^ round) };
    }
    // SAFETY: own element.
    out[i] = unsafe { TILE.get(t) };
}

fn barriers_in_loops(gpu: &Device) -> Outcome {
    for rounds in [0u32, 1, 9, 40] {
        let mut out = vec![0u32; BLOCK * 3];
        gpu.launch(Grid::cover(BLOCK * 3).block(BLOCK), barrier_loop, (rounds, &mut out))?;
        let mut ring: Vec<u32> = (0..BLOCK as u32).collect();
        for round in 0..rounds {
            ring = (0..BLOCK)
                .map(|t| ring[(t + round as usize) % BLOCK].wrapping_mul(5) ^ round)
                .collect();
        }
        equal(&out, &ring.repeat(3))?;
    }
    Ok(())
}

fn warp_sum(value: u32) -> u32 {
    let mut sum = value;
    let mut step = thread::warp_size() / 2;
    while step > 0 {
        sum = sum.wrapping_add(warp::shuffle_xor(sum, step));
        step /= 2;
    }
    sum
}

#[inline(never)]
fn vote_after_join(lane: u32, value: u64) -> (u64, bool) {
    let mut odd = false;
    let mut moved = value;
    if lane % 3 == 0 {
        odd = value & 1 == 1;
        moved = value ^ 0xff;
    }
    (warp::shuffle(moved, 3) ^ warp::ballot(odd), warp::any(odd))
}

fn warp_kernel(x: &[u32], mut sums: DisjointMut<u32>, mut votes: DisjointMut<(u64, bool)>, mut moved: DisjointMut<[f64; 3]>) {
    let i = thread::index();
    let lane = thread::lane();
    let value = x[i.get()];
    sums[i] = warp_sum(value);
    votes[i] = vote_after_join(lane, value as u64 * 0x1_0001);
    let float = value as f64 / 3.0;
    moved[i] = [warp::shuffle_up(float, 2), warp::shuffle_down(float, 5), warp::shuffle(float, lane ^ 9)];
}

fn warps(gpu: &Device) -> Outcome {
    let size = gpu.info()?.warp_size as usize;
    let n = BLOCK * 3;
    let x = words(n);
    let (mut sums, mut votes, mut moved) = (vec![0u32; n], vec![(0u64, false); n], vec![[0f64; 3]; n]);
    gpu.launch(Grid::cover(n).block(BLOCK), warp_kernel, (&x, &mut sums, &mut votes, &mut moved))?;
    for i in 0..n {
        let (base, lane) = (i / size * size, i % size);
        let lanes = &x[base..base + size];
        let sum = lanes.iter().fold(0u32, |s, y| s.wrapping_add(*y));
        equal(&[sums[i]], &[sum]).map_err(|e| format!("sum {i}: {e}"))?;
        let wide = |l: usize| lanes[l] as u64 * 0x1_0001;
        let ballot = (0..size).filter(|l| l % 3 == 0 && wide(*l) & 1 == 1).fold(0u64, |b, l| b | 1 << l);
        equal(&[votes[i]], &[((wide(3) ^ 0xff) ^ ballot, ballot != 0)]).map_err(|e| format!("vote {i}: {e}"))?;
        let float = |l: usize| lanes[l] as f64 / 3.0;
        let inside = |l: usize| if l < size { float(l) } else { float(lane) };
        let want = [inside(lane.wrapping_sub(2)), inside(lane + 5), inside(lane ^ 9)];
        equal(&[moved[i]], &[want]).map_err(|e| format!("shuffle {i}: {e}"))?;
    }
    Ok(())
}

fn dynamic(mut out: DisjointMut<u16>) {
    let (t, i) = (thread::thread_index().x as usize, thread::index());
    // SAFETY: the launch gave as many; parted by a barrier.
    let all = unsafe { smelt::dynamic_shared::<u16>() };
    unsafe { *all.add(t) = t as u16 * 3 };
    sync::barrier();
    out[i] = unsafe { *all.add(63 - t) };
}

fn dynamic_shared(gpu: &Device) -> Outcome {
    let mut out = vec![0u16; 64];
    gpu.launch(Grid::cover(64).block(64).shared(128), dynamic, (&mut out,))?;
    equal(&out, &(0..64).map(|t| (63 - t) * 3).collect::<Vec<u16>>())
}

/// Of every block the last to arrive adds up what all wrote.
fn last_block(x: &[u32], partial: &[AtomicU32], arrived: &[AtomicU32], total: &[AtomicU64]) {
    let t = thread::thread_index().x as usize;
    let block = thread::block_index().x as usize;
    if t == 0 {
        let part = &x[block * BLOCK..][..BLOCK];
        partial[block].store(part.iter().fold(0u32, |s, y| s.wrapping_add(*y)), Relaxed);
        if arrived[0].fetch_add(1, AcqRel) as usize == partial.len() - 1 {
            let sum = partial.iter().map(|p| p.load(Relaxed) as u64).sum::<u64>();
            total[0].store(sum, Relaxed);
        }
    }
}

fn ordering_between_blocks(gpu: &Device) -> Outcome {
    let blocks = 40;
    let x = words(blocks * BLOCK);
    let partial: Vec<AtomicU32> = (0..blocks).map(|_| AtomicU32::new(0)).collect();
    let (arrived, total) = ([AtomicU32::new(0)], [AtomicU64::new(0)]);
    gpu.launch(Grid::cover(x.len()).block(BLOCK), last_block, (&x, &partial, &arrived, &total))?;
    let want = x.chunks(BLOCK).map(|c| c.iter().fold(0u32, |s, y| s.wrapping_add(*y)) as u64).sum::<u64>();
    equal(&[total[0].load(Relaxed)], &[want])
}

pub fn run(s: &mut Suite) {
    s.test("atomics", atomics);
    s.test("float-atomics", float_atomics);
    s.test("block-scan", scan);
    s.test("barrier-after-join", barrier_after_join);
    s.test("barriers-in-loops", barriers_in_loops);
    s.test("warps", warps);
    s.test("dynamic-shared", dynamic_shared);
    s.test("ordering-between-blocks", ordering_between_blocks);
}
