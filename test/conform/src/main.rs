//! Ordinary Rust on every device found (or on that of SMELT_DEVICE), compared with the same
//! function on the host. Prints a line for each case; the last line is
//! `N passed, N failed`, the exit status 1 if one failed.
//!
//!     conform [FILTER]      only cases whose names contain FILTER
//!
//! SMELT_CONFORM_INPUTS=N sets the number of inputs of a case.

mod cells;
mod chars;
mod control;
mod crates;
mod data;
mod floats;
mod input;
mod integers;
mod iterators;
mod messages;
mod output;
mod panics;
mod slices;
mod suite;
mod sync;

use smelt::prelude::*;
use suite::Suite;

const GROUPS: &[(&str, fn(&mut Suite))] = &[
    ("data", data::run),
    ("control", control::run),
    ("slices", slices::run),
    ("iterators", iterators::run),
    ("integers", integers::run),
    ("floats", floats::run),
    ("chars", chars::run),
    ("cells", cells::run),
    ("crates", crates::run),
    ("sync", sync::run),
    ("panics", panics::run),
    ("messages", messages::run),
];

fn main() {
    let filter = std::env::args().nth(1);
    let inputs = std::env::var("SMELT_CONFORM_INPUTS").ok();
    let inputs = inputs.and_then(|n| n.parse().ok()).unwrap_or(1000);
    let devices = match Device::all() {
        Ok(devices) => devices,
        Err(error) => {
            println!("FAIL conform: {error}");
            std::process::exit(2);
        }
    };
    suite::watch_panics();
    let (mut passed, mut failed) = (0, 0);
    for (number, gpu) in devices.iter().enumerate() {
        let name = gpu.info().map_or_else(|e| e.to_string(), |info| info.name);
        eprintln!("device {number}: {name}");
        let mut suite = Suite::new(gpu, format!("{number}"), filter.clone(), inputs);
        for (group, run) in GROUPS {
            run(suite.group(group));
        }
        passed += suite.passed;
        failed += suite.failed;
    }
    println!("{passed} passed, {failed} failed");
    if failed > 0 || passed == 0 {
        std::process::exit(1);
    }
}
