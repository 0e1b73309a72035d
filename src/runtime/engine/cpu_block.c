/*
 * Running blocks on the CPU, by the ABI in smelt/image.h.
 *
 * A plain kernel runs a whole block in one call. With barriers each thread is a
 * coroutine, and the scheduler here resumes the threads of a warp until all
 * wait, then lets them pass together. Running thread after thread up to the
 * barrier without regard to warps would be simpler, and wrong: a warp operation
 * before the barrier needs all its lanes to have arrived at that operation, not
 * at the barrier.
 */
#include "cpu.h"
#include "cpu_watch.h"

#include <stdlib.h>
#include <string.h>

_Thread_local struct smelt_cpu_frame *smelt_cpu_current;

void
smelt_cpu_leave(void)
{
	struct cpu_worker *worker = (struct cpu_worker *)smelt_cpu_current;

	/* Only called below a running kernel. */
	longjmp(worker->leave, 1);
}

/* ---- memory for coroutine frames ---- */

struct cpu_chunk {
	struct cpu_chunk *next;
	size_t size;
	size_t used;
	_Alignas(16) char data[];
};

static struct cpu_chunk *
add_chunk(struct cpu_worker *worker, size_t size)
{
	struct cpu_chunk *chunk;

	if (size < 256 * 1024)
		size = 256 * 1024;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->size = size;
	chunk->used = 0;
	chunk->next = NULL;
	if (worker->chunk) {
		chunk->next = worker->chunk->next;
		worker->chunk->next = chunk;
	} else {
		worker->chunks = chunk;
	}
	worker->chunk = chunk;
	return chunk;
}

static void *
frame_alloc(struct smelt_cpu_frame *frame, uint64_t size)
{
	struct cpu_worker *worker = (struct cpu_worker *)frame;
	struct cpu_chunk *chunk = worker->chunk;

	size = (size + 15) & ~UINT64_C(15);
	while (chunk && chunk->size - chunk->used < size && chunk->next) {
		chunk = worker->chunk = chunk->next;
		chunk->used = 0;
	}
	if (!chunk || chunk->size - chunk->used < size)
		chunk = add_chunk(worker, size);
	if (!chunk) {
		worker->no_memory = true;
		longjmp(worker->leave, 1);
	}
	chunk->used += size;
	return chunk->data + chunk->used - size;
}

static void
free_frames(struct cpu_worker *worker)
{
	worker->chunk = worker->chunks;
	if (worker->chunk)
		worker->chunk->used = 0;
}

bool
cpu_worker_owns(const struct cpu_worker *worker, const void *address)
{
	const struct cpu_chunk *chunk = worker->chunks;

	while (chunk &&
	       (uintptr_t)address - (uintptr_t)chunk->data >= chunk->size)
		chunk = chunk->next;
	return chunk;
}

/* ---- workers ---- */

static size_t
round_16(size_t size)
{
	return (size + 15) & ~(size_t)15;
}

/* Threads are resumed so often that a division for each is too much. */
static void
find_places(struct cpu_worker *worker)
{
	const uint32_t *dim = worker->frame.block_dim;
	uint32_t(*place)[3] = worker->places;

	if (!memcmp(worker->placed_dim, dim, sizeof(worker->placed_dim)))
		return;
	memcpy(worker->placed_dim, dim, sizeof(worker->placed_dim));
	for (uint32_t z = 0; z < dim[2]; z++)
		for (uint32_t y = 0; y < dim[1]; y++)
			for (uint32_t x = 0; x < dim[0]; x++, place++) {
				(*place)[0] = x;
				(*place)[1] = y;
				(*place)[2] = z;
			}
}

