# The C example: make build/examples/c/scale
#
# cargo smelt leaves the bitcode of the library and the records of what it depends
# on (ARCHITECTURE.md, contract 2); smelt-cc makes of them the object to link.
C_EXAMPLE := build/examples/c

$(C_EXAMPLE)/kernels.o: examples/c/kernels/src/lib.rs \
		examples/c/kernels/Cargo.toml build/bin/smelt-cc \
		build/bin/cargo-smelt build/lib/libsmelt.a
	cd examples/c/kernels && CARGO_TARGET_DIR=$(CURDIR)/$(C_EXAMPLE)/target \
		$(CURDIR)/build/bin/cargo-smelt smelt build --release
	deps=$(C_EXAMPLE)/target/release/deps; \
	build/bin/smelt-cc --crate kernels --targets cpu,sm_75,gfx90a \
		--dep $$(ls -t $$deps/libsmelt-*.smelt | head -1) \
		--sysroot $$(rustc --print target-libdir) \
		$$(ls -t $$deps/libkernels-*.smelt.bc | head -1) -o $@
$(C_EXAMPLE)/scale: examples/c/main.c $(C_EXAMPLE)/kernels.o \
		build/lib/libsmelt.a
	$(CC) -std=c99 $(WARN) -Iinclude $(CFLAGS) $^ -lpthread -ldl -lm -o $@

c-example: $(C_EXAMPLE)/scale
	$(C_EXAMPLE)/scale
.PHONY: c-example
