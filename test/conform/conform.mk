# The conformance suite and a bounded run of the fuzzer, on the CPU: make conform.
# On another device: make conform SMELT_DEVICE=amd CONFORM_TARGETS=cpu,gfx90a.
CONFORM_TARGETS ?= cpu
CONFORM_FUZZ_SECONDS ?= 40
SMELT_DEVICE ?= cpu

conform: all
	cd test/conform && PATH=$(CURDIR)/build/bin:$$PATH \
		CARGO_TARGET_DIR=$(CURDIR)/build/test/conform \
		cargo smelt build --offline --targets $(CONFORM_TARGETS)
	SMELT_DEVICE=$(SMELT_DEVICE) build/test/conform/debug/conform
	SMELT_DEVICE=$(SMELT_DEVICE) test/conform/fuzz/fuzz --seed 1 \
		--seconds $(CONFORM_FUZZ_SECONDS) --targets $(CONFORM_TARGETS)
.PHONY: conform
