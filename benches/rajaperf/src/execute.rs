//! Runs what was chosen: first every checksum, then the times of what is right.

use crate::data::Checksum;
use crate::options::Options;
use crate::progress::Progress;
use crate::run::{Choice, Run};
use crate::suite::{Kernel, Shape, Variant};
use smelt::Device;
use std::time::Instant;

/// Repetitions of a run that only verifies: two, so that what one leaves behind and the
/// next must not see would show.
const VERIFY_REPS: usize = 2;

/// One variant and tuning of a kernel, and what came of it.
pub struct Record {
    pub kernel: &'static Kernel,
    pub variant: Variant,
    /// Name with the block size.
    pub tuning: String,
    pub shape: Shape,
    pub reps: usize,
    /// What is wrong with it; such a one is not timed.
    pub wrong: Option<String>,
    /// Why the device would not run it: a block too large for the registers that the kernel wants.
    pub not_taken: Option<String>,
    /// How far its checksum was from the reference's, as a part of the magnitude.
    pub distance: f64,
    /// Time of one repetition in each pass, in microseconds.
    pub times: Vec<f64>,
    /// Time of the first pass with the transfers before and after it, in microseconds.
    pub end_to_end: f64,
    pub transfer_bytes: usize,
    /// The passes' checksums added up, as the suite does.
    pub checksum: Checksum,
    choice: Choice,
}

impl Record {
    /// One that has not been run.
    pub fn new(
        kernel: &'static Kernel,
        variant: Variant,
        tuning: String,
        shape: Shape,
        reps: usize,
    ) -> Self {
        Self {
            kernel,
            variant,
            tuning,
            shape,
            reps,
            wrong: None,
            not_taken: None,
            distance: 0.0,
            times: vec![],
            end_to_end: 0.0,
            transfer_bytes: 0,
            checksum: Checksum::new(),
            choice: Choice {
                variant,
                tuning: "default",
                block: kernel.block,
                target: shape.size,
                reps,
            },
        }
    }

    /// The median of the passes, in microseconds.
    pub fn median(&self) -> Option<f64> {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get(times.len() / 2).copied()
    }

    pub fn minimum(&self) -> Option<f64> {
        self.times.iter().copied().min_by(f64::total_cmp)
    }

    pub fn maximum(&self) -> Option<f64> {
        self.times.iter().copied().max_by(f64::total_cmp)
    }

    pub fn average(&self) -> Option<f64> {
        let sum: f64 = self.times.iter().sum();
        (!self.times.is_empty()).then(|| sum / self.times.len() as f64)
    }

    pub fn gb_per_s(&self) -> Option<f64> {
        Some(self.shape.bytes() as f64 / self.median()? / 1e3)
    }

    pub fn gflop_per_s(&self) -> Option<f64> {
        Some(self.shape.flops as f64 / self.median()? / 1e3)
    }
}

/// Everything that a command line chooses, nothing of it run yet.
pub fn plan(options: &Options) -> Vec<Record> {
    let mut records = vec![];
    for kernel in options.chosen_kernels() {
        let target = options.target_size(kernel);
        for variant in options.chosen_variants() {
            let tunings = match variant {
                Variant::BaseSeq => vec![("default", kernel.block, "default".into())],
                _ => options.chosen_tunings(kernel),
            };
            for (tuning, block, name) in tunings {
                let reps = options.target_reps(kernel);
                let shape = (kernel.shape)(&options.params, target);
                records.push(Record {
                    choice: Choice {
                        variant,
                        tuning,
                        block,
                        target,
                        reps,
                    },
                    ..Record::new(kernel, variant, name, shape, reps)
                });
            }
        }
    }
    records
}

/// The device and how wide it is.
#[derive(Clone, Copy)]
pub struct Place {
    pub gpu: Device,
    pub units: u32,
}

/// One run; what goes wrong is told, since a kernel that fails must not end the suite.
fn run<'a>(
    place: Place,
    kernel: &Kernel,
    options: &'a Options,
    choice: Choice,
) -> smelt::Result<(Run<'a>, Checksum)> {
    let run = Run::new(place.gpu, place.units, kernel, &options.params, choice);
    finish(place, kernel, choice, run)
}

fn finish<'a>(
    place: Place,
    kernel: &Kernel,
    choice: Choice,
    mut run: Run<'a>,
) -> smelt::Result<(Run<'a>, Checksum)> {
    let body = match choice.variant {
        Variant::BaseSeq => kernel.seq,
        _ => kernel.smelt,
    };
    match body(&mut run) {
        Ok(checksum) => Ok((run, checksum)),
        Err(error) => {
            // What was launched before it failed must not be blamed on the next.
            let _ = place.gpu.wait();
            Err(error)
        }
    }
}

