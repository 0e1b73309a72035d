/*
 * The CPU target's own parts (cpu_*.c), in the order in which target_cpu.c
 * calls them.
 *
 * A kernel's own function, void(ptr block), is its *thread function* here: what
 * one thread does. It is simplified alone, with all it calls that matters
 * inlined, and only then put into a *wrapper*: loops over the block's threads,
 * or a coroutine for one thread.
 */
#ifndef SMELT_CC_CPU_H
#define SMELT_CC_CPU_H

#include "cc/cc.h"
#include "cc/cpu_parts.h"

/* What a function may do, itself or in what it calls. */
enum cpu_reach {
	CPU_REACH_POSITION = 1 << 0, /* asks which thread it is */
	CPU_REACH_PLACE = 1 << 1,    /* other values of the frame: dimensions,
					block, shared memory */
	CPU_REACH_BARRIER = 1 << 2,
	CPU_REACH_WARP = 1 << 3,
	CPU_REACH_PANIC = 1 << 4,
	CPU_REACH_INDIRECT = 1 << 5, /* calls through a pointer */
	CPU_REACH_DYNAMIC = 1 << 6,  /* shared memory sized at launch */
};

struct cpu_function {
	LLVMValueRef function;
	unsigned reach;
	unsigned cost;	/* instructions with all it calls inlined, capped */
	bool recursive; /* may call itself */
	struct cpu_function **callees;
	size_t callee_count;
	size_t mark; /* of the last walk that came by */
};

/* The functions of a module as they are now. */
struct cpu_graph {
	struct cpu_function *functions;
	size_t count;
	struct cc_map *index;
	size_t walks;
};

/* The target's state in a job. One entry per kernel of cc->kernels. */
struct cpu_kernel {
	unsigned reach;		/* of the thread function before inlining */
	uint64_t shared_bytes;	/* static */
	bool joined;		/* SMELT_KERNEL_JOINED */
	bool alone;		/* SMELT_KERNEL_ALONE */
	struct cpu_parts parts; /* SMELT_KERNEL_PARTS; count 0: in one piece */
};

struct cpu_state {
	struct cpu_kernel *kernels;
};

/* ---- target_cpu.c ---- */

/* Whether it is the thread function of a kernel. */
bool
cpu_is_kernel(struct cc_job *job, LLVMValueRef function);

/* ---- cpu_graph.c: which function reaches what ---- */

struct cpu_graph *
cpu_graph_new(struct cc_job *job);
struct cpu_function *
cpu_graph_find(struct cpu_graph *graph, LLVMValueRef function);
/* Calls visit for every function that is reached from start, itself included.
 */
void
cpu_graph_walk(struct cpu_graph *graph, struct cpu_function *start,
	       void (*visit)(void *context, struct cpu_function *function),
	       void *context);
/* Adds to each function's cost those of what it calls. */
void
cpu_graph_costs(struct cpu_graph *graph);
/* Marks what has to be part of its kernel `alwaysinline`; dies where recursion
 * forbids that for a barrier or a warp operation. */
void
cpu_force_inline(struct cc_job *job);

/* ---- cpu_watch.c: SMELT_CPU_CHECK ---- */

/* Whether the job is of CC_CPU_CHECK. */
bool
cpu_watches(const struct cc_job *job);
/* Has the kernels, and what they call, tell the engine of each access and each
 * meeting. Requires that nothing was optimised; inlines what is marked for it,
 * and the standard library. */
void
cpu_watch(struct cc_job *job);

/* ---- cpu_shared.c ---- */

/* Gives every shared static a place in the block's shared memory, fills in
 * cpu_kernel.shared_bytes, and replaces the statics by offsets from the
 * primitive
 * __smelt_shared. Requires that nothing was inlined that the sums should not
 * count. */
void
cpu_shared(struct cc_job *job);

/* ---- cpu_support.c: IR that is written down as text ---- */

/* Links the helpers (smelt_cpu_record and others) into the module. */
void
cpu_support(struct cc_job *job);
/* Makes them internal, once nothing more will be linked in that calls them. */
void
cpu_support_internal(struct cc_job *job);
/* The functions made of a kernel that does not suspend. */
enum { CPU_LOOPS = 3 };
struct cpu_names {
	const char *kernel; /* chooses between the loops */
	/* For any processor; for x86-64-v3; for that and a launch that runs
	 * alone, NULL if there is none. */
	const char *loops[CPU_LOOPS];
	const char *checked; /* threads whose checks are open */
};

/* Append wrappers that call the thread function `thread`: loops, or a ramp
 * (with warp operations or without). All are linked at once: LLVM's linker
 * looks through the whole module each time. */
