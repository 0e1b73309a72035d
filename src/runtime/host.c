/*
 * Kernels of a program that was built without smelt-cc: the host's own instance
 * of the entry is called for each thread of each block.
 *
 * A thread that waits at a barrier needs a stack of its own, one that does not
 * wait needs none. So threads are begun one after the other on one stack, by a
 * runner; only when a thread waits does its stack stay with it, and a fresh
 * runner begins the next threads. A kernel without barriers thus costs no
 * switches at all.
 */
#define _GNU_SOURCE
#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE (512u << 10)

struct runner {
	ucontext_t context;
	char *stack; /* its lowest page is a guard */
	struct runner *next;
};

struct host_run {
	struct host_block block; /* first: host_block() gives its address */
	smelt_stream *stream;
	const struct smelt_launch *launch;
	const void *params;
	uint32_t threads;
	uint32_t next;	   /* thread to begin */
	uint32_t begin_to; /* threads below it may be begun now */
	uint8_t waits[HOST_MAX_BLOCK];
	struct runner *runners[HOST_MAX_BLOCK]; /* of threads that wait */
	struct runner *runner;			/* that runs */
	ucontext_t scheduler;
	uint32_t refused_dims;
};

/* Block-shared memory of host instances is static, so one launch at a time. */
static pthread_mutex_t host_lock = PTHREAD_MUTEX_INITIALIZER;
static struct runner *free_runners;
static _Thread_local struct host_run *running;

struct host_block *
host_block(void)
{
	return running ? &running->block : NULL;
}

int
smelt_host_running(void)
{
	return running != NULL;
}

static void
set_current(struct host_run *run, uint32_t thread)
{
	const uint32_t *dim = run->block.shape.block;

	run->block.current = thread;
	run->block.thread[0] = thread % dim[0];
	thread /= dim[0];
	run->block.thread[1] = thread % dim[1];
	run->block.thread[2] = thread / dim[1];
}

static bool
is_alive(const struct host_run *run, uint32_t thread)
{
	return run->block.alive[thread / HOST_WARP] >> thread % HOST_WARP & 1;
}

/* ---- runners ---- */

/* Begins threads as long as there are any, then is free again. Never returns:
 * it is begun anew by the next makecontext. */
static void
runner_main(void)
{
	struct host_run *run = running;
	struct runner *self;

	while (run->next < run->begin_to) {
		uint32_t thread = run->next++;

		set_current(run, thread);
		run->launch->host_entry(run->params);
		/* It may have waited in between. */
		thread = run->block.current;
		run->block.alive[thread / HOST_WARP] &=
			~(1u << thread % HOST_WARP);
	}
	self = run->runner;
	self->next = free_runners;
	free_runners = self;
	setcontext(&run->scheduler);
}

static struct runner *
make_runner(void)
{
	struct runner *runner = calloc(1, sizeof(*runner));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!runner)
		return NULL;
	runner->stack =
		mmap(NULL, STACK_SIZE + page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (runner->stack == MAP_FAILED) {
		free(runner);
		return NULL;
	}
	mprotect(runner->stack, page, PROT_NONE);
	return runner;
}

static void
prepare(struct runner *runner, size_t guard)
{
	getcontext(&runner->context);
	runner->context.uc_stack.ss_sp = runner->stack + guard;
	runner->context.uc_stack.ss_size = STACK_SIZE;
	runner->context.uc_link = NULL;
	makecontext(&runner->context, runner_main, 0);
}

/* Runs a fresh runner until its thread waits or all are begun. */
static bool
begin_threads(struct host_run *run)
{
	struct runner *runner = free_runners;

	if (runner)
		free_runners = runner->next;
	else
		runner = make_runner();
	if (!runner)
		return false;
	prepare(runner, (size_t)sysconf(_SC_PAGESIZE));
	run->runner = runner;
	swapcontext(&run->scheduler, &runner->context);
	return true;
}

static void
resume_thread(struct host_run *run, uint32_t thread)
{
	set_current(run, thread);
	run->runner = run->runners[thread];
	swapcontext(&run->scheduler, &run->runner->context);
}

void
host_meet(enum smelt_cpu_suspend what)
{
	struct host_run *run = running;
	uint32_t thread = run->block.current;

	run->waits[thread] = (uint8_t)what;
	run->runners[thread] = run->runner;
	swapcontext(&run->runner->context, &run->scheduler);
}

_Noreturn void
host_refuse_dims(uint32_t dims)
{
	struct host_run *run = running;

	run->refused_dims = dims;
	run->runners[run->block.current] = run->runner;
	run->waits[run->block.current] = SMELT_CPU_BARRIER;
	setcontext(&run->scheduler);
	abort(); /* setcontext came back: its argument is broken */
}

/* ---- scheduling a block; the same order as in engine/cpu_block.c ---- */

static void
let_pass(struct host_run *run, uint32_t from, uint32_t to,
	 enum smelt_cpu_suspend what)
{
	for (uint32_t t = from; t < to; t++)
		if (run->waits[t] == what)
			run->waits[t] = SMELT_CPU_RUNNING;
}

