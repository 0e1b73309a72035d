/*
 * What the runtime asks of a device layer. An engine is a constant struct of
 * functions; engine/cpu.c is the one to read first.
 *
 * "Device" below is the engine's own handle from struct engine_info. A function
 * that returns int gives 0 or a negative SMELT_E*, after rt_error() has left
 * the text. Sizes are never 0, pointers never NULL unless it says so. Streams
 * map one to one to queues; work in one queue runs in the order it was given.
 */
#ifndef SMELT_ENGINE_H
#define SMELT_ENGINE_H

#include "base/base.h"
#include "smelt/image.h"
#include "smelt/smelt.h"

/* One device that find() reports. */
struct engine_info {
	void *device;
	struct smelt_device_info info;
	uint32_t max_grid[3];	   /* blocks */
	uint64_t max_grid_threads; /* in each dimension */
	uint32_t max_params;	   /* bytes of a parameter block */
	/* Kernels see host memory where it lies. */
	bool shares_memory;
	/* Work is over when the call that gave it returns. */
	bool synchronous;
};

enum engine_memory {
	ENGINE_DEVICE, /* 256-aligned */
	ENGINE_HOST,   /* pinned; kernels see it at the same address */
};

enum engine_copy {
	ENGINE_TO_DEVICE,
	ENGINE_FROM_DEVICE,
	ENGINE_ON_DEVICE,
};

enum engine_sync {
	ENGINE_WAIT,  /* the calling thread waits */
	ENGINE_ORDER, /* the queue waits, the thread does not */
	ENGINE_QUERY, /* 0 if it is over, 1 if not */
};

/* Device code of one target, or the list of CPU functions. Outlives the
 * program made from it, as do the strings of struct engine_kernel. */
struct engine_code {
	enum smelt_target_kind target;
	uint16_t image_kind; /* enum smelt_offload_image_kind */
	const void *data;
	size_t size;
	const void *const *cpu_kernels;
	uint64_t cpu_kernel_count;
};

struct engine_kernel {
	const char *symbol;
	uint32_t index;	       /* in the table */
	uint32_t flags;	       /* enum smelt_kernel_flag */
	uint32_t shared_bytes; /* static; the CPU engine provides it */
	uint32_t max_threads;  /* launch bounds, 0: none */
	void *handle;	       /* kernel_get fills in these */
	uint32_t suggested;    /* threads a block; 0: not known */
};

/* A fill of more bytes is faster by copies than by the engine's own means for
 * patterns of more than 4. */
#define ENGINE_SMALL_FILL 16384

/* Whether an engine that fills with patterns of 1, 2, 4, 8 and 16 bytes, and
 * is only fast at the first three, should. */
static inline bool
engine_should_fill(const void *dst, uint64_t pattern_size, uint64_t size)
{
	return pattern_size <= 16 && !(pattern_size & (pattern_size - 1)) &&
	       (pattern_size <= 4 || size <= ENGINE_SMALL_FILL) &&
	       (uintptr_t)dst % (pattern_size < 4 ? pattern_size : 4) == 0;
}

struct engine_launch {
	const struct engine_kernel *kernel;
	uint32_t grid[3]; /* blocks, none 0, within max_grid */
	uint32_t block[3];
	uint32_t shared_bytes; /* dynamic */
	const void *params;    /* complete; valid during the call only */
	size_t params_size;
	size_t params_align;
	/* Where to tell of what a watched launch does wrong: all but the
	 * kernel's name. NULL: nobody is told. Otherwise fault->fault is 0. */
	struct smelt_panic *fault;
};

struct engine {
	const char *name;

	/* Calls found() for each device. An absent driver is no error: it finds
	 * nothing. Called once, under the runtime's device lock, from the
	 * thread that first asks for devices. */
	void (*find)(void (*found)(const struct engine_info *info));

	/* Any thread, no lock held. */
	int (*queue_create)(void *device, void **queue);
	/* Any thread, the stream's and the memory lock held; the queue has been
	 * waited for and no event of it will be queried again. */
	void (*queue_destroy)(void *device, void *queue);
	/* Returns when all work that was in the queue is over. Any thread, also
	 * while another gives it work. Failing means that work was lost. */
	int (*queue_wait)(void *device, void *queue);

	/* Any thread; the device's memory lock is held. ENO_DEVICE_MEMORY or
	 * ENO_MEMORY if there is none left. */
	int (*memory_alloc)(void *device, enum engine_memory kind,
			    uint64_t size, void **memory);
	/* As above; no work that uses the memory is pending. */
	void (*memory_free)(void *device, enum engine_memory kind,
			    void *memory);
	/* Bytes of device memory that are free, of all programs; UINT64_MAX
	 * where the driver does not say. As above. */
	uint64_t (*memory_available)(void *device);

	/* Both are put into the queue and need not be over on return; host
	 * memory stays valid until the queue has been waited for, the pattern
	 * only during the call. Any thread, the stream's lock held. */
	int (*copy)(void *device, void *queue, enum engine_copy direction,
		    void *dst, const void *src, uint64_t size);
	/* EUNSUPPORTED, and nothing done, if copies of what is there already
	 * are the faster way, or the only one. Never for 1 byte; size is a
	 * multiple of the pattern's. */
	int (*fill)(void *device, void *queue, void *dst, const void *pattern,
		    uint64_t pattern_size, uint64_t size);

	/* An event that is over when the work now in the queue is. Any thread,
	 * the stream's lock held. */
	int (*event_create)(void *device, void *queue, void **event);
	/* Any thread. queue only for ENGINE_ORDER, then its stream's lock is
	 * held; ENGINE_QUERY under the device's memory lock. */
	int (*event_sync)(void *device, void *event, void *queue,
			  enum engine_sync how);
	/* Any thread. */
	void (*event_destroy)(void *device, void *event);
	/* Puts a call of the host into the queue: it is made when the work
	 * before is over, in whatever thread, and holds up the work after. The
	 * function uses no engine. Any thread, the stream's lock held. */
	int (*call)(void *device, void *queue, void (*function)(void *data),
		    void *data);

	/* Any thread, under the runtime's kernel lock. A program lives as long
	 * as the process. */
	int (*program_load)(void *device, const struct engine_code *code,
			    void **program);
	/* As above. Fills in kernel->handle and the number of threads a block
	 * that suits it best. ENO_KERNEL if it is not there. The struct stays
	 * where it is for as long as the process. */
	int (*kernel_get)(void *device, void *program,
			  struct engine_kernel *kernel);

	/* Any thread, the stream's lock held. */
	int (*launch)(void *device, void *queue,
		      const struct engine_launch *launch);
};

/* How many devices of one kind to pretend there are: the number in this
 * variable of the environment, from 1 (also if it is no number) to 16. */
uint32_t
engine_device_count(const char *variable);

extern const struct engine engine_offload;
/* The calling thread ends the process: others stay where they are at their next
 * call of the offload engine, or in it if they wait. */
void
engine_offload_end(void);
extern const struct engine engine_cpu;
extern const struct engine engine_null;

/* ---- engine/null.c: fault injection ---- */

/* Makes the n-th call from now on that can fail, counted from 1, fail; 0: none.
 * Returns how many such calls there were since it was last called. */
uint64_t
null_fail_at(uint64_t n);
/* The devices are lost: every call fails from now on. */
void
null_lose(void);
/* Allocations, queues and events that are alive. */
int64_t
null_live(void);

#endif
