/*
 * The runtime's private header: its objects, and the functions that its files
 * offer to each other.
 *
 * Locks, in the order in which they may be nested: a stream's `lock`, then its
 * device's `map_lock`, then the turn of staging.c, then its device's
 * `memory_lock`, then a buffer's `lock`. Nobody holds two streams' locks. All
 * others (those of device.c, program.c, profile.c, of events and of pinned
 * memory) are taken with none of these held, or innermost.
 */
#ifndef SMELT_RUNTIME_H
#define SMELT_RUNTIME_H

#include "engine.h"
#include "image/image.h"

#include <pthread.h>
#include <stdatomic.h>

#define RT_MAX_DEVICES 32
#define RT_FOLLOWED 8
#define RT_MAX_USES 64 /* buffers of one launch */
#define RT_RING 256    /* launches of a stream whose kernels are remembered */
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

/* A line of source. */
struct rt_place {
	const char *file; /* NULL: not known */
	uint32_t file_size;
	uint32_t line;
};

/* What smelt_at said last in this thread. */
extern _Thread_local struct rt_place rt_here;
/* "file:line", of a long file's name the end; "" if not known. */
void
rt_place_text(const struct rt_place *place, char *text, size_t size);

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
/* SMELT_CPU_CHECK: only kernels that are watched may run. */
extern bool rt_check_wanted;
void
rt_info(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What one stream did with a buffer: the numbers of its work. */
struct rt_use {
	struct smelt_stream *stream;
	uint64_t read;
	uint64_t written;
};

/* A block of device memory in the pool, and what is known of its uses. Streams
 * are never freed, so one named here may have been destroyed, not more. */
struct smelt_buffer {
	smelt_device *device;
	void *memory;
	uint64_t size; /* of its class */
	bool used;
	bool wrapped; /* the host's, not the pool's */
	/* The only stream that ever used it (NULL: none), and its last uses:
	 * changed under that stream's lock, read without. Where `many` is set
	 * there are more, in `uses`, and these two are over or in there. */
	_Atomic(struct smelt_stream *) home;
	_Atomic uint64_t home_read;
	_Atomic uint64_t home_written;
	atomic_bool many;
	pthread_mutex_t lock; /* guards uses, and home's change */
	struct rt_use *uses;
	uint32_t use_count;
	uint32_t use_capacity;
	/* Freed by smelt_memory_free: work that may still touch the memory is
	 * over when this event of this stream is; NULL: it is over. */
	void *event;
	struct smelt_stream *stream;
	uint64_t number;	    /* the stream's last work then */
	struct smelt_buffer *next;  /* in its class's list of unused blocks */
	struct smelt_buffer *chain; /* in the hash of addresses */
};

#define RT_CLASSES 256
#define RT_BUCKETS 1024

struct rt_pool {
	struct smelt_buffer *unused[RT_CLASSES];
	struct smelt_buffer *buckets[RT_BUCKETS];
	uint64_t used_bytes;
	uint64_t held_bytes;
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

/* Of one stream: changed under its lock, read by anybody. */
struct rt_counters {
	_Atomic uint64_t launches;
	_Atomic uint64_t copies[3]; /* by enum engine_copy */
	_Atomic uint64_t bytes[3];
	_Atomic uint64_t waits;
};

/* Pinned memory that pageable copies go through. */
#define RT_SLOTS 16
struct rt_slot {
	char *memory; /* NULL until first used */
	/* The copy that uses it is over when this event is; no stream: over. */
	void *event;
	struct smelt_stream *stream;
};

/* What was seen of a device when it first was found to be lost: the launches
 * that had not been waited for, and the last of them. */
struct rt_loss {
	bool known;
	uint64_t launches;
	const char *name;
	struct rt_place place;
};

struct smelt_device {
	const struct engine *engine;
	struct engine_info found;
	uint32_t index;
	bool open;
	smelt_stream *stream;
	struct rt_slot slots[RT_SLOTS]; /* under the turn of staging.c */
	pthread_mutex_t events_lock;
	pthread_mutex_t streams_lock;
	smelt_stream *streams; /* all that ever were */
	struct rt_loss loss;   /* under streams_lock */
	pthread_mutex_t memory_lock;
	struct rt_pool pool;
	pthread_mutex_t map_lock;
	struct rt_map *maps;
	/* Of smelt_device_print_buffer; 0: not called. */
	_Atomic uint64_t print_bytes;
};

/* ---- stream.c ---- */

struct rt_kernel;

struct rt_launched {
	const struct rt_kernel *kernel; /* NULL: the host's own instance */
	struct rt_place place;
};

/* Once made it is never freed, so that buffers may remember it: destroyed, it
 * waits for the next smelt_stream_create. `given` and `done` never go back. */
struct smelt_stream {
	smelt_device *device;
	void *queue;
	smelt_stream *next; /* in its device's list */
	pthread_mutex_t lock;
	struct rt_counters counters;
	/* Has a queue; changed under lock and the memory lock. */
	atomic_bool live;
	/* Threads that use an event of the queue without its lock: the queue
	 * stays for as long. */
	_Atomic unsigned holders;
	smelt_event *events; /* under events_lock */
	uint64_t waited;     /* launches before the last wait */
	bool taken;	/* under streams_lock: destroyed ones are taken anew */
	uint32_t index; /* on its device */
	bool in_trace;	/* under the lock of profile.c: has a name there */
	/* Followed since the last wait: their panics are this one's too. */
	smelt_stream *followed[RT_FOLLOWED];
	uint32_t followed_count;
	/* Numbers of the last work given to the queue, and of the last that is
	 * known to be over. */
	uint64_t given;
	_Atomic uint64_t done;
	/* Some of what is done panicked, and nobody was told: who uses what it
	 * made follows this stream, though there is nothing to wait for. */
	atomic_bool untold;
	/* Where kernels leave their panics, and the word that says they did. */
	struct smelt_device_state *state;
	volatile uint32_t *word;
	/* Device memory that kernels print to; NULL until one is given that
	 * does. The number of the first launch since that was last read. */
	void *prints;
	uint64_t print_bytes; /* the device's when it was made */
	uint64_t first_print;
	/* Pinned memory for small copies from the device, NULL until used. */
	char *landing;
	uint64_t landing_size;
	uint64_t launches;
	struct rt_launched ring[RT_RING];
	bool has_panic;
	bool left_panic;    /* panic is one that a retired stream left */
	bool host_panicked; /* panic is of the host's own instance, unreported
			     */
	struct smelt_panic panic;
	struct smelt_panic fault; /* untold, or none */
	uint64_t fault_launch;
};

/* All that was given is over. Lock held. */
static inline void
rt_stream_over(smelt_stream *stream)
{
	if (*stream->word || stream->host_panicked || stream->fault.fault)
		atomic_store(&stream->untold, true);
	atomic_store_explicit(&stream->done, stream->given,
			      memory_order_release);
}

/* Counts work that was just given to the queue. Lock held. */
static inline void
rt_stream_gave(smelt_stream *stream)
{
	stream->given++;
	if (stream->device->found.synchronous)
		rt_stream_over(stream);
}

/* Adds to a counter of a stream whose lock is held. */
static inline void
rt_count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(
		counter,
		atomic_load_explicit(counter, memory_order_relaxed) + n,
		memory_order_relaxed);
}

/* Whether work with this number is known to be over. */
static inline bool
rt_stream_did(smelt_stream *stream, uint64_t number)
{
	return atomic_load_explicit(&stream->done, memory_order_acquire) >=
	       number;
}

/* Keeps the stream's queue, until rt_stream_release, for a use of an event that
 * stands for its work up to a number. False, and nothing is kept: that work is
 * over. */
bool
rt_stream_hold(smelt_stream *stream, uint64_t number);
void
rt_stream_release(smelt_stream *stream);
/* Takes the stream's lock. Not taken, and an error: it is NULL, was destroyed,
 * or the process is a forked one. */
int
rt_stream_enter(smelt_stream *stream);
/* Gives the lock back, after looking (result 0) for panics of the streams that
 * this one followed: their kernels made what its own were given. */
int
rt_stream_leave(smelt_stream *stream, int result);
/* Makes later work of stream wait for what other was given so far. No stream's
 * lock is held. */
int
rt_stream_follow(smelt_stream *stream, smelt_stream *other);

/* Waits for the queue, then reports a panic. The stream's lock is held. */
int
rt_stream_wait(smelt_stream *stream);
/* The same without looking for a panic. */
int
rt_stream_drain(smelt_stream *stream);
/* The panic or fault of what has been waited for: 0, EPANIC or ECHECK. Lock
 * held. */
int
rt_stream_check(smelt_stream *stream);

/* ---- lost.c ---- */

/* Puts which device stopped working, and the launches it may have been, in
 * front of the text; EDEVICE_LOST. held is a stream whose lock is held, or
 * NULL. */
int
rt_lost(smelt_device *device, smelt_stream *held);
/* What to make of an error of the engine: rt_lost() if the device is lost, else
 * the error and its text as they are. As above; also under the memory lock. */
int
rt_check_lost(smelt_device *device, smelt_stream *held, int result);

/* ---- event.c ---- */

/* The stream's queue goes away: so do the events, whose work is over. */
void
rt_events_forget(smelt_stream *stream);
/* Nanoseconds of a clock that never goes back. */
uint64_t
rt_now(void);

/* ---- panic.c ---- */

/* Fills in stream->panic from what a kernel left; EPANIC with its text. */
int
rt_panic_report(smelt_stream *stream, const struct smelt_device_state *state);
/* Tells of stream->fault; ECHECK with its text. */
int
rt_fault_report(smelt_stream *stream);
/* The text for stream->panic, as it is; place NULL: not known. EPANIC, or
 * ECHECK if it is a fault. */
int
rt_panic_text(const smelt_stream *stream, const struct rt_place *place);
/* As much of it as to->size says. */
void
rt_panic_give(struct smelt_panic *to, const struct smelt_panic *panic);
/* Name and place of a launch; "a kernel" if it is no longer remembered. */
const struct rt_launched *
rt_launched(const smelt_stream *stream, uint64_t number);

/* ---- print.c ---- */

/* Before a launch: makes the buffer if the kernel wants it. Waits and tells
 * where the launches that printed would be forgotten. Lock held. */
int
rt_print_begin(smelt_stream *stream, const struct rt_kernel *kernel);
/* Tells what was printed since first_print, which is not 0; the stream is
 * idle. Lock held. */
int
rt_print_flush(smelt_stream *stream);
/* Gives the buffer back. Lock held. */
void
rt_print_forget(smelt_stream *stream);

/* ---- pool.c ---- */

/* Memory from the pool; ENO_DEVICE_MEMORY. */
int
rt_pool_alloc(smelt_device *device, uint64_t size, void **memory);
/* Gives back what was used last on stream, whose lock is held. EINVALID if it
 * is not memory of this device or was freed before. */
int
rt_pool_free(smelt_device *device, smelt_stream *stream, void *memory);
/* All work of the stream is over, and its queue goes away. The memory lock is
 * held. */
void
rt_pool_settle(smelt_device *device, const smelt_stream *stream);
/* Gives all that the pool holds back to the engine, waiting where needed. */
void
rt_pool_release(smelt_device *device);

/* As rt_pool_alloc, also memory that is still in use by what its uses say. */
int
rt_pool_take(smelt_device *device, uint64_t size, smelt_buffer **buffer);
/* Gives it back, with its uses. */
void
rt_pool_give(smelt_buffer *buffer);

/* ---- buffer.c ---- */

enum rt_access {
	RT_READ,
	RT_WRITE,
	RT_ATOMIC, /* several threads' at the same time */
};

/* Makes stream wait for the uses of other streams that one of its own, a writer
 * or a reader, must come after. No stream's lock is held. */
int
rt_buffer_order(smelt_stream *stream, smelt_buffer *buffer,
		enum rt_access access);
/* Notes that the work given last uses the buffer. The stream's lock is held. */
void
rt_buffer_used(smelt_stream *stream, smelt_buffer *buffer,
	       enum rt_access access);
/* Whether all its uses are over. */
bool
rt_buffer_idle(smelt_buffer *buffer);

/* ---- memory.c ---- */

/* Copies, with the stream's lock held, counted and seen by the profile. To the
 * device: the host's memory may change on return. From the device: it is there,
 * and the stream has been waited for. `stays` promises that the host's memory
 * is left alone until the stream has been waited for; then nothing is waited
 * for here if the memory is pinned, or small and going to the device. */
int
rt_copy(smelt_stream *stream, enum engine_copy direction, void *dst,
	const void *src, uint64_t size, bool stays);
int
rt_fill(smelt_stream *stream, void *dst, const void *pattern,
	uint64_t pattern_size, uint64_t size);
/* Whether all of it is pinned memory, which engines copy directly. */
bool
rt_is_pinned(const void *memory, uint64_t size);
/* EINVALID unless the device can copy there while the host goes on. */
int
rt_check_async(const smelt_device *device, const void *host, uint64_t size);
/* EINVALID if the pattern does not divide the size. */
int
rt_check_pattern(const void *pattern, uint64_t pattern_size, uint64_t size);

/* ---- staging.c ---- */

/* Bytes of a slot; copies of pageable memory of at least so many go through
 * several. Less in tests. */
extern uint64_t rt_slot_size;
/* False with SMELT_STAGING=0, which leaves all to the engine, to compare. */
bool
rt_staging_wanted(void);
/* To the device: src has been read on return. The stream's lock is held. false:
 * not done, nothing begun, the engine has to copy by itself. */
bool
rt_stage_in(smelt_stream *stream, void *dst, const void *src, uint64_t size,
	    int *result);
/* From the device: dst has been written on return. As above. */
bool
rt_stage_out(smelt_stream *stream, void *dst, const void *src, uint64_t size,
	     int *result);
/* All work of the stream is over, its lock is held: no slot has an event of its
 * any more. */
void
rt_stage_forget(smelt_stream *stream);
/* Staged copies stop, and none begins. At the end of the process. */
void
rt_stage_stop(void);

/* ---- profile.c ---- */

/* Whether work is timed, each launch and copy by itself. */
extern atomic_bool rt_profiling;

/* What is measured, from rt_span_begin to rt_span_end. */
struct rt_span {
	enum smelt_profile_kind kind;
	const char *name; /* of the kernel, or NULL */
	smelt_stream *stream;
	struct rt_place place;
	uint64_t begun;
	uint64_t bytes;
	uint64_t needless;
	uint64_t hash; /* of the target's memory before */
	const void *host;
};

/* Waits for the stream (its lock is held) and takes the time. Only where
 * rt_profiling is set. */
void
rt_span_begin(struct rt_span *span, enum smelt_profile_kind kind,
	      smelt_stream *stream);
/* What the work's call gave, or, from the wait for it, that the device is lost.
 */
int
rt_span_end(struct rt_span *span, int result);
/* Begins one of a copy between the host's memory and the device. */
void
rt_span_begin_copy(struct rt_span *span, enum engine_copy direction,
		   smelt_stream *stream, const void *dst, const void *src,
		   uint64_t size);
/* Reads SMELT_PROFILE and SMELT_TRACE. */
void
rt_profile_start(void);
/* Table and end of the trace. */
void
rt_profile_finish(void);

/* All work of one kind from one line. Names and files are of static life. */
struct rt_entry {
	enum smelt_profile_kind kind;
	const char *name;
	struct rt_place place;
	uint32_t device;
	uint64_t count;
	uint64_t time;
	uint64_t bytes;
	uint64_t needless;
};

/* What a kind is called, to people. */
const char *
rt_kind_name(enum smelt_profile_kind kind);

/* ---- report.c ---- */

/* The table of SMELT_PROFILE to stderr; sorts the entries. */
void
rt_report_print(struct rt_entry *entries, uint32_t count);

/* ---- trace.c: all under the lock of profile.c ---- */

/* False if it cannot be written. */
bool
rt_trace_open(const char *path);
void
rt_trace_put(const struct rt_span *span, uint64_t end);
void
rt_trace_close(void);

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
enum { RT_TERM_FIELDS = 40 };

struct rt_loaded {
	struct engine_kernel kernel;
	/* Without the checks that the terms decide; none if term_count is 0. */
	struct engine_kernel held;
	const struct smelt_table_term *terms;
	size_t term_count;
	/* Those of the terms that are fields, if they are not too many. */
	uint16_t fields[RT_TERM_FIELDS];
	size_t field_count;
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

/* Whether one of the program's kernels has this flag of the table. */
bool
rt_kernels_have(uint32_t flag);
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
