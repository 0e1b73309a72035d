# Load for as long as one likes: make soak SECONDS=3600, on SMELT_DEVICE. Without
# sanitizers, so that it may be carried to a machine with a GPU.
SECONDS ?= 60
build/test/soak: test/soak/soak.c test/unit/sample.c $(RUNTIME) $(IMAGE) $(BASE)
	@mkdir -p $(@D)
	$(CC) -std=c17 $(WARN) -Isrc -Iinclude -Itest/unit $(CFLAGS) $^ -lpthread \
		-ldl -lm -o $@

soak: build/test/soak
	build/test/soak $(SECONDS)
.PHONY: soak
