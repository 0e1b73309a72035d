//! Apps_ENERGY: internal energy and artificial viscosity of a step of hydrodynamics, in six loops.

use crate::prelude::*;

pub const KERNEL: Kernel = Kernel {
    name: "ENERGY",
    group: Group::Apps,
    reps: 130,
    // The suite's initial data never take some branches, whose accesses are not counted.
    shape: |_, n| Shape {
        iterations: 6 * n,
        kernels: 6,
        bytes_read: 22 * 8 * n,
        bytes_written: 5 * 8 * n,
        flops: 55 * n,
        ..Shape::of(n)
    },
    seq,
    smelt,
    tunings: &[Tuning::sized("block"), Tuning::sized("fused")],
    ..Kernel::DEFAULT
};

/// `ql` and `qq` are the linear and the quadratic part of the old viscosity `q_old`; `bvc` and
/// `pbvc` belong to the equation of state.
struct Data {
    e_new: Vec<f64>,
    e_old: Vec<f64>,
    delvc: Vec<f64>,
    p_new: Vec<f64>,
    p_old: Vec<f64>,
    q_new: Vec<f64>,
    q_old: Vec<f64>,
    work: Vec<f64>,
    comp_half: Vec<f64>,
    p_half: Vec<f64>,
    bvc: Vec<f64>,
    pbvc: Vec<f64>,
    ql: Vec<f64>,
    qq: Vec<f64>,
    vnewc: Vec<f64>,
    limits: Limits,
}

#[derive(Clone, Copy, DeviceCopy)]
struct Limits {
    rho0: f64,
    e_cut: f64,
    e_min: f64,
    q_cut: f64,
}

fn data(run: &mut Run) -> Data {
    let (n, init) = (run.size, &mut run.init);
    Data {
        e_new: init.constant(n, 0.0),
        e_old: init.data(n),
        delvc: init.data(n),
        p_new: init.data(n),
        p_old: init.data(n),
        q_new: init.constant(n, 0.0),
        q_old: init.data(n),
        work: init.data(n),
        comp_half: init.data(n),
        p_half: init.data(n),
        bvc: init.data(n),
        pbvc: init.data(n),
        ql: init.data(n),
        qq: init.data(n),
        vnewc: init.data(n),
        limits: Limits {
            rho0: init.scalar(),
            e_cut: init.scalar(),
            e_min: init.scalar(),
            q_cut: init.scalar(),
        },
    }
}

/// What a viscosity is made of, beside the energy.
struct State {
    pbvc: f64,
    bvc: f64,
    volume: f64,
    pressure: f64,
    ql: f64,
    qq: f64,
}

#[inline(always)]
fn viscosity(limits: Limits, energy: f64, it: State) -> f64 {
    let square = (it.pbvc * energy + it.volume * it.volume * it.bvc * it.pressure) / limits.rho0;
    let sound = if square <= 0.1111111e-36 {
        0.3333333e-18
    } else {
        square.sqrt()
    };
    sound * it.ql + it.qq
}

#[inline(always)]
fn bounded(limits: Limits, energy: f64) -> f64 {
    let energy = if energy.abs() < limits.e_cut {
        0.0
    } else {
        energy
    };
    if energy < limits.e_min {
        limits.e_min
    } else {
        energy
    }
}

// The six loops' bodies; a state is loaded only where it is used.

#[inline(always)]
fn first(e_old: f64, delvc: f64, p_old: f64, q_old: f64, work: f64) -> f64 {
    e_old - 0.5 * delvc * (p_old + q_old) + 0.5 * work
}

#[inline(always)]
fn second(limits: Limits, delvc: f64, e_new: f64, state: impl FnOnce() -> State) -> f64 {
    if delvc > 0.0 {
        0.0
    } else {
        viscosity(limits, e_new, state())
    }
}

#[inline(always)]
fn third(e_new: f64, delvc: f64, p_old: f64, q_old: f64, p_half: f64, q_new: f64) -> f64 {
    e_new + 0.5 * delvc * (3.0 * (p_old + q_old) - 4.0 * (p_half + q_new))
}

