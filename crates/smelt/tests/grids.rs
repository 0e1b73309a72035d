//! Grids, index tokens, views, blocks, warps.

use smelt::prelude::*;
use smelt::{Error, launch_bounds};

fn gpu() -> Device {
    Device::default().unwrap()
}

fn count(mut y: DisjointMut<u32>) {
    if let Some(y) = y.get_mut(thread::index()) {
        *y += 1;
    }
}

#[test]
fn cover_reaches_every_element_once() {
    for n in [0usize, 1, 2, 31, 97, 1009, 4099] {
        let mut y = vec![0u32; n];
        gpu().launch(Grid::cover(n), count, (&mut y,)).unwrap();
        assert!(y.iter().all(|&y| y == 1), "cover({n})");
        for block in [1, 7, 64] {
            gpu()
                .launch(Grid::cover(n).block(block), count, (&mut y,))
                .unwrap();
        }
        assert!(y.iter().all(|&y| y == 4), "cover({n}) in blocks");
    }
}

#[test]
fn a_grid_with_a_zero_runs_nothing() {
    let mut y = [0u32; 4];
    gpu()
        .launch(Grid::cover((4, 0)), count2, (y.as_2d(2, 2),))
        .unwrap();
    gpu()
        .launch(Grid::blocks(0).threads(4), count, (&mut y,))
        .unwrap();
    assert_eq!(y, [0; 4]);
}

fn stride(n: usize, mut y: DisjointMut<u32>) {
    for i in thread::grid_stride(n) {
        y[i] += 1;
    }
}

#[test]
fn grid_stride_reaches_every_element_once() {
    for n in [0usize, 1, 5, 64, 1000] {
        let mut y = vec![0u32; n];
        gpu()
            .launch(Grid::blocks(3).threads(5), stride, (n, &mut y))
            .unwrap();
        assert!(y.iter().all(|&y| y == 1), "grid_stride({n})");
    }
}

fn count2(mut y: DisjointMut2<u32>) {
    if let Some(y) = y.get_mut(thread::index2()) {
        *y += 1;
    }
}

fn place2(mut y: DisjointMut2<(usize, usize)>) {
    let i = thread::index2();
    if i.x() < y.columns() && i.y() < y.rows() {
        y[i] = i.get();
    }
}

#[test]
fn two_dimensions() {
    let (rows, columns) = (5, 7);
    let mut y = vec![(99, 99); rows * columns];
    for grid in [
        Grid::cover((columns, rows)),
        Grid::cover2(columns, rows).block((4, 2)),
        Grid::blocks((3, 3)).threads((3, 2)),
    ] {
        y.fill((99, 99));
        gpu()
            .launch(grid, place2, (y.as_2d(rows, columns),))
            .unwrap();
        for (at, &place) in y.iter().enumerate() {
            assert_eq!(place, (at % columns, at / columns), "{grid:?}");
        }
    }
}

fn place3(mut y: DisjointMut3<(usize, usize, usize)>) {
    let i = thread::index3();
    if let Some(y) = y.get_mut(i) {
        *y = i.get();
    }
}

#[test]
fn three_dimensions() {
    let (planes, rows, columns) = (3, 5, 7);
    let mut y = vec![(99, 99, 99); planes * rows * columns];
    gpu()
        .launch(
            Grid::cover((columns, rows, planes)),
            place3,
            (y.as_3d(planes, rows, columns),),
        )
        .unwrap();
    for (at, &place) in y.iter().enumerate() {
        let row = at / columns;
        assert_eq!(place, (at % columns, row % rows, row / rows));
    }
}

fn chunk(mut y: DisjointChunks<u32>) {
    let i = thread::index();
    if let Some(chunk) = y.get_mut(i) {
        for (k, y) in chunk.iter_mut().enumerate() {
            *y += (100 * i.get() + k) as u32;
        }
    }
}

#[test]
fn chunks() {
    let mut y = vec![0u32; 8];
    gpu()
        .launch(Grid::cover(5), chunk, (y.by_chunks(3),))
        .unwrap();
    assert_eq!(y, [0, 1, 2, 100, 101, 102, 200, 201]);
    let none: &mut [u32] = &mut [];
    gpu()
        .launch(Grid::cover(5), chunk, (none.by_chunks(3),))
        .unwrap();
    // Start of a chunk beyond any number.
    gpu()
        .launch(Grid::cover(5), chunk, (y.by_chunks(usize::MAX),))
        .unwrap();
    assert_eq!(y[7], 201 + 7);
}

#[test]
fn views_that_do_not_fit_are_refused() {
    let mut y = vec![0u32; 6];
    for (rows, columns) in [(2, 4), (0, 6), (1 << 32, 1 << 32), (usize::MAX, 2)] {
        let refused = gpu().launch(Grid::cover((4, 2)), count2, (y.as_2d(rows, columns),));
        assert!(
            matches!(refused, Err(Error::Invalid(_))),
            "{rows} by {columns}"
        );
    }
    let refused = gpu().launch(Grid::cover(1), chunk, (y.by_chunks(0),));
    assert!(matches!(refused, Err(Error::Invalid(_))));
    assert_eq!(y, [0; 6]);
}

#[test]
fn tokens_of_fewer_dimensions_than_the_grid_are_refused() {
    let mut y = vec![0u32; 8];
    let refused = gpu().launch(Grid::cover((4, 2)), count, (&mut y,));
    assert!(matches!(refused, Err(Error::Launch(_))), "{refused:?}");
    let refused = gpu().launch(Grid::blocks(1).threads((4, 2)), count, (&mut y,));
    assert!(matches!(refused, Err(Error::Launch(_))), "{refused:?}");
    let refused = gpu().launch(Grid::cover((2, 2, 2)), count2, (y.as_2d(2, 4),));
    assert!(matches!(refused, Err(Error::Launch(_))), "{refused:?}");
    assert_eq!(y, [0; 8]);
    // More dimensions than the grid are fine.
    gpu()
        .launch(Grid::cover(4), count2, (y.as_2d(1, 8),))
        .unwrap();
    assert_eq!(y[..4], [1; 4]);
}

