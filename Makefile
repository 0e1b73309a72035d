# Smelt. `make demo` and `make check` do all set-up themselves.
#
# Objects and programs go to build/, cargo's to target/; nothing else is written
# to the tree. What is linked is written aside and renamed, so that a build that is
# interrupted leaves no half program behind.
CC := gcc
CXX := g++
LLVM_CONFIG := llvm-config-22
CARGO ?= cargo
PREFIX ?= /usr/local
DESTDIR ?=
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Werror
CFLAGS ?= -O2 -g
ALL_CFLAGS = -std=c17 $(WARN) -Isrc -Iinclude -fPIC -MMD -MP $(CFLAGS)
ALL_CXXFLAGS = -std=c++17 -fno-exceptions -fno-rtti -Wall -Wextra -Werror \
	-Isrc -Iinclude -fPIC -MMD -MP $(CFLAGS)
# Asked once, and only by the rules that need them.
LLVM_CFLAGS = $(eval LLVM_CFLAGS := -isystem $(shell $(LLVM_CONFIG) \
	--includedir))$(LLVM_CFLAGS)
LLVM_LIBS = $(eval LLVM_LIBS := $(shell $(LLVM_CONFIG) --ldflags --link-shared \
	--libs))$(LLVM_LIBS)

objects = $(patsubst src/%,build/obj/%.o,$(basename $(wildcard $(1))))
BASE := $(call objects,src/base/*.c)
TEXT := $(call objects,src/base/text*.c src/base/escapes.c)
IMAGE := $(call objects,src/image/*.c)
CC_OBJ := $(call objects,src/cc/*.c src/cc/*.cpp)
DRIVER := $(call objects,src/driver/*.c)
RUNTIME := $(call objects,src/runtime/*.c src/runtime/engine/*.c)
PROGRAMS := build/bin/smelt-cc build/bin/cargo-smelt build/lib/libsmelt.a \
	build/lib/smelt/devmath.bc

all: $(PROGRAMS)

build/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c $< -o $@
build/obj/%.o: src/%.cpp
	@mkdir -p $(@D)
	$(CXX) $(ALL_CXXFLAGS) -c $< -o $@
# A .d file of an earlier build may name one that has become C since.
src/cc/%.cpp: ;
$(CC_OBJ): private ALL_CFLAGS += $(LLVM_CFLAGS)
$(CC_OBJ): private ALL_CXXFLAGS += $(LLVM_CFLAGS)
build/obj/runtime/engine/offload.o: private ALL_CFLAGS += $(LLVM_CFLAGS)

build/bin/smelt-cc: $(CC_OBJ) $(IMAGE) $(BASE)
	@mkdir -p $(@D)
	$(CXX) $(CFLAGS) $^ $(LLVM_LIBS) -o $@.part && mv -f $@.part $@
build/bin/cargo-smelt: $(DRIVER) build/lib/libsmelt.a $(IMAGE) $(BASE)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(DRIVER) $(IMAGE) $(BASE) build/lib/libsmelt.a -lcjson \
		-lpthread -ldl -lm -o $@.part && mv -f $@.part $@
# One object whose only global names are the public ones: names like die or warn
# would otherwise take the place of a program's own, or of libc's.
build/lib/libsmelt.a: $(RUNTIME) build/obj/image/read.o build/obj/image/terms.o \
		$(TEXT)
	@mkdir -p $(@D)
	ld -r $^ -o build/obj/libsmelt.o
	objcopy -w --keep-global-symbol='smelt_*' \
		--keep-global-symbol='__smelt_*' build/obj/libsmelt.o
	rm -f $@.part && ar rcsD $@.part build/obj/libsmelt.o && \
		mv -f $@.part $@

# Parts with rules of their own.
-include src/devmath/devmath.mk
-include test/unit/tests.mk
-include sim/amdgpu/sim.mk
-include examples/c/c.mk
-include test/conform/conform.mk
-include test/soak/soak.mk
-include test/ulp/ulp.mk

# ---- the two commands, and what they are made of ----

setup:
	@scripts/setup

demo: setup
	@$(MAKE) --no-print-directory all
	@scripts/demo

check: setup
	@$(MAKE) --no-print-directory all
	@test/run

# One part: make check-cc, make check-unit, ...; test/run --list names them.
check-%: all
	@test/run $*

unit: $(UNIT_TESTS)
print-unit-tests:
	@echo $(UNIT_TESTS)

bench: all
	@scripts/bench-cpu
	@benches/rajaperf/bench-cpu
bench-build: all
	@scripts/bench-build

FORMATTED = $(shell find src include test examples benches sim -name '*.[ch]' \
	2>/dev/null)
format:
	clang-format -i $(FORMATTED)
format-check:
	clang-format --dry-run -Werror $(FORMATTED)

# ---- install ----

LIB_FILES = $(wildcard build/lib/smelt/*.bc)
CRATE_FILES = $(shell cd crates && find . -type f -not -path '*/target/*' \
	-not -name Cargo.lock)
install: all sim
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/smelt/sim \
		$(DESTDIR)$(PREFIX)/include/smelt
	install -m 755 build/bin/cargo-smelt build/bin/smelt-cc \
		$(DESTDIR)$(PREFIX)/bin
	install -m 644 build/lib/libsmelt.a $(DESTDIR)$(PREFIX)/lib
	$(if $(LIB_FILES),install -m 644 $(LIB_FILES) \
		$(DESTDIR)$(PREFIX)/lib/smelt)
	install -m 755 build/sim/libhsa-runtime64.so.1 \
		$(DESTDIR)$(PREFIX)/lib/smelt/sim
	ln -sf libhsa-runtime64.so.1 \
		$(DESTDIR)$(PREFIX)/lib/smelt/sim/libhsa-runtime64.so
	install -m 644 include/smelt/*.h $(DESTDIR)$(PREFIX)/include/smelt
	for f in $(CRATE_FILES); do \
		install -D -m 644 crates/$$f \
			$(DESTDIR)$(PREFIX)/share/smelt/crates/$$f || exit 1; \
	done

uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/bin/cargo-smelt \
		$(DESTDIR)$(PREFIX)/bin/smelt-cc \
		$(DESTDIR)$(PREFIX)/lib/libsmelt.a \
		$(DESTDIR)$(PREFIX)/lib/smelt $(DESTDIR)$(PREFIX)/include/smelt \
		$(DESTDIR)$(PREFIX)/share/smelt

clean:
	rm -rf build target

-include $(shell find build/obj -name '*.d' 2>/dev/null)
.PHONY: all setup demo check unit print-unit-tests bench bench-build format \
	format-check install uninstall clean
