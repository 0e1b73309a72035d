/*
 * A program built without smelt-cc: the host's own instance of a kernel, with
 * barriers, warps, atomics, panics.
 */
#include "unit.h"

#include "runtime/primitives.h"
#include "sample.h"

static smelt_device *device;
static smelt_stream *stream;

static void
setup(void)
{
	setenv("SMELT_OFFLOAD_LIB", "/nowhere/libLLVMOffload.so", 1);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_has_kernels(), 0);
}

static uint64_t
index_of(void)
{
	return (uint64_t)__smelt_block_idx_x() * __smelt_block_dim_x() +
	       __smelt_thread_idx_x();
}

static struct smelt_launch
host_launch(void (*entry)(const void *), const struct sample_block *block,
	    uint64_t n)
{
	struct smelt_launch launch = sample_launch(SAMPLE_ADD, block, n);

	launch.host_entry = entry;
	return launch;
}

static void
add(const void *params)
{
	const struct sample_block *block = params;

	__smelt_kernel_id(1);
	__smelt_block_layout(sizeof(*block), 8);
	__smelt_index_dims(1);
	if (!smelt_host_running() || !block->header.launch)
		abort();
	if (index_of() < block->n)
		block->out[index_of()] += block->value;
}

static void
plain(void)
{
	uint64_t out[1000] = {0};
	struct sample_block block = {{0}, out, 1000, 7};
	struct smelt_launch launch = host_launch(add, &block, 1000);

	setup();
	CHECK_INT(smelt_host_running(), 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), 0);
	for (int i = 0; i < 1000; i++)
		CHECK_INT(out[i], 7);
	CHECK_INT(smelt_host_running(), 0);
	/* Dimensions: refused before there is a token. */
	launch.grid[1] = 2;
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ELAUNCH);
	CHECK_TEXT(smelt_last_error(), "1-dimensional indices");
	CHECK_INT(out[0], 7);
	launch.grid[1] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(out[999], 14);
	launch.host_entry = NULL;
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ENO_KERNEL);
	CHECK_TEXT(smelt_last_error(), "without cargo smelt");
}

/* Local variables live across the barriers, on each thread's own stack. */
static void
reduce(const void *params)
{
	const struct sample_block *block = params;
	uint64_t *sums = (void *)__smelt_dynamic_shared();
	uint32_t x = __smelt_thread_idx_x();
	uint64_t mine = index_of();

	sums[x] = mine;
	while (__smelt_barrier())
		;
	for (uint32_t half = __smelt_block_dim_x() / 2; half; half /= 2) {
		if (x < half)
			sums[x] += sums[x + half];
		while (__smelt_barrier())
			;
	}
	if (x == 0)
		block->out[__smelt_block_idx_x()] = sums[0];
	if (mine != index_of())
		abort();
}

