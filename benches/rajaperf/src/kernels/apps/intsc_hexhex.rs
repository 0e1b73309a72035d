//! Apps_INTSC_HEXHEX: volume and first moments of the intersections of pairs of hexahedra: each
//! triangle of the one's surface is clipped against each tetrahedron of the other.
//!
//! A standard intersection is eight pairs. In tuning `block` a thread has one triangle and one
//! tetrahedron; blocks of 64 straddle the pairs of 72, so each leaves two partial sums and a
//! second kernel puts those together. In tuning `pair` a thread does a whole pair.

use super::exchange::exchange;
use crate::prelude::*;

/// Threads in a block, fixed.
const BLOCK: usize = 64;
/// Triangles of the first hexahedron times tetrahedra of the second.
const TRIANGLES: usize = 12;
const TETRAHEDRA: usize = 6;
const PER_PAIR: usize = TRIANGLES * TETRAHEDRA;
const PAIRS: usize = 8;
/// Volume and moments along x, y, z.
const VALUES: usize = 4;
/// Blocks that do eight pairs.
const GROUP: usize = PER_PAIR * PAIRS / BLOCK;
/// Coordinates of a hexahedron: eight each along x, y, z.
const HEX: usize = 24;

pub const KERNEL: Kernel = Kernel {
    name: "INTSC_HEXHEX",
    group: Group::Apps,
    size: 25 * 25 * 25,
    reps: 1,
    shape: |_, target| shape(target),
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::plain("pair")],
    block: BLOCK,
    any_block: false,
    ..Kernel::DEFAULT
};

/// Standard intersections along a side of the cube of them.
fn side(target: usize) -> usize {
    ((target as f64 + 0.5).cbrt() as usize).max(1)
}

fn shape(target: usize) -> Shape {
    let n = side(target).pow(3);
    Shape {
        kernels: 2,
        bytes_read: (24 + 24 + 9) * 8 * PAIRS * n,
        bytes_written: 13 * 8 * PAIRS * n,
        flops: 336 * PER_PAIR * PAIRS * n,
        ..Shape::of(n)
    }
}

struct Data {
    donors: Vec<f64>,
    targets: Vec<f64>,
    out: Vec<f64>,
}

/// All donors are one box, and all targets that box moved a little. Under test each
/// target is moved otherwise, since from equal pairs a wrong index does not show.
fn data(run: &mut Run) -> Data {
    let side = 2 * side(run.target);
    let pairs = side * side * side;
    let ranges = [(-0.2, -0.1), (0.1, 0.2), (-0.8, -0.7)];
    let shift = |i: usize| {
        if cfg!(test) {
            0.095 * (2.4 * (i as f64 + 0.5)).sin()
        } else {
            0.01
        }
    };
    let mut it = Data {
        donors: Vec::with_capacity(HEX * pairs),
        targets: Vec::with_capacity(HEX * pairs),
        out: vec![0.0; VALUES * pairs],
    };
    for pair in 0..pairs {
        let place = [pair % side, pair / side % side, pair / (side * side)];
        for axis in 0..3 {
            let moved = shift(place[axis]);
            for corner in 0..8 {
                let (low, high) = ranges[axis];
                let at = if corner >> axis & 1 == 1 { high } else { low };
                it.donors.push(at);
                it.targets.push(at + moved);
            }
        }
    }
    it
}

/// Most corners of a triangle that was clipped six times.
const CORNERS: usize = 9;
const NONE: u32 = u32::MAX;

/// A corner's coordinates x, y, z, h = 1 - x - y - z, and 1 - x - y, which only the first
/// cut wants.
type Coordinates = [[f64; CORNERS]; 5];

/// A polygon's corners in order, and the places that are free, as linked lists.
#[derive(Clone, Copy)]
struct Order {
    next: [u32; CORNERS],
    first: u32,
    free: u32,
}

impl Order {
    #[inline(always)]
    fn next(&self, i: u32) -> u32 {
        self.next[i as usize]
    }

    /// A free place; the list never runs out.
    #[inline(always)]
    fn take(&mut self) -> u32 {
        let place = self.free;
        self.free = self.next(place);
        place
    }
}

