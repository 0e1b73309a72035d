# The simulated AMD GPU: build/sim/libhsa-runtime64.so.1, which LLVM's AMDGPU
# plugin opens in ROCm's place (LD_LIBRARY_PATH=build/sim), and its tests.
#
#     make sim            the library
#     make check-sim      its tests (test/sim/run)
#     make sim-asan       the library and tests under ASan and UBSan
#     make sim-tsan       under TSan
# A comma that a function's argument may hold.
, := ,
SIM_SRC := $(wildcard sim/amdgpu/*.c)
SIM_LIB := libhsa-runtime64.so.1
# Floats must be rounded as written, in the mode that the wave has set.
SIM_CFLAGS = -O3 -g -std=c17 -D_GNU_SOURCE $(WARN) -fPIC -ffp-contract=off \
	-frounding-math -fno-math-errno -fno-trapping-math \
	-fno-strict-aliasing -MMD -MP
# nodelete: the plugin closes the library while its threads live.
SIM_LDFLAGS = -shared -Wl,-z,nodelete -Wl,-soname,$(SIM_LIB) \
	-Wl,--version-script=sim/amdgpu/exports.map
SIM_TEST_CFLAGS = -O1 -g -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror \
	-ffp-contract=off $(LLVM_CFLAGS)
SIM_LLVM_LIB := $(shell $(LLVM_CONFIG) --libdir)
SIM_ARCHS := gfx90a gfx942 gfx1100

# $(1) suffix of the folders, $(2) more flags
define sim_variant
SIM_OBJ$(1) := $(patsubst sim/amdgpu/%.c,build/obj/sim$(1)/%.o,$(SIM_SRC))
build/obj/sim$(1)/%.o: sim/amdgpu/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(SIM_CFLAGS) $(2) -c $$< -o $$@
build/sim$(1)/$(SIM_LIB): $$(SIM_OBJ$(1)) sim/amdgpu/exports.map
	@mkdir -p $$(@D)
	$$(CC) $(2) $$(SIM_LDFLAGS) $$(SIM_OBJ$(1)) -lm -lpthread -o $$@
	ln -sf $(SIM_LIB) build/sim$(1)/libhsa-runtime64.so
build/sim$(1)/test/functions build/sim$(1)/test/machine \
build/sim$(1)/test/speed: build/sim$(1)/test/%: \
		test/sim/%.c test/sim/launch.c test/sim/launch.h \
		test/sim/functions.h
	@mkdir -p $$(@D)
	$$(CC) $$(SIM_TEST_CFLAGS) $(2) test/sim/$$*.c test/sim/launch.c \
		-L$$(SIM_LLVM_LIB) -lLLVMOffload -Wl,-rpath,$$(SIM_LLVM_LIB) \
		-lm -o $$@
build/sim$(1)/test/api: $(wildcard test/sim/api*.[ch]) \
		build/sim$(1)/$(SIM_LIB)
	@mkdir -p $$(@D)
	$$(CC) $$(SIM_TEST_CFLAGS) $(2) $$(filter %.c,$$^) \
		build/sim$(1)/$(SIM_LIB) \
		-Wl,-rpath,'$$$$ORIGIN/..' -lpthread -o $$@
sim$(1)-tests: build/sim$(1)/$(SIM_LIB) \
	$(addprefix build/sim$(1)/test/,functions machine api speed)
.PHONY: sim$(1)-tests
-include $(wildcard build/obj/sim$(1)/*.d)
endef

$(eval $(call sim_variant,,))
$(eval $(call sim_variant,-asan,-O1 -fsanitize=address$(,)undefined \
	-fno-sanitize-recover=undefined))
$(eval $(call sim_variant,-tsan,-O1 -fsanitize=thread))

build/sim/test/decode: test/sim/decode.c $(SIM_OBJ)
	@mkdir -p $(@D)
	$(CC) $(SIM_TEST_CFLAGS) $< $(SIM_OBJ) -lm -lpthread -o $@

# Kernels of the tests: build/sim/test/NAME.ARCH.hsaco
SIM_CLANG = clang-22 -x c --target=amdgcn-amd-amdhsa -nogpulib -ffreestanding \
	-O2 -g -ffp-contract=off
SIM_KERNELS := $(foreach a,$(SIM_ARCHS),$(foreach n,functions machine faults \
	undef speed,build/sim/test/$(n).$(a).hsaco))
define sim_kernels
build/sim/test/%.$(1).hsaco: test/sim/%_device.c test/sim/functions.h
	@mkdir -p $$(@D)
	$$(SIM_CLANG) -mcpu=$(1) $$< -o $$@
endef
$(foreach a,$(SIM_ARCHS),$(eval $(call sim_kernels,$(a))))

# The runtime's GPU test.
SIM_KERNELS += $(foreach a,$(SIM_ARCHS),build/sim/test/sample.$(a).hsaco)
define sim_sample
build/sim/test/sample.$(1).hsaco: test/unit/sample_device.c
	@mkdir -p $$(@D)
	$$(SIM_CLANG) -Iinclude -mcpu=$(1) $$< -o $$@
endef
$(foreach a,$(SIM_ARCHS),$(eval $(call sim_sample,$(a))))

# HIP's build of benches/native, host and device, on liboffload (test/sim/hip.c).
# Debian's device libraries (ROCm 5.2) know no later device, and its clang comes
# without the bundler: the host code takes the code object as it is. Kernels of
# one name in two files must not meet in the link.
SIM_ROCM ?= /usr
SIM_HIP_LIBS = $(dir $(firstword $(wildcard \
	$(SIM_ROCM)/lib/*/amdgcn/bitcode/ocml.bc \
	$(SIM_ROCM)/lib/amdgcn/bitcode/ocml.bc)))