static void
barriers(void)
{
	uint64_t out[20] = {0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = host_launch(reduce, &block, 20);

	setup();
	launch.grid_kind = 0;
	launch.block[0] = 128;
	launch.block[1] = launch.block[2] = 1;
	launch.shared_bytes = 128 * 8;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	for (uint64_t b = 0; b < 20; b++)
		CHECK_INT(out[b], 128 * 128 * b + 127 * 64);
}

static void
warp_entry(const void *params)
{
	const struct sample_block *block = params;
	uint32_t lane = __smelt_lane_id(), sum = lane;
	uint64_t votes;

	/* The first lane of each warp ends; the others go on. */
	if (lane == 0)
		return;
	for (uint32_t mask = 1; mask < 32; mask *= 2)
		sum += __smelt_shuffle_xor_b32(sum, mask);
	votes = __smelt_ballot(lane % 2);
	if (__smelt_any(lane == 5) !=
	    (index_of() / 32 == 0 || __smelt_block_dim_x() % 32 > 5 ||
	     index_of() / 32 < __smelt_block_dim_x() / 32))
		abort();
	if (!__smelt_all(lane != 0) || __smelt_all(lane != 5))
		abort();
	if (__smelt_shuffle_idx_b32(lane, 7) != 7 ||
	    __smelt_shuffle_idx_b32(lane, 0) != lane ||
	    __smelt_shuffle_idx_b32(lane, 99) != lane ||
	    __smelt_shuffle_up_b32(lane, 1) != (lane == 1 ? 1 : lane - 1) ||
	    __smelt_shuffle_up_b32(lane, 40) != lane ||
	    __smelt_shuffle_down_b32(lane, 1) != (lane == 31 ? 31 : lane + 1))
		abort();
	block->out[index_of()] = votes;
}

static void
warps(void)
{
	uint64_t out[64] = {0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = host_launch(warp_entry, &block, 64);

	setup();
	launch.block[0] = 64;
	launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	for (int i = 0; i < 64; i++)
		CHECK_INT(out[i], i % 32 ? 0xaaaaaaaa : 0);
}

static void
panics_entry(const void *params)
{
	const struct sample_block *block = params;

	if (index_of() >= block->n) {
		smelt_host_panic("oh no", 5, "src/x.rs tail", 8, 3, 4);
		return;
	}
	block->out[index_of()] = 1;
}

static void
panics(void)
{
	uint64_t out[100] = {0};
	struct sample_block block = {{0}, out, 90, 0};
	struct smelt_launch launch = host_launch(panics_entry, &block, 100);
	struct smelt_panic panic = {.size = sizeof(panic)};

	setup();
	launch.block[0] = 10;
	launch.block[1] = launch.block[2] = 1;
	smelt_host_panic("outside", 7, "x", 1, 1, 1);
	CHECK_INT(smelt_stream_wait(stream), 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(smelt_stream_wait(stream), SMELT_EPANIC);
	CHECK_TEXT(smelt_last_error(), "at src/x.rs:3:4: oh no (block 9,0,0, "
				       "thread 0,0,0; 10 threads");
	CHECK_INT(smelt_stream_panic(stream, &panic), 0);
	CHECK_INT(panic.threads, 10);
	CHECK_INT(out[89], 1);
	CHECK_INT(smelt_stream_wait(stream), 0);
}

static void
three_dims_entry(const void *params)
{
	const struct sample_block *block = params;
	uint64_t x = __smelt_block_idx_x() * __smelt_block_dim_x() +
		     __smelt_thread_idx_x();
	uint64_t y = __smelt_block_idx_y() * __smelt_block_dim_y() +
		     __smelt_thread_idx_y();
	uint64_t z = __smelt_block_idx_z() * __smelt_block_dim_z() +
		     __smelt_thread_idx_z();

	if (__smelt_grid_dim_x() != 3 || __smelt_warp_size() != 32)
		abort();
	__atomic_fetch_add(&block->out[x + 6 * (y + 4 * z)], 1,
			   __ATOMIC_RELAXED);
	__smelt_atomic_add_f64((double *)(void *)&block->out[100], 0.5, 1);
}

static void
three_dims(void)
{
	uint64_t out[101] = {0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = host_launch(three_dims_entry, &block, 6);
	double sum;

	setup();
	launch.grid[1] = 4;
	launch.grid[2] = 4;
	launch.block[0] = launch.block[1] = launch.block[2] = 2;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	for (int i = 0; i < 96; i++)
		CHECK_INT(out[i], 1);
	memcpy(&sum, &out[100], sizeof(sum));
	CHECK(sum == 48.0);
}

static void
atomics(void)
{
	float f = 2;
	double d = 2;

	CHECK(__smelt_atomic_add_f32(&f, 3, 0) == 2 && f == 5);
	CHECK(__smelt_atomic_min_f32(&f, 3, 0) == 5 && f == 3);
	CHECK(__smelt_atomic_max_f32(&f, 7, 2) == 3 && f == 7);
	CHECK(__smelt_atomic_min_f64(&d, 1, 0) == 2 && d == 1);
	CHECK(__smelt_atomic_max_f64(&d, 0, 1) == 1 && d == 1);
}

/* Outside of a kernel there is one thread. */
static void
outside(void)
{
	CHECK_INT(__smelt_thread_idx_x() + __smelt_block_idx_z(), 0);
	CHECK_INT(__smelt_grid_dim_y() * __smelt_block_dim_x(), 1);
	CHECK_INT(__smelt_barrier(), 0);
	CHECK_INT(__smelt_ballot(true), 1);
	CHECK_INT(__smelt_any(false), 0);
	CHECK_INT(__smelt_all(true), 1);
	CHECK_INT(__smelt_shuffle_idx_b32(9, 3), 9);
	CHECK_INT(__smelt_lane_id(), 0);
	CHECK(__smelt_dynamic_shared() == NULL);
	__smelt_index_dims(1);
	__smelt_launch_bounds(1, 1);
}

static void
nested_entry(const void *params)
{
	const struct sample_block *block = params;
	smelt_stream *other;
	struct smelt_launch launch = host_launch(add, block, 1);

	if (smelt_stream_create(device, &other))
		abort();
	block->out[0] = (uint64_t)-smelt_kernel_launch(other, &launch);
	block->out[1] = (uint64_t)-smelt_kernel_launch(stream, &launch);
	smelt_stream_destroy(other);
}

static void
nested(void)
{
	uint64_t out[2] = {0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = host_launch(nested_entry, &block, 1);

	setup();
	launch.block[0] = launch.block[1] = launch.block[2] = 1;
	CHECK_INT(smelt_kernel_launch(stream, &launch), 0);
	CHECK_INT(out[0], -SMELT_ELAUNCH);
	CHECK_INT(out[1], -SMELT_ELAUNCH);
}

/* On a GPU there is nothing to run. */
static void
on_null(void)
{
	uint64_t out[1] = {0};
	struct sample_block block = {{0}, out, 0, 0};
	struct smelt_launch launch = host_launch(add, &block, 1);

	setenv("SMELT_DEVICE", "null", 1);
	CHECK_INT(smelt_device_default(&device), 0);
	CHECK_INT(smelt_device_stream(device, &stream), 0);
	CHECK_INT(smelt_kernel_launch(stream, &launch), SMELT_ENO_IMAGE);
	CHECK_TEXT(smelt_last_error(), "without cargo smelt");
}

int
main(void)
{
	RUN(plain);
	RUN(barriers);
	RUN(warps);
	RUN(panics);
	RUN(three_dims);
	RUN(atomics);
	RUN(outside);
	RUN(nested);
	RUN(on_null);
	return unit_failed != 0;
}
