/*
 * What smelt-cc writes and libsmelt reads: the kernel table, the container of
 * device images, and the ABI between a compiled kernel and the runtime.
 *
 * Everything here is little-endian, naturally aligned, and addressed by byte
 * offsets, so that a table can be read from a stripped binary as well as from
 * memory. Readers go through src/image, which validates every field first.
 */
#ifndef SMELT_IMAGE_H
#define SMELT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SMELT_TABLE_MAGIC "SMELTKT1"
#define SMELT_TABLE_VERSION 3u
#define SMELT_UNKNOWN                                                          \
	0xffffffffu /* a resource that the tools did not report                \
		     */

/* Sections of a linked program. */
#define SMELT_SECTION_KERNELS "smelt_kernels" /* one kernel table */
#define SMELT_SECTION_IMAGES "smelt_images"   /* offload binaries, 8-aligned */

enum smelt_target_kind {
	SMELT_TARGET_CPU = 1,
	SMELT_TARGET_NVPTX = 2,
	SMELT_TARGET_AMDGPU = 3,
};

enum smelt_fp_mode {
	SMELT_FP_FAST = 0, /* a*b+c may become fma */
	SMELT_FP_EXACT = 1,
};

enum smelt_kernel_flag {
	/* Asked for a 1-, 2- or 3-dimensional index token: such a kernel may
	 * only be launched on a grid of at most that many dimensions, or two
	 * threads could hold equal tokens. */
	SMELT_KERNEL_INDEX1 = 1 << 0,
	SMELT_KERNEL_INDEX2 = 1 << 1,
	SMELT_KERNEL_INDEX3 = 1 << 2,
	SMELT_KERNEL_BARRIER = 1 << 3,	 /* has barriers or warp operations */
	SMELT_KERNEL_COROUTINE = 1 << 4, /* CPU entry is a smelt_cpu_ramp */
	SMELT_KERNEL_DYNAMIC_SHARED = 1 << 5,
	/* On a GPU: recurses or calls through pointers, so that nobody knows
	 * how much stack it needs. */
	SMELT_KERNEL_DEEP = 1 << 6,
	/* On the CPU: calls smelt_cpu_watch_*. */
	SMELT_KERNEL_WATCHED = 1 << 7,
	SMELT_KERNEL_PRINT = 1 << 8, /* wants smelt_device_state.print */
	/* On the CPU: may run several blocks that follow one another in x as
	 * one block with longer rows. */
	SMELT_KERNEL_JOINED = 1 << 9,
	/* On the CPU: asks whether frame->alone. */
	SMELT_KERNEL_ALONE = 1 << 10,
	/* On the CPU: has barriers or warp operations and is a
	 * smelt_cpu_kernel all the same. */
	SMELT_KERNEL_PARTS = 1 << 11,
};

struct smelt_table_header {
	char magic[8];
	uint32_t version;
	uint32_t size; /* of the whole table, this header included */
	uint32_t fp_mode;
	uint32_t kernel_count;
	uint32_t kernel_offset; /* struct smelt_table_kernel[], by rising id */
	uint32_t target_count;
	uint32_t target_offset;	  /* struct smelt_table_target[] */
	uint32_t resource_offset; /* smelt_table_resources[kernel][target] */
	uint32_t site_count;
	uint32_t site_offset; /* struct smelt_table_site[] */
	uint32_t term_count;
	uint32_t term_offset;	/* struct smelt_table_term[] */
	uint32_t string_offset; /* NUL-terminated strings, the first is "" */
	uint32_t string_size;
};

/* What is appended to a kernel's symbol for its variant for launches in which
 * the terms of its resources hold: without the checks that they decide, and
 * with whatever else they allow. */
#define SMELT_HELD_SUFFIX "_held"

/* Strings are offsets from string_offset. */
struct smelt_table_kernel {
	uint64_t id[2];	 /* TypeId of the function type: low half, high half */
	uint32_t symbol; /* name in the device images */
	uint32_t name;	 /* readable path, such as app::saxpy */
	uint32_t file;
	uint32_t line;
	uint32_t block_size; /* of the parameter block, bytes */
	uint32_t block_align;
	uint32_t max_threads; /* launch bounds; 0: none given */
	uint32_t min_blocks;
	uint32_t flags; /* enum smelt_kernel_flag */
	uint32_t reserved;
};

