//! Data on both sides: arrays, scopes, buffers and their parts, streams and what they share,
//! pinned memory; what moves, counted, where the device has memory of its own.

use crate::suite::{ensure, equal, same, Outcome, Suite};
use smelt::prelude::*;
use smelt::{Counters, Event};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

fn add(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y += x[i.get()];
    }
}

fn double(mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = y.wrapping_mul(2);
    }
}

fn write_index(mut y: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = i.get() as u32;
    }
}

fn write_even(mut y: DisjointMut<u32>) {
    let i = thread::index();
    let n = i.get();
    if n % 2 == 0 {
        if let Some(y) = y.get_mut(i) {
            *y = 1;
        }
    }
}

fn count_up(bins: &[AtomicU32]) {
    bins[thread::index().get() % bins.len()].fetch_add(1, Ordering::Relaxed);
}

fn boom(mut y: DisjointMut<u32>) {
    let i = thread::index();
    let at = i.get();
    if at == 3 {
        panic!("three");
    }
    if let Some(y) = y.get_mut(i) {
        *y = 5;
    }
}

/// Copies and bytes since `before`, each way; nothing may have moved where memory is shared.
fn moved(gpu: &Device, before: Counters, to: (u64, u64), from: (u64, u64)) -> Outcome {
    let now = gpu.counters();
    let got = (
        (now.copies_to - before.copies_to, now.bytes_to - before.bytes_to),
        (now.copies_from - before.copies_from, now.bytes_from - before.bytes_from),
    );
    if gpu.shares_memory() {
        return equal(got, ((0, 0), (0, 0)));
    }
    equal(got, (to, from))
}

const N: usize = 1000;
const BYTES: u64 = 4 * N as u64;

fn resident(gpu: &Device) -> Outcome {
    let x = Array::from(vec![1u32; N]);
    let mut y = Array::from(vec![10u32; N]);
    let before = gpu.counters();
    for _ in 0..50 {
        gpu.launch(Grid::cover(N), add, (&x, &mut y))?;
    }
    equal(gpu.counters().launches - before.launches, 50)?;
    moved(gpu, before, (2, 2 * BYTES), (0, 0))?;
    same(&y, &[60; N])?;
    equal(x[7], 1)?;
    same(&y, &[60; N])?;
    moved(gpu, before, (2, 2 * BYTES), (1, BYTES))?;
    // Written on the host: only that goes again.
    y[0] = 100;
    gpu.launch(Grid::cover(N), add, (&x, &mut y))?;
    equal((y[0], y[1]), (101, 61))?;
    moved(gpu, before, (3, 3 * BYTES), (2, 2 * BYTES))?;
    let before = gpu.counters();
    // Read by the host and by kernels: both sides stay valid.
    gpu.launch(Grid::cover(N), double, (&mut y,))?;
    let mut z = Array::<u32>::zeroed(N);
    for _ in 0..3 {
        equal(y[5], 122)?;
        gpu.launch(Grid::cover(N), add, (&y, &mut z))?;
    }
    moved(gpu, before, (0, 0), (1, BYTES))?;
    equal(z.into_vec()?[5], 366)
}

fn overwritten(gpu: &Device) -> Outcome {
    let before = gpu.counters();
    let mut y = Array::<u32>::zeroed(N);
    gpu.launch(Grid::cover(N), write_even, (&mut y,))?;
    equal((y[8], y[9]), (1, 0))?;
    let mut y = Array::from(vec![77u32; N]);
    gpu.launch(Grid::cover(N), write_index, (y.write_only(),))?;
    equal((y[0], y[999]), (0, 999))?;
    gpu.launch(Grid::cover((100, 10)), rows, (y.write_only().as_2d(10, 100),))?;
    equal((y[0], y[999]), (0, 1099))?;
    moved(gpu, before, (0, 0), (3, 3 * BYTES))?;
    let mut y = Array::<u32>::uninit(N);
    gpu.launch(Grid::cover(N), write_uninit, (&mut y,))?;
    // SAFETY: the kernel wrote all.
    let y = unsafe { y.assume_init() };
    equal((y[3], y.len()), (3, N))?;
    moved(gpu, before, (0, 0), (4, 4 * BYTES))
}

