//! Basic_ARRAY_OF_PTRS: y is the sum of a number of arrays, found through a list of where they begin.

use crate::prelude::*;

/// Most arrays; the suite's limit too.
const MOST: usize = 26;

pub const KERNEL: Kernel = Kernel {
    name: "ARRAY_OF_PTRS",
    group: Group::Basic,
    reps: 50,
    shape: |params, n| Shape {
        bytes_read: 8 * arrays(params.array_of_ptrs_array_size) * n,
        bytes_written: 8 * n,
        flops: arrays(params.array_of_ptrs_array_size) * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

fn arrays(asked: usize) -> usize {
    asked.min(MOST)
}

/// Where each array begins in `x`.
#[derive(Clone, Copy, DeviceCopy)]
struct Starts {
    count: usize,
    at: [usize; MOST],
}

fn data(run: &mut Run) -> ([Vec<f64>; 2], Starts) {
    let (n, init) = (run.size, &mut run.init);
    let count = arrays(run.params.array_of_ptrs_array_size);
    let at = std::array::from_fn(|a| a * n);
    let (y, x) = (init.constant(n, 0.0), init.data(count * n));
    ([y, x], Starts { count, at })
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let ([mut y, x], starts) = data(run);
    let n = run.size;
    let x: Vec<&[f64]> = starts.at[..starts.count]
        .iter()
        .map(|&at| &x[at..][..n])
        .collect();
    run.time_host(|| {
        for (i, y) in y.iter_mut().enumerate() {
            *y = x.iter().map(|x| x[i]).sum();
        }
    });
    Ok(Checksum::of(&y))
}

fn sum(starts: Starts, x: &[f64], mut y: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if let Some(y) = y.get_mut(t) {
        let mut sum = 0.0;
        for start in &starts.at[..starts.count] {
            sum += x[start + i];
        }
        *y = sum;
    }
}

fn sum_unchecked(starts: Starts, x: &[f64], mut y: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < y.len() {
        let mut sum = 0.0;
        for a in 0..starts.count {
            // SAFETY: count is at most MOST; x holds an array of y's length at each start.
            sum += unsafe { x.get_unchecked(starts.at.get_unchecked(a) + i) };
        }
        // SAFETY: element i is this thread's.
        unsafe { *y.get_unchecked_mut(i) = sum };
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let ([y, x], starts) = data(run);
    let (mut y, x) = (run.to_device(&y)?, run.to_device(&x)?);
    let grid = run.cover(run.size);
    run.time(|queue| launch!(queue, grid, [sum, sum_unchecked], (starts, &x, &mut y)))?;
    Ok(Checksum::of(&run.to_host(&y)?))
}
