//! Programs that end in the midst of their work: whichever way, they end at once and with the
//! status that they chose. Each is this program again, in a process of its own.

use crate::suite::{ensure, Outcome, Suite};
use smelt::prelude::*;
use std::ffi::c_int;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// The first argument of such a process; the way and the number of the device follow.
pub const ARGUMENT: &str = "--end-midway";

/// Ways to end, and what the process then says.
const WAYS: [(&str, i32); 4] = [("return", 0), ("exit", 3), ("panic", 101), ("signal", 4)];

unsafe extern "C" {
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
    fn pthread_self() -> usize;
    fn pthread_kill(thread: usize, number: c_int) -> c_int;
    fn _exit(status: c_int) -> !;
}
const SIGTERM: c_int = 15;

extern "C" fn on_signal(_: c_int) {
    // SAFETY: what a handler may call.
    unsafe { _exit(4) }
}

fn work(mut y: DisjointMut<u32>) {
    for i in thread::grid_stride(y.len()) {
        y[i] = y[i].wrapping_mul(3) + 1;
    }
}

static ENDING: AtomicBool = AtomicBool::new(false);
static ROUNDS: AtomicI32 = AtomicI32::new(0);

/// Copies of pageable and pinned memory and launches, until the program ends.
fn keep_busy(gpu: &Device) -> smelt::Result<()> {
    let n = 1 << 20;
    let stream = gpu.stream()?;
    let mut host = vec![1u32; n];
    let mut buffer = Buffer::filled(gpu, n, 0u32)?;
    let mut pinned = Pinned::<u32>::zeroed(gpu, n)?;
    loop {
        buffer.copy_from(&host)?;
        stream.launch(Grid::blocks(4).threads(64), work, (&mut buffer,))?;
        let coming = buffer.copy_to_async(&stream, pinned)?;
        gpu.launch(Grid::blocks(4).threads(64), work, (&mut host[..1000],))?;
        pinned = coming.wait()?;
        buffer.copy_to(&mut host)?;
        ROUNDS.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the process of its own does; it returns if that is the way.
pub fn child(way: &str, number: usize) {
    let gpu = Device::all().expect("devices")[number];
    let mut threads = Vec::new();
    for _ in 0..3 {
        threads.push(std::thread::spawn(move || {
            // SAFETY: no arguments.
            let own = unsafe { pthread_self() };
            std::thread::spawn(move || {
                while way_is_signal() && !ENDING.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(1));
                }
                if way_is_signal() {
                    // SAFETY: that thread works for ever.
                    unsafe { pthread_kill(own, SIGTERM) };
                }
            });
            let ended = keep_busy(&gpu);
            // Only the end of the process may stop it.
            if !ENDING.load(Ordering::Relaxed) {
                eprintln!("{ended:?}");
                std::process::exit(9);
            }
        }));
    }
    let stream = gpu.stream().expect("a stream");
    let mut y = Buffer::filled(&gpu, 1000, 1u32).expect("a buffer");
    while ROUNDS.load(Ordering::Relaxed) < 4 {
        stream.launch(Grid::cover(1000), work, (&mut y,)).expect("a launch");
        std::thread::sleep(Duration::from_millis(1));
    }
    ENDING.store(true, Ordering::Relaxed);
    match way {
        "exit" => std::process::exit(3),
        "panic" => std::panic::resume_unwind(Box::new("midway")),
        "signal" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        _ => (),
    }
}

fn way_is_signal() -> bool {
    std::env::args().nth(2).as_deref() == Some("signal")
}

/// To be called first in such a process.
pub fn prepare() {
    if way_is_signal() {
        // SAFETY: a function that lasts.
        unsafe { signal(SIGTERM, on_signal) };
    }
}

fn ends(way: &str, status: i32, number: usize) -> Outcome {
    let mut child = Command::new(std::env::current_exe()?)
        .args([ARGUMENT, way, &number.to_string()])
        .stdout(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    loop {
        if let Some(ended) = child.try_wait()? {
            return ensure(ended.code() == Some(status), format!("{way}: {ended}"));
        }
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill()?;
            child.wait()?;
            return Err(format!("{way}: does not end").into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn run(suite: &mut Suite, number: usize) {
    for (way, status) in WAYS {
        suite.test(&format!("data at the end of the program: {way}"), |_| {
            ends(way, status, number)
        });
    }
}
