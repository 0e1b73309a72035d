#!/bin/sh
# record.sh OUT-FOLDER FILE.rs: the wrapper's record of a crate that does not depend
# on smelt, beside its rlib, as contract 2 has it.
name=$(basename "$2" .rs)
cat >"$1/lib$name.smelt" <<END
smelt-record 1
crate $name
smelt no
cwd $(dirname "$2")
env CARGO_PKG_NAME=$name
arg rustc
arg --edition
arg 2024
arg --crate-type
arg rlib
arg --crate-name
arg $name
arg $name.rs
arg --emit=dep-info,metadata,link
arg --error-format=json
arg -C
arg opt-level=3
arg -C
arg embed-bitcode=no
arg -Csymbol-mangling-version=v0
arg --out-dir
arg $1
END
