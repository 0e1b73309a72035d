//! Slices, arrays as slices, strings of bytes, ranges, and memory behind them.

use crate::suite::Suite;
use std::cmp::Ordering;
use std::ops::{Bound, RangeBounds};

type A = [u32; 12];

fn parts(s: &mut Suite) {
    s.case("sub-slices", |(x, i, j): (A, usize, usize)| { let (a, b) = (i % 13, j % 13); x.get(a.min(b)..a.max(b)).map(|p| (p.len(), p.iter().fold(0u32, |s, y| s ^ y))) });
    s.case("get", |(x, i, j): (A, usize, usize)| (x.get(i % 20).copied(), x.get(i % 20..).map(<[u32]>::len), x.get(..=j % 20).map(<[u32]>::len), x.get(i..j).map(<[u32]>::len)));
    s.case("first-last", |(x, n): (A, usize)| { let p = &x[..n % 13]; (p.first().copied(), p.last().copied(), p.split_first().map(|(a, r)| (*a, r.len())), p.is_empty()) });
    s.case("split-at", |(x, n): (A, usize)| { let (a, b) = x.split_at(n % 13); (a.len(), b.first().copied(), x.split_at_checked(n % 20).is_some(), x.split_last().map(|(l, _)| *l)) });
    s.case("chunks", |(x, n): (A, usize)| { let n = n % 5 + 1; (x.chunks(n).map(|c| c[0] as u64 + c.len() as u64).sum::<u64>(), x.rchunks(n).map(|c| c[0] as u64).max(), x.chunks(n).len()) });
    s.case("chunks-exact", |(x, n): (A, usize)| { let c = x.chunks_exact(n % 7 + 1); (c.remainder().len(), c.map(|c| c[0]).fold(0u32, u32::wrapping_add)) });
    s.case("as-chunks", |x: A| { let (c, rest) = x.as_chunks::<5>(); (c.len(), rest.len(), c[1]) });
    s.case("windows", |(x, n): (A, usize)| (x.windows(n % 5 + 1).filter(|w| w[0] <= w[w.len() - 1]).count(), x.array_windows::<3>().filter(|[a, b, c]| a < b && b < c).count()));
    s.case("split-by", |x: A| (x.split(|y| y % 4 == 0).map(<[u32]>::len).fold(0usize, |s, n| s * 5 + n), x.splitn(2, |y| y % 4 == 0).count(), x.rsplit(|y| y % 2 == 0).next().map(<[u32]>::len), x.split_inclusive(|y| y % 3 == 0).count()));
    s.case("chunk-by", |x: [u8; 10]| x.chunk_by(|a, b| a <= b).map(<[u8]>::len).max());
    s.case("concat-by-hand", |(x, n): (A, usize)| { let mut out = [0u32; 24]; let (a, b) = x.split_at(n % 13); out[..b.len()].copy_from_slice(b); out[b.len()..12].copy_from_slice(a); out[12..].clone_from_slice(&x); (out[0], out[n % 24], out[23]) });
}

fn searching(s: &mut Suite) {
    s.case("contains", |(x, y): ([u8; 9], u8)| (x.contains(&y), x.starts_with(&[y]), x.ends_with(&[x[8]]), x.iter().position(|&z| z == y), x.iter().rposition(|&z| z == y)));
    s.case("binary-search", |(x, y): (A, u32)| { let mut a = x; a.sort_unstable(); a.dedup_free(); (a.partition_point(|&z| z < y), a.binary_search_by(|z| z.cmp(&y)).is_ok(), a.binary_search_by_key(&(y / 2), |z| z / 2).is_ok()) });
    s.case("strip", |x: [u8; 4]| (x.strip_prefix(&[x[0], 7]).map(<[u8]>::len), x.strip_suffix(&[x[3]]).map(<[u8]>::len)));
    s.case("compare-slices", |(a, b, n): ([u8; 5], [u8; 5], usize)| (a[..n % 6].cmp(&b[..n / 6 % 6]), a == b, a[..2] < b[..3], a[1..].eq(&b[1..])));
    s.case("compare-wide-slices", |(a, b): ([u64; 5], [u64; 5])| (a.cmp(&b), a[..3] == b[..3], a.partial_cmp(&b)));
    s.case("min-max", |x: A| (x.iter().min().copied(), x.iter().max().copied(), x.iter().min_by_key(|y| **y % 100).copied(), x.iter().max_by(|a, b| (*a % 7).cmp(&(*b % 7))).copied()));
    s.case("is-sorted", |x: [u8; 4]| (x.is_sorted(), x.is_sorted_by_key(|y| y / 2), x.is_sorted_by(|a, b| a >= b)));
}

