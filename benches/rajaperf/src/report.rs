//! The report: one page of HTML that holds all it needs.
//!
//! Times of kernels and of whole runs with their transfers stand in different tables, since each
//! answers a different question and neither can be read off the other.

use crate::execute::Record;
use crate::limits::Limits;
use crate::output::{Other, best, kernels};
use crate::suite::Variant;
use smelt::DeviceInfo;
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

const STYLE: &str = "body{font:14px/1.45 system-ui,sans-serif;margin:2em auto;max-width:70em;\
color:#222}table{border-collapse:collapse;margin:1em 0}td,th{padding:.15em .6em;text-align:right;\
border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}th{background:#f4f4f4;\
position:sticky;top:0}.bar{display:inline-block;height:.7em;background:#4a7;vertical-align:middle}\
.slow{background:#c54}.wrong{color:#b00;font-weight:bold}svg{background:#fafafa;border:1px solid #ddd}\
.note{color:#555}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}th{background:\
#262626}td,th{border-color:#333}svg{background:#202020;border-color:#333}.note{color:#aaa}}";

/// The whole page.
pub fn page(info: &DeviceInfo, limits: &Limits, records: &[Record], others: &[Other]) -> String {
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>RAJA Performance Suite in \
         Rust</title><style>{STYLE}</style><h1>RAJA Performance Suite in Rust</h1><p>{} ({}, {} \
         units), {}. Measured limits: copy {:.0} GB/s, multiply-add {:.0} GFLOP/s (f64).",
        escape(&info.name),
        escape(&info.arch),
        info.units,
        today(),
        limits.copy_gb_per_s,
        limits.gflop_per_s
    );
    ratios(&mut page, records, others);
    roofline(&mut page, limits, records);
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
fn today() -> String {
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

/// The record of a kernel and variant with the least time.
fn fastest<'a>(records: &'a [Record], name: &str, variant: Variant) -> Option<&'a Record> {
    records
        .iter()
        .filter(|r| r.kernel.full_name() == name && r.variant == variant && r.median().is_some())
        .min_by(|a, b| a.median().unwrap().total_cmp(&b.median().unwrap()))
}

fn mean(ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return "-".into();
    }
    let sum: f64 = ratios.iter().map(|r| r.ln()).sum();
    format!("{:.3}", (sum / ratios.len() as f64).exp())
}

/// A bar as wide as `ratio` says, 1 being 8 em.
fn bar(ratio: f64) -> String {
    let class = if ratio > 1.02 { "bar slow" } else { "bar" };
    let width = (ratio * 8.0).min(24.0);
    format!("<span class=\"{class}\" style=\"width:{width:.2}em\"></span>")
}

/// Time over that of the comparison: same mapping, and best of each.
fn ratios(page: &mut String, records: &[Record], others: &[Other]) {
    let against = if others.is_empty() {
        "Base_Seq on one thread of the host"
    } else {
        "the programs compared with"
    };
    let _ = write!(
        page,
        "<h2>Time over that of {against}</h2><p>The best tuning of each; a bar of full width is 1, \
         longer is slower.<table><tr><th>kernel<th>size<th>compared with<th>µs<th>Safe µs<th>ratio\
         <th><th>Unsafe µs<th>ratio<th>Safe / Unsafe"
    );
    let (mut safes, mut unsafes, mut prices) = (vec![], vec![], vec![]);
    for kernel in kernels(records) {
        let name = kernel.full_name();
        let safe = fastest(records, &name, Variant::SmeltSafe);
        let unchecked = fastest(records, &name, Variant::SmeltUnsafe);
        let Some(any) = safe.or(unchecked) else {
            continue;
        };
        let reference = match best(others, any, |_| true) {
            Some(other) => Some((
                format!("{} {}", other.variant, other.tuning),
                other.us_per_rep,
            )),
            None if others.is_empty() => fastest(records, &name, Variant::BaseSeq)
                .map(|r| ("Base_Seq".to_string(), r.median().unwrap())),
            None => None,
        };
        let size = any.shape.size;
        let (label, time) = reference.unwrap_or(("none".into(), f64::NAN));
        let _ = write!(
            page,
            "<tr><td>{name}<td>{size}<td>{}<td>{time:.3}",
            escape(&label)
        );
        for (record, list, with_bar) in [(safe, &mut safes, true), (unchecked, &mut unsafes, false)]
        {
            let us = record.and_then(Record::median).unwrap_or(f64::NAN);
            let ratio = us / time;
            let _ = write!(page, "<td>{us:.3}<td>{ratio:.2}");
            if with_bar {
                let _ = write!(page, "<td style=\"text-align:left\">{}", bar(ratio));
            }
            if ratio.is_finite() {
                list.push(ratio);
            }
        }
        let price = safe.and_then(Record::median).unwrap_or(f64::NAN)
            / unchecked.and_then(Record::median).unwrap_or(f64::NAN);
        let _ = write!(page, "<td>{price:.2}");
        if price.is_finite() {
            prices.push(price);
        }
    }
    let _ = write!(
        page,
        "<tr><th>geometric mean<th><th><th><th><th>{}<th><th><th>{}<th>{}</table>",
        mean(&safes),
        mean(&unsafes),
        mean(&prices)
    );
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
fn roofline(page: &mut String, limits: &Limits, records: &[Record]) {
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
    for kernel in kernels(records) {
        let name = kernel.full_name();
        for (variant, colour) in [(Variant::SmeltUnsafe, "#c83"), (Variant::SmeltSafe, "#2a6")] {
            let Some(r) = fastest(records, &name, variant) else {
                continue;
            };
            if r.shape.flops == 0 || r.shape.bytes() == 0 {
                continue;
            }
            let rate = r.gflop_per_s().unwrap_or(0.0).max(1e-9);
            let (x, y) = place(r.shape.flops as f64 / r.shape.bytes() as f64, rate);
            let _ = write!(
                page,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{colour}\"><title>{name} {}: \
                 {rate:.1} GFLOP/s</title></circle>",
                variant.name()
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
