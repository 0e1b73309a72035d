# Unit tests, each a program build/test/unit/NAME that prints PASS and FAIL lines.
# The layers under test are compiled anew, with sanitizers, into build/unit-obj.
#
# Included by the top Makefile, which has the target unit: needs its CC, WARN and
# LLVM_CFLAGS. A program that has nothing to test here exits 77.
UNIT_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_CFLAGS = -std=c17 $(WARN) -Isrc -Iinclude -Itest/unit -fPIC -MMD -MP \
	-O1 -g -fno-omit-frame-pointer $(UNIT_SAN)
UNIT_NAMES := $(filter-out sample sample_device fake_offload fake_version,\
	$(patsubst test/unit/%.c,%,$(wildcard test/unit/*.c)))
UNIT_TESTS := $(UNIT_NAMES:%=build/test/unit/%)

UNIT_LAYERS := $(patsubst src/%.c,build/unit-obj/%.o,\
	$(wildcard src/runtime/*.c src/runtime/engine/*.c src/image/*.c) \
	src/base/arena.c src/base/message.c src/base/text.c \
	src/base/text_float.c src/base/escapes.c src/driver/occupancy.c)

build/unit-obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c $< -o $@
build/unit-obj/runtime/engine/offload.o: UNIT_CFLAGS += $(LLVM_CFLAGS)

build/unit-obj/test/%.o: test/unit/%.c
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c $< -o $@
build/unit-obj/test/fake_offload.o: UNIT_CFLAGS += $(LLVM_CFLAGS)

build/unit-obj/libunit.a: $(UNIT_LAYERS) build/unit-obj/test/sample.o
	rm -f $@ && ar rcs $@ $^

$(UNIT_TESTS): build/test/unit/%: build/unit-obj/test/%.o \
		build/unit-obj/libunit.a
	@mkdir -p $(@D)
	$(CC) $(UNIT_SAN) $< build/unit-obj/libunit.a $(UNIT_LIBS) -lpthread \
		-ldl -lm -o $@
build/test/unit/profile: UNIT_LIBS := -lcjson

# What threads do to each other, under the thread sanitizer: a few of the same
# programs once more.
TSAN_TESTS := $(patsubst %,build/test/unit/tsan-%,buffer event load staging)
TSAN_CFLAGS = $(filter-out $(UNIT_SAN),$(UNIT_CFLAGS)) -fsanitize=thread
UNIT_TESTS += $(TSAN_TESTS)

build/tsan-obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(TSAN_CFLAGS) -c $< -o $@
build/tsan-obj/runtime/engine/offload.o: TSAN_CFLAGS += $(LLVM_CFLAGS)
build/tsan-obj/test/%.o: test/unit/%.c
	@mkdir -p $(@D)
	$(CC) $(TSAN_CFLAGS) -c $< -o $@
build/tsan-obj/test/fake_offload.o: TSAN_CFLAGS += $(LLVM_CFLAGS)
build/tsan-obj/libunit.a: $(UNIT_LAYERS:build/unit-obj/%=build/tsan-obj/%) \
		build/tsan-obj/test/sample.o
	rm -f $@ && ar rcs $@ $^
$(TSAN_TESTS): build/test/unit/tsan-%: build/tsan-obj/test/%.o \
		build/tsan-obj/libunit.a build/test/unit/tsan/fake_offload.so
	$(CC) -fsanitize=thread $< build/tsan-obj/libunit.a -lpthread -ldl -lm \
		-o $@
build/test/unit/tsan/fake_%.so: build/tsan-obj/test/fake_%.o
	@mkdir -p $(@D)
	$(CC) -fsanitize=thread -shared $< -o $@

# The GPU test without sanitizers, which the CUDA driver does not bear, to be
# carried to a machine with a GPU.
build/test/gpu/runtime: test/unit/gpu.c test/unit/sample.c $(RUNTIME) $(IMAGE) \
		$(BASE)
	@mkdir -p $(@D)
	$(CC) -std=c17 $(WARN) -Isrc -Iinclude $(CFLAGS) $^ -lpthread -ldl -lm \
		-o $@

# Shared objects that tests load.
build/test/unit/fake_%.so: build/unit-obj/test/fake_%.o
	@mkdir -p $(@D)
	$(CC) $(UNIT_SAN) -shared $< -o $@
$(addprefix build/test/unit/,buffer event load offload staging): \
	build/test/unit/fake_offload.so
build/test/unit/device: build/test/unit/fake_version.so

-include $(shell find build/unit-obj build/tsan-obj -name '*.d' 2>/dev/null)
