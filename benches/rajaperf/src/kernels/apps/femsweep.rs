//! Apps_FEMSWEEP: a sweep of radiation transport through a mesh of hexahedral elements. For each
//! angle the elements are taken in hyperplanes, each of which depends on those before it; an element
//! is a system of eight equations, solved without pivoting.
//!
//! The suite multiplies what an element gets from its neighbours by a factor that is 0 but that no
//! compiler can know to be: with its random matrices the solution would grow without bounds.
//! So the checksum does not depend on the mesh; here that is a cube whose elements are in
//! order, and the angles are shared out evenly among the eight octants.
//!
//! In tuning `block` a block has an angle and a group, and neighbouring threads different elements. In `groups`
//! they have one element and 32 groups, for all of which the element's matrices are the same.

use crate::access::{Checked, Unchecked};
use crate::prelude::*;

/// Corners of an element, its faces, corners of a face.
const N: usize = 8;
const FACES: usize = 6;
const F: usize = 4;
/// Angles and energy groups.
const ANGLES: usize = 72;
const GROUPS: usize = 128;

pub const KERNEL: Kernel = Kernel {
    name: "FEMSWEEP",
    group: Group::Apps,
    features: &[Feature::Launch],
    size: N * 15 * 15 * 15 * GROUPS * ANGLES,
    reps: 1,
    shape: |_, target| shape(target),
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("groups")],
    block: 128,
    // The system takes the registers of larger blocks.
    any_block: false,
    // Systems without pivoting: a few are nearly singular and magnify any rounding.
    tolerance: 1e-6,
    ..Kernel::DEFAULT
};

/// Elements along a side of the mesh.
fn side(target: usize) -> usize {
    let elements = target as f64 / (N * GROUPS * ANGLES) as f64;
    (elements.cbrt().round() as usize).max(1)
}

fn shape(target: usize) -> Shape {
    let side = side(target);
    let n = side.pow(3);
    let shared = 3 * (side - 1) * side * side;
    let read = N * n * ANGLES + N * N * n * (ANGLES + 1) + 2 * F * F * shared * ANGLES + n * GROUPS;
    let unknowns = N * n * GROUPS * ANGLES;
    // The suite's estimate, whose last term it takes from each element's.
    let solve = N * N * (N - 1) * 6 + 2 * N * (N - 1) * 3 + FACES * F;
    Shape {
        iterations: 1,
        bytes_read: 8 * (read + unknowns),
        bytes_written: 8 * unknowns,
        flops: solve.saturating_sub(6 * side * side) * n * ANGLES * GROUPS,
        ..Shape::of(unknowns)
    }
}

/// The mesh, and how it is swept. Lists are over angle and element unless said otherwise.
struct Mesh {
    /// Elements of an angle in the order in which they are swept.
    order: Vec<u32>,
    /// Where in that each hyperplane begins, and the end: over hyperplane, the same for all angles.
    planes: Vec<u32>,
    /// Whether an element's face lies towards the angle's source; over angle, element and face.
    incoming: Vec<u32>,
    /// Each element's faces that two elements share; `u32::MAX` on the boundary.
    shared: Vec<u32>,
    /// The corners of each shared face, as numbers over element and corner, on both sides.
    low: Vec<u32>,
    high: Vec<u32>,
}

/// Elements in the order of their hyperplanes, from the corner that `octant` names.
fn sweep(side: usize, octant: usize) -> Vec<u32> {
    let along = |at: usize, axis: usize| {
        if octant >> axis & 1 == 1 {
            side - 1 - at
        } else {
            at
        }
    };
    let mut elements: Vec<usize> = (0..side.pow(3)).collect();
    elements.sort_by_key(|&e| {
        let place = [e % side, e / side % side, e / (side * side)];
        (0..3).map(|axis| along(place[axis], axis)).sum::<usize>()
    });
    elements.into_iter().map(|e| e as u32).collect()
}

/// How many elements lie in each hyperplane, summed up.
fn plane_starts(side: usize) -> Vec<u32> {
    let mut counts = vec![0; 3 * side - 1];
    for e in 0..side.pow(3) {
        counts[e % side + e / side % side + e / (side * side) + 1] += 1;
    }
    for plane in 1..counts.len() {
        counts[plane] += counts[plane - 1];
    }
    counts
}

