//! Moving data and launching, timed. Prints "NAME MICROSECONDS" lines, medians, under the names
//! that native/data.cu has for the same in CUDA. What has no counterpart there goes to stderr.
//!
//!     data copies [MIB]   memory of the host to the device and back, pageable and pinned
//!     data pool           an allocation and its release
//!     data resident       1000 launches over data that is copied in once and out once
//!     data rate           launches from one thread, and from 8 threads on 8 streams
//!     data fill           zeros, and a value of 8 bytes and of 12
//!
//! With SMELT_STAGING=0 pageable memory goes the engine's own way, for comparison.

use smelt::prelude::*;
use std::sync::Barrier;
use std::time::Instant;

const ROUNDS: usize = 9;

/// The median of the rounds, in microseconds; one more warms up.
fn median_us(mut work: impl FnMut() -> smelt::Result<()>) -> smelt::Result<f64> {
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        let start = Instant::now();
        work()?;
        if round > 0 {
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}

fn report_copy(name: &str, bytes: usize, time: f64) {
    println!("{name} {time:.3}");
    eprintln!("{name}: {:.2} GB/s", bytes as f64 / time * 1e-3);
}

/// Within the device; what the host takes to give them goes to stderr.
fn copies_on(gpu: &Device) -> smelt::Result<()> {
    const TIMES: usize = 100;
    for bytes in [256, 8 << 20] {
        let from = Buffer::filled(gpu, bytes, 1u8)?;
        let mut to = Buffer::filled(gpu, bytes, 2u8)?;
        let mut given = f64::MAX;
        let time = median_us(|| {
            let start = Instant::now();
            (0..TIMES).try_for_each(|_| to.copy_from_buffer(&from))?;
            given = given.min(start.elapsed().as_secs_f64() * 1e6);
            gpu.wait()
        })?;
        println!("copy-on-{bytes} {:.4}", time / TIMES as f64);
        eprintln!("copy-on-{bytes}: given in {:.4} us", given / TIMES as f64);
        assert!(to.to_vec()?.iter().all(|&byte| byte == 1));
    }
    Ok(())
}

fn copies(gpu: &Device, mib: usize) -> smelt::Result<()> {
    let bytes = mib << 20;
    let mut pageable: Vec<u8> = (0..bytes).map(|i| (i * 31 >> 7) as u8).collect();
    let kept = pageable.clone();
    let mut pinned = Pinned::from_slice(gpu, &pageable)?;
    let mut buffer = Buffer::from_slice(gpu, &pageable)?;
    let time = median_us(|| {
        buffer.copy_from(&pageable)?;
        gpu.wait()
    })?;
    report_copy("copy-pageable-to", bytes, time);
    pageable.fill(0);
    let time = median_us(|| buffer.copy_to(&mut pageable))?;
    report_copy("copy-pageable-from", bytes, time);
    assert!(pageable == kept, "what came back is not what went");
    let time = median_us(|| {
        buffer.copy_from(&pinned)?;
        gpu.wait()
    })?;
    report_copy("copy-pinned-to", bytes, time);
    let time = median_us(|| buffer.copy_to(&mut pinned))?;
    report_copy("copy-pinned-from", bytes, time);
    copies_on(gpu)?;
    for bytes in [256, 65536] {
        let small = &kept[..bytes];
        let mut buffer = Buffer::from_slice(gpu, small)?;
        let time = median_us(|| (0..1000).try_for_each(|_| buffer.copy_from(small)))? / 1000.0;
        gpu.wait()?;
        println!("copy-small-to-{bytes} {time:.4}");
    }
    Ok(())
}

fn pool(gpu: &Device) -> smelt::Result<()> {
    const TIMES: usize = 10_000;
    for bytes in [256, 65536, 1 << 20] {
        let time = median_us(|| {
            (0..TIMES).try_for_each(|_| Buffer::<u8>::uninit(gpu, bytes).map(drop))
        })?;
        println!("alloc-free-{bytes} {:.4}", time / TIMES as f64);
    }
    Ok(())
}

fn axpy(a: f64, x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y += a * x[i.get()];
    }
}

