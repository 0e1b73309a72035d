/*
 * The simulated AMD GPU, inside: what its files share.
 *
 * Above the line "processor" is the HSA runtime (hsa_*.c), which other threads
 * of the program call; below it the device, which runs on its own threads.
 * Device addresses are addresses of this process: an allocation is the same
 * memory to host and device, and space.c knows which parts the device may
 * touch.
 */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "hsa.h"

#include <pthread.h>
#include <stdatomic.h>

#define array_count(a) (sizeof(a) / sizeof((a)[0]))

enum {
	SIM_MAX_GPUS = 16,
	SIM_PAGE = 4096,
	SIM_LDS_SIZE = 65536,
	SIM_MAX_WORKGROUP = 1024,
};

/* ---- hsa_system.c: agents ---- */

struct arch; /* isa.h */

struct sim_agent {
	uint32_t index;		 /* 0 is the CPU, GPUs from 1 */
	const struct arch *arch; /* NULL: the CPU */
};

/* NULL if there is no such agent, or no hsa_init came before. */
struct sim_agent *
sim_agent_find(hsa_agent_t agent);
hsa_agent_t
sim_agent_handle(uint32_t index);
uint32_t
sim_agent_count(void);
bool
sim_initialised(void);
/* Monotonic, in ns; HSA's timestamps count at 1 GHz. */
uint64_t
sim_now(void);
/* Tells the program of a memory fault. Without a handler, or if the handler
 * returns failure, prints the fault and aborts, as ROCm's runtime does. */
void
sim_memory_fault(uint32_t agent_index, uint64_t address, uint32_t reason,
		 const char *text);

/* ---- object.c: which handles are alive ---- */

enum object_kind {
	OBJECT_SIGNAL = 1,
	OBJECT_READER,
	OBJECT_EXECUTABLE,
	OBJECT_SYMBOL,
};

/* false if there is no memory. */
bool
object_add(enum object_kind kind, const void *object);
/* false if it was not alive. */
bool
object_remove(enum object_kind kind, const void *object);
bool
object_alive(enum object_kind kind, uint64_t handle);

/* ---- space.c: the device's view of memory ---- */

enum range_kind {
	RANGE_POOL,   /* hsa_amd_memory_pool_allocate */
	RANGE_LOCKED, /* hsa_amd_memory_lock */
	RANGE_CODE,   /* a loaded code object */
	RANGE_SYSTEM, /* queues, signals, scratch */
};

struct range {
	uint64_t base;
	uint64_t size;	 /* as asked for */
	uint64_t mapped; /* a multiple of the page size */
	enum range_kind kind;
	uint32_t agents; /* bit per agent index that may access */
	uint32_t owner;	 /* agent index */
	uint32_t flags;	 /* enum hsa_amd_pool_flag */
	uint32_t locks;	 /* RANGE_LOCKED: how many times */
	bool read_only;
	uint8_t *written; /* check.c: bits of bytes; NULL: not asked for */
};

/* false if it overlaps another range or there is no memory. */
bool
space_add(const struct range *range);
/* Takes the range that begins at base away; false if none does. */
bool
space_remove(uint64_t base, enum range_kind kind, struct range *removed);
/* The range that holds the address. */
bool
space_find(uint64_t address, struct range *found);
/* Bytes of ranges of the kind that an agent owns. */
uint64_t
space_owned(uint32_t agent, enum range_kind kind);
/* Changes the range that begins at base through the callback, under the lock.
 */
bool
space_change(uint64_t base, void (*change)(struct range *, void *), void *arg);
/* Grows with every change of the set: copies of ranges taken at an older value
 * are stale. */
extern _Atomic uint64_t space_generation;

/* ---- hsa_signal.c ---- */

/* AMD's signal ABI (LLVM's AMDGPUUsage, "amd_signal_t"): device code may load
 * and store the value by its address. */
struct sim_signal {
	int64_t kind; /* 1: user */
	_Atomic int64_t value;
	uint64_t event_mailbox;
	uint32_t event_id;
	uint32_t reserved1;
	uint64_t start_time;
	uint64_t end_time;
	uint64_t queue;
	uint32_t reserved2[2];
};
_Static_assert(sizeof(struct sim_signal) == 64, "amd_signal_t");

