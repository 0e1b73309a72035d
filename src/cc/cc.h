/*
 * smelt-cc: from the device bitcode of a crate to one object that holds its
 * kernels for every target.
 *
 * The common stages (main.c) work on one module in one context: load, find,
 * resolve, check, panics. The module is then written to memory as bitcode, and
 * each target takes it up in a process of its own (fork), through the stages of
 * its struct cc_target. What a target makes comes back as a struct cc_result.
 *
 * Every stage is a function over its struct; a comment on each says what it
 * requires, what it keeps true, and what it takes away.
 */
#ifndef SMELT_CC_H
#define SMELT_CC_H

#include "base/base.h"
#include "shim.h"
#include "smelt/image.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

/* A place that may panic (smelt_table_site before it is written). */
struct cc_site {
	enum smelt_panic_kind kind;
	const char *message;
	const char *file;
	unsigned line;
	unsigned column;
};

/* A kernel. Filled in by find; the function is found again in a target's module
 * by its symbol, which is its linkage name from find on. */
struct cc_kernel {
	uint64_t id[2];
	const char *symbol; /* C identifier: readable part and the id's hash */
	const char *name;   /* demangled path of the kernel function */
	const char *file;   /* "" where debug info is absent */
	unsigned line;
	uint64_t block_size; /* of the Block<F, R>, from dereferenceable or
				debug info */
	unsigned block_align;
	unsigned max_threads; /* 0: no launch bounds */
	unsigned min_blocks;
	unsigned flags; /* enum smelt_kernel_flag, without COROUTINE */
	const char *cpu_symbol;
};

struct cc_options {
	const char *crate;
	struct list inputs;
	struct list deps;    /* records */
	struct list targets; /* architecture names, in order, no duplicates */
	enum smelt_fp_mode fp;
	const char *sysroot;
	const char *rustc;
	const char *cache;
	const char *keep;
	const char *stop_after;
	const char *output;
	const char *lib_dir; /* devmath.bc lies here */
	unsigned jobs;
	bool verify;
	bool quiet;
};

/* Bitcode that kernels, or what they call, may come from. Its module is opened
 * again for each use, since linking consumes it; function bodies are read only
 * when they are wanted. */
struct cc_source {
	const char *path;
	const char *crate;
	const char *data;
	size_t size;
	struct cc_record *record; /* NULL for an input of the command line */
	LLVMModuleRef open;	  /* not yet consumed; NULL: to be opened */
};

/* What the wrapper left beside a library (contract 2). */
struct cc_record {
	const char *path;
	const char *crate;
	const char *bitcode; /* NULL with smelt no */
	const char *cwd;
	bool smelt;
	struct list deps;
	struct list env;
	struct list args;
};

/* The common state. */
struct cc {
	struct arena arena;
	struct cc_options options;
	LLVMContextRef context;
	LLVMModuleRef module;
	struct cc_source *sources;
	size_t source_count;
	struct cc_record *records;
	size_t record_count;
	unsigned errors;     /* reported so far */
	char object_key[33]; /* of the cache; "" if it is not used */
	struct cc_kernel *kernels;
	size_t kernel_count;
	struct cc_site *sites;
	size_t site_count;
};

/* What one target made. */
struct cc_result {
	enum smelt_target_kind kind;
	const char *arch;
	const char *triple;
	uint16_t image_kind; /* enum smelt_offload_image_kind; 0 for cpu */
	const char *data;    /* image; for cpu: an object with the kernels */
	size_t size;
	/* One per kernel. */
	struct smelt_table_resources *resources;
	unsigned *flags; /* flags a target adds (COROUTINE) */
	/* Of all its kernels; their resources say which are whose. */
	struct smelt_table_term *terms;
	size_t term_count;
};

/* One target at work, in its own process, with its own context and module. */
struct cc_job {
	struct cc *cc;
	struct arena *arena;
	const struct cc_target *target;
	const char *arch;
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMTargetMachineRef machine;
	struct cc_result *result;
	struct cc_extents *extents; /* one per kernel (extents.c), or NULL */
	void *state;		    /* the target's own */
};

/*
 * A target: data and functions. A new one is a file with one of these, and a
 * line in the table of targets.c.
 *
 * Before `retarget` the module holds the kernels (external functions named by
 * cc_kernel.symbol, C convention, one ptr parameter), all they reach
 * (internal), calls of the __smelt_ primitives, and __smelt_panic(site, a, b)
 * in place of every panic. Nothing else is undefined but the math names.
 */
