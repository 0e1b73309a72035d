//! The command line: options of the suite under the suite's names, and a few of our own.

use crate::kernels;
use crate::suite::{Feature, Group, Kernel, Params, Variant};

/// Everything a user can ask for.
#[derive(Clone, Debug)]
pub struct Options {
    pub kernels: Vec<String>,
    pub exclude_kernels: Vec<String>,
    pub variants: Vec<String>,
    pub exclude_variants: Vec<String>,
    pub features: Vec<String>,
    pub exclude_features: Vec<String>,
    pub tunings: Vec<String>,
    pub exclude_tunings: Vec<String>,
    pub block_sizes: Vec<usize>,
    pub size: Option<usize>,
    pub size_factor: f64,
    pub rep_factor: f64,
    /// Repetitions of every kernel, whatever its default.
    pub reps: Option<usize>,
    pub passes: usize,
    /// Seconds after which no further pass begins.
    pub seconds: f64,
    pub out_dir: String,
    pub out_file: String,
    pub reference: Option<String>,
    pub dry_run: bool,
    pub verify_only: bool,
    pub prove_checks: bool,
    pub progress: bool,
    pub device: Option<String>,
    /// Tables of other programs (native kernels, the suite's own) to compare with.
    pub compare: Vec<String>,
    /// A table of the suite's own times on this device.
    pub official: Option<String>,
    /// Tables of earlier runs of this program, to report on instead of running anything.
    pub read: Vec<String>,
    pub report: Option<String>,
    pub summary: Option<String>,
    pub params: Params,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            kernels: vec![],
            exclude_kernels: vec![],
            variants: vec![],
            exclude_variants: vec![],
            features: vec![],
            exclude_features: vec![],
            tunings: vec![],
            exclude_tunings: vec![],
            block_sizes: vec![],
            size: None,
            size_factor: 1.0,
            rep_factor: 1.0,
            reps: None,
            passes: 1,
            seconds: f64::INFINITY,
            out_dir: ".".into(),
            out_file: "RAJAPerf".into(),
            reference: None,
            dry_run: false,
            verify_only: false,
            prove_checks: false,
            progress: false,
            device: None,
            compare: vec![],
            official: None,
            read: vec![],
            report: None,
            summary: None,
            params: Params::default(),
        }
    }
}

/// What a command line asks for.
pub enum Request {
    Run(Box<Options>),
    /// A text to print, and nothing else.
    Text(String),
}

pub const HELP: &str = "\
rajaperf: the RAJA Performance Suite's kernels in Rust, on every device

usage: rajaperf [options]          lists are separated by spaces

about the suite
  -h, --help                       this text
  -pk, --print-kernels             names of the kernels
  -pv, --print-variants            names of the variants
  -pf, --print-features            names of the features
  -pkf, --print-kernel-features    features of each kernel
  -pfk, --print-feature-kernels    kernels of each feature

what to run
  -k, --kernels LIST               kernels and groups (DAXPY, Basic_DAXPY, Stream); default all
  -ek, --exclude-kernels LIST
  -v, --variants LIST              Base_Seq, Smelt_Safe, Smelt_Unsafe; default all
  -ev, --exclude-variants LIST
  -f, --features LIST              kernels with one of these
  -ef, --exclude-features LIST
  -t, --tunings LIST               as block_256; default all
  -et, --exclude-tunings LIST
  --gpu_block_size LIST            threads in a block; default the kernel's own
  --device WHICH                   cpu, nvidia, amd, or an index; default the best

how much
  --size N                         problem size of every kernel
  --sizefact X                     times the default size
  --repfact X                      times the default repetitions
  --reps N                         repetitions of every kernel
  --npasses N                      passes; times are given as their median, minimum and maximum
  --seconds X                      begin no further pass after so long
  --checkrun [N]                   N repetitions (1) of each kernel
  --verify-only                    compare checksums, time nothing
  --prove-checks                   run the safe kernels on arrays that are too short: each must fail
  --dryrun                         print what would run

sizes of single kernels
  --array_of_ptrs_array_size N  --multi_reduce_num_bins N  --atomic_replication N
  --ltimes_num_d N  --ltimes_num_g N  --ltimes_num_m N  --halo_width N  --halo_num_vars N

