//! Panics: the device says what the host says, at the same place, and goes on.

use crate::suite::Suite;
use std::cell::{Cell, RefCell};

const SMALL: [u32; 6] = [0, 1, 2, 3, 7, 100];

#[inline(never)]
fn deep(x: &[u32], n: u32) -> u32 {
    if n == 0 { x[x.len()] } else { deep(&x[1..], n - 1).wrapping_add(1) }
}

struct Late<'a>(&'a Cell<u32>);
impl Drop for Late<'_> {
    fn drop(&mut self) {
        let n = self.0.get();
        self.0.set(n + 1);
        assert!(n != 7, "seven in a drop");
    }
}

pub fn run(s: &mut Suite) {
    s.panics("index", &[0usize, 3, 4, usize::MAX], |i| [1u32, 2, 3, 4][i]);
    s.panics("index-nested", &SMALL, |n| deep(&[1, 2, 3], n % 3));
    s.panics("slice-end", &[0usize, 4, 5, usize::MAX], |i| [1u8, 2, 3, 4][..i].len());
    s.panics("slice-start", &[0usize, 4, 5], |i| [1u8, 2, 3, 4][i..].len());
    s.panics("slice-order", &[0usize, 2, 3], |i| [1u8, 2, 3, 4][i..2].len());
    s.panics("slice-inclusive", &[0usize, 3, 4], |i| [1u8, 2, 3, 4][..=i].len());
    s.panics("unwrap-none", &SMALL, |x| x.checked_sub(2).unwrap());
    s.panics("expect-none", &SMALL, |x| x.checked_sub(2).expect("at least two"));
    s.panics("assert", &SMALL, |x| { assert!(x < 5); x });
    s.panics("assert-message", &SMALL, |x| { assert!(x < 5, "below five"); x });
    s.panics("panic-text", &SMALL, |x| if x == 3 { panic!("three is not taken") } else { x });
    s.panics("unreachable", &SMALL, |x| if x < 7 { x } else { unreachable!() });
    s.panics("unreachable-text", &SMALL, |x| if x < 7 { x } else { unreachable!("seven or more") });
    s.panics("todo", &SMALL, |x| if x < 7 { x } else { todo!() });
    s.panics("unimplemented", &SMALL, |x| if x < 7 { x } else { unimplemented!("not {}", "yet") });
    s.panics("divide-by-zero", &SMALL, |x| 100 / x);
    s.panics("remainder-by-zero", &SMALL, |x| 100 % x);
    s.panics("divide-overflow", &[1i32, -1, 0], |x| i32::MIN / x);
    s.panics("remainder-overflow", &[1i64, -1, 0], |x| i64::MIN % x);
    s.panics("copy-lengths", &[1usize, 3, 4], |n| { let mut a = [0u8; 3]; a.copy_from_slice(&[1u8, 2, 3, 4][..n]); a });
    s.panics("split-at", &[1usize, 4, 5], |n| [1u8, 2, 3, 4].split_at(n).0.len());
    s.panics("chunks-of-zero", &[0usize, 1, 2], |n| [1u8, 2, 3, 4].chunks(n).len());
    s.panics("step-by-zero", &[0usize, 1, 2], |n| (0..9u32).step_by(n).count());
    s.panics("refcell-borrowed", &[0u32, 1], |x| { let r = RefCell::new(x); let a = (x == 1).then(|| r.borrow()); *r.borrow_mut() += 1; a.is_some() });
    s.panics("in-a-drop", &[5u32, 6, 7, 8], |x| { let c = Cell::new(x); drop(Late(&c)); c.get() });
    s.panics("clamp-order", &[1u32, 9], |x| 5u32.clamp(x, 7));
    s.panics("ilog-of-zero", &[0u32, 1, 9], |x| x.ilog2());
    s.panics("rotate-too-far", &[0usize, 3, 4], |n| { let mut a = [1u8, 2, 3]; a.rotate_left(n); a });
    s.panics("explicit-in-generic", &SMALL, |x| { fn inner<T: PartialEq>(a: T, b: T) -> bool { if a == b { panic!("equal") } true } inner(x, 7) });
    s.panics("from-a-dyn-call", &SMALL, |x| { let f: &dyn Fn(u32) -> u32 = if x % 2 == 0 { &|y| y + 1 } else { &|y| [0; 3][y as usize] }; std::hint::black_box(f)(x) });
    if cfg!(debug_assertions) {
        s.panics("add-overflow", &[1u32, u32::MAX], |x| x + 1);
        s.panics("sub-overflow", &SMALL, |x| x - 2);
        s.panics("mul-overflow", &[3u64, 1 << 40], |x| x * x);
        s.panics("neg-overflow", &[3i32, i32::MIN], |x| -x);
        s.panics("shl-overflow", &SMALL, |x| 1u32 << x);
        s.panics("shr-overflow", &SMALL, |x| 1i64 >> x);
        s.panics("abs-overflow", &[3i8, i8::MIN], |x| x.abs());
        s.panics("pow-overflow", &SMALL, |x| 9u32.pow(x));
        s.panics("sum-overflow", &[1u8, 100], |x| [x; 3].iter().sum::<u8>());
        s.panics("debug-assert", &SMALL, |x| { debug_assert!(x != 7, "never seven"); x });
    }
    s.panics("formatted", &SMALL, |x| if x == 7 { panic!("x is {x}") } else { x });
    s.panics("formatted-signed", &[-7i64, 7], |x| if x < 0 { panic!("{} and {x:5}", -x) } else { x });
    s.panics("assert-eq", &SMALL, |x| { assert_eq!(x % 4, x, "of {}", 4u8); x });
    s.panics("expect-err", &SMALL, |x| u8::try_from(x * 50).expect("a byte"));
    s.panics("unwrap-err", &SMALL, |x| if x > 5 { Err(x) } else { Ok(x) }.unwrap());
}