/// The host's data is made outside of the timing, as in the native program.
fn resident(gpu: &Device) -> smelt::Result<()> {
    const LAUNCHES: usize = 1000;
    let n = 1 << 20;
    let (host_x, host_y) = (vec![1.0f64; n], vec![2.0f64; n]);
    let before = gpu.counters();
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        let x = Array::from(host_x.clone());
        let mut y = Array::from(host_y.clone());
        gpu.wait()?;
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            gpu.launch(Grid::cover(n).block(256), axpy, (0.5, &x, &mut y))?;
        }
        let result = y.host()?[n - 1];
        if round > 0 {
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        assert_eq!(result, 502.0);
    }
    times.sort_by(f64::total_cmp);
    println!("resident-1000 {:.3}", times[ROUNDS / 2]);
    let moved = gpu.counters();
    let bytes = moved.bytes_to - before.bytes_to + moved.bytes_from - before.bytes_from;
    let least = ((ROUNDS + 1) * 3 * 8 * n) as u64;
    eprintln!("resident-1000: {bytes} bytes moved, {least} is the least");
    if !gpu.shares_memory() {
        assert_eq!(bytes, least);
    }
    Ok(())
}

fn empty(_a: u64, _b: u64) {}

fn rate(gpu: &Device) -> smelt::Result<()> {
    const LAUNCHES: usize = 20_000;
    const THREADS: usize = 8;
    let grid = Grid::blocks(1).threads(32);
    let one = |launch: &dyn Fn() -> smelt::Result<()>| (0..LAUNCHES).try_for_each(|_| launch());
    let time = median_us(|| {
        one(&|| gpu.launch(grid, empty, (1, 2)))?;
        gpu.wait()
    })?;
    println!("launch-1-thread {:.4}", time / LAUNCHES as f64);
    let streams: Vec<Stream> = (0..THREADS).map(|_| gpu.stream()).collect::<Result<_, _>>()?;
    let time = median_us(|| {
        let barrier = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            let workers: Vec<_> = streams
                .iter()
                .map(|stream| {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        one(&|| stream.launch(grid, empty, (1, 2)))?;
                        stream.wait()
                    })
                })
                .collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
        })
    })?;
    println!("launch-8-threads {:.4}", time / (LAUNCHES * THREADS) as f64);
    Ok(())
}

fn fill_with<T>(gpu: &Device, name: &str, bytes: usize, value: T) -> smelt::Result<()>
where
    T: DeviceCopy + smelt::DeviceShare + PartialEq + std::fmt::Debug,
{
    const TIMES: usize = 20;
    let mut buffer = Buffer::filled(gpu, bytes / size_of::<T>(), value)?;
    let time = median_us(|| {
        (0..TIMES).try_for_each(|_| buffer.fill(value))?;
        gpu.wait()
    })? / TIMES as f64;
    report_copy(&format!("fill-{name}-{}", bytes >> 20), bytes, time);
    assert!(buffer.to_vec()?.iter().all(|&element| element == value));
    Ok(())
}

fn fill(gpu: &Device) -> smelt::Result<()> {
    for mib in [8, 256] {
        let bytes = mib << 20;
        fill_with(gpu, "zero", bytes, 0.0f64)?;
        fill_with(gpu, "value", bytes, 1.1f64)?;
        fill_with(gpu, "triple", bytes, [1.0f32, 2.0, 3.0])?;
    }
    Ok(())
}

fn main() -> smelt::Result<()> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let mib = std::env::args().nth(2).and_then(|text| text.parse().ok());
    let gpu = Device::default()?;
    match mode.as_str() {
        "copies" => copies(&gpu, mib.unwrap_or(512)),
        "pool" => pool(&gpu),
        "resident" => resident(&gpu),
        "rate" => rate(&gpu),
        "fill" => fill(&gpu),
        _ => {
            eprintln!("data copies [MIB]|pool|resident|rate|fill");
            std::process::exit(2);
        }
    }
}