bool
cpu_worker_begin(struct cpu_worker *worker, const struct engine_launch *launch)
{
	struct smelt_cpu_frame *frame = &worker->frame;
	size_t fixed = round_16(launch->kernel->shared_bytes);
	size_t size = fixed + launch->shared_bytes + 64;

	if (worker->shared_size < size) {
		free(worker->shared);
		size = (size + 4095) & ~(size_t)4095;
		worker->shared = aligned_alloc(64, size);
		worker->shared_size = worker->shared ? size : 0;
		if (!worker->shared)
			return false;
	}
	memset(frame, 0, sizeof(*frame));
	memcpy(frame->block_dim, launch->block, sizeof(frame->block_dim));
	memcpy(frame->grid_dim, launch->grid, sizeof(frame->grid_dim));
	frame->block = launch->params;
	frame->shared = worker->shared;
	frame->dynamic_shared = worker->shared + fixed;
	frame->frame_alloc = frame_alloc;
	frame->warp_values[0] = worker->warp_rows[0].threads;
	frame->warp_values[1] = worker->warp_rows[1].threads;
	frame->warp_alive = worker->warp_alive;
	worker->no_memory = false;
	if (launch->kernel->flags & SMELT_KERNEL_COROUTINE)
		find_places(worker);
	return true;
}

void
cpu_worker_free(struct cpu_worker *worker)
{
	while (worker->chunks) {
		struct cpu_chunk *next = worker->chunks->next;

		free(worker->chunks);
		worker->chunks = next;
	}
	free(worker->shared);
	free(worker);
}

/* ---- plain kernels ---- */

/* Moves start just behind the thread that left; false at the block's end. */
static bool
skip_thread(struct smelt_cpu_frame *frame)
{
	memcpy(frame->start, frame->current, sizeof(frame->start));
	for (int i = 0; i < 3; i++) {
		if (++frame->start[i] < frame->block_dim[i])
			return true;
		frame->start[i] = 0;
	}
	return false;
}

static void
run_plain(struct cpu_worker *worker, smelt_cpu_kernel *kernel)
{
	struct smelt_cpu_frame *frame = &worker->frame;

	memset(frame->start, 0, sizeof(frame->start));
	free_frames(worker);
	if (setjmp(worker->leave) == 0 ||
	    (!worker->no_memory && skip_thread(frame)))
		kernel(frame->block, frame);
}

/* ---- coroutine kernels ---- */

typedef void
resume_fn(void *handle);

uint32_t
cpu_current_thread(const struct smelt_cpu_frame *frame)
{
	const uint32_t *dim = frame->block_dim, *at = frame->current;

	return at[0] + dim[0] * (at[1] + dim[1] * at[2]);
}

/* Runs the thread up to its next suspension or end. */
static void
resume(struct cpu_worker *worker, uint32_t thread)
{
	void *handle = worker->handles[thread];
	struct smelt_cpu_frame *frame = &worker->frame;

	frame->suspend = SMELT_CPU_RUNNING;
	memcpy(frame->current, worker->places[thread], sizeof(frame->current));
	(*(resume_fn **)handle)(handle);
	if (!*(void **)handle)
		worker->handles[thread] = NULL;
	else
		worker->waits[thread] = (uint8_t)frame->suspend;
}

static void
let_pass(struct cpu_worker *worker, uint32_t from, uint32_t to,
	 enum smelt_cpu_suspend what)
{
	for (uint32_t t = from; t < to; t++)
		if (worker->waits[t] == what)
			worker->waits[t] = SMELT_CPU_RUNNING;
}

/* Runs a warp until all its threads wait at a barrier or have ended. True if
 * some wait. A thread may leave by longjmp: the loops keep nothing in locals
 * that they need after it but what begin_block_loop() set before. */
static bool
run_warp(struct cpu_worker *worker, uint32_t from, uint32_t to)
{
	for (;;) {
		bool meets = false, waits = false;
		uint32_t alive = 0;

		for (uint32_t t = from; t < to; t++) {
			while (worker->handles[t] &&
			       worker->waits[t] == SMELT_CPU_RUNNING)
				resume(worker, t);
			if (!worker->handles[t])
				continue;
			alive |= 1u << (t - from);
			meets |= worker->waits[t] == SMELT_CPU_WARP;
			waits |= worker->waits[t] == SMELT_CPU_BARRIER;
		}
		if (!meets)
			return waits;
		if (worker->watch)
			cpu_watch_warp(worker, from, to);
		/* As they meet: a lane may end before another one reads. */
		worker->warp_alive[from / CPU_WARP] = alive;
		let_pass(worker, from, to, SMELT_CPU_WARP);
	}
}

