//! Operations of whole warps, blocks and grids, and the library's reductions, scans and sorts.

use crate::suite::{ensure, equal, same, Outcome, Suite};
use smelt::prelude::*;
use smelt::prim::{GridReduction, Reduction, Scan, Sort};
use smelt::{BlockSlice, Error};

/// x -> a * x + b: composing two is associative, not commutative.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Affine {
    a: u32,
    b: u32,
}

impl Affine {
    const SAME: Affine = Affine { a: 1, b: 0 };

    fn of(i: usize) -> Self {
        Affine { a: 2 * i as u32 + 1, b: i as u32 ^ 0x55 }
    }

    /// First this, then the other.
    fn then(self, other: Self) -> Self {
        Affine {
            a: self.a.wrapping_mul(other.a),
            b: self.b.wrapping_mul(other.a).wrapping_add(other.b),
        }
    }
}

/// With bytes that belong to no field.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Padded {
    small: u8,
    large: u64,
    flag: bool,
}

impl Padded {
    fn of(i: usize) -> Self {
        Padded { small: i as u8, large: (i as u64) << 33, flag: i % 3 == 0 }
    }

    fn with(self, other: Self) -> Self {
        Padded {
            small: self.small.max(other.small),
            large: self.large + other.large,
            flag: self.flag ^ other.flag,
        }
    }
}

/// In each thread: its warp's reduction, what lies before it and through it.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct OfTeam {
    all: Padded,
    before: Affine,
    through: Affine,
}

fn warps(mut out: DisjointMut<OfTeam>, mut size: DisjointMut<u32>) {
    let i = thread::index();
    let value = OfTeam {
        all: warp::reduce(Padded::of(i.get()), Padded::with),
        before: warp::scan_exclusive(Affine::of(i.get()), Affine::SAME, Affine::then),
        through: warp::scan_inclusive(Affine::of(i.get()), Affine::then),
    };
    out[i] = value;
    size[i] = thread::warp_size();
}

fn blocks(mut out: DisjointMut<OfTeam>) {
    let i = thread::index();
    let value = OfTeam {
        all: block::reduce(Padded::of(i.get()), Padded::with),
        before: block::scan_exclusive(Affine::of(i.get()), Affine::SAME, Affine::then),
        through: block::scan_inclusive(Affine::of(i.get()), Affine::then),
    };
    out[i] = value;
}

/// What teams of consecutive threads should have.
fn teams(n: usize, block: usize, team: usize) -> Vec<OfTeam> {
    let mut out = vec![];
    for start in (0..n).step_by(block) {
        for first in (start..start + block).step_by(team) {
            let team = first..(first + team).min(start + block);
            let all = team.clone().map(Padded::of).reduce(Padded::with).unwrap();
            let mut through = Affine::SAME;
            for i in team {
                let before = through;
                through = through.then(Affine::of(i));
                out.push(OfTeam { all, before, through });
            }
        }
    }
    out
}

const NOTHING: OfTeam =
    OfTeam { all: Padded { small: 0, large: 0, flag: false }, before: Affine::SAME, through: Affine::SAME };

fn of_warps(gpu: &Device) -> Outcome {
    for block in [1, 5, 31, 32, 33, 64, 65, 100, 128] {
        let n = 2 * block;
        let (mut out, mut size) = (vec![NOTHING; n], vec![0; n]);
        gpu.launch(Grid::blocks(2).threads(block), warps, (&mut out, &mut size))?;
        let want = teams(n, block, size[0] as usize);
        same(&out, &want).map_err(|e| format!("blocks of {block}: {e}"))?;
    }
    Ok(())
}

fn of_blocks(gpu: &Device) -> Outcome {
    for block in [1, 7, 32, 33, 64, 100, 256, 600] {
        let n = 3 * block;
        let mut out = vec![NOTHING; n];
        gpu.launch(Grid::blocks(3).threads(block), blocks, (&mut out,))?;
        same(&out, &teams(n, block, block)).map_err(|e| format!("blocks of {block}: {e}"))?;
    }
    Ok(())
}

/// In a block of three dimensions threads are numbered with x running fastest.
fn numbered(mut out: DisjointMut3<u64>) {
    let t = block::thread_number() as u64;
    let sum = block::reduce(t, |a, b| a + b);
    let before = block::scan_exclusive(1, 0, |a, b| a + b);
    if let Some(out) = out.get_mut(thread::index3()) {
        *out = sum * 1000 + before;
    }
}

