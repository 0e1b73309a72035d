//! The report: one page of HTML that holds all it needs.
//!
//! Times of kernels and of whole runs with their transfers stand in different tables, since each
//! answers a different question and neither can be read off the other.

use crate::execute::Record;
use crate::limits::Limits;
use crate::output::Other;
use crate::ratios::{Row, left_out, mean, over};
use crate::read::Machine;
use crate::suite::Variant;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

const STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;\
color:#222}table{border-collapse:collapse;margin:1em 0}td,th{padding:.15em .6em;text-align:right;\
border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}th{background:#f4f4f4;\
position:sticky;top:0}.bar{display:inline-block;height:.7em;background:#4a7;vertical-align:middle}\
.slow{background:#c54}.wrong{color:#b00;font-weight:bold}svg{background:#fafafa;border:1px solid #ddd}\
.note{color:#555}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th{background:\
#262626}td,th{border-color:#333}svg{background:#202020;border-color:#333}.note{color:#aaa}}";

/// The whole page; `seq` says that what is called native in the rows is Base_Seq.
pub fn page(
    machine: &Machine,
    records: &[Record],
    rows: &[Row],
    seq: bool,
    official: &[Other],
) -> String {
    let mut page = String::new();
    let limits = &machine.limits;
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>RAJA Performance Suite in \
         Rust</title><style>{STYLE}</style><h1>RAJA Performance Suite in Rust</h1><p>{} ({}, {} \
         units), {}. Measured limits: copy {:.0} GB/s, multiply-add {:.0} GFLOP/s (f64).",
        escape(&machine.device),
        escape(&machine.arch),
        machine.units,
        machine.date,
        limits.copy_gb_per_s,
        limits.gflop_per_s
    );
    same_mapping(&mut page, rows, seq);
    if !official.is_empty() {
        best_tunings(&mut page, rows, official);
    }
    roofline(&mut page, limits, rows);
    rates(&mut page, limits, records);
    end_to_end(&mut page, records);
    page.push_str(
        "<h2>What these numbers do not show</h2><p>Bytes and operations are those that the suite's \
         formulas count, not what the device moved: an array that fits a cache is counted in \
         full, so a kernel may pass the copy rate. Times are host wall clock over all \
         repetitions, launches included, the median of the passes. Kernels with a wrong checksum \
         are not timed.</html>",
    );
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The date of today, in UTC.
pub fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    // Days since the first of March of the year 0, in which leap days come last.
    let days = now.map_or(0, |t| t.as_secs() / 86_400) + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        0..=9 => (era * 400 + year, month + 3),
        _ => (era * 400 + year + 1, month - 9),
    };
    format!("{year}-{month:02}-{day:02}")
}

/// A number in a cell, or that there is none.
fn cell(value: Option<f64>, digits: usize) -> String {
    value.map_or("-".into(), |v| format!("{v:.digits$}"))
}

/// A bar as wide as `ratio` says, 1 being 8 em.
fn bar(ratio: f64) -> String {
    let class = if ratio > 1.02 { "bar slow" } else { "bar" };
    let width = (ratio * 8.0).min(24.0);
    format!("<span class=\"{class}\" style=\"width:{width:.2}em\"></span>")
}

/// The native kernels' mapping and block size, over their times.
fn same_mapping(page: &mut String, rows: &[Row], seq: bool) {
    let against = match seq {
        true => "Base_Seq on one thread of the host",
        false => "the native kernels",
    };
    let _ = write!(
        page,
        "<h2>Time over that of {against}</h2><p>The same mapping of work to threads and the same \
         block size; a bar of full width is 1, longer is slower.<table><tr><th>kernel<th>size<th>\
         tuning<th>µs<th>Safe µs<th>ratio<th><th>Unsafe µs<th>ratio<th>Safe / Unsafe"
    );
    for row in rows {
        let Some(any) = row.safe.or(row.unchecked) else {
            continue;
        };
        let ratio = over(row.safe, row.native);
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td style=\"text-align:left\">{}<td>{}<td>{}\
             <td>{}",
            row.name,
            row.size,
            escape(&any.tuning),
            cell(row.native, 3),
            cell(row.safe.and_then(Record::median), 3),
            cell(ratio, 3),
            ratio.map_or(String::new(), bar),
            cell(row.unchecked.and_then(Record::median), 3),
            cell(over(row.unchecked, row.native), 3),
            cell(over(row.safe, row.unchecked.and_then(Record::median)), 3),
        );
    }
    let safe = mean(rows.iter().map(|r| over(r.safe, r.native)));
    let unchecked = mean(rows.iter().map(|r| over(r.unchecked, r.native)));
    let price = mean(
        rows.iter()
            .map(|r| over(r.safe, r.unchecked.and_then(Record::median))),
    );
    let _ = write!(
        page,
        "<tr><th>geometric mean of {}<th><th><th><th><th>{}<th><th><th>{}<th>{}</table>",
        safe.1,
        cell(safe.0, 3),
        cell(unchecked.0, 3),
        cell(price.0, 3)
    );
}