fn rows(mut y: DisjointMut2<u32>) {
    let i = thread::index2();
    if let Some(y) = y.get_mut(i) {
        *y = 100 * i.y() as u32 + 2 * i.x() as u32 + if i.y() == 9 { 1 } else { 0 };
    }
}

fn write_uninit(mut y: DisjointMut<std::mem::MaybeUninit<u32>>) {
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        y.write(i.get() as u32);
    }
}

fn array_panic(gpu: &Device) -> Outcome {
    let mut y = Array::from(vec![0u32; 10]);
    let launched = gpu.launch(Grid::blocks(1).threads(10), boom, (&mut y,));
    let told = launched.and_then(|()| y.host().map(|_| ()));
    ensure(matches!(told, Err(smelt::Error::Panic { .. })), format!("{told:?}"))?;
    // Told once; the data is there.
    same(y.host()?, &[5, 5, 5, 0, 5, 5, 5, 5, 5, 5])
}

fn scopes(gpu: &Device) -> Outcome {
    let x = vec![1u32; N];
    let (mut y, mut z, mut w) = (vec![10u32; N], vec![3u32; N], vec![9u32; N]);
    let before = gpu.counters();
    let total = gpu.scope(|s| {
        let x = s.to(&x)?;
        let mut y = s.tofrom(&mut y)?;
        let mut z = s.from(&mut z)?;
        let mut w = s.alloc(&mut w)?;
        for _ in 0..20 {
            s.launch(Grid::cover(N), add, (&x, &mut y))?;
        }
        s.launch(Grid::cover(N), write_index, (&mut z,))?;
        s.launch(Grid::cover(N), write_index, (&mut w,))?;
        s.launch(Grid::cover(N), add, (&w, &mut y))?;
        Ok(y.update_from(4..6)?.iter().sum::<u32>())
    })?;
    equal(total, 34 + 35)?;
    equal((y[0], y[999], z[5]), (30, 1029, 5))?;
    if gpu.shares_memory() {
        return moved(gpu, before, (0, 0), (0, 0));
    }
    equal(w[0], 9)?;
    moved(gpu, before, (2, 2 * BYTES), (3, 2 * BYTES + 8))
}

fn scope_updates(gpu: &Device) -> Outcome {
    let mut y = vec![1u32; 100];
    gpu.scope(|s| {
        let mut y = s.tofrom(&mut y)?;
        s.launch(Grid::cover(100), double, (&mut y,))?;
        y.update_to(10..20, |host| host.fill(50))?;
        s.launch(Grid::cover(100), double, (&mut y,))?;
        ensure_ok(y.update_from(101..).is_err())?;
        ensure_ok(y.update_to(.., |host| assert_eq!(host.len(), 100)).is_ok())?;
        Ok(())
    })?;
    if gpu.shares_memory() {
        return equal((y[0], y[10], y[20]), (4, 100, 4));
    }
    // The last update put back what the host had: its own 50s, and 1 elsewhere.
    equal((y[0], y[10], y[20]), (1, 50, 1))
}

fn ensure_ok(condition: bool) -> smelt::Result<()> {
    assert!(condition);
    Ok(())
}

fn scope_left_early(gpu: &Device) -> Outcome {
    let mut y = vec![1u32; 100];
    let failed: smelt::Result<()> = gpu.scope(|s| {
        let mut y = s.tofrom(&mut y)?;
        s.launch(Grid::cover(100), double, (&mut y,))?;
        std::mem::forget(y);
        Err(smelt::Error::Invalid("mine".into()))
    });
    ensure(failed == Err(smelt::Error::Invalid("mine".into())), format!("{failed:?}"))?;
    same(&y, &[2; 100])?;
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        gpu.scope(|s| {
            let mut y = s.tofrom(&mut y)?;
            s.launch(Grid::cover(100), double, (&mut y,))?;
            std::panic::resume_unwind(Box::new("mine"));
            #[allow(unreachable_code)]
            smelt::Result::Ok(())
        })
    }));
    ensure(caught.is_err(), "the panic went on")?;
    same(&y, &[4; 100])?;
    let told = gpu.scope(|s| {
        let mut y = s.tofrom(&mut y[..10])?;
        s.launch(Grid::blocks(1).threads(10), boom, (&mut y,))
    });
    ensure(matches!(told, Err(smelt::Error::Panic { .. })), format!("{told:?}"))?;
    equal((y[2], y[3], y[4], y[10]), (5, 4, 5, 4))
}

