//! Barriers and warp operations stay one in rustc's hands, also where its JumpThreading pass is
//! on (`device/abi.rs` says how): code that was made without `cargo smelt` may be inlined into
//! a kernel.
//!
//! The crates are compiled here as pass 1 does it, without the flag that takes that pass out,
//! and the calls in each kernel of the emitted IR are counted. A primitive called
//! plainly, outside of a loop, is the control: where that stays one too, the pass did nothing,
//! and this test would show nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Each has the shape that JumpThreading changes: two `if`s on one condition, and the primitive
/// between them.
const KERNELS: &str = r#"
use smelt::prelude::*;

unsafe extern "C" {
    safe fn plain_primitive();
}

macro_rules! kernel {
    ($name:ident, $between:expr) => {
        #[unsafe(no_mangle)]
        pub fn $name(n: u32, x: &[u32], y: &mut [u32]) {
            let t = thread::thread_index().x;
            let mut value = None;
            if t < n {
                value = Some(x[t as usize]);
            }
            let other = $between;
            if let Some(value) = value {
                y[t as usize] = value + other as u32;
            }
        }
    };
}
kernel!(plain, { plain_primitive(); 0 });
kernel!(barrier, { sync::barrier(); 0 });
kernel!(shuffle, warp::shuffle(5u32, 1));
kernel!(shuffle_up, warp::shuffle_up(5i32, 1));
kernel!(shuffle_down, warp::shuffle_down(5.0f32, 1));
kernel!(shuffle_xor, warp::shuffle_xor(5u32, 1));
kernel!(shuffle_wide, warp::shuffle_xor(5.0f64, 1));
kernel!(ballot, warp::ballot(true));
kernel!(any, warp::any(true));
kernel!(all, warp::all(true));
"#;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rustc(out: &Path, arguments: &[&str]) {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "-C", "opt-level=3", "-A", "warnings"])
        .arg("-L")
        .arg(out)
        .arg("-L")
        .arg(crates().join("../build/lib")) // libsmelt.a
        .args(arguments)
        .status()
        .expect("rustc runs");
    assert!(status.success(), "rustc {arguments:?}");
}

fn emit_ir(out: &Path) -> String {
    let source = |name: &str| crates().join(name).join("src/lib.rs");
    let path = |name: &str| out.join(name).to_str().unwrap().to_owned();
    let extern_of = |name: &str, file: &str| format!("{name}={}", path(file));
    let out_dir = out.to_str().unwrap();
    for (name, folder, more) in [
        ("smelt_sys", "smelt-sys", vec!["--crate-type", "rlib"]),
        (
            "smelt_derive",
            "smelt-derive",
            vec![
                "--crate-type",
                "proc-macro",
                "--extern",
                "proc_macro",
                "-C",
                "prefer-dynamic",
            ],
        ),
        (
            "smelt",
            "smelt",
            vec![
                "--crate-type",
                "rlib",
                "--extern",
                &extern_of("smelt_sys", "libsmelt_sys.rlib"),
                "--extern",
                &extern_of("smelt_derive", "libsmelt_derive.so"),
            ],
        ),
    ] {
        let source = source(folder);
        let mut arguments = vec!["--crate-name", name, "--out-dir", out_dir];
        arguments.extend(more);
        arguments.push(source.to_str().unwrap());
        rustc(out, &arguments);
    }
    let (kernels, ir) = (path("kernels.rs"), path("kernels.ll"));
    std::fs::write(&kernels, KERNELS).unwrap();
    rustc(
        out,
        &[
            "--crate-type",
            "lib",
            "--emit",
            "llvm-ir",
            "-o",
            &ir,
            "-C",
            "no-prepopulate-passes",
            "-C",
            "codegen-units=1",
            "-C",
            "panic=abort",
            "--extern",
            &extern_of("smelt", "libsmelt.rlib"),
            &kernels,
        ],
    );
    std::fs::read_to_string(ir).unwrap()
}

/// Calls of a function whose name has `called` in it, in the body of `kernel`.
fn count(ir: &str, kernel: &str, called: &str) -> usize {
    let start = ir
        .find(&format!("@{kernel}("))
        .unwrap_or_else(|| panic!("{kernel} is in the IR"));
    let body = &ir[start..][..ir[start..].find("\n}").unwrap()];
    body.lines()
        .filter(|line| line.contains("call ") && line.contains(called))
        .count()
}

#[test]
fn convergent_primitives_are_not_copied() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("convergence");
    std::fs::create_dir_all(&out).unwrap();
    let ir = emit_ir(&out);
    assert_eq!(
        count(&ir, "plain", "plain_primitive"),
        2,
        "JumpThreading did nothing"
    );
    for (kernel, primitive, calls) in [
        ("barrier", "__smelt_barrier", 1),
        ("shuffle", "__smelt_shuffle_idx_b32", 1),
        ("shuffle_up", "__smelt_shuffle_up_b32", 1),
        ("shuffle_down", "__smelt_shuffle_down_b32", 1),
        ("shuffle_xor", "__smelt_shuffle_xor_b32", 1),
        ("shuffle_wide", "__smelt_shuffle_xor_b32", 2),
        ("ballot", "__smelt_ballot", 1),
        ("any", "__smelt_any", 1),
        ("all", "__smelt_all", 1),
    ] {
        assert_eq!(
            count(&ir, kernel, primitive),
            calls,
            "calls of {primitive} in {kernel}"
        );
    }
}
