//! Apps_LTIMES: moments of a flux over directions, phi(z, g, m) += ell(m, d) psi(z, g, d).
//!
//! Tuning `block` has a thread for each moment. In `rows` a thread has all moments of a zone and group, in
//! `parts` a fifth of them; in `tiles` a block has 32 zones and groups, whose data it moves through shared
//! memory, since a thread's own are neighbours in memory and a warp's are not.

use super::rooms::{Part, Room, UncheckedPart};
use crate::access::{Checked, Unchecked};
use crate::prelude::*;
use crate::suite::Params;

pub const KERNEL: Kernel = Kernel {
    name: "LTIMES",
    group: Group::Apps,
    features: &[Feature::Kernel, Feature::View],
    size: 999_424,
    reps: 50,
    shape,
    seq,
    smelt,
    tunings: &[
        Tuning::sized("block"),
        Tuning::plain("rows"),
        Tuning::plain("parts"),
        Tuning::plain("tiles"),
    ],
    ..Kernel::DEFAULT
};

/// Zones, groups, moments, directions.
#[derive(Clone, Copy, DeviceCopy)]
struct Extents {
    z: usize,
    g: usize,
    m: usize,
    d: usize,
}

impl Extents {
    fn new(params: &Params, target: usize) -> Self {
        let (d, g, m) = (
            params.ltimes_num_d,
            params.ltimes_num_g,
            params.ltimes_num_m,
        );
        let z = ((target + d * g / 2) / (d * g)).max(1);
        Self { z, g, m, d }
    }

    fn phi(self) -> usize {
        self.m * self.g * self.z
    }

    fn ell(self) -> usize {
        self.d * self.m
    }

    fn psi(self) -> usize {
        self.d * self.g * self.z
    }
}

fn shape(params: &Params, target: usize) -> Shape {
    let it = Extents::new(params, target);
    Shape {
        bytes_read: 8 * (it.phi() + it.ell() + it.psi()),
        bytes_written: 8 * it.phi(),
        flops: 2 * it.phi() * it.d,
        ..Shape::of(it.psi())
    }
}

struct Data {
    phi: Vec<f64>,
    ell: Vec<f64>,
    psi: Vec<f64>,
}

fn data(run: &mut Run, it: Extents) -> Data {
    let init = &mut run.init;
    Data {
        phi: init.constant(it.phi(), 0.0),
        ell: init.data(it.ell()),
        psi: init.data(it.psi()),
    }
}

/// Adds to `phi` the moment of `psi`'s directions that `ell` weighs.
#[inline(always)]
fn moment(phi: &mut f64, ell: &[f64], psi: &[f64]) {
    let mut sum = *phi;
    for (ell, psi) in ell.iter().zip(psi) {
        sum += ell * psi;
    }
    *phi = sum;
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let it = Extents::new(run.params, run.target);
    let mut data = data(run, it);
    run.time_host(|| {
        let rows = data
            .phi
            .chunks_exact_mut(it.m)
            .zip(data.psi.chunks_exact(it.d));
        for (phi, psi) in rows {
            for (phi, ell) in phi.iter_mut().zip(data.ell.chunks_exact(it.d)) {
                moment(phi, ell, psi);
            }
        }
    });
    Ok(checksum(run, &data.phi))
}

fn ltimes(it: Extents, ell: &[f64], psi: &[f64], mut phi: DisjointMut3<f64>) {
    let i = thread::index3();
    let (m, g, z) = i.get();
    if let Some(phi) = phi.get_mut(i) {
        let row = z * it.g + g;
        moment(
            phi,
            &ell[m * it.d..(m + 1) * it.d],
            &psi[row * it.d..(row + 1) * it.d],
        );
    }
}

fn ltimes_unchecked(it: Extents, ell: &[f64], psi: &[f64], mut phi: DisjointMut3<f64>) {
    let i = thread::index3();
    let (m, g, z) = i.get();
    if m < it.m && g < it.g && z < it.z {
        let row = z * it.g + g;
        // SAFETY: the arrays have the extents' lengths; this element of phi is this
        // thread's.
        unsafe {
            moment(
                &mut *phi.as_mut_ptr().add(row * it.m + m),
                ell.get_unchecked(m * it.d..(m + 1) * it.d),
                psi.get_unchecked(row * it.d..(row + 1) * it.d),
            )
        }
    }
}

