/*
 * Stage `resolve`: what kernels reach beyond their own crate.
 *
 * Requires `sites`. In rounds: whatever is declared, used and no name that
 * targets provide is looked for in the bitcode of the dependencies, then in
 * that of dependencies without any, which is made now, then in core's. What is
 * found is linked with all it needs itself; its panics become sites at once,
 * before they could ask for core's formatting. std and alloc are never looked
 * into: what they would be wanted for (I/O, threads, memory) a kernel cannot
 * do, and `check` says so. Leaves a module in which all but kernels is
 * internal.
 */
#include "cc.h"
#include "panics.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct resolver {
	struct cc *cc;
	bool core_known;
	bool *tried; /* per record: pass 1 was run */
};

/* Whether somebody must define this global. */
static bool
is_wanted(LLVMValueRef global)
{
	size_t len;
	const char *name = LLVMGetValueName2(global, &len);

	if (!LLVMIsDeclaration(global) || !LLVMGetFirstUse(global))
		return false;
	return !starts_with(name, "llvm.") && !cc_is_primitive(name) &&
	       !cc_is_math(name) && !cc_is_memory(name);
}

static struct list
wanted_names(struct cc *cc)
{
	struct list names = {0};
	size_t len;

	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		if (is_wanted(f))
			list_add(&cc->arena, &names,
				 LLVMGetValueName2(f, &len));
	for (LLVMValueRef g = LLVMGetFirstGlobal(cc->module); g;
	     g = LLVMGetNextGlobal(g))
		if (is_wanted(g))
			list_add(&cc->arena, &names,
				 LLVMGetValueName2(g, &len));
	return names;
}

static bool
defines(LLVMModuleRef module, const char *name)
{
	LLVMValueRef global = LLVMGetNamedFunction(module, name);

	if (!global)
		global = LLVMGetNamedGlobal(module, name);
	return global && !LLVMIsDeclaration(global);
}

/* Takes from one source what it has of the names; false if it has none. */
static bool
take_from(struct cc *cc, size_t source, const struct list *names)
{
	LLVMModuleRef module = cc_source_open(cc, &cc->sources[source]);

	for (size_t i = 0; i < names->len; i++)
		if (defines(module, names->data[i])) {
			cc_source_link(cc, &cc->sources[source]);
			return true;
		}
	return false;
}

/* ---- dependencies that do not depend on smelt ---- */

/* -C options that pass 1 sets itself or that only concern the host's code. */
static bool
is_replaced(const char *option)
{
	static const char *const names[] = {
		"incremental",
		"codegen-units",
		"opt-level",
		"panic",
		"debuginfo",
		"lto",
		"embed-bitcode",
		"linker-plugin-lto",
		"strip",
		"split-debuginfo",
		"save-temps",
		"profile-generate",
		"profile-use",
		"overflow-checks",
		"debug-assertions",
		"instrument-coverage",
		"symbol-mangling-version",
	};

	for (size_t i = 0; i < array_count(names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(option, names[i], len) &&
		    (!option[len] || option[len] == '='))
			return true;
	}
	return false;
}

/* Others that have no place in pass 1; with a value that stands by itself. */
static bool
is_dropped(const char *argument)
{
	static const char *const names[] = {
		"--emit",    "-o", "--error-format",	 "--json",
		"-O",	     "-g", "--diagnostic-width", "--color",
		"--out-dir",
	};

	for (size_t i = 0; i < array_count(names); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(argument, names[i], len) &&
		    (!argument[len] || argument[len] == '='))
			return true;
	}
	return false;
}

static bool
stands_alone(const char *argument)
{
	return strchr(argument, '=') || !strcmp(argument, "-O") ||
	       !strcmp(argument, "-g");
}

/* What a -C option at this index says, in either spelling, and how many
 * arguments it takes; NULL if it is none. */
static const char *
codegen_option(const struct list *arguments, size_t i, size_t *taken)
{
	const char *argument = arguments->data[i];

	*taken = 1;
	if (strcmp(argument, "-C") && strcmp(argument, "--codegen"))
		return starts_with(argument, "-C") ? argument + 2 : NULL;
	*taken = 2;
	return i + 1 < arguments->len ? arguments->data[i + 1] : "";
}

