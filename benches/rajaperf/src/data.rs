//! The suite's initial data and checksums.
//!
//! Both must be the suite's to the last bit that matters, or no checksum here could be
//! compared with one of its own: the data depend on how many arrays were initialised before, the
//! random ones on the C library's `rand`, and the checksum is summed in more precision than f64
//! has.

/// Makes the data of one run of a kernel, in the order of the calls.
pub struct Init {
    /// Arrays and scalars made so far.
    count: usize,
}

impl Init {
    pub fn new() -> Self {
        Self { count: 0 }
    }

    /// 0.2 and 0.1 in turn.
    fn factor(&mut self) -> f64 {
        self.count += 1;
        if self.count % 2 == 0 { 0.1 } else { 0.2 }
    }

    /// Positive values that depend on position and turn.
    pub fn data(&mut self, len: usize) -> Vec<f64> {
        let factor = self.factor();
        (0..len).map(|i| ramp(factor, i)).collect()
    }

    /// A scalar: the first value of such an array.
    pub fn scalar(&mut self) -> f64 {
        self.factor() * 1.1 / 1.12345
    }

    pub fn constant<T: Clone>(&mut self, len: usize, value: T) -> Vec<T> {
        self.count += 1;
        vec![value; len]
    }

    /// As [`data`](Self::data), with random signs.
    pub fn signed(&mut self, len: usize) -> Vec<f64> {
        let factor = self.factor();
        let mut random = Rand::new();
        (0..len)
            .map(|i| {
                let sign = if random.unit() < 0.5 { -1.0 } else { 1.0 };
                ramp(sign * factor, i)
            })
            .collect()
    }

    /// Random values from 0 to 1.
    pub fn random(&mut self, len: usize) -> Vec<f64> {
        self.count += 1;
        let mut random = Rand::new();
        (0..len).map(|_| random.unit()).collect()
    }

    /// Random signs, with one -58 and one 19 among them.
    pub fn ints(&mut self, len: usize) -> Vec<i32> {
        self.count += 1;
        let mut random = Rand::new();
        let mut values: Vec<i32> = (0..len)
            .map(|_| if random.unit() < 0.5 { -1 } else { 1 })
            .collect();
        for extreme in [-58, 19] {
            let at = (len as f64 * random.unit()) as usize;
            // The end itself is one of rand's values.
            values[at.min(len - 1)] = extreme;
        }
        values
    }
}

fn ramp(factor: f64, i: usize) -> f64 {
    factor * (i as f64 + 1.1) / (i as f64 + 1.12345)
}

/// The C library's `rand` as glibc has it, seeded as the suite seeds it: an additive
/// feedback generator over 31 words, whose first 310 numbers are thrown away.
pub struct Rand {
    words: [u32; 31],
    /// The oldest word, which the next number replaces.
    at: usize,
}

impl Rand {
    pub fn new() -> Self {
        let mut words = [0u32; 31];
        let mut word = 4793i64;
        for slot in &mut words {
            *slot = word as u32;
            word = word * 16807 % 0x7fff_ffff;
        }
        // The first three of the sequence repeat the seeds.
        let mut random = Self { words, at: 3 };
        for _ in 0..310 {
            random.next();
        }
        random
    }

    /// A number below 2^31.
    pub fn next(&mut self) -> u32 {
        let sum = self.words[self.at].wrapping_add(self.words[(self.at + 28) % 31]);
        self.words[self.at] = sum;
        self.at = (self.at + 1) % 31;
        sum >> 1
    }

    /// A number from 0 to 1, both included.
    pub fn unit(&mut self) -> f64 {
        self.next() as f64 / 0x7fff_ffff as f64
    }
}

/// What a checksum is made of.
pub trait Element: Copy + Sync {
    fn value(self) -> f64;
}

macro_rules! elements {
    ($($type:ty)*) => {$(
        impl Element for $type {
            fn value(self) -> f64 {
                self as f64
            }
        }
    )*};
}
elements! { f64 i32 i64 u64 usize }

/// The suite's checksum: a weighted sum, kept as two f64 of which the second
/// holds what the first has no bits for (the suite uses the x87's 64-bit mantissa).
#[derive(Clone, Copy, Debug, Default)]
pub struct Checksum {
    high: f64,
    low: f64,
    /// Sum of the absolute values; what a difference must be small against.
    magnitude: f64,
}

impl Checksum {
    pub fn new() -> Self {
        Self::default()
    }

    /// The checksum of one array.
    pub fn of<T: Element>(values: &[T]) -> Self {
        Self::new().array(values)
    }

    /// The checksum of one number.
    pub fn of_number(value: f64) -> Self {
        Self::new().number(value)
    }

    /// With those of an array, element `j` times |sin(j + 1)| + 0.5.
    pub fn array<T: Element>(self, values: &[T]) -> Self {
        self.scaled(values, 1.0)
    }

