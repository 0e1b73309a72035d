//! Timing as native/timing.cuh does it: batches of launches, one wait after each
//! batch, the median of the batches' time per launch.

use std::time::Instant;

/// Microseconds per launch.
pub fn median_us(
    batches: usize,
    launches: usize,
    mut launch: impl FnMut() -> smelt::Result<()>,
    wait: impl Fn() -> smelt::Result<()>,
) -> smelt::Result<f64> {
    let mut times = Vec::with_capacity(batches);
    for batch in 0..batches + 2 {
        let start = Instant::now();
        for _ in 0..launches {
            launch()?;
        }
        wait()?;
        // The first two warm up.
        if batch >= 2 {
            times.push(start.elapsed().as_secs_f64() * 1e6 / launches as f64);
        }
    }
    Ok(median(times))
}

pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The inputs of all programs, here and in native/timing.cuh.
pub fn inputs(n: usize, seed: usize) -> Vec<f64> {
    (0..n)
        .map(|i| {
            let mixed = (i + seed).wrapping_mul(2654435761);
            0.5 + (mixed % 1000003) as f64 / 1000003.0
        })
        .collect()
}

pub fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len() as f64
}