/// Adds to `phi`, `M` moments of one zone and group, all of them in registers: `psi` is read
/// once for them.
#[inline(always)]
fn moments<const M: usize, const D: usize>(
    phi: &mut [f64; M],
    ell: &[[f64; D]; M],
    psi: &[f64; D],
) {
    let mut sums = *phi;
    for (d, psi) in psi.iter().enumerate() {
        for (sum, ell) in sums.iter_mut().zip(ell) {
            *sum += ell[d] * psi;
        }
    }
    *phi = sums;
}

/// Each thread has `M` moments of one zone and group; the extents are known to the compiler.
fn rows<const M: usize, const D: usize>(ell: &[f64], psi: &[f64], mut phi: DisjointChunks<f64>) {
    let i = thread::index();
    let (ell, psi) = (
        ell.as_chunks::<D>().0.as_chunks::<M>().0,
        psi.as_chunks::<D>().0,
    );
    let (row, part) = (i.get() / ell.len(), i.get() % ell.len());
    if let Some(phi) = phi.get_mut(i)
        && let Some(phi) = phi.as_mut_array::<M>()
    {
        moments(phi, &ell[part], &psi[row]);
    }
}

fn rows_unchecked<const M: usize, const D: usize>(
    ell: &[f64],
    psi: &[f64],
    mut phi: DisjointChunks<f64>,
) {
    let i = thread::index();
    let (ell, psi) = (
        ell.as_chunks::<D>().0.as_chunks::<M>().0,
        psi.as_chunks::<D>().0,
    );
    let (row, part) = (i.get() / ell.len(), i.get() % ell.len());
    if let Some(phi) = phi.get_mut(i) {
        // SAFETY: every chunk has M moments, since M divides their number, and there are as many
        // rows of psi as of phi.
        unsafe {
            let phi = &mut *phi.as_mut_ptr().cast::<[f64; M]>();
            moments(phi, ell.get_unchecked(part), psi.get_unchecked(row));
        }
    }
}

/// Moments and directions that `tiles` is compiled for, the default ones.
const M: usize = 25;
const D: usize = 64;
/// Zones and groups of a block of `tiles`, one for each lane.
const LANES: usize = 32;
/// Moments of a thread, and threads to a row.
const PART: usize = 5;
const PARTS: usize = M / PART;
const THREADS: usize = LANES * PARTS;
/// Words between rows of psi: odd, so that lanes use different banks.
const PITCH: usize = D + 1;
/// Where they begin in the block's shared memory, and how much there is.
const PSI: usize = 0;
const ELL: usize = LANES * PITCH;
const PHI: usize = ELL + M * D;
const WORDS: usize = PHI + LANES * M;

smelt::shared! {
    static WHOLE: [f64; WORDS];
}

/// `$f` of each number, one after the other: written out, so that all values stay in registers.
macro_rules! each {
    ($f:expr; $($k:literal)*) => {
        [$($f($k)),*]
    };
}

