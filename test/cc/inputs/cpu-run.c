/*
 * Runs the kernels of cpu-kernels.c that smelt-cc compiled, in libsmelt's
 * engine, and compares memory and panics: plain kernels with the host's own
 * code over many shapes, those with barriers and warp operations with worked
 * out values.
 */
#include "cpu-kernels.h"

#include "runtime/engine/cpu.h"
#include "smelt/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern uint32_t smelt_cpu_level; /* of the object under test */

#define X(name) kernel_fn name;
PLAIN_KERNELS(X)
#undef X

static int failures;
static bool alone; /* as the engine says it of a launch */

/* ---- the host's side ---- */

static struct {
	uint32_t thread[3], block[3], block_dim[3], grid_dim[3];
	jmp_buf end; /* of the thread */
	uint32_t panics;
	struct smelt_device_state first;
} host;

#define POSITION_OF(name, field)                                               \
	uint32_t __smelt_##name##_x(void)                                      \
	{                                                                      \
		return host.field[0];                                          \
	}                                                                      \
	uint32_t __smelt_##name##_y(void)                                      \
	{                                                                      \
		return host.field[1];                                          \
	}                                                                      \
	uint32_t __smelt_##name##_z(void)                                      \
	{                                                                      \
		return host.field[2];                                          \
	}
POSITION_OF(thread_idx, thread)
POSITION_OF(block_idx, block)
POSITION_OF(block_dim, block_dim)
POSITION_OF(grid_dim, grid_dim)

uint32_t
__smelt_lane_id(void)
{
	const uint32_t *t = host.thread, *d = host.block_dim;

	return (t[0] + d[0] * (t[1] + d[1] * t[2])) % 32;
}

uint32_t
__smelt_warp_size(void)
{
	return 32;
}

_Noreturn void
__smelt_panic(uint32_t site, uint64_t a, uint64_t b)
{
	struct smelt_device_state *first = &host.first;

	if (host.panics++ == 0) {
		first->site = site;
		first->args[0] = a;
		first->args[1] = b;
		memcpy(first->block, host.block, sizeof(first->block));
		memcpy(first->thread, host.thread, sizeof(first->thread));
	}
	longjmp(host.end, 1);
}

void *
__smelt_arg_readonly(const void *pointer)
{
	return (void *)(uintptr_t)pointer;
}

void *
__smelt_arg_unique(void *pointer)
{
	return pointer;
}

float
__smelt_atomic_add_f32(float *at, float value, uint32_t scope)
{
	float old = *at;

	(void)scope;
	*at += value;
	return old;
}

/* What only kernels call that the host does not run. */
#define NEVER(result, name, ...)                                               \
	result name(__VA_ARGS__)                                               \
	{                                                                      \
		abort();                                                       \
	}
NEVER(bool, __smelt_barrier, void)
NEVER(uint32_t, __smelt_shuffle_idx_b32, uint32_t v, uint32_t l)
NEVER(uint32_t, __smelt_shuffle_up_b32, uint32_t v, uint32_t l)
NEVER(uint32_t, __smelt_shuffle_down_b32, uint32_t v, uint32_t l)
NEVER(uint32_t, __smelt_shuffle_xor_b32, uint32_t v, uint32_t l)
NEVER(uint64_t, __smelt_ballot, bool v)
NEVER(bool, __smelt_any, bool v)
NEVER(bool, __smelt_all, bool v)
NEVER(void *, __smelt_dynamic_shared, void)

/* Row by row of the blocks that the engine joins, so that the same thread's
 * panic is the first. */
static void
run_row(kernel_fn *kernel, const struct block *block, uint32_t first,
	uint32_t count)
{
	uint32_t *t = host.thread, *b = host.block;

	for (b[0] = first; b[0] < first + count; b[0]++)
		for (t[0] = 0; t[0] < host.block_dim[0]; t[0]++)
			if (setjmp(host.end) == 0)
				kernel(block);
}

static void
run_on_host(kernel_fn *kernel, const struct block *block, bool joined)
{
	uint32_t *t = host.thread, *b = host.block;
	uint32_t count = joined ? host.grid_dim[0] : 1;

	for (b[2] = 0; b[2] < host.grid_dim[2]; b[2]++)
		for (b[1] = 0; b[1] < host.grid_dim[1]; b[1]++)
			for (uint32_t x = 0; x < host.grid_dim[0]; x += count)
				for (t[2] = 0; t[2] < host.block_dim[2]; t[2]++)
					for (t[1] = 0; t[1] < host.block_dim[1];
					     t[1]++)
						run_row(kernel, block, x,
							count);
}

/* ---- smelt-cc's side ---- */

static const struct smelt_image *image;

void
smelt_image_register(const struct smelt_image *registered)
{
	image = registered;
}

