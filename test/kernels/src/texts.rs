//! Text with values, by panics and by `smelt::print!`: what a kernel says must be what the
//! same code says on the host.

use crate::suite::{ensure, equal, Outcome, Suite};
use smelt::prelude::*;
use smelt::Error;
use std::ffi::{c_char, c_void};
use std::panic::{catch_unwind, set_hook, take_hook};
use std::sync::Mutex;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Colour {
    Red,
    Green,
    Blue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(i16)]
enum Code {
    Low = -300,
    High = 300,
}

/// Not told: `{..}` stands for it, since its text is made by a loop.
#[derive(Clone, Copy, PartialEq)]
struct Pair(u32, u32);

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for _ in 0..self.0 {
            write!(f, "{}, ", self.1)?;
        }
        Ok(())
    }
}

/// What a thread saw: told, field by field.
#[derive(Clone, Copy, Debug)]
struct Seen {
    colour: Option<Colour>,
    at: (usize, [f32; 2]),
}

fn size(n: u32) -> &'static str {
    match n {
        0..4 => "few",
        4..100 => "some \u{e9}\u{5b57} in \"quotes\"\n",
        _ => "many more than what has room in the words that a message may have, which is why this \
              text is cut somewhere: a message is for people, and so is best when it is short, \
              but nobody is told half of it without seeing that it is half",
    }
}

#[track_caller]
fn tracked(x: Result<u32, Colour>) -> u32 {
    x.expect("no colour")
}

#[inline(never)]
fn apart(n: u32, v: f64) -> u32 {
    if n > 5 {
        panic!("{n} is too much of {v:?} at {}", size(n));
    }
    n
}

#[inline(never)]
fn rename(name: &mut &'static str, n: u32) {
    if n > 4 {
        *name = "another";
    }
}

/// Goes wrong in its n-th way; of values that the compiler does not know.
fn speak(way: u32, n: u32, i: i64, v: f32, w: f64) -> u32 {
    let c = char::from_u32(n + 0x60).unwrap_or('-');
    let colour = if n > 4 { Colour::Red } else { Colour::Blue };
    let code = if n > 4 { Code::Low } else { Code::High };
    match way {
        0 => panic!("n {n} of {i}, {v} and {w}"),
        1 => panic!("{:?} {:?} {:e} {:E} {:.3} {:+.0}", v, w, v, w, v, w),
        2 => panic!("{n:#x} {i:X} {n:#010b} {i:o} {i:e} {:>8}|{:<8}|{:^8}|{:*^+9}", n, n, i, i),
        3 => panic!("{:w$.p$}|{n:0w$}|{:>1$}", w, n as usize + 3, w = n as usize, p = 2),
        4 => panic!("{} {} {} {}", n as u8, i as i8, i as i16, n as u16),
        5 => panic!("{} {} {:#x}", i as i128 * i64::MAX as i128, u128::MAX - n as u128, i as u128),
        6 => panic!("{} {:?} {c} {c:?} {:>6}", n > 4, n > 5, c),
        7 => panic!("{colour:?} {code:?} {:?} {{}} {}%", &&colour, n),
        8 => panic!("{} and {:?} and {:.2}", size(n), size(n), size(n)),
        9 => panic!("{} {:?}", &&n, &mut { v }),
        10 => assert_eq!(n, i as u32 + 1000),
        11 => assert_eq!(v, w as f32 + 1.0, "with {n} at {i}"),
        12 => assert_ne!(colour, colour, "of {}", "one"),
        13 => assert!(n > 1000, "{n} is {}", size(n)),
        14 => return tracked(Err(colour)),
        15 => return Err::<u32, i64>(i).unwrap(),
        16 => return u8::try_from(n as u64 + 300).unwrap() as u32,
        17 => unreachable!("{n}"),
        18 => todo!("{w:?}"),
        19 => unimplemented!("{c}"),
        20 => panic!("{}", w),
        21 => return apart(n, w),
        22 => assert_eq!(size(n), "nothing"),
        23 => return Ok::<u32, u32>(n).expect_err("an error") + 1,
        24 => panic!("{n} {:?} {n:x?} {n:X?} {:#?}", std::num::Wrapping(n), n),
        25 => debug_assert!(n > 1000, "only sometimes: {n}"),
        26 => panic!("nothing but text {{}}"),
        27 => {
            let mut name = "first";
            rename(&mut name, n);
            panic!("{name}, then {name:?}");
        }
        _ => {}
    }
    0
}
const WAYS: u32 = 28;

