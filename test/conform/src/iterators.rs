//! Iterators: sources, adapters, consumers, from both ends, by value and by reference.

use crate::suite::Suite;
use std::iter;

type A = [u32; 9];

/// The numbers of an iterator as one.
fn mix(it: impl Iterator<Item = u32>) -> u64 {
    it.fold(17, |h, x| h.wrapping_mul(0x100000001b3).wrapping_add(x as u64 ^ h >> 29))
}

struct Countdown(u32);
impl Iterator for Countdown {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        self.0 = self.0.checked_sub(1)?;
        Some(self.0)
    }
}

fn adapters(s: &mut Suite) {
    s.case("map-filter", |x: A| mix(x.iter().map(|y| y ^ 3).filter(|y| y % 3 != 0)));
    s.case("filter-map", |x: A| mix(x.iter().filter_map(|y| y.checked_sub(50))));
    s.case("enumerate", |x: A| mix(x.iter().enumerate().map(|(i, y)| y.rotate_left(i as u32))));
    s.case("zip", |(x, y): (A, [u8; 5])| mix(x.iter().zip(y).map(|(a, b)| a.wrapping_add(b as u32))));
    s.case("zip-three", |(x, y): (A, A)| mix(x.iter().zip(&y).zip(x.iter().rev()).map(|((a, b), c)| a ^ b.wrapping_mul(*c))));
    s.case("rev", |x: A| (mix(x.iter().rev().copied()), mix(x.into_iter().rev())));
    s.case("step-by", |(x, n): (A, usize)| (mix(x.iter().copied().step_by(n % 5 + 1)), mix((0..n as u32 % 99).step_by(7)), (3..=n as u16 % 1000).step_by(13).rev().next()));
    s.case("chain", |(x, y): (A, [u32; 3])| mix(x.into_iter().chain(y).chain(iter::once(7))));
    s.case("take-skip", |(x, n, m): (A, usize, usize)| (mix(x.iter().copied().skip(n % 11).take(m % 11)), mix(x.iter().copied().take(n % 11).skip(m % 5).rev())));
    s.case("take-skip-while", |x: A| (mix(x.iter().copied().take_while(|y| y % 8 != 0)), mix(x.iter().copied().skip_while(|y| *y < 1000)), mix(x.into_iter().map_while(|y| y.checked_mul(3)))));
    s.case("flat-map", |x: [u8; 5]| mix(x.iter().flat_map(|&y| (0..y as u32 % 5).map(move |z| z ^ y as u32))));
    s.case("flatten", |x: [Option<u32>; 6]| mix(x.into_iter().flatten()));
    s.case("scan", |x: A| mix(x.iter().scan(1u32, |a, y| { *a = a.wrapping_mul(3) ^ y; (*a % 11 != 0).then_some(*a) })));
    s.case("inspect", |x: A| { let mut seen = 0u32; let n = x.iter().inspect(|y| seen ^= **y).filter(|y| **y > 9).count(); (n, seen) });
    s.case("peekable", |x: [u8; 8]| { let mut it = x.iter().peekable(); let mut runs = 0; while let Some(a) = it.next() { while it.next_if(|b| **b % 4 == a % 4).is_some() {} runs += 1; if it.peek().is_none() { break } } runs });
    s.case("cycle", |x: [u32; 3]| mix(x.iter().copied().cycle().skip(1).take(11)));
    s.case("fuse", |n: u32| { let mut it = Countdown(n % 4).fuse(); (it.next(), it.next(), it.next(), it.next(), it.next()) });
    s.case("copied-cloned", |x: A| (mix(x.iter().copied()), mix(x.iter().cloned()), mix(x.iter().by_ref().map(|y| !y))));
    s.case("by-ref", |(x, n): (A, usize)| { let mut it = x.iter(); let a = it.by_ref().take(n % 10).fold(0u32, |s, y| s ^ y); (a, it.len(), it.next().copied()) });
    s.case("array-chunks-by-hand", |x: A| { let mut it = x.into_iter(); let mut h = 0u64; while let (Some(a), Some(b)) = (it.next(), it.next()) { h = h.rotate_left(9) ^ (a as u64 * b as u64) } h });
}

