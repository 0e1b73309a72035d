/*
 * libsmelt: devices, memory, streams and launches for kernels compiled by
 * smelt-cc. The Rust crate `smelt` is a client of this interface.
 *
 * Every function that can fail returns 0 or a negative SMELT_E*, and leaves a
 * text for the calling thread in smelt_last_error(). Nothing here prints
 * (but what kernels print, and with SMELT_INFO or SMELT_PROFILE set), exits or
 * aborts. Any function may be called from any thread; calls on one stream are
 * ordered by the stream's lock.
 */
#ifndef SMELT_SMELT_H
#define SMELT_SMELT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMELT_VERSION_MAJOR 0
#define SMELT_VERSION_MINOR 1

/* name, value, text */
#define SMELT_ERROR_MAP(XX)                                                    \
	XX(INVALID, -1, "invalid argument")                                    \
	XX(NO_DEVICE, -2, "no such device")                                    \
	XX(NO_MEMORY, -3, "out of host memory")                                \
	XX(NO_DEVICE_MEMORY, -4, "out of device memory")                       \
	XX(NO_KERNEL, -5, "kernel not found")                                  \
	XX(NO_IMAGE, -6, "program has no kernels for this device")             \
	XX(BAD_IMAGE, -7, "damaged image")                                     \
	XX(LAUNCH, -8, "launch refused")                                       \
	XX(PANIC, -9, "kernel panicked")                                       \
	XX(DEVICE_LOST, -10, "device lost")                                    \
	XX(UNSUPPORTED, -11, "not supported by this device")                   \
	XX(ENGINE, -12, "device driver reported an error")                     \
	XX(VERSION, -13, "two versions of the runtime in one program")         \
	XX(CHECK, -14, "kernel at fault (SMELT_CPU_CHECK)")

enum smelt_error {
	SMELT_OK = 0,
#define XX(name, value, text) SMELT_E##name = value,
	SMELT_ERROR_MAP(XX)
#undef XX
};

typedef struct smelt_device smelt_device;
typedef struct smelt_stream smelt_stream;
typedef struct smelt_event smelt_event;
typedef struct smelt_buffer smelt_buffer;

/* Text of the last error on this thread; "" if there was none. Valid until the
 * next call on this thread. */
const char *
smelt_last_error(void);

/* The constant text of a code; never NULL. */
const char *
smelt_error_text(int code);

/* Names the line of source that this thread's next calls come from, until it
 * names another: for errors, SMELT_INFO, profile and trace. The file's name
 * stays valid for the life of the process and need not end with NUL; NULL: not
 * known. */
void
smelt_at(const char *file, uint64_t file_size, uint32_t line);
#define SMELT_HERE() smelt_at(__FILE__, sizeof(__FILE__) - 1, __LINE__)

/* ---- devices ---- */

enum smelt_device_kind {
	SMELT_DEVICE_CPU = 1,
	SMELT_DEVICE_NVIDIA = 2,
	SMELT_DEVICE_AMD = 3,
	SMELT_DEVICE_NULL = 4, /* accepts everything, runs nothing; for tests */
};

struct smelt_device_info {
	uint32_t size;	/* set by the caller to sizeof(struct smelt_device_info)
			 */
	uint32_t kind;	/* enum smelt_device_kind */
	uint32_t units; /* multiprocessors, compute units, OS threads */
	uint32_t warp_size;
	uint32_t max_block_threads;
	uint32_t max_block_dim[3];
	uint64_t memory_bytes;
	uint64_t shared_bytes; /* most per block */
	char name[96];
	char arch[32];	 /* sm_90, gfx90a, x86_64; "" where not known */
	char engine[16]; /* offload, cpu, null */
	char driver[48];
};

/* Devices in the order of preference: NVIDIA, AMD, CPU. The first call looks
 * for them. SMELT_DEVICE narrows the list (cpu, nvidia, amd, null, or an
 * index). */
int
smelt_device_count(uint32_t *count);

/* The device with this index; opened once, never closed, owned by the library.
 * ENO_DEVICE if there is none. */
int
smelt_device_get(uint32_t index, smelt_device **device);

/* The best device there is: index 0. With SMELT_REQUIRE_DEVICE=1 a CPU is an
 * error, ENO_DEVICE. In a program that was built without smelt-cc it is the
 * CPU, which alone can run the host's own instances, unless SMELT_DEVICE says
 * else. */