impl Mesh {
    fn cube(side: usize) -> Self {
        let octant = |angle: usize| angle % 8;
        let n = side.pow(3);
        let mut it = Self {
            order: (0..ANGLES).flat_map(|a| sweep(side, octant(a))).collect(),
            planes: plane_starts(side),
            incoming: Vec::new(),
            shared: vec![u32::MAX; FACES * n],
            low: Vec::new(),
            high: Vec::new(),
        };
        for angle in 0..ANGLES {
            // Faces 2 * axis and 2 * axis + 1 are the lower and the upper one.
            let comes = |face: usize| octant(angle) >> (face / 2) & 1 == face % 2;
            it.incoming
                .extend((0..n * FACES).map(|i| comes(i % FACES) as u32));
        }
        for e in 0..n {
            let place = [e % side, e / side % side, e / (side * side)];
            for axis in (0..3).filter(|&axis| place[axis] + 1 < side) {
                it.share(e, e + side.pow(axis as u32), axis);
            }
        }
        it
    }

    /// Makes the face between an element and the next along `axis`.
    fn share(&mut self, below: usize, above: usize, axis: usize) {
        let face = (self.low.len() / F) as u32;
        self.shared[FACES * below + 2 * axis + 1] = face;
        self.shared[FACES * above + 2 * axis] = face;
        for corner in (0..N).filter(|corner| corner >> axis & 1 == 0) {
            self.low.push((N * below + (corner | 1 << axis)) as u32);
            self.high.push((N * above + corner) as u32);
        }
    }
}

struct Data {
    mesh: Mesh,
    b: Vec<f64>,
    a: Vec<f64>,
    f: Vec<f64>,
    sigma: Vec<f64>,
    mass: Vec<f64>,
    x: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (side, init) = (side(run.target), &mut run.init);
    let n = side.pow(3);
    let mesh = Mesh::cube(side);
    Data {
        b: init.random(N * n * ANGLES),
        a: init.random(N * N * n * ANGLES),
        f: init.random(2 * F * mesh.low.len() * ANGLES),
        sigma: init.random(n * GROUPS),
        mass: init.random(N * N * n),
        x: init.random(N * n * GROUPS * ANGLES),
        mesh,
    }
}

/// Runs the body with `$i` from 1 to 7, or from 0, a constant each time: only so is the whole elimination
/// unrolled, and the matrix in registers.
macro_rules! from_1_to_7 {
    ($i:ident => $body:block) => {
        from_1_to_7!(@ $i $body 1 2 3 4 5 6 7)
    };
    (@ $i:ident $body:block $($value:literal)*) => {$({
        const $i: usize = $value;
        $body
    })*};
}
macro_rules! from_0_to_7 {
    ($i:ident => $body:block) => {
        from_1_to_7!(@ $i $body 0 1 2 3 4 5 6 7)
    };
}

/// Solves `a x = b` by factors L and U, the latter with ones on its diagonal, in place.
#[inline(always)]
fn solve(a: &mut [[f64; N]; N], b: [f64; N]) -> [f64; N] {
    const { assert!(N == 8) };
    from_1_to_7!(I => {
        a[0][I] /= a[0][0];
    });
    from_1_to_7!(I => {
        for j in I..N {
            let mut sum = 0.0;
            for k in 0..I {
                sum += a[j][k] * a[k][I];
            }
            a[j][I] -= sum;
        }
        for j in I + 1..N {
            let mut sum = 0.0;
            for k in 0..I {
                sum += a[I][k] * a[k][j];
            }
            a[I][j] = (a[I][j] - sum) / a[I][I];
        }
    });
    let mut x = b;
    x[0] /= a[0][0];
    from_1_to_7!(I => {
        let mut sum = 0.0;
        for j in 0..I {
            sum += a[I][j] * x[j];
        }
        x[I] = (x[I] - sum) / a[I][I];
    });
    from_1_to_7!(BACK => {
        const I: usize = N - 1 - BACK;
        let mut sum = 0.0;
        for j in I + 1..N {
            sum += a[I][j] * x[j];
        }
        x[I] -= sum;
    });
    x
}