struct smelt_table_target {
	uint32_t kind;	/* enum smelt_target_kind */
	uint32_t arch;	/* "x86_64", "sm_75", "gfx90a" */
	uint32_t image; /* index in the images section; SMELT_UNKNOWN for cpu */
	uint32_t check; /* of the image's contents (src/image); 0 for cpu */
};

/* SMELT_UNKNOWN where no tool said. */
struct smelt_table_resources {
	uint32_t registers;
	uint32_t spill_bytes;
	uint32_t stack_bytes;
	uint32_t shared_bytes; /* static */
	/* Which launches the held variant serves; 0 terms: there is none. */
	uint32_t first_term;
	uint32_t term_count;
};

/*
 * Most checks of a kernel follow from its arguments and its grid. The terms of
 * a kernel compute, for one launch, the range of each number that they test,
 * over all threads and iterations; if each of their NEEDs is true no such check
 * can fail, and the variant without them runs. Other NEEDs are of arguments:
 * that they are small.
 *
 * A term's value is a range of unsigned numbers of `width` bits, made of those
 * of terms a and b, which come before it; an operation that might wrap gives
 * all numbers of its width. A range may be empty: the thread does not get
 * there, and a NEED of it is true.
 */
enum smelt_term {
	SMELT_TERM_NUMBER = 1, /* value */
	SMELT_TERM_FIELD,      /* of the parameter block, at byte `value` */
	SMELT_TERM_THREAD,     /* thread's place in its block; a: dimension */
	SMELT_TERM_BLOCK,      /* block's place in the grid; a: dimension */
	SMELT_TERM_BLOCK_DIM,  /* a: dimension */
	SMELT_TERM_GRID_DIM,   /* a: dimension */
	SMELT_TERM_ANY,	       /* all numbers of the width */
	SMELT_TERM_UPTO,       /* 0 to the greatest of a */
	SMELT_TERM_ADD,
	SMELT_TERM_SUB,
	SMELT_TERM_MUL,
	SMELT_TERM_DIV,
	SMELT_TERM_REM,
	SMELT_TERM_AND,
	SMELT_TERM_MIN,
	SMELT_TERM_MAX,
	SMELT_TERM_JOIN,  /* a or b */
	SMELT_TERM_MEET,  /* both a and b */
	SMELT_TERM_TRUNC, /* a cut to the width */
	SMELT_TERM_SEXT,  /* a, a signed number of `value` bits, widened */
	/* a, of which it is known that ... */
	SMELT_TERM_BELOW,   /* a + value < b; value wraps at the width */
	SMELT_TERM_ATMOST,  /* a + value <= b */
	SMELT_TERM_ABOVE,   /* a > b */
	SMELT_TERM_ATLEAST, /* a >= b */
	SMELT_TERM_OTHER,   /* a != b */
	/* The launch is served only if ... */
	SMELT_TERM_NEED_BELOW,	/* a < b */
	SMELT_TERM_NEED_ATMOST, /* a <= b */
	SMELT_TERM_NEED_SAME,	/* a == b */
	SMELT_TERM_NEED_OTHER,	/* a != b */
	SMELT_TERM_END,
};

enum { SMELT_MOST_TERMS = 512 }; /* of one kernel */

struct smelt_table_term {
	uint8_t op; /* enum smelt_term */
	uint8_t width;
	uint16_t a; /* counted from the kernel's first */
	uint16_t b;
	uint16_t reserved;
	uint64_t value;
};

enum smelt_panic_kind {
	SMELT_PANIC_OTHER = 0,	/* message is the text */
	SMELT_PANIC_BOUNDS = 1, /* args: index, length */
	SMELT_PANIC_ARITH = 2,	/* message is the text */
	SMELT_PANIC_RANGE = 3,	/* args: index, bound; message says which */
	/* message is a template for words (src/base/text.h) */
	SMELT_PANIC_TEXT = 4,
};

/* A place that may panic, or that prints. A compiled kernel names it by its
 * number. */
struct smelt_table_site {
	uint32_t kind; /* enum smelt_panic_kind */
	uint32_t message;
	uint32_t file;
	uint32_t line;
	uint32_t column;
	uint32_t reserved;
};

/*
 * LLVM's offload binary (llvm/Object/OffloadBinary.h, version 1), repeated here
 * because LLVM has no C API for it. One per image, each 8-aligned, back to
 * back. The string map holds "triple" and "arch".
 */
#define SMELT_OFFLOAD_MAGIC "\x10\xff\x10\xad"
struct smelt_offload_header {
	uint8_t magic[4];
	uint32_t version;
	uint64_t size; /* of this binary, padding included */
	uint64_t entry_offset;
	uint64_t entry_size;
};