/* The last value given for a -C option, or the fallback. */
static const char *
codegen_value(const struct list *arguments, const char *name,
	      const char *fallback)
{
	size_t taken, len = strlen(name);

	for (size_t i = 1; i < arguments->len; i += taken) {
		const char *option = codegen_option(arguments, i, &taken);

		if (option && !strncmp(option, name, len) && !option[len])
			fallback = "on";
		else if (option && !strncmp(option, name, len) &&
			 option[len] == '=')
			fallback = option + len + 1;
	}
	return fallback;
}

/* rustc's arguments without what pass 1 sets itself. */
static void
rewrite_arguments(struct cc *cc, struct list *to, const struct list *from)
{
	size_t taken;

	for (size_t i = 1; i < from->len; i += taken) {
		const char *option = codegen_option(from, i, &taken);

		if (!option && is_dropped(from->data[i])) {
			taken += !stands_alone(from->data[i]);
			continue;
		}
		if (option && is_replaced(option))
			continue;
		for (size_t k = i; k < i + taken && k < from->len; k++)
			list_add(&cc->arena, to, from->data[k]);
	}
}

/* Checks are on where the host's code has them: by default, without
 * optimisation. */
static void
add_checks(struct cc *cc, struct list *to, const struct list *from)
{
	bool optimised =
		list_has(from, "-O") ||
		strcmp(codegen_value(from, "opt-level", "0"), "0") != 0;
	const char *assertions = codegen_value(from, "debug-assertions",
					       optimised ? "off" : "on");

	list_addf(&cc->arena, to, "-Cdebug-assertions=%s", assertions);
	list_addf(&cc->arena, to, "-Coverflow-checks=%s",
		  codegen_value(from, "overflow-checks", assertions));
}

/* rustc's default mangling differs between the host's pass and this one: with
 * unstable options it is v0. The name that somebody wants tells. */
static const char *
mangling_of(const char *name)
{
	return starts_with(name, "_R") ? "v0" : "legacy";
}

static void
add_pass1(struct cc *cc, struct list *arguments, const char *mangling,
	  const char *output)
{
	static const char *const options[] = {
		"--cap-lints=allow",
		"-Cno-prepopulate-passes",
		"-Ccodegen-units=1",
		"-Cpanic=abort",
		"-Copt-level=3",
		"-Cdebuginfo=2",
		"-Zmir-enable-passes=-JumpThreading",
		/* What the host's dependants call may not be left out here. */
		"-Zcross-crate-inline-threshold=never",
	};

	for (size_t i = 0; i < array_count(options); i++)
		list_add(&cc->arena, arguments, options[i]);
	/* Legacy is an unstable choice. */
	list_add(&cc->arena, arguments, "-Zunstable-options");
	list_addf(&cc->arena, arguments, "-Csymbol-mangling-version=%s",
		  mangling);
	list_addf(&cc->arena, arguments, "--emit=llvm-bc=%s", output);
}

/* A shell starts rustc in the directory that cargo used: posix_spawn has no way
 * to say so. */
static int
run_rustc(struct cc *cc, const struct cc_record *record, const char *mangling,
	  const char *output, struct buf *said)
{
	struct list line = {0};
	const char *rustc = cc->options.rustc;

	if (!rustc)
		rustc = record->args.len ? record->args.data[0] : "rustc";
	list_add(&cc->arena, &line, "/bin/sh");
	list_add(&cc->arena, &line, "-c");
	list_add(&cc->arena, &line, "cd \"$1\" && shift && exec \"$@\"");
	list_add(&cc->arena, &line, "sh");
	list_add(&cc->arena, &line, record->cwd ? record->cwd : ".");
	list_add(&cc->arena, &line, "env");
	list_add(&cc->arena, &line, "RUSTC_BOOTSTRAP=1");
	for (size_t i = 0; i < record->env.len; i++)
		list_add(&cc->arena, &line, record->env.data[i]);
	list_add(&cc->arena, &line, rustc);
	rewrite_arguments(cc, &line, &record->args);
	add_checks(cc, &line, &record->args);
	add_pass1(cc, &line, mangling, output);
	return process_capture(&cc->arena, line.data, said);
}

