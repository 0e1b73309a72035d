//! Knows nothing of smelt: neither generic nor inline functions, a table, a
//! vtable, errors.

static TABLE: [f64; 8] = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5];
pub static NAMES: [&str; 3] = ["a", "bcd", "efghi"];

fn weighted(x: f64) -> f64 {
    TABLE.iter().map(|t| t * x).sum()
}

#[inline(never)]
pub fn score(x: f64, n: usize) -> f64 {
    let shift = if cfg!(feature = "shift") { 1000.0 } else { 0.0 };
    weighted(x) + TABLE[n] + NAMES[n % 3].len() as f64 + shift
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Error {
    Digit(u8),
    Overflow,
}

pub fn parse(text: &[u8]) -> Result<u32, Error> {
    let mut value = 0u32;
    for &c in text {
        if !c.is_ascii_digit() {
            return Err(Error::Digit(c));
        }
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add((c - b'0') as u32))
            .ok_or(Error::Overflow)?;
    }
    Ok(value)
}

trait Shape {
    fn area(&self) -> f64;
}
struct Square(f64);
struct Disc(f64);
impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Disc {
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.0
    }
}

pub fn area(n: usize, x: f64) -> f64 {
    let (square, disc) = (Square(x), Disc(x));
    let shape: &dyn Shape = if n % 2 == 0 { &square } else { &disc };
    shape.area()
}
