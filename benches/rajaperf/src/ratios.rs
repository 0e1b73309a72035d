//! Our times over those of others, the numbers that the report and the summary show.
//!
//! Two questions, two rows. *The same mapping*: the native kernel's mapping and block size, beside the
//! native kernel of the same run. *The best*: the least time of any tuning, beside the least of the
//! suite's own variants and tunings on such a device.

use crate::execute::Record;
use crate::output::{Other, best, kernels};
use crate::suite::Variant;

/// One kernel at one size.
pub struct Row<'a> {
    pub name: String,
    pub size: usize,
    /// Microseconds of the native kernel.
    pub native: Option<f64>,
    /// With its mapping and block size.
    pub safe: Option<&'a Record>,
    pub unchecked: Option<&'a Record>,
    /// The suite's best time there.
    pub official: Option<&'a Other>,
    /// With any tuning.
    pub best_safe: Option<&'a Record>,
    pub best_unchecked: Option<&'a Record>,
}

impl<'a> Row<'a> {
    /// The best of both variants.
    pub fn best(&self) -> Option<&'a Record> {
        let both = [self.best_safe, self.best_unchecked];
        fastest(both.into_iter().flatten())
    }
}

/// Times over `time`, if both are there.
pub fn over(record: Option<&Record>, time: Option<f64>) -> Option<f64> {
    Some(record?.median()? / time?)
}

/// The geometric mean of what is there, and of how many.
pub fn mean(ratios: impl Iterator<Item = Option<f64>>) -> (Option<f64>, usize) {
    let (mut sum, mut count) = (0.0, 0);
    for ratio in ratios.flatten() {
        sum += ratio.ln();
        count += 1;
    }
    ((count > 0).then(|| (sum / count as f64).exp()), count)
}

fn fastest<'a>(records: impl Iterator<Item = &'a Record>) -> Option<&'a Record> {
    records
        .filter_map(|r| Some((r.median()?, r)))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, r)| r)
}

/// The name that the native kernel's tuning has.
fn native_tuning(record: &Record) -> String {
    let kernel = record.kernel;
    let tuning = &kernel.tunings[0];
    tuning.name_with(kernel.block)
}

/// A row for each kernel and size among the records. Where nothing native was run, Base_Seq stands
/// for it.
pub fn rows<'a>(records: &'a [Record], others: &'a [Other], official: &'a [Other]) -> Vec<Row<'a>> {
    let mut rows = vec![];
    for kernel in kernels(records) {
        let name = kernel.full_name();
        let of: Vec<_> = records
            .iter()
            .filter(|r| r.kernel.full_name() == name)
            .collect();
        let mut sizes: Vec<_> = of.iter().map(|r| r.shape.size).collect();
        sizes.dedup();
        for size in sizes {
            let same = |r: &&&Record| r.shape.size == size;
            let variant = |v: Variant, first: bool| {
                fastest(
                    of.iter()
                        .filter(same)
                        .copied()
                        .filter(|r| r.variant == v && (!first || r.tuning == native_tuning(r))),
                )
            };
            let native = match best(others, &name, size) {
                Some(other) => Some(other.us_per_rep),
                // EMPTY takes plain Rust no time at all, of which there is no ratio.
                None if others.is_empty() => variant(Variant::BaseSeq, false)
                    .and_then(Record::median)
                    .filter(|us| *us >= 0.1),
                None => None,
            };
            rows.push(Row {
                official: best(official, &name, size),
                native,
                safe: variant(Variant::SmeltSafe, true),
                unchecked: variant(Variant::SmeltUnsafe, true),
                best_safe: variant(Variant::SmeltSafe, false),
                best_unchecked: variant(Variant::SmeltUnsafe, false),
                size,
                name: name.clone(),
            });
        }
    }
    rows
}

/// What the suite has a time of and these rows have not.
pub fn left_out<'a>(rows: &[Row], official: &'a [Other]) -> Vec<&'a str> {
    let mut names: Vec<&str> = official
        .iter()
        .filter(|o| {
            !rows
                .iter()
                .any(|r| r.name == o.kernel && r.best().is_some())
        })
        .map(|o| &o.kernel[..])
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
