/*
 * The CPU as a device: read this engine first.
 *
 * Work is over when the call returns, so queues and events are nothing, and
 * device memory is the host's. What remains is to spread the blocks of a launch
 * over OS threads. The calling thread begins alone, and wakes the others only
 * after WAKE_NS: most launches of a few blocks are over before a sleeping
 * thread could have been woken.
 *
 * While it is alone it runs kernels with atomics in their plain variant
 * (SMELT_KERNEL_ALONE), and keeps other threads' launches waiting: it is soon
 * over, or has the device's only thread.
 */
#define _GNU_SOURCE
#include "cpu.h"
#include "../runtime.h"
#include "cpu_watch.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAKE_NS 20000

/* A launch that several threads work on. */
struct job {
	const struct engine_launch *launch;
	uint64_t total;
	_Atomic uint64_t next; /* block */
	atomic_bool failed;
};

static struct {
	pthread_mutex_t turn; /* held by the launch that uses the threads */
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t work;
	pthread_cond_t idle;
	pthread_cond_t crowd; /* may begin: nobody is alone any more */
	unsigned launches;    /* that have begun and not ended */
	bool alone;	      /* one of them, and no other may begin */
	struct job *job;
	uint64_t round;	   /* counts jobs, so that none is taken twice */
	unsigned busy;	   /* threads at work on the job */
	unsigned started;  /* threads that there are, this one not counted */
	unsigned wanted;   /* the same, once started */
	bool cannot_start; /* the system gave no more threads */
	struct cpu_worker *spare;
} pool = {.turn = PTHREAD_MUTEX_INITIALIZER,
	  .lock = PTHREAD_MUTEX_INITIALIZER,
	  .work = PTHREAD_COND_INITIALIZER,
	  .idle = PTHREAD_COND_INITIALIZER,
	  .crowd = PTHREAD_COND_INITIALIZER};

static uint64_t
now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* ---- workers, kept between launches ---- */

/* pool.lock is held. NULL if there is no memory. */
static struct cpu_worker *
take_worker(void)
{
	struct cpu_worker *worker = pool.spare;

	if (worker)
		pool.spare = worker->next;
	return worker ? worker : calloc(1, sizeof(*worker));
}

/* pool.lock is held. worker may be NULL. */
static void
return_worker(struct cpu_worker *worker)
{
	if (!worker)
		return;
	worker->next = pool.spare;
	pool.spare = worker;
}

/* ---- launches ---- */

/* Waits while another launch is alone; *alone says whether to be so is wanted,
 * and whether it is given. */
static struct cpu_worker *
begin_launch(bool *alone)
{
	struct cpu_worker *worker;

	pthread_mutex_lock(&pool.lock);
	while (pool.alone)
		pthread_cond_wait(&pool.crowd, &pool.lock);
	*alone = *alone && pool.launches == 0;
	pool.alone = *alone;
	pool.launches++;
	worker = take_worker();
	pthread_mutex_unlock(&pool.lock);
	return worker;
}

/* pool.lock is held, by the launch that is alone. */
static void
admit_others(void)
{
	pool.alone = false;
	pthread_cond_broadcast(&pool.crowd);
}

static void
end_launch(struct cpu_worker *worker, bool alone)
{
	pthread_mutex_lock(&pool.lock);
	return_worker(worker);
	pool.launches--;
	if (alone)
		admit_others();
	pthread_mutex_unlock(&pool.lock);
}

/* ---- sharing out the blocks ---- */

/* Takes blocks for one thread of `threads`: a share of what is left, so that
 * chunks are large at first and even out at the end; all if it is alone. 0:
 * none is left. */
static uint64_t
take_blocks(struct job *job, unsigned threads, uint64_t most, uint64_t *first)
{
	uint64_t next = atomic_load_explicit(&job->next, memory_order_relaxed);
	uint64_t count;

	do {
		count = job->total - next;
		if (threads > 1)
			count /= 4 * threads;
		if (count > most)
			count = most;
		if (!count)
			count = 1;
		if (next >= job->total)
			return 0;
	} while (!atomic_compare_exchange_weak_explicit(
		&job->next, &next, next + count, memory_order_relaxed,
		memory_order_relaxed));
	*first = next;
	return count;
}

