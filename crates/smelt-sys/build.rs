//! Finds the prebuilt libsmelt.a: `SMELT_LIB_DIR`, else the source tree's own
//! build folder, else the library folder of an installed tree.

use std::env;
use std::path::{Path, PathBuf};

/// Relative to this package: in the source tree; installed in
/// PREFIX/share/smelt/crates/smelt-sys.
const PLACES: [&str; 2] = ["../../build/lib", "../../../../lib"];

fn main() {
    println!("cargo::rerun-if-env-changed=SMELT_LIB_DIR");
    println!("cargo::rerun-if-changed=build.rs");
    let dir = match find() {
        Ok(dir) => dir,
        Err(message) => {
            println!("cargo::error={message}");
            std::process::exit(1);
        }
    };
    println!(
        "cargo::rerun-if-changed={}",
        dir.join("libsmelt.a").display()
    );
    println!("cargo::rustc-link-search=native={}", dir.display());
    // Bundled in the rlib, so that programs need no search path of their own.
    println!("cargo::rustc-link-lib=static=smelt");
    for lib in ["pthread", "dl", "m"] {
        println!("cargo::rustc-link-lib=dylib={lib}");
    }
}

fn find() -> Result<PathBuf, String> {
    if let Some(dir) = env::var_os("SMELT_LIB_DIR") {
        let dir = PathBuf::from(dir);
        return has_library(&dir)
            .then_some(dir.clone())
            .ok_or_else(|| format!("SMELT_LIB_DIR={} has no libsmelt.a", dir.display()));
    }
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    PLACES
        .iter()
        .map(|place| package.join(place))
        .find(|dir| has_library(dir))
        .and_then(|dir| dir.canonicalize().ok())
        .ok_or_else(|| {
            format!(
                "libsmelt.a was not found beside {}: run `make` in the source tree of \
                 smelt (or `make install`), or set SMELT_LIB_DIR to the folder that holds it",
                package.display()
            )
        })
}

fn has_library(dir: &Path) -> bool {
    dir.join("libsmelt.a").is_file()
}
