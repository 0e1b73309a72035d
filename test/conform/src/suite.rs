//! Runs cases on one device and compares with the host, which runs the same function.
//!
//! A case is a function of one value. Its kernel is that function over a slice of inputs:
//! hand-picked edge values of the input's type, then a fixed random stream.

use crate::input::{Input, Random};
use crate::output::Output;
use smelt::prelude::*;
use smelt::Error;
use std::fmt::Debug;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Mutex;

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// One device and the count of what was run on it.
pub struct Suite<'a> {
    pub gpu: &'a Device,
    label: String,
    group: &'static str,
    filter: Option<String>,
    inputs: usize,
    pub passed: usize,
    pub failed: usize,
}

/// Where the host panicked last, as the hook saw it.
static HOST_PANIC: Mutex<Option<(String, u32, u32)>> = Mutex::new(None);

/// Keeps panics of the host, which cases expect, quiet.
pub fn watch_panics() {
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| (l.file().to_string(), l.line(), l.column()));
        *HOST_PANIC.lock().unwrap() = place;
    }));
}

impl<'a> Suite<'a> {
    /// Cases whose name does not contain `filter` are left out.
    pub fn new(gpu: &'a Device, label: String, filter: Option<String>, inputs: usize) -> Self {
        Suite { gpu, label, group: "", filter, inputs, passed: 0, failed: 0 }
    }

    /// The group that the next cases belong to.
    pub fn group(&mut self, name: &'static str) -> &mut Self {
        self.group = name;
        self
    }

    /// `f` gives on the device what it gives on the host, to the bit; a NaN is like any other.
    pub fn case<I: Input, O: Output>(
        &mut self,
        name: &str,
        f: impl Fn(I) -> O + Copy + Send + Sync + 'static,
    ) {
        self.compare(name, f, |got, want| got.same(want));
    }

    /// As `case`, but a float may be off by so many units in the last place.
    pub fn within<I: Input, O: Output>(
        &mut self,
        ulps: u64,
        name: &str,
        f: impl Fn(I) -> O + Copy + Send + Sync + 'static,
    ) {
        self.compare(name, f, move |got, want| got.near(want, ulps));
    }

    fn compare<I: Input, O: Output>(
        &mut self,
        name: &str,
        f: impl Fn(I) -> O + Copy + Send + Sync + 'static,
        same: impl Fn(&O, &O) -> bool,
    ) {
        let count = self.inputs;
        self.test(name, |gpu| {
            let input: Vec<I> = inputs(count);
            let want: Vec<O> = input.iter().map(|&x| f(x)).collect();
            let mut got = vec![O::FILLER; input.len()];
            let kernel = move |input: &[I], mut out: DisjointMut<O>| {
                let i = thread::index();
                if let Some(out) = out.get_mut(i) {
                    *out = f(input[i.get()]);
                }
            };
            gpu.launch(Grid::cover(input.len()), kernel, (&input[..], &mut got[..]))?;
            first_difference(&input, &got, &want, same)
        });
    }

    /// `f` panics on the device for those inputs for which it does on the host, says the same
    /// at the same place, and gives the same for the others.
    pub fn panics<I: Input, O: Output>(
        &mut self,
        name: &str,
        input: &[I],
        f: impl Fn(I) -> O + Copy + Send + Sync + 'static,
    ) {
        self.test(name, |gpu| {
            let kernel = move |input: &[I], mut out: DisjointMut<O>| {
                let i = thread::index();
                if let Some(out) = out.get_mut(i) {
                    *out = f(input[i.get()]);
                }
            };
            let mut panicked = 0;
            for x in input {
                let host = host_result(f, *x);
                let mut got = [O::FILLER];
                let device = gpu.launch(Grid::cover(1), kernel, (&[*x][..], &mut got[..]));
                panicked += usize::from(host.is_err());
                same_panic(host, device, &got[0]).map_err(|e| format!("for {x:?}: {e}"))?;
            }
            ensure(panicked > 0, "no input panics on the host")
        });
    }

    /// Any other check of the device.
    pub fn test(&mut self, name: &str, body: impl FnOnce(&Device) -> Outcome) {
        let name = format!("{}/{}/{name}", self.label, self.group);
        if self.filter.as_ref().is_some_and(|f| !name.contains(f.as_str())) {
            return;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| body(self.gpu)));
        let why = match outcome {
            Ok(Ok(())) => {
                println!("PASS {name}");
                self.passed += 1;
                return;
            }
            Ok(Err(error)) => error.to_string(),
            Err(payload) => {
                let place = HOST_PANIC.lock().unwrap().take();
                format!("panicked on the host: {} at {place:?}", text_of(&*payload))
            }
        };
        println!("FAIL {name}: {}", why.replace('\n', " | "));
        self.failed += 1;
    }
}

fn inputs<I: Input>(count: usize) -> Vec<I> {
    let mut random = Random::new(0x5eed);
    let mut all = I::edges();
    all.truncate(count);
    while all.len() < count {
        all.push(I::random(&mut random));
    }
    all
}

fn first_difference<I: Debug, O: Debug>(
    input: &[I],
    got: &[O],
    want: &[O],
    same: impl Fn(&O, &O) -> bool,
) -> Outcome {
    let wrong = (0..got.len()).filter(|&i| !same(&got[i], &want[i])).collect::<Vec<_>>();
    let Some(&i) = wrong.first() else { return Ok(()) };
    Err(format!(
        "{} of {} differ; for {:?} it is {:?} instead of {:?}",
        wrong.len(),
        got.len(),
        input[i],
        got[i],
        want[i]
    )
    .into())
}

/// What a panic says, and where.
type Said = (String, String, u32, u32);

fn host_result<I, O>(f: impl Fn(I) -> O, x: I) -> Result<O, Said> {
    catch_unwind(AssertUnwindSafe(|| f(x))).map_err(|payload| {
        let (file, line, column) = HOST_PANIC.lock().unwrap().take().unwrap_or_default();
        (text_of(&*payload), file, line, column)
    })
}

fn text_of(payload: &(dyn std::any::Any + Send)) -> String {
    match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text.to_string(),
        (_, Some(text)) => text.clone(),
        _ => "?".to_string(),
    }
}

fn same_panic<O: Output>(
    host: Result<O, Said>,
    device: Result<(), Error>,
    got: &O,
) -> Outcome {
    match (host, device) {
        (Ok(want), Ok(())) if got.same(&want) => Ok(()),
        (Ok(want), Ok(())) => Err(format!("{got:?} instead of {want:?}").into()),
        (Ok(_), Err(error)) => Err(format!("only the device fails: {error}").into()),
        (Err(said), Ok(())) => Err(format!("only the host panics: {said:?}").into()),
        (Err(said), Err(Error::Panic { message, file, line, column, .. })) => {
            let device = (message.to_string(), file.to_string(), line, column);
            ensure(device == said, format!("says {device:?} instead of {said:?}"))
        }
        (Err(_), Err(error)) => Err(format!("no panic: {error}").into()),
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
