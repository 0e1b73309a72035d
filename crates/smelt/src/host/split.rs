//! One array over several devices.

use super::buffer::Buffer;
use super::device::Device;
use crate::{DeviceCopy, Error, Result};
use std::fmt;
use std::ops::Range;

/// A slice split over several devices: each holds one run of its elements, in order, and all
/// work at once.
///
/// ```
/// # use smelt::prelude::*;
/// # use smelt::Split;
/// fn square(mut y: DisjointMut<u64>) {
///     if let Some(y) = y.get_mut(thread::index()) {
///         *y *= *y;
///     }
/// }
/// let mut y = Split::new(&Device::all()?, &(0..1000).collect::<Vec<u64>>())?;
/// for part in y.parts_mut() {
///     part.device().launch(Grid::cover(part.len()), square, (part,))?;    // does not wait
/// }
/// assert_eq!(y.to_vec()?[999], 999 * 999);
/// # Ok::<(), smelt::Error>(())
/// ```
pub struct Split<T> {
    parts: Vec<Buffer<T>>,
    len: usize,
}

impl<T: DeviceCopy> Split<T> {
    /// Copies to each device its part, all of nearly the same length.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no devices, [`Error::NoDeviceMemory`], and [`Error::Engine`] from
    /// a driver.
    #[track_caller]
    pub fn new(devices: &[Device], slice: &[T]) -> Result<Self> {
        if devices.is_empty() {
            return Err(Error::Invalid("an array split over no devices".into()));
        }
        let parts = (0..devices.len())
            .map(|at| {
                let range = range_of(at, devices.len(), slice.len());
                Buffer::from_slice(&devices[at], &slice[range])
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            parts,
            len: slice.len(),
        })
    }

    /// Number of elements of all parts.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[Buffer<T>] {
        &self.parts
    }

    /// The parts, to be written.
    pub fn parts_mut(&mut self) -> &mut [Buffer<T>] {
        &mut self.parts
    }

    /// Which elements of the whole part number `part` has.
    ///
    /// # Panics
    /// If there are not so many parts.
    pub fn range(&self, part: usize) -> Range<usize> {
        assert!(
            part < self.parts.len(),
            "part {part} of {}",
            self.parts.len()
        );
        range_of(part, self.parts.len(), self.len)
    }

    /// All parts together, after waiting for the work that writes them.
    ///
    /// # Errors
    /// Those of [`Device::wait`].
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut all = Vec::with_capacity(self.len);
        for part in &self.parts {
            all.extend(part.to_vec()?);
        }
        Ok(all)
    }
}

/// Part `at` of `count`; the first ones are the longer.
fn range_of(at: usize, count: usize, len: usize) -> Range<usize> {
    let (each, more) = (len / count, len % count);
    let start = at * each + at.min(more);
    start..start + each + usize::from(at < more)
}

impl<T> fmt::Debug for Split<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Split({} elements, {} parts)",
            self.len,
            self.parts.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::range_of;

    #[test]
    fn parts_are_the_whole() {
        for len in [0, 1, 5, 100, 101] {
            for count in 1..8 {
                let mut next = 0;
                for at in 0..count {
                    let range = range_of(at, count, len);
                    assert_eq!(range.start, next);
                    assert!(range.len() <= len / count + 1);
                    next = range.end;
                }
                assert_eq!(next, len);
            }
        }
    }
}