int
smelt_device_default(smelt_device **device);

int
smelt_device_info(smelt_device *device, struct smelt_device_info *info);

/* Whether host memory can be used by kernels of this device where it lies
 * (the CPU); 0 or 1. */
int
smelt_device_shares_memory(smelt_device *device);

/* Bytes of device memory: free in the driver's view (UINT64_MAX where it does
 * not say), in use by the program, held by the pool for reuse. */
int
smelt_device_memory(smelt_device *device, uint64_t *free_bytes,
		    uint64_t *used_bytes, uint64_t *pooled_bytes);

/* What went through the device so far, all streams together. */
struct smelt_counters {
	uint32_t size; /* set by the caller */
	uint32_t reserved;
	uint64_t launches;
	uint64_t copies_to; /* from the host to the device */
	uint64_t bytes_to;
	uint64_t copies_from;
	uint64_t bytes_from;
	uint64_t copies_on; /* within the device */
	uint64_t bytes_on;
	uint64_t waits; /* of the host for the device */
};

int
smelt_device_counters(smelt_device *device, struct smelt_counters *counters);

/* Waits for all work given to all streams of the device so far; the first error
 * of those of smelt_stream_wait. */
int
smelt_device_wait(smelt_device *device);

/* ---- streams and events ---- */

/* Work of one stream is done in the order it was given; streams among each
 * other have no order but what events, smelt_stream_follow and buffers give
 * them. */

/* The device's own stream, which launches without a stream go to. */
int
smelt_device_stream(smelt_device *device, smelt_stream **stream);

int
smelt_stream_create(smelt_device *device, smelt_stream **stream);

/* Waits for the stream's work, then destroys it. NULL is allowed. */
int
smelt_stream_destroy(smelt_stream *stream);

/* The same for callers who do not look at errors: a panic that nobody was told
 * of is told by the next wait for the device's own stream. */
int
smelt_stream_retire(smelt_stream *stream);

/* Whether all work given to the stream is over: 0 yes, 1 no. */
int
smelt_stream_query(smelt_stream *stream);

/* Device address of a uint32_t that is not 0 once a kernel of the stream has
 * panicked, for kernels whose blocks wait for each other: what such a block
 * waits for may never come then. Good as long as the stream lives. 0 for NULL.
 */
uint64_t
smelt_stream_panicked(const smelt_stream *stream);

/* Makes work given to stream from now on wait for all that was given to other
 * so far. */
int
smelt_stream_follow(smelt_stream *stream, smelt_stream *other);

/* Calls function(data) once, in a thread of the library, when the work given to
 * the stream so far is over, failed or not. It may call this library. Later
 * work does not wait for it. Functions of one stream are called in order; they
 * share the thread with those of others, so none may take long. At the end of
 * the process those still to come are not called. */
int
smelt_stream_call(smelt_stream *stream, void (*function)(void *data),
		  void *data);

/* Waits for all work given to the stream so far. EPANIC if a kernel among it
 * panicked since the last wait, ECHECK if SMELT_CPU_CHECK found one at fault;
 * smelt_stream_panic() then has the details. */
int
smelt_stream_wait(smelt_stream *stream);

/* EPANIC like a wait if a kernel panicked whose work is over; without waiting
 * for the others. */
int
smelt_stream_check(smelt_stream *stream);

/* What SMELT_CPU_CHECK finds. */
enum smelt_fault {
	SMELT_FAULT_NONE = 0, /* it is a panic */
	/* Two threads touch one place, one of them writes, nothing orders them.
	 */
	SMELT_FAULT_RACE = 1,
	/* A read of shared memory that the block has not written. */
	SMELT_FAULT_UNINITIALISED = 2,
	/* A barrier or warp operation that not all threads reach together. */
	SMELT_FAULT_BARRIER = 3,
};

/* A panic (EPANIC) or a fault (ECHECK). */
struct smelt_panic {
	uint32_t size;	  /* set by the caller */
	uint32_t threads; /* how many panicked */
	uint32_t line;
	uint32_t column;
	uint32_t block[3];
	uint32_t thread[3];
	char kernel[256];
	char file[256];
	char message[1024];
	uint32_t fault; /* enum smelt_fault; the rest is 0 for a panic */
	/* The other thread of a fault, and where it was; line 0: none. */
	uint32_t other_line;
	uint32_t other_column;
	uint32_t other_block[3];
	uint32_t other_thread[3];
	uint32_t reserved;
	uint64_t address; /* of the memory; 0 for barriers */
	char other_file[256];
};

