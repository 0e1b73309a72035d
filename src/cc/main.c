/*
 * smelt-cc: its command line and its list of stages.
 *
 * The common stages run here on one module; targets.c then takes that module
 * through the stages of each target, in processes of their own, and pack.c
 * makes one object of what they return.
 */
#define _GNU_SOURCE
#include "cc.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SMELT_CC_VERSION "0.1.0"

/* Each requires what the ones above it leave. */
static const struct stage {
	const char *name;
	void (*run)(struct cc *cc);
} stages[] = {
	{"load", cc_load},    /* reads inputs and dependencies */
	{"find", cc_find},    /* module: kernels and what their crates give */
	{"sites", cc_panics}, /* panics become numbered sites */
	{"resolve", cc_resolve}, /* and what other crates give */
	{"check", cc_check},	 /* nothing undefined but primitives and math */
	{"separate", cc_separate_arguments}, /* values passed in memory */
};

static void
print_version(void)
{
	unsigned major, minor, patch;

	LLVMGetVersion(&major, &minor, &patch);
	printf("smelt-cc " SMELT_CC_VERSION " (LLVM %u.%u.%u)\n", major, minor,
	       patch);
}

static void
print_targets(void)
{
	for (size_t i = 0; cc_targets[i]; i++)
		for (size_t k = 0; cc_targets[i]->known[k]; k++)
			puts(cc_targets[i]->known[k]);
}

static void
print_help(void)
{
	puts("usage: smelt-cc [options] MAIN.bc... -o FILE.o\n"
	     "  --crate NAME          for messages\n"
	     "  --dep FILE.smelt      record of a direct dependency\n"
	     "  --targets LIST        cpu, sm_NN (PTX), sm_NNc (cubin), "
	     "gfxNNN\n"
	     "  --fp fast|exact       whether a*b+c may become fma\n"
	     "  --sysroot DIR         where the rlibs of core and alloc lie\n"
	     "  --rustc PATH          compiles dependencies without bitcode\n"
	     "  --cache DIR           results by content\n"
	     "  --keep DIR            IR and assembly after each stage\n"
	     "  --stop-after STAGE    the module as text to -o\n"
	     "  --verify              run LLVM's verifier after each stage\n"
	     "  --jobs N              targets at once\n"
	     "  -q  --version  --print-targets");
}

/* ---- options ---- */

/* Options with a value, and where it goes. */
static const char **
text_option(struct cc_options *options, const char *name)
{
	const struct {
		const char *name;
		const char **value;
	} table[] = {
		{"--crate", &options->crate},
		{"--sysroot", &options->sysroot},
		{"--rustc", &options->rustc},
		{"--cache", &options->cache},
		{"--keep", &options->keep},
		{"--stop-after", &options->stop_after},
		{"-o", &options->output},
	};

	for (size_t i = 0; i < array_count(table); i++)
		if (!strcmp(table[i].name, name))
			return table[i].value;
	return NULL;
}

static void
add_targets(struct cc *cc, const char *names)
{
	struct list list = {0};

	list_split(&cc->arena, &list, names, ",");
	for (size_t i = 0; i < list.len; i++) {
		if (!cc_target_find(list.data[i])) {
			struct buf known = {0};

			for (size_t t = 0; cc_targets[t]; t++)
				for (size_t k = 0; cc_targets[t]->known[k]; k++)
					buf_printf(&cc->arena, &known, " %s",
						   cc_targets[t]->known[k]);
			die("unknown target `%s`\n  = note: known targets:%s",
			    list.data[i], known.data);
		}
		if (!list_has(&cc->options.targets, list.data[i]))
			list_add(&cc->arena, &cc->options.targets,
				 list.data[i]);
	}
}

static void
set_value(struct cc *cc, const char *name, const char *value)
{
	struct cc_options *options = &cc->options;
	const char **text = text_option(options, name);
	char *end;

	if (text) {
		*text = value;
	} else if (!strcmp(name, "--dep")) {
		list_add(&cc->arena, &options->deps, value);
	} else if (!strcmp(name, "--targets")) {
		add_targets(cc, value);
	} else if (!strcmp(name, "--fp")) {
		if (strcmp(value, "fast") && strcmp(value, "exact"))
			die("--fp takes fast or exact, not `%s`", value);
		options->fp = !strcmp(value, "exact") ? SMELT_FP_EXACT
						      : SMELT_FP_FAST;
	} else if (!strcmp(name, "--jobs")) {
		options->jobs = (unsigned)strtoul(value, &end, 10);
		if (*end || !options->jobs)
			die("--jobs takes a number above 0, not `%s`", value);
	} else {
		die("unknown option `%s`; see smelt-cc --help", name);
	}
}

