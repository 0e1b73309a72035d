//! Apps_INTSC_HEXRECT: volume and first moments of the intersections of hexahedra, each with 24
//! triangular facets, with boxes of a rectangular mesh: each facet is clipped against the box.

use super::rooms::{Part, Room, UncheckedPart};
use crate::prelude::*;

/// Boxes that each hexahedron meets.
const BOXES: usize = 8;
/// Volume and moments along x, y, z.
const VALUES: usize = 4;
const FACETS: usize = 24;
/// Room for a polygon's corners, half of it at either end.
const ROOM: usize = 10;
/// Corners of the mesh of boxes, and their distance.
const CORNER: [f64; 3] = [-2.0, -1.0, 1.0];
const PITCH: f64 = 0.1;

pub const KERNEL: Kernel = Kernel {
    name: "INTSC_HEXRECT",
    group: Group::Apps,
    size: BOXES * 50 * 50 * 50,
    reps: 1,
    shape: |_, target| shape(target),
    seq,
    smelt,
    block: BLOCK,
    any_block: false,
    ..Kernel::DEFAULT
};

/// Hexahedra along a side of the cube of them.
fn side(target: usize) -> usize {
    (((target as f64 + 0.5).cbrt() as usize) / 2).max(1)
}

fn shape(target: usize) -> Shape {
    let side = side(target);
    let n = BOXES * side.pow(3);
    Shape {
        bytes_read: 24 * (side + 1).pow(3) + 4 * n + 8 * n,
        bytes_written: 8 * VALUES * n,
        flops: 150 * FACETS * n,
        ..Shape::of(n)
    }
}

struct Data {
    /// Of the hexahedra's nodes along x, y, z.
    nodes: [Vec<f64>; 3],
    /// The eight nodes of each hexahedron.
    corners: Vec<u32>,
    /// Planes between the boxes along x, y, z, one after the other, each `planes` long.
    planes: Vec<f64>,
    /// The hexahedron and the box of each intersection.
    hexes: Vec<u32>,
    boxes: Vec<u32>,
    out: Vec<f64>,
}

/// Hexahedra a little smaller than the boxes, so that all intersections differ.
fn data(run: &mut Run) -> Data {
    let side = side(run.target);
    let along = side + 1;
    let parts = along as f64;
    let cube = |n: usize| (0..n * n * n).map(move |i| [i % n, i / n % n, i / (n * n)]);
    let number = |[x, y, z]: [usize; 3]| (x + along * (y + along * z)) as u32;
    let nodes = [0, 1, 2].map(|axis| {
        let offset = (axis + 1) as f64;
        let first = CORNER[axis] + PITCH * (1.0 - offset / parts);
        let width = PITCH * (1.0 - 0.5 / parts);
        cube(along)
            .map(|node| first + node[axis] as f64 * width)
            .collect()
    });
    let around = |zone: [usize; 3]| {
        (0..8).map(move |c| {
            [
                zone[0] + (c & 1),
                zone[1] + (c >> 1 & 1),
                zone[2] + (c >> 2),
            ]
        })
    };
    // Nodes and boxes are numbered alike: there is one more of either than hexahedra.
    let corners: Vec<u32> = cube(side).flat_map(around).map(number).collect();
    Data {
        nodes,
        planes: (0..3)
            .flat_map(|axis| (0..along + 1).map(move |k| CORNER[axis] + k as f64 * PITCH))
            .collect(),
        hexes: (0..run.size).map(|i| (i / BOXES) as u32).collect(),
        boxes: corners.clone(),
        corners,
        out: vec![0.0; VALUES * run.size],
    }
}

type Point = [f64; 3];

/// A polygon's corners in a room: coordinates x, y, z of each.
///
/// Corners are clamped to the room rather than checked one by one: a way out of the loops over them would keep
/// threads that part there apart. That no polygon outgrew the room is asked once for each cut.
struct Polygon<R>(R);

impl<R: Room> Polygon<R> {
    #[inline(always)]
    fn put(&mut self, axis: usize, i: usize, value: f64) {
        self.0.put(axis * ROOM + i.min(ROOM - 1), value);
    }

    #[inline(always)]
    fn point(&self, i: usize) -> Point {
        [0, 1, 2].map(|axis| self.0.get(axis * ROOM + i.min(ROOM - 1)))
    }

