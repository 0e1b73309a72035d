//! `rajaperf`: the kernels of LLNL's RAJA Performance Suite in Rust, each in plain, safe and unsafe
//! form, compared and timed as the suite does.
//!
//! One rule is stricter than the suite's: checksums come first, and what gives a wrong one is
//! not timed, so that no table can hold the time of a wrong answer.

mod access;
mod bins;
mod data;
mod execute;
mod kernels;
mod limits;
mod options;
mod order;
mod output;
mod places;
mod prelude;
mod prim;
mod product;
mod progress;
mod ratios;
mod read;
mod report;
mod run;
mod stripes;
mod suite;
mod summary;
mod team;

use execute::{Place, Record};
use options::{Options, Request};
use progress::Progress;
use read::Machine;
use smelt::Device;
use std::process::ExitCode;

fn main() -> ExitCode {
    let request = match options::parse(std::env::args().skip(1)) {
        Ok(request) => request,
        Err(error) => return fail(&error),
    };
    match request {
        Request::Text(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Request::Run(options) => match suite_run(&options) {
            Ok(code) => code,
            Err(error) => fail(&error),
        },
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("rajaperf: {error}");
    ExitCode::from(2)
}

/// Exit 0 if all that was chosen is right, 1 if something is wrong.
fn suite_run(options: &Options) -> Result<ExitCode, String> {
    let others = output::read_others(&options.compare)?;
    let official = output::read_others(options.official.as_slice())?;
    if !options.read.is_empty() {
        let records = read::records(&options.read)?;
        let machine = Machine::read(&options.read[0].replace("-runs.csv", "-device.csv"))?;
        output::write_reports(options, &machine, &records, &others, &official)?;
        return Ok(verdict(&records));
    }
    let mut records = execute::plan(options);
    if records.is_empty() {
        return Err("nothing to run: no kernel has what was asked for".into());
    }
    if options.dry_run {
        output::print_plan(&records);
        return Ok(ExitCode::SUCCESS);
    }
    let place = open(options)?;
    let info = place.gpu.info().map_err(|e| e.to_string())?;
    println!(
        "device: {} ({}, {} units)",
        info.name, info.arch, info.units
    );
    if options.prove_checks {
        let missed = execute::prove_checks(place, options, &records);
        println!("{missed} not caught");
        return Ok(ExitCode::from((missed != 0) as u8));
    }
    let mut progress = Progress::new(options.progress);
    execute::verify(place, options, &mut records, &mut progress);
    if !options.verify_only {
        execute::time(place, options, &mut records, &mut progress);
    }
    progress.clear();
    output::print_table(&records, &others);
    if !options.verify_only {
        output::write_tables(options, &records)?;
        if options.report.is_some() || options.summary.is_some() {
            let limits = limits::measure(&place.gpu).map_err(|e| e.to_string())?;
            let machine = Machine::now(&info, limits);
            output::write_reports(options, &machine, &records, &others, &official)?;
        }
    }
    Ok(verdict(&records))
}

fn open(options: &Options) -> Result<Place, String> {
    if let Some(device) = &options.device {
        // SAFETY: no other thread has been started yet.
        unsafe { std::env::set_var("SMELT_DEVICE", device) };
    }
    let gpu = Device::default().map_err(|e| e.to_string())?;
    let units = gpu.info().map_err(|e| e.to_string())?.units;
    Ok(Place { gpu, units })
}

fn verdict(records: &[Record]) -> ExitCode {
    let wrong = records.iter().filter(|r| r.wrong.is_some()).count();
    let not_taken = records.iter().filter(|r| r.not_taken.is_some()).count();
    println!("{} right, {wrong} wrong", records.len() - wrong - not_taken);
    if not_taken > 0 {
        println!("{not_taken} not taken by the device: block too large");
    }
    if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
