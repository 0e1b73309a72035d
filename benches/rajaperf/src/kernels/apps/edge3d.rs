//! Apps_EDGE3D: for each zone of a mesh of hexahedra the edge-element matrix of mass plus
//! curl-curl, summed up over its entries.

use super::domain::{Domain, Steps, each};
use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "EDGE3D",
    group: Group::Apps,
    reps: 10,
    shape: |_, target| shape(target),
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("rows")],
    // A zone's matrix takes the registers of larger blocks.
    any_block: false,
    ..Kernel::DEFAULT
};

/// Edges of a hexahedron.
const EDGES: usize = 12;
/// Quadrature points of a dimension: Gauss and Legendre's of order 2, on 0 to 1.
const POINTS: [f64; 2] = [0.211324865405187118, 0.788675134594812882];
const WEIGHT: f64 = 0.5;
/// Added to a divisor that could be 0.
const TINY: f64 = 1.0e-50;

fn shape(target: usize) -> Shape {
    let domain = Domain::cube(target);
    let zones = domain.end_zone() - domain.first_zone();
    let steps = domain.steps();
    let (derivative, determinant, transform) = (8, 17, 15 * EDGES);
    let inverse = determinant + 5 + 4 * 9;
    let product = 6 * EDGES * (EDGES + 1) / 2;
    let point = 15 + 6 * derivative + inverse + 2 * transform + 9 + 2 * product;
    let line = 2 * point + 3 * derivative + 6;
    let zone = 2 * (2 * line + 1) + 9 * derivative + determinant;
    Shape {
        iterations: zones,
        bytes_read: 24 * (zones + 1 + steps.j as usize + steps.k as usize),
        bytes_written: 8 * zones,
        flops: zone * zones,
        ..Shape::of(domain.real_zones())
    }
}

struct Data {
    domain: Domain,
    position: [Vec<f64>; 3],
    sums: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let domain = Domain::cube(run.target);
    Data {
        position: [(0, 0.3), (1, 0.2), (2, 0.1)].map(|(axis, d)| domain.positions(axis, d)),
        sums: vec![0.0; domain.len()],
        domain,
    }
}

type Corners = [f64; 8];
type Basis = [[f64; EDGES]; 3];
type Square = [[f64; 3]; 3];

/// The products of a coordinate or what it lacks to 1 with another's: of neither, the first,
/// the second, both.
struct Pair {
    none: f64,
    first: f64,
    second: f64,
    both: f64,
}

impl Pair {
    #[inline(always)]
    fn of(a: f64, b: f64) -> Self {
        Self {
            none: (1.0 - a) * (1.0 - b),
            first: a * (1.0 - b),
            second: (1.0 - a) * b,
            both: a * b,
        }
    }
}

#[inline(always)]
fn along_x(v: &Corners, yz: &Pair) -> f64 {
    (v[1] - v[0]) * yz.none
        + (v[2] - v[3]) * yz.first
        + (v[5] - v[4]) * yz.second
        + (v[6] - v[7]) * yz.both
}

#[inline(always)]
fn along_y(v: &Corners, xz: &Pair) -> f64 {
    (v[3] - v[0]) * xz.none
        + (v[2] - v[1]) * xz.first
        + (v[7] - v[4]) * xz.second
        + (v[6] - v[5]) * xz.both
}

#[inline(always)]
fn along_z(v: &Corners, xy: &Pair) -> f64 {
    (v[4] - v[0]) * xy.none
        + (v[5] - v[1]) * xy.first
        + (v[6] - v[2]) * xy.both
        + (v[7] - v[3]) * xy.second
}

#[inline(always)]
fn determinant([x, y, z]: &Square) -> f64 {
    x[1] * y[2] * z[0] - x[2] * y[1] * z[0] + x[2] * y[0] * z[1]
        - x[0] * y[2] * z[1]
        - x[1] * y[0] * z[2]
        + x[0] * y[1] * z[2]
}

#[inline(always)]
fn inverse([x, y, z]: &Square, per: f64) -> Square {
    [
        [
            (y[1] * z[2] - y[2] * z[1]) * per,
            (x[2] * z[1] - x[1] * z[2]) * per,
            (x[1] * y[2] - x[2] * y[1]) * per,
        ],
        [
            (y[2] * z[0] - y[0] * z[2]) * per,
            (x[0] * z[2] - x[2] * z[0]) * per,
            (x[2] * y[0] - x[0] * y[2]) * per,
        ],
        [
            (y[0] * z[1] - y[1] * z[0]) * per,
            (x[1] * z[0] - x[0] * z[1]) * per,
            (x[0] * y[1] - x[1] * y[0]) * per,
        ],
    ]
}

