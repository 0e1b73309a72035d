//! What the program prints where no kernels were linked in: weak, in an archive,
//! as libsmelt is.
use std::{env, fs, process::Command};

fn main() {
    let out = env::var("OUT_DIR").unwrap();
    let source = format!("{out}/none.c");
    fs::write(&source, "__attribute__((weak)) const char *toy_kernels(void) { return \"none\"; }\n").unwrap();
    for line in [
        vec!["cc", "-fPIC", "-c", &source, "-o", &format!("{out}/none.o")],
        vec!["ar", "rc", &format!("{out}/libtoy.a"), &format!("{out}/none.o")],
    ] {
        assert!(Command::new(line[0]).args(&line[1..]).status().unwrap().success());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-search=native={out}");
    println!("cargo::rustc-link-lib=static=toy");
}
