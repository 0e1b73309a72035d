//! Inputs: special values, then a random stream over the ranges in which a function has
//! something to say.

use smelt::DeviceCopy;

/// f32 or f64.
pub trait Float: DeviceCopy + Default + Send + Sync {
    const NAME: &'static str;
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
    /// Any bit pattern but a NaN.
    fn any(random: &mut Random) -> Self;
    fn specials() -> Vec<Self>;
}

macro_rules! float {
    ($($type:ident $bits:ident;)*) => {$(
        impl Float for $type {
            const NAME: &'static str = stringify!($type);
            fn of(x: f64) -> Self {
                x as $type
            }
            fn wide(self) -> f64 {
                self as f64
            }
            fn any(random: &mut Random) -> Self {
                loop {
                    let x = $type::from_bits(random.word() as $bits);
                    if !x.is_nan() {
                        return x;
                    }
                }
            }
            fn specials() -> Vec<Self> {
                let pi = std::f64::consts::PI as $type;
                let mut all = vec![$type::NAN];
                for x in [0.0, $type::from_bits(1), $type::MIN_POSITIVE / 2.0,
                          $type::MIN_POSITIVE, $type::EPSILON / 2.0, 0.25, 0.5,
                          1.0 - $type::EPSILON / 2.0, 1.0, 1.0 + $type::EPSILON, 1.5, 2.0, 2.5,
                          3.0, 10.0, pi / 4.0, pi / 2.0, pi, 355.0, 1e5, 1e22,
                          $type::MAX.ln(), 1.0 / $type::EPSILON, $type::MAX / 2.0, $type::MAX,
                          $type::INFINITY] {
                    all.extend([x, -x]);
                }
                all
            }
        }
    )*};
}
float! { f32 u32; f64 u64; }

/// A 64-bit linear congruential generator, its output mixed.
pub struct Random(u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 33)).wrapping_mul(0xff51afd7ed558ccd);
        mixed ^ (mixed >> 29)
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[derive(Clone, Copy)]
pub enum Range {
    /// Any bit pattern.
    Any,
    /// Evenly spread.
    Even(f64, f64),
    /// Evenly spread logarithms, positive.
    Log(f64, f64),
    /// As `Log`, of either sign.
    Signed(f64, f64),
    /// Whole numbers, both ends included.
    Whole(i32, i32),
}

impl Range {
    fn sample<T: Float>(self, random: &mut Random) -> T {
        match self {
            Range::Any => T::any(random),
            Range::Even(low, high) => T::of(low + (high - low) * random.unit()),
            Range::Log(low, high) => {
                T::of((low.ln() + (high.ln() - low.ln()) * random.unit()).exp())
            }
            Range::Signed(low, high) => {
                let x = Range::Log(low, high).sample::<T>(random).wide();
                T::of(if random.word() >> 63 == 0 { x } else { -x })
            }
            Range::Whole(low, high) => {
                T::of((low as f64 + (high as f64 - low as f64 + 1.0) * random.unit()).floor())
            }
        }
    }
}

/// Where a function is measured. `y` and `z` stay empty for functions that take fewer.
pub struct Domain {
    pub text: &'static str,
    pub x: &'static [Range],
    pub y: &'static [Range],
    pub z: &'static [Range],
}

impl Domain {
    /// At least `samples` of each argument.
    pub fn inputs<T: Float>(&self, samples: usize) -> [Vec<T>; 3] {
        let mut all = [vec![], vec![], vec![]];
        self.specials(&mut all);
        let mut random = Random(1);
        for n in 0..samples {
            for (all, ranges) in all.iter_mut().zip([self.x, self.y, self.z]) {
                all.push(match ranges {
                    [] => T::default(),
                    _ => ranges[n % ranges.len()].sample(&mut random),
                });
            }
        }
        all
    }

    /// Special values of each argument with those of the others; whole numbers have their own.
    fn specials<T: Float>(&self, all: &mut [Vec<T>; 3]) {
        let of = |ranges: &[Range]| match ranges {
            [] => vec![T::default()],
            [Range::Whole(low, high)] => [0, 1, -1, 2, -2, 3, 7, *low, *high]
                .map(|n| T::of(n as f64))
                .to_vec(),
            // One sign only: the others belong to another line of the table.
            [Range::Even(low, _), ..] if *low >= 0.0 => T::specials()
                .into_iter()
                .filter(|x| x.wide() >= 0.0)
                .collect(),
            [Range::Even(_, high), ..] if *high <= 0.0 => T::specials()
                .into_iter()
                .filter(|x| x.wide() < 0.0)
                .collect(),
            _ => T::specials(),
        };
        let (xs, ys, zs): (Vec<T>, _, _) = (of(self.x), of(self.y), of(self.z));
        for x in &xs {
            for y in &ys {
                for z in zs.iter().step_by(if zs.len() > 1 { 5 } else { 1 }) {
                    all[0].push(*x);
                    all[1].push(*y);
                    all[2].push(*z);
                }
            }
        }
    }
}