/// Calls `$f::<E>($args)` for each edge E. Written out, so that what is kept for each edge is in
/// registers on every target, where a loop may be left a loop over memory.
macro_rules! each_edge {
    ($f:ident $args:tt) => {
        each_edge!(@ $f $args 0 1 2 3 4 5 6 7 8 9 10 11)
    };
    (@ $f:ident $args:tt $($edge:literal)*) => {
        $($f::<$edge>$args;)*
    };
}

#[inline(always)]
fn transform<const E: usize>(out: &mut Basis, by: &Square, [x, y, z]: &Basis) {
    let dot = |by: &[f64; 3]| by[0] * x[E] + by[1] * y[E] + by[2] * z[E];
    out[0][E] = dot(&by[0]);
    out[1][E] = dot(&by[1]);
    out[2][E] = dot(&by[2]);
}

/// Each edge's function, transformed.
#[inline(always)]
fn transformed(by: &Square, basis: &Basis) -> Basis {
    let mut out = [[0.0; EDGES]; 3];
    each_edge!(transform(&mut out, by, basis));
    out
}

/// Where the entries of the matrix go.
trait Entries {
    fn new() -> Self;
    /// Adds to the entries (p, m) and, if that is another, (m, p).
    fn add(&mut self, p: usize, m: usize, value: f64);
    fn sum(&self) -> f64;
}

/// The matrix, of which only the upper triangle is kept.
struct Whole([[f64; EDGES]; EDGES]);

impl Entries for Whole {
    #[inline(always)]
    fn new() -> Self {
        Self([[0.0; EDGES]; EDGES])
    }

    #[inline(always)]
    fn add(&mut self, p: usize, m: usize, value: f64) {
        self.0[p][m] += value;
    }

    #[inline(always)]
    fn sum(&self) -> f64 {
        let mut sum = 0.0;
        each_edge!(add_row_sum(&mut sum, &self.0));
        sum
    }
}

/// Adds the entries of row `M` of the matrix whose upper triangle is given.
#[inline(always)]
#[allow(unused_comparisons)] // M < 0
fn add_row_sum<const M: usize>(sum: &mut f64, upper: &[[f64; EDGES]; EDGES]) {
    macro_rules! entries {
        ($($p:literal)*) => { 0.0 $(+ if M < $p { upper[M][$p] } else { upper[$p][M] })* };
    }
    *sum += entries!(0 1 2 3 4 5 6 7 8 9 10 11);
}

/// The sums of the rows, which is all that is wanted; they fit into registers.
struct Rows([f64; EDGES]);

impl Entries for Rows {
    #[inline(always)]
    fn new() -> Self {
        Self([0.0; EDGES])
    }

    #[inline(always)]
    fn add(&mut self, p: usize, m: usize, value: f64) {
        self.0[p] += value;
        if m > p {
            self.0[m] += value;
        }
    }