    #[inline(always)]
    fn set(&mut self, i: usize, to: Point) {
        for (axis, value) in to.into_iter().enumerate() {
            self.put(axis, i, value);
        }
    }
}

/// Threads in a block, fixed.
const BLOCK: usize = 64;
/// Numbers of a thread, and one more.
const WORDS: usize = 3 * ROOM + 1;

smelt::shared! {
    static ROOMS: [f64; WORDS * BLOCK];
}

/// Moves the polygon of `n` corners from one end of the room to the other, but for what lies
/// beyond `cut` along `axis`; gives the number of its corners. Values equal for both corners of an
/// edge stay so, whichever way it is cut.
#[inline(always)]
fn clip(
    at: &mut Polygon<impl Room>,
    axis: usize,
    to_start: bool,
    below: bool,
    cut: f64,
    n: usize,
) -> usize {
    let place = |i: usize| if to_start { i } else { ROOM - 1 - i };
    let (mut from, mut count) = (if to_start { ROOM - 1 } else { 0 }, 0);
    let stays = |value: f64| if below { value < cut } else { value >= cut };
    for i in 0..n {
        let to = if to_start { ROOM - n + i } else { n - 1 - i };
        let (a, b) = (at.point(from), at.point(to));
        if stays(a[axis]) {
            at.set(place(count), a);
            count += 1;
            if !stays(b[axis]) {
                at.set(place(count), crossing(a, b, axis, cut, below));
                count += 1;
            }
        } else if stays(b[axis]) {
            at.set(place(count), crossing(b, a, axis, cut, below));
            count += 1;
        }
        from = to;
    }
    assert!(count <= ROOM, "a polygon of more corners than there can be");
    count
}

/// The point of the edge from `inside` to `outside` on the cut, reckoned from the lower end.
#[inline(always)]
fn crossing(inside: Point, outside: Point, axis: usize, cut: f64, below: bool) -> Point {
    let (low, high) = if below {
        (inside, outside)
    } else {
        (outside, inside)
    };
    let part = (cut - low[axis]) / (high[axis] - low[axis]);
    let mut on = [0, 1, 2].map(|i| low[i] + (high[i] - low[i]) * part);
    on[axis] = cut;
    on
}

/// A box: its lowest corner and its size.
#[derive(Clone, Copy)]
struct Block {
    low: Point,
    size: Point,
}

/// Adds volume and moments between z = 0 and the polygon of `n` corners from `first` on.
#[inline(always)]
fn add_polygon(
    sums: &mut [f64; VALUES],
    at: &Polygon<impl Room>,
    first: usize,
    n: usize,
    it: Block,
) {
    let ([x0, y0, z0], [dx, dy, _]) = (it.low, it.size);
    let mut part = [0.0; VALUES];
    let a = at.point(first);
    let mut b = at.point(first + 1);
    for i in 2..n {
        let c = at.point(first + i);
        let mut triangle = [0.0; VALUES];
        for (p, q) in [(a, b), (b, c), (c, a)] {
            let height = 0.5 * (p[2] + q[2]);
            triangle[0] += height;
            triangle[1] += height * (x0 + 0.5 * dx * (p[0] + q[0]));
            triangle[2] += height * (y0 + 0.5 * dy * (p[1] + q[1]));
            triangle[3] += height * (z0 + 0.5 * height);
        }
        let area = 0.5
            * ((a[0] - b[0]) * (a[1] + b[1])
                + (b[0] - c[0]) * (b[1] + c[1])
                + (c[0] - a[0]) * (c[1] + a[1]));
        for (part, triangle) in part.iter_mut().zip(triangle) {
            *part += 0.33333333333333333 * area * triangle;
        }
        b = c;
    }
    for (sum, part) in sums.iter_mut().zip(part) {
        *sum += part * (dx * dy);
    }
}

