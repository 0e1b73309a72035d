//! Apps_INTSC_HEXHEX: volume and first moments of the intersections of pairs of hexahedra: each
//! triangle of the one's surface is clipped against each tetrahedron of the other.
//!
//! A standard intersection is eight pairs. In tuning `block` a thread has one triangle and one
//! tetrahedron; blocks of 64 straddle the pairs of 72, so each leaves two partial sums and a
//! second kernel puts those together. In tuning `pair` a thread does a whole pair.

use super::domain::atomics;
use super::exchange::exchange;
use super::rooms::{Part, Room, UncheckedPart};
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
/// No corner, in four bits.
const NONE: u32 = 15;

/// Corners' coordinates x, y, z, and h = 1 - x - y - z, in a room.
///
/// Corners are clamped to the room rather than checked one by one: a way out of the loops over them would keep
/// threads that part there apart. That no polygon outgrew the room is asked once ([`Order::short`]).
struct Coordinates<R>(R);

/// Numbers of a thread, and one more.
const WORDS: usize = 4 * CORNERS + 1;

smelt::shared! {
    static ROOMS: [f64; WORDS * BLOCK];
}

impl<R: Room> Coordinates<R> {
    /// Coordinate `C` of a corner; 4 is 1 - x - y, which only the first cut wants.
    #[inline(always)]
    fn get<const C: usize>(&self, corner: u32) -> f64 {
        match C {
            4 => 1.0 - self.get::<0>(corner) - self.get::<1>(corner),
            _ => self.0.get(C * CORNERS + (corner as usize).min(CORNERS - 1)),
        }
    }

    #[inline(always)]
    fn put<const C: usize>(&mut self, corner: u32, value: f64) {
        self.0
            .put(C * CORNERS + (corner as usize).min(CORNERS - 1), value);
    }
}

/// A polygon's corners in order, and the places that are free, as linked lists: four bits for the
/// next of each, so that they stay in a register.
#[derive(Clone, Copy)]
struct Order {
    next: u64,
    first: u32,
    free: u32,
    /// Whether a place was wanted that there was not.
    short: bool,
}

impl Order {
    /// Corners 0, 1, 2; the others are free.
    fn triangle() -> Self {
        Self {
            next: 0xf_8765_4f21,
            first: 0,
            free: 3,
            short: false,
        }
    }

    #[inline(always)]
    fn next(&self, i: u32) -> u32 {
        (self.next >> (4 * i)) as u32 & 15
    }

    #[inline(always)]
    fn set_next(&mut self, i: u32, next: u32) {
        self.next = self.next & !(15 << (4 * i)) | (next as u64) << (4 * i);
    }

    /// A free place; the list should not run out.
    #[inline(always)]
    fn take(&mut self) -> u32 {
        let place = self.free;
        self.short |= place == NONE;
        self.free = self.next(place);
        place
    }
}

/// Puts at `to` the point of the edge from `inside` to `outside` where coordinate `C` is 0.
#[inline(always)]
fn cross<const C: usize>(at: &mut Coordinates<impl Room>, to: u32, inside: u32, outside: u32) {
    let part = (0.0 - at.get::<C>(outside)) / (at.get::<C>(inside) - at.get::<C>(outside));
    macro_rules! blend {
        ($($c:literal)*) => {$(
            let value = at.get::<$c>(inside) * part + at.get::<$c>(outside) * (1.0 - part);
            at.put::<$c>(to, value);
        )*};
    }
    blend!(0 1 2 3);
}

/// Cuts off what has coordinate `C` below 0.
#[inline(always)]
fn clip<const C: usize>(at: &mut Coordinates<impl Room>, order: &mut Order) {
    let start = order.first;
    // The edges that leave and enter: from, to.
    let (mut leaves, mut enters) = ((NONE, NONE), (NONE, NONE));
    let mut here = start;
    let mut value = if here != NONE { at.get::<C>(here) } else { 0.0 };
    let (first_value, mut last_value) = (value, value);
    while here != NONE {
        let next = order.next(here);
        let to = if next == NONE { start } else { next };
        let next_value = at.get::<C>(to);
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
        if at.get::<C>(here) < 0.0 {
            order.set_next(here, order.free);
            order.free = here;
        } else if order.first == NONE {
            order.first = here;
        }
        here = next;
    }
    if leaves.0 != NONE {
        order.set_next(leaves.0, new.0);
        order.set_next(new.0, new.1);
        let ends = last_value < 0.0 || first_value < 0.0;
        order.set_next(new.1, if ends { NONE } else { enters.1 });
    }
}

