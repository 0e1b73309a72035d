//! Arrays, scopes, parts of buffers, streams and pinned memory, as plain cargo runs them: in place,
//! on the host. What moves to a device, test/kernels tests.

use smelt::prelude::*;
use smelt::{Error, profile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic of a kernel is told to whoever waits first: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gpu() -> Device {
    Device::default().unwrap()
}

fn add(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y += x[i.get()];
    }
}

fn past_the_end(mut y: DisjointMut<u32>) {
    y[thread::index()] = 7;
}

#[test]
fn an_array_is_a_slice() {
    let _one = alone();
    let mut x: Array<u32> = (0..10).collect();
    assert_eq!((x.len(), x.is_empty(), x[3]), (10, false, 3));
    x[3] = 30;
    x.sort();
    assert_eq!(x.iter().max(), Some(&30));
    let y = x.clone();
    assert_eq!(y[..], x[..]);
    assert_eq!(x.into_vec().unwrap().len(), 10);
    assert_eq!(Array::from([1u8, 2]).host().unwrap(), [1, 2]);
    assert_eq!(Array::<f32>::zeroed(3)[..], [0.0; 3]);
    assert!(Array::<u64>::zeroed(0).is_empty());
    assert_eq!(format!("{y:?}"), "Array(10 elements)");
    // Elements of no size, and none of any.
    assert_eq!(Array::from(vec![(); 5]).len(), 5);
    assert_eq!(Array::<()>::zeroed(5).into_vec().unwrap().len(), 5);
}

#[test]
fn launches_of_arrays() {
    let _one = alone();
    let x = Array::from(vec![2u32; 100]);
    let mut y = Array::<u32>::zeroed(100);
    for _ in 0..5 {
        gpu().launch(Grid::cover(100), add, (&x, &mut y)).unwrap();
    }
    assert_eq!(y[..], [10; 100]);
    x.send(&gpu()).unwrap();
    // With the host's vectors beside them.
    let mut z = vec![0; 100];
    gpu().launch(Grid::cover(100), add, (&y, &mut z)).unwrap();
    gpu().launch(Grid::cover(100), add, (&z, &mut y)).unwrap();
    assert_eq!(y[99], 20);
}

#[test]
fn an_array_tells_of_the_panic() {
    let _one = alone();
    let mut y = Array::from(vec![0u32; 4]);
    let grid = Grid::blocks(1).threads(5);
    gpu().launch(grid, past_the_end, (&mut y,)).unwrap();
    assert!(matches!(y.host(), Err(Error::Panic { .. })));
    assert_eq!(y.host().unwrap(), [7; 4]);
    gpu().launch(grid, past_the_end, (&mut y,)).unwrap();
    let looked = catch_unwind(AssertUnwindSafe(|| y[0]));
    let text = looked.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("out of bounds"), "{text}");
    // On a stream that is gone by then.
    let stream = gpu().stream().unwrap();
    stream.launch(grid, past_the_end, (&mut y,)).unwrap();
    drop(stream);
    assert!(matches!(y.host(), Err(Error::Panic { .. })));
    gpu().wait().unwrap();
}

#[test]
fn a_scope_tells_of_the_panic() {
    let _one = alone();
    let mut y = [0u32; 4];
    let grid = Grid::blocks(1).threads(5);
    let told = gpu().scope(|s| {
        let mut y = s.alloc(&mut y)?;
        s.launch(grid, past_the_end, (&mut y,))
    });
    assert!(matches!(told, Err(Error::Panic { .. })));
    let value = gpu().scope(|s| Ok(s.to(&y)?.len())).unwrap();
    assert_eq!(value, 4);
}

#[test]
fn an_error_comes_out_of_a_scope() {
    let _one = alone();
    let mut y = vec![1u32; 4];
    let x = [10u32; 4];
    let failed: smelt::Result<()> = gpu().scope(|s| {
        let x = s.to(&x)?;
        let mut y = s.tofrom(&mut y)?;
        s.launch(Grid::cover(4), add, (&x, &mut y))?;
        assert!(y.update_from(3..5).is_err());
        assert!(y.update_to(..=4, |_| unreachable!()).is_err());
        y.update_to(..1, |y| y[0] = 12)?;
        Err(Error::Unsupported("as it may".into()))
    });
    assert_eq!(failed, Err(Error::Unsupported("as it may".into())));
    assert_eq!(y, [12, 11, 11, 11]);
}

#[test]
fn parts_of_buffers() {
    let _one = alone();
    let mut y = Buffer::from_slice(&gpu(), &[1u32, 2, 3, 4]).unwrap();
    assert_eq!(y.range(1..=2).to_vec().unwrap(), [2, 3]);
    assert_eq!(y.range(4..).to_vec().unwrap(), []);
    assert!(y.range(1..).range(..2).cast::<u64>().is_err());
    assert_eq!(
        y.range(2..).cast::<u64>().unwrap().to_vec().unwrap(),
        [3 + (4 << 32)]
    );
    let (mut a, mut b) = y.split_at_mut(1);
    a.fill(9).unwrap();
    b.range_mut(1..).copy_from(&[7, 8]).unwrap();
    assert!(b.copy_from(&[7, 8]).is_err());
    gpu()
        .launch(Grid::cover(1), add, (b.view().range(..1), a))
        .unwrap();
    assert_eq!(y.to_vec().unwrap(), [11, 2, 7, 8]);
    for range in [2..5, 5..6] {
        let outside = catch_unwind(AssertUnwindSafe(|| y.range(range).len()));
        assert!(outside.is_err());
    }
    assert!(catch_unwind(AssertUnwindSafe(|| y.split_at_mut(5).0.len())).is_err());
}

#[test]
fn several_devices_of_one_kind() {
    let _one = alone();
    // Each test program has its own environment; here there is one device, or as many as
    // SMELT_CPU_DEVICES says.
    let all = Device::all().unwrap();
    let x = Buffer::from_slice(&gpu(), &[1u8, 2, 3]).unwrap();
    for device in &all {
        let y = x.copy_on(device).unwrap();
        assert_eq!(y.device(), *device);
        assert_eq!(y.to_vec().unwrap(), [1, 2, 3]);
    }
}

#[test]
fn profile_of_a_line() {
    let _one = alone();
    let (gpu, grid, mut y) = (gpu(), Grid::cover(1), [1u32]);
    profile::start().unwrap();
    let line = line!() + 1;
    gpu.launch(grid, add, (&[1u32][..], &mut y)).unwrap();
    profile::stop();
    let report = profile::report();
    // Copies too, where there are any.
    let mine = report.iter().find(|entry| {
        entry.line == line && entry.file.ends_with("data.rs") && entry.kind == profile::Kind::Kernel
    });
    assert!(mine.is_some(), "{report:?}");
}

#[test]
fn pinned_memory() {
    let _one = alone();
    let mut x = Pinned::from_slice(&gpu(), &[1u32, 2, 3]).unwrap();
    gpu()
        .launch(Grid::cover(3), add, (&[10u32; 3], &mut x))
        .unwrap();
    assert_eq!(x[..], [11, 12, 13]);
    let mut y = [0; 3];
    gpu().launch(Grid::cover(3), add, (&x, &mut y)).unwrap();
    assert_eq!(y, [11, 12, 13]);
    assert_eq!(format!("{x:?}"), "[11, 12, 13]");
    assert!(matches!(
        Pinned::<u64>::zeroed(&gpu(), usize::MAX),
        Err(Error::NoMemory(_))
    ));
}