struct cc_target {
	const char *family;
	enum smelt_target_kind kind;
	const char *triple;
	/* Whether an architecture name is one of this family's. */
	bool (*accepts)(const char *arch);
	/* Names for the list of --print-targets and of error messages. */
	const char *const *known;
	/* What of this machine's tools the result depends on, for the cache key
	 * (version of ptxas, presence of OCML). */
	void (*depends)(struct cc_job *job, struct hash *hash);

	void (*retarget)(struct cc_job *job);
	void (*entry)(struct cc_job *job);
	void (*spaces)(struct cc_job *job);
	void (*intrinsics)(struct cc_job *job);
	void (*panics)(struct cc_job *job);
	void (*math)(struct cc_job *job);
	void (*contract)(struct cc_job *job);
	void (*optimise)(struct cc_job *job);
	void (*emit)(struct cc_job *job);
};

/* ---- targets.c: the list, and running them side by side ---- */

extern const struct cc_target *const cc_targets[]; /* NULL-terminated */
extern const struct cc_target cc_target_nvptx;
extern const struct cc_target cc_target_amdgpu;
extern const struct cc_target cc_target_cpu;

/* The architecture of the CPU target whose kernels are watched (cpu_watch.c).
 */
#define CC_CPU_CHECK "cpu-check"

/* The target of an architecture name; NULL if none knows it. */
const struct cc_target *
cc_target_find(const char *arch);
/* Runs every target of the options, several at once; exits with the messages of
 * those that failed. With --stop-after a target's stage it writes the output.
 */
void
cc_targets_run(struct cc *cc, struct cc_result *results);
/* Adds what a target's result depends on besides the module. */
void
cc_target_hash(struct cc *cc, const char *arch, struct hash *hash);
/* Whether this is the name of one of the targets' stages. */
bool
cc_target_stage_known(const char *stage);

/* ---- common stages, a file each ---- */

void
cc_load(struct cc *cc);
void
cc_find(struct cc *cc);
void
cc_resolve(struct cc *cc);
/* Links the functions that format values in messages, of other crates or of
 * core, as far as they are known already. */
void
cc_resolve_formatters(struct cc *cc);
void
cc_check(struct cc *cc);
void
cc_separate_arguments(struct cc *cc);
void
cc_panics(struct cc *cc);
void
cc_pack(struct cc *cc, const struct cc_result *results, size_t count);

/* ---- cache.c ---- */

/* The result of an earlier run under this key, in the arena; false if there is
 * none, or it is damaged. */
bool
cc_cache_read(const struct cc_options *options, struct arena *arena,
	      const char *key, char **data, size_t *size);
/* Readers see a whole entry or none; failing to write is no error. */
void
cc_cache_write(const struct cc_options *options, const char *key,
	       const void *data, size_t size);
/* What every key begins with: this build of smelt-cc. */
void
cc_cache_begin(struct hash *hash);

/* ---- main.c ---- */

/* After a stage: verifies and keeps what the options ask for, in --keep's
 * folder as ARCH.NN-STAGE.ll ("common" for the stages before the targets). */
void
cc_stage_done(const struct cc_options *options, LLVMModuleRef module,
	      const char *arch, unsigned number, const char *stage);
/* Keeps the finished object for a run with the same inputs. */
void
cc_object_made(struct cc *cc, const void *data, size_t size);
/* Writes the output file; dies if that fails. */
void
cc_output(const struct cc_options *options, const void *data, size_t size);

/* ---- diagnose.c: what the user is told ---- */

struct cc_place {
	const char *file; /* NULL: not known */
	unsigned line;
	unsigned column;
};

