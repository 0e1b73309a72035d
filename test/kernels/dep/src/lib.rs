//! Kernels in a dependency: plain ones, generic ones that are instantiated by the
//! program, and ones with barriers.

use smelt::prelude::*;

/// Kernel: twice the index.
pub fn double_index(mut out: DisjointMut<u64>) {
    let i = thread::index();
    let at = i.get() as u64;
    if let Some(out) = out.get_mut(i) {
        *out = helper(at);
    }
}

// Neither generic nor inline: its code exists in this crate's object only.
#[inline(never)]
fn helper(at: u64) -> u64 {
    at * 2
}

/// Kernel: `f` of each element.
pub fn map_with<T: DeviceCopy, F: Fn(T) -> T + DeviceCopy>(
    f: F,
    x: &[T],
    mut out: DisjointMut<T>,
) {
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        *out = f(x[at]);
    }
}

/// Kernel: the power of each element, by repeated multiplication.
pub fn power<T>(exponent: u32, x: &[T], mut out: DisjointMut<T>)
where
    T: DeviceCopy + std::ops::Mul<Output = T>,
{
    let i = thread::index();
    let at = i.get();
    if let Some(out) = out.get_mut(i) {
        let mut result = x[at];
        for _ in 1..exponent {
            result = result * x[at];
        }
        *out = result;
    }
}

/// A function that any kernel may call.
pub fn collatz_steps(mut n: u64) -> u32 {
    let mut steps = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

/// A host function that launches a closure of its own.
pub fn fill(gpu: &Device, out: &mut [u32], value: u32) -> smelt::Result<()> {
    gpu.launch(
        Grid::cover(out.len()),
        move |mut out: DisjointMut<u32>| {
            let i = thread::index();
            if let Some(out) = out.get_mut(i) {
                *out = value;
            }
        },
        (out,),
    )
}

/// Threads of a block in the kernels below.
pub const BLOCK: usize = 128;

smelt::shared! {
    static TILE: [u64; BLOCK];
}

/// The sum of `value` over the block's threads, given to each. Every thread of the block
/// must call it.
pub fn block_sum(value: u64) -> u64 {
    let t = thread::thread_index().x as usize;
    // SAFETY: each thread writes its own element before a barrier, and reads others'
    // after it; the last barrier keeps the next call's writes behind these reads.
    unsafe { TILE.set(t, value) };
    sync::barrier();
    let mut half = BLOCK / 2;
    while half > 0 {
        if t < half {
            unsafe { TILE.set(t, TILE.get(t) + TILE.get(t + half)) };
        }
        sync::barrier();
        half /= 2;
    }
    let sum = unsafe { TILE.get(0) };
    sync::barrier();
    sum
}

/// Kernel: an `if`, a barrier, and the same `if` again, the shape in which a compiler
/// likes to put the barrier into both arms.
pub fn join(x: &[u64], mut out: DisjointMut<u64>) {
    let i = thread::index();
    let mut mine = None;
    if i.get() < x.len() {
        mine = Some(x[i.get()]);
    }
    let sum = block_sum(mine.unwrap_or(0));
    if let Some(mine) = mine {
        out[i] = mine + sum;
    }
}

/// Kernel: the same, generic, with the barrier itself at the join.
pub fn join_generic<T: DeviceCopy + Into<u64>>(x: &[T], mut out: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    let mut mine = None;
    if i.get() < x.len() {
        let value: u64 = x[i.get()].into();
        // SAFETY: each thread its own element; read after the barrier only.
        unsafe { TILE.set(t, value) };
        mine = Some(value);
    } else {
        unsafe { TILE.set(t, 0) };
    }
    sync::barrier();
    if let Some(mine) = mine {
        out[i] = mine + unsafe { TILE.get((t + 1) % BLOCK) };
    }
}
