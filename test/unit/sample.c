/*
 * Hand-made kernels and their table. The coroutines are state machines in the
 * form that LLVM gives a switch-resumed coroutine: word 0 of the frame is the
 * function to resume.
 */
#define _GNU_SOURCE
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What smelt-cc puts in place of a panic. */
static void
record(struct smelt_cpu_frame *frame, uint32_t site, uint64_t a, uint64_t b,
       const uint32_t thread[3])
{
	struct smelt_device_state *state =
		(void *)(uintptr_t)frame->block->state;

	if (__atomic_fetch_add(&state->panicked, 1, __ATOMIC_RELAXED))
		return;
	state->site = site;
	state->launch = frame->block->launch;
	state->args[0] = a;
	state->args[1] = b;
	memcpy(state->block, frame->block_idx, sizeof(state->block));
	memcpy(state->thread, thread, sizeof(state->thread));
	__atomic_store_n((uint32_t *)(uintptr_t)state->host_word, 1,
			 __ATOMIC_RELEASE);
}

static uint64_t
index_of(const struct smelt_cpu_frame *frame, uint32_t x)
{
	return (uint64_t)frame->block_idx[0] * frame->block_dim[0] + x;
}

static void
add(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;

	for (uint32_t x = frame->start[0]; x < frame->block_dim[0]; x++)
		if (index_of(frame, x) < block->n)
			block->out[index_of(frame, x)] += block->value;
}

/* The sites behind those of the panics. */
enum { SITE_BEGIN = 3, SITE_MIDDLE, SITE_END, SITE_TEXT };

static void
print(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;

	for (uint32_t x = frame->start[0]; x < frame->block_dim[0]; x++) {
		if (index_of(frame, x) >= block->n)
			continue;
		frame->words[0] = block->value;
		smelt_cpu_print(frame, SITE_BEGIN, 1, x, 0, 0);
		frame->words[0] = index_of(frame, x);
		smelt_cpu_print(frame, SITE_MIDDLE, 1, x, 0, 0);
		frame->words[0] = block->n;
		smelt_cpu_print(frame, SITE_END, 1, x, 0, 0);
	}
}

static void
text(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;
	struct smelt_device_state *state =
		(void *)(uintptr_t)frame->block->state;

	for (uint32_t x = frame->start[0]; x < frame->block_dim[0]; x++) {
		uint32_t thread[3] = {x, 0, 0};

		if (index_of(frame, x) != block->n)
			continue;
		state->words[0] = block->value;
		record(frame, SITE_TEXT, 0, 0, thread);
	}
}

static void
bounds(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;

	for (uint32_t x = frame->start[0]; x < frame->block_dim[0]; x++) {
		uint64_t i = index_of(frame, x);
		uint32_t thread[3] = {x, 0, 0};

		if (i < block->n)
			block->out[i]++;
		else
			record(frame, 0, i, block->n, thread);
	}
}

static __attribute__((noinline)) void
check(const struct sample_block *block, uint64_t i)
{
	if (i % 7 != 3)
		return;
	record(smelt_cpu_current, 1, i, block->n, smelt_cpu_current->current);
	smelt_cpu_leave();
}

static void
leave(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;

	for (uint32_t z = frame->start[2]; z < frame->block_dim[2]; z++) {
		uint32_t y = z == frame->start[2] ? frame->start[1] : 0;

		for (; y < frame->block_dim[1]; y++) {
			bool first =
				z == frame->start[2] && y == frame->start[1];
			uint32_t x = first ? frame->start[0] : 0;

			for (; x < frame->block_dim[0]; x++) {
				uint64_t i =
					x +
					frame->block_dim[0] *
						(y +
						 (uint64_t)z *
							 frame->block_dim[1]);

				frame->current[0] = x;
				frame->current[1] = y;
				frame->current[2] = z;
				check(block, i);
				block->out[i]++;
			}
		}
	}
}

