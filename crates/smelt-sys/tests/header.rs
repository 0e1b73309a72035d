//! Compares the declarations of this crate with `smelt.h`: a C program that includes the header
//! prints sizes, offsets and values, and each must be the same here.

use smelt_sys::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What C says (an expression) and what Rust says.
struct Fact {
    expression: String,
    here: i64,
}

macro_rules! structs {
    ($facts:ident: $($name:ident { $($field:ident),* })*) => {$(
        $facts.push(Fact {
            expression: concat!("sizeof(struct ", stringify!($name), ")").into(),
            here: size_of::<$name>() as i64,
        });
        $facts.push(Fact {
            expression: concat!("_Alignof(struct ", stringify!($name), ")").into(),
            here: align_of::<$name>() as i64,
        });
        $(
            $facts.push(Fact {
                expression: concat!(
                    "offsetof(struct ", stringify!($name), ", ", stringify!($field), ")"
                ).into(),
                here: offset_of!($name, $field) as i64,
            });
            $facts.push(Fact {
                expression: concat!(
                    "sizeof(((struct ", stringify!($name), " *)0)->", stringify!($field), ")"
                ).into(),
                here: field_size(|it: &$name| &raw const it.$field) as i64,
            });
        )*
        // All fields are named here: the pattern is exhaustive.
        let _ = |it: $name| { let $name { $($field: _),* } = it; };
    )*};
}

macro_rules! values {
    ($facts:ident: $($name:ident)*) => {$(
        $facts.push(Fact { expression: stringify!($name).into(), here: $name as i64 });
    )*};
}

fn field_size<S, T>(_: impl Fn(&S) -> *const T) -> usize {
    size_of::<T>()
}

fn facts() -> Vec<Fact> {
    let mut facts = Vec::new();
    structs! { facts:
        smelt_device_info {
            size, kind, units, warp_size, max_block_threads, max_block_dim, memory_bytes,
            shared_bytes, name, arch, engine, driver
        }
        smelt_panic {
            size, threads, line, column, block, thread, kernel, file, message, fault, other_line,
            other_column, other_block, other_thread, reserved, address, other_file
        }
        smelt_launch {
            size, grid_kind, kernel, grid, block, shared_bytes, params, params_size,
            params_align, host_entry, uses, use_count
        }
        smelt_counters {
            size, reserved, launches, copies_to, bytes_to, copies_from, bytes_from, copies_on,
            bytes_on, waits
        }
        smelt_use { buffer, writes }
        smelt_profile_entry {
            size, kind, line, device, count, nanoseconds, bytes, needless_bytes, name, file
        }
        smelt_kernel_info {
            size, flags, max_threads, registers, spill_bytes, stack_bytes, shared_bytes,
            suggested_block, name, file, line
        }
    }
    values! { facts:
        SMELT_VERSION_MAJOR SMELT_VERSION_MINOR SMELT_OK SMELT_EINVALID SMELT_ENO_DEVICE
        SMELT_ENO_MEMORY SMELT_ENO_DEVICE_MEMORY SMELT_ENO_KERNEL SMELT_ENO_IMAGE
        SMELT_EBAD_IMAGE SMELT_ELAUNCH SMELT_EPANIC SMELT_EDEVICE_LOST SMELT_EUNSUPPORTED
        SMELT_EENGINE SMELT_EVERSION SMELT_ECHECK SMELT_FAULT_NONE SMELT_FAULT_RACE
        SMELT_FAULT_UNINITIALISED SMELT_FAULT_BARRIER SMELT_DEVICE_CPU SMELT_DEVICE_NVIDIA SMELT_DEVICE_AMD
        SMELT_DEVICE_NULL SMELT_MAP_TO SMELT_MAP_FROM SMELT_MAP_TOFROM SMELT_MAP_ALLOC
        SMELT_PROFILE_KERNEL SMELT_PROFILE_TO SMELT_PROFILE_FROM SMELT_PROFILE_ON
        SMELT_PROFILE_WAIT
    }
    facts
}

/// The header in the source tree or in an installed one.
fn include_dir() -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["../../include", "../../../../include"]
        .iter()
        .map(|place| package.join(place))
        .find(|dir| dir.join("smelt/smelt.h").is_file())
}