void
cpu_template_loops(struct cc_job *job, struct buf *text,
		   const struct cpu_names *names, const char *thread);
void
cpu_template_ramp(struct cc_job *job, struct buf *text, const char *name,
		  const char *thread, bool warp);
/* Appends the template with $KEY replaced; keys and values alternate, NULL
 * ends. */
void
cpu_template_add(struct cc_job *job, struct buf *text, const char *template,
		 const char *const *replacements);
void
cpu_templates_link(struct cc_job *job, const struct buf *text);

/* ---- cpu_level.c ---- */

extern const char cpu_level_text[];

/* ---- cpu_driver.c ---- */

extern const char cpu_poll_text[];
/* Appends what runs the parts of a kernel in turn: functions named like the
 * wrappers of its parts. */
void
cpu_template_driver(struct cc_job *job, struct buf *text, const char *name,
		    const struct cpu_parts *parts,
		    const char *const *functions);

/* ---- cpu_checks.c ---- */

enum { CPU_MAX_CHECKS = 64 }; /* more of a kernel's stay where they are */
struct cpu_check {
	LLVMValueRef compare; /* icmp in the thread function */
	bool wanted;	      /* how it comes out where the thread goes on */
	bool bound;	      /* the range is one in which it comes out so */
};

struct cpu_checks {
	LLVMValueRef thread;
	struct cpu_check list[CPU_MAX_CHECKS];
	size_t count;
};

/* Adds the checks of checks->thread. */
void
cpu_checks_find(struct cpu_checks *checks);

/* ---- cpu_ranges.c: checks that hold for a whole range of x ---- */

/* Finds the checks of the thread function that hold for a range of x; puts each
 * behind smelt.check(condition, wanted), and the range into the loop wrappers,
 * in place of smelt.low and smelt.high. */
void
cpu_ranges_apply(struct cc_job *job, LLVMValueRef thread,
		 const LLVMValueRef *wrappers, size_t count);
/* The checks that were inlined into a function: known to come out as wanted, or
 * still to be made. */
void
cpu_ranges_assume(struct cc_job *job, LLVMValueRef function);
void
cpu_ranges_keep(struct cc_job *job, LLVMValueRef function);

/* ---- cpu_atomics.c ---- */

/* Makes atomics plain that only threads of one block can use. */
void
cpu_atomics_of_block(LLVMValueRef thread);
/* Whether the thread function is worth a variant for launches that run alone:
 * it has atomics, and none that could wait for another launch. */
bool
cpu_atomics_alone(LLVMValueRef thread);
/* Makes all atomics of such a function plain. */
void
cpu_atomics_drop(LLVMValueRef function);

/* ---- cpu_rows.c ---- */

/* Whether the thread function cannot tell rows of several blocks in one from
 * the row of one. */
bool
cpu_rows_join(LLVMValueRef thread);

/* ---- cpu_panics.c ---- */

/* Has the kernels leave their thread's position in the frame before each call
 * that may panic or ask for it. */
void
cpu_here(struct cc_job *job);
void
cpu_panics(struct cc_job *job);

/* ---- cpu_scopes.c ---- */

/* Leaves alias scopes in the thread function that hold across threads. */
void
cpu_scopes(struct cc_job *job, LLVMValueRef thread);

/* ---- cpu_lines.c ---- */

struct cpu_lines;
struct cpu_lines *
cpu_lines_begin(struct cc_job *job);
/* Gives a wrapper lines, before its thread function is inlined into it; nothing
 * is done where the kernel has no debug info. */
void
cpu_lines_add(struct cpu_lines *lines, LLVMValueRef wrapper,
	      LLVMValueRef thread);
void
cpu_lines_end(struct cpu_lines *lines);

/* ---- cpu_bind.c: primitives to values ---- */

/* Replaces position primitives by the values of their names in a wrapper, and
 * in other functions by reads through smelt_cpu_current. */
void
cpu_bind(struct cc_job *job, LLVMValueRef function, bool wrapper);
/* The instruction or parameter with this name; NULL if there is none. */
LLVMValueRef
cpu_named(LLVMValueRef function, const char *name);

/* ---- cpu_suspend.c: barriers and warp operations ---- */

/* Makes suspension points of the barriers and warp operations that were inlined
 * into a ramp. */
void
cpu_suspend(struct cc_job *job, LLVMValueRef ramp);
/* Whether it names a barrier or a warp operation. */
bool
cpu_is_meeting(const char *name);
/* Dies if some function other than a ramp has barriers or warp operations. */
void
cpu_suspend_check(struct cc_job *job);

#endif