/* Details of the last EPANIC or ECHECK that a wait on this stream returned;
 * EINVALID if there was none. */
int
smelt_stream_panic(smelt_stream *stream, struct smelt_panic *panic);

/* The same for the last EPANIC or ECHECK that this thread was given, whatever
 * stream it was about. */
int
smelt_last_panic(struct smelt_panic *panic);

/* What kernels print goes to put(data, ..), NULL: to stdout. It is called by
 * the wait that finds it, in whole lines but for the last, and may not call
 * this library. Lines for which the stream's buffer (SMELT_PRINT_BUFFER bytes)
 * had no room are counted on stderr. */
typedef void (*smelt_print_fn)(void *data, const char *text, uint64_t size);
int
smelt_print_to(smelt_print_fn put, void *data);

/* The bytes of that buffer for each stream of the device, whatever
 * SMELT_PRINT_BUFFER says: from the stream's next launch of a kernel that
 * prints on, which tells first what was printed before. From 4 KiB to 4 GiB:
 * others become the nearest. 0: as before the first call. */
int
smelt_device_print_buffer(smelt_device *device, uint64_t bytes);

int
smelt_event_record(smelt_stream *stream, smelt_event **event);

/* The same, with the time at which it is reached. Costs the stream some
 * microseconds. */
int
smelt_event_record_timed(smelt_stream *stream, smelt_event **event);

int
smelt_event_wait(smelt_event *event);

/* Whether what it stands for is over: 0 yes, 1 no. */
int
smelt_event_query(smelt_event *event);

/* Waits for both and gives the nanoseconds from one to the other, negative if
 * they were reached the other way round. EINVALID unless both are timed. */
int
smelt_event_elapsed(smelt_event *from, smelt_event *to, int64_t *nanoseconds);

/* Makes work given to stream from now on wait for the event. */
int
smelt_stream_wait_event(smelt_stream *stream, smelt_event *event);

int
smelt_event_destroy(smelt_event *event);

/* ---- memory ---- */

/* Device memory of at least size bytes, 256-aligned, uninitialised. Size 0
 * gives a pointer that may be freed and not read. ENO_DEVICE_MEMORY after the
 * pool gave back what it held. */
int
smelt_memory_alloc(smelt_device *device, uint64_t size, void **memory);

/* Gives memory back once all work that was given to stream so far has ended;
 * stream NULL: the device's own. NULL memory is allowed. */
int
smelt_memory_free(smelt_device *device, smelt_stream *stream, void *memory);

/* Copies; in order with the stream. The host memory may be reused when the call
 * returns (to device), and holds the data when it returns (from device). A copy
 * from the device waits for the stream, and so may give EPANIC; the data has
 * been copied then all the same. Size 0 copies nothing; memory may then be
 * NULL. */
int
smelt_copy_to_device(smelt_stream *stream, void *device_dst,
		     const void *host_src, uint64_t size);
int
smelt_copy_from_device(smelt_stream *stream, void *host_dst,
		       const void *device_src, uint64_t size);
int
smelt_copy_on_device(smelt_stream *stream, void *device_dst,
		     const void *device_src, uint64_t size);

/* The same without waiting, for memory of smelt_host_alloc (or any, where
 * smelt_device_shares_memory()); EINVALID for other memory. Until the stream,
 * or an event recorded after the call, has been waited for, it must stay, and
 * not be written (to device) or used at all (from device). A panic of the
 * kernels before is left to the next wait or smelt_stream_check(). */
int
smelt_copy_to_device_async(smelt_stream *stream, void *device_dst,
			   const void *host_src, uint64_t size);
int
smelt_copy_from_device_async(smelt_stream *stream, void *host_dst,
			     const void *device_src, uint64_t size);

/* Fills size bytes with copies of a pattern of any size; EINVALID if size is
 * not a multiple of it. The pattern may change on return. */
int
smelt_memory_fill(smelt_stream *stream, void *device_dst, const void *pattern,
		  uint64_t pattern_size, uint64_t size);

/* Host memory that devices copy from and to fastest. It is zeroed. */
int
smelt_host_alloc(smelt_device *device, uint64_t size, void **memory);
int
smelt_host_free(smelt_device *device, void *memory);

/* ---- buffers: device memory that knows who uses it ---- */