static void
work_on(struct job *job, struct cpu_worker *worker)
{
	uint64_t first, count;

	while ((count = take_blocks(job, pool.wanted + 1, UINT64_MAX, &first)))
		if (!cpu_run_blocks(worker, job->launch, first, count))
			atomic_store(&job->failed, true);
}

static void *
thread_main(void *unused)
{
	uint64_t seen = 0;

	(void)unused;
	pthread_mutex_lock(&pool.lock);
	for (;;) {
		struct cpu_worker *worker;
		struct job *job;

		while (!pool.job || pool.round == seen)
			pthread_cond_wait(&pool.work, &pool.lock);
		seen = pool.round;
		job = pool.job;
		pool.busy++;
		worker = take_worker();
		pthread_mutex_unlock(&pool.lock);
		/* Without a worker the others do this thread's part. */
		if (worker && cpu_worker_begin(worker, job->launch))
			work_on(job, worker);
		pthread_mutex_lock(&pool.lock);
		return_worker(worker);
		if (--pool.busy == 0)
			pthread_cond_signal(&pool.idle);
	}
	return NULL;
}

/* pool.turn is held. Fewer threads than wanted are no error. */
static void
start_threads(void)
{
	pthread_attr_t attr;

	if (pool.started == pool.wanted || pool.cannot_start)
		return;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, 8u << 20);
	while (pool.started < pool.wanted && !pool.cannot_start) {
		pthread_t thread;

		if (pthread_create(&thread, &attr, thread_main, NULL))
			pool.cannot_start = true;
		else
			pool.started++;
	}
	pthread_attr_destroy(&attr);
}

static void
run_shared(struct job *job, struct cpu_worker *worker, bool *alone)
{
	start_threads();
	worker->frame.alone = 0;
	pthread_mutex_lock(&pool.lock);
	if (*alone)
		admit_others();
	*alone = false;
	pool.job = job;
	pool.round++;
	pthread_cond_broadcast(&pool.work);
	pthread_mutex_unlock(&pool.lock);
	work_on(job, worker);
	pthread_mutex_lock(&pool.lock);
	pool.job = NULL;
	while (pool.busy)
		pthread_cond_wait(&pool.idle, &pool.lock);
	pthread_mutex_unlock(&pool.lock);
}

/* Runs blocks here for a while, in growing steps. True if some are left when it
 * is worth waking the others. */
static bool
run_alone(struct job *job, struct cpu_worker *worker, bool may_share)
{
	uint64_t begun = may_share ? now_ns() : 0;
	uint64_t most = may_share ? 1 : UINT64_MAX;
	uint64_t first, count;

	while ((count = take_blocks(job, may_share ? pool.wanted + 1 : 1, most,
				    &first))) {
		if (!cpu_run_blocks(worker, job->launch, first, count))
			atomic_store(&job->failed, true);
		if (!may_share)
			continue;
		if (now_ns() - begun > WAKE_NS)
			return atomic_load(&job->next) < job->total;
		most *= 2;
	}
	return false;
}

static int
no_memory(void)
{
	return rt_error(SMELT_ENO_MEMORY,
			"no memory to run a block on the CPU");
}

static int
no_frames(void)
{
	return rt_error(SMELT_ENO_MEMORY,
			"no memory for the threads of a block on the CPU");
}

/* A second launch at the same time runs in its own thread only. */
static int
run_job(struct job *job)
{
	bool alone = job->launch->kernel->flags & SMELT_KERNEL_ALONE;
	struct cpu_worker *worker = begin_launch(&alone);
	bool may_share = false;

	if (!worker || !cpu_worker_begin(worker, job->launch)) {
		end_launch(worker, alone);
		return no_memory();
	}
	worker->frame.alone = alone;
	if (pool.wanted && job->total > 1)
		may_share = pthread_mutex_trylock(&pool.turn) == 0;
	if (run_alone(job, worker, may_share))
		run_shared(job, worker, &alone);
	if (may_share)
		pthread_mutex_unlock(&pool.turn);
	end_launch(worker, alone);
	return atomic_load(&job->failed) ? no_frames() : 0;
}

