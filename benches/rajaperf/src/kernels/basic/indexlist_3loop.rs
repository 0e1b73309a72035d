//! Basic_INDEXLIST_3LOOP: the list of the places where x is negative, in three loops: flags, their
//! prefix sums, the list.

use crate::prelude::*;
use smelt::prim::Scan;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

pub const KERNEL: Kernel = Kernel {
    name: "INDEXLIST_3LOOP",
    group: Group::Basic,
    features: &[Feature::Forall, Feature::Scan],
    reps: 100,
    shape: |_, n| Shape {
        iterations: 3 * n + 1,
        kernels: 3,
        bytes_read: 8 * n + 8 + 16 * (n + 1),
        // About half of them are negative.
        bytes_written: 8 * n + 8 + 8 * (n + 1) + 4 * (n + 1) / 2,
        ..Shape::of(n)
    },
    seq,
    smelt,
    ..Kernel::DEFAULT
};

/// x, and the list with its initial contents.
fn data(run: &mut Run) -> (Vec<f64>, Vec<i32>) {
    let (n, init) = (run.size, &mut run.init);
    (init.signed(n), init.ints(n))
}

fn checksum(list: &[i32], len: usize) -> Checksum {
    Checksum::of(list).number(len as f64)
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let (x, mut list) = data(run);
    let n = run.size;
    let mut counts = vec![0u64; n + 1];
    run.time_host(|| {
        for (count, x) in counts.iter_mut().zip(&x) {
            *count = (*x < 0.0) as u64;
        }
        let mut sum = 0;
        for count in &mut counts {
            sum += std::mem::replace(count, sum);
        }
        for (i, pair) in counts.windows(2).enumerate() {
            if pair[0] != pair[1] {
                list[pair[0] as usize] = i as i32;
            }
        }
    });
    Ok(checksum(&list, counts[n] as usize))
}

fn flags(x: &[f64], mut counts: DisjointMut<u64>) {
    let t = thread::index();
    if t.get() < x.len() {
        counts[t] = (x[t.get()] < 0.0) as u64;
    }
}

fn flags_unchecked(x: &[f64], mut counts: DisjointMut<u64>) {
    let i = thread::index().get();
    if i < x.len() {
        // SAFETY: counts is longer than x; element i is this thread's.
        unsafe { *counts.get_unchecked_mut(i) = (*x.get_unchecked(i) < 0.0) as u64 };
    }
}

fn list(sums: &[u64], list: &[AtomicI32], len: &[AtomicU64]) {
    let i = thread::index().get();
    if i + 1 < sums.len() {
        let here = sums[i];
        let next = sums[i + 1];
        if here != next {
            list[here as usize].store(i as i32, Ordering::Relaxed);
        }
        if i + 2 == sums.len() {
            len[0].store(next, Ordering::Relaxed);
        }
    }
}

fn list_unchecked(sums: &[u64], list: &[AtomicI32], len: &[AtomicU64]) {
    let i = thread::index().get();
    if i + 1 < sums.len() {
        // SAFETY: both sums lie inside; there are as many places for the list as
        // sums can count, each written by one thread; len has one element.
        unsafe {
            let here = *sums.get_unchecked(i);
            let next = *sums.get_unchecked(i + 1);
            if here != next {
                *list.get_unchecked(here as usize).as_ptr() = i as i32;
            }
            if i + 2 == sums.len() {
                *len.get_unchecked(0).as_ptr() = next;
            }
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let (x, places) = data(run);
    let n = run.size;
    let x = run.to_device(&x)?;
    let places = run.move_to_device(places.into_iter().map(AtomicI32::new).collect())?;
    let mut counts = run.to_device(&vec![0u64; n + 1])?;
    let mut scan = Scan::new(&run.gpu, n + 1)?;
    let len = run.move_to_device(vec![AtomicU64::new(0)])?;
    let mut host = [AtomicU64::new(0)];
    let grid = run.cover(n);
    run.time(|queue| {
        launch!(queue, grid, [flags, flags_unchecked], (&x, &mut counts))?;
        scan.exclusive_in_place(&queue.gpu, counts.view_mut(), 0, |a, b| a + b)?;
        launch!(
            queue,
            grid,
            [list, list_unchecked],
            (&counts, &places, &len)
        )?;
        len.copy_to(&mut host)
    })?;
    let list: Vec<i32> = run
        .to_host(&places)?
        .into_iter()
        .map(AtomicI32::into_inner)
        .collect();
    Ok(checksum(&list, host[0].load(Ordering::Relaxed) as usize))
}
