//! What may be a kernel: functions, generic instances, closures, functions of other
//! crates, two of one name, one from many places.

use crate::suite::{equal, same, Outcome, Suite};
use smelt::prelude::*;

mod first {
    use smelt::prelude::*;
    pub fn kernel(mut out: DisjointMut<u32>) {
        let i = thread::index();
        if let Some(out) = out.get_mut(i) {
            *out = 1;
        }
    }
}

mod second {
    use smelt::prelude::*;
    pub fn kernel(mut out: DisjointMut<u32>) {
        let i = thread::index();
        if let Some(out) = out.get_mut(i) {
            *out = 2;
        }
    }
}

fn add_one(mut out: DisjointMut<u32>) {
    let i = thread::index();
    if let Some(out) = out.get_mut(i) {
        *out += 1;
    }
}

fn twenty_places(gpu: &Device) -> Outcome {
    let mut v = vec![0u32; 40];
    let g = Grid::cover(40);
    macro_rules! four {
        () => {
            gpu.launch(g, add_one, (&mut v,))?;
            gpu.launch(g, add_one, (&mut v,))?;
            gpu.launch(g, add_one, (&mut v,))?;
            gpu.launch(g, add_one, (&mut v,))?;
        };
    }
    four!();
    four!();
    four!();
    four!();
    four!();
    same(&v, &[20; 40])
}

fn closures(gpu: &Device) -> Outcome {
    let (a, b, table) = (3u32, 4u64, [10u16, 20, 30]);
    let mut out = vec![0u64; 30];
    gpu.launch(
        Grid::cover(30),
        move |mut out: DisjointMut<u64>| {
            let i = thread::index();
            let at = i.get();
            if let Some(out) = out.get_mut(i) {
                *out = a as u64 + b * at as u64 + table[at % 3] as u64;
            }
        },
        (&mut out,),
    )?;
    let want: Vec<u64> = (0..30).map(|i| 3 + 4 * i + [10, 20, 30][i as usize % 3]).collect();
    same(&out, &want)?;

    // Two closures of one function are two kernels.
    let mut out = vec![0u32; 5];
    gpu.launch(
        Grid::cover(5),
        |mut out: DisjointMut<u32>, x: u32| {
            for i in thread::grid_stride(out.len()) {
                out[i] = x + i.get() as u32;
            }
        },
        (&mut out, 5u32),
    )?;
    same(&out, &[5, 6, 7, 8, 9])?;

    // A closure that calls a captured closure.
    let scale = move |v: u32| v * a;
    gpu.launch(
        Grid::cover(5),
        move |mut out: DisjointMut<u32>| {
            let i = thread::index();
            if let Some(out) = out.get_mut(i) {
                *out = scale(*out);
            }
        },
        (&mut out,),
    )?;
    same(&out, &[15, 18, 21, 24, 27])
}

fn dependency(gpu: &Device) -> Outcome {
    let mut out = vec![0u64; 100];
    gpu.launch(Grid::cover(100), kernels_dep::double_index, (&mut out,))?;
    let want: Vec<u64> = (0..100).map(|i| i * 2).collect();
    same(&out, &want)?;

    let x: Vec<i64> = (-50..50).collect();
    let mut y = vec![0i64; 100];
    gpu.launch(Grid::cover(100), kernels_dep::power::<i64>, (3, &x, &mut y))?;
    let want: Vec<i64> = x.iter().map(|v| v * v * v).collect();
    same(&y, &want)?;

    let x: Vec<f32> = (0..100).map(|i| i as f32 / 4.0).collect();
    let mut y = vec![0f32; 100];
    gpu.launch(Grid::cover(100), kernels_dep::power::<f32>, (2, &x, &mut y))?;
    let want: Vec<f32> = x.iter().map(|v| v * v).collect();
    same(&y, &want)?;

    let mut filled = vec![0u32; 70];
    kernels_dep::fill(gpu, &mut filled, 9)?;
    same(&filled, &[9; 70])
}

fn calls(gpu: &Device) -> Outcome {
    let mut out = vec![0u32; 1000];
    gpu.launch(
        Grid::cover(1000),
        |mut out: DisjointMut<u32>| {
            let i = thread::index();
            let at = i.get() as u64;
            if let Some(out) = out.get_mut(i) {
                *out = kernels_dep::collatz_steps(at + 1) + fibonacci(at as u32 % 12);
            }
        },
        (&mut out,),
    )?;
    let want: Vec<u32> = (0..1000)
        .map(|i| kernels_dep::collatz_steps(i + 1) + fibonacci(i as u32 % 12))
        .collect();
    same(&out, &want)
}

// Recursion, not inlined.
fn fibonacci(n: u32) -> u32 {
    if n < 2 {
        n
    } else {
        fibonacci(n - 1) + fibonacci(n - 2)
    }
}

trait Shape {
    fn area(&self) -> f64;
}
struct Square(f64);
struct Circle(f64);
impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0 * self.0 * self.0
    }
}