static void
count(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;
	uint64_t threads = (uint64_t)frame->block_dim[0] * frame->block_dim[1] *
			   frame->block_dim[2];

	__atomic_fetch_add(&block->out[0], threads, __ATOMIC_RELAXED);
	/* The last thread of all, as it sees itself. */
	if (index_of(frame, frame->block_dim[0] - 1) + 1 == block->n)
		block->out[1] = block->n;
}

/* Slow enough to be seen where it is not alone after all. */
static void
count_alone(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;
	volatile uint64_t *out = block->out;
	uint64_t before;

	if (!frame->alone) {
		__atomic_fetch_add(&block->out[0], frame->block_dim[0],
				   __ATOMIC_RELAXED);
		return;
	}
	before = out[0];
	for (volatile int i = 0; i < 100; i++)
		;
	out[0] = before + frame->block_dim[0];
	out[1]++;
}

static void
shared(const void *data, struct smelt_cpu_frame *frame)
{
	const struct sample_block *block = data;

	memset(frame->shared, 1, 40000);
	block->out[0] = (uint64_t)(frame->dynamic_shared - frame->shared);
}

static void
race(const void *data, struct smelt_cpu_frame *frame)
{
	static struct smelt_cpu_site read = {"src/race.rs", 7, 5, 0, 0};
	static struct smelt_cpu_site write = {"src/race.rs", 8, 9, 0, 0};
	const struct sample_block *block = data;

	for (uint32_t x = 0; x < frame->block_dim[0]; x++) {
		frame->current[0] = x;
		smelt_cpu_watch_access(block->out, 8, SMELT_CPU_READ, &read);
		if (x == block->n)
			smelt_cpu_watch_access(block->out, 8, SMELT_CPU_WRITE,
					       &write);
		if (x > block->n && x == 5)
			record(frame, 2, 0, 0, frame->current);
	}
}

/* ---- coroutines ---- */

struct thread {
	void (*resume)(struct thread *thread);
	struct smelt_cpu_frame *frame;
	const struct sample_block *block;
	uint32_t x;
	uint32_t step;
	uint64_t sum;
};

static void *
begin(const void *data, struct smelt_cpu_frame *frame, uint32_t x,
      void (*resume)(struct thread *thread))
{
	struct thread *thread = frame->frame_alloc(frame, sizeof(*thread));

	memset(thread, 0, sizeof(*thread));
	thread->resume = resume;
	thread->frame = frame;
	thread->block = data;
	thread->x = x;
	return thread;
}

/* A tree over shared memory: 1 store, a barrier, then halves. */
static void
reduce_resume(struct thread *thread)
{
	struct smelt_cpu_frame *frame = thread->frame;
	uint64_t *sums = (uint64_t *)(void *)frame->dynamic_shared;
	uint32_t half = frame->block_dim[0] >> thread->step;

	if (thread->step == 0)
		sums[thread->x] = index_of(frame, thread->x);
	else if (thread->x < half)
		sums[thread->x] += sums[thread->x + half];
	if (half == 1) {
		if (thread->x == 0)
			thread->block->out[frame->block_idx[0]] = sums[0];
		thread->resume = NULL;
		return;
	}
	thread->step++;
	frame->suspend = SMELT_CPU_BARRIER;
}

static void *
reduce(const void *data, struct smelt_cpu_frame *frame, uint32_t x, uint32_t y,
       uint32_t z)
{
	(void)y;
	(void)z;
	return begin(data, frame, x, reduce_resume);
}

/* Butterfly: five exchanges, rows in turn. */
static void
warp_resume(struct thread *thread)
{
	struct smelt_cpu_frame *frame = thread->frame;

	const uint64_t *row = frame->warp_values[(thread->step + 1) & 1];

	if (thread->step == 0) {
		thread->sum = index_of(frame, thread->x);
	} else {
		uint32_t other = thread->x ^ 1u << (thread->step - 1);
		uint32_t alive = frame->warp_alive[thread->x / 32];

		if (alive >> other % 32 & 1)
			thread->sum += row[other];
	}
	if (thread->step == 5) {
		thread->block->out[index_of(frame, thread->x)] = thread->sum;
		thread->resume = NULL;
		return;
	}
	frame->warp_values[thread->step & 1][thread->x] = thread->sum;
	thread->step++;
	frame->suspend = SMELT_CPU_WARP;
}