enum smelt_offload_image_kind {
	SMELT_IMAGE_OBJECT = 1,
	SMELT_IMAGE_CUBIN = 3,
	SMELT_IMAGE_PTX = 5,
};

struct smelt_offload_entry {
	uint16_t image_kind;
	uint16_t offload_kind; /* 0 */
	uint32_t flags;
	uint64_t string_offset;
	uint64_t string_count;
	uint64_t image_offset;
	uint64_t image_size;
};

struct smelt_offload_string {
	uint64_t key_offset;
	uint64_t value_offset;
};

/*
 * ABI of a kernel
 * ---------------
 * A kernel takes one parameter block. It begins with this header, which the
 * runtime fills in for each launch in its copy of the block.
 */
struct smelt_block_header {
	uint64_t state;	 /* device address of a struct smelt_device_state */
	uint64_t launch; /* number of this launch, for messages */
};

/* Words that the values of one panic or of one print may take. A str that needs
 * more is cut. (So many make struct smelt_device_state 256 bytes.) */
#define SMELT_WORDS 23

/*
 * In device memory, one per stream, zeroed before use. The first thread that
 * panics (it takes panicked from 0) fills in the rest, then stores 1 to the
 * host word, which the runtime looks at in each wait.
 */
struct smelt_device_state {
	uint32_t panicked; /* threads that panicked */
	uint32_t site;
	uint64_t launch;
	uint64_t args[2];
	uint32_t block[3];
	uint32_t thread[3];
	uint64_t host_word; /* address, for the device, of a uint32_t on the
			       host */
	uint64_t print;	    /* of a struct smelt_print_buffer; 0: none */
	uint64_t words[SMELT_WORDS]; /* values of a SMELT_PANIC_TEXT */
};

/*
 * What kernels print, in device memory, one per stream that needs it. A thread
 * adds the size of its record to used; if that was at most capacity less the
 * size, the room is its own. Else it adds 1 to dropped and, if it has the room,
 * writes a 0 where the record would begin, which ends what there is.
 */
struct smelt_print_buffer {
	uint64_t used;	   /* words, also those that there was no room for */
	uint64_t capacity; /* words behind this header */
	uint64_t dropped;
	uint64_t reserved;
};

struct smelt_print_record {
	uint32_t words; /* of the record, this header included */
	uint32_t site;
	uint64_t launch;
	uint32_t block[3];
	uint32_t thread[3];
	/* values follow, as smelt_device_state.words */
};

/*
 * ABI of a kernel on the CPU
 * --------------------------
 * A kernel without barriers is a smelt_cpu_kernel: it runs all threads of one
 * block, x innermost, beginning at frame->start. With SMELT_KERNEL_JOINED it
 * runs several that follow one another in x: its rows have frame->row threads,
 * and block_idx is the first one's. So does one with barriers whose threads all
 * come to the same (SMELT_KERNEL_PARTS), for one block. Any other with barriers
 * or warp operations (SMELT_KERNEL_COROUTINE) is a smelt_cpu_ramp: it begins
 * one thread and returns an LLVM switch-resumed coroutine: word 0 of the handle
 * is the resume function, NULL once the thread has ended; the ramp returns
 * before the thread's first instruction. At each suspension the thread leaves
 * the reason in frame->suspend.
 *
 * A panic in the kernel itself records and goes on with the next thread. One in
 * a function that was not inlined records and calls smelt_cpu_leave(), which
 * does not return: the engine drops the thread in frame->current and goes on
 * with the next. Kernels that can do so, or call functions that ask for
 * their position, keep frame->current up to date.
 */
enum smelt_cpu_suspend {
	SMELT_CPU_RUNNING = 0,
	SMELT_CPU_BARRIER = 1,
	SMELT_CPU_WARP = 2, /* all threads of the warp of 32 meet here */
};

/* The words that threads show each other in a warp operation, and what else
 * kernels keep with them. */
struct smelt_cpu_row {
	uint64_t threads[1024];
	uint64_t warps[32][2];
	uint32_t more[1024];
};

