//! Bodies that attract each other: structs in slices, math, a loop in the kernel, data
//! that stays on the device over many steps.
//!
//!     cargo smelt run --release --example 06-nbody

use smelt::prelude::*;

#[derive(Clone, Copy, DeviceCopy)]
struct Body {
    at: [f64; 3],
    speed: [f64; 3],
    mass: f64,
}

/// Keeps the force finite where two bodies meet.
const SOFTENING: f64 = 1e-3;

fn advance(dt: f64, now: &[Body], mut next: DisjointMut<Body>) {
    let i = thread::index();
    let Some(next) = next.get_mut(i) else { return };
    let mut body = now[i.get()];
    let mut pull = [0.0; 3];
    for other in now {
        let d: [f64; 3] = std::array::from_fn(|k| other.at[k] - body.at[k]);
        let square = d.iter().map(|v| v * v).sum::<f64>() + SOFTENING;
        let strength = other.mass / (square * square.sqrt());
        for k in 0..3 {
            pull[k] += strength * d[k];
        }
    }
    for k in 0..3 {
        body.speed[k] += pull[k] * dt;
        body.at[k] += body.speed[k] * dt;
    }
    *next = body;
}

/// A ball of bodies, at rest, from a small generator of numbers.
fn start(n: usize) -> Vec<Body> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    (0..n)
        .map(|_| Body {
            at: [random(), random(), random()],
            speed: [0.0; 3],
            mass: 1.0 / n as f64,
        })
        .collect()
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    let bodies = start(1000);
    let mut now = Buffer::from_slice(&gpu, &bodies)?;
    let mut next = Buffer::from_slice(&gpu, &bodies)?;
    for step in 0..=50 {
        if step % 10 == 0 {
            let state = now.to_vec()?;
            let size = state.iter().map(|b| b.at.map(f64::abs).iter().sum::<f64>()).sum::<f64>();
            let drift: f64 = state.iter().map(|b| b.speed[0] * b.mass).sum();
            println!("step {step:2}: mean distance {:.6}", size / state.len() as f64);
            assert!(drift.abs() < 1e-9, "momentum is kept");
        }
        gpu.launch(Grid::cover(now.len()), advance, (0.01, &now, &mut next))?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(())
}