/* Options that stand alone; false if it is none of them. */
static bool
set_flag(struct cc *cc, const char *name)
{
	if (!strcmp(name, "--verify")) {
		cc->options.verify = true;
		return true;
	}
	if (!strcmp(name, "-q") || !strcmp(name, "--quiet")) {
		cc->options.quiet = true;
		return true;
	}
	if (!strcmp(name, "--version"))
		print_version();
	else if (!strcmp(name, "--print-targets"))
		print_targets();
	else if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		print_help();
	else
		return false;
	exit(0);
}

static void
read_options(struct cc *cc, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		char *name = argv[i], *equals;

		if (name[0] != '-' || !name[1]) {
			list_add(&cc->arena, &cc->options.inputs, name);
			continue;
		}
		if (set_flag(cc, name))
			continue;
		equals = starts_with(name, "--") ? strchr(name, '=') : NULL;
		if (equals) {
			*equals = 0;
			set_value(cc, name, equals + 1);
		} else if (i + 1 < argc) {
			set_value(cc, name, argv[++i]);
		} else {
			die("option `%s` wants a value, or is unknown; see "
			    "smelt-cc --help",
			    name);
		}
	}
}

static bool
stage_known(const char *name)
{
	for (size_t i = 0; i < array_count(stages); i++)
		if (!strcmp(stages[i].name, name))
			return true;
	return cc_target_stage_known(name);
}

static void
print_stages_and_die(const struct cc_options *options)
{
	fprintf(stderr, "error: unknown stage `%s`\n  = note: stages: ",
		options->stop_after);
	for (size_t i = 0; i < array_count(stages); i++)
		fprintf(stderr, "%s ", stages[i].name);
	fputs("(common) retarget entry spaces intrinsics panics math contract "
	      "optimise emit (of a target)\n",
	      stderr);
	exit(1);
}

static void
complete_options(struct cc *cc)
{
	struct cc_options *options = &cc->options;
	const char *lib = getenv("SMELT_LIB_DIR");
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!options->inputs.len)
		die("no input; see smelt-cc --help");
	if (!options->output)
		die("no output file (-o FILE.o)");
	if (options->stop_after && !stage_known(options->stop_after))
		print_stages_and_die(options);
	if (!options->targets.len)
		add_targets(cc, "cpu");
	if (options->stop_after && cc_target_stage_known(options->stop_after) &&
	    options->targets.len != 1)
		die("--stop-after %s is a target's stage: give one target",
		    options->stop_after);
	if (!options->crate)
		options->crate = path_name(options->inputs.data[0]);
	if (!options->jobs)
		options->jobs = processors > 0 ? (unsigned)processors : 1;
	options->lib_dir =
		lib ? lib
		    : arena_printf(&cc->arena, "%s/../lib/smelt",
				   path_dir(&cc->arena, path_self(&cc->arena)));
	if (!options->keep)
		options->keep = getenv("SMELT_KEEP");
	if (options->keep && !*options->keep)
		options->keep = NULL;
	if (options->keep && !dir_make(options->keep))
		die("cannot make %s: %s", options->keep, strerror(errno));
}

/* ---- the finished object, by its inputs ---- */

static void
hash_text(struct hash *hash, const char *text)
{
	text = text ? text : "";
	hash_add(hash, text, strlen(text));
}

/* What a build changes whenever it makes a file anew. */
static void
hash_state(struct hash *hash, const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return;
	hash_add(hash, &st.st_size, sizeof(st.st_size));
	hash_add(hash, &st.st_mtim, sizeof(st.st_mtim));
}

/* A dependency that may be compiled for kernels is known by its rlib. */
static void
hash_record(struct cc *cc, struct hash *hash, const struct cc_record *record)
{
	size_t stem = strlen(record->path);

	hash_text(hash, record->path);
	for (size_t i = 0; i < record->args.len; i++)
		hash_text(hash, record->args.data[i]);
	if (record->bitcode || !ends_with(record->path, ".smelt"))
		return;
	stem -= strlen(".smelt");
	hash_state(hash, arena_printf(&cc->arena, "%.*s.rlib", (int)stem,
				      record->path));
}

/* Contents of the inputs and of what the records name, and what the targets
 * depend on. Core's bitcode is known by its folder and the producer in the
 * inputs. */
static void
make_object_key(struct cc *cc)
{
	struct hash hash;

	cc_cache_begin(&hash);
	hash_text(&hash, "object");
	hash_text(&hash, cc->options.crate);
	hash_text(&hash, cc->options.sysroot);
	hash_text(&hash, cc->options.rustc);
	hash_add(&hash, &cc->options.fp, sizeof(cc->options.fp));
	for (size_t i = 0; i < cc->options.targets.len; i++)
		cc_target_hash(cc, cc->options.targets.data[i], &hash);
	for (size_t i = 0; i < cc->source_count; i++) {
		hash_text(&hash, cc->sources[i].crate);
		hash_add(&hash, cc->sources[i].data, cc->sources[i].size);
	}
	for (size_t i = 0; i < cc->record_count; i++)
		hash_record(cc, &hash, &cc->records[i]);
	hash_hex(&hash, cc->object_key);
}

