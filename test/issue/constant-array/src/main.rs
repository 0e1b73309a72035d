//! The edge elements of benches/rajaperf's EDGE3D, as they were: loops over a constant
//! array by value, around a body that is large. On NVIDIA the array's address was taken for
//! one of local memory.
#![allow(dead_code, unused_comparisons)]
use smelt::prelude::*;
/// Edges of a hexahedron.
const EDGES: usize = 12;
/// Quadrature points of a dimension: Gauss and Legendre's of order 2, on 0 to 1.
const POINTS: [f64; 2] = [0.211324865405187118, 0.788675134594812882];
const WEIGHT: f64 = 0.5;
/// Added to a divisor that could be 0.
const TINY: f64 = 1.0e-50;

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

/// Distances between a node and its neighbours in the second and third dimension.
#[derive(Clone, Copy, DeviceCopy)]
pub struct Steps {
    pub j: u32,
    pub k: u32,
}

impl Steps {
    /// The eight nodes of zone `i`, x fastest.
    #[inline(always)]
    pub fn nodes(self, i: usize) -> [usize; 8] {
        let (j, k) = (self.j as usize, self.k as usize);
        let low = [i, i + 1, i + j, i + 1 + j];
        let [a, b, c, d] = low;
        [a, b, c, d, a + k, b + k, c + k, d + k]
    }

    /// The values of `x` at the eight nodes of zone `i`.
    #[inline(always)]
    pub fn corners(self, x: &[f64], i: usize) -> [f64; 8] {
        // No sum below overflows, and the farthest is checked first: so the compiler
        // knows the others to be inside.
        let [a, b, c, d, e, f, g, h] = self.nodes(i);
        let far = x[h];
        [x[a], x[b], x[c], x[d], x[e], x[f], x[g], far]
    }

    /// As [`corners`](Self::corners).
    ///
    /// # Safety
    /// The nodes are below the length of `x`.
    #[inline(always)]
    pub unsafe fn corners_unchecked(self, x: &[f64], i: usize) -> [f64; 8] {
        let [a, b, c, d, e, f, g, h] = self.nodes(i);
        // SAFETY: the caller's.
        let at = |node| unsafe { *x.get_unchecked(node) };
        [at(a), at(b), at(c), at(d), at(e), at(f), at(g), at(h)]
    }
}

#[derive(Clone, Copy, DeviceCopy)]
struct Zones {
    first: usize,
    end: usize,
    steps: Steps,
}
fn edge3d(zones: Zones, x: &[f64], y: &[f64], z: &[f64], mut out: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if i >= zones.first && i < zones.end {
        let at = zones.steps;
        out[t] = zone::<Whole>([at.corners(x, i), at.corners(y, i), at.corners(z, i)]);
    }
}

fn main() -> smelt::Result<()> {
    let gpu = Device::default()?;
    let side = 12usize;
    let n = side * side * side;
    let pos = |axis: u32| -> Vec<f64> {
        let st = side.pow(axis);
        (0..n)
            .map(|p| ((p / st) % side) as f64 * 0.5 + (p % 7) as f64 * 0.01)
            .collect()
    };
    let (x, y, z) = (pos(0), pos(1), pos(2));
    let steps = Steps {
        j: side as u32,
        k: (side * side) as u32,
    };
    let zones = Zones {
        first: 0,
        end: n - 1 - side - side * side,
        steps,
    };
    let mut out = vec![0.0; n];
    gpu.launch(Grid::cover(n), edge3d, (zones, &x, &y, &z, &mut out))?;
    for i in 0..zones.end {
        let w = zone::<Whole>([
            steps.corners(&x, i),
            steps.corners(&y, i),
            steps.corners(&z, i),
        ]);
        assert!((out[i] - w).abs() <= 1e-9 * w.abs(), "{i} {} {w}", out[i]);
    }
    println!("equal");
    Ok(())
}
