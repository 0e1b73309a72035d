//! Every kind of argument, there and back, against the same done on the host.

use smelt::prelude::*;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

/// Passes `value` by value and through a slice, and stores what arrives.
fn travels<T>(values: &[T])
where
    T: DeviceCopy
        + smelt::Arg<T, Param = smelt::Value<T>>
        + PartialEq
        + std::fmt::Debug
        + Send
        + Sync,
{
    let gpu = Device::default().unwrap();
    let mut by_slice = vec![values[0]; values.len()];
    gpu.launch(
        Grid::cover(values.len()),
        copy::<T>,
        (values, &mut by_slice),
    )
    .unwrap();
    assert_eq!(by_slice, values);
    for &value in values {
        let mut one = [values[0]];
        gpu.launch(Grid::cover(1), store::<T>, (value, &mut one))
            .unwrap();
        assert_eq!(one, [value]);
    }
}

fn copy<T: Copy>(x: &[T], mut y: DisjointMut<T>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}

fn store<T: Copy>(x: T, mut y: DisjointMut<T>) {
    if let Some(y) = y.get_mut(thread::index()) {
        *y = x;
    }
}

#[test]
fn integers() {
    macro_rules! all {
        ($($type:ty)*) => {$(travels(&[<$type>::MIN, 1, 77, <$type>::MAX]);)*};
    }
    all!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
}

#[test]
fn floats_bool_char() {
    travels(&[0.0f32, -1.5, f32::INFINITY, f32::MIN_POSITIVE]);
    travels(&[0.0f64, -1.5, f64::INFINITY, f64::MIN_POSITIVE]);
    travels(&[true, false]);
    travels(&['a', '\u{10ffff}', '\0']);
}

#[test]
fn composed() {
    travels(&[[1u8, 2, 3], [4, 5, 6]]);
    travels(&[(1u8, 2u64, 3u16), (4, 5, 6)]);
    travels(&[Some(3u32), None]);
    travels(&[Some(NonZeroU32::MIN), None]);
    travels(&[(), ()]);
    travels(&[Ok::<u8, f32>(1), Err(2.0)]);
}

/// rustc puts `wide` first, whatever is written.
#[derive(Clone, Copy, DeviceCopy, Debug, PartialEq)]
struct Mixed<T, const N: usize>
where
    T: Default,
{
    narrow: u8,
    wide: u64,
    pub(crate) inner: [T; N],
    flag: bool,
}

#[derive(Clone, Copy, DeviceCopy, Debug, PartialEq)]
enum Shape {
    Nothing,
    Round(f32),
    Box { sides: (f32, f32), turned: bool },
}

#[derive(Clone, Copy, DeviceCopy, Debug, PartialEq)]
struct Pair(pub u8, pub (u16, i64));

#[derive(Clone, Copy, DeviceCopy, Debug, PartialEq)]
struct Unit;

#[derive(Clone, Copy, DeviceCopy, Debug, PartialEq)]
#[repr(u8)]
enum Code {
    Low = 1 << 2,
    High = 200,
}

#[test]
fn derived() {
    let mixed = |n: u8| Mixed {
        narrow: n,
        wide: 1 << 40 | n as u64,
        inner: [n as f32; 3],
        flag: n > 1,
    };
    travels(&[mixed(1), mixed(2)]);
    travels(&[
        Shape::Nothing,
        Shape::Round(1.5),
        Shape::Box {
            sides: (1.0, 2.0),
            turned: true,
        },
    ]);
    travels(&[Pair(1, (2, 3)), Pair(4, (5, 6))]);
    travels(&[Unit, Unit]);
    travels(&[Code::Low, Code::High]);
}

#[test]
fn references() {
    fn kernel(one: &(u8, u32), array: &[u16; 3], slice: &[u16], mut y: DisjointMut<u32>) {
        y[thread::index()] =
            one.0 as u32 + one.1 + array.len() as u32 + array[2] as u32 + slice[0] as u32;
    }
    let gpu = Device::default().unwrap();
    let array = [10u16, 20, 30];
    let mut y = [0u32; 1];
    gpu.launch(
        Grid::blocks(1).threads(1),
        kernel,
        (&(1u8, 2u32), &array, &array, &mut y),
    )
    .unwrap();
    assert_eq!(y, [1 + 2 + 3 + 30 + 10]);
    let part = &vec![100u16; 9][3..];
    gpu.launch(
        Grid::blocks(1).threads(1),
        kernel,
        (&(1u8, 2u32), &array, part, &mut y[..]),
    )
    .unwrap();
    assert_eq!(y, [1 + 2 + 3 + 30 + 100]);
}

