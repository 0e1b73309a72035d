//! Runs tests on one device and prints a line for each: `PASS`, `FAIL` or `SKIP`.

use smelt::prelude::*;
use std::fmt::Debug;
use std::panic::{catch_unwind, AssertUnwindSafe};

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// One device and the count of what was run on it.
pub struct Suite<'a> {
    pub gpu: &'a Device,
    label: String,
    filter: Option<String>,
    pub passed: usize,
    pub failed: usize,
}

impl<'a> Suite<'a> {
    /// Tests whose name does not contain `filter` are left out.
    pub fn new(gpu: &'a Device, label: String, filter: Option<String>) -> Self {
        Suite { gpu, label, filter, passed: 0, failed: 0 }
    }

    /// Runs one test. One that panics on the host has failed.
    pub fn test(&mut self, name: &str, body: impl FnOnce(&Device) -> Outcome) {
        if self.filter.as_ref().is_some_and(|f| !name.contains(f.as_str())) {
            return;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| body(self.gpu)));
        let why = match outcome {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("panicked on the host".to_string()),
        };
        match why {
            None => {
                println!("PASS {}/{name}", self.label);
                self.passed += 1;
            }
            Some(why) => {
                println!("FAIL {}/{name}: {}", self.label, why.replace('\n', " | "));
                self.failed += 1;
            }
        }
    }

    /// A test that cannot run here, with the reason.
    pub fn skip(&mut self, name: &str, why: &str) {
        if self.filter.as_ref().is_some_and(|f| !name.contains(f.as_str())) {
            return;
        }
        println!("SKIP {}/{name}: {why}", self.label);
    }
}

/// Equal, or where they first differ.
pub fn same<T: PartialEq + Debug>(got: &[T], want: &[T]) -> Outcome {
    if got.len() != want.len() {
        return Err(format!("length {} instead of {}", got.len(), want.len()).into());
    }
    match (0..got.len()).find(|&i| got[i] != want[i]) {
        None => Ok(()),
        Some(i) => Err(format!("[{i}] is {:?} instead of {:?}", got[i], want[i]).into()),
    }
}

/// Equal, or what it is instead.
pub fn equal<T: PartialEq + Debug>(got: T, want: T) -> Outcome {
    if got == want {
        Ok(())
    } else {
        Err(format!("{got:?} instead of {want:?}").into())
    }
}

/// True, or the text.
pub fn ensure(condition: bool, text: impl Into<String>) -> Outcome {
    if condition {
        Ok(())
    } else {
        Err(text.into().into())
    }
}