/// Puts at `to` the point of the edge from `inside` to `outside` where coordinate `C` is 0.
#[inline(always)]
fn cross<const C: usize>(at: &mut Coordinates, to: u32, inside: u32, outside: u32) {
    let (to, inside, outside) = (to as usize, inside as usize, outside as usize);
    let part = (0.0 - at[C][outside]) / (at[C][inside] - at[C][outside]);
    for values in at.iter_mut().take(4) {
        values[to] = values[inside] * part + values[outside] * (1.0 - part);
    }
}

/// Cuts off what has coordinate `C` below 0.
#[inline(always)]
fn clip<const C: usize>(at: &mut Coordinates, order: &mut Order) {
    let start = order.first;
    // The edges that leave and enter: from, to.
    let (mut leaves, mut enters) = ((NONE, NONE), (NONE, NONE));
    let mut here = start;
    let mut value = if here != NONE {
        at[C][here as usize]
    } else {
        0.0
    };
    let (first_value, mut last_value) = (value, value);
    while here != NONE {
        let next = order.next(here);
        let to = if next == NONE { start } else { next };
        let next_value = at[C][to as usize];
        if value >= 0.0 && next_value < 0.0 {
            leaves = (here, to);
        }
        if value < 0.0 && next_value >= 0.0 {
            enters = (here, to);
        }
        here = next;
        last_value = value;
        value = next_value;
    }
    let mut new = (NONE, NONE);
    if leaves.0 != NONE {
        new.0 = order.take();
        cross::<C>(at, new.0, leaves.0, leaves.1);
        new.1 = order.take();
        cross::<C>(at, new.1, enters.1, enters.0);
    }
    order.first = NONE;
    let mut here = start;
    while here != NONE {
        let next = order.next(here);
        if at[C][here as usize] < 0.0 {
            order.next[here as usize] = order.free;
            order.free = here;
        } else if order.first == NONE {
            order.first = here;
        }
        here = next;
    }
    if leaves.0 != NONE {
        order.next[leaves.0 as usize] = new.0;
        order.next[new.0 as usize] = new.1;
        let ends = last_value < 0.0 || first_value < 0.0;
        order.next[new.1 as usize] = if ends { NONE } else { enters.1 };
    }
}

/// Adds six times the volume and 24 times the moments between a polygon and z = 0.
#[inline(always)]
fn add_polygon(sums: &mut [f64; VALUES], at: &Coordinates, order: &Order) {
    if order.first == NONE {
        return;
    }
    let point = |i: u32| [at[0][i as usize], at[1][i as usize], at[2][i as usize]];
    let [x0, y0, z0] = point(order.first);
    let mut here = order.next(order.first);
    let [mut x1, mut y1, mut z1] = point(here);
    here = order.next(here);
    while here != NONE {
        let [x2, y2, z2] = point(here);
        let area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
        let volume = (z0 + z1 + z2) * area;
        sums[0] += volume;
        sums[1] += volume * (x0 + x1 + x2) + area * (x0 * z0 + x1 * z1 + x2 * z2);
        sums[2] += volume * (y0 + y1 + y2) + area * (y0 * z0 + y1 * z1 + y2 * z2);
        sums[3] += (z0 * z0 + z1 * z1 + z2 * z2 + z0 * z1 + z0 * z2 + z1 * z2) * area;
        [x1, y1, z1] = [x2, y2, z2];
        here = order.next(here);
    }
}

type Point = [f64; 3];

