//! The reference is C, for the sake of GCC's 113-bit floats, which rustc has not yet.

use std::path::Path;
use std::process::Command;

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|e| panic!("{program}: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {errors}");
    String::from_utf8(output.stdout).expect("its output is text")
}

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    let object = format!("{out}/reference.o");
    let library = format!("{out}/libulp_reference.a");
    run(
        "gcc",
        &[
            "-std=gnu17",
            "-O2",
            "-Wall",
            "-Wextra",
            "-fPIC",
            "-c",
            "src/reference.c",
            "-o",
            &object,
        ],
    );
    run("ar", &["rcsD", &library, &object]);
    // Static, so that the program runs where there is no libquadmath.
    let quadmath = run("gcc", &["-print-file-name=libquadmath.a"]);
    let folder = Path::new(quadmath.trim())
        .parent()
        .expect("it has a folder");
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=ulp_reference");
    println!("cargo:rustc-link-lib=static=quadmath");
    println!("cargo:rerun-if-changed=src/reference.c");
}
