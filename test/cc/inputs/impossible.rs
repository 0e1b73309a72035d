use smelt::launch;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

static COUNT: AtomicU32 = AtomicU32::new(0);
static mut TOTAL: u32 = 3;
static TABLE: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

thread_local! {
    static LOCAL: Cell<u32> = const { Cell::new(1) };
}

unsafe extern "C" {
    fn foreign(x: f32) -> f32;
}

fn log(v: f32) {
    println!("v {v}");
}

fn prints(x: &[f32], _: &mut f32) {
    log(x[smelt::index()]);
}

fn reads_file(_: &[f32], _: &mut f32) {
    let _ = std::fs::read("a");
}

fn pushes(x: &[f32], y: &mut f32) {
    let mut v = Vec::new();
    v.push(x[0]);
    *y = v[x.len()];
}

fn thread_local(_: &[f32], y: &mut f32) {
    LOCAL.with(|l| *y = l.get() as f32);
}

fn calls_c(x: &[f32], y: &mut f32) {
    *y = unsafe { foreign(x[0]) };
}

fn counts(_: &[f32], _: &mut f32) {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

fn sums(_: &[f32], _: &mut f32) {
    unsafe { TOTAL += 1 };
}

fn assembles(_: &[f32], _: &mut f32) {
    unsafe { core::arch::asm!("nop") };
}

fn times(_: &[f32], y: &mut f32) {
    *y = std::time::Instant::now().elapsed().as_secs_f32();
}

fn sleeps(_: &[f32], _: &mut f32) {
    std::thread::sleep(std::time::Duration::from_secs(1));
}

fn exits(_: &[f32], _: &mut f32) {
    std::process::exit(1);
}

/// All of this a kernel can do.
fn fine(x: &[f32], y: &mut f32) {
    let a = |v: f32| v + 1.0;
    let b = |v: f32| v * 2.0;
    let f: &dyn Fn(f32) -> f32 = if x.len() > 3 { &a } else { &b };
    let mut t = [3u32, 1, x.len() as u32];
    t.sort_unstable();
    *y = f(TABLE[x.len() % 4].sin().powf(2.5)) + x.iter().sum::<f32>() + t[0] as f32;
}

pub fn main(data: &[f32], out: &mut f32) {
    #[cfg(impossible)]
    {
        launch(prints, data, out);
        launch(reads_file, data, out);
        launch(pushes, data, out);
        launch(thread_local, data, out);
        launch(calls_c, data, out);
        launch(counts, data, out);
        launch(sums, data, out);
        launch(assembles, data, out);
        launch(times, data, out);
        launch(sleeps, data, out);
        launch(exits, data, out);
    }
    launch(fine, data, out);
}
