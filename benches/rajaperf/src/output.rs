//! Tables on the screen and the suite's files.
//!
//! `PREFIX-timing-*.csv`, `-speedup-*.csv`, `-kernels.csv` and `-checksum.txt` are laid out as the
//! suite's own. `-runs.csv` has a line for each run with all that is known of it, in the columns
//! that native/native prints too; that is what `--compare` reads.

use crate::execute::Record;
use crate::options::Options;
use crate::read::Machine;
use crate::suite::{Kernel, Variant};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A run of another program, to be compared with.
pub struct Other {
    pub kernel: String,
    pub size: usize,
    pub variant: String,
    pub tuning: String,
    pub us_per_rep: f64,
}

const COLUMNS: &str = "kernel,size,reps,kernels_per_rep,bytes_per_rep,flops_per_rep,variant,tuning,\
us_per_rep,gb_per_s,gflop_per_s,checksum";

/// The first line of `-runs.csv`.
pub fn runs_header() -> String {
    format!("{COLUMNS},us_min,us_max,end_to_end_us,transfer_bytes,verified")
}

/// What would run.
pub fn print_plan(records: &[Record]) {
    println!(
        "{:28} {:>12} {:>8}  {:12}  tuning",
        "kernel", "size", "reps", "variant"
    );
    for r in records {
        println!(
            "{:28} {:>12} {:>8}  {:12}  {}",
            r.kernel.full_name(),
            r.shape.size,
            r.reps,
            r.variant.name(),
            r.tuning
        );
    }
}

/// Reads tables of other programs.
///
/// # Errors
/// A file that cannot be read, or has not the columns.
pub fn read_others(files: &[String]) -> Result<Vec<Other>, String> {
    let mut others = vec![];
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        read_table(file, &text, &mut others)?;
    }
    Ok(others)
}

fn read_table(file: &str, text: &str, others: &mut Vec<Other>) -> Result<(), String> {
    let mut lines = text.lines();
    let header: Vec<_> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        header
            .iter()
            .position(|h| h.trim() == name)
            .ok_or(format!("{file}: no column {name} in its first line"))
    };
    let names = ["kernel", "size", "variant", "tuning", "us_per_rep"];
    let mut at = [0; 5];
    for (at, name) in at.iter_mut().zip(names) {
        *at = column(name)?;
    }
    for (number, line) in lines.enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let cells: Vec<_> = line.split(',').map(str::trim).collect();
        let bad = || format!("{file}:{}: not a line of the table", number + 2);
        let cell = |i: usize| cells.get(at[i]).copied().ok_or_else(bad);
        others.push(Other {
            kernel: cell(0)?.into(),
            size: cell(1)?.parse().map_err(|_| bad())?,
            variant: cell(2)?.into(),
            tuning: cell(3)?.into(),
            us_per_rep: cell(4)?.parse().map_err(|_| bad())?,
        });
    }
    Ok(())
}

/// The best time of another program for a kernel at a size.
pub fn best<'a>(others: &'a [Other], name: &str, size: usize) -> Option<&'a Other> {
    others
        .iter()
        .filter(|o| o.kernel == name && o.size == size)
        .min_by(|a, b| a.us_per_rep.total_cmp(&b.us_per_rep))
}

/// Time over that of the best other run, and over that of the Base_Seq of this program.
pub fn ratio(records: &[Record], others: &[Other], record: &Record) -> Option<f64> {
    let time = record.median()?;
    let other = match best(others, &record.kernel.full_name(), record.shape.size) {
        Some(other) => other.us_per_rep,
        None => {
            let mut same = records
                .iter()
                .filter(|r| r.kernel.name == record.kernel.name);
            same.find(|r| r.variant == Variant::BaseSeq)?.median()?
        }
    };
    Some(time / other)
}

/// One line for each run.
pub fn print_table(records: &[Record], others: &[Other]) {
    let against = if others.is_empty() {
        "/ Seq"
    } else {
        "/ other"
    };
    println!(
        "{:26} {:12} {:22} {:>6} {:>11} {:>9} {:>9} {:>8}  checksum",
        "kernel", "variant", "tuning", "reps", "us/rep", "GB/s", "GFLOP/s", against
    );
    for r in records {
        let number = |value: Option<f64>, digits: usize| match value {
            Some(value) => format!("{value:.digits$}"),
            None => "-".into(),
        };
        let verdict = match (&r.wrong, &r.not_taken) {
            (Some(wrong), _) => format!("WRONG: {wrong}"),
            (None, Some(why)) => format!("not taken: {why}"),
            (None, None) if r.times.is_empty() => format!("right to {:.0e}", r.distance),
            (None, None) => format!("{:?}", r.checksum.value()),
        };
        println!(
            "{:26} {:12} {:22} {:>6} {:>11} {:>9} {:>9} {:>8}  {verdict}",
            r.kernel.full_name(),
            r.variant.name(),
            r.tuning,
            r.reps,
            number(r.median(), 3),
            number(r.gb_per_s(), 1),
            number(r.gflop_per_s(), 1),
            number(ratio(records, others, r), 2),
        );
    }
}