#[inline(always)]
fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn times(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[inline(always)]
fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// What a triangle and a tetrahedron add to the intersection: volume and moments of the part of
/// the tetrahedron below the triangle.
#[inline(always)]
fn below(triangle: [Point; 3], tetrahedron: [Point; 4]) -> [f64; VALUES] {
    let origin = tetrahedron[0];
    let [a, b, c] = [1, 2, 3].map(|i| minus(tetrahedron[i], origin));
    let det = a[0] * b[1] * c[2] - a[0] * c[1] * b[2] + b[0] * c[1] * a[2] - b[0] * a[1] * c[2]
        + c[0] * a[1] * b[2]
        - c[0] * b[1] * a[2];
    let per = det / (det * det + 1.0e-100);
    // In the frame where the tetrahedron is that of the unit vectors.
    let axes = [times(b, c), times(c, a), times(a, b)];
    let mut at: Coordinates = [[0.0; CORNERS]; 5];
    for corner in 0..3 {
        let from = minus(triangle[corner], origin);
        for axis in 0..3 {
            at[axis][corner] = dot(from, axes[axis]) * per;
        }
        let (x, y, z) = (at[0][corner], at[1][corner], at[2][corner]);
        at[3][corner] = 1.0 - x - y - z;
        at[4][corner] = 1.0 - x - y;
    }
    let mut order = Order {
        next: [1, 2, NONE, 4, 5, 6, 7, 8, NONE],
        first: 0,
        free: 3,
    };
    clip::<4>(&mut at, &mut order);
    clip::<0>(&mut at, &mut order);
    clip::<1>(&mut at, &mut order);
    clip::<2>(&mut at, &mut order);
    let mut rest = order;
    let mut sums = [0.0; VALUES];
    clip::<3>(&mut at, &mut order);
    add_polygon(&mut sums, &at, &order);
    // What lies beyond the face h = 0 counts up to that.
    let mut here = rest.first;
    while here != NONE {
        at[3][here as usize] = -at[3][here as usize] - 1.0e-50;
        here = rest.next(here);
    }
    clip::<3>(&mut at, &mut rest);
    let mut here = rest.first;
    while here != NONE {
        at[2][here as usize] = 1.0 - at[0][here as usize] - at[1][here as usize];
        here = rest.next(here);
    }
    add_polygon(&mut sums, &at, &rest);
    let [volume, x, y, z] = sums;
    let volume = volume * 0.16666666666666667;
    let [x, y, z] = [x, y, z].map(|moment| moment * 0.041666666666666667);
    let moment = |i: usize| det * (origin[i] * volume + a[i] * x + b[i] * y + c[i] * z);
    [det * volume, moment(0), moment(1), moment(2)]
}

/// What triangle and tetrahedron number `i` of a pair add to its intersection.
#[inline(always)]
fn part(donor: &[f64; HEX], target: &[f64; HEX], i: usize) -> [f64; VALUES] {
    // Corners of the faces around corner 0, in a cycle; around corner 7 the other way round.
    const AROUND: [u8; 7] = [1, 5, 4, 6, 2, 3, 1];
    // The edges of the tetrahedra that all have corners 0 and 7.
    const CYCLE: [u8; 7] = [1, 3, 2, 6, 4, 5, 1];
    let (triangle, tetrahedron) = (i / TETRAHEDRA, i % TETRAHEDRA);
    let corners = if triangle < 6 {
        [0, AROUND[triangle], AROUND[triangle + 1]]
    } else {
        let back = (TRIANGLES - triangle).min(6);
        [7, AROUND[back], AROUND[back.saturating_sub(1)]]
    };
    let point = |hex: &[f64; HEX], corner: u8| {
        let corner = (corner & 7) as usize;
        [hex[corner], hex[8 + corner], hex[16 + corner]]
    };
    let edge = [CYCLE[tetrahedron], CYCLE[tetrahedron + 1]];
    below(
        corners.map(|corner| point(donor, corner)),
        [0, edge[0], edge[1], 7].map(|corner| point(target, corner)),
    )
}

#[inline(always)]
fn intersection(donor: &[f64; HEX], target: &[f64; HEX]) -> [f64; VALUES] {
    let mut sums = [0.0; VALUES];
    for i in 0..PER_PAIR {
        for (sum, value) in sums.iter_mut().zip(part(donor, target, i)) {
            *sum += value;
        }
    }
    sums
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| {
        let pairs = it.donors.as_chunks().0.iter().zip(it.targets.as_chunks().0);
        for (out, (donor, target)) in it.out.as_chunks_mut().0.iter_mut().zip(pairs) {
            *out = intersection(donor, target);
        }
    });
    Ok(Checksum::of(&it.out))
}

/// One block: its sums for the pair that it begins with and for the next.
#[inline(always)]
fn block_part(value: impl FnOnce(usize, usize) -> [f64; VALUES], set: impl FnOnce(usize, f64)) {
    let mut exchange = exchange!(2 * VALUES, [BLOCK, 1, 1]);
    let [t, ..] = exchange.place();
    let block = thread::block_index().x as usize;
    let i = block * BLOCK + t;
    let value = value(i / PER_PAIR, i % PER_PAIR);
    let is_next = i / PER_PAIR * PER_PAIR > block * BLOCK;
    let mut sums = [0.0; 2 * VALUES];
    for (k, value) in value.into_iter().enumerate() {
        sums[k] = if is_next { 0.0 } else { value };
        sums[VALUES + k] = if is_next { value } else { 0.0 };
    }
    let mut distance = 1;
    while distance < thread::warp_size() {
        for sum in &mut sums {
            *sum += warp::shuffle_xor(*sum, distance);
        }
        distance *= 2;
    }
    let all = exchange.publish(sums);
    if t < 2 * VALUES {
        let warps = all[t][0][0].chunks(thread::warp_size() as usize);
        set(2 * VALUES * block + t, warps.map(|warp| warp[0]).sum());
    }
}