#[inline(always)]
fn fourth(limits: Limits, e_new: f64, work: f64) -> f64 {
    bounded(limits, e_new + 0.5 * work)
}

/// Pressures and viscosities of a step.
struct Step {
    p_old: f64,
    q_old: f64,
    p_half: f64,
    q_new: f64,
    p_new: f64,
}

#[inline(always)]
fn fifth(limits: Limits, e_new: f64, delvc: f64, it: Step, state: impl FnOnce() -> State) -> f64 {
    let q = second(limits, delvc, e_new, state);
    let sum = 7.0 * (it.p_old + it.q_old) - 8.0 * (it.p_half + it.q_new) + (it.p_new + q);
    bounded(limits, e_new - sum * delvc / 6.0)
}

/// Gives nothing where `q_new` stays.
#[inline(always)]
fn sixth(
    limits: Limits,
    delvc: f64,
    e_new: impl FnOnce() -> f64,
    state: impl FnOnce() -> State,
) -> Option<f64> {
    if delvc <= 0.0 {
        let q = viscosity(limits, e_new(), state());
        Some(if q.abs() < limits.q_cut { 0.0 } else { q })
    } else {
        None
    }
}

fn seq(run: &mut Run) -> smelt::Result<Checksum> {
    let mut it = data(run);
    run.time_host(|| repetition(&mut it));
    Ok(checksum(&it.e_new, &it.q_new))
}

fn repetition(it: &mut Data) {
    let limits = it.limits;
    let n = it.e_new.len();
    let (e_new, q_new) = (&mut it.e_new[..n], &mut it.q_new[..n]);
    let (e_old, delvc, work) = (&it.e_old[..n], &it.delvc[..n], &it.work[..n]);
    let (p_new, p_old, q_old) = (&it.p_new[..n], &it.p_old[..n], &it.q_old[..n]);
    let (comp_half, p_half, vnewc) = (&it.comp_half[..n], &it.p_half[..n], &it.vnewc[..n]);
    let (bvc, pbvc, ql, qq) = (&it.bvc[..n], &it.pbvc[..n], &it.ql[..n], &it.qq[..n]);
    for i in 0..n {
        e_new[i] = first(e_old[i], delvc[i], p_old[i], q_old[i], work[i]);
    }
    for i in 0..n {
        q_new[i] = second(limits, delvc[i], e_new[i], || State {
            pbvc: pbvc[i],
            bvc: bvc[i],
            volume: 1.0 / (1.0 + comp_half[i]),
            pressure: p_half[i],
            ql: ql[i],
            qq: qq[i],
        });
    }
    for i in 0..n {
        e_new[i] = third(e_new[i], delvc[i], p_old[i], q_old[i], p_half[i], q_new[i]);
    }
    for i in 0..n {
        e_new[i] = fourth(limits, e_new[i], work[i]);
    }
    for i in 0..n {
        let step = Step {
            p_old: p_old[i],
            q_old: q_old[i],
            p_half: p_half[i],
            q_new: q_new[i],
            p_new: p_new[i],
        };
        e_new[i] = fifth(limits, e_new[i], delvc[i], step, || State {
            pbvc: pbvc[i],
            bvc: bvc[i],
            volume: vnewc[i],
            pressure: p_new[i],
            ql: ql[i],
            qq: qq[i],
        });
    }
    for i in 0..n {
        if let Some(q) = sixth(
            limits,
            delvc[i],
            || e_new[i],
            || State {
                pbvc: pbvc[i],
                bvc: bvc[i],
                volume: vnewc[i],
                pressure: p_new[i],
                ql: ql[i],
                qq: qq[i],
            },
        ) {
            q_new[i] = q;
        }
    }
}

fn energy1(
    e_old: &[f64],
    delvc: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    work: &[f64],
    mut e_new: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(e_new) = e_new.get_mut(t) {
        *e_new = first(e_old[i], delvc[i], p_old[i], q_old[i], work[i]);
    }
}

fn energy1_unchecked(
    e_old: &[f64],
    delvc: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    work: &[f64],
    mut e_new: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < e_new.len() {
        // SAFETY: all have one length; element i of e_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            *e_new.get_unchecked_mut(i) =
                first(at(e_old), at(delvc), at(p_old), at(q_old), at(work));
        }
    }
}

