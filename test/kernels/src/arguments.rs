//! Every type that may be a kernel's argument, by value, by reference, in slices, in
//! closures' captures and in buffers.

use crate::suite::{equal, same, Outcome, Suite};
use smelt::arg::{Arg, Value};
use smelt::prelude::*;
use std::fmt::Debug;

/// rustc reorders these fields; host and device must agree on how.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
pub struct Mixed {
    small: u8,
    wide: u64,
    half: u16,
    real: f32,
    flag: bool,
    letter: char,
    pair: (i8, i32),
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
pub struct Wrapper<T: DeviceCopy>(T, u8);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
pub struct Empty;

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
#[repr(C, align(32))]
pub struct Aligned {
    byte: u8,
    word: u32,
}

const MIXED: Mixed = Mixed {
    small: 7,
    wide: 0x0123_4567_89ab_cdef,
    half: 65535,
    real: -1.5,
    flag: true,
    letter: 'ß',
    pair: (-3, 123_456_789),
};

fn put<T: DeviceCopy>(value: T, mut out: DisjointMut<T>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out = value;
    }
}

fn put_ref<T: DeviceCopy>(value: &T, mut out: DisjointMut<T>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out = *value;
    }
}

fn reverse<T: DeviceCopy>(x: &[T], mut out: DisjointMut<T>) {
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        *out = x[x.len() - 1 - at];
    }
}

/// A value through each way that it can take: argument, reference, capture, slice.
fn travels<T>(gpu: &Device, value: T, other: T) -> Outcome
where
    T: DeviceCopy + Arg<T, Param = Value<T>> + Debug + PartialEq + Send + Sync,
{
    let n = 67;
    let want = vec![value; n];
    let grid = Grid::cover(n);

    let mut out = vec![other; n];
    gpu.launch(grid, put::<T>, (value, &mut out))?;
    same(&out, &want)?;

    let mut out = vec![other; n];
    gpu.launch(grid, put_ref::<T>, (&value, &mut out))?;
    same(&out, &want)?;

    let mut out = vec![other; n];
    let capture = move |mut out: DisjointMut<T>| {
        let i = thread::index();
        if let Some(out) = out.get_mut(i) {
            *out = value;
        }
    };
    gpu.launch(grid, capture, (&mut out,))?;
    same(&out, &want)?;

    let mut x = vec![other; n];
    x[0] = value;
    x[n / 2] = value;
    let want: Vec<T> = x.iter().rev().copied().collect();
    let mut out = vec![value; n];
    gpu.launch(grid, reverse::<T>, (&x, &mut out))?;
    same(&out, &want)
}

fn sum_array(x: &[i32; 5], y: &[i32], mut out: DisjointMut<i32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out = x.iter().sum::<i32>() + y.iter().sum::<i32>();
    }
}

/// Read at indices that only the thread knows.
#[derive(Clone, Copy, DeviceCopy)]
struct Table {
    first: u8,
    count: usize,
    values: [u32; 9],
    last: u16,
}

fn look_up(seed: u32, table: Table, mut out: DisjointMut<u32>) {
    let i = thread::index();
    let at = i.get() % table.count;
    if let Some(out) = out.get_mut(i) {
        let sum: u32 = table.values[..at].iter().sum();
        *out = seed + table.values[at] + 100 * sum + table.first as u32 + table.last as u32;
    }
}

/// The thread's own copy.
fn change(mut table: Table, mut out: DisjointMut<u32>) {
    let i = thread::index();
    let at = i.get() % table.count;
    table.values[at] += 1;
    if let Some(out) = out.get_mut(i) {
        *out = table.values.iter().sum::<u32>() + table.values[at];
    }
}

fn tables(gpu: &Device) -> Outcome {
    let values = [3, 1, 4, 1, 5, 9, 2, 6, 5];
    let table = Table { first: 7, count: 8, values, last: 9 };
    let mut out = vec![0; 100];
    gpu.launch(Grid::cover(out.len()), look_up, (1000, table, &mut out))?;
    let want: Vec<u32> = (0..100)
        .map(|i| i % 8)
        .map(|at| 1016 + values[at] + 100 * values[..at].iter().sum::<u32>())
        .collect();
    same(&out, &want)?;
    gpu.launch(Grid::cover(out.len()), change, (table, &mut out))?;
    let want: Vec<u32> = (0..100).map(|i| 38 + values[i % 8]).collect();
    same(&out, &want)
}

fn lengths(a: &[u8], b: &[u64], c: DisjointMut<f32>, mut out: DisjointMut<usize>) {
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        *out = [a.len(), b.len(), c.len()][at % 3];
    }
}