/// Compares every variant's checksum with that of Base_Seq, which is run for it whether
/// chosen or not.
pub fn verify(place: Place, options: &Options, records: &mut [Record], progress: &mut Progress) {
    let total = records.len();
    let mut reference: Option<(&str, smelt::Result<Checksum>)> = None;
    for (at, record) in records.iter_mut().enumerate() {
        let reps = record.reps.min(VERIFY_REPS);
        let kernel = record.kernel;
        if reference.as_ref().map(|r| r.0) != Some(kernel.name) {
            progress.show(
                at,
                total,
                &format!("verify {} Base_Seq", kernel.full_name()),
            );
            let choice = Choice {
                variant: Variant::BaseSeq,
                reps,
                ..record.choice
            };
            let result = run(place, kernel, options, choice).map(|(_, checksum)| checksum);
            reference = Some((kernel.name, result));
        }
        let Some((_, Ok(right))) = &reference else {
            record.wrong = Some("Base_Seq failed".into());
            continue;
        };
        if record.variant == Variant::BaseSeq {
            continue;
        }
        progress.show(at, total, &format!("verify {}", label(record)));
        let choice = Choice {
            reps,
            ..record.choice
        };
        match run(place, kernel, options, choice) {
            Ok((_, checksum)) => compare(record, &checksum, right),
            Err(error) => refuse(record, &error),
        }
    }
}

/// Only a launch that is refused for a larger block than the kernel's own is nobody's mistake.
fn refuse(record: &mut Record, error: &smelt::Error) {
    let refused = matches!(error, smelt::Error::Launch(_) | smelt::Error::Engine(_));
    if refused && record.choice.block > record.kernel.block {
        record.not_taken = Some(error.to_string());
    } else {
        record.wrong = Some(error.to_string());
    }
}

fn compare(record: &mut Record, checksum: &Checksum, right: &Checksum) {
    record.distance = checksum.distance(right);
    // Not `>`: what is no number is wrong.
    if !(record.distance <= record.kernel.tolerance) {
        record.wrong = Some(format!(
            "checksum {} instead of {}",
            checksum.value(),
            right.value()
        ));
    }
}

/// Times what was found right, pass by pass.
pub fn time(place: Place, options: &Options, records: &mut [Record], progress: &mut Progress) {
    let total = records.len();
    let start = Instant::now();
    for pass in 0..options.passes {
        if pass > 0 && start.elapsed().as_secs_f64() > options.seconds {
            break;
        }
        for (at, record) in records.iter_mut().enumerate() {
            if record.wrong.is_some() || record.not_taken.is_some() {
                continue;
            }
            let text = format!("pass {} of {} {}", pass + 1, options.passes, label(record));
            progress.show(at, total, &text);
            match run(place, record.kernel, options, record.choice) {
                Ok((run, checksum)) => record_times(record, &run, checksum),
                Err(error) => record.wrong = Some(error.to_string()),
            }
        }
        check_timed(records);
    }
}

fn record_times(record: &mut Record, run: &Run, checksum: Checksum) {
    let seconds = run.kernel_seconds();
    if record.times.is_empty() {
        record.end_to_end = (seconds + run.transfer_seconds()) * 1e6;
        record.transfer_bytes = run.transfer_bytes();
    }
    record.times.push(seconds * 1e6 / record.reps as f64);
    record.checksum = record.checksum.and(checksum);
}

/// The timed runs' own checksums: equal repetitions must have given equal results.
fn check_timed(records: &mut [Record]) {
    let mut right: Option<(&str, Checksum)> = None;
    for record in records {
        if record.wrong.is_some() || record.not_taken.is_some() {
            continue;
        }
        match right {
            Some((name, right)) if name == record.kernel.name => {
                let checksum = record.checksum;
                compare(record, &checksum, &right);
            }
            _ => right = Some((record.kernel.name, record.checksum)),
        }
    }
}

/// Proves that the safe kernels of this very build check their indices: runs each with one array
/// after the other half as long as it should be, and prints what came of it. Gives the number of
/// kernels in which nothing was caught though they index.
pub fn prove_checks(place: Place, options: &Options, records: &[Record]) -> usize {
    let mut missed = 0;
    for record in records.iter().filter(|r| r.variant == Variant::SmeltSafe) {
        let name = format!("{} {}", record.kernel.full_name(), record.tuning);
        match caught(place, options, record) {
            Ok((0, of)) if record.kernel.bounded => {
                println!("{name}: nothing to catch: {of} arrays, no index that could exceed");
            }
            Ok((0, of)) => {
                missed += 1;
                println!("{name}: NOT CAUGHT in any of {of} arrays");
            }
            Ok((caught, of)) => println!("{name}: caught in {caught} of {of} arrays"),
            Err(error) => {
                missed += 1;
                println!("{name}: NOT CAUGHT: failed without a short array: {error}");
            }
        }
    }
    missed
}

/// In how many of how many arrays it is caught that they are too short.
fn caught(place: Place, options: &Options, record: &Record) -> Result<(usize, usize), String> {
    let choice = Choice {
        reps: 1,
        ..record.choice
    };
    let (whole, _) =
        run(place, record.kernel, options, choice).map_err(|error| error.to_string())?;
    let arrays = whole.arrays();
    let fails = |array: &usize| {
        let mut run = Run::new(
            place.gpu,
            place.units,
            record.kernel,
            &options.params,
            choice,
        );
        run.short = Some(*array);
        // What the host does with a short result is not what is asked here.
        let run = || finish(place, record.kernel, choice, run).is_err();
        let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        // What a kernel said that the run did not wait for.
        let late = place.gpu.wait();
        failed.unwrap_or(false) || late.is_err()
    };
    Ok(((0..arrays).filter(fails).count(), arrays))
}

fn label(record: &Record) -> String {
    format!(
        "{} {} {}",
        record.kernel.full_name(),
        record.variant.name(),
        record.tuning
    )
}
