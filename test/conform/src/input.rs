//! Where the inputs of cases come from: for each type its edge values and a random stream
//! that is the same in every run.

use smelt::DeviceCopy;
use std::fmt::Debug;

/// A 64-bit linear congruential generator with mixed output (PCG's XSH-RR, twice).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        random.word();
        random
    }

    fn half(&mut self) -> u32 {
        let old = self.0;
        self.0 = old.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
    }

    pub fn word(&mut self) -> u64 {
        (self.half() as u64) << 32 | self.half() as u64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }
}

/// Types that a case may take.
pub trait Input: DeviceCopy + Send + Sync + Debug {
    fn edges() -> Vec<Self>;
    fn random(random: &mut Random) -> Self;

    /// An edge value as often as not: the parts of a tuple must meet at their edges too.
    fn mixed(random: &mut Random) -> Self {
        if random.below(2) == 0 {
            let edges = Self::edges();
            return edges[random.below(edges.len())];
        }
        Self::random(random)
    }
}

macro_rules! integer {
    ($($type:ty)*) => {$(
        impl Input for $type {
            fn edges() -> Vec<Self> {
                let (min, max) = (<$type>::MIN, <$type>::MAX);
                vec![0, 1, 2, 3, 7, 8, 10, 31, 63, 64, 100, 127, min, min + 1, max, max - 1,
                     max / 2, max / 2 + 1, (0 as $type).wrapping_sub(1), max / 3]
            }
            /// Of random magnitude, so that small values are not rare.
            fn random(random: &mut Random) -> Self {
                let bits = (random.word() as u128) << 64 | random.word() as u128;
                let all = bits as $type;
                all.wrapping_shr(random.below(<$type>::BITS as usize) as u32)
            }
        }
    )*};
}
integer! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

macro_rules! float {
    ($($type:ident $bits:ident;)*) => {$(
        impl Input for $type {
            fn edges() -> Vec<Self> {
                let mut all = Vec::new();
                for x in [0.0, $type::MIN_POSITIVE, $type::MAX, $type::INFINITY, $type::EPSILON,
                          $type::from_bits(1), $type::MIN_POSITIVE / 2.0, 0.1, 0.5, 1.0, 1.5, 2.0,
                          2.5, 3.0, 3.5, 10.0, 100.0, 127.5, 128.0, 255.5, 256.0, 65535.5,
                          8388607.5, 8388608.0, 16777217.0, 2147483647.0, 2147483648.0,
                          4294967295.0, 4294967296.0, 9.223372e18, 1.8446744e19, 1.7014118e38,
                          0.49999997, 1.0 - $type::EPSILON / 2.0, 1.0 + $type::EPSILON,
                          std::f64::consts::PI as $type, std::f64::consts::E as $type,
                          4503599627370495.5, $type::MIN_POSITIVE * (2.0 - $type::EPSILON)] {
                    all.extend([x, -x]);
                }
                all.push($type::NAN);
                all
            }
            /// Half of them of any exponent, half near one.
            fn random(random: &mut Random) -> Self {
                let word = random.word();
                if word & 1 == 0 {
                    return $type::from_bits((word >> 8) as $bits ^ (random.word() as $bits) << 3);
                }
                (word as i64 as f64 / 2f64.powi(58)) as $type
            }
        }
    )*};
}
float! { f32 u32; f64 u64; }

impl Input for bool {
    fn edges() -> Vec<Self> {
        vec![false, true]
    }
    fn random(random: &mut Random) -> Self {
        random.below(2) == 1
    }
}

impl Input for char {
    fn edges() -> Vec<Self> {
        "\0\t\n az AZ09_\u{7f}\u{80}éßİıΣςſKÅǅ٣Ⅷ\u{300}\u{2028}\u{d7ff}\u{e000}\u{fffd}\u{ffff}\u{10000}😀\u{10ffff}"
            .chars()
            .collect()
    }
    fn random(random: &mut Random) -> Self {
        let limit = [0x80, 0x3000, 0x110000][random.below(3)];
        char::from_u32(random.below(limit) as u32).unwrap_or('x')
    }
}

impl<T: Input> Input for Option<T> {
    fn edges() -> Vec<Self> {
        T::edges().into_iter().map(Some).chain([None]).collect()
    }
    fn random(random: &mut Random) -> Self {
        (random.below(4) != 0).then(|| T::mixed(random))
    }
}

impl<T: Input, const N: usize> Input for [T; N] {
    fn edges() -> Vec<Self> {
        T::edges().into_iter().map(|x| [x; N]).collect()
    }
    fn random(random: &mut Random) -> Self {
        std::array::from_fn(|_| T::mixed(random))
    }
}

macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: Input),*> Input for ($($name,)*) {
            fn edges() -> Vec<Self> {
                let mut random = Random::new(1);
                let mut edge = || ($({
                    let edges = $name::edges();
                    edges[random.below(edges.len())]
                },)*);
                (0..200).map(|_| edge()).collect()
            }
            fn random(random: &mut Random) -> Self {
                ($($name::mixed(random),)*)
            }
        }
    };
}
tuple!(A);
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);