fn speak_at(way: u32, at: usize, n: u32, i: i64, v: f32, w: f64, mut out: DisjointMut<u32>) {
    let index = thread::index();
    let here = index.get();
    if let Some(out) = out.get_mut(index) {
        *out = if here == at { speak(way, n, i, v, w) } else { 7 };
    }
}

/// What it says on the host.
fn on_host(f: impl FnOnce() -> u32 + std::panic::UnwindSafe) -> Option<String> {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let result = catch_unwind(f);
    set_hook(hook);
    let payload = result.err()?;
    payload
        .downcast_ref::<&str>()
        .map(|s| s.to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
}

fn message(gpu: &Device, result: smelt::Result<()>) -> Result<Option<String>, Error> {
    match result.and_then(|()| gpu.wait()) {
        Ok(()) => Ok(None),
        Err(Error::Panic { message, .. }) => Ok(Some(message.into())),
        Err(other) => Err(other),
    }
}

fn panics(gpu: &Device) -> Outcome {
    let values = [(9, -5, 0.1, 1e300), (3, i64::MAX, -2.5, 1e16), (70, 0, f32::NAN, -1.0 / 3.0)];
    let mut out = vec![0u32; 40];
    for (n, i, v, w) in values {
        for way in 0..WAYS {
            let wanted = on_host(|| speak(way, n, i, v, w));
            let arguments = (way, 33, n, i, v, w, &mut out);
            let result = gpu.launch(Grid::cover(40).block(16), speak_at, arguments);
            let got = message(gpu, result)?;
            equal(&got, &wanted).map_err(|e| format!("way {way} of {n}: {e}"))?;
        }
    }
    equal(out[39], 7)
}

fn unknown(way: u32, n: u32) {
    match way {
        0 => panic!("n {n} {:?} {}", Pair(n, n), n + 1),
        1 => assert_eq!(Pair(n, n), Pair(n, 1), "at {n}"),
        2 => {
            Err::<u32, Pair>(Pair(n, 2)).unwrap();
        }
        _ => panic!("{}, {} bytes", size(n), n),
    }
}

/// Never a wrong value, and nothing lost behind it.
fn told_in_part(gpu: &Device) -> Outcome {
    if !crate::has_kernels() {
        return Ok(());
    }
    let wanted = [
        "n 500 {..} 501",
        "assertion `left == right` failed: at 500\n  left: {..}\n right: {..}",
        "called `Result::unwrap()` on an `Err` value: {..}",
    ];
    for (way, wanted) in wanted.into_iter().enumerate() {
        let got = message(gpu, gpu.launch(Grid::cover(1), unknown, (way as u32, 500)))?;
        equal(got.as_deref(), Some(wanted))?;
    }
    let got = message(gpu, gpu.launch(Grid::cover(1), unknown, (3, 500)))?.unwrap_or_default();
    let (text, rest) = got.split_once("...").ok_or(got.clone())?;
    ensure(size(500).starts_with(text) && text.len() >= 100, got.clone())?;
    equal(rest, ", 500 bytes")
}

static PRINTED: Mutex<String> = Mutex::new(String::new());

unsafe extern "C" fn keep(_data: *mut c_void, text: *const c_char, size: u64) {
    // SAFETY: libsmelt passes a text and its size.
    let text = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), size as usize) };
    PRINTED.lock().unwrap().push_str(&String::from_utf8_lossy(text));
}

/// What the launches in `run` print, by lines, sorted. The host's own instance prints by
/// itself: nothing.
fn printed(run: impl FnOnce() -> smelt::Result<()>) -> Result<Option<Vec<String>>, Error> {
    if !crate::has_kernels() {
        return run().map(|()| None);
    }
    // The crate's own way to print is installed by the first launch.
    fn nothing() {}
    Device::default()?.launch(Grid::cover(1), nothing, ())?;
    PRINTED.lock().unwrap().clear();
    // SAFETY: a function that stays.
    unsafe { smelt_sys::smelt_print_to(Some(keep), std::ptr::null_mut()) };
    let result = run();
    // SAFETY: to stdout again.
    unsafe { smelt_sys::smelt_print_to(None, std::ptr::null_mut()) };
    result?;
    let mut lines: Vec<_> = PRINTED.lock().unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    Ok(Some(lines))
}