/// The best of our tunings over the best of the suite's.
fn best_tunings(page: &mut String, rows: &[Row], official: &[Other]) {
    page.push_str(
        "<h2>Best tuning over the suite's best</h2><p>The least time of any mapping and block size \
         over the least of all the suite's own variants and tunings on such a device, of the same \
         size.<table><tr><th>kernel<th>size<th>the suite's best<th>µs<th>our best<th>µs<th>ratio<th>\
         <th>Safe µs<th>ratio",
    );
    for row in rows {
        let (Some(other), Some(ours)) = (row.official, row.best()) else {
            continue;
        };
        let time = Some(other.us_per_rep);
        let ratio = over(Some(ours), time);
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{} {}<td>{:.3}<td>{} {}<td>{}<td>{}<td style=\"text-align:left\">{}\
             <td>{}<td>{}",
            row.name,
            row.size,
            escape(&other.variant),
            escape(&other.tuning),
            other.us_per_rep,
            ours.variant.name(),
            escape(&ours.tuning),
            cell(ours.median(), 3),
            cell(ratio, 3),
            ratio.map_or(String::new(), bar),
            cell(row.best_safe.and_then(Record::median), 3),
            cell(over(row.best_safe, time), 3),
        );
    }
    let time = |r: &Row| r.official.map(|o| o.us_per_rep);
    let best = mean(rows.iter().map(|r| over(r.best(), time(r))));
    let safe = mean(rows.iter().map(|r| over(r.best_safe, time(r))));
    let _ = write!(
        page,
        "<tr><th>geometric mean of {}<th><th><th><th><th><th>{}<th><th><th>{}</table>",
        best.1,
        cell(best.0, 3),
        cell(safe.0, 3)
    );
    let missing = left_out(rows, official);
    if !missing.is_empty() {
        let _ = write!(page, "<p>Left out: {}.", escape(&missing.join(", ")));
    }
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;

/// Where a point lies: both axes logarithmic, x from 2^-6 to 2^10 operations a byte, y from 1 to 10^5
/// GFLOP/s.
fn place(intensity: f64, gflops: f64) -> (f64, f64) {
    let x = (intensity.log2() + 6.0) / 16.0 * WIDTH;
    let y = HEIGHT - gflops.log10() / 5.0 * HEIGHT;
    (x.clamp(0.0, WIDTH), y.clamp(0.0, HEIGHT))
}

/// Achieved operations over what the measured limits allow.
fn roofline(page: &mut String, limits: &Limits, rows: &[Row]) {
    let ridge = limits.gflop_per_s / limits.copy_gb_per_s;
    let left = 2f64.powi(-6);
    let (x0, y0) = place(left, left * limits.copy_gb_per_s);
    let (x1, y1) = place(ridge, limits.gflop_per_s);
    let (x2, y2) = place(1024.0, limits.gflop_per_s);
    let _ = write!(
        page,
        "<h2>Roofline</h2><p>GFLOP/s over operations a byte, both logarithmic; the line is the \
         measured copy and multiply-add rate. Point at a dot for its kernel.<p><svg \
         viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\"><polyline fill=\"none\" \
         stroke=\"#888\" stroke-width=\"2\" points=\"{x0:.1},{y0:.1} {x1:.1},{y1:.1} \
         {x2:.1},{y2:.1}\"/>"
    );
    for row in rows {
        for (record, colour) in [(row.best_unchecked, "#c83"), (row.best_safe, "#2a6")] {
            let Some(r) = record.filter(|r| r.shape.flops > 0 && r.shape.bytes() > 0) else {
                continue;
            };
            let rate = r.gflop_per_s().unwrap_or(0.0).max(1e-9);
            let (x, y) = place(r.shape.flops as f64 / r.shape.bytes() as f64, rate);
            let _ = write!(
                page,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"><title>{} {} {}: \
                 {rate:.1} GFLOP/s</title></circle>",
                row.name,
                row.size,
                r.variant.name()
            );
        }
    }
    page.push_str("</svg>");
}

/// Every run's time and rates.
fn rates(page: &mut String, limits: &Limits, records: &[Record]) {
    page.push_str(
        "<h2>Kernel time</h2><table><tr><th>kernel<th>variant<th>tuning<th>reps<th>µs / rep<th>min\
         <th>max<th>GB/s<th>of copy<th>GFLOP/s",
    );
    for r in records {
        let name = r.kernel.full_name();
        let _ = write!(
            page,
            "<tr><td>{name}<td>{}<td>{}",
            r.variant.name(),
            r.tuning
        );
        let (Some(us), Some(gb), Some(gflop)) = (r.median(), r.gb_per_s(), r.gflop_per_s()) else {
            let wrong = r.wrong.as_deref().unwrap_or("not run");
            let _ = write!(page, "<td class=\"wrong\" colspan=\"7\">{}", escape(wrong));
            continue;
        };
        let (min, max) = (r.minimum().unwrap_or(us), r.maximum().unwrap_or(us));
        let share = 100.0 * gb / limits.copy_gb_per_s;
        let _ = write!(
            page,
            "<td>{}<td>{us:.3}<td>{min:.3}<td>{max:.3}<td>{gb:.1}<td>{share:.0} %<td>{gflop:.1}",
            r.reps
        );
    }
    page.push_str("</table>");
}

/// Runs with the transfers before and after them.
fn end_to_end(page: &mut String, records: &[Record]) {
    page.push_str(
        "<h2>End to end</h2><p>All repetitions of the first pass, with the data moved there before \
         and the results back after.<table><tr><th>kernel<th>variant<th>tuning<th>kernels µs<th>with \
         transfers µs<th>bytes moved",
    );
    for r in records
        .iter()
        .filter(|r| r.variant != Variant::BaseSeq && !r.times.is_empty())
    {
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{:.1}<td>{:.1}<td>{}",
            r.kernel.full_name(),
            r.variant.name(),
            r.tuning,
            r.times[0] * r.reps as f64,
            r.end_to_end,
            r.transfer_bytes
        );
    }
    page.push_str("</table>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_is_a_date() {
        let today = today();
        let parts: Vec<u32> = today.split('-').map(|p| p.parse().unwrap()).collect();
        assert!(parts[0] >= 2024 && (1..=12).contains(&parts[1]) && (1..=31).contains(&parts[2]));
    }

    #[test]
    fn names_from_outside_are_escaped() {
        assert_eq!(escape("<b>&"), "&lt;b&gt;&amp;");
    }
}