    /// As [`array`](Self::array), the array's part being multiplied by `scale`.
    pub fn scaled<T: Element>(mut self, values: &[T], scale: f64) -> Self {
        let part = Self::of_chunks(values);
        self.add(part.high * scale);
        self.add(part.low * scale);
        self.magnitude += part.magnitude * scale.abs();
        self
    }

    /// The unscaled sum over an array, by chunks whose sums are added in order: the same for any
    /// number of threads. Large arrays are shared out, since this takes longer than most kernels.
    fn of_chunks<T: Element>(values: &[T]) -> Self {
        const CHUNK: usize = 1 << 16;
        let chunk = |at: usize| {
            let mut part = Self::new();
            let first = at * CHUNK;
            for (j, value) in (first..).zip(&values[first..values.len().min(first + CHUNK)]) {
                let weight = (j as f64 + 1.0).sin().abs() + 0.5;
                part.add_product(weight, value.value());
            }
            part
        };
        let chunks = values.len().div_ceil(CHUNK);
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        let each = chunks.div_ceil(threads).max(1);
        let part = |first: usize| (first..chunks.min(first + each)).map(chunk).collect();
        let parts: Vec<Vec<Self>> = if chunks < 4 {
            vec![(0..chunks).map(chunk).collect()]
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..chunks)
                    .step_by(each)
                    .map(|first| scope.spawn(move || part(first)))
                    .collect();
                workers.into_iter().map(|w| w.join().unwrap()).collect()
            })
        };
        parts.into_iter().flatten().fold(Self::new(), Self::and)
    }

    /// With a number.
    pub fn number(mut self, value: f64) -> Self {
        self.add(value);
        self.magnitude += value.abs();
        self
    }

    /// With another checksum; the suite adds up those of its passes.
    pub fn and(mut self, other: Self) -> Self {
        self.add(other.high);
        self.add(other.low);
        self.magnitude += other.magnitude;
        self
    }

    pub fn value(&self) -> f64 {
        self.high + self.low
    }

    /// How far from `reference`, as a part of its magnitude. Not a number counts
    /// as infinitely far.
    pub fn distance(&self, reference: &Self) -> f64 {
        let difference = (self.high - reference.high) + (self.low - reference.low);
        if difference == 0.0 && self.high.is_finite() {
            return 0.0;
        }
        let distance = difference.abs() / reference.magnitude.max(f64::MIN_POSITIVE);
        if distance.is_nan() {
            f64::INFINITY
        } else {
            distance
        }
    }

    fn add(&mut self, value: f64) {
        let sum = self.high + value;
        let back = sum - self.high;
        // Exact: what the rounded sum lost.
        self.low += (self.high - (sum - back)) + (value - back);
        self.high = sum;
    }

    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        self.add(product);
        self.low += product_error(a, b, product);
        self.magnitude += product.abs();
    }
}

/// What `a * b` lost when it was rounded to `product`, by halves of 26 bits.
fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let halves = |x: f64| {
        let high = f64::from_bits(x.to_bits() & !0x7ff_ffff);
        (high, x - high)
    };
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    ((ah * bh - product) + ah * bl + al * bh) + al * bl
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rand_is_the_c_librarys() {
        unsafe extern "C" {
            fn srand(seed: u32);
            fn rand() -> i32;
        }
        let mut random = Rand::new();
        // SAFETY: no other thread of this test calls rand.
        unsafe { srand(4793) };
        for _ in 0..10_000 {
            assert_eq!(random.next() as i32, unsafe { rand() });
        }
    }

    #[test]
    fn arrays_take_turns() {
        let mut init = Init::new();
        let (a, b) = (init.data(2), init.data(2));
        assert_eq!(a[0], 0.2 * 1.1 / 1.12345);
        assert_eq!(b[0], 0.1 * 1.1 / 1.12345);
        assert_eq!(init.scalar(), 0.2 * 1.1 / 1.12345);
    }

    #[test]
    fn chunks_add_up_to_the_whole() {
        let values = Init::new().signed(1_000_003);
        let mut whole = Checksum::new();
        for (j, value) in values.iter().enumerate() {
            whole.add_product((j as f64 + 1.0).sin().abs() + 0.5, *value);
        }
        let chunks = Checksum::of(&values);
        assert!((whole.value() - chunks.value()).abs() <= 1e-15 * whole.magnitude);
        assert!((whole.magnitude / chunks.magnitude - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_wrong_element_of_a_million_shows() {
        let mut values = Init::new().data(1_000_000);
        let right = Checksum::of(&values);
        values[777_777] *= 1.0 + 1e-3;
        assert!(Checksum::of(&values).distance(&right) > 1e-10);
        values[777_777] = f64::NAN;
        assert_eq!(Checksum::of(&values).distance(&right), f64::INFINITY);
    }
}
