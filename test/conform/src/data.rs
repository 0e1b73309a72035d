//! How data lie: structs, enums, niches, unions, arrays, alignment, sizes of zero.

use crate::output::Output;
use crate::suite::Suite;
use smelt::prelude::*;
use std::num::{NonZeroI64, NonZeroU16, NonZeroU32, NonZeroU8};

/// Reordered by rustc: the u8s come last.
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Mixed {
    a: u8,
    b: u64,
    c: u16,
    d: u32,
    e: u8,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct InOrder {
    a: u8,
    b: u64,
    c: u16,
}

#[repr(C, packed)]
#[derive(Clone, Copy, DeviceCopy)]
struct Packed {
    a: u8,
    b: u64,
    c: u16,
}

#[repr(C, packed(2))]
#[derive(Clone, Copy)]
struct Packed2 {
    a: u8,
    b: u64,
    c: f64,
}

macro_rules! aligned {
    ($($name:ident $align:literal;)*) => {$(
        #[repr(align($align))]
        #[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
        struct $name(u32);
        impl Output for $name {
            const FILLER: Self = $name(77);
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}
aligned! { Align2 2; Align8 8; Align16 16; Align32 32; Align64 64; Align128 128; Align256 256; }

#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Meters(f64);

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
enum Shape {
    Nothing,
    Circle(f32),
    Box { w: u16, h: u64 },
    Many([u8; 5]),
    Deep(Option<Level>),
}

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
enum Level {
    Low(bool),
    High(NonZeroU16),
    None,
}

#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, DeviceCopy)]
enum Tag {
    A = 3,
    B = 77,
    C = 255,
}

#[repr(i64)]
#[derive(Clone, Copy)]
enum Wide {
    Low = i64::MIN,
    Zero = 0,
    High = i64::MAX,
}

#[repr(C, u16)]
#[derive(Clone, Copy, PartialEq)]
#[allow(dead_code)]
enum Tagged {
    One(u8),
    Two(u64, u8),
    Three,
}

#[derive(Clone, Copy)]
enum Single {
    Only(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Nothing;

#[derive(Clone, Copy, Debug, PartialEq, DeviceCopy)]
struct Zst((), [u64; 0]);

#[repr(C)]
#[derive(Clone, Copy)]
union Word {
    whole: u64,
    float: f64,
    bytes: [u8; 8],
    halves: (u32, u32),
}

#[derive(Clone, Copy)]
struct Matrix<const R: usize, const C: usize>([[i32; C]; R]);

impl<const R: usize, const C: usize> Matrix<R, C> {
    const CELLS: usize = R * C;

    fn transposed(self) -> Matrix<C, R> {
        Matrix(std::array::from_fn(|c| std::array::from_fn(|r| self.0[r][c])))
    }

    fn times<const N: usize>(self, other: Matrix<C, N>) -> Matrix<R, N> {
        let mut out = Matrix([[0i32; N]; R]);
        for r in 0..R {
            for n in 0..N {
                for c in 0..C {
                    let product = self.0[r][c].wrapping_mul(other.0[c][n]);
                    out.0[r][n] = out.0[r][n].wrapping_add(product);
                }
            }
        }
        out
    }
}

fn shape_of(n: u32, x: u64) -> Shape {
    match n % 7 {
        0 => Shape::Nothing,
        1 => Shape::Circle(x as f32),
        2 => Shape::Box { w: x as u16, h: x ^ 0xffff },
        3 => Shape::Many((x as u32).to_le_bytes().map(|b| b ^ 3).into_iter().chain([9]).fold(
            ([0; 5], 0),
            |(mut all, at), b| {
                all[at] = b;
                (all, at + 1)
            },
        ).0),
        4 => Shape::Deep(None),
        5 => Shape::Deep(Some(Level::Low(x & 1 == 0))),
        _ => Shape::Deep(Some(NonZeroU16::new(x as u16).map_or(Level::None, Level::High))),
    }
}

fn weight(shape: Shape) -> u64 {
    match shape {
        Shape::Nothing => 1,
        Shape::Circle(r) if r > 1e6 => 2,
        Shape::Circle(r) => r as u64,
        Shape::Box { w, h } => h.wrapping_mul(w as u64 + 3),
        Shape::Many([first, .., last]) => first as u64 * 1000 + last as u64,
        Shape::Deep(Some(Level::High(n))) => n.get() as u64 + 5,
        Shape::Deep(Some(Level::Low(true))) => 6,
        Shape::Deep(Some(_)) => 7,
        Shape::Deep(None) => 8,
    }
}

#[inline(never)]
fn by_value(m: Mixed, array: [u64; 9], shape: Shape) -> (u64, [u64; 9], Shape) {
    let mut array = array;
    array[m.c as usize % 9] ^= m.b;
    (m.a as u64 + m.e as u64, array, shape)
}

struct View<'a> {
    all: &'a [u32],
    first: &'a u32,
    name: &'static str,
}

#[inline(never)]
fn looked_at<'a>(view: &View<'a>, i: usize) -> &'a u32 {
    if i % 3 == 0 { view.first } else { &view.all[i % view.all.len()] }
}

static TABLE: [u16; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = (i * i * 7 % 1009) as u16;
        i += 1;
    }
    table
};
const NAMES: [&str; 4] = ["zero", "one", "twotwo", ""];
static SHAPES: [Shape; 3] = [Shape::Circle(2.5), Shape::Nothing, Shape::Box { w: 3, h: 1 << 40 }];
static LINKED: [&[u8]; 3] = [b"abc", &[], &[9; 20]];
static INDIRECT: &[&[&str]] = &[&["a", "bc"], &[], &["def", "gh", "i"]];

fn structs(s: &mut Suite) {
    s.case("reordered-struct", |(a, b, c, d): (u8, u64, u16, u32)| {
        let m = Mixed { a, b, c, d, e: !a };
        let n = Mixed { b: m.b ^ 1, ..m };
        (n.b, n.d, n.c, n.a, n.e, m == n)
    });
    s.case("repr-c", |(a, b, c): (u8, u64, u16)| {
        let m = InOrder { a, b, c };
        let offsets = [std::mem::offset_of!(InOrder, b), std::mem::offset_of!(InOrder, c)];
        (m.a, m.b, m.c, offsets, size_of::<InOrder>())
    });
    s.case("repr-packed", |(a, b, c): (u8, u64, u16)| {
        let mut all = [Packed { a, b, c }; 3];
        all[1].b = b.wrapping_add(1);
        all[2].c ^= 0xff;
        (all[0].a, { all[1].b }, { all[2].c }, size_of::<Packed>())
    });
    s.case("repr-packed-2", |(a, b, c): (u8, u64, f64)| {
        let p = [Packed2 { a, b, c }, Packed2 { a: 1, b: !b, c: -c }];
        (p[a as usize & 1].a, { p[1].b }, { p[(b & 1) as usize].c }, align_of::<Packed2>())
    });
    s.case("repr-transparent", |x: f64| Meters(x + 1.0).0);
    s.case("tuples", |(a, b, c): (u8, u64, i16)| {
        let t = ((a, b), c, [(b, a); 2]);
        let ((x, y), z, [_, (v, w)]) = t;
        (x, y, z, v, w)
    });
    s.case("struct-through-memory", |(a, b, c, d): (u8, u64, u16, u32)| {
        let mut all = [Mixed { a: 0, b: 0, c: 0, d: 0, e: 0 }; 5];
        all[d as usize % 5] = Mixed { a, b, c, d, e: 1 };
        all[b as usize % 5].e += 2;
        all.map(|m| m.b ^ m.a as u64 ^ m.c as u64 ^ m.d as u64 ^ (m.e as u64) << 8)
    });
    s.case("passed-by-value", |(a, b, n): (u8, u64, u32)| {
        let m = Mixed { a, b, c: n as u16, d: n, e: 3 };
        let (sum, array, shape) = by_value(m, std::array::from_fn(|i| i as u64), shape_of(n, b));
        (sum, array, weight(shape))
    });
    s.case("copied-whole", |x: [u32; 4]| {
        let big: [[u32; 4]; 17] = std::array::from_fn(|i| x.map(|y| y.rotate_left(i as u32)));
        let copy = big;
        let moved = std::hint::black_box(copy);
        moved[(x[0] % 17) as usize]
    });
}

/// Floats at places that are not aligned for them, and bytes of floats
/// (src/cc/nvptx_ptxas.c).
fn packed_floats(s: &mut Suite) {
    s.case("packed-floats", |(a, b, n): (f32, f64, u64)| {
        #[repr(C, packed)] #[derive(Clone, Copy)] struct P { t: u8, a: f32, b: f64 }
        #[repr(C, packed(2))] #[derive(Clone, Copy)] struct Q { t: u16, a: f32, b: f64 }
        #[repr(C, packed(4))] #[derive(Clone, Copy)] struct R { t: u32, a: f32, b: f64 }
        let mut p = [P { t: 1, a: a + 1.0, b: b + 1.0 }; 3]; let i = (n % 3) as usize; p[i].a = n as f32; p[(n / 3 % 3) as usize].b = n as f64;
        let mut q = [Q { t: 1, a: a + 1.0, b: b + 1.0 }; 3]; q[i].a = n as f32; q[(n / 3 % 3) as usize].b = n as f64;
        let mut r = [R { t: 1, a: a + 1.0, b: b + 1.0 }; 3]; r[i].a = n as f32; r[(n / 3 % 3) as usize].b = n as f64;
        let k = (n / 9 % 3) as usize;
        (({ p[k].a }, { p[k].b }), ({ q[k].a }, { q[k].b }), ({ r[k].a }, { r[k].b }), p[0].t, q[1].t, r[2].t)
    });
    s.case("narrowed-float-bits", |(a, b): (u32, u64)| { let (x, y) = (a as f32 * 1.5, b as f64 * 1.5); (x.to_bits() as u8, x.to_bits() as u16, y.to_bits() as u8, y.to_bits() as u16, y.to_bits() as u32, x.to_bits() as u8 as f32) });
}

fn alignment(s: &mut Suite) {
    s.case("align-2", |x: u32| [Align2(x), Align2(!x)][(x & 1) as usize]);
    s.case("align-8", |x: u32| [Align8(x), Align8(!x)][(x & 1) as usize]);
    s.case("align-16", |x: u32| [Align16(x), Align16(!x)][(x & 1) as usize]);
    s.case("align-32", |x: u32| [Align32(x), Align32(!x)][(x & 1) as usize]);
    s.case("align-64", |x: u32| [Align64(x), Align64(!x)][(x & 1) as usize]);
    s.case("align-128", |x: u32| [Align128(x), Align128(!x)][(x & 1) as usize]);
    s.case("align-256", |x: u32| [Align256(x), Align256(!x)][(x & 1) as usize]);
    s.case("aligned-locals", |x: u32| {
        let locals = [Align64(x), Align64(x ^ 1), Align64(x ^ 2)];
        let at = &raw const locals[(x % 3) as usize];
        let other = std::hint::black_box(Align256(x));
        (at as usize % 64, (&raw const other) as usize % 256, locals[(x % 3) as usize].0, other.0)
    });
    s.case("u128-aligned", |x: u128| {
        let all = [(1u8, x), (2, !x)];
        let at = &raw const all[(x & 1) as usize].1;
        (at as usize % 16, all[(x & 1) as usize].1, size_of::<(u8, u128)>())
    });
}

fn enums(s: &mut Suite) {
    s.case("enum-payloads", |(n, x): (u32, u64)| weight(shape_of(n, x)));
    s.case("enum-in-array", |(n, x): (u32, u64)| {
        let all: [Shape; 9] = std::array::from_fn(|i| shape_of(n.wrapping_add(i as u32), x >> i));
        all.iter().map(|&shape| weight(shape)).fold(0u64, |sum, w| sum.wrapping_mul(31).wrapping_add(w))
    });
    s.case("enum-equality", |(n, m, x): (u32, u32, u64)| shape_of(n, x) == shape_of(m, x));
    s.case("enum-changed-in-place", |(n, x): (u32, u64)| {
        let mut shape = shape_of(n, x);
        match &mut shape {
            Shape::Box { h, .. } => *h = 17,
            Shape::Many(all) => all[2] = 1,
            Shape::Deep(inner) => *inner = Some(Level::Low(true)),
            other => *other = Shape::Circle(4.0),
        }
        weight(shape)
    });
    s.case("repr-u8-enum", |x: u8| {
        let tag = match x % 3 { 0 => Tag::A, 1 => Tag::B, _ => Tag::C };
        (tag as u8, tag > Tag::A, size_of::<Tag>())
    });
    s.case("repr-i64-enum", |x: u8| {
        (match x % 3 { 0 => Wide::Low, 1 => Wide::Zero, _ => Wide::High }) as i64
    });
    s.case("repr-c-u16-enum", |(x, y): (u8, u64)| {
        let all = [Tagged::One(x), Tagged::Two(y, x), Tagged::Three];
        match all[x as usize % 3] {
            Tagged::One(a) => (a as u64, size_of::<Tagged>()),
            Tagged::Two(a, b) => (a ^ b as u64, 1),
            Tagged::Three => (0, 2),
        }
    });
    s.case("single-variant", |x: u32| { let Single::Only(y) = Single::Only(x); y });
    s.case("niche-option-bool", |x: Option<bool>| (x.is_some(), x.unwrap_or(true), size_of::<Option<bool>>()));
    s.case("niche-nested", |(a, b): (bool, u8)| {
        let nested: Option<Option<Option<bool>>> = match b % 4 {
            0 => None,
            1 => Some(None),
            2 => Some(Some(None)),
            _ => Some(Some(Some(a))),
        };
        match std::hint::black_box(nested) {
            None => 0u8,
            Some(None) => 1,
            Some(Some(None)) => 2,
            Some(Some(Some(x))) => 3 + x as u8,
        }
    });
    s.case("niche-ordering", |(a, b): (i32, i32)| {
        let order = (a != 0).then(|| a.cmp(&b));
        (order, order.map(|o| o.reverse() as i8), size_of_val(&order))
    });
    s.case("niche-multi", |x: u32| {
        #[derive(Clone, Copy)]
        enum Many { A(bool), B, C, D, E(bool) }
        let m = [Many::A(x & 8 == 0), Many::B, Many::C, Many::D, Many::E(x & 16 == 0)][(x % 5) as usize];
        match m { Many::A(b) => b as u8, Many::B => 2, Many::C => 3, Many::D => 4, Many::E(b) => 5 + b as u8 }
    });
}

fn options(s: &mut Suite) {
    s.case("option-u8", |x: Option<u8>| x.map(|y| y.wrapping_add(1)));
    s.case("option-u64", |x: Option<u64>| x.map_or(7, |y| y ^ 1));
    s.case("option-u128", |x: Option<u128>| x.map(|y| y.wrapping_mul(3)));
    s.case("option-f32", |x: Option<f32>| x.filter(|y| *y > 0.0));
    s.case("option-char", |x: Option<char>| (x.is_none(), x.unwrap_or('?'), size_of::<Option<char>>()));
    s.case("option-unit", |x: bool| (x.then_some(()), x.then(|| 3u8)));
    s.case("option-array", |(x, b): ([u16; 4], bool)| { let o = b.then_some(x); o.map(|a| a[1]) });
    s.case("option-tuple", |(x, y, b): (u8, u64, bool)| b.then_some((x, y)).map(|(a, b)| b ^ a as u64));
    s.case("option-nonzero", |(a, b): (u8, i64)| {
        let (x, y) = (NonZeroU8::new(a), NonZeroI64::new(b));
        (x.map(|n| n.get().leading_zeros()), y.map(|n| n.get().wrapping_neg()), size_of_val(&y))
    });
    s.case("option-reference", |(x, i): ([u32; 4], usize)| {
        let found: Option<&u32> = x.get(i % 6);
        (found.copied(), size_of_val(&found))
    });
    s.case("option-result", |(a, b): (u32, u32)| {
        let r: Result<u32, u8> = a.checked_add(b).ok_or(7);
        let o: Option<Result<u32, u8>> = (a != 3).then_some(r);
        o.transpose().map(|inner| inner.unwrap_or(1))
    });
    s.case("option-methods", |(a, b): (Option<u32>, Option<u32>)| {
        let mut c = a;
        let taken = c.take();
        let old = c.replace(5);
        let inserted = *c.get_or_insert(9);
        (a.or(b), a.xor(b), a.and(b), a.zip(b), taken.is_some_and(|x| x > 9), (old, inserted))
    });
    s.case("result-methods", |(a, b): (u32, u8)| {
        let r: Result<u32, u8> = if b & 1 == 0 { Ok(a) } else { Err(b) };
        (r.ok(), r.err(), r.map(|x| x / 2), r.map_err(|e| e / 2), r.unwrap_or_default(), r.and_then(|x| x.checked_sub(9).ok_or(0)))
    });
    s.case("question-mark", |(a, b, c): (u32, u32, u32)| -> Option<u32> {
        let x = a.checked_add(b)?;
        let y = x.checked_mul(c)?;
        y.checked_sub(100)
    });
    s.case("option-of-struct", |(a, b, n): (u8, u64, u32)| {
        let all = [None, Some(Mixed { a, b, c: 4, d: n, e: 5 }), Some(Mixed { a: 1, b: 2, c: 3, d: 4, e: 5 })];
        all[n as usize % 3].map(|m| m.b ^ m.d as u64)
    });
}

fn wholes(s: &mut Suite) {
    s.case("union", |x: u64| {
        let w = Word { whole: x };
        // SAFETY: all bits are values of each field.
        unsafe { (w.float, w.bytes, w.halves.0.wrapping_add(w.halves.1)) }
    });
    s.case("union-written", |(x, i): (u64, usize)| {
        let mut w = Word { whole: x };
        // SAFETY: as above.
        unsafe {
            w.bytes[i % 8] ^= 0xff;
            w.whole
        }
    });
    s.case("arrays-of-arrays", |x: [u8; 6]| {
        let grid = [[x[0], x[1]], [x[2], x[3]], [x[4], x[5]]];
        let mut sums = [0u8; 2];
        for row in grid {
            for (sum, y) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(y);
            }
        }
        sums
    });
    s.case("const-generics", |x: [i32; 6]| {
        let m = Matrix([[x[0], x[1], x[2]], [x[3], x[4], x[5]]]);
        (m.times(m.transposed()).0, m.transposed().times(m).0[2], Matrix::<2, 3>::CELLS)
    });
    s.case("array-methods", |x: [u16; 7]| {
        let mapped = x.map(|y| y.wrapping_mul(3));
        let made: [u16; 3] = std::array::from_fn(|i| mapped[i * 2]);
        let first: [u16; 2] = *mapped.first_chunk().unwrap();
        (mapped, made, first, x == mapped, x < mapped)
    });
    s.case("array-index-by-data", |(x, i): ([u64; 8], usize)| { let mut a = x; a[i % 8] = 1; a[(i / 8) % 8] });
    s.case("zero-sized", |x: u32| {
        let all = [Nothing; 5];
        let z = Zst((), []);
        let copied = all.iter().filter(|&&n| n == Nothing).count();
        (copied, size_of_val(&all), z == Zst((), []), [(); 9].len() + x as usize % 3)
    });
    s.case("references-in-data", |(x, i): ([u32; 4], usize)| {
        let view = View { all: &x[..3], first: &x[3], name: NAMES[i % 4] };
        (*looked_at(&view, i % 1000), view.name.len())
    });
    s.case("references-of-references", |(x, i): ([u32; 4], usize)| {
        let refs: [&u32; 4] = std::array::from_fn(|k| &x[3 - k]);
        let twice = &&refs[i % 4];
        ***twice
    });
    s.case("mutable-references-in-data", |(x, i): ([u32; 4], usize)| {
        let mut a = x;
        let mut b = 7u32;
        {
            let (lo, hi) = a.split_at_mut(2);
            let targets = [&mut lo[0], &mut hi[1], &mut b];
            *targets[i % 3] = 99;
        }
        (a, b)
    });
    s.case("constant-table", |i: usize| (TABLE[i % 64], NAMES[i % 4].as_bytes().first().copied()));
    s.case("constant-enums", |i: usize| weight(SHAPES[i % 3]));
    s.case("constant-slices", |i: usize| LINKED[i % 3].iter().map(|&b| b as u32).sum::<u32>());
    s.case("constant-nested", |i: usize| INDIRECT[i % 3].iter().map(|t| t.len()).sum::<usize>());
    s.case("constant-promoted", |i: usize| *[&3u8, &5, &250].get(i % 4).copied().unwrap_or(&9));
    s.case("nonzero", |x: u32| NonZeroU32::new(x).map(|n| (n.get(), n.trailing_zeros(), n.checked_add(1).is_some())));
    s.case("big-local", |(x, i): (u32, usize)| {
        let mut big = [x; 300];
        big[i % 300] ^= 1;
        big[(i / 2) % 300] ^= 2;
        big.iter().fold(0u32, |sum, y| sum.wrapping_mul(3).wrapping_add(*y))
    });
}

fn wide(s: &mut Suite) {
    s.case("u128-arithmetic", |(a, b): (u128, u128)| (a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a ^ b));
    s.case("u128-division", |(a, b): (u128, u128)| (a.checked_div(b), a.checked_rem(b)));
    s.case("i128-division", |(a, b): (i128, i128)| (a.checked_div(b), a.checked_rem(b), a.checked_div_euclid(b)));
    s.case("u128-shifts", |(a, n): (u128, u32)| (a.wrapping_shl(n), a.wrapping_shr(n), a.rotate_left(n % 200)));
    s.case("i128-shifts", |(a, n): (i128, u32)| (a.wrapping_shl(n), a.wrapping_shr(n), a.signum()));
    s.case("u128-checked", |(a, b): (u128, u128)| (a.checked_mul(b), a.overflowing_add(b), a.saturating_sub(b)));
    s.case("i128-checked", |(a, b): (i128, i128)| (a.checked_mul(b), a.overflowing_sub(b), a.saturating_mul(b)));
    s.case("u128-bits", |a: u128| (a.count_ones(), a.leading_zeros(), a.trailing_zeros(), a.swap_bytes(), a.reverse_bits()));
    s.case("u128-to-float", |a: u128| (a as f32, a as f64));
    s.case("i128-to-float", |a: i128| (a as f32, a as f64));
    s.case("float-to-u128", |a: f64| (a as u128, a as i128, a as f32 as u128, a as f32 as i128));
    s.case("u128-compare", |(a, b): (u128, i128)| (a.cmp(&(b as u128)), (a as i128).cmp(&b), a.min(b as u128)));
}

pub fn run(s: &mut Suite) {
    structs(s);
    packed_floats(s);
    alignment(s);
    enums(s);
    options(s);
    wholes(s);
    wide(s);
}