/// Adds six times the volume and 24 times the moments between a polygon and z = 0.
#[inline(always)]
fn add_polygon(sums: &mut [f64; VALUES], at: &Coordinates<impl Room>, order: &Order) {
    if order.first == NONE {
        return;
    }
    let point = |i: u32| [at.get::<0>(i), at.get::<1>(i), at.get::<2>(i)];
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
fn below(triangle: [Point; 3], tetrahedron: [Point; 4], room: impl Room) -> [f64; VALUES] {
    let origin = tetrahedron[0];
    let [a, b, c] = [1, 2, 3].map(|i| minus(tetrahedron[i], origin));
    let det = a[0] * b[1] * c[2] - a[0] * c[1] * b[2] + b[0] * c[1] * a[2] - b[0] * a[1] * c[2]
        + c[0] * a[1] * b[2]
        - c[0] * b[1] * a[2];
    let per = det / (det * det + 1.0e-100);
    // In the frame where the tetrahedron is that of the unit vectors.
    let axes = [times(b, c), times(c, a), times(a, b)];
    let mut at = Coordinates(room);
    for (corner, point) in (0..).zip(triangle) {
        let from = minus(point, origin);
        let [x, y, z] = axes.map(|axis| dot(from, axis) * per);
        at.put::<0>(corner, x);
        at.put::<1>(corner, y);
        at.put::<2>(corner, z);
        at.put::<3>(corner, 1.0 - x - y - z);
    }
    let mut order = Order::triangle();
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
        let beyond = -at.get::<3>(here) - 1.0e-50;
        at.put::<3>(here, beyond);
        here = rest.next(here);
    }
    clip::<3>(&mut at, &mut rest);
    let mut here = rest.first;
    while here != NONE {
        let top = at.get::<4>(here);
        at.put::<2>(here, top);
        here = rest.next(here);
    }
    add_polygon(&mut sums, &at, &rest);
    assert!(
        !order.short && !rest.short,
        "a polygon of more corners than there can be"
    );
    let [volume, x, y, z] = sums;
    let volume = volume * 0.16666666666666667;
    let [x, y, z] = [x, y, z].map(|moment| moment * 0.041666666666666667);
    let moment = |i: usize| det * (origin[i] * volume + a[i] * x + b[i] * y + c[i] * z);
    [det * volume, moment(0), moment(1), moment(2)]
}

/// What triangle and tetrahedron number `i` of a pair add to its intersection.
#[inline(always)]
fn part(donor: &[f64; HEX], target: &[f64; HEX], i: usize, room: impl Room) -> [f64; VALUES] {
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
        room,
    )
}

#[inline(always)]
fn intersection<R: Room>(
    donor: &[f64; HEX],
    target: &[f64; HEX],
    room: impl Fn() -> R,
) -> [f64; VALUES] {
    let mut sums = [0.0; VALUES];
    for i in 0..PER_PAIR {
        for (sum, value) in sums.iter_mut().zip(part(donor, target, i, room())) {
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
            *out = intersection(donor, target, || [0.0; WORDS]);
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
    let (donors, targets) = (donors.as_chunks().0, targets.as_chunks().0);
    block_part(
        |pair, i| part(&donors[pair], &targets[pair], i, Part::new(&ROOMS, WORDS)),
        |at, sum| sums[at].store(sum),
    );
}

fn triangles_unchecked(donors: &[f64], targets: &[f64], sums: &[AtomicF64]) {
    let (donors, targets) = (donors.as_chunks().0, targets.as_chunks().0);
    block_part(
        // SAFETY: there are as many threads as triangles and tetrahedra of all pairs; corners are
        // below CORNERS.
        |pair, i| unsafe {
            let room = UncheckedPart::new(Part::new(&ROOMS, WORDS));
            part(
                donors.get_unchecked(pair),
                targets.get_unchecked(pair),
                i,
                room,
            )
        },
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
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        let sums = &sums[t.get() * 2 * VALUES * GROUP..][..2 * VALUES * GROUP];
        gather(out, |i| sums[i].load());
    }
}

fn pairs_unchecked(sums: &[AtomicF64], mut out: DisjointChunks<f64>) {
    let t = thread::index();
    let first = t.get() * 2 * VALUES * GROUP;
    if let Some(out) = out.get_mut(t) {
        // SAFETY: each eight pairs have nine blocks, with two sums of each value.
        gather(out, |i| unsafe { sums.get_unchecked(first + i).load() });
    }
}

/// A thread for each pair.
fn whole(donors: &[f64], targets: &[f64], mut out: DisjointChunks<f64>) {
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        let donor = &donors.as_chunks().0[t.get()];
        let target: &[f64; HEX] = &targets.as_chunks().0[t.get()];
        let room = || Part::new(&ROOMS, WORDS);
        out.copy_from_slice(&intersection(donor, target, room));
    }
}

fn whole_unchecked(donors: &[f64], targets: &[f64], mut out: DisjointChunks<f64>) {
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        // SAFETY: there are as many donors and targets as results, which are of VALUES each; corners
        // are below CORNERS.
        unsafe {
            let donor = donors.as_chunks().0.get_unchecked(t.get());
            let target = targets.as_chunks().0.get_unchecked(t.get());
            let room = || UncheckedPart::new(Part::new(&ROOMS, WORDS));
            *out.as_mut_ptr().cast() = intersection(donor, target, room);
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
    let sums = run.move_to_device(atomics(vec![0.0; n * GROUP * 2 * VALUES]))?;
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