/* "error: ...", " --> file:line:col" on stderr; counted. */
void
cc_error(struct cc *cc, struct cc_place place, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "  = note: ..." below the last error. */
void
cc_error_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What to do instead, below the notes. */
void
cc_error_help(const char *text);
/* Ends the process with status 1 if there were errors. */
void
cc_error_check(struct cc *cc);
/* One of the functions that an instruction lies in, after inlining. */
struct cc_frame {
	const char *path;      /* readable */
	const char *folder;    /* that its crate was compiled in; or "" */
	struct cc_place place; /* in this function */
};
/* The source file of a scope of debug info, as the user's shell finds it; NULL
 * if it is not known. */
const char *
cc_file_of(struct cc *cc, LLVMMetadataRef scope);
/* The frames of an instruction, the function that it is in now first, the one
 * that it was written in last. At least one, at most the array's size. */
size_t
cc_frames_of(struct cc *cc, LLVMValueRef instruction, struct cc_frame *frames,
	     size_t size);
/* The frame of a function as a whole: place has no line. */
struct cc_frame
cc_frame_at(struct cc *cc, LLVMMetadataRef subprogram);
/* Whether a frame is in the standard library or in smelt itself. */
bool
cc_frame_is_glue(const struct cc_frame *frame);
/* Where an instruction stands: the last of its frames that is in the user's
 * code, or its own place if none is. */
struct cc_place
cc_place_of(struct cc *cc, LLVMValueRef instruction);
/* The file that is being read, for the same handlers; NULL: none. */
void
cc_note_file(const char *path);
/* Makes LLVM's errors, aborts and crashes name stage, target and kernel. */
void
cc_handlers_install(void);
/* Makes errors that LLVM reports through a context fatal, in our form. */
void
cc_handlers_context(LLVMContextRef context);

/* ---- dependency.c ---- */

/* Reads the records of the options and of what they name, each once. */
void
cc_records_read(struct cc *cc);

/* ---- load.c ---- */

/* Opens the source's module in the context; bodies are read lazily. Functions
 * and statics with mangled names become external: the names are unique in a
 * program, and a second use of the same source then meets the first's. */
LLVMModuleRef
cc_source_open(struct cc *cc, struct cc_source *source);
/* Takes over from a source what the module has declared and it defines, and
 * what that needs. */
void
cc_source_link(struct cc *cc, struct cc_source *source);
/* The reader accepts more than is valid: dies if what was linked is not. */
void
cc_module_check(struct cc *cc);
struct cc_source *
cc_source_add(struct cc *cc, const char *path, const char *crate,
	      const char *data, size_t size);
/* Makes sure that the bitcode is of an LLVM that ours can read; dies with both
 * versions otherwise. */
void
cc_source_check(struct cc *cc, const struct cc_source *source);

/* ---- names.c ---- */

/* The readable path of a mangled Rust name (v0 or legacy, without its hash), or
 * the name itself. */
const char *
cc_demangle(struct arena *arena, const char *symbol);

/* ---- constant.c: reading constants ---- */

/* n bytes of the constant from offset on, little-endian as on the target; false
 * if some of them are no plain data. */
bool
cc_constant_bytes(LLVMModuleRef module, LLVMValueRef constant, uint64_t offset,
		  void *bytes, size_t n);
/* The global that a pointer at this offset points to and how far into it; NULL
 * if it is no such pointer. */
LLVMValueRef
cc_constant_pointer(LLVMModuleRef module, LLVMValueRef constant,
		    uint64_t offset, uint64_t *target_offset);
/* What a pointer value points into and how far, as far as its offsets are
 * constant; NULL if one of them is not. */
LLVMValueRef
cc_pointer_base(LLVMModuleRef module, LLVMValueRef pointer, uint64_t *offset);
/* The same, where that is a global. */
LLVMValueRef
cc_constant_base(LLVMModuleRef module, LLVMValueRef pointer, uint64_t *offset);
/* What it is a constant number of bytes away from; NULL if it is not. */
LLVMValueRef
cc_pointer_base(LLVMModuleRef module, LLVMValueRef pointer, uint64_t *offset);

/* ---- captures.c ---- */

/* Refuses kernels whose function type holds addresses of the host. */
void
cc_captures(struct cc *cc);

/* The operand bundle of a __smelt_panic or __smelt_print that has values: i64
 * words; a ptr and the i64 behind it are a str. */
#define CC_WORDS "smelt.words"

/* ---- symbols.c: names that need no definition ---- */

/* A primitive of contract 1 or __smelt_panic. */
bool
cc_is_primitive(const char *name);
/* A function of libm that targets provide. */
bool
cc_is_math(const char *name);
/* memcpy and its like. */
bool
cc_is_memory(const char *name);
/* Whether all threads of a block or warp must meet at a call of it: true of
 * every function that is not known to be harmless. */
bool
cc_is_convergent(const char *name);
/* Marks functions and calls `convergent` (design D9). */
void
cc_mark_convergent(struct cc *cc);

/* ---- x86.c ---- */

/* Puts vector code in place of the host's instructions that have a plain
 * meaning. */
void
cc_lower_x86(struct cc *cc);

/* ---- archive.c ---- */

/* Calls visit with each section of this name in the ELF objects of an archive.
 * NULL, or what is wrong with the file. */
const char *
cc_archive_sections(const char *data, size_t size, const char *section,
		    void (*visit)(void *context, const char *member,
				  const char *data, size_t size),
		    void *context);

/* ---- attributes.c ---- */

/* Has every direct call of the function inlined, whatever rustc said of it: on
 * the function, and, for `#[inline(never)]`, on each call. */
void
cc_inline_always(LLVMValueRef function);

/* ---- graph.c: what refers to what ---- */

/* A function of the module and the functions that it calls, or whose addresses
 * it or a constant that it uses holds. */
struct cc_node {
	LLVMValueRef function;
	struct cc_edge *edges;
	size_t edge_count;
	/* Global variables that it uses, directly or through constants. */
	struct cc_use *uses;
	size_t use_count;
};

struct cc_edge {
	size_t target;	    /* index of the node */
	LLVMValueRef where; /* the instruction */
};

struct cc_use {
	LLVMValueRef global;
	LLVMValueRef where;
};

struct cc_graph {
	struct cc_node *nodes; /* in the module's order */
	size_t count;
	struct cc_index *index; /* sorted by address, for lookups only */
};

struct cc_graph *
cc_graph_make(struct cc *cc);
/* Index of a function; count if it is none of the module. */
size_t
cc_graph_find(const struct cc_graph *graph, LLVMValueRef function);
/* For every node how a walk from root reaches it with fewest calls: the edge
 * into it, and the node that this edge leaves from (both of the arrays have
 * count elements, from the arena). Nodes out of reach have from == SIZE_MAX, as
 * has the root, for which reached is true. */
struct cc_walk {
	bool *reached;
	size_t *from;
	const struct cc_edge **edge;
};
struct cc_walk
cc_graph_walk(struct cc *cc, const struct cc_graph *graph, size_t root);
/* Takes away what no kernel reaches. */
void
cc_drop_unreachable(struct cc *cc);

/* ---- map.c ---- */

/* From pointers to pointers; the order of insertion is kept nowhere. */
struct cc_map *
cc_map_new(struct arena *arena);
void
cc_map_set(struct arena *arena, struct cc_map *map, const void *key,
	   void *value);
/* NULL if the key was never set. */
void *
cc_map_get(const struct cc_map *map, const void *key);

/* ---- flags.c ---- */

/* Sets flags and launch bounds of each kernel from the primitives that it
 * reaches, and takes the calls that only say so away. */
void
cc_kernel_flags(struct cc *cc);

/* Erases all calls of a function without a result, and the function. */
void
cc_drop_calls(struct cc *cc, const char *name);

/* ---- find.c ---- */

/* Source file and line of those kernels that have none yet, as far as the
 * module tells by now. */
void
cc_kernels_locate(struct cc *cc);
/* Whether a readable path is of a crate that only stands between entry and
 * kernel function: smelt itself, or the standard library. */
bool
cc_is_glue(const char *path);
/* A readable path without what may stand before its crate: < & [ ( *mut */
const char *
cc_path_root(const char *path);
/* Whether two readable paths name the same function, as a type or as a value.
 */
bool
cc_same_path(const char *a, const char *b);

/* ---- lower.c: steps that several targets share, to call from their stages
 * ---- */

/* Run a textual pass pipeline over a module, for a target machine or none, or
 * over a function; die if LLVM refuses it. */
void
cc_run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine,
	      const char *pipeline);
