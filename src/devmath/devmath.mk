# devmath.bc: our own device mathematics, from Rust. Two crates, each to bitcode
# by itself (LTO would bring all of core in), then linked.
#
# The libm crate is the distribution's (librust-libm-dev); its folder carries a
# version, hence the wildcard.
LIBM_SOURCE := $(lastword $(sort $(wildcard \
	/usr/share/cargo/registry/libm-*/src/lib.rs)))
DEVMATH := build/lib/smelt/devmath.bc
LLVM_LINK := $(shell $(LLVM_CONFIG) --bindir)/llvm-link
RUSTC ?= rustc
# Neither vectors nor checks: the code leaves x86-64 behind, and a check that
# fails would have nobody to tell.
DEVMATH_FLAGS := -C opt-level=3 -C panic=abort -C codegen-units=1 \
	-C overflow-checks=off -C debug-assertions=off -C debuginfo=0 \
	-C no-vectorize-loops -C no-vectorize-slp -C embed-bitcode=no \
	-C relocation-model=pic --cap-lints=allow

build/devmath/liblibm.rlib: $(LIBM_SOURCE) src/devmath/devmath.mk
	@mkdir -p $(@D)
	$(if $(LIBM_SOURCE),,$(error devmath needs the crate libm: \
		install librust-libm-dev))
	$(RUSTC) --edition=2018 --crate-name=libm --crate-type=rlib \
		$(DEVMATH_FLAGS) --emit=llvm-bc=build/devmath/libm.bc,link=$@ \
		$(LIBM_SOURCE)

$(DEVMATH): src/devmath/lib.rs build/devmath/liblibm.rlib
	@mkdir -p $(@D)
	$(RUSTC) --edition=2021 --crate-name=devmath --crate-type=rlib \
		$(DEVMATH_FLAGS) --emit=llvm-bc=build/devmath/devmath.bc \
		--extern libm=build/devmath/liblibm.rlib $<
	$(LLVM_LINK) build/devmath/devmath.bc build/devmath/libm.bc -o $@