/// Writes all tables to the folder asked for.
///
/// # Errors
/// What the file system says.
pub fn write_tables(options: &Options, records: &[Record]) -> Result<(), String> {
    let folder = Path::new(&options.out_dir);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = |end: &str| folder.join(format!("{}{end}", options.out_file));
    let combiners: [(&str, &str, fn(&Record) -> Option<f64>); 4] = [
        ("Average", "Mean", Record::average),
        ("Minimum", "Min", Record::minimum),
        ("Maximum", "Max", Record::maximum),
        ("Median", "Median", Record::median),
    ];
    for (name, title, time) in combiners {
        let title = format!("{title} Runtime Report (sec.) ");
        let seconds = |r: &Record| Some(time(r)? * r.reps as f64 * 1e-6);
        write(
            path(&format!("-timing-{name}.csv")),
            &pivot(records, &title, 6, seconds),
        )?;
        if let Some(reference) = &options.reference {
            let text = speedups(records, reference, &title[..title.find(' ').unwrap()], time);
            write(path(&format!("-speedup-{name}.csv")), &text)?;
        }
    }
    write(path("-kernels.csv"), &kernel_table(records))?;
    write(path("-checksum.txt"), &checksum_report(records))?;
    write(path("-runs.csv"), &runs(records))?;
    Ok(())
}

/// Writes the report and its summary, as far as they were asked for.
///
/// # Errors
/// What the file system says.
pub fn write_reports(
    options: &Options,
    machine: &Machine,
    records: &[Record],
    others: &[Other],
    official: &[Other],
) -> Result<(), String> {
    let folder = Path::new(&options.out_dir);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = |name: &str, end: &str| match name {
        "" => folder.join(format!("{}{end}", options.out_file)),
        name => PathBuf::from(name),
    };
    if options.read.is_empty() {
        write(path("", "-device.csv"), &machine.table())?;
    }
    let rows = crate::ratios::rows(records, others, official);
    if let Some(name) = &options.report {
        let page = crate::report::page(machine, records, &rows, others.is_empty(), official);
        write(path(name, "-report.html"), &page)?;
    }
    if let Some(name) = &options.summary {
        let text = crate::summary::text(machine, &rows, others.is_empty(), official);
        write(path(name, "-summary.md"), &text)?;
    }
    Ok(())
}

fn write(path: PathBuf, text: &str) -> Result<(), String> {
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The kernels among the records, each once.
pub fn kernels(records: &[Record]) -> Vec<&'static Kernel> {
    let mut kernels: Vec<&'static Kernel> = vec![];
    for record in records {
        if kernels.last().map(|k| k.full_name()) != Some(record.kernel.full_name()) {
            kernels.push(record.kernel);
        }
    }
    kernels
}

/// A row for each kernel, a column for each variant and tuning, as the suite has it.
fn pivot(
    records: &[Record],
    title: &str,
    digits: usize,
    value: impl Fn(&Record) -> Option<f64>,
) -> String {
    let mut columns: Vec<(Variant, &str)> = vec![];
    for variant in Variant::ALL {
        for r in records.iter().filter(|r| r.variant == variant) {
            if !columns.contains(&(variant, &r.tuning)) {
                columns.push((variant, &r.tuning));
            }
        }
    }
    let width = |c: &(Variant, &str)| c.0.name().len().max(c.1.len()).max(digits + 2);
    let mut text = format!("{title}{}\n", " , ".repeat(columns.len()));
    let _ = write!(text, "{:28}", "Kernel  ");
    for c in &columns {
        let _ = write!(text, " , {:w$}", c.0.name(), w = width(c));
    }
    let _ = write!(text, "\n{:28}", "Kernel  ");
    for c in &columns {
        let _ = write!(text, " , {:w$}", c.1, w = width(c));
    }
    text.push('\n');
    for kernel in kernels(records) {
        let _ = write!(text, "{:28}", kernel.full_name());
        for c in &columns {
            let cell = records
                .iter()
                .find(|r| {
                    r.kernel.full_name() == kernel.full_name() && (r.variant, &r.tuning[..]) == *c
                })
                .and_then(&value)
                .map_or("Not run".into(), |v| format!("{v:.digits$}"));
            let _ = write!(text, " , {cell:>w$}", w = width(c));
        }
        text.push('\n');
    }
    text
}