output
  -sp, --show-progress             a line for each run, where stderr is no terminal
  -od, --outdir DIR                where files go; default the current folder
  -of, --outfile PREFIX            how their names begin; default RAJAPerf
  -rv, --refvar VARIANT            writes speedups over it too
  --compare FILE                   runs of another program (RAJAPerf-runs.csv's layout), for ratios
  --official FILE                  the suite's own times on such a device, for ratios of the best tunings
  --report [FILE]                  a page of HTML; default PREFIX-report.html in DIR
  --summary [FILE]                 its ratios as Markdown; default PREFIX-summary.md in DIR
  --read FILE                      reports on earlier runs (-runs.csv) and runs nothing; the device
                                   is that of the -device.csv beside the first
";

/// Reads the arguments that follow the program's name.
///
/// # Errors
/// A text for the user: an option that does not exist, a value that is missing or no
/// number, a name that nothing has.
pub fn parse(args: impl Iterator<Item = String>) -> Result<Request, String> {
    let mut options = Options::default();
    let mut args = Args {
        rest: args.collect(),
        at: 0,
    };
    while let Some(option) = args.next() {
        if let Some(text) = information(&option) {
            return Ok(Request::Text(text));
        }
        set(&mut options, &option, &mut args)?;
    }
    check_names(&options)?;
    Ok(Request::Run(Box::new(options)))
}

fn set(options: &mut Options, option: &str, args: &mut Args) -> Result<(), String> {
    let params = &mut options.params;
    match option {
        "-k" | "--kernels" => options.kernels = args.list(option)?,
        "-ek" | "--exclude-kernels" => options.exclude_kernels = args.list(option)?,
        "-v" | "--variants" => options.variants = args.list(option)?,
        "-ev" | "--exclude-variants" => options.exclude_variants = args.list(option)?,
        "-f" | "--features" => options.features = args.list(option)?,
        "-ef" | "--exclude-features" => options.exclude_features = args.list(option)?,
        "-t" | "--tunings" => options.tunings = args.list(option)?,
        "-et" | "--exclude-tunings" => options.exclude_tunings = args.list(option)?,
        "--gpu_block_size" => options.block_sizes = args.sizes(option)?,
        "--size" => options.size = Some(args.count(option)?),
        "--sizefact" => options.size_factor = args.factor(option)?,
        "--repfact" => options.rep_factor = args.factor(option)?,
        "--reps" => options.reps = Some(args.count(option)?),
        "--npasses" => options.passes = args.count(option)?,
        "--seconds" => options.seconds = args.factor(option)?,
        "--checkrun" => options.reps = Some(args.optional_count()?.unwrap_or(1)),
        "--verify-only" => options.verify_only = true,
        "--prove-checks" => options.prove_checks = true,
        "--dryrun" => options.dry_run = true,
        "--show-progress" | "-sp" => options.progress = true,
        "--outdir" | "-od" => options.out_dir = args.value(option)?,
        "--outfile" | "-of" => options.out_file = args.value(option)?,
        "--refvar" | "-rv" => options.reference = Some(args.value(option)?),
        "--device" => options.device = Some(args.value(option)?),
        "--compare" => options.compare.extend(args.list(option)?),
        "--official" => options.official = Some(args.value(option)?),
        "--read" => options.read.extend(args.list(option)?),
        "--summary" => options.summary = Some(args.optional().unwrap_or_default()),
        "--report" => options.report = Some(args.optional().unwrap_or_default()),
        "--array_of_ptrs_array_size" => params.array_of_ptrs_array_size = args.count(option)?,
        "--multi_reduce_num_bins" => params.multi_reduce_num_bins = args.count(option)?,
        "--atomic_replication" => params.atomic_replication = args.count(option)?,
        "--ltimes_num_d" => params.ltimes_num_d = args.count(option)?,
        "--ltimes_num_g" => params.ltimes_num_g = args.count(option)?,
        "--ltimes_num_m" => params.ltimes_num_m = args.count(option)?,
        "--halo_width" => params.halo_width = args.count(option)?,
        "--halo_num_vars" => params.halo_num_vars = args.count(option)?,
        _ => return Err(format!("unknown option {option} (--help lists them)")),
    }
    Ok(())
}

/// The answer to options that only ask.
fn information(option: &str) -> Option<String> {
    let mut lines = vec![];
    match option {
        "-h" | "--help" => return Some(HELP.into()),
        "-pk" | "--print-kernels" => lines.extend(kernels::all().map(Kernel::full_name)),
        "-pv" | "--print-variants" => lines.extend(Variant::ALL.map(|v| v.name().to_string())),
        "-pf" | "--print-features" => lines.extend(Feature::ALL.map(Feature::name)),
        "-pkf" | "--print-kernel-features" => {
            for kernel in kernels::all() {
                let features: Vec<_> = kernel.features.iter().map(|f| f.name()).collect();
                lines.push(format!("{:28} {}", kernel.full_name(), features.join(" ")));
            }
        }
        "-pfk" | "--print-feature-kernels" => {
            for feature in Feature::ALL {
                lines.push(feature.name());
                let has = kernels::all().filter(|k| k.features.contains(&feature));
                lines.extend(has.map(|k| format!("    {}", k.full_name())));
            }
        }
        _ => return None,
    }
    Some(lines.join("\n") + "\n")
}

/// The arguments not yet read.
struct Args {
    rest: Vec<String>,
    at: usize,
}

impl Args {
    fn next(&mut self) -> Option<String> {
        self.at += 1;
        self.rest.get(self.at - 1).cloned()
    }

    /// The next, unless it is an option.
    fn optional(&mut self) -> Option<String> {
        let next = self.rest.get(self.at).filter(|a| !a.starts_with('-'))?;
        self.at += 1;
        Some(next.clone())
    }

    fn value(&mut self, option: &str) -> Result<String, String> {
        self.optional().ok_or(format!("{option} needs a value"))
    }

    fn list(&mut self, option: &str) -> Result<Vec<String>, String> {
        let mut list = vec![self.value(option)?];
        while let Some(more) = self.optional() {
            list.push(more);
        }
        let split = list.iter().flat_map(|l| l.split(','));
        Ok(split.filter(|s| !s.is_empty()).map(String::from).collect())
    }

    fn count(&mut self, option: &str) -> Result<usize, String> {
        count(option, &self.value(option)?)
    }

    fn optional_count(&mut self) -> Result<Option<usize>, String> {
        self.optional().map(|n| count("--checkrun", &n)).transpose()
    }

    fn sizes(&mut self, option: &str) -> Result<Vec<usize>, String> {
        let sizes: Result<Vec<_>, _> = self
            .list(option)?
            .iter()
            .map(|n| count(option, n))
            .collect();
        match sizes?.as_slice() {
            sizes if sizes.iter().all(|n| *n <= 1024) => Ok(sizes.into()),
            _ => Err(format!("{option}: a block has at most 1024 threads")),
        }
    }

    fn factor(&mut self, option: &str) -> Result<f64, String> {
        let text = self.value(option)?;
        match text.parse::<f64>() {
            Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
            _ => Err(format!("{option}: `{text}` is no positive number")),
        }
    }
}

fn count(option: &str, text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if n > 0 && n <= 1 << 40 => Ok(n),
        _ => Err(format!("{option}: `{text}` is no number from 1 to 2^40")),
    }
}