static void *
warp(const void *data, struct smelt_cpu_frame *frame, uint32_t x, uint32_t y,
     uint32_t z)
{
	(void)y;
	(void)z;
	return begin(data, frame, x, warp_resume);
}

/* Threads >= n end early, some by a panic that leaves; the others still meet.
 */
static void
ragged_resume(struct thread *thread)
{
	struct smelt_cpu_frame *frame = thread->frame;
	uint64_t *seen = (uint64_t *)(void *)frame->dynamic_shared;

	if (thread->step++ == 0) {
		if (thread->x == 0)
			*seen = 0;
		frame->suspend = SMELT_CPU_BARRIER;
		return;
	}
	if (thread->step == 2) {
		if (thread->x >= thread->block->n) {
			if (thread->x % 2) {
				record(frame, 2, 0, 0, frame->current);
				smelt_cpu_leave();
			}
			thread->resume = NULL;
			return;
		}
		++*seen;
		frame->suspend = SMELT_CPU_BARRIER;
		return;
	}
	thread->block->out[index_of(frame, thread->x)] = *seen;
	thread->resume = NULL;
}

static void *
ragged(const void *data, struct smelt_cpu_frame *frame, uint32_t x, uint32_t y,
       uint32_t z)
{
	(void)y;
	(void)z;
	return begin(data, frame, x, ragged_resume);
}

/* ---- the table ---- */

static const struct {
	const char *name;
	void (*code)(void);
	uint32_t flags;
	uint32_t max_threads;
	uint32_t shared_bytes;
} kernels[SAMPLE_COUNT_OF] = {
	[SAMPLE_ADD] = {"t::add", (void (*)(void))add, SMELT_KERNEL_INDEX1, 0,
			0},
	[SAMPLE_BOUNDS] = {"t::bounds", (void (*)(void))bounds, 0, 0, 0},
	[SAMPLE_LEAVE] = {"t::leave", (void (*)(void))leave, 0, 0, 0},
	[SAMPLE_COUNT] = {"t::count", (void (*)(void))count, 0, 0, 0},
	[SAMPLE_REDUCE] = {"t::reduce", (void (*)(void))reduce,
			   SMELT_KERNEL_COROUTINE | SMELT_KERNEL_BARRIER, 0, 0},
	[SAMPLE_WARP] = {"t::warp", (void (*)(void))warp,
			 SMELT_KERNEL_COROUTINE | SMELT_KERNEL_BARRIER, 0, 0},
	[SAMPLE_RAGGED] = {"t::ragged", (void (*)(void))ragged,
			   SMELT_KERNEL_COROUTINE | SMELT_KERNEL_BARRIER, 0, 0},
	[SAMPLE_SMALL] = {"t::small", (void (*)(void))add, SMELT_KERNEL_INDEX2,
			  64, 0},
	[SAMPLE_NO_CPU] = {"t::no_cpu", NULL, 0, 0, 0},
	[SAMPLE_SHARED] = {"t::shared", (void (*)(void))shared, 0, 0, 40000},
	[SAMPLE_ALIGNED] = {"t::aligned", (void (*)(void))add, 0, 0, 0},
	[SAMPLE_TWICE_1] = {"t::twice", (void (*)(void))add, 0, 0, 0},
	[SAMPLE_TWICE_2] = {"t::twice", (void (*)(void))add, 0, 0, 0},
	[SAMPLE_RACE] = {"t::race", (void (*)(void))race, SMELT_KERNEL_WATCHED,
			 0, 0},
	[SAMPLE_PRINT] = {"t::print", (void (*)(void))print, SMELT_KERNEL_PRINT,
			  0, 0},
	[SAMPLE_ALONE] = {"t::alone", (void (*)(void))count_alone,
			  SMELT_KERNEL_ALONE, 0, 0},
	[SAMPLE_TEXT] = {"t::text", (void (*)(void))text, 0, 0, 0},
};