/* NULL for a handle that is not alive. */
struct sim_signal *
signal_find(hsa_signal_t handle);
void
signal_add(struct sim_signal *signal, int64_t value);
/* Wakes all waiters to look again. */
void
signal_notify(void);
/* Blocks until ready(arg) is true. ready is called under the signal lock and
 * must not take it; it is called again after each notification and every 1 ms.
 */
void
signal_wait_until(bool (*ready)(void *arg), void *arg);
void
signal_stop(void);

/* ---- hsa_memory.c ---- */

/* Zeroed pages that the device may touch; NULL if there are none. */
void *
memory_map(const struct range *like, uint64_t size);
void
memory_unmap(void *ptr, enum range_kind kind);
/* Bytes that an agent's pools have left. */
uint64_t
memory_available(const struct sim_agent *agent);
void
memory_stop(void);

/* ---- elf.c: code objects ---- */

struct code_symbol {
	const char *name;
	uint64_t address;
	uint64_t size;
	bool kernel; /* address is that of a kernel descriptor */
	uint32_t agent;
};

/* A code object in device memory. */
struct code {
	uint8_t *base; /* of the loaded image; vaddr 0 */
	uint64_t size;
	uint64_t text; /* offset of the first executable byte, and past the last
			*/
	uint64_t text_end;
	struct code_symbol *symbols;
	size_t symbol_count;
	char *names; /* a copy: the device could write over the image's */
	const struct arch *arch;
	uint32_t agent;
	struct inst *insts; /* decoded, one per dword of text; decode.c */
	pthread_mutex_t decode_lock;
	void *file; /* copy of the ELF file, for names and lines */
	uint64_t file_size;
	struct code *next;
};

/* Loads for the agent. HSA_STATUS_ERROR_INVALID_CODE_OBJECT for anything
 * malformed, INCOMPATIBLE_ARGUMENTS for another device's code. */
hsa_status_t
code_load(const struct sim_agent *agent, const void *file, uint64_t size,
	  struct code **code);
void
code_unload(struct code *code);
/* Code that holds this address, among all that are loaded. */
struct code *
code_find(uint64_t address);
/* Name of the kernel whose descriptor this is; "?" if none. */
const char *
code_kernel_name(uint64_t descriptor);

/* ---- line.c ---- */

/* "file:line" of an address in the image, if the code object's line table has
 * it.
 */
bool
code_line(const struct code *code, uint64_t address, char *out, size_t size);

/* LLVM's AMDGPUUsage, "Kernel Descriptor". */
struct kernel_descriptor {
	uint32_t group_segment_fixed_size;
	uint32_t private_segment_fixed_size;
	uint32_t kernarg_size;
	uint8_t reserved0[4];
	int64_t entry_offset; /* from the descriptor's own address */
	uint8_t reserved1[20];
	uint32_t rsrc3;
	uint32_t rsrc1;
	uint32_t rsrc2;
	uint16_t properties;
	uint16_t kernarg_preload;
	uint8_t reserved3[4];
};
_Static_assert(sizeof(struct kernel_descriptor) == 64, "kernel descriptor");

enum {
	KERNEL_PRIVATE_SEGMENT_BUFFER = 1 << 0,
	KERNEL_DISPATCH_PTR = 1 << 1,
	KERNEL_QUEUE_PTR = 1 << 2,
	KERNEL_KERNARG_PTR = 1 << 3,
	KERNEL_DISPATCH_ID = 1 << 4,
	KERNEL_FLAT_SCRATCH_INIT = 1 << 5,
	KERNEL_PRIVATE_SEGMENT_SIZE = 1 << 6,
	KERNEL_WAVE32 = 1 << 10,
	KERNEL_DYNAMIC_STACK = 1 << 11,
};

/* ---- dispatch.c: one kernel dispatch ---- */

/* What stopped a dispatch. status HSA_STATUS_SUCCESS: nothing did. */
struct fault {
	hsa_status_t status;
	uint32_t reason;  /* of a memory fault */
	uint64_t address; /* of a memory fault */
	uint64_t pc;
	char text[808]; /* names kernel, PC, line where known */
};

/* Runs the packet's grid to its end on this and other threads. queue is the
 * address of the amd_queue_t. */
void
dispatch_run(const struct sim_agent *agent, uint64_t queue,
	     const struct hsa_dispatch_packet *packet, uint64_t dispatch_id,
	     struct fault *fault);
void
fault_set(struct fault *fault, hsa_status_t status, uint64_t pc,
	  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