#[allow(clippy::too_many_arguments)]
fn twelve(
    a: u8,
    b: i16,
    c: u32,
    d: i64,
    e: f32,
    f: f64,
    g: bool,
    h: char,
    i: u128,
    j: &[u8],
    k: &[f64],
    mut out: DisjointMut<f64>,
) {
    let at = thread::index();
    if let Some(out) = out.get_mut(at) {
        *out = a as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f
            + g as u8 as f64
            + h as u32 as f64
            + (i >> 64) as u64 as f64
            + j[0] as f64
            + k[0];
    }
}

fn increment(mut x: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(x) = x.get_mut(i) {
        *x += 1;
    }
}

fn buffers(gpu: &Device) -> Outcome {
    let host: Vec<u32> = (0..1000).collect();
    let mut buffer = Buffer::from_slice(gpu, &host)?;
    equal(buffer.len(), 1000)?;
    for _ in 0..3 {
        gpu.launch(Grid::cover(buffer.len()), increment, (&mut buffer,))?;
    }
    let want: Vec<u32> = (3..1003).collect();
    same(&buffer.to_vec()?, &want)?;

    let mut out = vec![0u32; 1000];
    gpu.launch(Grid::cover(1000), reverse::<u32>, (&buffer, &mut out))?;
    let back: Vec<u32> = want.iter().rev().copied().collect();
    same(&out, &back)?;

    buffer.copy_from(&out)?;
    let mut read = vec![0u32; 1000];
    buffer.copy_to(&mut read)?;
    same(&read, &back)?;

    let empty = Buffer::<u32>::from_slice(gpu, &[])?;
    equal(empty.to_vec()?.len(), 0)?;
    // Memory that is freed while work is under way is not given out too early.
    for round in 0..50u32 {
        let mut short = Buffer::from_slice(gpu, &vec![round; 4096])?;
        gpu.launch(Grid::cover(4096), increment, (&mut short,))?;
        if round % 10 == 9 {
            same(&short.to_vec()?, &vec![round + 1; 4096])?;
        }
    }
    Ok(())
}

fn slices(gpu: &Device) -> Outcome {
    let mut out = [0i32; 9];
    let five = [1, 20, 300, 4000, 50000];
    gpu.launch(Grid::cover(9), sum_array, (&five, &five[1..3], &mut out))?;
    same(&out, &[54641; 9])?;

    let mut out = vec![9usize; 3];
    let mut none: [f32; 0] = [];
    let no_words: Vec<u64> = vec![];
    gpu.launch(Grid::cover(3), lengths, (&[1u8, 2][..], &no_words, &mut none, &mut out))?;
    same(&out, &[2, 0, 0])?;

    // A part of a vector; what lies around it stays.
    let mut v = vec![5u32; 100];
    gpu.launch(Grid::cover(50), increment, (&mut v[25..75],))?;
    let want: Vec<u32> = (0..100).map(|i| if (25..75).contains(&i) { 6 } else { 5 }).collect();
    same(&v, &want)?;

    // One vector read twice in a launch.
    let x = vec![3u8; 10];
    let words = vec![1u64; 4];
    let mut floats = vec![0f32; 7];
    let mut out = vec![0usize; 3];
    gpu.launch(Grid::cover(3), lengths, (&x, &words, &mut floats, &mut out))?;
    same(&out, &[10, 4, 7])
}

/// The sums of an index wrap on the way to each element.
fn around(x: &[u32], back: usize, forth: usize, mut out: DisjointMut<u32>) {
    let t = thread::index();
    let i = t.get();
    if let Some(out) = out.get_mut(t) {
        let low = i.wrapping_sub(back);
        let high = i.wrapping_mul(3).wrapping_add(forth);
        *out = x[low.wrapping_add(7)] + 10 * x[high.wrapping_add(1)] + 100 * x[high.wrapping_add(4)];
    }
}

fn around_unchecked(x: &[u32], back: usize, forth: usize, mut out: DisjointMut<u32>) {
    let t = thread::index();
    let i = t.get();
    if let Some(out) = out.get_mut(t) {
        let low = i.wrapping_sub(back);
        let high = i.wrapping_mul(3).wrapping_add(forth);
        // SAFETY: as its caller chooses the numbers.
        let at = |i| unsafe { *x.get_unchecked(i) };
        *out = at(low.wrapping_add(7)) + 10 * at(high.wrapping_add(1)) + 100 * at(high.wrapping_add(4));
    }
}

fn wrapping(gpu: &Device) -> Outcome {
    let host: Vec<u32> = (0..3000).map(|i| i * 7 % 11).collect();
    let buffer = Buffer::from_slice(gpu, &host)?;
    let x = &host[1000..2000];
    // i - 6 and 3 * i - 1 are below 0 for the first threads.
    let want: Vec<u32> =
        (0..299).map(|i| x[i + 1] + 10 * x[3 * i] + 100 * x[3 * i + 3]).collect();
    for unchecked in [false, true] {
        let mut out = vec![0u32; 299];
        let args = (buffer.range(1000..2000), 6usize, usize::MAX, &mut out);
        if unchecked {
            gpu.launch(Grid::cover(299), around_unchecked, args)?;
        } else {
            gpu.launch(Grid::cover(299), around, args)?;
        }
        same(&out, &want)?;
    }
    Ok(())
}

