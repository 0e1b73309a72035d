#!/bin/sh
# pass1.sh OUT-FOLDER FILE.rs [rustc's options]: compiles FILE.rs against the toy
# crate as the wrapper's pass 1 would, to OUT-FOLDER/NAME.bc and NAME.rlib.
set -e
out=$1 file=$2
shift 2
name=$(basename "$file" .rs)
here=$(dirname "$0")
export RUSTC_BOOTSTRAP=1
mkdir -p "$out"
# Intermediate files have the same names in all folders.
common="--edition 2024 -L $out -Ztemps-dir=$out -Csymbol-mangling-version=v0 --cap-lints=allow"
device="-Cno-prepopulate-passes -Ccodegen-units=1 -Cpanic=abort -Copt-level=3
	-Cdebuginfo=2 -Zmir-enable-passes=-JumpThreading
	-Zcross-crate-inline-threshold=never"
if [ ! -e "$out/libsmelt.rlib" ]; then
	rustc $common --crate-type rlib --crate-name smelt "$here/toy.rs" \
		-Zmir-enable-passes=-JumpThreading \
		--out-dir "$out" ${TOY_OPT--Copt-level=3}
	rustc $common --crate-type rlib --crate-name smelt "$here/toy.rs" \
		$device --emit=llvm-bc="$out/libsmelt.bc"
fi
case $name in
dep_*)
	rustc $common --crate-type rlib --crate-name "$name" "$file" \
		--extern smelt="$out/libsmelt.rlib" --out-dir "$out" \
		-Copt-level=3 "$@"
	;;
esac
rustc $common --crate-type rlib --crate-name "$name" "$file" $device \
	--extern smelt="$out/libsmelt.rlib" --emit=llvm-bc="$out/$name.bc" "$@"
