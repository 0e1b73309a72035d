//! Interior mutability of locals, and atomics as locals.

use crate::suite::Suite;
use std::cell::{Cell, OnceCell, RefCell, UnsafeCell};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicU8, Ordering::*};

struct Counter<'a> {
    hits: &'a Cell<u32>,
    log: &'a RefCell<[u32; 4]>,
}
impl Counter<'_> {
    fn hit(&self, x: u32) -> u32 {
        let n = self.hits.replace(self.hits.get() + 1);
        self.log.borrow_mut()[n as usize % 4] = x;
        n
    }
}

#[inline(never)]
fn bump(x: &AtomicU32, by: u32) -> u32 {
    x.fetch_add(by, Relaxed) ^ x.swap(by, Relaxed)
}

pub fn run(s: &mut Suite) {
    s.case("atomic-locals-passed", |(a, b): (u32, u32)| { let x = AtomicU32::new(a); let (p, q) = (bump(&x, b), bump(&x, 3)); (p, q, x.into_inner()) });
    s.case("cell", |(a, b): (u32, u32)| { let c = Cell::new(a); let d = Cell::new(b); c.swap(&d); c.set(c.get() ^ 5); (c.get(), d.take(), d.into_inner(), c.replace(1)) });
    s.case("cell-of-array", |(x, n): ([u32; 5], usize)| { let mut a = x; let cells = Cell::from_mut(&mut a[..]).as_slice_of_cells(); cells[n % 5].set(cells[0].get() ^ 9); cells[1].swap(&cells[4]); a });
    s.case("cell-update", |a: u32| { let c = Cell::new(a); c.update(|x| x.rotate_left(3)); c.get() });
    s.case("refcell", |a: u32| { let r = RefCell::new([a; 3]); r.borrow_mut()[1] = 7; let sum = r.borrow().iter().fold(0u32, |s, x| s ^ x); let free = r.try_borrow_mut().is_ok(); let one = r.borrow()[1]; (sum, free, one, r.into_inner()) });
    s.case("refcell-conflict", |a: u32| { let r = RefCell::new(a); let held = r.borrow(); let seen = (r.try_borrow_mut().is_err(), r.try_borrow().is_ok(), *held); seen });
    s.case("shared-counters", |x: [u32; 6]| { let (hits, log) = (Cell::new(0), RefCell::new([0; 4])); let (p, q) = (Counter { hits: &hits, log: &log }, Counter { hits: &hits, log: &log }); let last = x.iter().map(|&y| if y % 2 == 0 { p.hit(y) } else { q.hit(!y) }).last(); let kept = *log.borrow(); (hits.get(), kept, last) });
    s.case("once-cell", |a: Option<u32>| { let c = OnceCell::new(); if let Some(x) = a { let _ = c.set(x); } (c.get().copied(), *c.get_or_init(|| 77), c.set(3).is_err()) });
    s.case("unsafe-cell", |a: u64| { let c = UnsafeCell::new(a);
        // SAFETY: one thread's own.
        unsafe { *c.get() ^= 3; c.get().read() } });
    s.case("atomic-locals", |(a, b): (u32, u32)| { let x = AtomicU32::new(a); (x.fetch_add(b, Relaxed), x.fetch_xor(7, AcqRel), x.swap(b, SeqCst), x.compare_exchange(b, 1, SeqCst, Relaxed).is_ok(), x.fetch_max(9, Relaxed), x.into_inner()) });
    s.case("atomic-locals-64", |(a, b): (i64, u64)| { let (x, y) = (AtomicI64::new(a), AtomicU64::new(b)); x.fetch_min(5, Relaxed); y.fetch_nand(a as u64, Relaxed); (x.load(Acquire), y.load(SeqCst), y.fetch_update(Relaxed, Relaxed, |v| v.checked_sub(9)).is_ok()) });
    s.case("atomic-locals-small", |(a, b): (u8, bool)| { let (x, y) = (AtomicU8::new(a), AtomicBool::new(b)); (x.fetch_add(200, Relaxed), x.fetch_sub(3, Relaxed), x.load(Relaxed), y.fetch_not(Relaxed), y.fetch_or(a > 9, Relaxed), y.compare_exchange_weak(true, false, Relaxed, Relaxed).unwrap_or(true) as u8 & 0) });
    s.case("cell-in-closure", |x: [u32; 4]| { let seen = Cell::new(0u32); let mark = |y: u32| { seen.set(seen.get().wrapping_mul(5) ^ y); y }; let all = x.map(mark); (all[0], seen.get()) });
}