struct smelt_cpu_frame {
	uint32_t start[3];   /* thread to begin with: x, y, z */
	uint32_t current[3]; /* thread that runs */
	uint32_t block_idx[3];
	uint32_t block_dim[3];
	uint32_t grid_dim[3];
	uint32_t suspend; /* enum smelt_cpu_suspend */
	const struct smelt_block_header
		*block; /* the launch's parameter block */
	char *shared;	/* static shared memory, then (16-aligned) dynamic */
	char *dynamic_shared;
	/* Memory for a coroutine's frame, 16-aligned, that lasts for the block;
	 * never NULL. */
	void *(*frame_alloc)(struct smelt_cpu_frame *frame, uint64_t size);
	/* Exchange of warp operations: a thread stores at its linear index,
	 * then suspends with SMELT_CPU_WARP and reads the others'. Two rows
	 * used in turn, so that one suspension per operation is enough; each
	 * is the start of a struct smelt_cpu_row.
	 * alive[w] has a bit for each lane of warp w that had not ended when
	 * they met. */
	uint64_t *warp_values[2];
	uint32_t *warp_alive;
	/* Values of the panic or print that is about to be told. */
	uint64_t words[SMELT_WORDS];
	uint32_t row; /* threads of a row: block_dim[0] for each block joined */
	/* No other thread runs blocks, of this launch or another: what is
	 * atomic for the device need not be so for the processor. */
	uint32_t alone;
	/* Of a kernel in parts (SMELT_KERNEL_PARTS), which sets them itself:
	 * the part that comes next, parts begun, whether a thread has ended
	 * before the others, and memory for what threads keep between parts. */
	uint32_t next, turn, ended;
	void *context, *uniform_in, *uniform_out;
};

typedef void
smelt_cpu_kernel(const void *block, struct smelt_cpu_frame *frame);
typedef void *
smelt_cpu_ramp(const void *block, struct smelt_cpu_frame *frame, uint32_t x,
	       uint32_t y, uint32_t z);

/* For functions on the CPU that are not inlined into their kernel: the frame of
 * the block that this OS thread runs. Defined by libsmelt; NULL outside. */
#if !defined(__cplusplus) && __STDC_VERSION__ >= 201112L
extern _Thread_local struct smelt_cpu_frame *smelt_cpu_current;
#endif
void
smelt_cpu_leave(void);
/* A thread of the block prints: the values are the first `count` of
 * frame->words. Defined by libsmelt. */
void
smelt_cpu_print(struct smelt_cpu_frame *frame, uint32_t site, uint32_t count,
		uint32_t x, uint32_t y, uint32_t z);

/*
 * A kernel that is watched (target cpu-check) says before each access to memory
 * that is not its own stack, and before each barrier and warp operation, what
 * it will do, and where in the source; it keeps frame->current up to date. All
 * are defined by libsmelt, and do nothing where nobody watches.
 */
struct smelt_cpu_site {
	const char *file;
	uint32_t line;
	uint32_t column;
	uint32_t number; /* libsmelt's, 0 at first */
	uint32_t reserved;
};

enum smelt_cpu_access {
	SMELT_CPU_READ = 0,
	SMELT_CPU_WRITE = 1,
	SMELT_CPU_COPY = 2, /* read to be stored elsewhere, padding and all */
	SMELT_CPU_ATOMIC_READ = 3,
	SMELT_CPU_ATOMIC_WRITE = 4,
	SMELT_CPU_ATOMIC_UPDATE = 5,
	/* Added to an atomic access, or alone for a fence. */
	SMELT_CPU_ACQUIRE = 1 << 4,
	SMELT_CPU_RELEASE = 1 << 5,
};

void
smelt_cpu_watch_access(const void *address, uint64_t size, uint32_t how,
		       struct smelt_cpu_site *site);
void
smelt_cpu_watch_fence(uint32_t how);
void
smelt_cpu_watch_meet(struct smelt_cpu_site *site);
/* Where the memory of an argument begins; number counts those that are in
 * memory from 1. */
void
smelt_cpu_watch_argument(const void *memory, uint32_t number);

/* What the object that smelt-cc emits registers, from a constructor. */
struct smelt_image {
	uint32_t abi;  /* SMELT_TABLE_VERSION */
	uint32_t size; /* of this struct */
	const void *table;
	uint64_t table_size;
	const void *images;
	uint64_t images_size;
	/* One per kernel of the table: smelt_cpu_kernel or smelt_cpu_ramp;
	 * NULL where cpu was not among the targets. */
	const void *const *cpu_kernels;
	uint64_t cpu_kernel_count;
};

/* Keeps the pointer; looks at what is behind it only when a device is first
 * used. Weak in the object, so that a program without launches links. */
void
smelt_image_register(const struct smelt_image *image);

#ifdef __cplusplus
}
#endif
#endif
