//! Threads that work together, without `unsafe`: a block fills shared memory and then reads it, a
//! grid reduces, and the library scans and sorts.
//!
//!     cargo smelt run --release --example 08-teams

use smelt::prelude::*;
use smelt::prim::{GridReduction, Reduction, Scan, Sort};
use smelt::BlockSlice;

/// Each element and its neighbours, read from memory once.
fn smooth(x: &[f64], mut y: DisjointMut<f64>, mut tile: BlockSlice<f64>) {
    let i = thread::index();
    let t = block::thread_number();
    let first = i.get() - t;
    // One place more at each end, which is why element k of the tile is x[first + k - 1].
    let tile = tile.fill(|k| {
        let at = (first + k).saturating_sub(1);
        x[at.min(x.len() - 1)]
    });
    if let Some(y) = y.get_mut(i) {
        *y = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.0;
    }
}

/// The greatest value and where it is.
#[derive(Clone, Copy, DeviceCopy)]
struct Peak {
    value: f64,
    at: usize,
}

impl Peak {
    const NONE: Peak = Peak { value: f64::NEG_INFINITY, at: usize::MAX };

    /// The higher one, of equal ones the first.
    fn or(self, other: Peak) -> Peak {
        let first = other.value == self.value && other.at < self.at;
        if other.value > self.value || first {
            other
        } else {
            self
        }
    }
}

fn find_peak(y: &[f64], peak: GridReduction<Peak>) {
    let mut own = Peak::NONE;
    for i in thread::grid_stride(y.len()) {
        let at = i.get();
        own = own.or(Peak { value: y[at], at });
    }
    peak.reduce(own, Peak::or);
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let n = 100_000;
    let wave = |i: usize| (i as f64 / 1000.0).sin() * i as f64 + (i % 17) as f64;
    let x = Buffer::from_vec(&gpu, (0..n).map(wave).collect())?;
    let mut y = Buffer::zeroed(&gpu, n)?;

    // Blocks of 128 threads, each with 130 elements of shared memory.
    let tile = block::slice::<f64>(128 + 2);
    gpu.launch(Grid::cover(n).block(128), smooth, (&x, &mut y, tile))?;

    let mut peak = Reduction::new(&gpu, 64, Peak::NONE)?;
    gpu.launch(Grid::blocks(64).threads(128), find_peak, (&y, &mut peak))?;
    let peak = peak.get()?;
    println!("peak of {:.3} at {}", peak.value, peak.at);

    let mut sums = Buffer::zeroed(&gpu, n)?;
    let mut scan = Scan::new(&gpu, n)?;
    scan.inclusive(&gpu, y.view(), sums.view_mut(), |a, b| a + b)?;
    println!("all together {:.1}", sums.range(n - 1..).to_vec()?[0]);
    scan.inclusive(&gpu, y.view(), sums.view_mut(), f64::max)?;
    println!("highest of the first half {:.3}", sums.range(n / 2 - 1..n / 2).to_vec()?[0]);

    let mut places = Buffer::from_vec(&gpu, (0..n as u32).collect())?;
    Sort::<f64, u32>::new(&gpu, n)?.pairs(&gpu, y.view_mut(), places.view_mut())?;
    println!("lowest at {:?}", places.range(..5).to_vec()?);
    Ok(())
}