#[test]
fn a_block_too_large_is_refused() {
    let mut y = vec![0u32; 8];
    let refused = gpu().launch(Grid::cover(8).block(1 << 20), count, (&mut y,));
    assert!(matches!(refused, Err(Error::Launch(_))), "{refused:?}");
    let refused = gpu().launch(Grid::cover(8).block(1 << 40), count, (&mut y,));
    assert!(matches!(refused, Err(Error::Launch(_))), "{refused:?}");
    assert_eq!(y, [0; 8]);
    gpu().launch(Grid::cover(8), count, (&mut y,)).unwrap();
    assert_eq!(y, [1; 8]);
}

fn positions(mut y: DisjointMut<[u32; 5]>) {
    launch_bounds::<64, 0>();
    let i = thread::index();
    if let Some(y) = y.get_mut(i) {
        *y = [
            thread::block_index().x,
            thread::thread_index().x,
            thread::block_dim().x,
            thread::grid_dim().x,
            thread::lane(),
        ];
    }
}

#[test]
fn positions_are_those_of_the_grid() {
    let mut y = vec![[0u32; 5]; 3 * 40];
    gpu()
        .launch(Grid::blocks(3).threads(40), positions, (&mut y,))
        .unwrap();
    let warp = gpu().info().unwrap().warp_size;
    for (i, y) in y.iter().enumerate() {
        let (block, thread) = (i as u32 / 40, i as u32 % 40);
        assert_eq!(*y, [block, thread, 40, 3, thread % warp]);
    }
}

smelt::shared! {
    static TILE: [u32; 64];
    static TOTAL: u32;
}

fn block_sums(x: &[u32], mut y: DisjointMut<u32>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    // SAFETY: between two barriers each element has one writer, or readers only.
    unsafe {
        TILE.set(t, x[i.get()]);
        sync::barrier();
        let mut half = 32;
        while half > 0 {
            if t < half {
                TILE.set(t, TILE.get(t) + TILE.get(t + half));
            }
            sync::barrier();
            half /= 2;
        }
        if t == 0 {
            TOTAL.write(TILE.get(0));
        }
        sync::barrier();
        y[i] = TOTAL.read();
    }
}

#[test]
fn shared_memory_and_barriers() {
    let x: Vec<u32> = (0..192).collect();
    let mut y = vec![0u32; 192];
    gpu()
        .launch(Grid::blocks(3).threads(64), block_sums, (&x, &mut y))
        .unwrap();
    for (block, y) in y.chunks(64).enumerate() {
        let sum: u32 = x[64 * block..][..64].iter().sum();
        assert!(y.iter().all(|&y| y == sum), "block {block}: {y:?}");
    }
}

fn reverse(mut y: DisjointMut<u64>) {
    let i = thread::index();
    let t = thread::thread_index().x as usize;
    let n = thread::block_dim().x as usize;
    // SAFETY: as many bytes as the launch gives; own element written, then all read.
    unsafe {
        let shared = smelt::dynamic_shared::<u64>();
        *shared.add(t) = y[i];
        sync::barrier();
        y[i] = *shared.add(n - 1 - t);
    }
}

#[test]
fn dynamic_shared_memory() {
    let mut y: Vec<u64> = (0..20).collect();
    gpu()
        .launch(Grid::blocks(2).threads(10).shared(80), reverse, (&mut y,))
        .unwrap();
    let expected: Vec<u64> = (0..10).rev().chain((10..20).rev()).collect();
    assert_eq!(y, expected);
}

fn warps(x: &[f64], mut y: DisjointMut<(f64, u32, i64)>) {
    let i = thread::index();
    let mut sum = x[i.get()];
    let mut delta = thread::warp_size() / 2;
    while delta > 0 {
        sum += warp::shuffle_xor(sum, delta);
        delta /= 2;
    }
    let above = warp::shuffle_down(i.get() as u32, 1);
    let first = warp::shuffle(-(i.get() as i64), 0);
    y[i] = (sum, above, first);
}

#[test]
fn shuffles() {
    let warp = gpu().info().unwrap().warp_size as usize;
    let n = 2 * warp;
    let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let mut y = vec![(0.0, 0, 0); n];
    gpu()
        .launch(Grid::blocks(1).threads(n), warps, (&x, &mut y))
        .unwrap();
    for (i, y) in y.iter().enumerate() {
        let start = i / warp * warp;
        let sum: f64 = x[start..][..warp].iter().sum();
        let above = if i % warp == warp - 1 { i } else { i + 1 };
        assert_eq!(*y, (sum, above as u32, -(start as i64)));
    }
}

fn votes(mut y: DisjointMut<(u64, bool, bool)>) {
    let i = thread::index();
    let odd = thread::lane() % 2 == 1;
    y[i] = (
        warp::ballot(odd),
        warp::any(thread::lane() == 3),
        warp::all(odd),
    );
}

#[test]
fn votes_of_a_warp() {
    let warp = gpu().info().unwrap().warp_size as usize;
    let mut y = vec![(0, false, true); warp];
    gpu()
        .launch(Grid::blocks(1).threads(warp), votes, (&mut y,))
        .unwrap();
    let mask = 0xaaaa_aaaa_aaaa_aaaa & (u64::MAX >> (64 - warp));
    for y in y {
        assert_eq!(y, (mask, true, false));
    }
}