#[test]
fn empty_slices_and_empty_types() {
    fn kernel(x: &[u64], units: &[()], mut y: DisjointMut<u64>, mut seen: DisjointMut<usize>) {
        let i = thread::index();
        assert!(y.get_mut(i).is_none() && y.is_empty());
        seen[i] = 1 + x.len() + units.len();
    }
    let gpu = Device::default().unwrap();
    let mut none: Vec<u64> = Vec::new();
    let mut seen = [0; 2];
    gpu.launch(
        Grid::cover(2).block(2),
        kernel,
        (&[][..], &vec![(); 5], &mut none, &mut seen),
    )
    .unwrap();
    assert_eq!(seen, [6, 6]);
}

#[test]
fn no_arguments() {
    Device::default()
        .unwrap()
        .launch(Grid::cover(3), || (), ())
        .unwrap();
}

#[test]
fn sixteen_arguments() {
    #[allow(clippy::too_many_arguments)]
    #[rustfmt::skip]
    fn kernel(
        a: u8, b: u16, c: u32, d: u64, e: i8, f: i16, g: i32, h: i64, i: f32, j: f64, k: bool,
        l: char, m: usize, n: isize, o: &[u8], mut p: DisjointMut<f64>,
    ) {
        p[thread::index()] = a as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f as f64
            + g as f64 + h as f64 + i as f64 + j + k as u8 as f64 + l as u32 as f64
            + m as f64 + n as f64 + o[0] as f64;
    }
    let gpu = Device::default().unwrap();
    let mut sum = [0.0];
    #[rustfmt::skip]
    gpu.launch(
        Grid::blocks(1).threads(1),
        kernel,
        (1, 2, 3, 4, -1, -2, -3, -4, 0.5, 0.25, true, '\u{1}', 5, -5, &[7u8], &mut sum),
    )
    .unwrap();
    assert_eq!(sum, [0.75 + 1.0 + 1.0 + 7.0]);
}

#[test]
fn atomics() {
    fn kernel(bins: &[AtomicU32], sum: &AtomicF32, most: &[AtomicF64]) {
        let i = thread::index().get();
        bins[i % bins.len()].fetch_add(1, Ordering::Relaxed);
        sum.fetch_add(0.5);
        most[0].fetch_max(i as f64);
        most[1].fetch_min(-(i as f64));
    }
    let gpu = Device::default().unwrap();
    let bins: Vec<AtomicU32> = (0..4).map(AtomicU32::new).collect();
    let sum = AtomicF32::new(1.0);
    let most = [AtomicF64::new(5.0), AtomicF64::new(0.0)];
    gpu.launch(Grid::blocks(2).threads(50), kernel, (&bins, &sum, &most))
        .unwrap();
    let bins: Vec<u32> = bins.into_iter().map(AtomicU32::into_inner).collect();
    assert_eq!(bins, [25, 26, 27, 28]);
    assert_eq!(sum.load(), 51.0);
    assert_eq!(most.map(AtomicF64::into_inner), [99.0, -99.0]);
}

#[test]
fn closures_capture_values() {
    let gpu = Device::default().unwrap();
    let (scale, table) = (3u32, [1u32, 10, 100]);
    let mut y = vec![0u32; 5];
    let x = vec![1u32; 5];
    gpu.launch(
        Grid::cover(5),
        move |x, mut y| {
            let i = thread::index();
            if let Some(y) = y.get_mut(i) {
                *y = scale * x[i.get()] + table[i.get() % 3];
            }
        },
        (&x, &mut y),
    )
    .unwrap();
    assert_eq!(y, [4, 13, 103, 4, 13]);
    gpu.launch(
        Grid::cover(5),
        |by: u32, mut y: DisjointMut<u32>| {
            if let Some(y) = y.get_mut(thread::index()) {
                *y /= by;
            }
        },
        (2u32, &mut y),
    )
    .unwrap();
    assert_eq!(y, [2, 6, 51, 2, 6]);
}
