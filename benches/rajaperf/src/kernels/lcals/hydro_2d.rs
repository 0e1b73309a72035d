//! Lcals_HYDRO_2D: a fragment of two-dimensional hydrodynamics: three kernels over the inside of a
//! square, each needing the neighbours that the one before made.
//!
//! Tuning `fused` does all three in one launch: an element makes again what it needs of its
//! neighbours, which costs operations and saves a third of the memory traffic. What the border
//! holds of a and b never changes, so that is read from copies.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "HYDRO_2D",
    group: Group::Lcals,
    features: &[Feature::Kernel],
    reps: 100,
    shape: |_, target| {
        let n = square_side(target);
        let inside = n.saturating_sub(2).pow(2);
        // What each kernel's stencils touch, corners left out.
        let first = 4 * (n.saturating_sub(1).pow(2).saturating_sub(1));
        let second = 2 * n.saturating_sub(1) * n.saturating_sub(2)
            + 2 * (n * n).saturating_sub(4)
            + 2 * inside;
        Shape {
            iterations: 3 * target,
            kernels: 3,
            bytes_read: 8 * (first + second + 4 * inside),
            bytes_written: 8 * 6 * inside,
            flops: (14 + 26 + 4) * inside,
            ..Shape::of(target)
        }
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

const S: f64 = 0.0041;
const T: f64 = 0.0037;

/// The arrays of the suite, without the z that begins their names there.
struct Data {
    rout: Vec<f64>,
    zout: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    m: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    r: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (square_side(run.target).pow(2), &mut run.init);
    // In the order that they are written in.
    Data {
        rout: init.constant(n, 0.0),
        zout: init.constant(n, 0.0),
        a: init.data(n),
        b: init.data(n),
        m: init.data(n),
        p: init.data(n),
        q: init.data(n),
        r: init.data(n),
        u: init.data(n),
        v: init.data(n),
        z: init.data(n),
    }
}

fn checksum(run: &Run, zout: &[f64], rout: &[f64]) -> Checksum {
    let scale = 0.001 * run.scale;
    Checksum::new().scaled(zout, scale).scaled(rout, scale)
}

// The arithmetic of the three kernels at element `i` of rows of `n`, written once; `$a` says how an
// element is read.
macro_rules! first_a {
    ($at:ident, $n:ident, $i:expr, $p:ident, $q:ident, $r:ident, $m:ident) => {{
        let (i, left, down_left) = ($i, $i - 1, $i - 1 + $n);
        ($at!($p, down_left) + $at!($q, down_left) - $at!($p, left) - $at!($q, left))
            * ($at!($r, i) + $at!($r, left))
            / ($at!($m, left) + $at!($m, down_left))
    }};
}

macro_rules! first_b {
    ($at:ident, $n:ident, $i:expr, $p:ident, $q:ident, $r:ident, $m:ident) => {{
        let (i, left, above) = ($i, $i - 1, $i - $n);
        ($at!($p, left) + $at!($q, left) - $at!($p, i) - $at!($q, i))
            * ($at!($r, i) + $at!($r, above))
            / ($at!($m, i) + $at!($m, left))
    }};
}

macro_rules! first {
    ($at:ident, $n:ident, $i:ident, $p:ident, $q:ident, $r:ident, $m:ident) => {
        (
            first_a!($at, $n, $i, $p, $q, $r, $m),
            first_b!($at, $n, $i, $p, $q, $r, $m),
        )
    };
}

/// The change of u (of v) at `i`, `$f` being z (r).
macro_rules! second {
    ($at:ident, $n:ident, $i:ident, $a:ident, $b:ident, $f:ident) => {
        change!(
            $at,
            $n,
            $i,
            $f,
            $at!($a, $i),
            $at!($a, $i - 1),
            $at!($b, $i),
            $at!($b, $i + $n)
        )
    };
}

/// The same from the four values of a and b that it needs.
macro_rules! change {
    ($at:ident, $n:ident, $i:ident, $f:ident, $a:expr, $a_left:expr, $b:expr, $b_below:expr) => {{
        let (left, right, above, below) = ($i - 1, $i + 1, $i - $n, $i + $n);
        S * ($a * ($at!($f, $i) - $at!($f, right))
            - $a_left * ($at!($f, $i) - $at!($f, left))
            - $b * ($at!($f, $i) - $at!($f, above))
            + $b_below * ($at!($f, $i) - $at!($f, below)))
    }};
}

macro_rules! checked {
    ($array:ident, $i:expr) => {
        $array[$i]
    };
}

// For use inside unsafe blocks.
macro_rules! unchecked {
    ($array:ident, $i:expr) => {
        *$array.get_unchecked($i)
    };
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut d = data(run);
    let n = square_side(run.target);
    let inside = 1..n.saturating_sub(1);
    run.time_host(|| {
        // Of one length, so that the checks of a row can be made once.
        let all = n * n;
        let (a, b, u, v) = (
            &mut d.a[..all],
            &mut d.b[..all],
            &mut d.u[..all],
            &mut d.v[..all],
        );
        let (p, q, r, m, z) = (
            &d.p[..all],
            &d.q[..all],
            &d.r[..all],
            &d.m[..all],
            &d.z[..all],
        );
        for k in inside.clone() {
            for i in k * n + 1..k * n + n - 1 {
                (a[i], b[i]) = first!(checked, n, i, p, q, r, m);
            }
        }
        for k in inside.clone() {
            for i in k * n + 1..k * n + n - 1 {
                u[i] += second!(checked, n, i, a, b, z);
                v[i] += second!(checked, n, i, a, b, r);
            }
        }
        for k in inside.clone() {
            for i in k * n + 1..k * n + n - 1 {
                d.rout[i] = r[i] + T * u[i];
                d.zout[i] = z[i] + T * v[i];
            }
        }
    });
    Ok(checksum(run, &d.zout, &d.rout))
}

/// Whether an element is none of the border's.
#[inline(always)]
fn is_inside(t: thread::Index2, n: usize) -> bool {
    let (j, k) = t.get();
    j > 0 && k > 0 && j < n - 1 && k < n - 1
}

fn first(
    mut a: DisjointMut2<f64>,
    mut b: DisjointMut2<f64>,
    p: &[f64],
    q: &[f64],
    r: &[f64],
    m: &[f64],
) {
    let (t, n) = (thread::index2(), a.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        (a[t], b[t]) = first!(checked, n, i, p, q, r, m);
    }
}

fn second(
    mut u: DisjointMut2<f64>,
    mut v: DisjointMut2<f64>,
    a: &[f64],
    b: &[f64],
    z: &[f64],
    r: &[f64],
) {
    let (t, n) = (thread::index2(), u.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        u[t] += second!(checked, n, i, a, b, z);
        v[t] += second!(checked, n, i, a, b, r);
    }
}

fn third(
    mut rout: DisjointMut2<f64>,
    mut zout: DisjointMut2<f64>,
    r: &[f64],
    u: &[f64],
    z: &[f64],
    v: &[f64],
) {
    let (t, n) = (thread::index2(), rout.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        rout[t] = r[i] + T * u[i];
        zout[t] = z[i] + T * v[i];
    }
}

fn first_unchecked(
    mut a: DisjointMut2<f64>,
    mut b: DisjointMut2<f64>,
    p: &[f64],
    q: &[f64],
    r: &[f64],
    m: &[f64],
) {
    let (t, n) = (thread::index2(), a.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        // SAFETY: all are n by n, and i has neighbours on all sides; it is this thread's.
        unsafe {
            let (za, zb) = first!(unchecked, n, i, p, q, r, m);
            *a.as_mut_ptr().add(i) = za;
            *b.as_mut_ptr().add(i) = zb;
        }
    }
}

fn second_unchecked(
    mut u: DisjointMut2<f64>,
    mut v: DisjointMut2<f64>,
    a: &[f64],
    b: &[f64],
    z: &[f64],
    r: &[f64],
) {
    let (t, n) = (thread::index2(), u.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        // SAFETY: as in first_unchecked.
        unsafe {
            *u.as_mut_ptr().add(i) += second!(unchecked, n, i, a, b, z);
            *v.as_mut_ptr().add(i) += second!(unchecked, n, i, a, b, r);
        }
    }
}

fn third_unchecked(
    mut rout: DisjointMut2<f64>,
    mut zout: DisjointMut2<f64>,
    r: &[f64],
    u: &[f64],
    z: &[f64],
    v: &[f64],
) {
    let (t, n) = (thread::index2(), rout.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        // SAFETY: as in first_unchecked.
        unsafe {
            *rout.as_mut_ptr().add(i) = r.get_unchecked(i) + T * u.get_unchecked(i);
            *zout.as_mut_ptr().add(i) = z.get_unchecked(i) + T * v.get_unchecked(i);
        }
    }
}

/// All three at element `i`: a, b, and what u and v change by.
macro_rules! all {
    ($at:ident, $n:ident, $i:ident, $t:ident, $d:ident) => {{
        let Inputs {
            p,
            q,
            r,
            m,
            z,
            a_edge,
            b_edge,
        } = &$d;
        let (left, below) = ($i - 1, $i + $n);
        let (za, zb) = first!($at, $n, $i, p, q, r, m);
        // The neighbours' own, unless they are the border's.
        let za_left = match $t.x() {
            1 => $at!(a_edge, left),
            _ => first_a!($at, $n, left, p, q, r, m),
        };
        let zb_below = match $t.y() + 2 == $n {
            true => $at!(b_edge, below),
            false => first_b!($at, $n, below, p, q, r, m),
        };
        let du = change!($at, $n, $i, z, za, za_left, zb, zb_below);
        let dv = change!($at, $n, $i, r, za, za_left, zb, zb_below);
        (za, zb, du, dv)
    }};
}

/// What the fused kernel only reads.
struct Inputs<'k> {
    p: &'k [f64],
    q: &'k [f64],
    r: &'k [f64],
    m: &'k [f64],
    z: &'k [f64],
    a_edge: &'k [f64],
    b_edge: &'k [f64],
}