/* The kernel with this id, as its table describes it. */
static struct engine_kernel
find_kernel(enum kernel_id id)
{
	const char *table = image->table;
	const struct smelt_table_header *header = image->table;
	const struct smelt_table_kernel *kernels =
		(const void *)(table + header->kernel_offset);
	const struct smelt_table_resources *resources =
		(const void *)(table + header->resource_offset);

	for (uint32_t k = 0; k < header->kernel_count; k++) {
		union {
			const void *constant;
			void *handle;
		} code = {.constant = image->cpu_kernels[k]};
		uint32_t target_flags = kernels[k].flags;

		if (kernels[k].id[0] != (uint64_t)id)
			continue;
		return (struct engine_kernel){
			.flags = target_flags,
			.shared_bytes = resources[k].shared_bytes,
			.handle = code.handle,
		};
	}
	printf("FAIL: kernel %d is not in the table\n", (int)id);
	exit(1);
}

static struct smelt_device_state
run(enum kernel_id id, const uint32_t grid[3], const uint32_t dim[3],
    uint32_t dynamic, struct block block)
{
	static struct cpu_worker worker;
	static uint32_t word;
	struct smelt_device_state state = {.host_word = (uint64_t)&word};
	struct engine_kernel kernel = find_kernel(id);
	struct engine_launch launch = {
		.kernel = &kernel,
		.shared_bytes = dynamic,
		.params = &block,
		.params_size = sizeof(block),
	};

	word = 0;
	block.state = (uint64_t)&state;
	block.launch = 77;
	memcpy(launch.grid, grid, sizeof(launch.grid));
	memcpy(launch.block, dim, sizeof(launch.block));
	if (!cpu_worker_begin(&worker, &launch))
		abort();
	worker.frame.alone = alone;
	if (!cpu_run_blocks(&worker, &launch, 0,
			    (uint64_t)grid[0] * grid[1] * grid[2]))
		abort();
	if (word != (state.panicked != 0)) {
		printf("FAIL: host word %u, %u panics\n", word, state.panicked);
		failures++;
	}
	return state;
}

/* ---- plain kernels ---- */

static uint32_t
any_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static bool
same_panics(const struct smelt_device_state *state)
{
	const struct smelt_device_state *first = &host.first;

	if (state->panicked != host.panics)
		return false;
	return !host.panics ||
	       (state->site == first->site && state->launch == 77 &&
		state->args[0] == first->args[0] &&
		state->args[1] == first->args[1] &&
		!memcmp(state->block, first->block, sizeof(first->block)) &&
		!memcmp(state->thread, first->thread, sizeof(first->thread)));
}

/* One launch of a shape, on both sides. */
static bool
agree(enum kernel_id id, kernel_fn *kernel, struct block block,
      const uint32_t grid[3], const uint32_t dim[3])
{
	size_t size = block.y.n * sizeof(float);
	float *mine = malloc(size + 4), *theirs = malloc(size + 4);
	struct smelt_device_state state;
	bool same;

	block.x.data = malloc(block.x.n * sizeof(float) + 4);
	for (uint64_t i = 0; i < block.x.n; i++)
		block.x.data[i] = (float)(any_number() % block.x.n);
	for (uint64_t i = 0; i < block.y.n; i++)
		mine[i] = theirs[i] = (float)(any_number() % 1000);
	host.panics = 0;
	memcpy(host.grid_dim, grid, sizeof(host.grid_dim));
	memcpy(host.block_dim, dim, sizeof(host.block_dim));
	block.y.data = mine;
	run_on_host(kernel, &block,
		    find_kernel(id).flags & SMELT_KERNEL_JOINED);
	block.y.data = theirs;
	state = run(id, grid, dim, 0, block);
	same = !memcmp(mine, theirs, size) && same_panics(&state);
	if (!same)
		printf("  x %lu y %lu w %u k %lu grid %u %u %u block %u %u %u "
		       "panics %u, host %u; site %u, host %u\n",
		       block.x.n, block.y.n, block.w, block.k, grid[0], grid[1],
		       grid[2], dim[0], dim[1], dim[2], state.panicked,
		       host.panics, state.site, host.first.site);
	free(block.x.data);
	free(mine);
	free(theirs);
	return same;
}

