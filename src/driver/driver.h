/*
 * cargo-smelt: one program that is three. Called by a user it is cargo's
 * subcommand (main.c, build.c and the commands). Called by cargo it is the
 * wrapper around rustc (wrapper.c). Called by rustc it is the linker
 * (linker.c).
 *
 * The first tells the second what to do through the SMELT_DRIVER_* variables
 * below: cargo passes its environment on, and can be told (depinfo.c) that an
 * artefact depends on one of them.
 */
#ifndef SMELT_DRIVER_H
#define SMELT_DRIVER_H

#include "base/base.h"

#define DRIVER_VERSION "0.1.0"

/* Set by `cargo smelt`, read by the wrapper. */
#define ENV_ROLE "SMELT_DRIVER_ROLE"   /* "wrapper" */
#define ENV_CC "SMELT_DRIVER_CC"       /* path of smelt-cc */
#define ENV_STAMP "SMELT_DRIVER_STAMP" /* identity of this tool chain */
#define ENV_TARGETS "SMELT_DRIVER_TARGETS"
#define ENV_FP "SMELT_DRIVER_FP"	    /* fast or exact */
#define ENV_WARN "SMELT_DRIVER_WARN"	    /* all, spills or off */
#define ENV_PACKAGE "SMELT_DRIVER_PACKAGE_" /* + hash: "fp warn targets" */
#define ENV_TARGET_DIR "SMELT_DRIVER_TARGET_DIR"
#define ENV_KEEP "SMELT_DRIVER_KEEP"	 /* absolute, or unset */
#define ENV_CHAIN "SMELT_DRIVER_CHAIN"	 /* the user's own RUSTC_WRAPPER */
#define ENV_STATUS "SMELT_DRIVER_STATUS" /* descriptor for progress lines */
#define ENV_COLOR "SMELT_DRIVER_COLOR"	 /* "1": progress lines in colour */
/* Set by the wrapper, read by the linker: "READ-END OBJECT". */
#define ENV_LINK "SMELT_DRIVER_LINK"

/* ---- tools.c: where the rest of Smelt and what it runs lies ---- */

/* smelt-cc: SMELT_CC, else beside this program, else on PATH; NULL if absent.
 */
char *
tool_smelt_cc(struct arena *arena);
/* devmath.bc in ../lib/smelt; NULL if absent. */
char *
tool_devmath(struct arena *arena);
/* The crate `smelt`: in ../share of an installed tree, or in a source tree. */
char *
tool_crate(struct arena *arena);
/* The cargo that called us, else the one on PATH; dies if there is none. */
char *
tool_cargo(struct arena *arena);
/* On PATH, else below CUDA_HOME, CUDA_PATH or CUDA's usual prefix. */
char *
tool_cuda(struct arena *arena, const char *name);
/* name-22, else name; also where LLVM 22 keeps its own programs. */
char *
tool_llvm(struct arena *arena, const char *name);
/* Changes whenever smelt-cc, this program or devmath.bc do. */
char *
tool_stamp(struct arena *arena, const char *smelt_cc);
/* An absolute form of path, seen from this process's folder. */
char *
path_absolute(struct arena *arena, const char *path);
/* First line of what a program prints, "" if it cannot be run. */
char *
first_line(struct arena *arena, const char *const *argv);
/* Runs a program in this one's place with changed environment; dies if it
 * cannot be started. */
_Noreturn void
exec_program(struct arena *arena, const struct list *argv,
	     const struct list *env);

/* ---- targets.c ---- */

/* What is built where nobody says otherwise, from the GPUs of this machine;
 * what finding them cost is kept in cache_dir. */
char *
targets_default(struct arena *arena, const char *smelt_cc,
		const char *cache_dir);
/* Checks the user's list against smelt-cc's and turns it into smelt-cc's names
 * (sm_90 becomes PTX and, with ptxas, a cubin). Dies with the known names.
 * where says who asked: "--targets". */
char *
targets_resolve(struct arena *arena, const char *smelt_cc, const char *names,
		const char *where);

/* What a user calls a target of a table: without the c of a cubin. */
char *
target_public_name(struct arena *arena, const char *arch);

/* ---- metadata.c ---- */

struct package {
	const char *name;
	const char *manifest_dir;
	const char *targets; /* comma-separated, or NULL */
	const char *fp;	     /* or NULL */
	const char *warn;    /* or NULL */
	struct list bins;
};

struct metadata {
	const char *target_dir;
	struct package *packages;
	size_t package_count;
};

/* What `cargo metadata --no-deps` says of the workspace that cargo's arguments
 * choose. false if cargo refuses (it then says why itself when run). Dies on a
 * mistake in [package.metadata.smelt]. */
bool
metadata_read(struct arena *arena, const char *cargo,
	      const struct list *cargo_args, struct metadata *metadata);
/* Name of the variable that carries a package's own settings. */
char *
metadata_variable(struct arena *arena, const char *manifest_dir);

/* ---- build.c ---- */

/* Runs cargo with kernels; args[0] is cargo's subcommand. Does not return. */
_Noreturn void
build_command(struct arena *arena, const struct list *args, bool kernels);

/* ---- simulate.c ---- */

/* Has what cargo starts find the simulated GPU called name, through changes to
 * its environment; gives the targets to build for. Dies if there is none. */
const char *
simulate_set(struct arena *arena, const char *name, struct list *env);

/* ---- rustc.c: a call of rustc, understood ---- */

