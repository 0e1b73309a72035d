//! The library's selections and histograms, against plain Rust.

use crate::suite::{ensure, same, Outcome, Suite};
use smelt::prelude::*;
use smelt::prim::{Histogram, Select};
use smelt::Error;

/// Numbers without an order.
fn mixed(i: usize) -> u64 {
    let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

/// Larger than what is kept in registers, with bytes that belong to no field.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Large {
    number: u64,
    small: u8,
    halves: [u16; 3],
}

impl Large {
    fn of(i: usize) -> Self {
        Large { number: mixed(i), small: i as u8, halves: [i as u16; 3] }
    }
}

/// Around tiles of GPUs and of the CPU.
const LENGTHS: [usize; 12] = [0, 1, 31, 255, 257, 4095, 4096, 4097, 8192, 32_768, 32_769, 70_003];

/// One of some parts of 64 are wanted: none, few, half, all.
fn selections(gpu: &Device) -> Outcome {
    let mut select = Select::new(gpu, 70_003)?;
    ensure(select.count()? == 0, "a count before the first")?;
    for n in LENGTHS {
        for parts in [0, 1, 32, 64] {
            let wanted = move |x: &u64| x % 64 < parts;
            let what = |e| format!("{n}, {parts} of 64: {e}");
            let x: Vec<u64> = (0..n).map(mixed).collect();
            let want: Vec<u64> = x.iter().copied().filter(wanted).collect();
            let places: Vec<u32> = (0..n as u32).filter(|i| wanted(&x[*i as usize])).collect();
            let x = Buffer::from_slice(gpu, &x)?;
            // What lies behind stays as it is.
            let mut y = Buffer::filled(gpu, n + 1, 7u64)?;
            select.by(gpu, x.view(), y.view_mut(), wanted)?;
            ensure(select.count()? == want.len(), "a count")?;
            let mut all = want.clone();
            all.resize(n + 1, 7);
            same(&y.to_vec()?, &all).map_err(what)?;
            let mut y = Buffer::filled(gpu, n, 7u32)?;
            select.places(gpu, x.view(), y.view_mut(), wanted)?;
            same(&y.to_vec()?[..select.count()?], &places).map_err(what)?;
        }
        let large: Vec<Large> = (0..n).map(Large::of).collect();
        let flags: Vec<bool> = (0..n).map(|i| mixed(i) % 3 == 0).collect();
        let want = large.iter().zip(&flags).filter(|(_, flag)| **flag);
        let want: Vec<Large> = want.map(|(x, _)| *x).collect();
        let (x, flags) = (Buffer::from_slice(gpu, &large)?, Buffer::from_slice(gpu, &flags)?);
        let mut y = Buffer::filled(gpu, n, Large::of(0))?;
        select.flagged(gpu, x.view(), flags.view(), y.view_mut())?;
        same(&y.to_vec()?[..select.count()?], &want).map_err(|e| format!("{n} flags: {e}"))?;
    }
    let x = Buffer::filled(gpu, 5, 1u8)?;
    let mut y = Buffer::filled(gpu, 4, 1u8)?;
    let short = select.by(gpu, x.view(), y.view_mut(), |_| true);
    ensure(matches!(short, Err(Error::Invalid(_))), "5 elements into 4")?;
    let long = Select::new(gpu, 4)?.by(gpu, x.view(), Buffer::filled(gpu, 5, 0u8)?.view_mut(), |_| true);
    ensure(matches!(long, Err(Error::Invalid(_))), "5 elements of up to 4")?;
    let flags = Buffer::filled(gpu, 4, true)?;
    let few = select.flagged(gpu, x.view(), flags.view(), Buffer::filled(gpu, 5, 0u8)?.view_mut());
    ensure(matches!(few, Err(Error::Invalid(_))), "4 flags of 5 elements")
}

/// A panic while an element is asked is told, writes nothing that is no element, and the next selection
/// is right.
fn selection_with_a_panic(gpu: &Device) -> Outcome {
    let n = 50_000;
    let mut select = Select::new(gpu, n)?;
    let ask = |x: &u32| {
        assert!(*x != 9_001, "nine thousand and one");
        x % 2 == 1
    };
    let x: Vec<u32> = (0..n as u32).collect();
    let x = Buffer::from_slice(gpu, &x)?;
    let mut y = Buffer::filled(gpu, n, 0u32)?;
    select.by(gpu, x.view(), y.view_mut(), ask)?;
    ensure(matches!(select.count(), Err(Error::Panic { .. })), "no panic")?;
    let odd = |i: usize, y: u32| y == 0 || (y % 2 == 1 && y as usize <= 2 * i + 1);
    let left = y.to_vec()?;
    ensure(left.iter().enumerate().all(|(i, y)| odd(i, *y)), "places of others")?;
    select.by(gpu, x.view(), y.view_mut(), |x| x % 2 == 1)?;
    ensure(select.count()? == n / 2, "a count")?;
    let want: Vec<u32> = (0..n as u32 / 2).map(|i| 2 * i + 1).collect();
    same(&y.to_vec()?[..n / 2], &want)
}