/* Blocks one after the other in this thread: their order in time is then known,
 * and the same each time. */
static int
run_watched(struct job *job)
{
	bool alone = false;
	struct cpu_worker *worker = begin_launch(&alone);
	bool done;
	int result;

	if (!worker || !cpu_worker_begin(worker, job->launch) ||
	    !cpu_watch_begin(worker, job->launch, __builtin_frame_address(0))) {
		end_launch(worker, alone);
		return no_memory();
	}
	done = cpu_run_blocks(worker, job->launch, 0, job->total);
	result = cpu_watch_end(worker);
	end_launch(worker, alone);
	return done ? result : no_frames();
}

static int
cpu_launch(void *device, void *queue, const struct engine_launch *launch)
{
	uint64_t rows = (uint64_t)launch->grid[0] * launch->grid[1];
	struct job job = {.launch = launch, .total = rows * launch->grid[2]};

	(void)device;
	(void)queue;
	if (rows > (UINT64_C(1) << 62) / launch->grid[2])
		return rt_error(SMELT_ELAUNCH,
				"a grid of %ux%ux%u blocks is more than the "
				"CPU can count",
				launch->grid[0], launch->grid[1],
				launch->grid[2]);
	return launch->kernel->flags & SMELT_KERNEL_WATCHED ? run_watched(&job)
							    : run_job(&job);
}

/* ---- the device ---- */

static unsigned
thread_count(void)
{
	const char *wanted = getenv("SMELT_CPU_THREADS");
	unsigned long count = 0;
	cpu_set_t set;

	if (wanted)
		count = strtoul(wanted, NULL, 10);
	if (!count && !sched_getaffinity(0, sizeof(set), &set))
		count = (unsigned long)CPU_COUNT(&set);
	if (!count)
		count = (unsigned long)sysconf(_SC_NPROCESSORS_ONLN);
	if (!count)
		count = 1;
	return count > RT_MAX_CPU_THREADS ? RT_MAX_CPU_THREADS
					  : (unsigned)count;
}

/* "model name" of the first processor in /proc/cpuinfo. */
static void
cpu_name(char *name, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(name, size, "CPU");
	while (file && fgets(line, sizeof(line), file)) {
		char *value = strstr(line, ": ");

		if (strncmp(line, "model name", 10) != 0 || !value)
			continue;
		value[strcspn(value, "\n")] = 0;
		snprintf(name, size, "%s", value + 2);
		break;
	}
	if (file)
		fclose(file);
}

static void
cpu_find(void (*found)(const struct engine_info *info))
{
	struct engine_info info = {
		.info = {.kind = SMELT_DEVICE_CPU,
			 .warp_size = CPU_WARP,
			 .max_block_threads = CPU_MAX_BLOCK,
			 .max_block_dim = {CPU_MAX_BLOCK, CPU_MAX_BLOCK,
					   CPU_MAX_BLOCK},
			 .shared_bytes = 1u << 20,
			 .arch = "x86_64"},
		.max_grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
		.max_grid_threads = UINT64_MAX,
		.max_params = RT_MAX_PARAMS,
		.shares_memory = true,
		.synchronous = true,
	};

	pool.wanted = thread_count() - 1;
	info.info.units = pool.wanted + 1;
	info.info.memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) *
				 (uint64_t)sysconf(_SC_PAGESIZE);
	cpu_name(info.info.name, sizeof(info.info.name));
	for (uint32_t i = engine_device_count("SMELT_CPU_DEVICES"); i; i--)
		found(&info);
}

static int
cpu_queue_create(void *device, void **queue)
{
	(void)device;
	*queue = NULL;
	return 0;
}

static void
cpu_queue_destroy(void *device, void *queue)
{
	(void)device;
	(void)queue;
}

static int
cpu_queue_wait(void *device, void *queue)
{
	(void)device;
	(void)queue;
	return 0;
}