struct rustc_call {
	struct list command; /* rustc, perhaps behind a workspace wrapper */
	struct list args;    /* its arguments, @files expanded */
	const char *crate;
	const char *input; /* the crate's root file, or NULL */
	const char *out_dir;
	const char *extra;    /* -C extra-filename, "" if none */
	const char *output;   /* -o, or NULL */
	const char *dep_info; /* path of the .d file, or NULL */
	const char *target;   /* --target, or NULL */
	const char *linker;   /* -C linker, or NULL */
	struct list externs;  /* paths of --extern */
	bool compiles;	      /* a named crate whose code is generated */
	bool json;	      /* --error-format=json */
	bool ansi;	      /* diagnostics come rendered in colour */
	bool unstable;	      /* has -Z options */
	bool test;
	bool bin, lib, dylib, cdylib, staticlib, proc_macro;
	bool v0; /* names are mangled as pass 1 does it */
	bool debug_assertions, overflow_checks; /* as given or by default */
};

void
rustc_parse(struct arena *arena, struct rustc_call *call, int argc,
	    char **argv);
/* Pass 1's arguments, without the output. */
void
rustc_device_args(struct arena *arena, const struct rustc_call *call,
		  struct list *argv);
/* Whether something is linked that runs: kernels go into it. Not a static
 * library, which is not linked. */
bool
rustc_is_final(const struct rustc_call *call);
/* Whether other crates can be compiled against it. */
bool
rustc_is_library(const struct rustc_call *call);

/* ---- record.c: contract 2 ---- */

/* The record of the library that lies at path; NULL if there is none. */
char *
record_beside(struct arena *arena, const char *library);
char *
record_path(struct arena *arena, const struct rustc_call *call,
	    const char *suffix);
/* Records of the crate's dependencies into deps; true if one of them depends on
 * smelt. */
bool
record_deps(struct arena *arena, const struct rustc_call *call,
	    struct list *deps);
/* bitcode: whether pass 1 makes some. Dies if it cannot be written. */
void
record_write(struct arena *arena, const struct rustc_call *call,
	     const struct list *deps, bool smelt, bool bitcode);

/* ---- diagnostic.c: messages in the form cargo reads ---- */

/* What smelt-cc printed, onto stderr: as JSON diagnostics where the call asks
 * for them, else as it is. Returns the number of errors. */
unsigned
diagnostic_print(struct arena *arena, const struct rustc_call *call,
		 const char *text);
/* One error of our own. */
void
diagnostic_error(struct arena *arena, const struct rustc_call *call,
		 const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Whether a line of rustc's is a notice that an artefact is ready. */
bool
diagnostic_is_artifact(const char *line);
/* Whether a line of rustc's belongs to an error (or to its summary). */
bool
diagnostic_is_error(const char *line);

/* ---- warnings.c ---- */

/* Whether it is one of all, spills and off. */
bool
warnings_known(const char *mode);
/* Warnings about kernels of the finished object that spill registers or, with
 * mode all, have a stack worth a word: one a kernel, for all its targets. */
void
warnings_print(struct arena *arena, const struct rustc_call *call,
	       const char *object, const char *mode);

/* ---- occupancy.c ---- */

struct smelt_table_resources;

/* Percent of a processor's waves that blocks of this kernel fill if they have
 * `threads` threads and no dynamic shared memory; 0 if one does not fit. -1 if
 * the device's limits or what the kernel uses is not known. */
int
occupancy_percent(const char *arch, const struct smelt_table_resources *used,
		  unsigned threads);

/* ---- device.c: pass 1 and smelt-cc, in a process beside the host pass ---- */

enum device_end {
	DEVICE_OK = 0,
	DEVICE_KERNELS = 1,  /* smelt-cc refused; log holds its messages */
	DEVICE_PASS = 2,     /* pass 1 failed; log holds rustc's messages */
	DEVICE_INTERNAL = 3, /* something could not be run; log says what */
};

struct device {
	const struct rustc_call *call;
	const struct list *deps;
	const char *targets;
	const char *fp;
	const char *warn;     /* as for warnings_print */
	const char *work_dir; /* of this call alone */
	const char *bitcode;  /* where pass 1's result ends up */
	const char *object;   /* NULL for a library: smelt-cc is not run */
	int pid;
	int log;	 /* file in memory with messages */
	int ready_write; /* pipe to the linker, -1 without one */
	int ready_read;
};

void
device_start(struct device *device);
/* Waits; text is what was said (warnings, when the end is DEVICE_OK). */
enum device_end
device_wait(struct arena *arena, struct device *device, char **text);
/* Ends it early: the host pass failed. */
void
device_cancel(struct device *device);

/* ---- status.c: lines such as cargo's "   Compiling ..." ---- */

void
status_line(const char *verb, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* ---- depinfo.c ---- */

/* Adds files and variables (NAME: its present value or absence) to what cargo
 * looks at before it calls an artefact fresh. false with errno set. */
bool
depinfo_add(struct arena *arena, const char *path, const struct list *files,
	    const struct list *variables);

/* ---- wrapper.c, linker.c ---- */

_Noreturn void
wrapper_main(int argc, char **argv);
_Noreturn void
linker_main(int argc, char **argv);

/* ---- elf.c ---- */

/* Finds a section of a 64-bit little-endian ELF file held in memory. *data is
 * an 8-aligned copy, NULL if there is no such section. NULL, or what is wrong
 * with the file. */
const char *
elf_section(struct arena *arena, const char *file, size_t size,
	    const char *name, char **data, size_t *section_size);

/* ---- ir.c ---- */

/* Optimised IR of a program, of one target or (NULL) all; only these functions,
 * or everything if the list is empty. Dies if none was kept. */
void
ir_print(struct arena *arena, const char *program, const char *target,
	 const struct list *symbols);

/* ---- the other commands ---- */

int
new_command(struct arena *arena, const struct list *args);
int
doctor_command(struct arena *arena);
int
devices_command(void);
int
inspect_command(struct arena *arena, const struct list *args);

#endif