/* What pass 1 of this dependency follows from: the call, and the rlib that the
 * same call made (its name changes with the sources' version; its contents with
 * the sources). */
static void
pass1_key(struct cc *cc, const struct cc_record *record, const char *mangling,
	  char key[33])
{
	struct hash hash;
	char *data;
	size_t size;
	char *rlib = arena_printf(
		&cc->arena, "%.*s.rlib",
		(int)(strlen(record->path) - strlen(".smelt")), record->path);

	cc_cache_begin(&hash);
	hash_add(&hash, "pass1", 5);
	hash_add(&hash, mangling, strlen(mangling));
	for (size_t i = 0; i < record->args.len; i++)
		hash_add(&hash, record->args.data[i],
			 strlen(record->args.data[i]));
	for (size_t i = 0; i < record->env.len; i++)
		hash_add(&hash, record->env.data[i],
			 strlen(record->env.data[i]));
	if (ends_with(record->path, ".smelt") &&
	    file_read(&cc->arena, rlib, &data, &size))
		hash_add(&hash, data, size);
	hash_hex(&hash, key);
}

/* wanted: a name that it may define. */
static void
make_bitcode(struct cc *cc, const struct cc_record *record, const char *wanted)
{
	const char *mangling = mangling_of(wanted);
	const char *tmp = getenv("TMPDIR");
	const char *output =
		arena_printf(&cc->arena, "%s/smelt-%ld-%s.bc",
			     tmp ? tmp : "/tmp", (long)getpid(), record->crate);
	struct buf said = {0};
	char key[33], *data;
	size_t size;

	pass1_key(cc, record, mangling, key);
	if (!cc_cache_read(&cc->options, &cc->arena, key, &data, &size)) {
		if (!cc->options.quiet)
			fprintf(stderr,
				"smelt-cc: compiling `%s` for kernels\n",
				record->crate);
		if (run_rustc(cc, record, mangling, output, &said))
			die("cannot compile the dependency `%s` for kernels:\n"
			    "%s",
			    record->crate, said.data ? said.data : "");
		if (!file_read(&cc->arena, output, &data, &size))
			die("cannot read %s: %s", output, strerror(errno));
		unlink(output);
		cc_cache_write(&cc->options, key, data, size);
	}
	cc_source_add(
		cc, arena_printf(&cc->arena, "bitcode of `%s`", record->crate),
		record->crate, data, size);
}

/* Whether a name may be defined by this crate: a mangled one has the crate in
 * its path; of others nothing is known. */
static bool
may_define(struct cc *cc, const struct cc_record *record, const char *name)
{
	const char *path = cc_demangle(&cc->arena, name);

	if (path == name)
		return true;
	return strstr(path, arena_printf(&cc->arena, "%s::", record->crate));
}

static bool
take_from_records(struct resolver *resolver, const struct list *names)
{
	struct cc *cc = resolver->cc;

	for (size_t i = 0; i < cc->record_count; i++) {
		if (cc->records[i].bitcode || resolver->tried[i])
			continue;
		for (size_t k = 0; k < names->len; k++) {
			if (!may_define(cc, &cc->records[i], names->data[k]))
				continue;
			resolver->tried[i] = true;
			make_bitcode(cc, &cc->records[i], names->data[k]);
			if (take_from(cc, cc->source_count - 1, names))
				return true;
			break;
		}
	}
	return false;
}

/* ---- core ---- */

static void
add_core(void *context, const char *member, const char *data, size_t size)
{
	struct cc *cc = context;

	(void)member;
	cc_source_add(cc, "bitcode of `core`", "core", data, size);
}

/* Its rlibs lie in the sysroot itself or in rustlib's folder below it. */
static const char *
library_folder(struct cc *cc)
{
	const char *sub = "lib/rustlib/x86_64-unknown-linux-gnu/lib";
	const char *below =
		arena_printf(&cc->arena, "%s/%s", cc->options.sysroot, sub);

	return file_exists(below) ? below : cc->options.sysroot;
}