static void
start_threads(struct cpu_worker *worker, smelt_cpu_ramp *ramp)
{
	struct smelt_cpu_frame *frame = &worker->frame;
	uint32_t thread = 0;

	memset(worker->warp_alive, 0, sizeof(worker->warp_alive));
	free_frames(worker);
	for (uint32_t z = 0; z < frame->block_dim[2]; z++)
		for (uint32_t y = 0; y < frame->block_dim[1]; y++)
			for (uint32_t x = 0; x < frame->block_dim[0]; x++) {
				worker->handles[thread] =
					ramp(frame->block, frame, x, y, z);
				worker->waits[thread] = SMELT_CPU_RUNNING;
				thread++;
			}
}

/* A thread that leaves comes back to the setjmp: it is ended there, and the
 * block goes on with what the arrays say, from its first warp; warps that wait
 * already are passed over at once. */
static void
run_coroutines(struct cpu_worker *worker, smelt_cpu_ramp *ramp)
{
	struct smelt_cpu_frame *frame = &worker->frame;
	const uint32_t *dim = frame->block_dim;
	const uint32_t threads = dim[0] * dim[1] * dim[2];

	if (setjmp(worker->leave) != 0) {
		if (worker->no_memory)
			return;
		worker->handles[cpu_current_thread(frame)] = NULL;
	} else {
		start_threads(worker, ramp);
	}
	for (;;) {
		bool waits = false;

		for (uint32_t from = 0; from < threads; from += CPU_WARP) {
			uint32_t to = from + CPU_WARP;

			waits |= run_warp(worker, from,
					  to < threads ? to : threads);
		}
		if (!waits)
			return;
		if (worker->watch)
			cpu_watch_barrier(worker, threads);
		let_pass(worker, 0, threads, SMELT_CPU_BARRIER);
	}
}

/* ---- a run of blocks ---- */

static void
next_block(struct smelt_cpu_frame *frame, uint32_t step)
{
	frame->block_idx[0] += step;
	for (int i = 0; i < 2; i++) {
		if (frame->block_idx[i] < frame->grid_dim[i])
			return;
		frame->block_idx[i] = 0;
		frame->block_idx[i + 1]++;
	}
}

/* How many of the `left` blocks are run in one call. A thread's x is a number
 * of 32 bits in the joined row too. */
static uint32_t
joined_blocks(const struct smelt_cpu_frame *frame, uint64_t left)
{
	uint32_t row = frame->grid_dim[0] - frame->block_idx[0];
	uint32_t most = UINT32_MAX / frame->block_dim[0];

	if (row > most)
		row = most;
	return row < left ? row : (uint32_t)left;
}

/* Object and function pointers have one form on the machines that the CPU
 * target knows; C only wants it said through memory. */
union code {
	void *pointer;
	smelt_cpu_kernel *kernel;
	smelt_cpu_ramp *ramp;
};

bool
cpu_run_blocks(struct cpu_worker *worker, const struct engine_launch *launch,
	       uint64_t first, uint64_t count)
{
	struct smelt_cpu_frame *frame = &worker->frame;
	union code code = {.pointer = launch->kernel->handle};
	struct smelt_cpu_frame *outer = smelt_cpu_current;
	uint64_t block = first;

	frame->block_idx[0] = (uint32_t)(first % launch->grid[0]);
	first /= launch->grid[0];
	frame->block_idx[1] = (uint32_t)(first % launch->grid[1]);
	frame->block_idx[2] = (uint32_t)(first / launch->grid[1]);
	smelt_cpu_current = frame;
	while (count && !worker->no_memory) {
		uint32_t step = 1;

		if (launch->kernel->flags & SMELT_KERNEL_JOINED)
			step = joined_blocks(frame, count);
		frame->row = step * frame->block_dim[0];
		if (worker->watch)
			cpu_watch_block(worker, block++);
		if (launch->kernel->flags & SMELT_KERNEL_COROUTINE)
			run_coroutines(worker, code.ramp);
		else
			run_plain(worker, code.kernel);
		next_block(frame, step);
		count -= step;
	}
	smelt_cpu_current = outer;
	return !worker->no_memory;
}