/// Whether `name` is that of the kernel or its group, with or without the group before it.
fn names_kernel(kernel: &Kernel, name: &str) -> bool {
    [kernel.name.into(), kernel.full_name(), kernel.group.name()]
        .iter()
        .any(|n| n.eq_ignore_ascii_case(name))
}

/// A name that nothing has would choose nothing, and look like success.
fn check_names(options: &Options) -> Result<(), String> {
    for name in options.kernels.iter().chain(&options.exclude_kernels) {
        let group = Group::ALL
            .iter()
            .any(|g| g.name().eq_ignore_ascii_case(name));
        if !group && !kernels::all().any(|k| names_kernel(k, name)) {
            return Err(format!(
                "no kernel or group is called {name} (--print-kernels)"
            ));
        }
    }
    let variants = options.variants.iter().chain(&options.exclude_variants);
    for name in variants.chain(&options.reference) {
        if !Variant::ALL.iter().any(|v| v.name() == name) {
            return Err(format!("no variant is called {name} (--print-variants)"));
        }
    }
    for name in options.features.iter().chain(&options.exclude_features) {
        if !Feature::ALL.iter().any(|f| f.name() == *name) {
            return Err(format!("no feature is called {name} (--print-features)"));
        }
    }
    Ok(())
}

impl Options {
    /// The kernels chosen, in the suite's order.
    pub fn chosen_kernels(&self) -> Vec<&'static Kernel> {
        let has = |kernel: &Kernel, features: &[String]| {
            features
                .iter()
                .any(|n| kernel.features.iter().any(|f| f.name() == *n))
        };
        kernels::all()
            .filter(|k| self.kernels.is_empty() || self.kernels.iter().any(|n| names_kernel(k, n)))
            .filter(|k| !self.exclude_kernels.iter().any(|n| names_kernel(k, n)))
            .filter(|k| self.features.is_empty() || has(k, &self.features))
            .filter(|k| !has(k, &self.exclude_features))
            .collect()
    }

    /// The variants chosen, the reference first.
    pub fn chosen_variants(&self) -> Vec<Variant> {
        let named = |names: &[String], v: &Variant| names.iter().any(|n| n == v.name());
        Variant::ALL
            .into_iter()
            .filter(|v| self.variants.is_empty() || named(&self.variants, v))
            .filter(|v| !named(&self.exclude_variants, v))
            .collect()
    }

    /// The tunings chosen of a kernel's Smelt variants, with their block sizes.
    pub fn chosen_tunings(&self, kernel: &Kernel) -> Vec<(&'static str, usize, String)> {
        let mut chosen = vec![];
        for tuning in kernel.tunings {
            let asked = kernel.any_block && tuning.sized && !self.block_sizes.is_empty();
            let blocks = if asked {
                &self.block_sizes[..]
            } else {
                &[kernel.block]
            };
            for &block in blocks {
                let name = tuning.name_with(block);
                let wanted = self.tunings.is_empty() || self.tunings.contains(&name);
                if wanted && !self.exclude_tunings.contains(&name) {
                    chosen.push((tuning.name, block, name));
                }
            }
        }
        chosen
    }

    /// The problem size asked for.
    pub fn target_size(&self, kernel: &Kernel) -> usize {
        self.size
            .unwrap_or((kernel.size as f64 * self.size_factor) as usize)
            .max(1)
    }

    /// Repetitions of one timing.
    pub fn target_reps(&self, kernel: &Kernel) -> usize {
        self.reps
            .unwrap_or((kernel.reps as f64 * self.rep_factor) as usize)
            .max(1)
    }
}
