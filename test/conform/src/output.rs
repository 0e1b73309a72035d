//! What cases may give, and when two results are the same.

use smelt::DeviceCopy;
use std::cmp::Ordering;
use std::fmt::Debug;

/// Types that a case may give.
pub trait Output: DeviceCopy + Send + Sync + Debug {
    /// What results are overwritten over: a value that forgotten writes show by.
    const FILLER: Self;
    /// Equal to the bit, except that every NaN is like any other: neither IEEE nor Rust
    /// says which one an operation gives.
    fn same(&self, other: &Self) -> bool;
    /// As `same`, but floats may be so many units in the last place apart.
    fn near(&self, other: &Self, _ulps: u64) -> bool {
        self.same(other)
    }
}

macro_rules! plain {
    ($($type:ty: $filler:expr;)*) => {$(
        impl Output for $type {
            const FILLER: Self = $filler;
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}
plain! {
    u8: 0xa5; u16: 0xa5a5; u32: 0xa5a5_a5a5; u64: 0xa5a5_a5a5_a5a5_a5a5; u128: 0xa5a5; usize: 0xa5a5_a5a5;
    i8: 0x5a; i16: 0x5a5a; i32: 0x5a5a_5a5a; i64: 0x5a5a_5a5a; i128: 0x5a5a; isize: 0x5a5a_5a5a;
    bool: false; char: '\u{fffd}'; (): (); Ordering: Ordering::Equal;
}

macro_rules! float {
    ($($type:ident $signed:ident;)*) => {$(
        impl Output for $type {
            const FILLER: Self = 12345.678;
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
            fn near(&self, other: &Self, ulps: u64) -> bool {
                // Bits as a number that grows with the float.
                let rank = |x: &$type| {
                    let bits = x.to_bits() as $signed;
                    if bits < 0 { -((bits & $signed::MAX) as i128) } else { bits as i128 }
                };
                self.same(other)
                    || !self.is_nan() && !other.is_nan()
                        && rank(self).abs_diff(rank(other)) <= ulps as u128
            }
        }
    )*};
}
float! { f32 i32; f64 i64; }

impl<T: Output> Output for Option<T> {
    const FILLER: Self = Some(T::FILLER);
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }
}

impl<T: Output, E: Output> Output for Result<T, E> {
    const FILLER: Self = Ok(T::FILLER);
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Ok(a), Ok(b)) => a.same(b),
            (Err(a), Err(b)) => a.same(b),
            _ => false,
        }
    }
}

impl<T: Output, const N: usize> Output for [T; N] {
    const FILLER: Self = [T::FILLER; N];
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
    fn near(&self, other: &Self, ulps: u64) -> bool {
        self.iter().zip(other).all(|(a, b)| a.near(b, ulps))
    }
}

macro_rules! tuple {
    ($($name:ident $at:tt)*) => {
        impl<$($name: Output),*> Output for ($($name,)*) {
            const FILLER: Self = ($($name::FILLER,)*);
            fn same(&self, other: &Self) -> bool {
                true $(&& self.$at.same(&other.$at))*
            }
            fn near(&self, other: &Self, ulps: u64) -> bool {
                true $(&& self.$at.near(&other.$at, ulps))*
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);
tuple!(A 0 B 1 C 2 D 3 E 4);
tuple!(A 0 B 1 C 2 D 3 E 4 F 5);