static const struct image_site sites[] = {
	{SMELT_PANIC_BOUNDS, "", "src/main.rs", 5, 9},
	{SMELT_PANIC_RANGE,
	 "range end index {} out of range for slice of length {}", "src/lib.rs",
	 77, 3},
	{SMELT_PANIC_ARITH, "attempt to divide by zero", "src/lib.rs", 12, 1},
	{SMELT_PANIC_TEXT, "{u64}: ", "src/lib.rs", 13, 1},
	{SMELT_PANIC_TEXT, "{u8} of", "src/lib.rs", 14, 1},
	{SMELT_PANIC_TEXT, " {u64}\n", "src/lib.rs", 15, 1},
	{SMELT_PANIC_TEXT, "{{ {f64:?} }}", "src/lib.rs", 16, 1},
};

void
sample_use_fake(void)
{
	char path[4096] = "";
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 32);
	char *name = len > 0 ? strrchr(path, '/') : NULL;

	if (!name)
		abort();
	/* Programs of the thread sanitizer have one of their own. */
	strcpy(name, strncmp(name, "/tsan-", 6) ? "/fake_offload.so"
						: "/tsan/fake_offload.so");
	setenv("SMELT_OFFLOAD_LIB", path, 1);
}

void
sample_id(enum sample_kernel kernel, uint64_t id[2])
{
	id[0] = 0x9e3779b97f4a7c15u * (kernel + 1u);
	id[1] = 100u + kernel;
}

struct smelt_launch
sample_launch(enum sample_kernel kernel, const struct sample_block *block,
	      uint64_t n)
{
	struct smelt_launch launch = {.size = sizeof(launch),
				      .grid_kind = 1,
				      .grid = {n, 1, 1},
				      .params = block,
				      .params_size = sizeof(*block),
				      .params_align = 8};

	smelt_at("here.c", 6, 1);
	sample_id(kernel, launch.kernel);
	return launch;
}