SIM_HIPCC = clang++-22 -x hip --offload-arch=gfx90a -O3 -std=c++17 \
	-mcode-object-version=5 -D__AMDGCN_WAVEFRONT_SIZE=64 --rocm-path=$(SIM_ROCM) \
	--rocm-device-lib-path=$(SIM_HIP_LIBS)
SIM_HIP_OBJ := $(patsubst benches/native/%.cu,build/sim/hip/%.o,\
	$(wildcard benches/native/*.cu))
# Most of a compilation is HIP's headers: read once, for device and for host.
build/sim/hip/%.pch: benches/native/native.h
	@mkdir -p $(@D)
	$(SIM_HIPCC) --offload-$*-only -fsyntax-only -Xclang -emit-pch \
		-Xclang -o -Xclang $@ $<
build/sim/hip/%.hsaco: benches/native/%.cu build/sim/hip/device.pch
	$(SIM_HIPCC) --offload-device-only -include-pch $(@D)/device.pch \
		-Xclang -mlink-builtin-bitcode -Xclang $(SIM_HIP_LIBS)opencl.bc \
		--no-gpu-bundle-output $< -o $@
build/sim/hip/%.o: benches/native/%.cu build/sim/hip/%.hsaco \
		build/sim/hip/host.pch
	$(SIM_HIPCC) --offload-host-only -include-pch $(@D)/host.pch \
		-Xclang -fcuda-include-gpubinary \
		-Xclang build/sim/hip/$*.hsaco -c $< -o $@.tmp
	objcopy $$([ $* = main ] || nm -g --defined-only $@.tmp | \
		awk '$$2 ~ /[TDR]/ { print "--localize-symbol=" $$3 }') $@.tmp $@
	rm -f $@.tmp
.PRECIOUS: build/sim/hip/%.hsaco build/sim/hip/%.pch
build/sim/hip/native: $(SIM_HIP_OBJ) test/sim/hip.c test/sim/launch.c
	$(CC) $(SIM_TEST_CFLAGS) -c test/sim/hip.c -o build/sim/hip.o
	$(CC) $(SIM_TEST_CFLAGS) -c test/sim/launch.c -o build/sim/launch.o
	g++ $(SIM_HIP_OBJ) build/sim/hip.o build/sim/launch.o \
		-L$(SIM_LLVM_LIB) -lLLVMOffload -Wl,-rpath,$(SIM_LLVM_LIB) -o $@
sim-hip: build/sim/hip/native
# Whether HIP's headers and device libraries are there.
sim-hip-found:
	@test -e $(SIM_ROCM)/include/hip/hip_runtime.h -a -n "$(SIM_HIP_LIBS)"

sim: build/sim/$(SIM_LIB)
sim-tests: build/sim/test/decode $(SIM_KERNELS) build/test/gpu/runtime
# All of it; test/run sim is the part that takes a minute.
check-amd: sim
	@test/sim/run all
.PHONY: sim check-amd sim-tests sim-hip sim-hip-found