/* True if some threads of the warp wait at a barrier. */
static bool
run_warp(struct host_run *run, uint32_t from, uint32_t to, bool *failed)
{
	run->begin_to = to;
	while (run->next < to && !run->refused_dims && !*failed)
		*failed = !begin_threads(run);
	while (!run->refused_dims && !*failed) {
		bool meets = false, waits = false;

		for (uint32_t t = from; t < to && !run->refused_dims; t++) {
			if (is_alive(run, t) &&
			    run->waits[t] == SMELT_CPU_RUNNING)
				resume_thread(run, t);
			if (!is_alive(run, t))
				continue;
			meets |= run->waits[t] == SMELT_CPU_WARP;
			waits |= run->waits[t] == SMELT_CPU_BARRIER;
		}
		if (!meets)
			return waits;
		run->block.met[from / HOST_WARP] =
			run->block.alive[from / HOST_WARP];
		let_pass(run, from, to, SMELT_CPU_WARP);
	}
	return false;
}

/* Threads that wait are given up: their stacks are free, nothing is unwound. */
static void
give_up(struct host_run *run)
{
	for (uint32_t t = 0; t < run->next; t++)
		if (is_alive(run, t) && run->runners[t]) {
			run->runners[t]->next = free_runners;
			free_runners = run->runners[t];
		}
}

static int
run_block(struct host_run *run)
{
	bool failed = false, waits;

	run->next = 0;
	memset(run->waits, 0, sizeof(run->waits));
	memset(run->runners, 0, sizeof(run->runners));
	memset(run->block.turn, 0, sizeof(run->block.turn));
	memset(run->block.alive, 0, sizeof(run->block.alive));
	for (uint32_t t = 0; t < run->threads; t++)
		run->block.alive[t / HOST_WARP] |= 1u << t % HOST_WARP;
	do {
		waits = false;
		for (uint32_t from = 0; from < run->threads;
		     from += HOST_WARP) {
			uint32_t to = from + HOST_WARP;

			waits |= run_warp(run, from,
					  to < run->threads ? to : run->threads,
					  &failed);
		}
		let_pass(run, 0, run->threads, SMELT_CPU_BARRIER);
	} while (waits && !run->refused_dims && !failed);
	if (run->refused_dims || failed)
		give_up(run);
	if (failed)
		return rt_error(SMELT_ENO_MEMORY,
				"no memory for the threads of a block");
	if (run->refused_dims)
		return rt_error(SMELT_ELAUNCH,
				"the kernel uses %u-dimensional indices and "
				"cannot run on a grid of more dimensions",
				run->refused_dims);
	return 0;
}

static int
run_blocks(struct host_run *run)
{
	const uint32_t *grid = run->block.shape.grid;
	uint32_t *block = run->block.block;
	int result = 0;

	for (block[2] = 0; block[2] < grid[2]; block[2]++)
		for (block[1] = 0; block[1] < grid[1]; block[1]++)
			for (block[0] = 0; block[0] < grid[0]; block[0]++) {
				result = run_block(run);
				if (result)
					return result;
			}
	return 0;
}

int
rt_host_run(smelt_stream *stream, const struct smelt_launch *launch,
	    const struct rt_shape *shape, const void *params)
{
	struct host_run *run;
	int result;

	run = calloc(1, sizeof(*run));
	if (!run)
		return rt_error(SMELT_ENO_MEMORY, "no memory for a launch");
	run->stream = stream;
	run->launch = launch;
	run->params = params;
	run->block.shape = *shape;
	run->threads = shape->block[0] * shape->block[1] * shape->block[2];
	run->block.dynamic_shared = calloc(1, launch->shared_bytes + 16u);
	if (!run->block.dynamic_shared) {
		free(run);
		return rt_error(SMELT_ENO_MEMORY,
				"no memory for %u bytes of shared memory",
				launch->shared_bytes);
	}
	pthread_mutex_lock(&host_lock);
	running = run;
	result = run_blocks(run);
	running = NULL;
	pthread_mutex_unlock(&host_lock);
	free(run->block.dynamic_shared);
	free(run);
	return result;
}

/* ---- panics ---- */

static void
copy_text(char *out, size_t size, const char *text, size_t len)
{
	if (!text)
		len = 0;
	if (len > size - 1)
		len = size - 1;
	if (len)
		memcpy(out, text, len);
	out[len] = 0;
}

void
smelt_host_panic(const char *message, size_t message_size, const char *file,
		 size_t file_size, uint32_t line, uint32_t column)
{
	struct host_run *run = running;
	struct smelt_panic *panic;

	if (!run)
		return;
	panic = &run->stream->panic;
	if (run->stream->host_panicked) {
		panic->threads++;
		return;
	}
	memset(panic, 0, sizeof(*panic));
	panic->size = sizeof(*panic);
	panic->threads = 1;
	panic->line = line;
	panic->column = column;
	memcpy(panic->block, run->block.block, sizeof(panic->block));
	memcpy(panic->thread, run->block.thread, sizeof(panic->thread));
	snprintf(panic->kernel, sizeof(panic->kernel), "(host instance)");
	copy_text(panic->message, sizeof(panic->message), message,
		  message_size);
	copy_text(panic->file, sizeof(panic->file), file, file_size);
	run->stream->has_panic = true;
	run->stream->host_panicked = true;
}