/// What a sweep reads; the device's slices and the host's alike.
#[derive(Clone, Copy)]
struct Fields<'a> {
    order: &'a [u32],
    planes: &'a [u32],
    incoming: &'a [u32],
    shared: &'a [u32],
    low: &'a [u32],
    high: &'a [u32],
    b: &'a [f64],
    a: &'a [f64],
    f: &'a [f64],
    sigma: &'a [f64],
    mass: &'a [f64],
}

impl Fields<'_> {
    fn elements(&self) -> usize {
        self.shared.len() / FACES
    }

    fn hyperplanes(&self) -> usize {
        self.planes.len() - 1
    }

    /// The factor 0 of an angle.
    #[inline(always)]
    fn factor(&self, access: impl Access, angle: usize) -> f64 {
        let first =
            angle * self.elements() + *access.at(self.order, angle * self.elements()) as usize;
        (access.at(self.a, N * N * first).sin() - 2.0).max(0.0)
    }

    /// Takes from `b` what comes in through shared face `face`, the angle's solution being read
    /// through `x`.
    #[inline(always)]
    fn couple(
        &self,
        access: impl Access,
        b: &mut [f64; N],
        (angle, face, is_low): (usize, usize, bool),
        factor: f64,
        x: impl Fn(usize) -> f64,
    ) {
        let faces = self.low.len() / F;
        let (own, other) = if is_low {
            (self.low, self.high)
        } else {
            (self.high, self.low)
        };
        let matrix = 2 * F * F * (face + angle * faces) + if is_low { F * F } else { 0 };
        for j in 0..F {
            let mut sum = 0.0;
            for i in 0..F {
                let from = *access.at(other, face * F + i) as usize;
                sum += factor * *access.at(self.f, matrix + j * F + i) * x(from);
            }
            b[*access.at(own, face * F + j) as usize % N] -= sum;
        }
    }

    /// The solution of element number `k` in an angle's order, and the element.
    #[inline(always)]
    fn element(
        &self,
        access: impl Access,
        (angle, group, k): (usize, usize, usize),
        factor: f64,
        x: impl Fn(usize) -> f64,
    ) -> (usize, [f64; N]) {
        let n = self.elements();
        let e = *access.at(self.order, angle * n + k) as usize;
        let at = angle * n + e;
        let mut b = [0.0; N];
        for (i, b) in b.iter_mut().enumerate() {
            *b = *access.at(self.b, N * at + i);
        }
        for i in 0..FACES {
            let face = *access.at(self.shared, FACES * e + i);
            if face != u32::MAX && *access.at(self.incoming, FACES * at + i) != 0 {
                // The lower element of a face has it above.
                let which = (angle, face as usize, i % 2 == 1);
                self.couple(access, &mut b, which, factor, &x);
            }
        }
        let sigma = *access.at(self.sigma, e + group * n);
        let mut a = [[0.0; N]; N];
        from_0_to_7!(I => {
            for (j, a) in a[I].iter_mut().enumerate() {
                let entry = N * I + j;
                *a = access.at(self.a, N * N * at + entry)
                    + sigma * access.at(self.mass, N * N * e + entry);
            }
        });
        (e, solve(&mut a, b))
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    let mesh = &it.mesh;
    let fields = Fields {
        order: &mesh.order,
        planes: &mesh.planes,
        incoming: &mesh.incoming,
        shared: &mesh.shared,
        low: &mesh.low,
        high: &mesh.high,
        b: &it.b,
        a: &it.a,
        f: &it.f,
        sigma: &it.sigma,
        mass: &it.mass,
    };
    let n = fields.elements();
    run.time_host(|| {
        for (sweep, x) in it.x.chunks_exact_mut(N * n).enumerate() {
            let (angle, group) = (sweep / GROUPS, sweep % GROUPS);
            let factor = fields.factor(Checked, angle);
            for k in 0..n {
                let (e, solution) =
                    fields.element(Checked, (angle, group, k), factor, |from| x[from]);
                x[N * e..][..N].copy_from_slice(&solution);
            }
        }
    });
    Ok(checksum(&it.x))
}