fn energy2(
    limits: Limits,
    delvc: &[f64],
    e_new: &[f64],
    comp_half: &[f64],
    p_half: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    mut q_new: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(q_new) = q_new.get_mut(t) {
        *q_new = second(limits, delvc[i], e_new[i], || State {
            pbvc: pbvc[i],
            bvc: bvc[i],
            volume: 1.0 / (1.0 + comp_half[i]),
            pressure: p_half[i],
            ql: ql[i],
            qq: qq[i],
        });
    }
}

fn energy2_unchecked(
    limits: Limits,
    delvc: &[f64],
    e_new: &[f64],
    comp_half: &[f64],
    p_half: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    mut q_new: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < q_new.len() {
        // SAFETY: all have one length; element i of q_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            *q_new.get_unchecked_mut(i) = second(limits, at(delvc), at(e_new), || State {
                pbvc: at(pbvc),
                bvc: at(bvc),
                volume: 1.0 / (1.0 + at(comp_half)),
                pressure: at(p_half),
                ql: at(ql),
                qq: at(qq),
            });
        }
    }
}

fn energy3(
    delvc: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    p_half: &[f64],
    q_new: &[f64],
    mut e_new: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(e_new) = e_new.get_mut(t) {
        *e_new = third(*e_new, delvc[i], p_old[i], q_old[i], p_half[i], q_new[i]);
    }
}

fn energy3_unchecked(
    delvc: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    p_half: &[f64],
    q_new: &[f64],
    mut e_new: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < e_new.len() {
        // SAFETY: all have one length; element i of e_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            let e_new = e_new.get_unchecked_mut(i);
            *e_new = third(
                *e_new,
                at(delvc),
                at(p_old),
                at(q_old),
                at(p_half),
                at(q_new),
            );
        }
    }
}

fn energy4(limits: Limits, work: &[f64], mut e_new: DisjointMut<f64>) {
    let t = thread::index();
    let i = t.get();
    if let Some(e_new) = e_new.get_mut(t) {
        *e_new = fourth(limits, *e_new, work[i]);
    }
}

fn energy4_unchecked(limits: Limits, work: &[f64], mut e_new: DisjointMut<f64>) {
    let i = thread::index().get();
    if i < e_new.len() {
        // SAFETY: all have one length; element i of e_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            let e_new = e_new.get_unchecked_mut(i);
            *e_new = fourth(limits, *e_new, at(work));
        }
    }
}

fn energy5(
    limits: Limits,
    delvc: &[f64],
    p_new: &[f64],
    p_old: &[f64],
    q_new: &[f64],
    q_old: &[f64],
    p_half: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    vnewc: &[f64],
    mut e_new: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(e_new) = e_new.get_mut(t) {
        *e_new = fifth(
            limits,
            *e_new,
            delvc[i],
            Step {
                p_old: p_old[i],
                q_old: q_old[i],
                p_half: p_half[i],
                q_new: q_new[i],
                p_new: p_new[i],
            },
            || State {
                pbvc: pbvc[i],
                bvc: bvc[i],
                volume: vnewc[i],
                pressure: p_new[i],
                ql: ql[i],
                qq: qq[i],
            },
        );
    }
}

fn energy5_unchecked(
    limits: Limits,
    delvc: &[f64],
    p_new: &[f64],
    p_old: &[f64],
    q_new: &[f64],
    q_old: &[f64],
    p_half: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    vnewc: &[f64],
    mut e_new: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < e_new.len() {
        // SAFETY: all have one length; element i of e_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            let e_new = e_new.get_unchecked_mut(i);
            *e_new = fifth(
                limits,
                *e_new,
                at(delvc),
                Step {
                    p_old: at(p_old),
                    q_old: at(q_old),
                    p_half: at(p_half),
                    q_new: at(q_new),
                    p_new: at(p_new),
                },
                || State {
                    pbvc: at(pbvc),
                    bvc: at(bvc),
                    volume: at(vnewc),
                    pressure: at(p_new),
                    ql: at(ql),
                    qq: at(qq),
                },
            );
        }
    }
}