static void
try_shapes(const char *name, enum kernel_id id, kernel_fn *kernel, int shapes)
{
	for (int i = 0; i < shapes; i++) {
		uint32_t flat = i % 2, n = any_number() % 7;
		uint32_t grid[3] = {1 + any_number() % 5,
				    flat ? 1 : 1 + any_number() % 3,
				    flat ? 1 : 1 + any_number() % 3};
		uint32_t dim[3] = {1 + any_number() % 70,
				   flat ? 1 : 1 + any_number() % 4,
				   flat ? 1 : 1 + any_number() % 3};
		struct block block = {
			.a = 1.5f,
			.w = id == ID_grid2 ? any_number() % 40 : n,
			.k = i % 7 ? any_number() % 5
				   : (uint64_t)any_number() * any_number(),
			.x = {.n = any_number() % 300},
		};

		block.y.n = i % 3 ? block.x.n : any_number() % 300;
		if (id == ID_grid3)
			block.y.n = n * n * n - (n && i % 5 == 0);
		if (!agree(id, kernel, block, grid, dim)) {
			printf("FAIL %s\n", name);
			failures++;
			return;
		}
	}
	printf("ok %s\n", name);
}

/* ---- kernels whose threads meet ---- */

static float x[1024], y[1024], want[1024];

static struct smelt_device_state
meet(enum kernel_id id, uint32_t blocks, uint32_t threads, uint32_t dynamic)
{
	uint32_t grid[3] = {blocks, 1, 1}, dim[3] = {threads, 1, 1};
	struct block block = {.w = 6, .x = {x, 1024}, .y = {y, 1024}};

	for (int i = 0; i < 1024; i++) {
		x[i] = (float)(i % 17);
		y[i] = want[i] = -1;
	}
	return run(id, grid, dim, dynamic, block);
}

static void
expect(const char *name, struct smelt_device_state state, uint32_t panics,
       uint32_t site, uint32_t thread)
{
	bool same =
		state.panicked == panics &&
		(!panics || (state.site == site && state.thread[0] == thread));

	for (int i = 0; i < 1024 && same; i++)
		if (y[i] != want[i]) {
			printf("  [%d] %g, not %g\n", i, y[i], want[i]);
			same = false;
		}
	printf("%s %s\n", same ? "ok" : "FAIL", name);
	failures += !same;
}

static void
try_shared(void)
{
	struct smelt_device_state state = meet(ID_reduce, 4, 256, 0);

	for (int b = 0; b < 4; b++) {
		want[b] = 0;
		for (int t = 0; t < 256; t++)
			want[b] += x[b * 256 + t];
	}
	expect("reduce", state, 0, 0, 0);
	state = meet(ID_dynamic, 4, 250, 250 * sizeof(float));
	for (int i = 0; i < 1000; i++)
		want[i] = x[i / 250 * 250 + 249 - i % 250];
	expect("dynamic", state, 0, 0, 0);
}

static void
try_panics(void)
{
	struct smelt_device_state state = meet(ID_barrier_panic, 4, 256, 0);

	for (int b = 0; b < 4; b++)
		want[b] = 256 - 85;
	expect("barrier_panic", state, 4 * 85, 35, 1);
	state = meet(ID_barrier_leave, 4, 40, 0);
	for (int i = 0; i < 160; i++)
		want[i] = i % 40 == 5 ? -1 : (float)(13 + i % 40);
	expect("barrier_leave", state, 4, 37, 5);
}

static void
try_warps(void)
{
	struct smelt_device_state state = meet(ID_warp_sum, 2, 96, 0);

	for (int w = 0; w < 6; w++) {
		float sum = 0;

		for (int l = 0; l < 32; l++)
			sum += x[w * 32 + l];
		for (int l = 0; l < 32; l++)
			want[w * 32 + l] = sum;
	}
	expect("warp_sum", state, 0, 0, 0);
	state = meet(ID_warp_scan, 3, 100, 0);
	for (int i = 0; i < 300; i++) {
		int l = i % 100 % 32;

		want[i] = (float)((l + 1) * (l + 2) / 2);
	}
	expect("warp_scan", state, 0, 0, 0);
}

/* 40 threads: a whole warp and one of 8. */
static void
try_votes(void)
{
	struct smelt_device_state state = meet(ID_vote, 1, 40, 0);

	for (uint32_t i = 0; i < 40; i++) {
		uint32_t lanes = i < 32 ? 32 : 8, l = i % 32, even = 0;
		float *out = want + 8 * i;

		if (l % 8 == 7)
			continue;
		for (uint32_t k = 0; k < lanes; k += 2)
			even |= 1u << k;
		out[0] = (float)(even & 0xffff);
		out[1] = (float)(even >> 16);
		out[2] = 1;
		out[3] = 1;
		out[4] = lanes == 8;
		out[5] = (float)(l + ((l + 1) % 8 != 7));
		out[6] = 3;
		out[7] = (float)l;
	}
	expect("vote", state, 0, 0, 0);
}

