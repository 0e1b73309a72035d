//! Control flow: match, loops, recursion, closures, traits, dyn, function pointers, Drop, `?`.

use crate::suite::Suite;
use std::cell::Cell;
use std::ops::{Add, ControlFlow, Deref, Index, Mul, Neg};

// ---- recursion ----

#[inline(never)]
fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1).wrapping_add(fib(n - 2)) }
}

fn ackermann(m: u32, n: u32) -> u32 {
    match (m, n) {
        (0, n) => n + 1,
        (m, 0) => ackermann(m - 1, 1),
        (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
    }
}

fn is_even(n: u32) -> bool {
    n == 0 || is_odd(n - 1)
}

#[inline(never)]
fn is_odd(n: u32) -> bool {
    n != 0 && is_even(n - 1)
}

fn depth(tree: &[Node], at: usize) -> u32 {
    let node = &tree[at];
    1 + node.children.iter().flatten().map(|&c| depth(tree, c as usize)).max().unwrap_or(0)
}

struct Node {
    children: [Option<u8>; 2],
}

#[inline(never)]
fn quicksort(a: &mut [u32]) {
    if a.len() < 2 {
        return;
    }
    let (pivot, mut store) = (a[a.len() - 1], 0);
    for i in 0..a.len() - 1 {
        if a[i] < pivot {
            a.swap(i, store);
            store += 1;
        }
    }
    let last = a.len() - 1;
    a.swap(store, last);
    let (low, high) = a.split_at_mut(store);
    quicksort(low);
    quicksort(&mut high[1..]);
}

// ---- traits ----

trait Monoid: Copy {
    type Item: Copy;
    const ZERO: Self::Item;
    const NAME: &'static str = "monoid";
    fn join(self, a: Self::Item, b: Self::Item) -> Self::Item;
    fn all(self, items: &[Self::Item]) -> Self::Item {
        items.iter().fold(Self::ZERO, |a, &b| self.join(a, b))
    }
}

#[derive(Clone, Copy)]
struct Sum(u32);
#[derive(Clone, Copy)]
struct Longest;

impl Monoid for Sum {
    type Item = u32;
    const ZERO: u32 = 0;
    fn join(self, a: u32, b: u32) -> u32 {
        a.wrapping_add(b).wrapping_add(self.0)
    }
}

impl Monoid for Longest {
    type Item = &'static str;
    const ZERO: &'static str = "";
    const NAME: &'static str = "longest";
    fn join(self, a: &'static str, b: &'static str) -> &'static str {
        if b.len() > a.len() { b } else { a }
    }
}

trait Area {
    fn area(&self) -> u64;
    fn twice(&self) -> u64 {
        self.area().wrapping_mul(2)
    }
}

struct Square(u32);
struct Rect(u32, u16);
struct Unit;

impl Area for Square {
    fn area(&self) -> u64 {
        self.0 as u64 * self.0 as u64
    }
}
impl Area for Rect {
    fn area(&self) -> u64 {
        self.0 as u64 * self.1 as u64
    }
    fn twice(&self) -> u64 {
        1
    }
}
impl Area for Unit {
    fn area(&self) -> u64 {
        1
    }
}

#[inline(never)]
fn total(all: &[&dyn Area]) -> u64 {
    all.iter().fold(0, |sum, a| sum.wrapping_add(a.area()).wrapping_add(a.twice()))
}

trait Step {
    fn step(&mut self, x: u32) -> u32;
}
impl<F: FnMut(u32) -> u32> Step for F {
    fn step(&mut self, x: u32) -> u32 {
        self(x)
    }
}
trait Named: Area {
    fn name(&self) -> &'static str;
}
impl Named for Square {
    fn name(&self) -> &'static str {
        "square"
    }
}
impl Named for Unit {
    fn name(&self) -> &'static str {
        "unit"
    }
}