fn parts(gpu: &Device) -> Outcome {
    let mut y = Buffer::filled(gpu, 100, 1u32)?;
    let x = Buffer::from_slice(gpu, &(0..100).collect::<Vec<u32>>())?;
    gpu.launch(Grid::cover(10), add, (x.range(5..15), y.range_mut(20..30)))?;
    let (mut low, mut high) = y.split_at_mut(50);
    gpu.launch(Grid::cover(50), double, (&mut low,))?;
    gpu.launch(Grid::cover(50), add, (&low, &mut high))?;
    let y = y.to_vec()?;
    equal((y[0], y[20], y[29], y[30]), (2, 12, 30, 2))?;
    equal((y[50], y[70], y[79], y[80]), (3, 13, 31, 3))?;
    equal(x.range(98..).to_vec()?, vec![98, 99])?;
    let bytes = x.range(1..3).cast::<u8>()?.to_vec()?;
    same(&bytes, &[1, 0, 0, 0, 2, 0, 0, 0])?;
    ensure(x.range(1..).cast::<[u32; 2]>().is_err(), "an odd number of u32 as pairs")?;
    let mut pairs = Buffer::<[u32; 3]>::zeroed(gpu, 7)?;
    pairs.range_mut(2..5).fill([1, 2, 3])?;
    equal(pairs.to_vec()?[1..4].concat(), vec![0, 0, 0, 1, 2, 3, 1, 2, 3])?;
    let copy = x.copy_on(gpu)?;
    // Behind work that takes a while: the value is the caller's no longer.
    for i in 0..20 {
        let mut before = Buffer::filled(gpu, 20_000, 1u32)?;
        gpu.launch(Grid::cover(20_000), double, (&mut before,))?;
        let (one, two) = (Buffer::filled(gpu, 3 + i, 7u64)?, Buffer::filled(gpu, 3 + i, [i as u64, 1])?);
        ensure(one.to_vec()? == vec![7; 3 + i] && two.to_vec()? == vec![[i as u64, 1]; 3 + i], "a fill behind work")?;
        gpu.launch(Grid::cover(20_000), double, (&mut before,))?;
        let (three, four) = (Buffer::filled(gpu, 3 + i, 7u16)?, Buffer::filled(gpu, 1 + i, 9u8)?);
        ensure(three.to_vec()? == vec![7; 3 + i] && four.to_vec()? == vec![9; 1 + i], "a fill of part of a word")?;
    }
    let mut part = Buffer::filled(gpu, 4, 0u32)?;
    part.range_mut(1..3).copy_from_view(copy.range(60..62))?;
    equal(part.to_vec()?, vec![0, 60, 61, 0])
}

/// Streams that share buffers in every way, and one order that the results show.
fn shared_by_streams(gpu: &Device) -> Outcome {
    let streams = (0..4).map(|_| gpu.stream()).collect::<smelt::Result<Vec<_>>>()?;
    let one = Buffer::filled(gpu, N, 1u32)?;
    let mut y = Buffer::filled(gpu, N, 0u32)?;
    for round in 0..10 {
        let stream = &streams[round % 4];
        stream.launch(Grid::cover(N), add, (&one, &mut y))?;
        streams[(round + 1) % 4].launch(Grid::cover(N), double, (&mut y,))?;
    }
    same(&y.to_vec()?, &[2046; N])?;
    // Readers beside each other, then a writer, then the readers' results.
    let mut results = (0..4).map(|_| Buffer::filled(gpu, N, 0u32)).collect::<Result<Vec<_>, _>>()?;
    for (stream, result) in streams.iter().zip(&mut results) {
        stream.launch(Grid::cover(N), add, (&y, result))?;
    }
    streams[0].launch(Grid::cover(N), double, (&mut y,))?;
    drop(y);
    for result in &results {
        same(&result.to_vec()?, &[2046; N])?;
    }
    let bins = Buffer::<AtomicU32>::zeroed(gpu, 4)?;
    for stream in &streams {
        stream.launch(Grid::blocks(10).threads(100), count_up, (&bins,))?;
    }
    let bins: Vec<u32> = bins.to_vec()?.into_iter().map(AtomicU32::into_inner).collect();
    same(&bins, &[1000; 4])?;
    streams.into_iter().try_for_each(|stream| stream.finish().map_err(Into::into))
}