/// Facet `facet` of a hexahedron in the frame where the box is of width 1 along x and y and
/// begins at 0 along z.
#[inline(always)]
fn facet(hex: &[[f64; 8]; 3], it: Block, scale: [f64; 2], facet: usize) -> [Point; 3] {
    // Each face's corners, so that a facet's normal points outwards.
    const FACES: [[u8; 4]; 6] = [
        [0, 2, 6, 4],
        [1, 5, 7, 3],
        [0, 4, 5, 1],
        [2, 3, 7, 6],
        [0, 1, 3, 2],
        [4, 6, 7, 5],
    ];
    let face = FACES[(facet / 4).min(5)].map(|corner| (corner & 7) as usize);
    let (from, to) = (face[facet % 4], face[(facet + 1) % 4]);
    let frame = |p: Point| {
        [
            (p[0] - it.low[0]) * scale[0],
            (p[1] - it.low[1]) * scale[1],
            p[2] - it.low[2],
        ]
    };
    let corner = |i: usize| [hex[0][i], hex[1][i], hex[2][i]];
    let centre = [0, 1, 2].map(|axis| {
        let v = &hex[axis];
        0.25 * (v[face[0]] + v[face[1]] + v[face[2]] + v[face[3]])
    });
    [frame(corner(from)), frame(centre), frame(corner(to))]
}

#[inline(always)]
fn all(at: &[Point; 3], test: impl Fn(Point) -> bool) -> bool {
    test(at[0]) && test(at[1]) && test(at[2])
}

/// Which facets lie inside the box, above it, and across its sides; a bit for each.
#[inline(always)]
fn sort(hex: &[[f64; 8]; 3], it: Block, scale: [f64; 2]) -> [u32; 3] {
    let [mut inside, mut above, mut across] = [0; 3];
    let height = it.size[2];
    for i in 0..FACETS {
        let at = facet(hex, it, scale, i);
        let outside = all(&at, |p| p[0] < 0.0)
            || all(&at, |p| p[0] >= 1.0)
            || all(&at, |p| p[1] < 0.0)
            || all(&at, |p| p[1] >= 1.0)
            || all(&at, |p| p[2] < 0.0);
        if outside {
            continue;
        }
        let within = all(&at, |p| {
            p[0] >= 0.0 && p[0] < 1.0 && p[1] >= 0.0 && p[1] < 1.0
        });
        if within && all(&at, |p| p[2] >= height) {
            above |= 1 << i;
        } else if within && all(&at, |p| p[2] >= 0.0 && p[2] < height) {
            inside |= 1 << i;
        } else {
            across |= 1 << i;
        }
    }
    [inside, above, across]
}