#[derive(Clone, Copy, PartialEq)]
struct V2(i32, i32);
impl Add for V2 {
    type Output = V2;
    fn add(self, o: V2) -> V2 {
        V2(self.0.wrapping_add(o.0), self.1.wrapping_add(o.1))
    }
}
impl Mul<i32> for V2 {
    type Output = V2;
    fn mul(self, k: i32) -> V2 {
        V2(self.0.wrapping_mul(k), self.1.wrapping_mul(k))
    }
}
impl Neg for V2 {
    type Output = V2;
    fn neg(self) -> V2 {
        V2(self.0.wrapping_neg(), self.1.wrapping_neg())
    }
}
impl Index<usize> for V2 {
    type Output = i32;
    fn index(&self, i: usize) -> &i32 {
        match i {
            0 => &self.0,
            _ => &self.1,
        }
    }
}

// ---- function pointers ----

fn double(x: u32) -> u32 {
    x.wrapping_mul(2)
}
fn square(x: u32) -> u32 {
    x.wrapping_mul(x)
}
fn negate(x: u32) -> u32 {
    x.wrapping_neg()
}
#[inline(never)]
fn pick(i: usize) -> fn(u32) -> u32 {
    [double, square, negate][i % 3]
}
static OPERATIONS: [(u8, fn(u32, u32) -> u32); 3] =
    [(1, u32::wrapping_add), (2, |a, b| a ^ b), (3, u32::wrapping_mul)];
#[inline(never)]
fn apply(f: &dyn Fn(u32) -> u32, x: u32) -> u32 {
    f(f(x))
}
fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |x| g(f(x))
}

// ---- Drop ----

struct Log<'a>(&'a Cell<u32>, u32);
impl Drop for Log<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().wrapping_mul(10).wrapping_add(self.1));
    }
}
#[allow(dead_code)]
struct Guarded<'a>(Log<'a>, [u32; 2]);
impl Deref for Guarded<'_> {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.1
    }
}

fn drops(x: u32) -> u32 {
    let log = Cell::new(0);
    {
        let _a = Log(&log, 1);
        let _b = Log(&log, 2);
        if x % 3 == 0 {
            return log.get().wrapping_add(100);
        }
        let _ = Log(&log, 3);
        let moved = Log(&log, 4);
        if x % 3 == 1 {
            drop(moved);
        }
        for i in 5..8 {
            let _c = Log(&log, i);
            if x.wrapping_add(i) % 4 == 0 {
                continue;
            }
            if x % 7 == i {
                break;
            }
        }
    }
    log.get()
}

fn early(x: Result<u32, u8>, y: u32) -> Result<u32, u64> {
    let a = x?;
    if a > y {
        return Err(a as u64 - y as u64);
    }
    let b = y.checked_sub(a).ok_or(3u8)?;
    Ok(b)
}