static int
cpu_memory_alloc(void *device, enum engine_memory kind, uint64_t size,
		 void **memory)
{
	(void)device;
	(void)kind;
	*memory = size > SIZE_MAX / 2
			  ? NULL
			  : aligned_alloc(256, (size + 255) & ~(size_t)255);
	if (*memory)
		return 0;
	return rt_error(SMELT_ENO_DEVICE_MEMORY,
			"the host has no %llu bytes of memory",
			(unsigned long long)size);
}

static void
cpu_memory_free(void *device, enum engine_memory kind, void *memory)
{
	(void)device;
	(void)kind;
	free(memory);
}

static uint64_t
cpu_memory_available(void *device)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long long kib = 0;
	char line[128];
	bool found = false;

	(void)device;
	while (file && !found && fgets(line, sizeof(line), file))
		found = sscanf(line, "MemAvailable: %llu kB", &kib) == 1;
	if (file)
		fclose(file);
	return found ? kib * 1024 : UINT64_MAX;
}

static int
cpu_copy(void *device, void *queue, enum engine_copy direction, void *dst,
	 const void *src, uint64_t size)
{
	(void)device;
	(void)queue;
	(void)direction;
	memmove(dst, src, size);
	return 0;
}

static int
cpu_fill(void *device, void *queue, void *dst, const void *pattern,
	 uint64_t pattern_size, uint64_t size)
{
	uint64_t done = pattern_size;
	char *out = dst;

	(void)device;
	(void)queue;
	if (pattern_size > 4096)
		return SMELT_EUNSUPPORTED;
	if (pattern_size == 1) {
		memset(out, *(const unsigned char *)pattern, size);
		return 0;
	}
	memcpy(out, pattern, pattern_size);
	/* What is copied again and again stays in the nearest cache. */
	while (done < size) {
		uint64_t part = done < 8192 ? done : 8192 - 8192 % pattern_size;

		if (part > size - done)
			part = size - done;
		memcpy(out + done, out, part);
		done += part;
	}
	return 0;
}

static int
cpu_event_create(void *device, void *queue, void **event)
{
	(void)device;
	(void)queue;
	*event = NULL;
	return 0;
}

static int
cpu_event_sync(void *device, void *event, void *queue, enum engine_sync how)
{
	(void)device;
	(void)event;
	(void)queue;
	(void)how;
	return 0;
}

static void
cpu_event_destroy(void *device, void *event)
{
	(void)device;
	(void)event;
}

static int
cpu_call(void *device, void *queue, void (*function)(void *data), void *data)
{
	(void)device;
	(void)queue;
	function(data);
	return 0;
}

static int
cpu_program_load(void *device, const struct engine_code *code, void **program)
{
	union {
		const void *const *list;
		void *program;
	} kernels = {.list = code->cpu_kernels};

	(void)device;
	*program = kernels.program;
	return 0;
}

static int
cpu_kernel_get(void *device, void *program, struct engine_kernel *kernel)
{
	void *const *kernels = program;

	(void)device;
	kernel->handle = kernels[kernel->index];
	kernel->suggested =
		kernel->flags & (SMELT_KERNEL_COROUTINE | SMELT_KERNEL_PARTS)
			? 256
			: CPU_MAX_BLOCK;
	if (kernel->handle)
		return 0;
	return rt_error(SMELT_ENO_KERNEL, "not compiled for the CPU");
}

const struct engine engine_cpu = {
	.name = "cpu",
	.find = cpu_find,
	.queue_create = cpu_queue_create,
	.queue_destroy = cpu_queue_destroy,
	.queue_wait = cpu_queue_wait,
	.memory_alloc = cpu_memory_alloc,
	.memory_free = cpu_memory_free,
	.memory_available = cpu_memory_available,
	.copy = cpu_copy,
	.fill = cpu_fill,
	.event_create = cpu_event_create,
	.event_sync = cpu_event_sync,
	.event_destroy = cpu_event_destroy,
	.call = cpu_call,
	.program_load = cpu_program_load,
	.kernel_get = cpu_kernel_get,
	.launch = cpu_launch,
};