fn consumers(s: &mut Suite) {
    s.case("sum-product", |x: [u8; 9]| (x.iter().map(|y| *y as u64).sum::<u64>(), x.iter().map(|y| (*y | 1) as u128).product::<u128>(), x.iter().map(|&y| y as f64).sum::<f64>()));
    s.case("sum-of-options", |x: [Option<u16>; 3]| x.iter().map(|o| o.map(|y| y as u32)).sum::<Option<u32>>());
    s.case("fold-rfold", |x: A| (x.iter().fold(1u32, |a, y| a.wrapping_mul(31) ^ y), x.iter().rfold(1u32, |a, y| a.wrapping_mul(31) ^ y), x.into_iter().reduce(|a, b| a.rotate_left(5) ^ b)));
    s.case("try-fold", |x: A| (x.iter().try_fold(0u32, |a, y| a.checked_add(*y)), x.iter().try_for_each(|y| if *y == 7 { Err(*y) } else { Ok(()) })));
    s.case("any-all", |x: A| (x.iter().any(|y| *y == 0), x.iter().all(|y| *y < 1 << 30), x.iter().find(|y| **y % 5 == 1).copied(), x.iter().find_map(|y| y.checked_ilog2()), x.iter().position(|y| y % 2 == 1), x.iter().rev().position(|y| y % 2 == 1)));
    s.case("min-max", |x: [i32; 7]| (x.iter().min().copied(), x.into_iter().max(), x.iter().min_by_key(|y| y.unsigned_abs()).copied(), x.iter().copied().max_by(|a, b| (a & 255).cmp(&(b & 255)))));
    s.case("count-last-nth", |(x, n): (A, usize)| (x.iter().filter(|y| **y > 99).count(), x.iter().last().copied(), x.iter().nth(n % 12).copied(), x.iter().nth_back(n % 12).copied(), x.iter().skip(2).len(), x.iter().step_by(4).size_hint().0));
    s.case("compare", |(x, y): ([u8; 4], [u8; 4])| (x.iter().cmp(y.iter()), x.iter().eq(y.iter().rev()), x.iter().lt(y.iter()), x.iter().map(|a| *a as f32).partial_cmp(y.iter().map(|a| *a as f32)), x.iter().is_sorted()));
    s.case("partition-by-hand", |x: A| { let (mut odd, mut even) = (0u32, 0u32); x.iter().for_each(|y| if y % 2 == 0 { even ^= y } else { odd ^= y }); (odd, even) });
    s.case("unzip-by-hand", |x: [(u8, u16); 4]| { let mut a = [0; 4]; let mut b = [0; 4]; for ((p, q), r) in a.iter_mut().zip(&mut b).zip(x) { (*p, *q) = r } (a, b) });
    s.case("next-chunks", |x: A| { let mut c = x.chunks_exact(2); (c.next().map(|p| p[1]), c.next_back().map(|p| p[0]), c.len(), c.nth(1).map(|p| p[0])) });
}

fn sources(s: &mut Suite) {
    s.case("ranges", |(a, b): (u8, u8)| (mix((a..b).map(u32::from)), mix((a..=b).map(u32::from)), (a..=b).rev().nth(3), (a..b).len(), (a..=b).last()));
    s.case("ranges-wide", |(a, b): (i64, u128)| ((a..a.saturating_add(9)).map(|x| x ^ 5).fold(0i64, |s, x| s.wrapping_mul(3) ^ x), (b..b.saturating_add(7)).map(|x| x as u64).fold(0u64, |s, x| s.wrapping_mul(3) ^ x)));
    s.case("ranges-of-char", |c: char| (('a'..='f').nth(c as usize % 8), (c..='\u{10ffff}').nth(3), ('\u{d7fe}'..'\u{e003}').count(), (c..c).next()));
    s.case("ranges-at-the-end", |a: u8| ((250 - a % 3..=254u8).count(), (i8::MIN..=i8::MIN + (a % 3) as i8).rev().last(), (u64::MAX - 2..=u64::MAX).map(|x| x & 3).sum::<u64>()));
    s.case("once-repeat-empty", |(x, n): (u32, usize)| mix(iter::once(x).chain(iter::repeat_n(x ^ 1, n % 5)).chain(iter::empty()).chain(iter::repeat(9).take(n % 3)).chain(iter::once_with(|| !x))));
    s.case("from-fn-successors", |x: u32| { let mut n = x % 50; (mix(iter::from_fn(|| { n = n.checked_sub(3)?; Some(n) })), mix(iter::successors(Some(x | 1), |y| y.checked_mul(3))), iter::repeat_with(|| 5u32).take(3).sum::<u32>()) });
    s.case("option-result", |(x, y): (Option<u32>, u32)| (mix(x.iter().copied().chain(x)), y.checked_add(9).into_iter().chain(y.checked_sub(9)).fold(0u32, |s, z| s ^ z)));
    s.case("own-iterator", |n: u32| (mix(Countdown(n % 30)), Countdown(n % 30).zip(Countdown(9)).map(|(a, b)| a * b).sum::<u32>(), Countdown(n % 30).step_by(4).count()));
    s.case("array-into-iter", |x: A| { let mut it = x.into_iter(); let (a, b) = (it.next(), it.next_back()); (a, b, it.as_slice().len(), it.map(|y| y as u64).sum::<u64>()) });
    s.case("bytes-and-chars", |i: usize| { let t = ["grün", "x", ""][i % 3]; (t.bytes().rev().map(u32::from).fold(0, |s, b| s * 7 + b), t.chars().rev().map(|c| c as u32).fold(0, |s, b| s ^ b), t.chars().filter(char::is_ascii).count()) });
    s.case("matrix-rows", |x: [[i16; 3]; 3]| { let t: i64 = x.iter().flatten().map(|&y| y as i64).sum(); let d: i64 = (0..3).map(|i| x[i][i] as i64).product(); let columns = (0..3).map(|c| x.iter().map(|r| r[c] as i64).sum::<i64>()).max(); (t, d, columns) });
    s.case("dot-and-norm", |(x, y): ([f64; 8], [f64; 8])| (x.iter().zip(&y).map(|(a, b)| a * b).sum::<f64>(), x.iter().map(|a| a * a).sum::<f64>().sqrt(), x.iter().copied().fold(f64::INFINITY, f64::min) + 0.0));
    s.case("prime-count", |n: u8| (2..n as u32).filter(|p| (2..*p).take_while(|d| d * d <= *p).all(|d| p % d != 0)).count());
}

pub fn run(s: &mut Suite) {
    adapters(s);
    consumers(s);
    sources(s);
}