/// Things dropped and forgotten in every order, with kernels on their way.
fn dropped_early(gpu: &Device) -> Outcome {
    let kept = Buffer::filled(gpu, N, 1u32)?;
    let mut sum = Buffer::filled(gpu, N, 0u32)?;
    for round in 0..24 {
        let stream = gpu.stream()?;
        let mut y = Buffer::filled(gpu, N, 0u32)?;
        stream.launch(Grid::cover(N), add, (&kept, &mut y))?;
        gpu.launch(Grid::cover(N), add, (&y, &mut sum))?;
        match round % 3 {
            0 => {
                drop(y);
                drop(stream);
            }
            1 => {
                drop(stream);
                drop(y);
            }
            _ => std::mem::forget((stream, y)),
        }
        // Takes the memory that was just given back.
        Buffer::filled(gpu, N, 99u32)?;
    }
    same(&sum.to_vec()?, &[24; N])
}

fn events(gpu: &Device) -> Outcome {
    let (a, b) = (gpu.stream()?, gpu.stream()?);
    let mut y = Buffer::filled(gpu, N, 3u32)?;
    let start: Event = a.record_timed()?;
    a.launch(Grid::cover(N), double, (&mut y,))?;
    let end = a.record_timed()?;
    b.wait_for(&end)?;
    b.follow(&a)?;
    b.wait()?;
    ensure(end.is_over()?, "the event is over")?;
    ensure(end.since(&start)? < Duration::from_secs(100), "a time that can be")?;
    let plain = a.record()?;
    plain.wait()?;
    ensure(plain.since(&start).is_err(), "no time of a plain event")?;
    a.wait()?;
    ensure(a.is_idle()?, "idle after a wait")?;
    let (tell, told) = mpsc::channel();
    for i in 0..3 {
        let tell = tell.clone();
        let mut own = Buffer::filled(gpu, N, i)?;
        a.launch(Grid::cover(N), double, (&mut own,))?;
        // It may use the runtime, and what it holds is dropped there.
        a.on_done(move || {
            let _ = tell.send(own.range(..1).to_vec().map_or(0, |v| v[0]));
        })?;
    }
    for i in 0..3 {
        equal(told.recv_timeout(Duration::from_secs(20))?, 2 * i)?;
    }
    a.on_done(|| std::panic::resume_unwind(Box::new("a callback")))?;
    a.on_done(move || drop(tell))?;
    ensure(told.recv_timeout(Duration::from_secs(20)).is_err(), "nothing more")
}

fn stream_panics(gpu: &Device) -> Outcome {
    let (a, b) = (gpu.stream()?, gpu.stream()?);
    let mut y = Buffer::filled(gpu, 10, 0u32)?;
    a.launch(Grid::blocks(1).threads(10), boom, (&mut y,))?;
    b.launch(Grid::cover(10), double, (&mut y,))?;
    // b's result was made from what panicked.
    let told = b.wait();
    ensure(matches!(told, Err(smelt::Error::Panic { .. })) || gpu.shares_memory(), format!("{told:?}"))?;
    let _ = a.wait();
    equal(y.to_vec()?[2], 10)?;
    a.launch(Grid::blocks(1).threads(10), boom, (&mut y,))?;
    drop(a);
    let told = gpu.wait();
    ensure(matches!(told, Err(smelt::Error::Panic { .. })), format!("{told:?}"))?;
    Ok(gpu.wait()?)
}