/// What it writes.
struct Outputs<'k> {
    a: DisjointMut2<'k, f64>,
    b: DisjointMut2<'k, f64>,
    u: DisjointMut2<'k, f64>,
    v: DisjointMut2<'k, f64>,
    rout: DisjointMut2<'k, f64>,
    zout: DisjointMut2<'k, f64>,
}

#[inline(always)]
fn do_all(d: Inputs, mut o: Outputs) {
    let (t, n) = (thread::index2(), o.a.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        let (za, zb, du, dv) = all!(checked, n, i, t, d);
        (o.a[t], o.b[t]) = (za, zb);
        o.u[t] += du;
        o.v[t] += dv;
        o.rout[t] = d.r[i] + T * o.u[t];
        o.zout[t] = d.z[i] + T * o.v[t];
    }
}

#[inline(always)]
fn do_all_unchecked(d: Inputs, mut o: Outputs) {
    let (t, n) = (thread::index2(), o.a.columns());
    if is_inside(t, n) {
        let i = t.x() + t.y() * n;
        // SAFETY: as in first_unchecked; what is made for a neighbour is made only if that lies inside
        // too.
        unsafe {
            let (za, zb, du, dv) = all!(unchecked, n, i, t, d);
            *o.a.as_mut_ptr().add(i) = za;
            *o.b.as_mut_ptr().add(i) = zb;
            let (u, v) = (o.u.as_mut_ptr().add(i), o.v.as_mut_ptr().add(i));
            (*u, *v) = (*u + du, *v + dv);
            *o.rout.as_mut_ptr().add(i) = d.r.get_unchecked(i) + T * *u;
            *o.zout.as_mut_ptr().add(i) = d.z.get_unchecked(i) + T * *v;
        }
    }
}

