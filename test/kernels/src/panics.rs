//! Kernels that panic: the error says what, where and which thread; the data of the
//! threads that went on is there; the next launch is fine.

use crate::suite::{ensure, equal, same, Outcome, Suite};
use smelt::prelude::*;
use smelt::Error;

const HERE: &str = "panics.rs";

fn add_one(mut out: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out += 1;
    }
}

/// What a launch must have failed with.
struct Want {
    message: &'static str,
    line: u32,
    /// Global index of the thread, where just one panics.
    thread: Option<usize>,
    threads: u32,
}

fn check(gpu: &Device, result: smelt::Result<()>, kernel: &str, want: Want) -> Outcome {
    let Err(error) = result.and_then(|()| gpu.wait()) else {
        return Err("no error".into());
    };
    let text = error.to_string();
    let Error::Panic { kernel: name, message, file, line, column, block, thread, threads } = error
    else {
        return Err(format!("not a panic: {text}").into());
    };
    ensure(
        message.contains(want.message),
        format!("message {message:?} instead of {:?}", want.message),
    )?;
    ensure(file.ends_with(HERE), format!("file {file}"))?;
    equal(line, want.line)?;
    ensure(column > 0, "no column")?;
    equal(threads, want.threads)?;
    if let Some(wanted) = want.thread {
        equal(block[0] as usize * BLOCK + thread[0] as usize, wanted)?;
    }
    // A kernel run as the host's own instance has no name.
    if crate::has_kernels() {
        ensure(name.contains(kernel), format!("kernel {name:?}"))?;
        ensure(text.contains(kernel), format!("no {kernel:?} in {text:?}"))?;
    }
    for part in [&*message, HERE] {
        ensure(text.contains(part), format!("no {part:?} in {text:?}"))?;
    }

    // The device is still good.
    let mut out = vec![1u32; 1000];
    gpu.launch(Grid::cover(1000), add_one, (&mut out,))?;
    gpu.wait()?;
    same(&out, &[2; 1000])
}

const BLOCK: usize = 64;

fn grid(n: usize) -> Grid {
    Grid::cover(n).block(BLOCK)
}

fn out_of_bounds(x: &[u32], shift: usize, mut out: DisjointMut<u32>) {
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        *out = x[at + shift];
    }
}
const OUT_OF_BOUNDS_LINE: u32 = line!() - 3;

fn bounds(gpu: &Device) -> Outcome {
    let x: Vec<u32> = (0..200).collect();
    let mut out = vec![0u32; 200];
    let result = gpu.launch(grid(200), out_of_bounds, (&x, 1, &mut out));
    let want = Want {
        message: "index out of bounds: the len is 200 but the index is 200",
        line: OUT_OF_BOUNDS_LINE,
        thread: Some(199),
        threads: 1,
    };
    check(gpu, result, "out_of_bounds", want)?;
    // The others did their work and it came back.
    let done: Vec<u32> = (1..200).collect();
    same(&out[..199], &done)?;

    let result = gpu.launch(grid(200), out_of_bounds, (&x, 1000, &mut out));
    let want = Want {
        message: "the len is 200 but the index is 1",
        line: OUT_OF_BOUNDS_LINE,
        thread: None,
        threads: 200,
    };
    check(gpu, result, "out_of_bounds", want)
}

/// One kernel that goes wrong in its n-th way at thread 70, with the line of each.
fn go_wrong(way: u32, x: &[i32], mut out: DisjointMut<i32>) {
    let i = thread::index();
    let at = i.get();
    let Some(out) = out.get_mut(i) else { return };
    if at != 70 {
        *out = 1;
        return;
    }
    *out = match way {
        0 => x[0] / x[1],
        1 => x[2] / x[3],
        2 => x[0] % x[1],
        3 => Option::<i32>::None.unwrap(),
        4 => Option::<i32>::None.expect("a value was expected"),
        5 => panic!("a panic of our own"),
        6 => unreachable!(),
        7 => x[(x[0] as usize)..2].len() as i32,
        8 => x[..(x[0] as usize + 10)].len() as i32,
        9 => not_inlined(x),
        10 => {
            assert!(x[0] < x[1], "not in order");
            0
        }
        11 => {
            assert_eq!(x[0], x[1]);
            0
        }
        _ => Result::<i32, i32>::Err(x[0]).unwrap(),
    };
}
const GO_WRONG_LINE: u32 = line!() - 21;

