/*
 * The runtime's private header: its objects, and the functions that its files
 * offer to each other.
 *
 * Locks, in the order in which they may be nested: a stream's `lock`, then its
 * device's `map_lock`, then its device's `memory_lock`. The locks of device.c
 * and program.c are taken with none of these held, or innermost.
 */
#ifndef SMELT_RUNTIME_H
#define SMELT_RUNTIME_H

#include "engine.h"
#include "image/image.h"

#include <pthread.h>
#include <stdatomic.h>

#define RT_MAX_DEVICES 32
#define RT_RING 256 /* launches of a stream whose kernels are remembered */
#define RT_MAX_PARAMS 32764
#define RT_MAX_ALIGN 256
#define RT_MAX_CPU_THREADS 1024

/* ---- error.c ---- */

/* Leaves the text for this thread and returns code. */
int
rt_error(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Puts text in front of the one that is there; returns code. */
int
rt_error_prefix(int code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- device.c ---- */

/* 0, or the error of a process that was forked after devices were opened, or
 * that holds another version of the runtime. First in each entry point that
 * does not take an object which could only come from such a call. */
int
rt_enter(void);
extern atomic_bool rt_was_forked;
int
rt_forked(void);

/* SMELT_INFO=1: one line on stderr. */
extern bool rt_info_wanted;
void
rt_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Pool of device memory (pool.c). */
struct rt_block {
	void *memory;
	uint64_t size; /* of its class */
	bool used;
	/* Not used: work that may still touch the memory is over when this
	 * event of this stream is; NULL: it is over. */
	void *event;
	struct smelt_stream *stream;
	struct rt_block *next;	/* in its class's list of unused blocks */
	struct rt_block *chain; /* in the hash of addresses */
};

#define RT_CLASSES 256
#define RT_BUCKETS 1024

struct rt_pool {
	struct rt_block *unused[RT_CLASSES];
	struct rt_block *buckets[RT_BUCKETS];
	uint64_t used_bytes;
	uint64_t held_bytes;
	_Atomic uint32_t pending; /* unused blocks that have an event */
};

/* One begun map: who began it, so that its end finds the same entry. */
struct rt_map_user {
	char *host;
	uint64_t size;
	uint32_t direction;
	uint32_t count;
};

struct rt_map {
	char *host;
	uint64_t size;
	char *memory;
	bool read_only;	    /* all users are TO */
	uint64_t out_start; /* what FROM users covered, as offsets */
	uint64_t out_end;
	struct rt_map_user *users;
	uint32_t user_count;
	uint32_t user_capacity;
	/* The copy in is over when this stream has done so much; NULL: over. */
	struct smelt_stream *stream;
	uint64_t copied;
	/* Whose users came from more than one stream: each waits at its end. */
	const void *first_stream;
	bool many_streams;
	struct rt_map *next;
};

struct smelt_device {
	const struct engine *engine;
	struct engine_info found;
	uint32_t index;
	bool open;
	smelt_stream *stream;
	pthread_mutex_t memory_lock;
	struct rt_pool pool;
	pthread_mutex_t map_lock;
	struct rt_map *maps;
};

/* ---- stream.c ---- */

struct rt_kernel;

struct rt_launched {
	const struct rt_kernel *kernel; /* NULL: the host's own instance */
	char source[96];
};

struct smelt_stream {
	smelt_device *device;
	void *queue;
	pthread_mutex_t lock;
	/* Numbers of the last work given to the queue, and of the last that is
	 * known to be over. */
	uint64_t given;
	_Atomic uint64_t done;
	/* Where kernels leave their panics, and the word that says they did. */
	struct smelt_device_state *state;
	volatile uint32_t *word;
	uint64_t launches;
	struct rt_launched ring[RT_RING];
	bool has_panic;
	bool host_panicked; /* panic is of the host's own instance, unreported
			     */
	struct smelt_panic panic;
};

/* Counts work that was just given to the queue. Lock held. */
static inline void
rt_stream_gave(smelt_stream *stream)
{
	stream->given++;
	if (stream->device->found.synchronous)
		atomic_store_explicit(&stream->done, stream->given,
				      memory_order_relaxed);
}

struct smelt_event {
	smelt_device *device;
	void *event;
};

/* Waits for the queue, then reports a panic. The stream's lock is held. */
int
rt_stream_wait(smelt_stream *stream);
/* The same without looking for a panic. */
int
rt_stream_drain(smelt_stream *stream);
/* The panic of what has been waited for: 0 or EPANIC. Lock held. */
int
rt_stream_check(smelt_stream *stream);

/* ---- panic.c ---- */

/* Fills in stream->panic from what a kernel left; EPANIC with its text. */
int
rt_panic_report(smelt_stream *stream, const struct smelt_device_state *state);
/* The text for stream->panic, as it is; source is "" where not known. EPANIC.
 */
int
rt_panic_text(const smelt_stream *stream, const char *source);
/* Name and place of a launch; "a kernel" if it is no longer remembered. */
const struct rt_launched *
rt_launched(const smelt_stream *stream, uint64_t number);

/* ---- pool.c ---- */

/* Memory from the pool; ENO_DEVICE_MEMORY. */
int
rt_pool_alloc(smelt_device *device, uint64_t size, void **memory);
/* Gives back what was used last on stream, whose lock is held. EINVALID if it
 * is not memory of this device or was freed before. */
int
rt_pool_free(smelt_device *device, smelt_stream *stream, void *memory);
/* All work of the stream is over. Its lock is held. */
void
rt_pool_settle(smelt_device *device, const smelt_stream *stream);
/* Gives all that the pool holds back to the engine, waiting where needed. */
void
rt_pool_release(smelt_device *device);

/* ---- map.c ---- */

/* The stream goes away; all its work is over. */
void
rt_map_forget(smelt_device *device, const smelt_stream *stream);

/* ---- program.c ---- */

struct rt_image {
	const struct smelt_image *image;
	struct image_table table;
	struct rt_kernel *kernels;
	void *programs[RT_MAX_DEVICES];
	uint32_t targets[RT_MAX_DEVICES]; /* of the table; what was loaded */
};

/* A kernel on one device. */
struct rt_loaded {
	struct engine_kernel kernel;
	struct smelt_table_resources resources;
	uint32_t suggested; /* threads a block */
	uint32_t limit;	    /* most threads a block */
};

struct rt_kernel {
	struct rt_image *image;
	uint32_t index;
	const struct smelt_table_kernel *entry;
	const char *name;
	_Atomic(struct rt_loaded *) loaded[RT_MAX_DEVICES];
};

/* ENO_KERNEL, EBAD_IMAGE. */
int
rt_kernel_find(const uint64_t id[2], struct rt_kernel **kernel);
/* The kernel made ready for a device; ENO_IMAGE, EENGINE, ENO_KERNEL. */
int
rt_kernel_load(smelt_device *device, struct rt_kernel *kernel,
	       struct rt_loaded **loaded);
/* How well an image of this kind and architecture fits the device: 0 not at
 * all, more is better. */
unsigned
rt_image_fit(uint32_t device_kind, const char *device_arch, uint32_t target,
	     uint16_t image_kind, const char *arch);

/* ---- launch.c ---- */

/* Block and grid as they will run. */
struct rt_shape {
	uint32_t grid[3];
	uint32_t block[3];
};

/* ---- host.c: kernels of a program that was built without smelt-cc ---- */

/* Runs the host's own instance of a kernel, all blocks one after the other, in
 * this thread. The stream's lock is held. ELAUNCH, ENO_MEMORY. */
int
rt_host_run(smelt_stream *stream, const struct smelt_launch *launch,
	    const struct rt_shape *shape, const void *params);

#endif