macro_rules! fused_kernel {
    ($name:ident, $body:ident) => {
        #[allow(clippy::too_many_arguments)]
        fn $name(
            a: DisjointMut2<f64>,
            b: DisjointMut2<f64>,
            u: DisjointMut2<f64>,
            v: DisjointMut2<f64>,
            rout: DisjointMut2<f64>,
            zout: DisjointMut2<f64>,
            p: &[f64],
            q: &[f64],
            r: &[f64],
            m: &[f64],
            z: &[f64],
            a_edge: &[f64],
            b_edge: &[f64],
        ) {
            let inputs = Inputs {
                p,
                q,
                r,
                m,
                z,
                a_edge,
                b_edge,
            };
            $body(
                inputs,
                Outputs {
                    a,
                    b,
                    u,
                    v,
                    rout,
                    zout,
                },
            );
        }
    };
}
fused_kernel!(fused, do_all);
fused_kernel!(fused_unchecked, do_all_unchecked);

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let d = data(run);
    let n = square_side(run.target);
    let mut put = |array: &Vec<f64>| run.to_device(array);
    let (mut rout, mut zout) = (put(&d.rout)?, put(&d.zout)?);
    let (mut a, mut b, mut u, mut v) = (put(&d.a)?, put(&d.b)?, put(&d.u)?, put(&d.v)?);
    let (m, p, q, r, z) = (put(&d.m)?, put(&d.p)?, put(&d.q)?, put(&d.r)?, put(&d.z)?);
    let (a_edge, b_edge) = (put(&d.a)?, put(&d.b)?);
    let grid = Grid::cover((n, n)).block(run.block2());
    let fuse = run.tuning == "fused";
    run.time(|queue| {
        if fuse {
            let (a, b, u, v) = (a.as_2d(n, n), b.as_2d(n, n), u.as_2d(n, n), v.as_2d(n, n));
            let (rout, zout) = (rout.as_2d(n, n), zout.as_2d(n, n));
            let args = (a, b, u, v, rout, zout, &p, &q, &r, &m, &z, &a_edge, &b_edge);
            return launch!(queue, grid, [fused, fused_unchecked], args);
        }
        let args = (a.as_2d(n, n), b.as_2d(n, n), &p, &q, &r, &m);
        launch!(queue, grid, [first, first_unchecked], args)?;
        let args = (u.as_2d(n, n), v.as_2d(n, n), &a, &b, &z, &r);
        launch!(queue, grid, [second, second_unchecked], args)?;
        let args = (rout.as_2d(n, n), zout.as_2d(n, n), &r, &u, &z, &v);
        launch!(queue, grid, [third, third_unchecked], args)
    })?;
    let (zout, rout) = (run.to_host(&zout)?, run.to_host(&rout)?);
    Ok(checksum(run, &zout, &rout))
}