/* add and bounds for a real GPU; the panic writes the same record. */
static const char ptx_75[] =
	".version 6.4\n.target sm_75\n.address_size 64\n"
	".visible .entry add(.param .align 8 .b8 p[40])\n"
	"{\n"
	"	.reg .b32 %r<4>; .reg .b64 %d<8>; .reg .pred %p;\n"
	"	ld.param.u64 %d0, [p+16];\n"
	"	ld.param.u64 %d1, [p+24];\n"
	"	ld.param.u64 %d2, [p+32];\n"
	"	mov.u32 %r0, %ctaid.x;\n"
	"	mov.u32 %r1, %ntid.x;\n"
	"	mov.u32 %r2, %tid.x;\n"
	"	cvt.u64.u32 %d3, %r2;\n"
	"	mad.wide.u32 %d3, %r0, %r1, %d3;\n"
	"	setp.ge.u64 %p, %d3, %d1;\n"
	"	@%p ret;\n"
	"	shl.b64 %d4, %d3, 3;\n"
	"	add.u64 %d4, %d4, %d0;\n"
	"	ld.global.u64 %d5, [%d4];\n"
	"	add.u64 %d5, %d5, %d2;\n"
	"	st.global.u64 [%d4], %d5;\n"
	"	ret;\n"
	"}\n"
	".visible .entry aligned(.param .align 64 .b8 p[64])\n"
	"{\n"
	"	.reg .b32 %r<4>; .reg .b64 %d<8>; .reg .pred %p;\n"
	"	ld.param.u64 %d0, [p+16];\n"
	"	ld.param.u64 %d1, [p+24];\n"
	"	ld.param.u64 %d2, [p+32];\n"
	"	mov.u32 %r0, %ctaid.x;\n"
	"	mov.u32 %r1, %ntid.x;\n"
	"	mov.u32 %r2, %tid.x;\n"
	"	cvt.u64.u32 %d3, %r2;\n"
	"	mad.wide.u32 %d3, %r0, %r1, %d3;\n"
	"	setp.ge.u64 %p, %d3, %d1;\n"
	"	@%p ret;\n"
	"	shl.b64 %d4, %d3, 3;\n"
	"	add.u64 %d4, %d4, %d0;\n"
	"	ld.global.u64 %d5, [%d4];\n"
	"	add.u64 %d5, %d5, %d2;\n"
	"	st.global.u64 [%d4], %d5;\n"
	"	ret;\n"
	"}\n"
	".visible .entry bounds(.param .align 8 .b8 p[40])\n"
	"{\n"
	"	.reg .b32 %r<6>; .reg .b64 %d<10>; .reg .pred %p;\n"
	"	ld.param.u64 %d0, [p+16];\n"
	"	ld.param.u64 %d1, [p+24];\n"
	"	mov.u32 %r0, %ctaid.x;\n"
	"	mov.u32 %r1, %ntid.x;\n"
	"	mov.u32 %r2, %tid.x;\n"
	"	cvt.u64.u32 %d3, %r2;\n"
	"	mad.wide.u32 %d3, %r0, %r1, %d3;\n"
	"	setp.ge.u64 %p, %d3, %d1;\n"
	"	@%p bra PANIC;\n"
	"	shl.b64 %d4, %d3, 3;\n"
	"	add.u64 %d4, %d4, %d0;\n"
	"	ld.global.u64 %d5, [%d4];\n"
	"	add.u64 %d5, %d5, 1;\n"
	"	st.global.u64 [%d4], %d5;\n"
	"	ret;\n"
	"PANIC:\n"
	"	ld.param.u64 %d6, [p];\n"
	"	ld.param.u64 %d7, [p+8];\n"
	"	atom.global.add.u32 %r3, [%d6], 1;\n"
	"	setp.ne.u32 %p, %r3, 0;\n"
	"	@%p ret;\n"
	"	st.global.u32 [%d6+4], 0;\n"
	"	st.global.u64 [%d6+8], %d7;\n"
	"	st.global.u64 [%d6+16], %d3;\n"
	"	st.global.u64 [%d6+24], %d1;\n"
	"	st.global.u32 [%d6+32], %r0;\n"
	"	st.global.u32 [%d6+36], 0;\n"
	"	st.global.u32 [%d6+40], 0;\n"
	"	st.global.u32 [%d6+44], %r2;\n"
	"	st.global.u32 [%d6+48], 0;\n"
	"	st.global.u32 [%d6+52], 0;\n"
	"	ld.global.u64 %d8, [%d6+56];\n"
	"	membar.sys;\n"
	"	st.volatile.u32 [%d8], 1;\n"
	"	ret;\n"
	"}\n";

static struct image_binary binaries[] = {
	{SMELT_IMAGE_PTX, "nvptx64-nvidia-cuda", "sm_75", ptx_75,
	 sizeof(ptx_75) - 1},
	{SMELT_IMAGE_PTX, "nvptx64-nvidia-cuda", "sm_80", "//80", 4},
	{SMELT_IMAGE_CUBIN, "nvptx64-nvidia-cuda", "sm_90",
	 "\x7f"
	 "ELF90",
	 6},
	{SMELT_IMAGE_OBJECT, "amdgcn-amd-amdhsa", "gfx90a",
	 "\x7f"
	 "ELFgfx90a",
	 10},
};
static struct image_binary *const amd = &binaries[array_count(binaries) - 1];

void
sample_use_amd(const char *arch, const char *path)
{
	static char code[1 << 20];
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		exit(2);
	}
	amd->arch = arch;
	amd->data = code;
	amd->size = fread(code, 1, sizeof(code), file);
	fclose(file);
}

