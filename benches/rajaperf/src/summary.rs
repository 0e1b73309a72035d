//! The ratios as Markdown: what of a run is worth keeping in a page of documentation.

use crate::execute::Record;
use crate::output::Other;
use crate::ratios::{Row, left_out, mean, over};
use crate::read::Machine;
use std::fmt::Write;

fn cell(value: Option<f64>) -> String {
    value.map_or("-".into(), |v| format!("{v:.3}"))
}

/// The tables; `seq` says that what is called native in the rows is Base_Seq.
pub fn text(machine: &Machine, rows: &[Row], seq: bool, official: &[Other]) -> String {
    let mut text = String::new();
    let limits = &machine.limits;
    let _ = writeln!(
        text,
        "{} ({}, {} units), {}. Measured limits: copy {:.0} GB/s, multiply-add {:.0} GFLOP/s \
         (f64).\n",
        machine.device,
        machine.arch,
        machine.units,
        machine.date,
        limits.copy_gb_per_s,
        limits.gflop_per_s
    );
    means(&mut text, rows, seq);
    let missing = left_out(rows, official);
    if !missing.is_empty() {
        let _ = writeln!(text, "\nLeft out: {}.", missing.join(", "));
    }
    let native = if seq { "Base_Seq" } else { "native" };
    let _ = writeln!(
        text,
        "\n| kernel | size | {native} µs | Safe | Unsafe | official best µs | our best | tuning | \
         Safe's best |\n|---|---|---|---|---|---|---|---|---|"
    );
    for row in rows {
        let best = row.best();
        let time = row.official.map(|o| o.us_per_rep);
        let tuning = best.map_or("-".into(), |r| format!("{} {}", r.variant.name(), r.tuning));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {tuning} | {} |",
            row.name,
            row.size,
            cell(row.native),
            cell(over(row.safe, row.native)),
            cell(over(row.unchecked, row.native)),
            cell(time),
            cell(over(best, time)),
            cell(over(row.best_safe, time)),
        );
    }
    text
}

/// Geometric means, and how many kernels are above 1.02.
fn means(text: &mut String, rows: &[Row], seq: bool) {
    let native = match seq {
        true => "Base_Seq, one thread of the host",
        false => "the native kernel, same mapping and block size",
    };
    text.push_str("| ratio | geometric mean | kernels | above 1.02 |\n|---|---|---|---|\n");
    let official = |r: &Row| r.official.map(|o| o.us_per_rep);
    let unchecked = |r: &Row| r.unchecked.and_then(Record::median);
    type Ratio<'a> = &'a dyn Fn(&Row) -> Option<f64>;
    let lines: [(String, Ratio); 6] = [
        (format!("Smelt_Safe over {native}"), &|r| {
            over(r.safe, r.native)
        }),
        (format!("Smelt_Unsafe over {native}"), &|r| {
            over(r.unchecked, r.native)
        }),
        ("Smelt_Safe over Smelt_Unsafe".into(), &|r| {
            over(r.safe, unchecked(r))
        }),
        (format!("best tuning over {native}"), &|r| {
            over(r.best(), r.native)
        }),
        ("best tuning over the suite's best".into(), &|r| {
            over(r.best(), official(r))
        }),
        ("best safe tuning over the suite's best".into(), &|r| {
            over(r.best_safe, official(r))
        }),
    ];
    for (name, ratio) in lines {
        let (mean, count) = mean(rows.iter().map(ratio));
        let above = rows.iter().filter_map(ratio).filter(|r| *r > 1.02).count();
        if count > 0 {
            let _ = writeln!(text, "| {name} | {} | {count} | {above} |", cell(mean));
        }
    }
}