fn speedups(
    records: &[Record],
    reference: &str,
    title: &str,
    time: fn(&Record) -> Option<f64>,
) -> String {
    let title = format!("{title} Speedup Report (T_ref/T_var): ref var = {reference} ");
    pivot(records, &title, 3, |r| {
        let mut same = records
            .iter()
            .filter(|s| s.kernel.full_name() == r.kernel.full_name());
        let reference = same.find(|s| s.variant.name() == reference)?;
        let per_rep = |r: &Record| time(r);
        Some(per_rep(reference)? / per_rep(r)?)
    })
}

fn kernel_table(records: &[Record]) -> String {
    let mut text = String::from("Kernels run without MPI\n");
    let heads = [
        "Problem size",
        "Reps",
        "Iterations/rep",
        "Kernels/rep",
        "Bytes/rep",
        "FLOPS/rep",
        "BytesRead/rep",
        "BytesWritten/rep",
        "BytesAtomicModifyWritten/rep",
    ];
    let mut row = |name: &str, cells: [String; 9]| {
        let _ = write!(text, "{name:28}");
        for (cell, head) in cells.iter().zip(heads) {
            let _ = write!(text, " , {cell:>w$}", w = head.len().max(14));
        }
        text.push('\n');
    };
    row("Kernels", heads.map(String::from));
    for kernel in kernels(records) {
        let same = |r: &&Record| r.kernel.full_name() == kernel.full_name();
        let Some(r) = records.iter().find(same) else {
            continue;
        };
        let s = &r.shape;
        let numbers = [
            s.size,
            r.reps,
            s.iterations,
            s.kernels,
            s.bytes(),
            s.flops,
            s.bytes_read,
            s.bytes_written,
            s.bytes_atomic,
        ];
        row(&kernel.full_name(), numbers.map(|n| n.to_string()));
    }
    text
}

fn checksum_report(records: &[Record]) -> String {
    let (line, dots) = ("=".repeat(99), ".".repeat(56));
    let mut text = format!("{line}\nChecksum Report\n{line}\nKernel\n{dots}\n");
    let _ = writeln!(
        text,
        "{:36}{:28}{:28}",
        "Variants", "Checksum", "Checksum Diff"
    );
    let _ = writeln!(text, "{:64}(vs. first variant listed)", "");
    let _ = writeln!(text, "{}", "-".repeat(88));
    for kernel in kernels(records) {
        let _ = writeln!(text, "{}\n{dots}", kernel.full_name());
        let mut first = None;
        for r in records
            .iter()
            .filter(|r| r.kernel.full_name() == kernel.full_name())
        {
            let name = format!("{}-{}", r.variant.name(), r.tuning);
            if let Some(wrong) = &r.wrong {
                let _ = writeln!(text, "{name:36}WRONG: {wrong}");
                continue;
            }
            let value = r.checksum.value();
            let first = *first.get_or_insert(value);
            let _ = writeln!(text, "{name:36}{value:<28.17}{:<28.17}", first - value);
        }
        text.push('\n');
    }
    text
}

fn runs(records: &[Record]) -> String {
    let mut text = runs_header() + "\n";
    for r in records.iter().filter(|r| r.not_taken.is_none()) {
        let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.4}"));
        let s = &r.shape;
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{:?},{},{},{:.1},{},{}",
            r.kernel.full_name(),
            s.size,
            r.reps,
            s.kernels,
            s.bytes(),
            s.flops,
            r.variant.name(),
            r.tuning,
            number(r.median()),
            number(r.gb_per_s()),
            number(r.gflop_per_s()),
            r.checksum.value(),
            number(r.minimum()),
            number(r.maximum()),
            r.end_to_end,
            r.transfer_bytes,
            if r.wrong.is_none() { "yes" } else { "no" }
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_others_are_read_by_column_name() {
        let text = "run,kernel,size,variant,tuning,us_per_rep\nx,Stream_ADD,10,Base_CUDA,b,1.5\n";
        let mut others = vec![];
        read_table("f", text, &mut others).unwrap();
        assert_eq!((others[0].size, others[0].us_per_rep), (10, 1.5));
        let error = read_table("f", "kernel,size\n", &mut others).unwrap_err();
        assert!(error.contains("variant"), "{error}");
        let error = read_table("f", &text.replace("1.5", "fast"), &mut others).unwrap_err();
        assert!(error.contains("f:2"), "{error}");
    }
}