/// `dedup` needs a Vec; this one leaves the length as it is.
trait Dedup {
    fn dedup_free(&mut self);
}
impl Dedup for A {
    fn dedup_free(&mut self) {
        for i in 1..self.len() {
            self[i] = self[i].max(self[i - 1]);
        }
    }
}

fn changing(s: &mut Suite) {
    s.case("sort-unstable", |x: A| { let mut a = x; a.sort_unstable(); a });
    s.case("sort-unstable-by", |x: A| { let mut a = x; a.sort_unstable_by(|p, q| (q % 50).cmp(&(p % 50)).then(p.cmp(q))); a });
    s.case("sort-by-key", |x: [(u8, u16); 7]| { let mut a = x; a.sort_unstable_by_key(|p| (p.1, p.0)); a });
    s.case("sort-long", |(seed, n): (u32, usize)| { let mut a = [0u32; 100]; let mut r = seed | 1; for y in &mut a { r = r.wrapping_mul(1664525).wrapping_add(1013904223); *y = r >> 8 } a.sort_unstable(); (a[n % 100], a.is_sorted()) });
    s.case("select-nth", |(x, n): (A, usize)| { let mut a = x; let (_, &mut m, _) = a.select_nth_unstable(n % 12); m });
    s.case("reverse", |(x, n): (A, usize)| { let mut a = x; a[..n % 13].reverse(); a });
    s.case("rotate", |(x, n, m): (A, usize, usize)| { let mut a = x; a.rotate_left(n % 13); a[2..9].rotate_right(m % 8); a });
    s.case("swap", |(x, n, m): (A, usize, usize)| { let mut a = x; a.swap(n % 12, m % 12); let (p, q) = a.split_at_mut(6); p.swap_with_slice(q); a });
    s.case("fill", |(x, n): (A, usize)| { let mut a = x; a[n % 13..].fill(7); let mut k = 0; a[..n % 5].fill_with(|| { k += 1; k }); a });
    s.case("copy-within", |(x, n, m): (A, usize, usize)| { let mut a = x; a.copy_within(n % 6..n % 6 + 4, m % 9); a });
    s.case("get-disjoint", |(x, n): (A, usize)| { let mut a = x; if let Ok([p, q]) = a.get_disjoint_mut([n % 12, n / 12 % 12]) { std::mem::swap(p, q); *p ^= 1 } a });
    s.case("iterate-mutably", |x: A| { let mut a = x; for (i, y) in a.iter_mut().enumerate() { *y = y.rotate_left(i as u32) } for c in a.chunks_mut(5) { c[0] = c.len() as u32 } for c in a.chunks_exact_mut(4) { c.reverse() } a });
    s.case("first-last-mut", |x: A| { let mut a = x; let [f, .., l] = &mut a; std::mem::swap(f, l); *a.last_mut().unwrap() ^= 5; if let Some((h, t)) = a.split_first_mut() { *h = t.len() as u32 } a });
    s.case("bytes-in-place", |(x, n): ([u8; 16], usize)| { let mut a = x; a.make_ascii_uppercase(); a[n % 16..].make_ascii_lowercase(); (a, x.eq_ignore_ascii_case(&a), x.is_ascii()) });
    s.case("as-array", |x: A| { let p: Result<&[u32; 4], _> = x[3..7].try_into(); let q: Result<[u32; 3], _> = <[u32; 3]>::try_from(&x[..4]); (p.map(|a| a[2]).ok(), q.is_err(), x.as_slice().len(), x.each_ref().map(|y| *y % 10)[3]) });
}