fn energy6(
    limits: Limits,
    delvc: &[f64],
    e_new: &[f64],
    p_new: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    vnewc: &[f64],
    mut q_new: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(q_new) = q_new.get_mut(t) {
        if let Some(q) = sixth(
            limits,
            delvc[i],
            || e_new[i],
            || State {
                pbvc: pbvc[i],
                bvc: bvc[i],
                volume: vnewc[i],
                pressure: p_new[i],
                ql: ql[i],
                qq: qq[i],
            },
        ) {
            *q_new = q;
        }
    }
}

fn energy6_unchecked(
    limits: Limits,
    delvc: &[f64],
    e_new: &[f64],
    p_new: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    vnewc: &[f64],
    mut q_new: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < q_new.len() {
        // SAFETY: all have one length; element i of q_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            if let Some(q) = sixth(
                limits,
                at(delvc),
                || at(e_new),
                || State {
                    pbvc: at(pbvc),
                    bvc: at(bvc),
                    volume: at(vnewc),
                    pressure: at(p_new),
                    ql: at(ql),
                    qq: at(qq),
                },
            ) {
                *q_new.get_unchecked_mut(i) = q;
            }
        }
    }
}

/// All six loops at once: one launch, and what one wrote is still in a register for the next.
#[allow(clippy::too_many_arguments)]
fn fused(
    limits: Limits,
    e_old: &[f64],
    delvc: &[f64],
    p_new: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    work: &[f64],
    comp_half: &[f64],
    p_half: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    vnewc: &[f64],
    mut e_new: DisjointMut<f64>,
    mut q_new: DisjointMut<f64>,
) {
    let t = thread::index();
    let i = t.get();
    if let Some(e_new) = e_new.get_mut(t) {
        let (delvc_i, work_i) = (delvc[i], work[i]);
        let mut e = first(e_old[i], delvc_i, p_old[i], q_old[i], work_i);
        let mut q = second(limits, delvc_i, e, || State {
            pbvc: pbvc[i],
            bvc: bvc[i],
            volume: 1.0 / (1.0 + comp_half[i]),
            pressure: p_half[i],
            ql: ql[i],
            qq: qq[i],
        });
        e = third(e, delvc_i, p_old[i], q_old[i], p_half[i], q);
        e = fourth(limits, e, work_i);
        let step = Step {
            p_old: p_old[i],
            q_old: q_old[i],
            p_half: p_half[i],
            q_new: q,
            p_new: p_new[i],
        };
        e = fifth(limits, e, delvc_i, step, || State {
            pbvc: pbvc[i],
            bvc: bvc[i],
            volume: vnewc[i],
            pressure: p_new[i],
            ql: ql[i],
            qq: qq[i],
        });
        if let Some(value) = sixth(
            limits,
            delvc_i,
            || e,
            || State {
                pbvc: pbvc[i],
                bvc: bvc[i],
                volume: vnewc[i],
                pressure: p_new[i],
                ql: ql[i],
                qq: qq[i],
            },
        ) {
            q = value;
        }

        *e_new = e;
        q_new[t] = q;
    }
}