static void
make_images(struct arena *arena, struct buf *images,
	    struct image_target *targets)
{
	for (size_t i = 0; i < array_count(binaries); i++) {
		targets[i].image = (uint32_t)i;
		targets[i].check =
			image_checksum(binaries[i].data, binaries[i].size);
		image_binary_write(arena, images, &binaries[i]);
	}
}

struct smelt_image *
sample_image(void)
{
	static struct image_target targets[] = {
		{SMELT_TARGET_CPU, "x86_64", SMELT_UNKNOWN, 0},
		{SMELT_TARGET_NVPTX, "sm_75", 0, 0},
		{SMELT_TARGET_NVPTX, "sm_80", 0, 0},
		{SMELT_TARGET_NVPTX, "sm_90", 0, 0},
		{SMELT_TARGET_AMDGPU, NULL, 0, 0},
	};
	/* BOUNDS on sm_90: no thread's number reaches n. */
	static const struct smelt_table_term terms[] = {
		{.op = SMELT_TERM_BLOCK, .width = 32},
		{.op = SMELT_TERM_BLOCK_DIM, .width = 32},
		{.op = SMELT_TERM_MUL, .width = 64, .a = 0, .b = 1},
		{.op = SMELT_TERM_THREAD, .width = 32},
		{.op = SMELT_TERM_ADD, .width = 64, .a = 2, .b = 3},
		{.op = SMELT_TERM_FIELD,
		 .width = 64,
		 .value = offsetof(struct sample_block, n)},
		{.op = SMELT_TERM_NEED_BELOW, .width = 64, .a = 4, .b = 5},
	};
	static struct image_kernel list[SAMPLE_COUNT_OF];
	static struct smelt_table_resources resources[SAMPLE_COUNT_OF]
						     [array_count(targets)];
	static union {
		void (*code)(void);
		const void *pointer;
	} code[SAMPLE_COUNT_OF];
	static const void *functions[SAMPLE_COUNT_OF];
	static struct arena arena;
	static struct buf table, images;
	static struct smelt_image image;
	static bool made;
	struct image_contents contents = {
		.kernels = list,
		.kernel_count = SAMPLE_COUNT_OF,
		.targets = targets,
		.target_count = array_count(targets),
		.resources = &resources[0][0],
		.sites = sites,
		.site_count = array_count(sites),
		.terms = terms,
		.term_count = array_count(terms),
	};

	if (made)
		return &image;
	made = true;
	targets[array_count(targets) - 1].arch = amd->arch;
	for (uint32_t i = 0; i < SAMPLE_COUNT_OF; i++) {
		struct image_kernel *kernel = &list[i];

		sample_id((enum sample_kernel)i, kernel->id);
		kernel->symbol = kernels[i].name + 3;
		kernel->name = kernels[i].name;
		kernel->file = "src/main.rs";
		kernel->line = 10 + i;
		kernel->block_size = sizeof(struct sample_block);
		kernel->block_align = 8;
		if (i == SAMPLE_ALIGNED) {
			kernel->block_size = sizeof(struct sample_aligned);
			kernel->block_align = 64;
		}
		kernel->max_threads = kernels[i].max_threads;
		kernel->flags = kernels[i].flags;
		for (size_t t = 0; t < array_count(targets); t++)
			resources[i][t] = (struct smelt_table_resources){
				SMELT_UNKNOWN,
				SMELT_UNKNOWN,
				SMELT_UNKNOWN,
				kernels[i].shared_bytes,
				0,
				0};
		code[i].code = kernels[i].code;
		functions[i] = code[i].pointer;
	}
	resources[SAMPLE_BOUNDS][3].term_count = array_count(terms);
	make_images(&arena, &images, targets + 1);
	image_table_write(&arena, &table, &contents);
	image = (struct smelt_image){.abi = SMELT_TABLE_VERSION,
				     .size = sizeof(image),
				     .table = table.data,
				     .table_size = table.len,
				     .images = images.data,
				     .images_size = images.len,
				     .cpu_kernels = functions,
				     .cpu_kernel_count = SAMPLE_COUNT_OF};
	return &image;
}