void
cc_object_made(struct cc *cc, const void *data, size_t size)
{
	if (cc->object_key[0])
		cc_cache_write(&cc->options, cc->object_key, data, size);
}

/* Whether the object of an earlier run was taken. */
static bool
take_object(struct cc *cc)
{
	char *data;
	size_t size;

	if (!cc->options.cache || cc->options.stop_after || cc->options.keep ||
	    cc->options.verify)
		return false;
	make_object_key(cc);
	if (!cc_cache_read(&cc->options, &cc->arena, cc->object_key, &data,
			   &size))
		return false;
	cc_output(&cc->options, data, size);
	return true;
}

/* ---- running the stages ---- */

static void
verify(LLVMModuleRef module, const char *arch, const char *stage)
{
	char *message = NULL;

	if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
		die("internal: stage `%s` (%s) leaves an invalid module: %s",
		    stage, arch, message);
	LLVMDisposeMessage(message);
}

void
cc_stage_done(const struct cc_options *options, LLVMModuleRef module,
	      const char *arch, unsigned number, const char *stage)
{
	struct arena arena = {0};
	char *text, *path;

	if (options->verify && module)
		verify(module, arch, stage);
	if (!options->keep || !module)
		return;
	text = LLVMPrintModuleToString(module);
	path = arena_printf(&arena, "%s/%s.%s.%02u-%s.ll", options->keep,
			    options->crate, arch, number, stage);
	if (!file_write(path, text, strlen(text)))
		warn("cannot write %s: %s", path, strerror(errno));
	LLVMDisposeMessage(text);
	arena_free(&arena);
}

void
cc_output(const struct cc_options *options, const void *data, size_t size)
{
	if (!strcmp(options->output, "-")) {
		fwrite(data, 1, size, stdout);
		fflush(stdout);
		return;
	}
	if (!file_write(options->output, data, size))
		die("cannot write %s: %s", options->output, strerror(errno));
}

/* In one line. */
static void
describe_text(struct arena *arena, struct buf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			buf_puts(arena, out, "\\n");
		else
			buf_add(arena, out, text, 1);
	buf_puts(arena, out, "\n");
}

/* What the table will say, as comments behind the module. */
static void
describe_table(struct cc *cc, struct buf *out)
{
	struct arena *arena = &cc->arena;

	for (size_t i = 0; i < cc->kernel_count; i++) {
		const struct cc_kernel *k = &cc->kernels[i];

		buf_printf(arena, out,
			   "; kernel %s: %s, %s:%u, id %016llx%016llx, block "
			   "%llu align %u, threads %u blocks %u, flags %#x\n",
			   k->symbol, k->name, k->file, k->line,
			   (unsigned long long)k->id[1],
			   (unsigned long long)k->id[0],
			   (unsigned long long)k->block_size, k->block_align,
			   k->max_threads, k->min_blocks, k->flags);
	}
	for (size_t i = 0; i < cc->site_count; i++) {
		const struct cc_site *site = &cc->sites[i];

		buf_printf(arena, out, "; site %zu: kind %d, %s:%u:%u, ", i,
			   (int)site->kind, site->file, site->line,
			   site->column);
		describe_text(arena, out, site->message);
	}
}

static void
output_module(struct cc *cc)
{
	struct buf out = {0};
	char *text;

	if (cc->module) {
		text = LLVMPrintModuleToString(cc->module);
		buf_puts(&cc->arena, &out, text);
		LLVMDisposeMessage(text);
		describe_table(cc, &out);
	}
	cc_output(&cc->options, out.data ? out.data : "", out.len);
}

/* False if there is nothing left to do. */
static bool
run_common(struct cc *cc)
{
	const char *stop = cc->options.stop_after;

	for (unsigned i = 0; i < array_count(stages); i++) {
		cc_note_stage(stages[i].name, NULL, NULL);
		stages[i].run(cc);
		cc_error_check(cc);
		cc_stage_done(&cc->options, cc->module, "common", i + 1,
			      stages[i].name);
		if (stop && !strcmp(stop, stages[i].name)) {
			output_module(cc);
			return false;
		}
		if (stages[i].run == cc_load && take_object(cc))
			return false;
		if (stages[i].run == cc_find && !cc->kernel_count) {
			if (stop)
				output_module(cc);
			return !stop;
		}
	}
	return true;
}

int
main(int argc, char **argv)
{
	static struct cc cc;
	struct cc_result *results;

	program_name = "smelt-cc";
	read_options(&cc, argc, argv);
	complete_options(&cc);
	cc_handlers_install();
	cc.context = LLVMContextCreate();
	cc_handlers_context(cc.context);
	if (!run_common(&cc))
		return 0;
	results = arena_alloc(&cc.arena,
			      cc.options.targets.len * sizeof(*results));
	if (cc.kernel_count)
		cc_targets_run(&cc, results);
	if (!cc.options.stop_after) {
		cc_note_stage("pack", NULL, NULL);
		cc_pack(&cc, results, cc.options.targets.len);
	}
	return 0;
}