/// A block for each [`LANES`] rows of psi and phi, or fewer at the end; `ell` has M rows of D, `room`
/// [`WORDS`]. All indices are below these lengths.
#[inline(always)]
fn tile(access: impl Access, ell: &[f64], psi: &[f64], phi: &[AtomicF64], mut room: impl Room) {
    let t = thread::thread_index().x as usize % THREADS;
    let first = thread::block_index().x as usize * LANES;
    let rows = (psi.len() / D).saturating_sub(first).min(LANES);
    // All loads before the first store.
    let from = |array, start, words, k: usize| match k * THREADS + t {
        i if i < words => *access.at::<f64>(array, start + i),
        _ => 0.0,
    };
    let old = |k: usize| match k * THREADS + t {
        i if i < rows * M => access.at(phi, first * M + i).load(),
        _ => 0.0,
    };
    const { assert!(13 * THREADS >= LANES * D && 10 * THREADS >= M * D && 5 * THREADS >= LANES * M) };
    let of_psi = each!(|k| from(psi, first * D, rows * D, k); 0 1 2 3 4 5 6 7 8 9 10 11 12);
    let of_ell = each!(|k| from(ell, 0, M * D, k); 0 1 2 3 4 5 6 7 8 9);
    let of_phi = each!(old; 0 1 2 3 4);
    let mut put = |at: usize, words: usize, value: f64| {
        if at < words {
            room.put(at, value);
        }
    };
    for (k, value) in of_psi.into_iter().enumerate() {
        let i = k * THREADS + t;
        put(PSI + i / D * PITCH + i % D, PSI + LANES * PITCH, value);
    }
    for (k, value) in of_ell.into_iter().enumerate() {
        put(ELL + k * THREADS + t, ELL + M * D, value);
    }
    for (k, value) in of_phi.into_iter().enumerate() {
        put(PHI + k * THREADS + t, PHI + LANES * M, value);
    }
    sync::barrier();
    let (row, part) = (t % LANES, t / LANES);
    if row < rows {
        let own = PHI + row * M + part * PART;
        let mut sums: [f64; PART] = std::array::from_fn(|k| room.get(own + k));
        for d in 0..D {
            let psi = room.get(PSI + row * PITCH + d);
            for (k, sum) in sums.iter_mut().enumerate() {
                *sum += room.get(ELL + (part * PART + k) * D + d) * psi;
            }
        }
        for (k, sum) in sums.into_iter().enumerate() {
            room.put(own + k, sum);
        }
    }
    sync::barrier();
    for i in (t..rows * M).step_by(THREADS) {
        access.at(phi, first * M + i).store(room.get(PHI + i));
    }
}

fn tiles(ell: &[f64], psi: &[f64], phi: &[AtomicF64]) {
    tile(Checked, ell, psi, phi, Part::new(&WHOLE, WORDS));
}

fn tiles_unchecked(ell: &[f64], psi: &[f64], phi: &[AtomicF64]) {
    // SAFETY: indices are right, as tile says.
    let (access, room) = unsafe {
        let room = UncheckedPart::new(Part::new(&WHOLE, WORDS));
        (Unchecked::new(), room)
    };
    tile(access, ell, psi, phi, room);
}

/// Threads in each dimension of the suite's blocks: a warp along the moments, and the two
/// factors of the rest that lie closest together.
fn block_shape(block: usize) -> (usize, usize, usize) {
    let rest = (block / 32).max(1);
    let z = (1..=rest.isqrt()).rfind(|z| rest % z == 0).unwrap_or(1);
    (32, rest / z, z)
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = Extents::new(run.params, run.target);
    let data = data(run, it);
    let mut phi = run.to_device(&data.phi)?;
    let (ell, psi) = (run.to_device(&data.ell)?, run.to_device(&data.psi)?);
    match (run.tuning, it.m, it.d) {
        ("rows", 25, 64) => time_rows::<25, 64>(run, &mut phi, &ell, &psi)?,
        ("parts", 25, 64) => time_rows::<5, 64>(run, &mut phi, &ell, &psi)?,
        ("tiles", M, D) => {
            let grid = Grid::blocks((it.z * it.g).div_ceil(LANES)).threads(THREADS);
            run.time(|queue| {
                let args = (&ell, &psi, phi.as_atomic());
                launch!(queue, grid, [tiles, tiles_unchecked], args)
            })?;
        }
        // Those are compiled for the default extents only.
        _ => {
            let grid = Grid::cover((it.m, it.g, it.z)).block(block_shape(run.block));
            run.time(|queue| {
                let phi = phi.as_3d(it.z, it.g, it.m);
                launch!(
                    queue,
                    grid,
                    [ltimes, ltimes_unchecked],
                    (it, &ell, &psi, phi)
                )
            })?;
        }
    }
    let phi = run.to_host(&phi)?;
    Ok(checksum(run, &phi))
}

fn time_rows<const M: usize, const D: usize>(
    run: &mut Run,
    phi: &mut Buffer<f64>,
    ell: &Buffer<f64>,
    psi: &Buffer<f64>,
) -> smelt::Result<()> {
    // Small blocks: there are few threads, to be spread over the whole device.
    let grid = Grid::cover(phi.len() / M).block(64);
    run.time(|queue| {
        let phi = phi.by_chunks(M);
        launch!(
            queue,
            grid,
            [rows::<M, D>, rows_unchecked::<M, D>],
            (ell, psi, phi)
        )
    })
}

fn checksum(run: &Run, phi: &[f64]) -> Checksum {
    Checksum::new().scaled(phi, 0.001 * run.scale)
}
