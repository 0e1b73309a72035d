//! What a kernel's panic becomes, and that nothing is lost by it.

use smelt::Error;
use smelt::prelude::*;
use std::sync::Mutex;

/// A panic is reported by the next wait on the device, whoever waits: one test at a time.
static ONE: Mutex<()> = Mutex::new(());

fn alone<R>(test: impl FnOnce(Device) -> R) -> R {
    let _one = ONE.lock().unwrap_or_else(|broken| broken.into_inner());
    test(Device::default().unwrap())
}

fn beyond(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = 1;
        *y += x[i.get() + 2];
    }
}

#[test]
fn out_of_bounds() {
    alone(|gpu| {
        let x = vec![10u32; 5];
        let mut y = vec![0u32; 5];
        let error = gpu
            .launch(Grid::blocks(1).threads(8), beyond, (&x, &mut y))
            .unwrap_err();
        let text = error.to_string();
        let Error::Panic {
            message,
            file,
            line,
            block,
            thread,
            threads,
            ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(block, [0, 0, 0]);
        assert_eq!(threads, 2);
        assert!(thread == [3, 0, 0] || thread == [4, 0, 0], "{thread:?}");
        let index = thread[0] + 2;
        assert_eq!(
            *message,
            *format!("index out of bounds: the len is 5 but the index is {index}")
        );
        assert!(file.ends_with("errors.rs"), "{file}");
        assert_eq!(line, line_of("*y += x[i.get() + 2];"));
        assert!(
            text.contains("out of bounds") && text.contains("errors.rs"),
            "{text}"
        );
        // What the other threads wrote is there; of those that panicked it may be or not.
        assert_eq!(y[..3], [11; 3]);
        assert!(y[3] <= 1 && y[4] <= 1, "{y:?}");
        // And the next launch is none the worse.
        gpu.launch(Grid::cover(3), beyond, (&x, &mut y[..3]))
            .unwrap();
    });
}

fn line_of(text: &str) -> u32 {
    let source = include_str!("errors.rs");
    let at = source.lines().position(|line| line.trim() == text);
    at.expect("the line is there") as u32 + 1
}

fn token_past_the_end(mut y: DisjointMut<u32>) {
    y[thread::index()] = 1;
}

fn token_outside_rows(mut y: DisjointMut2<u32>) {
    y[thread::index2()] = 1;
}

#[test]
fn tokens_are_checked() {
    alone(|gpu| {
        let mut y = vec![0u32; 4];
        let error = gpu
            .launch(Grid::blocks(1).threads(5), token_past_the_end, (&mut y,))
            .unwrap_err();
        let Error::Panic { message, line, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(
            *message,
            *"index out of bounds: the len is 4 but the index is 4"
        );
        assert_eq!(line, line_of("y[thread::index()] = 1;"));
        assert_eq!(y, [1; 4]);
        for threads in [(3, 2), (2, 3)] {
            let error = gpu
                .launch(
                    Grid::blocks(1).threads(threads),
                    token_outside_rows,
                    (y.as_2d(2, 2),),
                )
                .unwrap_err();
            let Error::Panic { message, line, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(
                *message,
                *"index out of bounds: the len is 2 but the index is 2"
            );
            assert_eq!(line, line_of("y[thread::index2()] = 1;"));
        }
    });
}

#[test]
fn a_launch_that_does_not_wait_reports_later() {
    alone(|gpu| {
        let mut y = Buffer::<u32>::zeroed(&gpu, 4).unwrap();
        gpu.launch(Grid::blocks(1).threads(5), token_past_the_end, (&mut y,))
            .unwrap();
        assert!(matches!(gpu.wait(), Err(Error::Panic { .. })));
        gpu.wait().unwrap();
        assert_eq!(y.to_vec().unwrap(), [1; 4]);
    });
}

fn divide(x: i32, y: i32, mut out: DisjointMut<i32>) {
    out[thread::index()] = x / y;
}

#[test]
fn arithmetic() {
    alone(|gpu| {
        let mut out = [0];
        for (x, y, text) in [
            (1, 0, "attempt to divide by zero"),
            (i32::MIN, -1, "attempt to divide with overflow"),
        ] {
            let error = gpu
                .launch(Grid::cover(1).block(1), divide, (x, y, &mut out))
                .unwrap_err();
            let Error::Panic { message, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(*message, *text);
        }
    });
}

fn reads(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = x[i.get()];
    }
}

/// Were the map of `x` still there after a launch that failed, a device with memory of its own
/// would not see the new values.
#[test]
fn maps_end_when_a_launch_fails() {
    alone(|gpu| {
        let mut x = vec![1u32; 8];
        let mut y = vec![0u32; 8];
        assert!(
            gpu.launch(Grid::cover(8).block(1 << 20), reads, (&x, &mut y))
                .is_err()
        );
        assert!(
            gpu.launch(Grid::cover((8, 2)), reads, (&x, &mut y))
                .is_err()
        );
        x.fill(2);
        gpu.launch(Grid::cover(8), reads, (&x, &mut y)).unwrap();
        assert_eq!(y, [2; 8]);
    });
}

#[test]
fn errors_are_errors() {
    let error: Box<dyn std::error::Error + Send + Sync> =
        Box::new(Error::Launch("too large".into()));
    assert_eq!(error.to_string(), "too large");
    assert_eq!(
        format!("{:?}", Error::Launch("too large".into())),
        "too large"
    );
    assert_eq!(Error::Launch("".into()).code(), -8);
}

#[test]
fn panics_of_the_host_are_its_own() {
    alone(|gpu| {
        let mut y = vec![0u32; 4];
        let _ = gpu.launch(Grid::blocks(1).threads(5), token_past_the_end, (&mut y,));
        let seen = std::panic::catch_unwind(|| panic!("of the host")).unwrap_err();
        assert_eq!(seen.downcast_ref::<&str>(), Some(&"of the host"));
    });
}

#[test]
fn devices() {
    let all = Device::all().unwrap();
    assert!(!all.is_empty());
    for device in all {
        let info = device.info().unwrap();
        assert!(!info.name.is_empty() && info.units > 0 && info.max_block_threads > 0);
        device.memory().unwrap();
        device.wait().unwrap();
    }
    // SMELT_DEVICE may leave the CPU out.
    match Device::cpu() {
        Ok(cpu) => assert_eq!(cpu.info().unwrap().arch, std::env::consts::ARCH),
        Err(error) => assert!(
            std::env::var("SMELT_DEVICE").is_ok_and(|device| device != "cpu"),
            "{error}"
        ),
    }
}