fn fetch(x: &[u8], at: usize, mut out: DisjointMut<u8>) {
    let t = thread::index();
    let i = t.get();
    if let Some(out) = out.get_mut(t) {
        *out = x[at + i];
    }
}

/// Arguments of more bytes than 32 bits count, and of nearly as many.
fn large(gpu: &Device) -> Outcome {
    const WORD: usize = 1 << 32;
    let mut memory = match Buffer::<u8>::uninit(gpu, WORD + 4096) {
        // SAFETY: all that is read is written first.
        Ok(memory) => unsafe { memory.assume_init() },
        Err(smelt::Error::NoDeviceMemory(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let small = WORD - (1 << 16);
    let places = [0, 100, small - 100, small, WORD - 50, WORD + 100, WORD + 4000];
    for (k, &at) in places.iter().enumerate() {
        memory.range_mut(at..at + 50).copy_from(&[k as u8 + 1; 50])?;
    }
    for len in [WORD + 4096, WORD + 150, WORD, small + 50, small + 1, small, 150] {
        for (k, &at) in places.iter().enumerate() {
            let count = len.saturating_sub(at).min(50);
            let mut out = vec![0u8; count];
            gpu.launch(Grid::cover(count), fetch, (memory.range(..len), at, &mut out))?;
            same(&out, &vec![k as u8 + 1; count])?;
        }
    }
    // The check is the same one on either side of the limit.
    for len in [WORD, small] {
        memory.range_mut(len - 9..len).copy_from(&[1; 9])?;
        let mut out = vec![0u8; 10];
        let args = (memory.range(..len), len - 9, &mut out);
        let error = gpu.launch(Grid::cover(10), fetch, args).map(|_| ()).and_then(|_| gpu.wait());
        let text = error.err().map(|e| e.to_string()).unwrap_or_default();
        if !text.contains(&format!("the len is {len} but the index is {len}")) {
            return Err(format!("no panic of index {len}: {text}").into());
        }
    }
    Ok(())
}

pub fn run(suite: &mut Suite) {
    macro_rules! value {
        ($($type:ty: $value:expr, $other:expr;)*) => {
            $(suite.test(concat!("argument ", stringify!($type)), |gpu| {
                travels::<$type>(gpu, $value, $other)
            });)*
        };
    }
    value! {
        u8: 0xa5, 0;
        i8: -128, 1;
        u16: 0xbeef, 0;
        i16: -12345, 0;
        u32: 0xdead_beef, 1;
        i32: i32::MIN, 0;
        u64: 0x0123_4567_89ab_cdef, 0;
        i64: i64::MIN + 1, 0;
        u128: 0x0123_4567_89ab_cdef_0011_2233_4455_6677, 1;
        i128: -170_141_183_460_469_231_731_687_303_715_884_105_000, 1;
        usize: usize::MAX, 0;
        isize: -1, 0;
        f32: -1.25e-30, 0.0;
        f64: std::f64::consts::PI, 0.0;
        bool: true, false;
        char: '🦀', 'a';
        [u16; 3]: [1, 2, 3], [0; 3];
        [[f32; 2]; 2]: [[1.0, 2.0], [3.0, 4.0]], [[0.0; 2]; 2];
        (u8, f64, bool): (200, 2.5, true), (0, 0.0, false);
        ((u8, u32), [i64; 2]): ((1, 2), [-3, 4]), ((0, 0), [0, 0]);
        Mixed: MIXED, Mixed { small: 0, flag: false, ..MIXED };
        Wrapper<u128>: Wrapper(1 << 100, 3), Wrapper(0, 0);
        Wrapper<Mixed>: Wrapper(MIXED, 9), Wrapper(MIXED, 8);
        Aligned: Aligned { byte: 1, word: 2 }, Aligned { byte: 0, word: 0 };
    }
    suite.test("indices that wrap", wrapping);
    suite.test("arguments above 4 GiB", large);
    suite.test("argument zero-sized struct", |gpu| travels(gpu, Empty, Empty));
    suite.test("argument unit", |gpu| travels(gpu, (), ()));
    suite.test("twelve arguments", |gpu| {
        let mut out = vec![0.0; 3];
        let args = (
            1u8, -2i16, 3u32, -4i64, 0.5f32, 0.25f64, true, 'A', 6u128 << 64, &[7u8][..],
            &[8.0f64][..], &mut out,
        );
        gpu.launch(Grid::cover(3), twelve, args)?;
        same(&out, &[1.0 - 2.0 + 3.0 - 4.0 + 0.75 + 1.0 + 65.0 + 6.0 + 7.0 + 8.0; 3])
    });
    suite.test("slices, arrays, empty slices", slices);
    suite.test("tables by value", tables);
    suite.test("buffers", buffers);
}