fn pinned(gpu: &Device) -> Outcome {
    let mut x = Pinned::from_slice(gpu, &[1u32; N])?;
    x[3] = 10;
    gpu.launch(Grid::cover(N), double, (&mut x,))?;
    equal((x[3], x[4]), (20, 2))?;
    let mut y = Buffer::from_slice(gpu, &x)?;
    gpu.launch(Grid::cover(N), add, (&x, &mut y))?;
    y.copy_to(&mut x[..])?;
    equal((x[3], x[4]), (40, 4))?;
    equal(Pinned::<u64>::zeroed(gpu, 0)?.len(), 0)
}

/// Large enough to go through several slots, at lengths that no slot divides.
fn large(gpu: &Device) -> Outcome {
    let n = (9 << 20) + 7;
    let x: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let mut y = Array::from(x.clone());
    gpu.launch(Grid::cover(n), double, (&mut y,))?;
    let y = y.into_vec()?;
    match (0..n).find(|&i| y[i] != x[i].wrapping_mul(2)) {
        None => Ok(()),
        Some(i) => Err(format!("[{i}] is {} instead of {}", y[i], x[i].wrapping_mul(2)).into()),
    }
}

fn threads(gpu: &Device) -> Outcome {
    let shared = Buffer::filled(gpu, N, 1u32)?;
    let array = Array::from(vec![2u32; N]);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8u32)
            .map(|t| {
                let (shared, array) = (&shared, &array);
                scope.spawn(move || -> smelt::Result<u32> {
                    let stream = gpu.stream()?;
                    let mut y = Buffer::filled(gpu, N, t)?;
                    for _ in 0..20 {
                        stream.launch(Grid::cover(N), add, (shared, &mut y))?;
                        stream.launch(Grid::cover(N), add, (array, &mut y))?;
                    }
                    let host = vec![array[0]; N];
                    stream.launch(Grid::cover(N), add, (&host, &mut y))?;
                    Ok(y.to_vec()?[N - 1])
                })
            })
            .collect();
        for (t, worker) in workers.into_iter().enumerate() {
            equal(worker.join().map_err(|_| "a thread panicked")??, t as u32 + 62)?;
        }
        Ok(())
    })
}

/// One array on all devices of this program in turn.
fn devices(gpu: &Device) -> Outcome {
    let all = Device::all()?;
    let mut y = Array::from(vec![1u32; N]);
    let mut want = 1;
    for device in all.iter().chain([gpu]).chain(&all) {
        device.launch(Grid::cover(N), double, (&mut y,))?;
        want *= 2;
    }
    same(&y, &vec![want; N])?;
    let x = Buffer::filled(gpu, N, 7u32)?;
    for device in &all {
        same(&x.copy_on(device)?.to_vec()?, &[7; N])?;
    }
    // Split over all of them, at once.
    let mut parts = Vec::new();
    for (i, device) in all.iter().enumerate() {
        let mut part = Buffer::filled(device, N, i as u32)?;
        device.launch(Grid::cover(N), double, (&mut part,))?;
        parts.push(part);
    }
    for (i, part) in parts.iter().enumerate() {
        same(&part.to_vec()?, &[2 * i as u32; N])?;
    }
    Ok(())
}

fn profiled(gpu: &Device) -> Outcome {
    use smelt::profile::{self, Kind};
    profile::start()?;
    let x = vec![1u32; N];
    let mut y = vec![0u32; N];
    for _ in 0..3 {
        gpu.launch(Grid::cover(N), add, (&x, &mut y))?;
    }
    profile::stop();
    let here = profile::report().into_iter().filter(|e| e.file.ends_with("data.rs"));
    let find = |kind| here.clone().find(|e| e.kind == kind);
    let kernel = find(Kind::Kernel).ok_or("no kernel in the profile")?;
    equal((kernel.count, kernel.name.ends_with("data::add")), (3, true))?;
    ensure(kernel.line > 0, "a line")?;
    if gpu.shares_memory() {
        return ensure(find(Kind::CopyTo).is_none(), "no copies");
    }
    // x the second and third time, y too: it came back from there.
    let to = find(Kind::CopyTo).ok_or("no copies to the device")?;
    equal((to.count, to.bytes, to.needless_bytes), (6, 6 * BYTES, 4 * BYTES))?;
    let from = find(Kind::CopyFrom).ok_or("no copies back")?;
    equal((from.count, from.bytes, from.needless_bytes), (3, 3 * BYTES, 0))
}

