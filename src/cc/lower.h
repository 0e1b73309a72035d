/*
 * Steps shared by the GPU targets and the small questions about functions that
 * all of them ask. Not a layer over the targets: each calls what it needs, in
 * its own order.
 */
#ifndef SMELT_CC_LOWER_H
#define SMELT_CC_LOWER_H

#include "cc/cc.h"

/* ---- attributes.c: functions, calls and their attributes ---- */

/* The function an instruction calls by name; NULL for all else. */
LLVMValueRef
lower_callee(LLVMValueRef instruction);
/* Whether it marks where a local begins or ends to be used. */
bool
lower_is_lifetime(LLVMValueRef instruction);
/* The function an instruction lies in. */
LLVMValueRef
lower_function_of(LLVMValueRef instruction);
/* What rustc says about the host's processor, stack and unwinder. */
void
lower_drop_host(LLVMValueRef function);
/* Enum attributes of a function, by name. */
bool
lower_has(LLVMValueRef function, const char *name);
void
lower_add(struct cc_job *job, LLVMValueRef function, const char *name,
	  uint64_t value);
/* A kernel's parameter block is there, whole, and nobody writes to it. */
void
lower_add_block(struct cc_job *job, LLVMValueRef kernel, uint64_t size);
void
lower_drop(LLVMValueRef function, const char *name);
/* A string attribute of a function. */
void
lower_add_string(struct cc_job *job, LLVMValueRef function, const char *name,
		 const char *value);
/* Not convergent, neither itself nor any call of it. */
void
lower_drop_convergent(LLVMValueRef function);
/* An intrinsic by name; types are those it is overloaded on. */
LLVMValueRef
lower_intrinsic(struct cc_job *job, LLVMBuilderRef builder, const char *name,
		LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
		unsigned arg_count);

/* ---- lower.c ---- */

/* cc_passes without knowledge of the target. Jump threading, for one, does
 * nothing for a GPU, and without it Rust's range iterators leave a select in
 * each induction variable. It does not copy convergent calls. */
void
lower_plain_passes(struct cc_job *job, const char *pipeline);

/* ---- extents.c ---- */

/* Where in a kernel's block its small arguments have their pointers and
 * lengths, as lists of numbers: attributes of the variant that counts on it. */
#define LOWER_SMALL_POINTERS "smelt-small-pointers"
#define LOWER_SMALL_LENGTHS "smelt-small-lengths"

struct lower_small {
	const char *pointers;
	const char *lengths;
};

/* Notes for each kernel what calls of this identity say of its arguments. */
void
lower_note_extents(struct cc_job *job, const char *name);
/* Adds to a kernel's terms what must be so in a launch for its arguments to be
 * small: nothing if their sizes are constants. Gives their places; false if
 * there is none, or no room for the terms. */
bool
lower_need_small(struct cc_job *job, size_t kernel,
		 struct smelt_table_term *terms, size_t *count,
		 struct lower_small *places);
/* Whether it is a plain load from its kernel's block, and where. */
bool
lower_is_block_field(struct cc_job *job, LLVMValueRef load, uint64_t *offset);

/* ---- loops.c ---- */

/* Inlines the functions that are called once. LLVM's inliner would do so, too,
 * but later, when a kernel's variant calls them as well: then they are called
 * twice, and may be left. */
void
lower_inline_single(struct cc_job *job);
/* Makes the held variants (held.c, extents.c); takes bounds checks out of
 * counted loops where they can be decided before (hoist.c). Requires
 * __smelt_panic as lower_declare_panic leaves it. */
void
lower_checks(struct cc_job *job);
/* Decides runs of checks in straight-line code together (straight.c).
 * Requires the main pipeline done and simplifycfg run. */
void
lower_straight_checks(struct cc_job *job);

/* ---- deep.c ---- */

/* Marks kernels whose stack has no known bound. The module is as it will be
 * emitted. */
void
lower_note_deep(struct cc_job *job);

/* ---- spaces.c: statics and address spaces ---- */

/* Moves statics of section .smelt.shared to address space 3, uninitialised, and
 * has __smelt_dynamic_shared() give a pointer behind them. */
void
lower_shared(struct cc_job *job);

/* AMD: allocas to address space 5; constants to space 4; helpers take no byval
 * or sret, which would have to point there. */
void
lower_private(struct cc_job *job);
void
lower_constants(struct cc_job *job);
/* Dies where a constant in global memory is addressed as shared or local
 * memory: LLVM makes such a cast when a local array that was already moved to
 * its space is replaced by the constant that it holds. Before emit. */
void
lower_check_spaces(struct cc_job *job);

/* ---- record.c: panics ---- */

struct lower_record {
	/* Scope name of one device: "agent", "device". */
	const char *device_scope;
	/* thread (block: false) or block index; dimension 0 to 2; an i32. */
	LLVMValueRef (*position)(struct cc_job *job, LLVMBuilderRef builder,
				 bool block, unsigned dimension);
	/* Ends the thread inside a function that is not a kernel. */
	void (*leave)(struct cc_job *job, LLVMBuilderRef builder);
};

/* What LLVM may assume about __smelt_panic until lower_panics: it does not
 * return and is cold. */
