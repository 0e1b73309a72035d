//! Kernels of every kind, with arguments of every type, on every device found (or on
//! that of SMELT_DEVICE), against what the host computes. Prints a line for each
//! test; exit status 1 if one failed.
//!
//!     kernels [FILTER]      only tests whose names contain FILTER

mod arguments;
mod blocks;
mod data;
mod ends;
mod errors;
mod functions;
mod lists;
mod math;
mod panics;
mod prim;
mod shapes;
mod suite;
mod texts;

use smelt::prelude::*;
use suite::Suite;

/// Whether this program was built by `cargo smelt`.
fn has_kernels() -> bool {
    smelt_sys::smelt_has_kernels() != 0
}

fn main() {
    let filter = std::env::args().nth(1);
    if filter.as_deref() == Some(ends::ARGUMENT) {
        let mut rest = std::env::args().skip(2);
        let way = rest.next().unwrap_or_default();
        let number = rest.next().and_then(|text| text.parse().ok());
        ends::prepare();
        return ends::child(&way, number.unwrap_or(0));
    }
    let devices = match Device::all() {
        Ok(devices) => devices,
        Err(error) => {
            println!("FAIL kernels: {error}");
            std::process::exit(1);
        }
    };
    let (mut passed, mut failed) = (0, 0);
    for (number, gpu) in devices.iter().enumerate() {
        let name = gpu.info().map_or_else(|e| e.to_string(), |info| info.name);
        eprintln!("device {number}: {name}");
        let mut suite = Suite::new(gpu, format!("kernels/{number}"), filter.clone());
        arguments::run(&mut suite);
        functions::run(&mut suite);
        shapes::run(&mut suite);
        blocks::run(&mut suite);
        math::run(&mut suite);
        panics::run(&mut suite);
        texts::run(&mut suite);
        errors::run(&mut suite);
        data::run(&mut suite);
        ends::run(&mut suite, number);
        prim::run(&mut suite);
        lists::run(&mut suite);
        passed += suite.passed;
        failed += suite.failed;
    }
    eprintln!("{passed} passed, {failed} failed on {} devices", devices.len());
    if failed > 0 || passed == 0 {
        std::process::exit(1);
    }
}