fn matches(s: &mut Suite) {
    s.case("match-ranges", |x: u32| match x {
        0 => 0u8,
        1..=9 => 1,
        10 | 20 | 30 => 2,
        11..100 => 3,
        n if n % 2 == 0 => 4,
        0x8000_0000.. => 5,
        _ => 6,
    });
    s.case("match-signed", |x: i64| match x { i64::MIN..=-1 => -1, 0 => 0, 1..=i64::MAX => 1 });
    s.case("match-char", |c: char| match c { 'a'..='z' => 1u8, 'A'..='Z' | '_' => 2, '0'..='9' => 3, '\u{80}'.. => 4, _ => 5 });
    s.case("match-tuple", |(a, b, c): (bool, u8, i8)| match (a, b, c) {
        (true, 0, _) => 1,
        (false, n @ 1..=5, -3..=3) => n as i32,
        (_, n, m) if n as i32 == m as i32 => -1,
        (true, _, ..=0) => 7,
        _ => 9,
    });
    s.case("match-slice", |(x, n): ([u8; 6], usize)| match &x[..n % 7] {
        [] => 0u32,
        [a] => *a as u32,
        [a, b] => *a as u32 * 300 + *b as u32,
        [a, .., b] if a == b => 1,
        [0, rest @ ..] => rest.len() as u32,
        [.., y, _] => *y as u32 + 1000,
    });
    s.case("match-bytes", |x: [u8; 2]| match &[b'a' + x[0] % 3, b'b' + x[1] % 2] { b"ab" => 1u8, b"bb" => 2, b"cc" => 3, [b'a', _] => 4, _ => 5 });
    s.case("match-str", |i: usize| match ["alpha", "beta", "", "alphabet"][i % 4] { "alpha" => 1u8, "" => 2, "beta" => 3, _ => 4 });
    s.case("match-dense", |x: u8| match x & 15 { 0 => 3u16, 1 => 1, 2 => 4, 3 => 1, 4 => 5, 5 => 9, 6 => 2, 7 => 6, 8 => 5, 9 => 3, 10 => 58, 11 => 97, _ => 0 });
    s.case("match-sparse", |x: u64| match x { 1 => 9u8, 1000 => 8, 1_000_000 => 7, 0xffff_ffff_ffff_ffff => 6, 0x8000_0000_0000_0000 => 5, 127 => 4, _ => 3 });
    s.case("match-u128", |x: u128| match x { 0 => 1u8, 0x1_0000_0000_0000_0000 => 2, u128::MAX => 3, 1..=99 => 4, _ => 5 });
    s.case("match-reference", |x: Option<u32>| match &x { Some(n) if *n > 5 => *n, Some(_) => 1, None => 0 });
    s.case("if-let-chain", |(a, b): (Option<u32>, Option<u32>)| if let (Some(x), Some(y)) = (a, b) { x ^ y } else if let Some(x) = a.or(b) { x } else { 7 });
    s.case("let-else", |x: Option<u32>| { let Some(y) = x else { return 3u32 }; y / 2 });
    s.case("dispatch-jump-table", |(x, n): (u32, u8)| {
        let mut a = x;
        for k in 0..n % 16 {
            a = match (a ^ k as u32) % 8 {
                0 => a.rotate_left(3), 1 => a ^ 0x55, 2 => a.wrapping_add(77), 3 => !a,
                4 => a.wrapping_mul(5), 5 => a >> 1, 6 => a.swap_bytes(), _ => a.wrapping_sub(3),
            };
        }
        a
    });
}