/* What kernel keep does, for all threads of a block at once. */
static void
keep_on_host(const float *in, float *out, uint32_t threads)
{
	static float mine[256][8], tile[256];
	uint32_t sum[256] = {0}, shown[256];
	bool ended[256] = {false};

	memset(mine, 0, sizeof(mine));
	for (uint32_t k = 0; k < 6; k++) {
		for (uint32_t t = 0; t < threads; t++) {
			if (ended[t])
				continue;
			mine[t][(t + k) % 8] += in[t] + (float)k;
			tile[t] = mine[t][(3 * t + k) % 8];
		}
		for (uint32_t t = 0; t < threads; t++) {
			ended[t] |= t % 16 == 5 && k == 3;
			shown[t] = (uint32_t)tile[(t + 1) % threads];
		}
		for (uint32_t t = 0; t < threads; t++) {
			uint32_t from = t ^ (k + 1), votes = 0;
			bool any = false;

			if (ended[t])
				continue;
			for (uint32_t l = t / 32 * 32;
			     l < threads && l < t / 32 * 32 + 32; l++) {
				any |= !ended[l] && l % 5 == k;
				if (!ended[l] && l % 3 == 0)
					votes |= 1u << l % 32;
			}
			if (from >= threads || ended[from])
				from = t;
			sum[t] += shown[from] + (any ? votes % 1000 : 0);
		}
	}
	for (uint32_t t = 0; t < threads; t++)
		out[t] = ended[t] ? -1 : (float)sum[t] + mine[t][t % 8];
}

static void
try_keep(uint32_t dim_x, uint32_t dim_y, uint32_t dim_z)
{
	uint32_t grid[3] = {4, 1, 1}, dim[3] = {dim_x, dim_y, dim_z};
	uint32_t threads = dim_x * dim_y * dim_z;
	struct block block = {.w = 6, .x = {x, 1024}, .y = {y, 1024}};
	struct smelt_device_state state;

	for (int i = 0; i < 1024; i++) {
		x[i] = (float)(i % 17);
		y[i] = want[i] = -1;
	}
	for (uint32_t b = 0; b < 4; b++)
		keep_on_host(x + b * threads, want + b * threads, threads);
	state = run(ID_keep, grid, dim, 0, block);
	expect("keep", state, 4 * ((threads + 10) / 16), 45, 5);
}

static void
try_apart(void)
{
	struct smelt_device_state state = meet(ID_apart, 4, 90, 0);

	for (int i = 0; i < 360; i++) {
		const float *tile = x + i / 90 * 90;
		int t = i % 90;

		want[i] =
			t % 2 ? tile[(t + 1) % 90] + 1 : tile[(t + 2) % 90] * 2;
	}
	expect("apart", state, 0, 0, 0);
}

/* Which kernels the engine may treat in which way. */
static void
try_flags(void)
{
	const uint32_t all = SMELT_KERNEL_JOINED | SMELT_KERNEL_ALONE |
			     SMELT_KERNEL_PARTS | SMELT_KERNEL_COROUTINE;
	static const struct {
		enum kernel_id id;
		uint32_t flags;
	} expected[] = {
		{ID_saxpy, SMELT_KERNEL_JOINED},
		{ID_grid_stride, SMELT_KERNEL_JOINED},
		{ID_grid3, SMELT_KERNEL_JOINED},
		{ID_float_count, SMELT_KERNEL_JOINED | SMELT_KERNEL_ALONE},
		{ID_places, 0},
		{ID_thread_twice, 0},
		{ID_block_alone, 0},
		{ID_lane, 0},
		{ID_recurse, 0},
		{ID_reduce, SMELT_KERNEL_PARTS},
		{ID_barrier_panic, SMELT_KERNEL_PARTS},
		{ID_barrier_leave, SMELT_KERNEL_COROUTINE},
		{ID_warp_scan, SMELT_KERNEL_PARTS},
		{ID_vote, SMELT_KERNEL_PARTS},
		{ID_keep, SMELT_KERNEL_PARTS},
		{ID_apart, SMELT_KERNEL_COROUTINE},
	};

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		uint32_t flags = find_kernel(expected[i].id).flags & all;

		if (flags == expected[i].flags)
			continue;
		printf("FAIL flags of kernel %d: %x\n", (int)expected[i].id,
		       flags);
		failures++;
	}
}

int
main(void)
{
	uint32_t found = smelt_cpu_level;

	for (uint32_t level = 1; level <= found; level += 2) {
		smelt_cpu_level = level;
		alone = false;
#define X(name) try_shapes(#name, ID_##name, name, 300);
		PLAIN_KERNELS(X)
		alone = true;
		PLAIN_KERNELS(X)
#undef X
		try_shared();
		try_panics();
		try_warps();
		try_votes();
		try_keep(100, 1, 1);
		try_keep(25, 2, 2);
		try_keep(7, 3, 5);
		try_keep(64, 2, 1);
		try_apart();
	}
	try_flags();
	printf("%d failures\n", failures);
	return failures != 0;
}