static void
load_core(struct resolver *resolver)
{
	struct cc *cc = resolver->cc;
	const char *folder;
	struct dirent *entry;
	DIR *dir;

	resolver->core_known = true;
	for (size_t i = 0; i < cc->source_count; i++)
		if (!strcmp(cc->sources[i].crate, "core"))
			return;
	if (!cc->options.sysroot)
		return;
	folder = library_folder(cc);
	dir = opendir(folder);
	if (!dir)
		die("cannot read %s: %s", folder, strerror(errno));
	while ((entry = readdir(dir))) {
		const char *path, *wrong;
		char *data;
		size_t size;

		if (!starts_with(entry->d_name, "libcore-") ||
		    !ends_with(entry->d_name, ".rlib"))
			continue;
		path = arena_printf(&cc->arena, "%s/%s", folder, entry->d_name);
		if (!file_read(&cc->arena, path, &data, &size))
			die("cannot read %s: %s", path, strerror(errno));
		wrong = cc_archive_sections(data, size, ".llvmbc", add_core,
					    cc);
		if (wrong)
			die("%s: %s", path, wrong);
	}
	closedir(dir);
}

static bool
wants_core(struct cc *cc, const struct list *names)
{
	for (size_t i = 0; i < names->len; i++)
		if (strstr(cc_demangle(&cc->arena, names->data[i]), "core::"))
			return true;
	return false;
}

static bool
take_from_core(struct resolver *resolver, const struct list *names)
{
	struct cc *cc = resolver->cc;
	bool any = false;

	if (!wants_core(cc, names))
		return false;
	if (!resolver->core_known)
		load_core(resolver);
	for (size_t i = 0; i < cc->source_count; i++)
		if (!strcmp(cc->sources[i].crate, "core") &&
		    take_from(cc, i, names))
			any = true;
	return any;
}

/* ---- what messages need ---- */

static struct list
wanted_formatters(struct cc *cc)
{
	struct list names = {0};
	size_t len;

	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		if (is_wanted(f) && message_is_own(cc, f))
			list_add(&cc->arena, &names,
				 LLVMGetValueName2(f, &len));
	return names;
}

void
cc_resolve_formatters(struct cc *cc)
{
	struct resolver resolver = {.cc = cc};
	struct list names;
	bool more = true;

	while (more && (names = wanted_formatters(cc)).len) {
		more = false;
		for (size_t i = 0; i < cc->source_count && !more; i++)
			more = strcmp(cc->sources[i].crate, "core") &&
			       take_from(cc, i, &names);
		if (!more)
			more = take_from_core(&resolver, &names);
	}
}

/* ---- the stage ---- */

/* One more step; false if nobody has any of what is still wanted. */
static bool
step(struct resolver *resolver)
{
	struct cc *cc = resolver->cc;
	struct list names = wanted_names(cc);

	if (!names.len)
		return false;
	for (size_t i = 0; i < cc->source_count; i++)
		if (strcmp(cc->sources[i].crate, "core") &&
		    take_from(cc, i, &names))
			return true;
	return take_from_records(resolver, &names) ||
	       take_from_core(resolver, &names);
}

static void
make_internal(struct cc *cc)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f)) {
			LLVMSetLinkage(f, LLVMInternalLinkage);
			LLVMSetVisibility(f, LLVMDefaultVisibility);
		}
	for (LLVMValueRef g = LLVMGetFirstGlobal(cc->module); g;
	     g = LLVMGetNextGlobal(g))
		if (!LLVMIsDeclaration(g)) {
			LLVMSetLinkage(g, LLVMInternalLinkage);
			LLVMSetVisibility(g, LLVMDefaultVisibility);
		}
	for (size_t i = 0; i < cc->kernel_count; i++)
		LLVMSetLinkage(
			LLVMGetNamedFunction(cc->module, cc->kernels[i].symbol),
			LLVMExternalLinkage);
}

void
cc_resolve(struct cc *cc)
{
	struct resolver resolver = {.cc = cc};

	resolver.tried = arena_alloc(&cc->arena, cc->record_count + 1);
	for (int rounds = 0; step(&resolver); rounds++) {
		if (rounds == 10000)
			die("internal: no end of linking");
		cc_module_check(cc);
		cc_panics(cc);
	}
	cc_lower_x86(cc);
	cc_kernels_locate(cc);
	make_internal(cc);
	cc_mark_convergent(cc);
	cc_kernel_flags(cc);
}