fn triangles(donors: &[f64], targets: &[f64], sums: &[AtomicF64]) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let (donors, targets) = (donors.as_chunks().0, targets.as_chunks().0);
    block_part(
        |pair, i| part(&donors[pair], &targets[pair], i),
        |at, sum| sums[at].store(sum),
    );
}

fn triangles_unchecked(donors: &[f64], targets: &[f64], sums: &[AtomicF64]) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let (donors, targets) = (donors.as_chunks().0, targets.as_chunks().0);
    block_part(
        // SAFETY: there are as many threads as triangles and tetrahedra of all pairs.
        |pair, i| unsafe { part(donors.get_unchecked(pair), targets.get_unchecked(pair), i) },
        // SAFETY: and as many sums as each block has two of each value.
        |at, sum| unsafe { sums.get_unchecked(at).store(sum) },
    );
}

/// The values of eight pairs from the sums of their nine blocks: pair k has the next pair's sums of
/// block k (block 0's own for the first) and the own sums of block k + 1.
#[inline(always)]
fn gather(out: &mut [f64], sum: impl Fn(usize) -> f64) {
    for (k, out) in out.chunks_exact_mut(VALUES).enumerate() {
        for (i, out) in out.iter_mut().enumerate() {
            let own = if k == 0 { 0 } else { VALUES };
            *out = sum(2 * VALUES * k + own + i) + sum(2 * VALUES * (k + 1) + i);
        }
    }
}

fn pairs(sums: &[AtomicF64], mut out: DisjointChunks<f64>) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        let sums = &sums[t.get() * 2 * VALUES * GROUP..][..2 * VALUES * GROUP];
        gather(out, |i| sums[i].load());
    }
}

fn pairs_unchecked(sums: &[AtomicF64], mut out: DisjointChunks<f64>) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let t = thread::index();
    let first = t.get() * 2 * VALUES * GROUP;
    if let Some(out) = out.get_mut(t) {
        // SAFETY: each eight pairs have nine blocks, with two sums of each value.
        gather(out, |i| unsafe { sums.get_unchecked(first + i).load() });
    }
}

/// A thread for each pair.
fn whole(donors: &[f64], targets: &[f64], mut out: DisjointChunks<f64>) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        let donor = &donors.as_chunks().0[t.get()];
        out.copy_from_slice(&intersection(donor, &targets.as_chunks().0[t.get()]));
    }
}

fn whole_unchecked(donors: &[f64], targets: &[f64], mut out: DisjointChunks<f64>) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        // SAFETY: there are as many donors and targets as results, which are of VALUES each.
        unsafe {
            let donor = donors.as_chunks().0.get_unchecked(t.get());
            let target = targets.as_chunks().0.get_unchecked(t.get());
            *out.as_mut_ptr().cast() = intersection(donor, target);
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let n = run.size;
    let (donors, targets) = (run.to_device(&it.donors)?, run.to_device(&it.targets)?);
    let mut out = run.to_device(&it.out)?;
    if run.tuning == "pair" {
        let grid = Grid::cover(n * PAIRS).block(BLOCK);
        run.time(|queue| {
            let args = (&donors, &targets, out.by_chunks(VALUES));
            launch!(queue, grid, [whole, whole_unchecked], args)
        })?;
        return Ok(Checksum::of(&run.to_host(&out)?));
    }
    let sums = run.cells_to_device(vec![0.0; n * GROUP * 2 * VALUES])?;
    let (grid, second) = (
        Grid::blocks(n * GROUP).threads(BLOCK),
        Grid::cover(n).block(BLOCK),
    );
    run.time(|queue| {
        let args = (&donors, &targets, &sums);
        launch!(queue, grid, [triangles, triangles_unchecked], args)?;
        let args = (&sums, out.by_chunks(VALUES * PAIRS));
        launch!(queue, second, [pairs, pairs_unchecked], args)
    })?;
    Ok(Checksum::of(&run.to_host(&out)?))
}
