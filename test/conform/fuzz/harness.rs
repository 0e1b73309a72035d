//! A program of the fuzzer: random kernels, and each compared with itself on the host.
#![allow(warnings, arithmetic_overflow, unconditional_panic)]

use smelt::prelude::*;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// A number from everything in a value. All NaNs are one.
trait H {
    fn h(&self, s: u64) -> u64;
}
fn mix(s: u64, x: u64) -> u64 {
    (s ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}
macro_rules! plain {
    ($($t:ty)*) => {$(
        impl H for $t {
            fn h(&self, s: u64) -> u64 {
                mix(s, *self as u64)
            }
        }
    )*};
}
plain! { u8 u16 u32 u64 usize i8 i16 i32 i64 bool char }
impl H for u128 {
    fn h(&self, s: u64) -> u64 {
        mix(mix(s, *self as u64), (*self >> 64) as u64)
    }
}
impl H for i128 {
    fn h(&self, s: u64) -> u64 {
        (*self as u128).h(s)
    }
}
impl H for f32 {
    fn h(&self, s: u64) -> u64 {
        mix(s, if self.is_nan() { 1 } else { self.to_bits() as u64 })
    }
}
impl H for f64 {
    fn h(&self, s: u64) -> u64 {
        mix(s, if self.is_nan() { 1 } else { self.to_bits() })
    }
}
impl<T: H, const N: usize> H for [T; N] {
    fn h(&self, s: u64) -> u64 {
        self.iter().fold(s, |s, x| x.h(s))
    }
}
impl<T: H> H for Option<T> {
    fn h(&self, s: u64) -> u64 {
        match self {
            Some(x) => x.h(s ^ 1),
            None => mix(s, 2),
        }
    }
}
impl<A: H> H for (A,) {
    fn h(&self, s: u64) -> u64 {
        self.0.h(s)
    }
}
impl<A: H, B: H> H for (A, B) {
    fn h(&self, s: u64) -> u64 {
        self.1.h(self.0.h(s))
    }
}
impl<A: H, B: H, C: H> H for (A, B, C) {
    fn h(&self, s: u64) -> u64 {
        self.2.h(self.1.h(self.0.h(s)))
    }
}

const TABLE: [u16; 16] = [3, 1, 4, 1, 59, 265, 35, 8979, 32, 384, 62, 0, 43, 38327, 9502, 65535];
const TEXT: &str = "a\u{e9}\u{5b57} \u{1f600}z fuzz";

trait Scale {
    const BY: u64;
    type Wide: Into<i128>;
    fn wide(self) -> Self::Wide;
    fn twice(self) -> i128
    where
        Self: Sized,
    {
        self.wide().into().wrapping_mul(2 + Self::BY as i128)
    }
}
macro_rules! scales {
    ($($t:ty, $wide:ty, $by:literal;)*) => {$(
        impl Scale for $t {
            const BY: u64 = $by;
            type Wide = $wide;
            fn wide(self) -> $wide {
                self.into()
            }
        }
    )*};
}
scales! { u8, u16, 3; u32, u64, 5; i64, i128, 7; i16, i32, 9; }
fn generic<T: Scale + Copy>(x: T, both: bool) -> i128 {
    if both { x.twice() ^ x.wide().into() } else { x.twice() >> (T::BY % 5) }
}

trait Shape {
    fn area(&self) -> u64;
    fn sides(&self) -> u32 {
        4
    }
}
struct Square(u64);
struct Triangle {
    a: u32,
    b: u64,
}
impl Shape for Square {
    fn area(&self) -> u64 {
        self.0.wrapping_mul(self.0)
    }
}
impl Shape for Triangle {
    fn area(&self) -> u64 {
        self.b.wrapping_mul(self.a as u64) / 2
    }
    fn sides(&self) -> u32 {
        3
    }
}
fn object(x: u64, first: bool) -> u64 {
    let (square, triangle) = (Square(x), Triangle { a: x as u32, b: x >> 7 });
    let all: [&dyn Shape; 2] = if first { [&square, &triangle] } else { [&triangle, &triangle] };
    all.iter().fold(0u64, |s, y| s.rotate_left(y.sides()) ^ y.area())
}

//TYPES
//KERNELS

const FILLER: u64 = 0xa5a5_a5a5_a5a5_a5a5;

fn inputs() -> Vec<[u64; 4]> {
    let edges = [0, 1, 2, 7, 127, 128, 255, 32768, 65535, 0x7fff_ffff, 0x8000_0000, u32::MAX as u64,
                 i64::MAX as u64, i64::MIN as u64, u64::MAX, 0x3ff0_0000_0000_0000, 1000, 12345];
    let mut state = 0x1234_5678_9abc_def1u64;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..96)
        .map(|_| std::array::from_fn(|_| {
            let w = word();
            match w % 3 {
                0 => edges[(w >> 8) as usize % edges.len()],
                1 => word() >> (w >> 8) % 64,
                _ => word(),
            }
        }))
        .collect()
}

fn go(gpu: &Device, number: usize, name: &str, f: impl Fn([u64; 4]) -> u64 + Copy + Send + Sync + 'static) {
    println!("START {name}");
    let input = inputs();
    let want: Vec<Option<u64>> =
        input.iter().map(|x| catch_unwind(AssertUnwindSafe(|| f(*x))).ok()).collect();
    let mut got = vec![FILLER; input.len()];
    let kernel = move |input: &[[u64; 4]], mut out: DisjointMut<u64>| {
        let i = thread::index();
        if let Some(out) = out.get_mut(i) {
            *out = f(input[i.get()]);
        }
    };
    let ended = gpu.launch(Grid::cover(input.len()), kernel, (&input[..], &mut got[..]));
    let panicked = want.iter().filter(|w| w.is_none()).count();
    match ended {
        Ok(()) if panicked == 0 => {}
        Err(smelt::Error::Panic { threads, .. }) if threads as usize == panicked => {}
        other => {
            println!("DIFF {name} on {number}: {other:?}, {panicked} panics on the host");
            return;
        }
    }
    for i in 0..input.len() {
        if want[i].is_some_and(|w| w != got[i]) {
            println!("DIFF {name} on {number}: for {:?} {:#x} instead of {:#x}", input[i], got[i], want[i].unwrap());
            return;
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let devices = Device::all().expect("devices");
    for (number, gpu) in devices.into_iter().enumerate() {
//CALLS
    }
    println!("DONE");
}