#[allow(clippy::too_many_arguments)]
fn fused_unchecked(
    limits: Limits,
    e_old: &[f64],
    delvc: &[f64],
    p_new: &[f64],
    p_old: &[f64],
    q_old: &[f64],
    work: &[f64],
    comp_half: &[f64],
    p_half: &[f64],
    bvc: &[f64],
    pbvc: &[f64],
    ql: &[f64],
    qq: &[f64],
    vnewc: &[f64],
    mut e_new: DisjointMut<f64>,
    mut q_new: DisjointMut<f64>,
) {
    let i = thread::index().get();
    if i < e_new.len() {
        // SAFETY: all have one length; element i of e_new and q_new is this thread's.
        unsafe {
            let at = |a: &[f64]| *a.get_unchecked(i);
            let (delvc_i, work_i) = (at(delvc), at(work));
            let mut e = first(at(e_old), delvc_i, at(p_old), at(q_old), work_i);
            let mut q = second(limits, delvc_i, e, || State {
                pbvc: at(pbvc),
                bvc: at(bvc),
                volume: 1.0 / (1.0 + at(comp_half)),
                pressure: at(p_half),
                ql: at(ql),
                qq: at(qq),
            });
            e = third(e, delvc_i, at(p_old), at(q_old), at(p_half), q);
            e = fourth(limits, e, work_i);
            let step = Step {
                p_old: at(p_old),
                q_old: at(q_old),
                p_half: at(p_half),
                q_new: q,
                p_new: at(p_new),
            };
            e = fifth(limits, e, delvc_i, step, || State {
                pbvc: at(pbvc),
                bvc: at(bvc),
                volume: at(vnewc),
                pressure: at(p_new),
                ql: at(ql),
                qq: at(qq),
            });
            if let Some(value) = sixth(
                limits,
                delvc_i,
                || e,
                || State {
                    pbvc: at(pbvc),
                    bvc: at(bvc),
                    volume: at(vnewc),
                    pressure: at(p_new),
                    ql: at(ql),
                    qq: at(qq),
                },
            ) {
                q = value;
            }

            *e_new.get_unchecked_mut(i) = e;
            *q_new.get_unchecked_mut(i) = q;
        }
    }
}

fn smelt(run: &mut Run) -> smelt::Result<Checksum> {
    let it = data(run);
    let (limits, is_fused) = (it.limits, run.tuning == "fused");
    let (mut e_new, mut q_new) = (run.to_device(&it.e_new)?, run.to_device(&it.q_new)?);
    let (e_old, q_old) = (run.to_device(&it.e_old)?, run.to_device(&it.q_old)?);
    let (p_old, p_new) = (run.to_device(&it.p_old)?, run.to_device(&it.p_new)?);
    let (delvc, work) = (run.to_device(&it.delvc)?, run.to_device(&it.work)?);
    let (comp_half, p_half) = (run.to_device(&it.comp_half)?, run.to_device(&it.p_half)?);
    let (bvc, pbvc) = (run.to_device(&it.bvc)?, run.to_device(&it.pbvc)?);
    let (ql, qq) = (run.to_device(&it.ql)?, run.to_device(&it.qq)?);
    let vnewc = run.to_device(&it.vnewc)?;
    let grid = run.cover(run.size);
    run.time(|queue| {
        if is_fused {
            #[rustfmt::skip]
            let args = (
                limits, &e_old, &delvc, &p_new, &p_old, &q_old, &work, &comp_half, &p_half, &bvc, &pbvc, &ql, &qq, &vnewc, &mut e_new, &mut q_new,
            );
            return launch!(queue, grid, [fused, fused_unchecked], args);
        }
        let args = (&e_old, &delvc, &p_old, &q_old, &work, &mut e_new);
        launch!(queue, grid, [energy1, energy1_unchecked], args)?;
        let args = (limits, &delvc, &e_new, &comp_half, &p_half, &bvc, &pbvc, &ql, &qq, &mut q_new);
        launch!(queue, grid, [energy2, energy2_unchecked], args)?;
        let args = (&delvc, &p_old, &q_old, &p_half, &q_new, &mut e_new);
        launch!(queue, grid, [energy3, energy3_unchecked], args)?;
        let args = (limits, &work, &mut e_new);
        launch!(queue, grid, [energy4, energy4_unchecked], args)?;
        let args = (limits, &delvc, &p_new, &p_old, &q_new, &q_old, &p_half, &bvc, &pbvc, &ql, &qq, &vnewc, &mut e_new);
        launch!(queue, grid, [energy5, energy5_unchecked], args)?;
        let args = (limits, &delvc, &e_new, &p_new, &bvc, &pbvc, &ql, &qq, &vnewc, &mut q_new);
        launch!(queue, grid, [energy6, energy6_unchecked], args)
    })?;
    let (e_new, q_new) = (run.to_host(&e_new)?, run.to_host(&q_new)?);
    Ok(checksum(&e_new, &q_new))
}

fn checksum(e_new: &[f64], q_new: &[f64]) -> Checksum {
    Checksum::of(e_new).array(q_new)
}
