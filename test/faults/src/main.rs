//! What SMELT_CPU_CHECK finds, and what it must not find. Each kernel at fault marks its two
//! lines with `// here: NAME` and `// other: NAME`; a near miss is the same kernel put right. Prints a line
//! for each test; exit status 1 if one failed.

mod meetings;
mod order;
mod races;
mod unwritten;

use smelt::prelude::*;
use smelt::{Error, Fault, FaultKind};

/// The tests so far.
pub struct Suite {
    pub gpu: Device,
    failed: u32,
}

impl Suite {
    fn say(&mut self, name: &str, wrong: Option<String>) {
        match wrong {
            None => println!("PASS faults/{name}"),
            Some(why) => {
                println!("FAIL faults/{name}: {why}");
                self.failed += 1;
            }
        }
    }

    /// The launch is without fault, and so is what it computed.
    pub fn right(&mut self, name: &str, result: smelt::Result<()>) {
        self.say(name, result.err().map(|error| error.to_string()));
    }

    /// The launch has this fault in this file, at the lines that the source marks with
    /// `here: NAME` and `other: NAME`, or with `both: NAME`; the next launch has none.
    pub fn wrong(
        &mut self,
        (file, source): (&str, &str),
        name: &str,
        kind: FaultKind,
        result: smelt::Result<()>,
    ) -> Option<Fault> {
        let (why, fault) = match result {
            Ok(()) => (Some("no fault was found".to_string()), None),
            Err(Error::Fault(fault)) => {
                (self.differs(&fault, file, source, name, kind), Some(*fault))
            }
            Err(error) => (Some(format!("another error: {error}")), None),
        };
        self.say(name, why);
        fault
    }

    pub fn equal<T: PartialEq + std::fmt::Debug>(&mut self, name: &str, got: T, wanted: T) {
        let wrong = (got != wanted).then(|| format!("{got:?}, not {wanted:?}"));
        self.say(name, wrong);
    }

    fn differs(
        &self,
        fault: &Fault,
        file: &str,
        source: &str,
        name: &str,
        kind: FaultKind,
    ) -> Option<String> {
        let line_of = |what: &str| {
            let marks = [format!("// {what}: {name}"), format!("// both: {name}")];
            let is_marked = |line: &str| marks.iter().any(|mark| line.ends_with(mark));
            let found = source.lines().position(is_marked);
            found.map_or(0, |n| n as u32 + 1)
        };
        let is_at = |place: &smelt::ThreadPlace, what| {
            place.file.ends_with(file) && place.line == line_of(what) && place.column > 0
        };
        if fault.kind != kind {
            return Some(format!("{:?}: {fault}", fault.kind));
        }
        if !is_at(&fault.here, "here") || !fault.other.as_ref().is_none_or(|o| is_at(o, "other")) {
            return Some(format!(
                "not lines {} and {}: {fault}",
                line_of("here"),
                line_of("other")
            ));
        }
        if let Err(error) = self.gpu.launch(Grid::cover(1), nothing, ()) {
            return Some(format!("the next launch: {error}"));
        }
        None
    }
}

fn nothing() {}

fn main() {
    let gpu = match Device::default() {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("FAIL faults: {error}");
            std::process::exit(1);
        }
    };
    let mut suite = Suite { gpu, failed: 0 };
    races::run(&mut suite);
    unwritten::run(&mut suite);
    meetings::run(&mut suite);
    order::run(&mut suite);
    if suite.failed > 0 {
        std::process::exit(1);
    }
}