/* A launch or copy that uses a buffer waits, on its stream, for the uses of
 * other streams that it must come after (a reader for the last writer, a writer
 * for all); the calling thread does not. Its memory is given back when the last
 * use is over, however early it is destroyed. Any thread may use one, but two
 * writers, or a writer and a reader, at the same time have no order. */

/* Of at least size bytes, 256-aligned, uninitialised. EINVALID for size 0,
 * ENO_DEVICE_MEMORY after the pool gave back what it held. */
int
smelt_buffer_create(smelt_device *device, uint64_t size, smelt_buffer **buffer);

/* Host memory used where it lies, which stays the caller's and outlives the
 * buffer's last use; EUNSUPPORTED unless smelt_device_shares_memory(). */
int
smelt_buffer_wrap(smelt_device *device, void *memory, uint64_t size,
		  smelt_buffer **buffer);

/* Does not wait. NULL is allowed. */
int
smelt_buffer_destroy(smelt_buffer *buffer);

/* The device's address; never NULL. */
void *
smelt_buffer_memory(const smelt_buffer *buffer);

/* Waits for all uses so far, for writers only unless all. Panics stay to be
 * reported by their streams. */
int
smelt_buffer_wait(smelt_buffer *buffer, int all);

/* Copies and fills as those of memory. stream NULL: the one that used the
 * buffer last, else the device's own. EINVALID for ranges outside. */
int
smelt_buffer_write(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
		   const void *host, uint64_t size);
int
smelt_buffer_read(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
		  void *host, uint64_t size);
int
smelt_buffer_fill(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
		  const void *pattern, uint64_t pattern_size, uint64_t size);

/* As smelt_copy_to_device_async and smelt_copy_from_device_async. */
int
smelt_buffer_write_async(smelt_stream *stream, smelt_buffer *buffer,
			 uint64_t offset, const void *host, uint64_t size);
int
smelt_buffer_read_async(smelt_stream *stream, smelt_buffer *buffer,
			uint64_t offset, void *host, uint64_t size);

/* Between buffers of one device, which must not overlap, or of two: then
 * through the host, and the calling thread waits. stream is of the target's
 * device, or NULL. */
int
smelt_buffer_copy(smelt_stream *stream, smelt_buffer *to, uint64_t to_offset,
		  smelt_buffer *from, uint64_t from_offset, uint64_t size);

/* ---- maps: host memory seen by the device, for one launch or longer ---- */

enum smelt_map_direction {
	SMELT_MAP_TO = 1,   /* copied in at begin */
	SMELT_MAP_FROM = 2, /* copied out at end */
	SMELT_MAP_TOFROM = 3,
	SMELT_MAP_ALLOC = 4, /* neither */
};

/* Maps size bytes at host; *device_memory is where the device sees them. A
 * range inside one that is mapped already shares it. Ranges that overlap partly
 * are mapped apart if all of them are TO (nobody writes), else EINVALID. The
 * host memory must not change until the map ends, but for smelt_map_update.
 * Size 0 maps nothing and gives back host. */
int
smelt_map_begin(smelt_stream *stream, void *host, uint64_t size,
		uint32_t direction, void **device_memory);

/* Ends what smelt_map_begin began with the same host, size and direction, after
 * work that was given to this stream and uses the map; work of other streams
 * must be over. FROM: waits for the stream and copies out when this was the
 * last user; EPANIC as from smelt_stream_wait, after the copy and with the map
 * ended. */
int
smelt_map_end(smelt_stream *stream, void *host, uint64_t size,
	      uint32_t direction);

/* Copies a part of a map in the midst of it: TO, after the host has changed it,
 * or FROM, for the host to look at; the host's memory may change again, or
 * holds the data, when the call returns. Comes after the work given to this
 * stream; that of other streams which uses the map must be over. EINVALID if no
 * map holds the whole range; EPANIC (FROM) as from smelt_copy_from_device.
 * Where memory is shared nothing is copied. */
int
smelt_map_update(smelt_stream *stream, void *host, uint64_t size,
		 uint32_t direction);

/* ---- kernels ---- */

struct smelt_use {
	smelt_buffer *buffer;
	/* 0: only read. 1: written. 2: written by atomics, which launches of
	 * several threads may do at the same time. */
	uint64_t writes;
};