void
lower_declare_panic(struct cc_job *job);
/* Has the functions that may panic inlined, as far as they call each other by
 * name and not in circles. */
void
lower_inline_panics(struct cc_job *job);
/* Replaces the calls of __smelt_panic and __smelt_print by the writing of their
 * records. Requires: all inlining is done and simplifycfg has run. */
void
lower_panics(struct cc_job *job, const struct lower_record *ops);

/* ---- words.c: the values of panics and prints ---- */

/* What to do with a word, an i64, and with the bytes of a str (there are at
 * most as many as fit), which are to stand at an offset, an i64, in words. */
struct lower_words {
	void (*word)(void *data, LLVMValueRef offset, LLVMValueRef word);
	void (*text)(void *data, LLVMValueRef offset, LLVMValueRef text,
		     LLVMValueRef len);
};

bool
lower_has_words(LLVMValueRef call);
/* Goes through the values of a call in turn; how many words they take. */
LLVMValueRef
lower_words(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call,
	    const struct lower_words *ops, void *data);

/* ---- warp.c: warp operations ---- */

/* What a GPU has to build them from. */
struct lower_warp {
	/* This thread's lane; the lanes of a warp; i32 both. */
	LLVMValueRef (*lane)(struct cc_job *job, LLVMBuilderRef builder);
	LLVMValueRef (*size)(struct cc_job *job, LLVMBuilderRef builder);
	/* A bit for each lane that takes part and has i1 `bit` set, as i64. */
	LLVMValueRef (*ballot)(struct cc_job *job, LLVMBuilderRef builder,
			       LLVMValueRef bit);
	/* The i32 `value` of lane `from`, which is inside the warp; whatever
	 * it likes where that lane has ended. */
	LLVMValueRef (*permute)(struct cc_job *job, LLVMBuilderRef builder,
				LLVMValueRef value, LLVMValueRef from);
	/* The same of the lane whose number is this one's with the bits of
	 * `mask` flipped, which is inside the warp; NULL if there is nothing
	 * better for that than `permute`. */
	LLVMValueRef (*near)(struct cc_job *job, LLVMBuilderRef builder,
			     LLVMValueRef value, unsigned mask);
};

/* Replaces __smelt_lane_id, _warp_size, _shuffle_*, _ballot, _any, _all. */
void
lower_warp_operations(struct cc_job *job, const struct lower_warp *ops);
/* One vote of all lanes that take part, by calls of this intrinsic with the
 * same constants, is enough for each block: no lane ends within one. */
void
lower_join_votes(struct cc_job *job, const char *intrinsic);

/* ---- atomics.c ---- */

/* Gives every atomic of core, which means all threads of the system, the scope
 * of one device, by its name on this target. */
void
lower_atomic_scopes(struct cc_job *job, const char *device_scope);
/* Takes acquire and release off atomicrmw and puts fences around it. */
void
lower_atomic_orderings(struct cc_job *job);
/* An operation of __smelt_atomic_*: 0 block, 1 device, 2 system. */
struct lower_scopes {
	const char *name[3];
	/* Metadata for those within the device; NULL-terminated, or NULL. */
	const char *const *metadata;
};
/* Replaces __smelt_atomic_{add,min,max}_{f32,f64}. */
void
lower_float_atomics(struct cc_job *job, const struct lower_scopes *scopes);

/* ---- local_atomics.c ---- */

/* Atomics on a thread's own memory become plain accesses; whether there were
 * any. Requires infer-address-spaces. */
bool
lower_local_atomics(struct cc_job *job);

/* ---- tools.c: other programs ---- */

/* LLVM's linker; NULL if it is not installed. */
const char *
tool_lld(struct arena *arena);

/* Runs a tool over an input in a temporary folder and gives its output file and
 * what it printed. argv has "%i" for the input's path, "%o" for the output's.
 * Dies with what the tool said, naming the stage, if it fails. */
void
tool_run(struct cc_job *job, const char *const *argv, const char *suffix,
	 const void *input, size_t input_size, char **output,
	 size_t *output_size, struct buf *printed);
/* Optimised module to assembly or object, in the arena. */
void
lower_emit(struct cc_job *job, LLVMCodeGenFileType type, char **data,
	   size_t *size);

/* ---- math.c: names of mathematics ---- */

/* A vendor's library of device mathematics: what its functions are called. */
struct lower_library {
	const char *prefix;
	const char *suffix64;
	const char *suffix32;
	bool ocml; /* its own word for some functions */
};

extern const struct lower_library lower_libdevice;
extern const struct lower_library lower_ocml;
extern const struct lower_library lower_devmath;

/* Has every intrinsic, libm name and frem that the GPUs do not select call the
 * library. What the library lacks is left to devmath. Returns the number of
 * calls of the library. */
unsigned
lower_math(struct cc_job *job, const struct lower_library *library);
/* Links in what is needed of a library's bitcode; all of it becomes internal
 * and is left out of contraction, which would break its error-free steps. */
void
lower_link(struct cc_job *job, const char *path);
bool
lower_is_library(LLVMValueRef function);

/* ---- wide.c ---- */

/* Floats to and from i128 by devmath. Requires cc_devmath after it. */
void
lower_wide_conversions(struct cc_job *job);

#endif