/// A block's sweep: for `LANES` groups its threads share out the elements of each hyperplane.
#[inline(always)]
fn block_sweep<const LANES: usize>(access: impl Access, fields: Fields, x: &[AtomicF64]) {
    let (t, threads) = (
        thread::thread_index().x as usize,
        thread::block_dim().x as usize,
    );
    let (angle, group) = (
        thread::block_index().y as usize,
        thread::block_index().x as usize * LANES + t % LANES,
    );
    let (t, threads) = (t / LANES, threads / LANES);
    let n = fields.elements();
    let x = &x[(angle * GROUPS + group) * N * n..][..N * n];
    let factor = fields.factor(access, angle);
    let mut plane = 0;
    while plane < fields.hyperplanes() {
        let end = *access.at(fields.planes, plane + 1) as usize;
        let mut k = *access.at(fields.planes, plane) as usize + t;
        while k < end {
            let (e, solution) =
                fields.element(access, (angle, group, k), factor, |from| x[from].load());
            for (i, value) in solution.into_iter().enumerate() {
                x[N * e + i].store(value);
            }
            k += threads;
        }
        sync::barrier();
        plane += 1;
    }
}

macro_rules! kernel {
    ($name:ident, $lanes:expr, $access:expr) => {
        /// A block for each angle and group. Within a hyperplane no element is read that
        /// another thread writes; the solution is atomic since nothing says so.
        #[allow(clippy::too_many_arguments)]
        fn $name(
            order: &[u32],
            planes: &[u32],
            incoming: &[u32],
            shared: &[u32],
            low: &[u32],
            high: &[u32],
            b: &[f64],
            a: &[f64],
            f: &[f64],
            sigma: &[f64],
            mass: &[f64],
            x: &[AtomicF64],
        ) {
            smelt::launch_bounds::<128, 0>();
            let fields = Fields {
                order,
                planes,
                incoming,
                shared,
                low,
                high,
                b,
                a,
                f,
                sigma,
                mass,
            };
            block_sweep::<$lanes>($access, fields, x);
        }
    };
}
/// Groups that a block of tuning `groups` has.
const LANES: usize = 32;

kernel!(femsweep, 1, Checked);
// SAFETY: the lists of the mesh name what there is, and the fields are as long as it says.
kernel!(femsweep_unchecked, 1, unsafe { Unchecked::new() });
kernel!(groups, LANES, Checked);
// SAFETY: as above.
kernel!(groups_unchecked, LANES, unsafe { Unchecked::new() });

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let mesh = &it.mesh;
    let (order, planes) = (run.to_device(&mesh.order)?, run.to_device(&mesh.planes)?);
    let (incoming, shared) = (run.to_device(&mesh.incoming)?, run.to_device(&mesh.shared)?);
    let (low, high) = (run.to_device(&mesh.low)?, run.to_device(&mesh.high)?);
    let (b, a, f) = (
        run.to_device(&it.b)?,
        run.to_device(&it.a)?,
        run.to_device(&it.f)?,
    );
    let (sigma, mass) = (run.to_device(&it.sigma)?, run.to_device(&it.mass)?);
    let x = run.cells_to_device(it.x)?;
    let grid = Grid::blocks((GROUPS, ANGLES)).threads(run.block);
    // Whole groups of lanes.
    let lanes = run.block.next_multiple_of(LANES);
    let by_groups = Grid::blocks((GROUPS / LANES, ANGLES)).threads(lanes);
    let has_groups = run.tuning == "groups";
    run.time(|queue| {
        let args = (
            &order, &planes, &incoming, &shared, &low, &high, &b, &a, &f, &sigma, &mass, &x,
        );
        if has_groups {
            return launch!(queue, by_groups, [groups, groups_unchecked], args);
        }
        launch!(queue, grid, [femsweep, femsweep_unchecked], args)
    })?;
    Ok(checksum(&run.cells_to_host(&x)?))
}

fn checksum(x: &[f64]) -> Checksum {
    Checksum::new().scaled(x, 1e-10)
}