/// One bin, some with a copy for each warp, with one for the block, and more than there is room for.
fn histograms(gpu: &Device) -> Outcome {
    for bins in [1, 10, 513, 4096, 4097] {
        let mut histogram = Histogram::new(gpu, bins)?;
        let mut counts = Buffer::filled(gpu, bins, 5u32)?;
        let mut wide = Buffer::filled(gpu, bins, 5u64)?;
        for n in [0, 1, 2047, 2048, 2049, 30_001] {
            // Some in no bin; in the second, neighbours are alike.
            for run in [1, 1000] {
                let x: Vec<u64> = (0..n).map(|i| mixed(i / run) % (bins as u64 + 3)).collect();
                let mut want = vec![0u32; bins];
                for x in &x {
                    if let Some(count) = want.get_mut(*x as usize) {
                        *count += 1;
                    }
                }
                let x = Buffer::from_slice(gpu, &x)?;
                let what = |e| format!("{bins} bins, {n}: {e}");
                histogram.of(gpu, x.view(), counts.view_mut(), |x| *x as usize)?;
                same(&counts.to_vec()?, &want).map_err(what)?;
                histogram.of(gpu, x.view(), wide.view_mut(), |x| *x as usize)?;
                let want: Vec<u64> = want.into_iter().map(u64::from).collect();
                same(&wide.to_vec()?, &want).map_err(what)?;
            }
        }
        let x = Buffer::filled(gpu, 5, 0u32)?;
        let mut more = Buffer::filled(gpu, bins + 1, 0u32)?;
        let told = histogram.of(gpu, x.view(), more.view_mut(), |x| *x as usize);
        ensure(matches!(told, Err(Error::Invalid(_))), "a count more than bins")?;
    }
    ensure(matches!(Histogram::new(gpu, 0), Err(Error::Invalid(_))), "no bins")
}

/// Counts of the numbers' bins, which `bin` has from the definition.
fn even<T: smelt::prim::Sample + smelt::DeviceShare>(
    gpu: &Device,
    x: Vec<T>,
    (lower, upper, bins): (T, T, usize),
    bin: impl Fn(T) -> Option<usize>,
) -> Outcome {
    let mut want = vec![0u32; bins];
    for bin in x.iter().filter_map(|x| bin(*x)) {
        want[bin] += 1;
    }
    let (x, mut counts) = (Buffer::from_slice(gpu, &x)?, Buffer::filled(gpu, bins, 5u32)?);
    let mut histogram = Histogram::new(gpu, bins)?;
    histogram.even(gpu, x.view(), lower, upper, counts.view_mut())?;
    same(&counts.to_vec()?, &want)
}

fn even_histograms(gpu: &Device) -> Outcome {
    let n = 5000;
    for bins in [1usize, 7, 100] {
        let some = bins as i128;
        let ints: Vec<i32> = (0..n).map(|i| mixed(i) as i32).chain([i32::MIN, i32::MAX]).collect();
        let (low, high) = (i32::MIN + 3, i32::MAX - 8);
        even(gpu, ints, (low, high, bins), |x| {
            let width = high as i128 - low as i128;
            (low <= x && x < high).then(|| ((x as i128 - low as i128) * some / width) as usize)
        })?;
        let longs = (0..n).map(|i| mixed(i) as i64 * (1 << 19)).chain([i64::MIN, i64::MAX]);
        even(gpu, longs.collect(), (i64::MIN, i64::MAX, bins), |x| {
            let at = (x as i128 - i64::MIN as i128) * some / ((1i128 << 64) - 1);
            (x < i64::MAX).then_some(at as usize)
        })?;
        let bytes = (0..n).map(|i| i as u8).collect();
        even(gpu, bytes, (10, 13, bins), |x| {
            (10..13).contains(&x).then(|| (x as usize - 10) * bins / 3)
        })?;
        let edges = [f32::NAN, f32::INFINITY, -0.25, 0.75, 0.749_999_94, f32::MIN];
        let floats = (0..n).map(|i| i as f32 / 4000.0 - 0.5).chain(edges).collect();
        even(gpu, floats, (-0.25, 0.75, bins), |x: f32| {
            let at = ((x + 0.25) * bins as f32) as usize;
            (-0.25..0.75).contains(&x).then_some(at.min(bins - 1))
        })?;
        let doubles = (0..n).map(|i| mixed(i) as f64 / 7.0).collect();
        even(gpu, doubles, (1e9, 3e12, bins), |x: f64| {
            let at = ((x - 1e9) * (bins as f64 / (3e12 - 1e9))) as usize;
            (1e9..3e12).contains(&x).then_some(at.min(bins - 1))
        })?;
    }
    let x = Buffer::filled(gpu, 5, 0.0)?;
    let mut counts = Buffer::filled(gpu, 2, 0u32)?;
    let mut histogram = Histogram::new(gpu, 2)?;
    for (lower, upper) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (f64::MIN, f64::MAX)] {
        let told = histogram.even(gpu, x.view(), lower, upper, counts.view_mut());
        ensure(matches!(told, Err(Error::Invalid(_))), "an empty range")?;
    }
    Ok(())
}

pub fn run(suite: &mut Suite) {
    suite.test("list-selections", selections);
    suite.test("list-selection-with-a-panic", selection_with_a_panic);
    suite.test("list-histograms", histograms);
    suite.test("list-even-histograms", even_histograms);
}
