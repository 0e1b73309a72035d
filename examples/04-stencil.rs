//! Two dimensions: heat spreads over a plate, step by step, on the device.
//!
//!     cargo smelt run --example 04-stencil

use smelt::prelude::*;

const COLUMNS: usize = 200;
const ROWS: usize = 120;

/// One step: each inner cell moves towards the mean of its four neighbours.
///
/// `new` is seen in two dimensions, and a two-dimensional token names an element of
/// it. `old` is a plain slice: any thread may read any of it.
fn step(rate: f32, old: &[f32], mut new: DisjointMut2<f32>) {
    let i = thread::index2();
    let (x, y) = i.get();
    let (columns, rows) = (new.columns(), new.rows());
    if let Some(new) = new.get_mut(i) {
        let at = y * columns + x;
        *new = old[at];
        if x > 0 && x + 1 < columns && y > 0 && y + 1 < rows {
            let around = old[at - 1] + old[at + 1] + old[at - columns] + old[at + columns];
            *new += rate * (around - 4.0 * old[at]);
        }
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    eprintln!("running on {}", gpu.info()?.name);

    // A cold plate with one hot edge.
    let mut plate = vec![0.0f32; COLUMNS * ROWS];
    plate[..COLUMNS].fill(100.0);

    // Buffers stay on the device: nothing is copied between the steps.
    let mut old = Buffer::from_slice(&gpu, &plate)?;
    let mut new = Buffer::from_slice(&gpu, &plate)?;
    let grid = Grid::cover((COLUMNS, ROWS));
    for _ in 0..500 {
        gpu.launch(grid, step, (0.2, &old, new.as_2d(ROWS, COLUMNS)))?;
        std::mem::swap(&mut old, &mut new);
    }
    let plate = old.to_vec()?;

    for y in [0, 1, 5, 10, 20, 40] {
        println!("row {y:2}: {:6.2}", plate[y * COLUMNS + COLUMNS / 2]);
    }
    Ok(())
}