#[inline(never)]
fn not_inlined(x: &[i32]) -> i32 {
    x[x[0] as usize + 100]
}
const NOT_INLINED_LINE: u32 = line!() - 2;

fn many_ways(gpu: &Device) -> Outcome {
    // 5 over 0, MIN over -1.
    let x = [5, 0, i32::MIN, -1];
    let ways: [(&str, u32); 13] = [
        ("attempt to divide by zero", 0),
        ("attempt to divide with overflow", 1),
        ("attempt to calculate the remainder with a divisor of zero", 2),
        ("called `Option::unwrap()` on a `None` value", 3),
        ("a value was expected", 4),
        ("a panic of our own", 5),
        ("internal error: entered unreachable code", 6),
        ("range", 7),
        ("range", 8),
        ("index out of bounds: the len is 4 but the index is 105", 9),
        ("not in order", 11),
        ("assertion `left == right` failed\n  left: 5\n right: 0", 15),
        ("called `Result::unwrap()` on an `Err` value: 5", 18),
    ];
    for (way, (message, line)) in ways.into_iter().enumerate() {
        let mut out = vec![0i32; 100];
        let result = gpu.launch(grid(100), go_wrong, (way as u32, &x, &mut out));
        let line = if way == 9 { NOT_INLINED_LINE } else { GO_WRONG_LINE + line };
        let want = Want { message, line, thread: Some(70), threads: 1 };
        check(gpu, result, "go_wrong", want).map_err(|e| format!("way {way}: {e}"))?;
        ensure(
            (0..100).all(|i| out[i] == (i != 70) as i32),
            format!("way {way}: other threads' data"),
        )?;
    }
    Ok(())
}

fn overflow(x: &[u8], mut out: DisjointMut<u8>) {
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        *out = x[at] + 1;
    }
}
const OVERFLOW_LINE: u32 = line!() - 3;

/// Checked in the dev profile, wrapping in release, as on the host.
fn overflow_checks(gpu: &Device) -> Outcome {
    let mut x = vec![7u8; 130];
    x[129] = 255;
    let mut out = vec![0u8; 130];
    let result = gpu.launch(grid(130), overflow, (&x, &mut out));
    if cfg!(debug_assertions) {
        let want = Want {
            message: "attempt to add with overflow",
            line: OVERFLOW_LINE,
            thread: Some(129),
            threads: 1,
        };
        check(gpu, result, "overflow", want)
    } else {
        result?;
        equal((out[0], out[129]), (8, 0))
    }
}

/// Panics of several launches and in buffers: the error comes at the next wait.
fn asynchronous(gpu: &Device) -> Outcome {
    let x = Buffer::from_slice(gpu, &[1u32; 10])?;
    let mut out = Buffer::from_slice(gpu, &[0u32; 100])?;
    let mut result = gpu.launch(grid(100), out_of_bounds, (&x, 0, &mut out));
    if result.is_ok() {
        result = gpu.wait();
    }
    let want = Want {
        message: "the len is 10 but the index is",
        line: OUT_OF_BOUNDS_LINE,
        thread: None,
        threads: 90,
    };
    check(gpu, result, "out_of_bounds", want)?;
    let out = out.to_vec()?;
    equal((out[9], out[10]), (1, 0))
}

fn in_closure(gpu: &Device) -> Outcome {
    let mut out = vec![0u32; 10];
    let table = [1u32, 2, 3];
    let line = line!() + 7;
    let result = gpu.launch(
        grid(10),
        move |mut out: DisjointMut<u32>| {
            let i = thread::index();
            let at = i.get();
            if let Some(out) = out.get_mut(i) {
                *out = table[at];
            }
        },
        (&mut out,),
    );
    let want = Want { message: "the len is 3", line, thread: None, threads: 7 };
    check(gpu, result, "in_closure", want)?;
    same(&out[..3], &table)
}

pub fn run(suite: &mut Suite) {
    suite.test("panic: bounds", bounds);
    suite.test("panic: many ways", many_ways);
    suite.test("panic: overflow as in the profile", overflow_checks);
    suite.test("panic: in buffers, at the wait", asynchronous);
    suite.test("panic: in a closure", in_closure);
}