struct smelt_launch {
	uint32_t size; /* set by the caller to sizeof(struct smelt_launch) */
	uint32_t grid_kind; /* 0: grid in blocks; 1: grid in threads, to be
			       covered */
	uint64_t kernel[2]; /* id: low half, high half */
	uint64_t grid[3];
	uint32_t block[3];     /* all 0: the runtime chooses by occupancy */
	uint32_t shared_bytes; /* dynamic shared memory */
	const void *params; /* parameter block; begins with smelt_block_header,
			       which is filled in in the runtime's copy */
	uint64_t params_size;
	uint64_t params_align;
	/* Used where the program was built without smelt-cc: the host's own
	 * instance of the kernel's entry. May be NULL. */
	void (*host_entry)(const void *params);
	/* The buffers that params points into. */
	const struct smelt_use *uses;
	uint64_t use_count;
};

/* Puts the kernel on the stream and returns. A grid with a zero runs nothing.
 * ENO_KERNEL, ENO_IMAGE, ELAUNCH (block too large for device or kernel, grid
 * too large, more index dimensions than the kernel has, wrong size of
 * parameters), EINVALID for a buffer of another device. */
int
smelt_kernel_launch(smelt_stream *stream, const struct smelt_launch *launch);

struct smelt_kernel_info {
	uint32_t size;	/* set by the caller */
	uint32_t flags; /* enum smelt_kernel_flag */
	uint32_t max_threads;
	uint32_t registers;
	uint32_t spill_bytes;
	uint32_t stack_bytes;
	uint32_t shared_bytes;
	uint32_t suggested_block; /* by occupancy */
	char name[256];
	char file[256];
	uint32_t line;
};

int
smelt_kernel_info(smelt_device *device, const uint64_t kernel[2],
		  struct smelt_kernel_info *info);

/* The id of the kernel with this readable name (app::saxpy); ENO_KERNEL if
 * there is none, EINVALID if there are several. */
int
smelt_kernel_find(const char *name, uint64_t kernel[2]);

/* 1 if some object of this program registered kernels, else 0 (built without
 * the wrapper). */
int
smelt_has_kernels(void);

/* ---- what the program does: profile and trace ---- */

/* SMELT_PROFILE=1 profiles from the start and prints a table to stderr at the
 * end; SMELT_TRACE=FILE writes a trace of everything in Chrome's format, which
 * Perfetto opens. Both make each launch and copy wait, to know its time. */

enum smelt_profile_kind {
	SMELT_PROFILE_KERNEL = 1,
	SMELT_PROFILE_TO = 2,
	SMELT_PROFILE_FROM = 3,
	SMELT_PROFILE_ON = 4, /* copies and fills within the device */
	SMELT_PROFILE_WAIT = 5,
};

/* All work of one kind from one line of source. */
struct smelt_profile_entry {
	uint32_t size; /* set by the caller */
	uint32_t kind; /* enum smelt_profile_kind */
	uint32_t line; /* 0: not known */
	uint32_t device;
	uint64_t count;
	uint64_t nanoseconds;
	uint64_t bytes;
	/* Copied although the other side held the same bytes already. */
	uint64_t needless_bytes;
	char name[256]; /* of the kernel; "" for the others */
	char file[256];
};

/* Starts anew, with nothing; stops and keeps what there is. */
int
smelt_profile_start(void);
int
smelt_profile_stop(void);

/* Number of entries, and each; EINVALID beyond. In no order. */
int
smelt_profile_count(uint32_t *count);
int
smelt_profile_get(uint32_t index, struct smelt_profile_entry *entry);

/* ---- for the crate: the host's own instance of a kernel ---- */

/* Where there are no kernels, smelt_kernel_launch on the CPU calls
 * smelt_launch.host_entry once for each thread, all in the launching OS thread,
 * blocks one after the other. The primitives (__smelt_thread_idx_x() and so on)
 * are defined in this library for it. A thread may be given up at a barrier and
 * never resumed, when another one of its launch is refused. */

/* Records a panic of the kernel's thread that runs, for the launch at hand; the
 * first of a stream is kept in full, the others are counted. The entry returns
 * after it. Does nothing outside of a kernel. Need not be NUL-terminated. */
void
smelt_host_panic(const char *message, size_t message_size, const char *file,
		 size_t file_size, uint32_t line, uint32_t column);

/* 1 in a thread that runs the host's own instance of a kernel, else 0. */
int
smelt_host_running(void);

#ifdef __cplusplus
}
#endif
#endif