fn dispatch(gpu: &Device) -> Outcome {
    let mut out = vec![0.0f64; 10];
    gpu.launch(
        Grid::cover(10),
        |mut out: DisjointMut<f64>| {
            let i = thread::index();
            let at = i.get();
            if let Some(out) = out.get_mut(i) {
                let side = at as f64;
                let square = Square(side);
                let circle = Circle(side);
                let shape: &dyn Shape = if at % 2 == 0 { &square } else { &circle };
                *out = shape.area();
            }
        },
        (&mut out,),
    )?;
    let want: Vec<f64> = (0..10)
        .map(|i| (i * i) as f64 * if i % 2 == 0 { 1.0 } else { 3.0 })
        .collect();
    same(&out, &want)
}

/// What iterators, matches, constants and core's own functions become.
fn ordinary_rust(gpu: &Device) -> Outcome {
    const TABLE: [u32; 16] = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3];
    let run = |at: usize| -> u32 {
        let window = TABLE.iter().cycle().skip(at).take(5);
        let best = window.clone().copied().max().unwrap_or(0);
        let odd = window.filter(|v| **v % 2 == 1).count() as u32;
        let word = match at % 4 {
            0 => "zero",
            1 => "one",
            2 => "two or so",
            _ => "many",
        };
        let mut sorted = [TABLE[at % 16], TABLE[(at + 7) % 16], TABLE[(at + 3) % 16]];
        sorted.sort_unstable();
        best * 1000 + odd * 100 + word.len() as u32 * 10
            + sorted[1]
            + (at as u32).leading_zeros()
            + (at as u32).wrapping_mul(2654435761).count_ones()
            + u32::from(word.as_bytes()[0])
            + (at as u32).checked_sub(3).unwrap_or(77)
    };
    let mut out = vec![0u32; 64];
    gpu.launch(
        Grid::cover(64),
        move |mut out: DisjointMut<u32>| {
            let i = thread::index();
            let at = i.get();
            if let Some(out) = out.get_mut(i) {
                *out = run(at);
            }
        },
        (&mut out,),
    )?;
    let want: Vec<u32> = (0..64).map(run).collect();
    same(&out, &want)
}

/// What integers of each width do at their edges.
fn integers(gpu: &Device) -> Outcome {
    let run = |at: usize| -> [u128; 8] {
        let a = (at as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let b = a >> (at % 120) | 1;
        let (c, d) = (a as u64, b as u64 | 1);
        let (e, f) = (a as i32, b as i32 | 1);
        [
            a / b,
            a % b,
            a.wrapping_mul(b).rotate_left(at as u32),
            (c / d) as u128 + (c % d) as u128 + c.leading_zeros() as u128,
            e.wrapping_div(f) as u128 ^ e.wrapping_rem(f) as u128,
            (a as i128 / (b as i128 | 1)) as u128 ^ (a as u16).swap_bytes() as u128,
            c.checked_mul(d).map_or(1, u128::from) + u128::from(e.saturating_add(f) > 0),
            a.count_ones() as u128 + (a as u8).reverse_bits() as u128 + a.isqrt() % 1000,
        ]
    };
    let mut out = vec![[0u128; 8]; 200];
    gpu.launch(
        Grid::cover(200),
        move |mut out: DisjointMut<[u128; 8]>| {
            let i = thread::index();
            let at = i.get();
            if let Some(out) = out.get_mut(i) {
                *out = run(at);
            }
        },
        (&mut out,),
    )?;
    let want: Vec<[u128; 8]> = (0..200).map(run).collect();
    same(&out, &want)
}

/// 128-bit integers to floats and back. A feature of its own while LLVM has no code for it
/// on NVIDIA.
#[cfg(feature = "wide-conversions")]
fn wide_conversions(gpu: &Device) -> Outcome {
    let run = |at: usize| -> (f64, f32, u128, i128) {
        let a = (at as u128 + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let x = (at as f64 - 50.0) * 1e30;
        (a as f64, -(a as i128 >> at) as f32, x as u128, x as i128)
    };
    let mut out = vec![(0f64, 0f32, 0u128, 0i128); 100];
    gpu.launch(
        Grid::cover(100),
        move |mut out: DisjointMut<(f64, f32, u128, i128)>| {
            let i = thread::index();
            let at = i.get();
            if let Some(out) = out.get_mut(i) {
                *out = run(at);
            }
        },
        (&mut out,),
    )?;
    let want: Vec<(f64, f32, u128, i128)> = (0..100).map(run).collect();
    same(&out, &want)
}

pub fn run(suite: &mut Suite) {
    suite.test("two kernels of one name", |gpu| {
        let mut out = vec![0u32; 3];
        gpu.launch(Grid::cover(3), first::kernel, (&mut out,))?;
        same(&out, &[1; 3])?;
        gpu.launch(Grid::cover(3), second::kernel, (&mut out,))?;
        same(&out, &[2; 3])
    });
    suite.test("one kernel from twenty places", twenty_places);
    suite.test("closures", closures);
    suite.test("kernels of a dependency", dependency);
    suite.test("calls and recursion", calls);
    suite.test("trait objects", dispatch);
    suite.test("iterators, matches, constants", ordinary_rust);
    suite.test("integers of every width", integers);
    #[cfg(feature = "wide-conversions")]
    suite.test("128-bit integers and floats", wide_conversions);
    suite.test("a kernel without arguments", |gpu| {
        gpu.launch(Grid::cover(10), || {}, ())?;
        equal(0, 0)
    });
}