void
cc_run_passes_on(LLVMValueRef function, const char *pipeline);
/* The first, for the job's module and machine. */
void
cc_passes(struct cc_job *job, const char *pipeline);
/* Replaces all calls of the function called name, if it is declared, by what
 * make(job, builder, call) returns (NULL: just removed), then drops the
 * declaration. */
typedef LLVMValueRef
cc_replace_fn(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call);
void
cc_replace_calls(struct cc_job *job, const char *name, cc_replace_fn *make);
/* Triple, data layout, host attributes off. Needs job->machine. */
void
cc_retarget(struct cc_job *job);
/* `contract` on every fadd, fsub, fmul where the mode allows it. */
void
cc_contract(struct cc_job *job);
/* Inlines each kernel's entry down to the block's loads, takes
 * __smelt_arg_readonly/unique away and puts in their place what they promise:
 * alias scopes, and !invariant.load on loads of readonly memory. */
void
cc_arguments(struct cc_job *job);
/* Has what is a copy of a part of a kernel's block read there. */
void
cc_read_in_block(struct cc_job *job, LLVMValueRef kernel);
/* Links in our own device math for the names that are still undefined. */
void
cc_devmath(struct cc_job *job);
/* The kernel's function in this module. */
LLVMValueRef
cc_kernel_function(struct cc_job *job, const struct cc_kernel *kernel);
/* Its variant without the checks that a launch decides; NULL if there is none.
 */
LLVMValueRef
cc_kernel_held(struct cc_job *job, const struct cc_kernel *kernel);
/* Notes what one of a kernel's functions, named by its symbol, takes: the
 * greater of that and what is known. The kernel; NULL if none has that symbol.
 */
const struct cc_kernel *
cc_kernel_takes(struct cc_job *job, const char *symbol, size_t len,
		const struct smelt_table_resources *taken);
/* (diagnose.c) The stage that runs and the kernel at hand, for messages and for
 * the handler of LLVM's fatal errors. arch and kernel may be NULL. */
void
cc_note_stage(const char *stage, const char *arch, const char *kernel);

#endif