/// Compiles `source` as C with the header's folder, to `output`.
fn compile(source: &str, output: &Path, extra: &[&str]) {
    let include = include_dir().expect("smelt.h beside the crates");
    let mut child = Command::new("cc")
        .args(["-std=c17", "-Wall", "-Werror", "-Wno-array-parameter"])
        .args(["-x", "c", "-", "-o"])
        .arg(output)
        .arg("-I")
        .arg(include)
        .args(extra)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a C compiler called cc");
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), source.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "cc refused:\n{source}");
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn layouts_and_values_are_those_of_the_header() {
    let facts = facts();
    let mut source = String::from(
        "#include <stddef.h>\n#include <stdio.h>\n#include \"smelt/smelt.h\"\nint main(void) {\n",
    );
    for (i, fact) in facts.iter().enumerate() {
        writeln!(
            source,
            "printf(\"{i} %lld\\n\", (long long)({}));",
            fact.expression
        )
        .unwrap();
    }
    source.push_str("return 0; }\n");
    let program = scratch("header");
    compile(&source, &program, &[]);
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let there: BTreeMap<usize, i64> = text
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(i, value)| (i.parse().unwrap(), value.parse().unwrap()))
        .collect();
    assert_eq!(there.len(), facts.len());
    for (i, fact) in facts.iter().enumerate() {
        assert_eq!(there[&i], fact.here, "{}", fact.expression);
    }
}

/// A function that was added to the header shows here; each begins a line there.
#[test]
fn no_function_of_the_header_is_missing() {
    let header = std::fs::read_to_string(include_dir().unwrap().join("smelt/smelt.h")).unwrap();
    let rust = include_str!("../src/lib.rs");
    let mut count = 0;
    for line in header.lines().filter(|line| line.starts_with("smelt_")) {
        let Some((name, _)) = line.split_once('(') else {
            continue;
        };
        assert!(
            rust.contains(&format!("fn {name}(")),
            "{name} is not in this crate"
        );
        count += 1;
    }
    assert!(count > 25, "{count} functions found in the header");
}

/// Every enumerator of the header is one of the values above: one that was added
/// there shows here.
#[test]
fn no_value_of_the_header_is_missing() {
    let header = std::fs::read_to_string(include_dir().unwrap().join("smelt/smelt.h")).unwrap();
    let known: Vec<String> = facts().into_iter().map(|fact| fact.expression).collect();
    for line in header.lines() {
        let line = line.trim();
        if let Some(error) = line.strip_prefix("XX(").filter(|_| !line.contains("name")) {
            let name = format!("SMELT_E{}", error.split(',').next().unwrap());
            assert!(known.contains(&name), "{name} is not in this crate");
        }
        let is_value = ["SMELT_DEVICE_", "SMELT_MAP_", "SMELT_PROFILE_"]
            .iter()
            .any(|prefix| line.starts_with(prefix) && line.contains(" = "));
        if is_value {
            let name = line.split(' ').next().unwrap();
            assert!(
                known.iter().any(|k| k == name),
                "{name} is not in this crate"
            );
        }
    }
}

/// The functions: written as C once more by this test from the Rust declarations, which the C
/// compiler compares with the header's.
#[test]
fn functions_are_those_of_the_header() {
    let rust = include_str!("../src/lib.rs");
    let block = rust.split("unsafe extern \"C\" {").nth(1).unwrap();
    let mut source = String::from("#include \"smelt/smelt.h\"\n");
    let mut count = 0;
    for function in block.split(';').filter(|text| text.contains("fn ")) {
        let text = function.split("fn ").nth(1).unwrap();
        let (name, rest) = text.split_once('(').unwrap();
        let (parameters, result) = rest.rsplit_once(')').unwrap();
        let parameters: Vec<String> = parameters
            .split(',')
            .filter_map(|parameter| parameter.split_once(':'))
            .map(|(_, ty)| c_type(ty))
            .collect();
        let parameters = if parameters.is_empty() {
            "void".to_owned()
        } else {
            parameters.join(", ")
        };
        let result = match result.split_once("->") {
            Some((_, ty)) => c_type(ty),
            None => "void".to_owned(),
        };
        writeln!(source, "{result} {name}({parameters});").unwrap();
        count += 1;
    }
    assert!(count > 25, "{count} functions found in the source");
    compile(&source, &scratch("functions.o"), &["-c"]);
}

fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(inner) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(inner));
    }
    if let Some(inner) = rust.strip_prefix("*const ") {
        return format!("{} const *", c_type(inner));
    }
    if rust.starts_with("Option<unsafe extern \"C\" fn(data: *mut c_void)>") {
        return "void (*)(void *)".into();
    }
    if rust == "smelt_print_fn" {
        return "smelt_print_fn".into();
    }
    match rust {
        "c_int" => "int".into(),
        "c_char" => "char".into(),
        "c_void" => "void".into(),
        "u32" => "uint32_t".into(),
        "u64" => "uint64_t".into(),
        "i64" => "int64_t".into(),
        "usize" => "size_t".into(),
        name => format!("struct {name}"),
    }
}
