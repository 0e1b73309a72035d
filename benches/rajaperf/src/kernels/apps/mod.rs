//! The kernels of group Apps.

mod convection3dpa;
mod del_dot_vec_2d;
mod diffusion3dpa;
mod domain;
mod edge3d;
mod energy;
mod exchange;
mod fem;
mod femsweep;
mod fir;
mod intsc_hexhex;
mod intsc_hexrect;
mod ltimes;
mod ltimes_noview;
mod mass3dea;
mod mass3dpa;
mod matvec_3d_stencil;
mod nodal_accumulation_3d;
mod pressure;
mod rooms;
mod vol3d;
mod zonal_accumulation_3d;

use crate::suite::Kernel;

pub const KERNELS: &[Kernel] = &[
    convection3dpa::KERNEL,
    del_dot_vec_2d::KERNEL,
    diffusion3dpa::KERNEL,
    edge3d::KERNEL,
    energy::KERNEL,
    femsweep::KERNEL,
    fir::KERNEL,
    intsc_hexhex::KERNEL,
    intsc_hexrect::KERNEL,
    ltimes::KERNEL,
    ltimes_noview::KERNEL,
    mass3dea::KERNEL,
    mass3dpa::KERNEL,
    matvec_3d_stencil::KERNEL,
    nodal_accumulation_3d::KERNEL,
    pressure::KERNEL,
    vol3d::KERNEL,
    zonal_accumulation_3d::KERNEL,
];

#[cfg(test)]
mod tests {
    use super::KERNELS;
    use crate::run::{Choice, Run};
    use crate::suite::{Params, Variant};
    use smelt::Device;

    /// Under test the finite-element kernels have other data than the suite's ones
    /// (`fem::constant`), from which a wrong index shows.
    #[test]
    fn every_variant_is_right_on_uneven_data() {
        let (params, gpu) = (Params::default(), Device::default().unwrap());
        for kernel in KERNELS
            .iter()
            .filter(|k| k.name.contains("3D") || k.name.contains("INTSC"))
        {
            let run = |variant, tuning| {
                let choice = Choice {
                    variant,
                    tuning,
                    block: kernel.block,
                    // Small: without the wrapper each thread of a block is a context of its own.
                    target: if kernel.name.contains("INTSC") {
                        27
                    } else {
                        300
                    },
                    reps: 1,
                };
                let mut run = Run::new(gpu, 4, kernel, &params, choice);
                let function = match variant {
                    Variant::BaseSeq => kernel.seq,
                    _ => kernel.smelt,
                };
                function(&mut run).unwrap()
            };
            let reference = run(Variant::BaseSeq, "");
            for tuning in kernel.tunings {
                for variant in [Variant::SmeltSafe, Variant::SmeltUnsafe] {
                    let distance = run(variant, tuning.name).distance(&reference);
                    assert!(distance < 1e-13, "{} {}", kernel.name, tuning.name);
                }
            }
        }
    }
}