fn seen(i: usize, x: f32) -> Seen {
    let colour = if i % 2 == 1 { Some(Colour::Green) } else { None };
    Seen { colour, at: (i, [x, -x]) }
}

fn line(i: usize, x: f32) -> String {
    let c = char::from_u32(0x61 + i as u32 % 26).unwrap_or('-');
    let colour = if i % 3 == 1 { Colour::Green } else { Colour::Blue };
    format!("{i:05}: {x:?} {x:8.3}| {:#x} {c:?} {} {colour:?} {:?} end", i as u128 * 3, size(i as u32 % 5), seen(i, x))
        .replace('\n', "~")
}

#[inline(never)]
fn print_end(colour: Colour, seen: Seen) {
    smelt::print!("{colour:?} {seen:?} ");
    smelt::println!("end");
}

fn print_lines(x: &[f32]) {
    let i = thread::index().get();
    if i >= x.len() {
        return;
    }
    let c = char::from_u32(0x61 + i as u32 % 26).unwrap_or('-');
    let name = if i % 5 < 4 { "few" } else { "some \u{e9}\u{5b57} in \"quotes\"~" };
    smelt::print!("{i:05}: {:?} {:8.3}| ", x[i], x[i]);
    for round in 0..2 {
        if round == 0 {
            smelt::print!("{:#x} {c:?}", i as u128 * 3);
        } else {
            smelt::print!(" {name} ");
        }
    }
    print_end(if i % 3 == 1 { Colour::Green } else { Colour::Blue }, seen(i, x[i]));
}

fn prints(gpu: &Device) -> Outcome {
    let x: Vec<f32> = (0..300).map(|i| i as f32 * 0.1 - 3.0).collect();
    let lines = printed(|| {
        gpu.launch(Grid::cover(300).block(64), print_lines, (&x,))?;
        gpu.wait()
    })?;
    let Some(lines) = lines else { return Ok(()) };
    let wanted: Vec<_> = (0..300).map(|i| line(i, x[i])).collect();
    crate::suite::same(&lines, &wanted)
}

fn print_between(n: u32, mut out: DisjointMut<u32>) {
    let i = thread::index();
    let at = i.get() as u32;
    smelt::println!("{n} before {at}");
    sync::barrier();
    if at == 5 {
        smelt::println!("{n} panics");
        panic!("{n} at {at}");
    }
    if let Some(out) = out.get_mut(i) {
        *out = at + n;
    }
    smelt::println!("{n} behind {}", warp::any(true));
}

/// In kernels whose threads meet, before a panic, and on two streams at once.
fn prints_and_panics(gpu: &Device) -> Outcome {
    let mut messages = Vec::new();
    let lines = printed(|| {
        let (one, two) = (gpu.stream()?, gpu.stream()?);
        let mut outs = [Buffer::from_slice(gpu, &[0u32; 8])?, Buffer::from_slice(gpu, &[0u32; 8])?];
        let [a, b] = &mut outs;
        one.launch(Grid::cover(8).block(8), print_between, (1, a))?;
        two.launch(Grid::cover(8).block(8), print_between, (2, b))?;
        for stream in [&one, &two] {
            match stream.wait() {
                Err(Error::Panic { message, .. }) => messages.push(message.to_string()),
                other => return other,
            }
        }
        Ok(())
    })?;
    equal(&messages[..], &["1 at 5".to_string(), "2 at 5".to_string()][..])?;
    let Some(lines) = lines else { return Ok(()) };
    let mut wanted = Vec::new();
    for n in 1..3 {
        wanted.extend((0..8).map(|i| format!("{n} before {i}")));
        wanted.extend((0..7).map(|_| format!("{n} behind true")));
        wanted.push(format!("{n} panics"));
    }
    wanted.sort();
    crate::suite::same(&lines, &wanted)
}

pub fn run(suite: &mut Suite) {
    suite.test("text: panics as on the host", panics);
    suite.test("text: what is not told", told_in_part);
    suite.test("text: prints", prints);
    suite.test("text: prints, panics, streams", prints_and_panics);
}