/// The bits that are set, lowest first.
#[inline(always)]
fn each_bit(mut bits: u32, mut body: impl FnMut(usize)) {
    while bits != 0 {
        body(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

#[inline(always)]
fn intersection(hex: &[[f64; 8]; 3], it: Block, at: &mut Polygon<impl Room>) -> [f64; VALUES] {
    let [dx, dy, height] = it.size;
    let det = dx * dy;
    let per = det / (det * det + 1.0e-80);
    let scale = [dy * per, dx * per];
    let [inside, above, across] = sort(hex, it, scale);
    let mut sums = [0.0; VALUES];
    each_bit(across, |i| {
        for (k, corner) in facet(hex, it, scale, i).into_iter().enumerate() {
            at.set(k, corner);
        }
        let n = clip(at, 1, false, true, 1.0, 3);
        let n = clip(at, 1, true, false, 0.0, n);
        let n = clip(at, 0, false, true, 1.0, n);
        let n = clip(at, 0, true, false, 0.0, n);
        // At most a corner more for each of the four cuts: by constant numbers, so in registers.
        let whole = [
            at.point(0),
            at.point(1),
            at.point(2),
            at.point(3),
            at.point(4),
            at.point(5),
            at.point(6),
        ];
        let upper = clip(at, 2, false, false, height, n);
        if upper >= 3 {
            for i in ROOM - upper..ROOM {
                at.put(2, i, height);
            }
            add_polygon(&mut sums, at, ROOM - upper, upper, it);
        }
        let [a, b, c, d, e, f, g] = whole;
        at.set(0, a);
        at.set(1, b);
        at.set(2, c);
        at.set(3, d);
        at.set(4, e);
        at.set(5, f);
        at.set(6, g);
        let n = clip(at, 2, false, true, height, n);
        let n = clip(at, 2, true, false, 0.0, n);
        if n >= 3 {
            add_polygon(&mut sums, at, 0, n, it);
        }
    });
    let mut add_whole = |i: usize, is_above: bool| {
        for (k, corner) in facet(hex, it, scale, i).into_iter().enumerate() {
            at.set(k, corner);
            if is_above {
                at.put(2, k, height);
            }
        }
        add_polygon(&mut sums, at, 0, 3, it);
    };
    each_bit(above, |i| add_whole(i, true));
    each_bit(inside, |i| add_whole(i, false));
    sums
}

/// Intersection `i`, all arrays being read through functions.
#[inline(always)]
fn record(
    n: usize,
    [hex, number]: [u32; 2],
    corner: impl Fn(usize) -> usize,
    node: impl Fn(usize, usize) -> f64,
    plane: impl Fn(usize) -> f64,
    room: impl Room,
) -> [f64; VALUES] {
    let hex = hex as usize;
    let mut corners = [[0.0; 8]; 3];
    for c in 0..8 {
        let at = corner(8 * hex + c);
        for axis in 0..3 {
            corners[axis][c] = node(axis, at);
        }
    }
    let (boxes, number) = (n as u32 - 1, number);
    let place = [
        number % boxes,
        number / boxes % boxes,
        number / (boxes * boxes),
    ];
    let ends = [0, 1, 2].map(|axis| {
        let at = axis * n + place[axis] as usize;
        [plane(at), plane(at + 1)]
    });
    let mut it = Block {
        low: ends.map(|[low, _]| low),
        size: ends.map(|[low, high]| high - low),
    };
    it.size[2] = it.size[2].max(0.0);
    intersection(&corners, it, &mut Polygon(room))
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let n = it.planes.len() / 3;
    run.time_host(|| {
        let pairs = it.hexes.iter().zip(&it.boxes);
        for (out, (&hex, &number)) in it.out.as_chunks_mut().0.iter_mut().zip(pairs) {
            *out = record(
                n,
                [hex, number],
                |i| it.corners[i] as usize,
                |axis, i| it.nodes[axis][i],
                |i| it.planes[i],
                [0.0; WORDS],
            );
        }
    });
    Ok(Checksum::of(&it.out))
}

#[allow(clippy::too_many_arguments)]
fn hexrect(
    x: &[f64],
    y: &[f64],
    z: &[f64],
    corners: &[u32],
    planes: &[f64],
    hexes: &[u32],
    boxes: &[u32],
    mut out: DisjointChunks<f64>,
) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        out.copy_from_slice(&record(
            planes.len() / 3,
            [hexes[t.get()], boxes[t.get()]],
            |i| corners[i] as usize,
            |axis, i| [x, y, z][axis][i],
            |i| planes[i],
            Part::new(&ROOMS, WORDS),
        ));
    }
}

#[allow(clippy::too_many_arguments)]
fn hexrect_unchecked(
    x: &[f64],
    y: &[f64],
    z: &[f64],
    corners: &[u32],
    planes: &[f64],
    hexes: &[u32],
    boxes: &[u32],
    mut out: DisjointChunks<f64>,
) {
    smelt::launch_bounds::<{ BLOCK as u32 }, 0>();
    let t = thread::index();
    if let Some(out) = out.get_mut(t) {
        // SAFETY: all lists have an entry for each result, and name what there is; corners are below ROOM.
        unsafe {
            let pair = [*hexes.get_unchecked(t.get()), *boxes.get_unchecked(t.get())];
            *out.as_mut_ptr().cast() = record(
                planes.len() / 3,
                pair,
                |i| *corners.get_unchecked(i) as usize,
                |axis, i| *[x, y, z][axis].get_unchecked(i),
                |i| *planes.get_unchecked(i),
                UncheckedPart::new(Part::new(&ROOMS, WORDS)),
            );
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let [x, y, z] = &it.nodes;
    let (x, y, z) = (run.to_device(x)?, run.to_device(y)?, run.to_device(z)?);
    let (corners, planes) = (run.to_device(&it.corners)?, run.to_device(&it.planes)?);
    let (hexes, boxes) = (run.to_device(&it.hexes)?, run.to_device(&it.boxes)?);
    let mut out = run.to_device(&it.out)?;
    let grid = run.cover(run.size);
    run.time(|queue| {
        let out = out.by_chunks(VALUES);
        let args = (&x, &y, &z, &corners, &planes, &hexes, &boxes, out);
        launch!(queue, grid, [hexrect, hexrect_unchecked], args)
    })?;
    Ok(Checksum::of(&run.to_host(&out)?))
}