fn of_3d_blocks(gpu: &Device) -> Outcome {
    let mut out = vec![0u64; 5 * 3 * 4];
    let grid = Grid::blocks((1, 1, 1)).threads((5, 3, 4));
    gpu.launch(grid, numbered, (out.as_3d(4, 3, 5),))?;
    let want: Vec<u64> = (0..60).map(|t| 59 * 60 / 2 * 1000 + t).collect();
    same(&out, &want)
}

/// The error of a kernel in which not all threads of a block meet.
fn absent(result: smelt::Result<()>) -> Outcome {
    match result {
        Err(error @ Error::Panic { .. }) if error.to_string().contains("operation of a whole block") => Ok(()),
        // What checks the kernels says so first.
        Err(Error::Fault(_)) if std::env::var_os("SMELT_CPU_CHECK").is_some() => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

fn one_ends(from: usize, mut out: DisjointMut<u32>) {
    let i = thread::index();
    if block::thread_number() >= from {
        return;
    }
    out[i] = block::reduce(1, |a, b| a + b);
}

fn one_ends_scan(from: usize, mut out: DisjointMut<u32>) {
    let i = thread::index();
    if block::thread_number() >= from {
        return;
    }
    out[i] = block::scan_exclusive(1, 0, |a, b| a + b);
}

fn one_ends_fill(from: usize, mut out: DisjointMut<u32>, mut tile: BlockSlice<u32>) {
    let i = thread::index();
    if block::thread_number() >= from {
        return;
    }
    out[i] = tile.fill(|k| k as u32)[0];
}

/// Also a whole warp of them.
fn ended_threads(gpu: &Device) -> Outcome {
    for from in [1, 99, 64, 32] {
        let mut out = vec![0; 100];
        let grid = Grid::blocks(1).threads(100);
        absent(gpu.launch(grid, one_ends, (from, &mut out)))?;
        absent(gpu.launch(grid, one_ends_scan, (from, &mut out)))?;
        absent(gpu.launch(grid, one_ends_fill, (from, &mut out, block::slice::<u32>(100))))?;
        gpu.launch(grid, one_ends, (100usize, &mut out))?;
        same(&out, &[100; 100])?;
    }
    Ok(())
}

/// One array is made from another: neighbours' sums, read from the other end.
fn phases(
    x: &[u32],
    mut out: DisjointMut<u32>,
    mut values: BlockSlice<u32>,
    mut sums: BlockSlice<u32>,
) {
    let i = thread::index();
    let (t, first) = (block::thread_number(), i.get() - block::thread_number());
    let values = values.fill(|k| x.get(first + k).copied().unwrap_or(0));
    let sums = sums.fill(|k| values[k] + if k > 0 { values[k - 1] } else { 0 });
    out[i] = sums[sums.len() - 1 - t];
}

fn filled_again(rounds: u32, mut out: DisjointMut<u32>, mut tile: BlockSlice<u32>) {
    let (i, t) = (thread::index(), block::thread_number());
    let mut value = t as u32;
    for _ in 0..rounds {
        let tile = tile.fill(|k| if k == t { value } else { k as u32 * 1000 });
        value = tile[(t + 1) % block::size()] + tile[tile.len() - 1];
    }
    out[i] = value;
}

fn slices(gpu: &Device) -> Outcome {
    let x: Vec<u32> = (0..300).collect();
    let mut out = vec![0; 300];
    let (even, odd) = (block::slice::<u32>(100), block::slice::<u32>(100));
    gpu.launch(Grid::blocks(3).threads(100), phases, (&x, &mut out, even, odd))?;
    let want: Vec<u32> = (0..300usize)
        .map(|i| {
            let at = i / 100 * 100 + 99 - i % 100;
            (at + if at % 100 > 0 { at - 1 } else { 0 }) as u32
        })
        .collect();
    same(&out, &want)?;
    // More elements than threads, and beside memory that the grid asks for itself.
    for threads in [1, 50, 77] {
        let mut out = vec![0; threads];
        let tile = block::slice::<u32>(2 * threads + 5);
        let grid = Grid::blocks(1).threads(threads).shared(100);
        gpu.launch(grid, filled_again, (20, &mut out, tile))?;
        let mut value: Vec<u32> = (0..threads as u32).collect();
        for _ in 0..20 {
            let last = (2 * threads as u32 + 4) * 1000;
            value = (0..threads).map(|t| value[(t + 1) % threads] + last).collect();
        }
        same(&out, &value).map_err(|e| format!("{threads} threads: {e}"))?;
    }
    Ok(())
}

fn total(x: &[u32], most: usize, sum: GridReduction<Padded>) {
    let mut own = Padded { small: 0, large: 0, flag: false };
    for i in thread::grid_stride(most) {
        own = own.with(Padded::of(x[i.get()] as usize));
    }
    sum.reduce(own, Padded::with);
}

fn reductions(gpu: &Device) -> Outcome {
    let none = Padded { small: 0, large: 0, flag: false };
    let x: Vec<u32> = (0..10_007).collect();
    let want = |n: usize| (0..n).map(Padded::of).fold(none, Padded::with);
    let x = Buffer::from_slice(gpu, &x)?;
    let mut sum = Reduction::new(gpu, 40, none)?;
    equal(sum.get()?, none)?;
    for (blocks, threads, n) in [(1, 1, 3), (1, 100, 1), (7, 33, 10_007), (40, 256, 10_007)] {
        let grid = Grid::blocks(blocks).threads(threads);
        gpu.launch(grid, total, (&x, n, &mut sum))?;
        equal(sum.get()?, want(n))?;
        // Without looking at the first.
        gpu.launch(grid, total, (&x, 1usize, &mut sum))?;
        gpu.launch(grid, total, (&x, n, &mut sum))?;
        equal(sum.get()?, want(n))?;
    }
    // Tickets in groups, of which not all are equally large.
    let mut many = Reduction::new(gpu, 1000, none)?;
    for blocks in [256, 257, 288, 1000] {
        for n in [10_007, 300] {
            gpu.launch(Grid::blocks(blocks).threads(32), total, (&x, n, &mut many))?;
            equal(many.get()?, want(n))?;
        }
    }
    gpu.launch(Grid::blocks(300).threads(32), total, (&x, 10_008usize, &mut many))?;
    ensure(matches!(many.get(), Err(Error::Panic { .. })), "no panic")?;
    gpu.launch(Grid::blocks(300).threads(32), total, (&x, 70usize, &mut many))?;
    equal(many.get()?, want(70))?;
    // After a panic, seen or not, it is as new.
    let grid = Grid::blocks(5).threads(64);
    gpu.launch(grid, total, (&x, 10_008usize, &mut sum))?;
    ensure(matches!(sum.get(), Err(Error::Panic { .. })), "no panic")?;
    gpu.launch(grid, total, (&x, 50usize, &mut sum))?;
    equal(sum.get()?, want(50))?;
    gpu.launch(grid, total, (&x, 10_008usize, &mut sum))?;
    ensure(matches!(gpu.wait(), Err(Error::Panic { .. })), "no panic")?;
    gpu.launch(grid, total, (&x, 60usize, &mut sum))?;
    equal(sum.get()?, want(60))?;
    gpu.launch(Grid::blocks(41).threads(1), total, (&x, 1usize, &mut sum))?;
    ensure(matches!(sum.get(), Err(Error::Panic { .. })), "41 blocks in 40 places")
}

fn reductions_of_arrays(gpu: &Device) -> Outcome {
    for n in [0, 1, 255, 2048, 2049, 100_003usize] {
        let x: Vec<i32> = (0..n as i32).map(|i| (i * 7919) % 10_007 - 5000).collect();
        let buffer = Buffer::from_slice(gpu, &x)?;
        for blocks in [1, 1000] {
            let mut all = Reduction::new(gpu, blocks, 0)?;
            all.of(gpu, buffer.view(), i32::MAX, |a, b| a.min(b))?;
            equal(all.get()?, x.iter().copied().min().unwrap_or(i32::MAX))?;
            all.of(gpu, buffer.view(), 0, |a, b| a.wrapping_add(b))?;
            equal(all.get()?, x.iter().sum())?;
        }
    }
    Ok(())
}

fn scans(gpu: &Device) -> Outcome {
    let lengths = [0, 1, 2, 255, 3839, 3840, 3841, 32_768, 32_769, 70_001];
    let mut scan = Scan::new(gpu, 70_001)?;
    for n in lengths {
        let x: Vec<Affine> = (0..n).map(Affine::of).collect();
        let x = Buffer::from_slice(gpu, &x)?;
        let mut y = Buffer::filled(gpu, n, Affine::SAME)?;
        let start = Affine { a: 3, b: 5 };
        let (mut before, mut through) = (vec![], vec![]);
        let (mut b, mut t) = (start, Affine::SAME);
        for i in 0..n {
            before.push(b);
            b = b.then(Affine::of(i));
            t = t.then(Affine::of(i));
            through.push(t);
        }
        scan.exclusive(gpu, x.view(), y.view_mut(), start, Affine::then)?;
        same(&y.to_vec()?, &before).map_err(|e| format!("exclusive, {n}: {e}"))?;
        scan.inclusive(gpu, x.view(), y.view_mut(), Affine::then)?;
        same(&y.to_vec()?, &through).map_err(|e| format!("inclusive, {n}: {e}"))?;
        y.copy_from_buffer(&x)?;
        scan.exclusive_in_place(gpu, y.view_mut(), start, Affine::then)?;
        same(&y.to_vec()?, &before).map_err(|e| format!("exclusive in place, {n}: {e}"))?;
        y.copy_from_buffer(&x)?;
        scan.inclusive_in_place(gpu, y.view_mut(), Affine::then)?;
        same(&y.to_vec()?, &through).map_err(|e| format!("inclusive in place, {n}: {e}"))?;
    }
    let x = Buffer::filled(gpu, 3, Affine::SAME)?;
    let mut y = Buffer::filled(gpu, 4, Affine::SAME)?;
    let result = scan.inclusive(gpu, x.view(), y.view_mut(), Affine::then);
    ensure(matches!(result, Err(Error::Invalid(_))), "3 elements into 4")
}

fn ordered(mut out: DisjointMut<Affine>) {
    let i = thread::index();
    out[i] = block::reduce(Affine::of(i.get()), Affine::then);
}

/// A block of one warp folds its lanes in order, which operators that do not commute show.
fn lanes_in_order(gpu: &Device) -> Outcome {
    let mut size = [0; 32];
    gpu.launch(Grid::blocks(1).threads(32), warps, (&mut vec![NOTHING; 32], &mut size))?;
    for threads in [2, 3, 5, 8, 13, 21, 31, 32, 33, 47, 63, 64] {
        if threads > size[0] as usize {
            break;
        }
        let mut out = vec![Affine::SAME; threads];
        gpu.launch(Grid::blocks(1).threads(threads), ordered, (&mut out,))?;
        let all = (0..threads).map(Affine::of).reduce(Affine::then).unwrap();
        same(&out, &vec![all; threads]).map_err(|e| format!("{threads} lanes: {e}"))?;
    }
    Ok(())
}

/// Reductions of numbers, of one word and of two, in warp, block and grid.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Numbers {
    least: i32,
    of_warp: u32,
    sum: f64,
    of_block: u64,
}

fn numbers(most: u32, mut out: DisjointMut<Numbers>, all: GridReduction<u64>) {
    let i = thread::index();
    let n = i.get() as u32;
    let add = |a: u32, b: u32| {
        assert!(a < most && b < most, "too large");
        a + b
    };
    // Every bit of a word takes part.
    let wide = (n as u64 + 1) * 0x1_0000_0001;
    out[i] = Numbers {
        least: warp::reduce(1000 - n as i32, i32::min),
        of_warp: warp::reduce(n, add),
        sum: block::reduce(n as f64 / 4.0, |a, b| a + b),
        of_block: block::reduce(wide, |a, b| a ^ b),
    };
    all.reduce(wide, |a, b| a + b);
}

/// A panic in the operator, in some lanes of a warp, is told, and what comes after it is right.
fn of_numbers(gpu: &Device) -> Outcome {
    let mut size = [0; 32];
    gpu.launch(Grid::blocks(1).threads(32), warps, (&mut vec![NOTHING; 32], &mut size))?;
    let warp = size[0] as usize;
    let mut all = Reduction::new(gpu, 3, 0u64)?;
    let zero = Numbers { least: 0, of_warp: 0, sum: 0.0, of_block: 0 };
    for threads in [1, 31, 32, 64, 96, 100, 128, 256, 1000] {
        let mut out = vec![zero; 3 * threads];
        let grid = Grid::blocks(3).threads(threads);
        gpu.launch(grid, numbers, (u32::MAX, &mut out, &mut all))?;
        let wide = |i: usize| (i as u64 + 1) * 0x1_0000_0001;
        let want = (0..3 * threads).map(|i| {
            let block = i / threads * threads..(i / threads + 1) * threads;
            let first = i - (i - block.start) % warp;
            let lanes = first..(first + warp).min(block.end);
            Numbers {
                least: 1001 - lanes.end as i32,
                of_warp: lanes.map(|i| i as u32).sum(),
                sum: block.clone().map(|i| i as f64 / 4.0).sum(),
                of_block: block.map(wide).fold(0, |a, b| a ^ b),
            }
        });
        same(&out, &want.collect::<Vec<_>>()).map_err(|e| format!("{threads} threads: {e}"))?;
        equal(all.get()?, (0..3 * threads).map(wide).sum())?;
    }
    let grid = Grid::blocks(3).threads(128);
    let mut out = vec![zero; 3 * 128];
    for most in [1, 3, 100, 383] {
        let told = gpu.launch(grid, numbers, (most, &mut out, &mut all));
        ensure(matches!(told, Err(Error::Panic { .. })), "no panic")?;
    }
    gpu.launch(grid, numbers, (u32::MAX, &mut out, &mut all))?;
    equal(all.get()?, (1..=3 * 128).sum::<u64>() * 0x1_0000_0001)
}

/// Blocks that wait for one that has panicked end too, and the next scan is right.
fn scan_with_a_panic(gpu: &Device) -> Outcome {
    let n = 100_000;
    let mut x: Vec<u32> = vec![1; n];
    x[7] = 1_000_000;
    let x = Buffer::from_slice(gpu, &x)?;
    let ones = Buffer::filled(gpu, n, 1u32)?;
    let mut y = Buffer::filled(gpu, n, 0u32)?;
    let mut scan = Scan::new(gpu, n)?;
    let add = |a: u32, b: u32| {
        assert!(b < 1_000_000, "too large");
        a + b
    };
    scan.exclusive(gpu, x.view(), y.view_mut(), 0, add)?;
    ensure(matches!(gpu.wait(), Err(Error::Panic { .. })), "no panic")?;
    scan.exclusive(gpu, ones.view(), y.view_mut(), 0, add)?;
    let want: Vec<u32> = (0..n as u32).collect();
    same(&y.to_vec()?, &want)
}

fn sorts(gpu: &Device) -> Outcome {
    let mut seed = 88_172_645_463_325_252u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut pairs = Sort::<i16, u32>::new(gpu, 20_000)?;
    let mut alone = Sort::<f64>::new(gpu, 20_000)?;
    for n in [0, 1, 2, 33, 4095, 4096, 4097, 20_000] {
        // Few different keys, so that equal ones would show if they changed places.
        let keys: Vec<i16> = (0..n).map(|_| (random() % 600) as i16 - 300).collect();
        let mut want: Vec<(i16, u32)> = keys.iter().copied().zip(0..).collect();
        want.sort_by_key(|pair| pair.0);
        let mut k = Buffer::from_slice(gpu, &keys)?;
        let mut v = Buffer::from_vec(gpu, (0..n as u32).collect())?;
        pairs.pairs(gpu, k.view_mut(), v.view_mut())?;
        let got: Vec<(i16, u32)> = k.to_vec()?.into_iter().zip(v.to_vec()?).collect();
        same(&got, &want).map_err(|e| format!("pairs, {n}: {e}"))?;
        // All bit patterns, NaN among them.
        let mut keys: Vec<f64> = (0..n).map(|_| f64::from_bits(random())).collect();
        let mut x = Buffer::from_slice(gpu, &keys)?;
        alone.keys(gpu, x.view_mut())?;
        keys.sort_by(f64::total_cmp);
        let bits = |x: Vec<f64>| x.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        same(&bits(x.to_vec()?), &bits(keys)).map_err(|e| format!("floats, {n}: {e}"))?;
    }
    let mut x = Buffer::filled(gpu, 20_001, 0.0)?;
    let result = alone.keys(gpu, x.view_mut());
    ensure(matches!(result, Err(Error::Invalid(_))), "20001 keys in a sort of 20000")
}

pub fn run(suite: &mut Suite) {
    suite.test("prim-warps", of_warps);
    suite.test("prim-blocks", of_blocks);
    suite.test("prim-blocks-3d", of_3d_blocks);
    suite.test("prim-ended-threads", ended_threads);
    suite.test("prim-slices", slices);
    suite.test("prim-reductions", reductions);
    suite.test("prim-reductions-of-arrays", reductions_of_arrays);
    suite.test("prim-scans", scans);
    suite.test("prim-lanes-in-order", lanes_in_order);
    suite.test("prim-numbers", of_numbers);
    suite.test("prim-scan-with-a-panic", scan_with_a_panic);
    suite.test("prim-sorts", sorts);
}
