//! Memory that stays on the device.

use smelt::Error;
use smelt::prelude::*;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU32, Ordering};

fn gpu() -> Device {
    Device::default().unwrap()
}

#[test]
fn there_and_back() {
    let x: Vec<u32> = (0..1000).collect();
    let buffer = Buffer::from_slice(&gpu(), &x).unwrap();
    assert_eq!(buffer.len(), 1000);
    assert_eq!(buffer.to_vec().unwrap(), x);
    let mut y = vec![0; 1000];
    buffer.copy_to(&mut y).unwrap();
    assert_eq!(y, x);
    let mut other = Buffer::zeroed(&gpu(), 1000).unwrap();
    other.copy_from_buffer(&buffer).unwrap();
    assert_eq!(other.to_vec().unwrap(), x);
}

#[test]
fn fill_of_every_size() {
    fn check<T: DeviceCopy + PartialEq + std::fmt::Debug>(value: T) {
        for n in [0, 1, 2, 3, 100] {
            let buffer = Buffer::filled(&gpu(), n, value).unwrap();
            assert_eq!(buffer.to_vec().unwrap(), vec![value; n]);
        }
    }
    check(7u8);
    check(7u16);
    check([1u8, 2, 3]);
    check(7.5f32);
    check((1u32, 2.0f32));
    check([1u32, 2, 3]);
    check(u128::MAX - 1);
    check([1u64, 2, 3, 4, 5]);
    check(());
}

fn add(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y += x[i.get()];
    }
}

#[test]
fn launches_follow_each_other() {
    let x: Vec<u32> = (0..500).collect();
    let on_device = Buffer::from_slice(&gpu(), &x).unwrap();
    let mut y = Buffer::<u32>::zeroed(&gpu(), 500).unwrap();
    for _ in 0..10 {
        gpu()
            .launch(Grid::cover(500), add, (&on_device, &mut y))
            .unwrap();
    }
    // The same kernel, with memory of the host this time.
    gpu().launch(Grid::cover(500), add, (&x, &mut y)).unwrap();
    gpu().wait().unwrap();
    let y = y.to_vec().unwrap();
    assert!(y.iter().enumerate().all(|(i, &y)| y == 11 * i as u32));
}

#[test]
fn a_buffer_may_go_before_its_kernel_has_ended() {
    for _ in 0..20 {
        let x = Buffer::filled(&gpu(), 10_000, 1u32).unwrap();
        let mut y = Buffer::filled(&gpu(), 10_000, 1u32).unwrap();
        gpu()
            .launch(Grid::cover(10_000), add, (&x, &mut y))
            .unwrap();
    }
    gpu().wait().unwrap();
}

#[test]
fn views_of_buffers() {
    fn kernel(mut y: DisjointMut2<usize>) {
        let i = thread::index2();
        if let Some(y) = y.get_mut(i) {
            *y = 10 * i.y() + i.x();
        }
    }
    let mut y = Buffer::zeroed(&gpu(), 6).unwrap();
    gpu()
        .launch(Grid::cover((3, 2)), kernel, (y.as_2d(2, 3),))
        .unwrap();
    assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 10, 11, 12]);
}

#[test]
fn uninitialised() {
    fn kernel(mut y: DisjointMut<MaybeUninit<u32>>) {
        let i = thread::index();
        if let Some(y) = y.get_mut(i) {
            y.write(i.get() as u32);
        }
    }
    let mut y = Buffer::<u32>::uninit(&gpu(), 5).unwrap();
    gpu().launch(Grid::cover(5), kernel, (&mut y,)).unwrap();
    // SAFETY: the kernel wrote every element.
    let y = unsafe { y.assume_init() };
    assert_eq!(y.to_vec().unwrap(), [0, 1, 2, 3, 4]);
}

#[test]
fn atomics() {
    fn kernel(bins: &[AtomicU32]) {
        bins[thread::index().get() % bins.len()].fetch_add(1, Ordering::Relaxed);
    }
    let bins = Buffer::<AtomicU32>::zeroed(&gpu(), 4).unwrap();
    gpu()
        .launch(Grid::blocks(1).threads(100), kernel, (&bins,))
        .unwrap();
    let bins: Vec<u32> = bins
        .to_vec()
        .unwrap()
        .into_iter()
        .map(AtomicU32::into_inner)
        .collect();
    assert_eq!(bins, [25; 4]);
}

#[test]
fn lengths_must_agree() {
    let mut buffer = Buffer::filled(&gpu(), 4, 1u8).unwrap();
    assert!(matches!(
        buffer.copy_from(&[1, 2, 3]),
        Err(Error::Invalid(_))
    ));
    assert!(matches!(
        buffer.copy_to(&mut [0; 5]),
        Err(Error::Invalid(_))
    ));
    let other = Buffer::filled(&gpu(), 3, 1u8).unwrap();
    assert!(matches!(
        buffer.copy_from_buffer(&other),
        Err(Error::Invalid(_))
    ));
    assert_eq!(buffer.to_vec().unwrap(), [1; 4]);
}

#[test]
fn too_much_memory_is_an_error() {
    for len in [usize::MAX, usize::MAX / 8, 1 << 50] {
        let refused = Buffer::<u64>::zeroed(&gpu(), len);
        assert!(
            matches!(refused, Err(Error::NoDeviceMemory(_))),
            "{refused:?}"
        );
    }
    // And the device goes on.
    assert_eq!(
        Buffer::filled(&gpu(), 2, 3u8).unwrap().to_vec().unwrap(),
        [3, 3]
    );
}

#[test]
fn threads_of_the_host_share_a_device() {
    std::thread::scope(|scope| {
        for t in 0..4u32 {
            scope.spawn(move || {
                let x = vec![t; 300];
                let mut y = Buffer::filled(&gpu(), 300, 0u32).unwrap();
                for _ in 0..20 {
                    gpu().launch(Grid::cover(300), add, (&x, &mut y)).unwrap();
                }
                assert_eq!(y.to_vec().unwrap(), vec![20 * t; 300]);
            });
        }
    });
}
