//! Earlier runs of this program, read back from their tables, so that runs of many processes, or of
//! another machine, can be reported on as one.

use crate::data::Checksum;
use crate::execute::Record;
use crate::kernels;
use crate::limits::Limits;
use crate::suite::{Shape, Variant};
use smelt::DeviceInfo;

/// The device that something ran on, and when.
pub struct Machine {
    pub device: String,
    pub arch: String,
    pub units: u32,
    pub date: String,
    pub limits: Limits,
}

const COLUMNS: &str = "device,arch,units,date,copy_gb_per_s,gflop_per_s";

impl Machine {
    /// That of a run that ends now.
    pub fn now(info: &DeviceInfo, limits: Limits) -> Self {
        Self {
            device: info.name.replace(',', " "),
            arch: info.arch.replace(',', " "),
            units: info.units,
            date: crate::report::today(),
            limits,
        }
    }

    /// As a table of one line.
    pub fn table(&self) -> String {
        let l = &self.limits;
        format!(
            "{COLUMNS}\n{},{},{},{},{:.1},{:.1}\n",
            self.device, self.arch, self.units, self.date, l.copy_gb_per_s, l.gflop_per_s
        )
    }

    /// What [`table`](Self::table) gave.
    ///
    /// # Errors
    /// A file that cannot be read, or is no such table.
    pub fn read(file: &str) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        let parse = || {
            let line = text.strip_prefix(COLUMNS)?.trim();
            let cells: Vec<_> = line.split(',').collect();
            let [device, arch, units, date, copy, gflop] = cells[..] else {
                return None;
            };
            Some(Self {
                device: device.into(),
                arch: arch.into(),
                units: units.parse().ok()?,
                date: date.into(),
                limits: Limits {
                    copy_gb_per_s: copy.parse().ok()?,
                    gflop_per_s: gflop.parse().ok()?,
                },
            })
        };
        parse().ok_or_else(|| format!("{file}: not a table of a device"))
    }
}

/// The runs of tables that this program wrote, kernel by kernel.
///
/// # Errors
/// A file that cannot be read, a kernel or variant that there is none of, a cell that is no number.
pub fn records(files: &[String]) -> Result<Vec<Record>, String> {
    let mut records = vec![];
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        let mut lines = text.lines();
        let header = lines.next().unwrap_or_default();
        if header != crate::output::runs_header() {
            return Err(format!("{file}: its first line is not that of -runs.csv"));
        }
        for (number, line) in lines.enumerate() {
            let record = record(line)
                .ok_or_else(|| format!("{file}:{}: not a line of the table", number + 2))?;
            records.push(record);
        }
    }
    let place = |r: &Record| kernels::all().position(|k| k.full_name() == r.kernel.full_name());
    records.sort_by_key(|r| (place(r), r.shape.size));
    Ok(records)
}

fn record(line: &str) -> Option<Record> {
    let cells: Vec<_> = line.split(',').collect();
    let [
        name,
        size,
        reps,
        launches,
        bytes,
        flops,
        variant,
        tuning,
        median,
        _,
        _,
        checksum,
        min,
        max,
        end_to_end,
        moved,
        verified,
    ] = cells[..]
    else {
        return None;
    };
    let kernel = kernels::all().find(|k| k.full_name() == name)?;
    let shape = Shape {
        kernels: launches.parse().ok()?,
        bytes_read: bytes.parse().ok()?,
        flops: flops.parse().ok()?,
        ..Shape::of(size.parse().ok()?)
    };
    let variant = Variant::ALL.into_iter().find(|v| v.name() == variant)?;
    let mut record = Record::new(kernel, variant, tuning.into(), shape, reps.parse().ok()?);
    // The median of these three is the median of all.
    let times = [min, median, max].into_iter().filter(|t| !t.is_empty());
    record.times = times.map(str::parse).collect::<Result<_, _>>().ok()?;
    record.end_to_end = end_to_end.parse().ok()?;
    record.transfer_bytes = moved.parse().ok()?;
    record.checksum = Checksum::of_number(checksum.parse().ok()?);
    record.wrong = match verified {
        "yes" => None,
        "no" => Some("was wrong when it was run".into()),
        _ => return None,
    };
    Some(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str =
        "Stream_ADD,10,2,1,240,10,Smelt_Safe,block_256,1.5,160,6.7,3.25,1.25,2,99.0,240,yes";

    #[test]
    fn a_line_gives_its_run_back() {
        let r = record(LINE).unwrap();
        assert_eq!((r.kernel.name, r.shape.size, r.reps), ("ADD", 10, 2));
        assert_eq!(
            (r.median(), r.minimum(), r.maximum()),
            (Some(1.5), Some(1.25), Some(2.0))
        );
        assert!(r.wrong.is_none());
        assert!(record(&LINE.replace("yes", "no")).unwrap().wrong.is_some());
        let untimed = LINE.replace("1.5,160,6.7", ",,").replace("1.25,2,", ",,");
        assert_eq!(record(&untimed).unwrap().median(), None);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for wrong in [
            LINE.replace("Stream_ADD", "Stream_NONE"),
            LINE.replace("Smelt_Safe", "Safe"),
            LINE.replace("1.25", "fast"),
            LINE.replace(",yes", ""),
            LINE.replace("yes", "maybe"),
        ] {
            assert!(record(&wrong).is_none(), "{wrong}");
        }
    }
}