    #[inline(always)]
    fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

/// Row `P` of the upper triangle of the functions' inner products with each other.
#[inline(always)]
fn add_row<const P: usize>(matrix: &mut impl Entries, weight: f64, [x, y, z]: &Basis) {
    macro_rules! entries {
        ($($m:literal)*) => {$(
            if $m >= P {
                let product = x[P] * x[$m] + y[P] * y[$m] + z[P] * z[$m];
                matrix.add(P, $m, weight * product);
            }
        )*};
    }
    entries!(0 1 2 3 4 5 6 7 8 9 10 11);
}

#[inline(always)]
fn add_products(matrix: &mut impl Entries, weight: f64, basis: &Basis) {
    each_edge!(add_row(matrix, weight, basis));
}

/// Adds the part of the quadrature point (x, y, z).
#[inline(always)]
fn add_point(
    matrix: &mut impl Entries,
    corners: &[Corners; 3],
    [x, y, z]: [f64; 3],
    [zx, zy, zz]: [f64; 3],
    weight: f64,
) {
    let (xy, xz, yz) = (Pair::of(x, y), Pair::of(x, z), Pair::of(y, z));
    let [vx, vy, vz] = corners;
    let jacobian = [
        [along_x(vx, &yz), along_x(vy, &yz), along_x(vz, &yz)],
        [along_y(vx, &xz), along_y(vy, &xz), along_y(vz, &xz)],
        [zx, zy, zz],
    ];
    // The suite's tolerance for degenerate zones is 0: none are mended.
    let determinant = determinant(&jacobian);
    let size = determinant.abs();
    let edges = [
        [
            yz.none, yz.first, yz.second, yz.both, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        ],
        [
            0.0, 0.0, 0.0, 0.0, xz.none, xz.first, xz.second, xz.both, 0.0, 0.0, 0.0, 0.0,
        ],
        [
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, xy.none, xy.first, xy.second, xy.both,
        ],
    ];
    let (nx, ny, nz) = (1.0 - x, 1.0 - y, 1.0 - z);
    let curls = [
        [0.0, 0.0, 0.0, 0.0, nx, x, -nx, -x, -nx, -x, nx, x],
        [-ny, -y, ny, y, 0.0, 0.0, 0.0, 0.0, ny, -ny, y, -y],
        [nz, -nz, z, -z, -nz, nz, -z, z, 0.0, 0.0, 0.0, 0.0],
    ];
    let edges = transformed(&inverse(&jacobian, 1.0 / (determinant + TINY)), &edges);
    add_products(matrix, weight * size, &edges);
    let per = 1.0 / (size + TINY);
    let [jx, jy, jz] = jacobian;
    let turned = [0, 1, 2].map(|i| [jx[i] * per, jy[i] * per, jz[i] * per]);
    add_products(matrix, weight * size, &transformed(&turned, &curls));
}

/// The sum of all entries of a zone's matrix.
#[inline(always)]
fn zone<M: Entries>(corners: [Corners; 3]) -> f64 {
    let mut matrix = M::new();
    for x in POINTS {
        for y in POINTS {
            let xy = Pair::of(x, y);
            let [vx, vy, vz] = &corners;
            let down = [along_z(vx, &xy), along_z(vy, &xy), along_z(vz, &xy)];
            for z in POINTS {
                let weight = WEIGHT * WEIGHT * WEIGHT;
                add_point(&mut matrix, &corners, [x, y, z], down, weight);
            }
        }
    }
    matrix.sum()
}

/// Apart, so that the compiler knows `out` to be no part of the positions.
#[inline(never)]
fn zones(out: &mut [f64], x: &[f64], y: &[f64], z: &[f64], first: usize, steps: Steps) {
    let n = out.len();
    let x = steps.corner_slices(&x[first..], n);
    let y = steps.corner_slices(&y[first..], n);
    let z = steps.corner_slices(&z[first..], n);
    for i in 0..n {
        out[i] = zone::<Whole>([each(&x, i), each(&y, i), each(&z, i)]);
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let domain = &it.domain;
    let (first, end, steps) = (domain.first_zone(), domain.end_zone(), domain.steps());
    let [x, y, z] = &it.position;
    run.time_host(|| zones(&mut it.sums[first..end], x, y, z, first, steps));
    Ok(checksum(run, &it.sums))
}

/// From zone `first` on, to before `end`.
#[derive(Clone, Copy, DeviceCopy)]
struct Zones {
    first: usize,
    end: usize,
    steps: Steps,
}

fn edge3d<M: Entries>(zones: Zones, x: &[f64], y: &[f64], z: &[f64], mut out: DisjointMut<f64>) {
    smelt::launch_bounds::<256, 0>();
    let t = thread::index();
    let i = t.get();
    if i >= zones.first && i < zones.end {
        let at = zones.steps;
        out[t] = zone::<M>([at.corners(x, i), at.corners(y, i), at.corners(z, i)]);
    }
}

fn edge3d_unchecked<M: Entries>(
    zones: Zones,
    x: &[f64],
    y: &[f64],
    z: &[f64],
    mut out: DisjointMut<f64>,
) {
    smelt::launch_bounds::<256, 0>();
    let i = thread::index().get();
    if i >= zones.first && i < zones.end {
        let at = zones.steps;
        // SAFETY: all arrays are over the nodes of the domain, which has all nodes of
        // the zones before its end; element i of out is this thread's.
        unsafe {
            *out.get_unchecked_mut(i) = zone::<M>([
                at.corners_unchecked(x, i),
                at.corners_unchecked(y, i),
                at.corners_unchecked(z, i),
            ])
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let zones = Zones {
        first: it.domain.first_zone(),
        end: it.domain.end_zone(),
        steps: it.domain.steps(),
    };
    let [x, y, z] = &it.position;
    let (x, y, z) = (run.to_device(x)?, run.to_device(y)?, run.to_device(z)?);
    let mut out = run.to_device(&it.sums)?;
    let (grid, by_rows) = (run.cover(zones.end), run.tuning == "rows");
    run.time(|queue| {
        let args = (zones, &x, &y, &z, &mut out);
        if by_rows {
            launch!(
                queue,
                grid,
                [edge3d::<Rows>, edge3d_unchecked::<Rows>],
                args
            )
        } else {
            launch!(
                queue,
                grid,
                [edge3d::<Whole>, edge3d_unchecked::<Whole>],
                args
            )
        }
    })?;
    let sums = run.to_host(&out)?;
    Ok(checksum(run, &sums))
}

fn checksum(run: &Run, sums: &[f64]) -> Checksum {
    Checksum::new().scaled(sums, 0.001 * run.scale)
}