fn bytes(s: &mut Suite) {
    s.case("byte-strings", |i: usize| { let text = b"hello, \x00\xff world"; (text[i % text.len()], text.len(), text.iter().filter(|b| b.is_ascii_alphabetic()).count()) });
    s.case("trim-ascii", |x: [u8; 6]| { let t = x.map(|b| b" \tab\n0"[b as usize % 6]); (t.trim_ascii().len(), t.trim_ascii_start().len(), t.trim_ascii_end().len()) });
    s.case("str-from-utf8", |x: [u8; 6]| match core::str::from_utf8(&x) { Ok(t) => (t.chars().count(), t.len(), None), Err(e) => (e.valid_up_to(), 99, e.error_len()) });
    s.case("str-methods", |i: usize| { let t = ["über straße", "a,b,,c", "", "  x y "][i % 4]; (t.len(), t.chars().count(), t.split(',').count(), t.trim().len(), t.find('b'), t.bytes().fold(0u32, |s, b| s * 3 % 999 + b as u32)) });
    s.case("str-chars", |i: usize| { let t = ["naïve", "日本語", "😀a"][i % 3]; (t.chars().next_back(), t.char_indices().last(), t.chars().map(|c| c as u32).sum::<u32>(), t.is_char_boundary(i % 5)) });
    s.case("str-compare", |(i, j): (usize, usize)| { let t = ["abc", "abd", "", "abcd"]; (t[i % 4].cmp(t[j % 4]), t[i % 4] == t[j % 4], t[i % 4].starts_with("ab"), t[i % 4].contains("cd"), t[j % 4].strip_prefix("ab").map(str::len)) });
    s.case("str-splitting", |i: usize| { let t = ["k=v", "a=b=c", "none"][i % 3]; (t.split_once('=').map(|(k, v)| (k.len(), v.len())), t.rsplit_once('=').is_some(), t.split_whitespace().count(), t.rfind('=').unwrap_or(99)) });
    s.case("hex", |x: [u8; 3]| { let mut out = [0u8; 6]; for (o, b) in out.chunks_exact_mut(2).zip(x) { for (d, n) in o.iter_mut().zip([b >> 4, b & 15]) { *d = b"0123456789abcdef"[n as usize] } } out });
    s.case("crc", |x: [u8; 9]| !x.iter().fold(!0u32, |c, b| (0..8).fold(c ^ *b as u32, |c, _| c >> 1 ^ 0xedb88320 & (c & 1).wrapping_neg())));
}

fn memory(s: &mut Suite) {
    use std::mem::{self, MaybeUninit};
    use std::ptr;
    s.case("mem-swap-replace-take", |(a, b): (u64, [u8; 3])| { let (mut x, mut y) = ((a, b), (!a, [9; 3])); mem::swap(&mut x, &mut y); let old = mem::replace(&mut x.0, 5); let gone = mem::take(&mut y.1); (x.0, x.1, y.1, old, gone) });
    s.case("mem-swap-large", |(x, y): (A, A)| { let (mut a, mut b) = (x, y); mem::swap(&mut a, &mut b); (a, b[3]) });
    s.case("transmute", |x: [u16; 4]| {
        // SAFETY: of the same size, all bits are values.
        unsafe { (mem::transmute::<[u16; 4], u64>(x), mem::transmute_copy::<[u16; 4], u32>(&x), mem::transmute::<[u16; 4], [u8; 8]>(x)) } });
    s.case("maybe-uninit", |(x, n): (u32, usize)| { let mut all = [const { MaybeUninit::<u32>::uninit() }; 8]; for (i, slot) in all.iter_mut().enumerate() { slot.write(x.rotate_left(i as u32)); }
        // SAFETY: all were written.
        unsafe { all[n % 8].assume_init_read() } });
    s.case("maybe-uninit-array", |x: u64| { let mut a = MaybeUninit::<[u64; 4]>::uninit(); let p = a.as_mut_ptr().cast::<u64>();
        // SAFETY: all four are written before use.
        unsafe { for i in 0..4 { p.add(i).write(x ^ i as u64) } a.assume_init() } });
    s.case("ptr-arithmetic", |(x, i, j): (A, usize, usize)| { let p = x.as_ptr();
        // SAFETY: inside the array.
        unsafe { let (a, b) = (p.add(i % 12), p.add(j % 12)); (*a, b.offset_from(a), a < b, a.cast::<u8>().add(1).read()) } });
    s.case("ptr-copy", |(x, i): (A, usize)| { let mut a = x; let p = a.as_mut_ptr();
        // SAFETY: inside the array.
        unsafe { ptr::copy(p, p.add(i % 6), 6); ptr::copy_nonoverlapping(p.add(1), p.add(7), 3); ptr::swap(p, p.add(11)); ptr::write_bytes(p.add(3), 0x5a, 2) } a });
    s.case("ptr-unaligned", |(x, i): ([u8; 16], usize)| { let mut a = x; let p = a.as_mut_ptr();
        // SAFETY: inside the array.
        unsafe { let v = p.add(i % 9).cast::<u64>().read_unaligned(); p.add(i % 7).cast::<u32>().write_unaligned(v as u32 ^ 1); (v, a) } });
    s.case("ptr-volatile", |x: u32| { let mut y = x; let p = &raw mut y;
        // SAFETY: a local.
        unsafe { p.write_volatile(p.read_volatile().wrapping_add(1)); p.replace(3) } });
    s.case("ptr-null-dangling", |x: u32| { let p: *const u32 = if x % 2 == 0 { &x } else { ptr::null() };
        // SAFETY: null or a local.
        (unsafe { p.as_ref() }.copied(), p.is_null(), ptr::NonNull::<u64>::dangling().as_ptr() as usize, ptr::eq(&x, p)) });
    s.case("slice-from-raw", |(x, n): (A, usize)| { let p = &raw const x;
        // SAFETY: inside the array.
        let part = unsafe { std::slice::from_raw_parts(p.cast::<u32>().add(n % 5), 7) }; (part[3], part.as_ptr_range().end as usize - part.as_ptr() as usize, size_of_val(part)) });
    s.case("align-to", |x: [u8; 23]| {
        // SAFETY: all bits are values.
        let (a, b, c) = unsafe { x.align_to::<u32>() }; (a.len() + b.len() * 4 + c.len(), a.len() < 4, x.as_ptr().cast::<u64>().align_offset(1)) });
    s.case("size-of", |x: u8| (size_of::<(u8, u32)>(), align_of::<u128>(), size_of_val(&[x; 7]), mem::needs_drop::<u32>(), mem::discriminant(&Some(x)) == mem::discriminant(&None)));
    s.case("manually-drop", |x: u64| { let mut m = mem::ManuallyDrop::new([x; 3]); m[1] = 4; let copy = *m; copy[1] ^ mem::ManuallyDrop::into_inner(m)[2] });
}