fn loops(s: &mut Suite) {
    s.case("collatz", |x: u16| { let (mut n, mut steps) = (x as u64 + 1, 0u32); while n != 1 { n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 }; steps += 1; } steps });
    s.case("labelled-break", |(x, y): (u8, u8)| {
        let mut seen = 0u32;
        'outer: for a in 0..10u8 {
            for b in 0..10u8 {
                seen += 1;
                if a * b == x % 80 { continue 'outer }
                if a + b == y % 20 { break 'outer }
            }
        }
        seen
    });
    s.case("loop-value", |x: u32| { let mut n = x | 1; let found = loop { n = n.wrapping_mul(5).wrapping_add(1); if n % 16 == 3 || n % 7 == 2 { break n } }; found });
    s.case("labelled-block", |x: u32| 'done: { if x < 10 { break 'done 1u32 } if x % 2 == 0 { break 'done x / 2 } 9 });
    s.case("while-let", |x: [u32; 5]| { let mut rest = &x[..]; let mut sum = 0u32; while let [first, tail @ ..] = rest { sum = sum.wrapping_mul(3) ^ first; rest = tail; } sum });
    s.case("nested-loops", |n: u8| { let mut c = 0u32; for i in 0..n % 12 { for j in i..n % 12 { for k in (j..n % 12).rev() { if i ^ j ^ k == 3 { c += 1 } } } } c });
    s.case("gcd", |(a, b): (u32, u32)| { let (mut a, mut b) = (a, b); while b != 0 { (a, b) = (b, a % b) } a });
    s.case("newton-isqrt", |x: u64| { if x < 2 { return x } let mut r = x; loop { let next = (r / 2) + (x / r) / 2 + (r & (x / r) & 1); if next >= r { break r } r = next; } });
    s.case("sieve", |n: u8| { let mut composite = [false; 256]; let mut i = 2; while i * i < 256 { if !composite[i] { let mut j = i * i; while j < 256 { composite[j] = true; j += i } } i += 1 } !composite[n as usize] });
    s.case("loop-exits-by-data", |x: [u8; 8]| { let mut at = 0usize; let mut hops = 0u8; while at < 8 && hops < 20 { at += (x[at] % 4) as usize; hops += 1 } (at, hops) });
}

fn calls(s: &mut Suite) {
    s.case("recursion", |x: u8| fib((x % 15) as u32));
    s.case("recursion-double", |(a, b): (u8, u8)| ackermann((a % 3) as u32, (b % 4) as u32));
    s.case("recursion-mutual", |x: u8| is_even((x % 40) as u32));
    s.case("recursion-tree", |x: [u8; 3]| {
        let edge = |k: u8, at: u8| (k % 3 != 0).then_some(at);
        let tree = [
            Node { children: [edge(x[0], 1), edge(x[1], 2)] },
            Node { children: [edge(x[2], 3), None] },
            Node { children: [None, edge(x[0] / 3, 3)] },
            Node { children: [None, None] },
        ];
        depth(&tree, 0)
    });
    s.case("recursion-slices", |x: [u32; 12]| { let mut a = x; quicksort(&mut a); a });
    s.case("closure-captures", |(a, b): (u32, u32)| { let add = |x: u32| x.wrapping_add(a); let mul = |x: u32| add(x).wrapping_mul(b); mul(3) ^ add(b) });
    s.case("closure-mutates", |x: [u32; 4]| { let mut sum = 0u32; let mut add = |y: u32| { sum = sum.rotate_left(1) ^ y; sum }; let last = x.map(&mut add)[3]; (sum, last) });
    s.case("closure-composed", |x: u32| compose(compose(double, |y| y as u64 + 1), |z: u64| (z % 1000) as u16)(x));
    s.case("closure-returned", |(x, y): (u32, u32)| { let make = |k: u32| move |v: u32| v.wrapping_mul(k); let (f, g) = (make(x), make(y)); f(g(7)) });
    s.case("closure-boxed-in-array", |(x, i): (u32, usize)| { let (a, b) = (|v: u32| v ^ x, |v: u32| v.wrapping_sub(x)); let all: [&dyn Fn(u32) -> u32; 3] = [&a, &b, &double]; all[i % 3](17) });
    s.case("associated-types", |x: [u32; 4]| (Sum(1).all(&x), Longest.all(&["a", "abc", "ab"][..x[0] as usize % 4]).len(), Sum::NAME.len() + Longest::NAME.len()));
    s.case("operators", |(a, b, k): (i32, i32, i32)| { let v = (V2(a, b) + V2(k, 1)) * k + -V2(b, a); (v[0], v[1], v == V2(a, b)) });
    s.case("dyn-trait", |(a, b): (u32, u16)| total(&[&Square(a), &Rect(a, b), &Unit]));
    s.case("dyn-chosen", |(a, i): (u32, usize)| { let (sq, re) = (Square(a), Rect(a, 9)); let all: [&dyn Area; 3] = [&sq, &re, &Unit]; let one = all[i % 3]; (one.area(), one.twice(), size_of_val(one)) });
    s.case("dyn-supertrait", |(a, i): (u32, usize)| { let sq = Square(a); let all: [&dyn Named; 2] = [&sq, &Unit]; let one = all[i % 2]; let up: &dyn Area = one; (one.name().len(), up.twice()) });
    s.case("dyn-mut", |(a, b): (u32, u32)| { let mut n = a; let mut f = |x: u32| { n = n.wrapping_add(x); n }; let step: &mut dyn Step = &mut f; (step.step(b), step.step(1), n) });
    s.case("dyn-fn", |(a, b): (u32, u32)| apply(&|x| x.wrapping_mul(a) ^ b, 3));
    s.case("dyn-iterator", |(x, b): ([u32; 4], bool)| { let (mut f, mut r) = (x.iter(), x.iter().rev()); let it: &mut dyn Iterator<Item = &u32> = if b { &mut f } else { &mut r }; it.skip(1).fold(0u32, |s, y| s.wrapping_mul(7) ^ y) });
    s.case("fn-pointer", |(i, x): (usize, u32)| pick(i)(x));
    s.case("fn-pointer-table", |(i, a, b): (usize, u32, u32)| { let (n, f) = OPERATIONS[i % 3]; (n, f(a, b)) });
    s.case("fn-pointer-compare", |i: usize| { let (f, g) = (pick(i), pick(i % 3)); (std::ptr::fn_addr_eq(f, g), f(3) == g(3)) });
    s.case("fn-pointer-argument", |(x, i): ([u32; 4], usize)| x.map(pick(i)));
    s.case("generic-instances", |(a, b): (u8, f64)| { fn id<T: Copy, const N: usize>(x: T) -> [T; N] { [x; N] } (id::<u8, 3>(a), id::<f64, 2>(b), id::<(), 1>(())) });
    s.case("impl-iterator", |n: u8| { fn evens(n: u32) -> impl Iterator<Item = u32> + Clone { (0..n).filter(|x| x % 2 == 0) } let e = evens(n as u32); e.clone().sum::<u32>() + e.count() as u32 });
}

fn leaving(s: &mut Suite) {
    s.case("drop-order", drops);
    s.case("drop-moved-into", |x: u32| { let log = Cell::new(0); { let g = Guarded(Log(&log, x % 9), [x, 1]); let n = g.len() as u32; log.set(n + g[0] % 5); } log.get() });
    s.case("drop-of-array", |x: u32| { let log = Cell::new(0); drop([Log(&log, 1), Log(&log, x % 10), Log(&log, 3)]); log.get() });
    s.case("drop-of-option", |x: u32| { let log = Cell::new(1); { let mut o = (x % 2 == 0).then(|| Log(&log, 2)); if x % 3 == 0 { o = None } if x % 5 == 0 { o = Some(Log(&log, 7)) } std::hint::black_box(&o); } log.get() });
    s.case("drop-of-replaced", |x: u32| { let log = Cell::new(0); let mut a = Log(&log, 1); for i in 0..x % 5 { a = Log(&log, i + 2) } let last = a.1; std::mem::forget(a); (log.get(), last) });
    s.case("drop-dyn", |x: u32| { trait Any2 {} impl Any2 for Log<'_> {} let log = Cell::new(0); { let a = std::mem::ManuallyDrop::new(Log(&log, x % 10)); let mut a = a; let d: &mut dyn Any2 = &mut *a; 
        // SAFETY: not used again.
        unsafe { std::ptr::drop_in_place(d) } } log.get() });
    s.case("early-return", |(a, b, ok): (u32, u32, bool)| early(if ok { Ok(a) } else { Err(b as u8) }, b));
    s.case("try-blocks-of-options", |x: [u8; 4]| { let f = || -> Option<u8> { x[0].checked_add(x[1])?.checked_sub(x[2])?.checked_div(x[3]) }; f() });
    s.case("control-flow", |x: [u32; 5]| match x.iter().try_fold(0u32, |sum, &y| if y > 1 << 20 { ControlFlow::Break(y) } else { ControlFlow::Continue(sum + y) }) { ControlFlow::Break(y) => (true, y), ControlFlow::Continue(sum) => (false, sum) });
    s.case("error-conversion", |(a, b): (i64, u8)| -> Result<u16, u8> { fn narrow(a: i64) -> Result<u16, std::num::TryFromIntError> { Ok(u16::try_from(a)?) } narrow(a).map_err(|_| b) });
}

pub fn run(s: &mut Suite) {
    matches(s);
    loops(s);
    calls(s);
    leaving(s);
}