/// Copies in and out on streams of their own, beside kernels; the memory goes round.
fn not_waited_for(gpu: &Device) -> Outcome {
    let (up, work, down) = (gpu.stream()?, gpu.stream()?, gpu.stream()?);
    let mut buffers = [Buffer::filled(gpu, N, 0u32)?, Buffer::filled(gpu, N, 0u32)?];
    let mut input = Pinned::from_slice(gpu, &[0u32; N])?;
    let mut output = Pinned::<u32>::zeroed(gpu, N)?;
    for round in 1..20u32 {
        input.fill(round);
        let buffer = &mut buffers[round as usize % 2];
        let going = buffer.copy_from_async(&up, input)?;
        work.launch(Grid::cover(N), double, (&mut *buffer,))?;
        let coming = buffer.copy_to_async(&down, output)?;
        input = going.wait()?;
        output = coming.wait()?;
        same(&output, &[2 * round; N])?;
        same(&input, &[round; N])?;
    }
    // Parts, and what is dropped or leaked midway.
    let mut part = buffers[0].range_mut(10..20);
    part.copy_from_async(&up, Pinned::from_slice(gpu, &[7u32; 10])?)?.wait()?;
    let back = part.view().range(..3).copy_to_async(&down, Pinned::zeroed(gpu, 3)?)?;
    same(&back.wait()?, &[7; 3])?;
    drop(buffers[1].copy_to_async(&down, Pinned::zeroed(gpu, N)?)?);
    std::mem::forget(buffers[1].copy_from_async(&up, Pinned::from_slice(gpu, &[3u32; N])?)?);
    same(&buffers[1].to_vec()?, &[3; N])?;
    let wrong = buffers[1].copy_from_async(&up, Pinned::from_slice(gpu, &[3u32; 5])?).err();
    ensure(matches!(wrong, Some(smelt::Error::Invalid(_))), format!("{wrong:?}"))?;
    let mut none = Buffer::<u32>::zeroed(gpu, 0)?;
    let nothing = none.copy_from_async(&up, Pinned::zeroed(gpu, 0)?)?.wait()?;
    equal(nothing.len(), 0)
}

/// The panic of a kernel is told with what it should have made, and only once.
fn panic_before_a_copy(gpu: &Device) -> Outcome {
    let (work, down) = (gpu.stream()?, gpu.stream()?);
    let mut y = Buffer::filled(gpu, 10, 0u32)?;
    let launched = work.launch(Grid::blocks(1).threads(10), boom, (&mut y,));
    let coming = y.copy_to_async(&down, Pinned::zeroed(gpu, 10)?)?;
    let told = launched.and_then(|()| coming.wait().map(drop));
    ensure(matches!(told, Err(smelt::Error::Panic { .. })), format!("{told:?}"))?;
    down.wait()?;
    work.wait()?;
    let again = y.copy_to_async(&down, Pinned::zeroed(gpu, 10)?)?.wait()?;
    equal((again[2], again[3]), (5, 0))
}

pub fn run(suite: &mut Suite) {
    suite.test("data resident arrays", resident);
    suite.test("data overwritten arrays", overwritten);
    suite.test("data array of a kernel that panics", array_panic);
    suite.test("data scopes", scopes);
    suite.test("data updates in a scope", scope_updates);
    suite.test("data scope left early", scope_left_early);
    suite.test("data parts of buffers", parts);
    suite.test("data shared by streams", shared_by_streams);
    suite.test("data dropped early", dropped_early);
    suite.test("data events and callbacks", events);
    suite.test("data panics on streams", stream_panics);
    suite.test("data pinned", pinned);
    suite.test("data copies not waited for", not_waited_for);
    suite.test("data panic before a copy", panic_before_a_copy);
    suite.test("data large", large);
    suite.test("data from threads", threads);
    suite.test("data on all devices", devices);
    suite.test("data profiled", profiled);
}