fn comparing(s: &mut Suite) {
    use std::cmp::{max, min, Reverse};
    s.case("ordering", |(a, b, c): (i32, i32, u8)| { let o = a.cmp(&b); (o.reverse(), o.then(c.cmp(&9)), o.is_lt(), o.is_ge(), Reverse(a).cmp(&Reverse(b)), o as i8) });
    s.case("derived-ordering", |(a, b, c, d): (u8, i16, u8, i16)| {
        #[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy, Hash)]
        enum E { A(u8), B { x: i16, y: u8 }, C }
        let make = |n: u8, m: i16| match n % 3 { 0 => E::A(n), 1 => E::B { x: m, y: n }, _ => E::C };
        let (x, y) = (make(a, b), make(c, d));
        (x.cmp(&y), x == y, max(x, y) == x, min(x, y) <= y) });
    s.case("tuple-ordering", |(a, b): ((u8, i8), (u8, i8))| (a.cmp(&b), a.partial_cmp(&b), a.max(b), a <= b));
    s.case("float-partial-cmp", |(a, b): (f32, f32)| (a.partial_cmp(&b).map(Ordering::is_lt), (a, 1).partial_cmp(&(b, 2)), [a, b] < [b, a]));
    s.case("min-by", |(a, b): (f64, f64)| (std::cmp::min_by(a, b, f64::total_cmp), std::cmp::max_by(a, b, f64::total_cmp), std::cmp::min_by_key(a, b, |x| *x as i32)));
    s.case("ranges", |(a, b, c): (u8, u8, u8)| ((a..b).contains(&c), (a..=b).contains(&c), (a..b).len(), (a..=b).is_empty(), (a..).contains(&c), (..=a).contains(&c)));
    s.case("range-bounds", |(a, b): (u8, u8)| { let r = (Bound::Excluded(a), if b == 0 { Bound::Unbounded } else { Bound::Included(b) }); (r.contains(&7), RangeBounds::<u8>::start_bound(&r) == Bound::Excluded(&a)) });
    s.case("hash", |(a, b): (u64, u16)| { use std::hash::{Hash, Hasher}; struct Fnv(u64); impl Hasher for Fnv { fn finish(&self) -> u64 { self.0 } fn write(&mut self, bytes: &[u8]) { for b in bytes { self.0 = (self.0 ^ *b as u64).wrapping_mul(0x100000001b3) } } } let mut h = Fnv(0xcbf29ce484222325); (a, [b; 3], true, 'x').hash(&mut h); h.finish() });
}

pub fn run(s: &mut Suite) {
    parts(s);
    searching(s);
    changing(s);
    bytes(s);
    memory(s);
    comparing(s);
}
