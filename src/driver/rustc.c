/*
 * A call of rustc as cargo makes it, understood as far as the wrapper must; and
 * pass 1's command, made from it.
 *
 * Pass 1 must see the same program: everything that decides on types, cfg and
 * checks stays. Checks that hang on the optimisation level by default are spelt
 * out, because pass 1 has a level of its own.
 */
#include "driver/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* An option with its value, however it was spelt: --name=V, --name V, -CV,
 * -C V. next is set to the index behind it. */
struct option {
	const char *name;  /* "" for a plain argument, "-C" for codegen */
	const char *value; /* NULL for a switch */
	size_t next;
};

/* rustc's options that take a value, long ones. */
static const char *const valued[] = {
	"--crate-name",
	"--crate-type",
	"--edition",
	"--emit",
	"--print",
	"--out-dir",
	"--explain",
	"--target",
	"--allow",
	"--warn",
	"--force-warn",
	"--deny",
	"--forbid",
	"--cap-lints",
	"--codegen",
	"--cfg",
	"--check-cfg",
	"--extern",
	"--sysroot",
	"--error-format",
	"--json",
	"--color",
	"--diagnostic-width",
	"--remap-path-prefix",
	"--env-set",
	"--remap-path-scope",
};

/* Short ones; what follows the letter directly is the value too. */
static const char short_valued[] = "CLloAWDFZ";

static bool
takes_value(const char *name, size_t len)
{
	for (size_t i = 0; i < array_count(valued); i++)
		if (strlen(valued[i]) == len && !memcmp(valued[i], name, len))
			return true;
	return false;
}

static struct option
read_long(struct arena *arena, const struct list *args, size_t at)
{
	const char *arg = args->data[at];
	size_t len = strcspn(arg, "=");
	struct option option = {arena_dup(arena, arg, len), NULL, at + 1};

	if (arg[len] == '=') {
		option.value = arg + len + 1;
	} else if (takes_value(arg, len) && at + 1 < args->len) {
		option.value = args->data[at + 1];
		option.next++;
	}
	if (!strcmp(option.name, "--codegen"))
		option.name = "-C";
	return option;
}

static struct option
read_option(struct arena *arena, const struct list *args, size_t at)
{
	const char *arg = args->data[at];
	struct option option = {"", arg, at + 1};

	if (arg[0] != '-' || !arg[1])
		return option;
	if (arg[1] == '-')
		return read_long(arena, args, at);
	option.name = arena_dup(arena, arg, 2);
	option.value = NULL;
	if (strchr(short_valued, arg[1])) {
		option.value = arg + 2;
		if (!arg[2] && at + 1 < args->len) {
			option.value = args->data[at + 1];
			option.next++;
		}
	}
	return option;
}

/* -C options that pass 1 has its own mind about, or that only concern the
 * host's code. */
static const char *const not_for_device[] = {
	"incremental",
	"lto",
	"linker-plugin-lto",
	"embed-bitcode",
	"codegen-units",
	"opt-level",
	"debuginfo",
	"strip",
	"split-debuginfo",
	"profile-use",
	"profile-generate",
	"instrument-coverage",
	"panic",
	"save-temps",
	"symbol-mangling-version",
	"overflow-checks",
	"debug-assertions",
	"no-prepopulate-passes",
	"dwarf-version",
	"remark",
	"passes",
};

static bool
codegen_is(const char *value, const char *key)
{
	size_t len = strcspn(value, "=");

	if (strlen(key) != len)
		return false;
	for (size_t i = 0; i < len; i++)
		if ((value[i] == '_' ? '-' : value[i]) != key[i])
			return false;
	return true;
}

static bool
device_wants(const struct option *option)
{
	static const char *const dropped[] = {
		"--emit",
		"--error-format",
		"--json",
		"--color",
		"-O",
		"-g",
		"--diagnostic-width",
		"--cap-lints",
		"--out-dir",
		"-o",
	};

	for (size_t i = 0; i < array_count(dropped); i++)
		if (!strcmp(option->name, dropped[i]))
			return false;
	if (strcmp(option->name, "-C") || !option->value)
		return true;
	for (size_t i = 0; i < array_count(not_for_device); i++)
		if (codegen_is(option->value, not_for_device[i]))
			return false;
	return true;
}

void
rustc_device_args(struct arena *arena, const struct rustc_call *call,
		  struct list *argv)
{
	static const char *const own[] = {
		"-Cno-prepopulate-passes",
		"-Ccodegen-units=1",
		"-Cpanic=abort",
		"-Csymbol-mangling-version=v0",
		"-Copt-level=3",
		"-Cdebuginfo=2",
		"--cap-lints=allow",
		"-Zmir-enable-passes=-JumpThreading",
		/* A crate downstream, compiled without optimisation, calls
		 * functions that this one might think inlined everywhere. */
		"-Zcross-crate-inline-threshold=never",
		/* Tests are compiled for the host with unwinding. */
		"-Zpanic-abort-tests",
	};
	size_t at = 0;

	while (at < call->args.len) {
		struct option option = read_option(arena, &call->args, at);

		for (; at < option.next; at++)
			if (device_wants(&option))
				list_add(arena, argv, call->args.data[at]);
	}
	for (size_t i = 0; i < array_count(own); i++)
		list_add(arena, argv, own[i]);
	list_addf(arena, argv, "-Cdebug-assertions=%s",
		  call->debug_assertions ? "on" : "off");
	list_addf(arena, argv, "-Coverflow-checks=%s",
		  call->overflow_checks ? "on" : "off");
}

/* Cargo passes arguments in a file where they would be too long: one a line. */
static void
add_argument(struct arena *arena, struct list *args, const char *arg)
{
	char *data, *line;
	size_t size;

	if (arg[0] != '@') {
		list_add(arena, args, arg);
		return;
	}
	if (!file_read(arena, arg + 1, &data, &size))
		die("cannot read %s: %s", arg + 1, strerror(errno));
	for (line = data; *line;) {
		char *end = line + strcspn(line, "\n");
		bool more = *end;

		*end = 0;
		list_add(arena, args, line);
		line = end + more;
	}
}

static void
parse_crate_types(struct arena *arena, struct rustc_call *call,
		  const char *types)
{
	struct list list = {0};

	list_split(arena, &list, types, ",");
	call->bin |= list_has(&list, "bin");
	call->lib |= list_has(&list, "lib") || list_has(&list, "rlib");
	call->dylib |= list_has(&list, "dylib");
	call->cdylib |= list_has(&list, "cdylib");
	call->staticlib |= list_has(&list, "staticlib");
	call->proc_macro |= list_has(&list, "proc-macro");
}

/* What the parser has seen that only means something at the end. */
struct seen {
	bool print;
	bool input_is_stdin;
	bool emit_given, emit_link, emit_dep_info;
	const char *dep_info;
	const char *debug_assertions;
	const char *overflow_checks;
	bool optimised;
};

static void
parse_emit(struct arena *arena, struct seen *seen, const char *kinds)
{
	struct list list = {0};

	seen->emit_given = true;
	list_split(arena, &list, kinds, ",");
	for (size_t i = 0; i < list.len; i++) {
		if (!strcmp(list.data[i], "link") ||
		    starts_with(list.data[i], "link="))
			seen->emit_link = true;
		if (starts_with(list.data[i], "dep-info"))
			seen->emit_dep_info = true;
		if (starts_with(list.data[i], "dep-info="))
			seen->dep_info = list.data[i] + strlen("dep-info=");
	}
}

static void
parse_codegen(struct rustc_call *call, struct seen *seen, const char *value)
{
	const char *equals = strchr(value, '=');
	const char *given = equals ? equals + 1 : "yes";

	if (codegen_is(value, "extra-filename"))
		call->extra = given;
	else if (codegen_is(value, "linker"))
		call->linker = given;
	else if (codegen_is(value, "symbol-mangling-version"))
		call->v0 = !strcmp(given, "v0");
	else if (codegen_is(value, "debug-assertions"))
		seen->debug_assertions = given;
	else if (codegen_is(value, "overflow-checks"))
		seen->overflow_checks = given;
	else if (codegen_is(value, "opt-level"))
		seen->optimised = strcmp(given, "0") != 0;
}

static void
parse_extern(struct arena *arena, struct rustc_call *call, const char *value)
{
	const char *equals = strchr(value, '=');

	if (equals && equals[1])
		list_add(arena, &call->externs, equals + 1);
}

/* Whether rustc answers and stops; some kinds of --print compile too. */
static bool
print_ends(struct arena *arena, const char *kinds)
{
	struct list list = {0};

	list_split(arena, &list, kinds, ",");
	for (size_t i = 0; i < list.len; i++)
		if (!starts_with(list.data[i], "link-args") &&
		    !starts_with(list.data[i], "native-static-libs"))
			return true;
	return false;
}

static void
parse_option(struct arena *arena, struct rustc_call *call, struct seen *seen,
	     const struct option *option)
{
	const char *name = option->name, *value = option->value;

	if (!strcmp(name, "--test"))
		call->test = true;
	else if (!strcmp(name, "-O"))
		seen->optimised = true;
	else if (!strcmp(name, "-V") || !strcmp(name, "--version"))
		seen->print = true;
	else if (!value)
		return;
	else if (!strcmp(name, "") && !strcmp(value, "-"))
		seen->input_is_stdin = true;
	else if (!strcmp(name, "") && ends_with(value, ".rs"))
		call->input = value;
	else if (!strcmp(name, "--print"))
		seen->print |= print_ends(arena, value);
	else if (!strcmp(name, "-Z"))
		call->unstable = true;
	else if (!strcmp(name, "--crate-name"))
		call->crate = value;
	else if (!strcmp(name, "--crate-type"))
		parse_crate_types(arena, call, value);
	else if (!strcmp(name, "--emit"))
		parse_emit(arena, seen, value);
	else if (!strcmp(name, "--out-dir"))
		call->out_dir = value;
	else if (!strcmp(name, "-o"))
		call->output = value;
	else if (!strcmp(name, "--target"))
		call->target = value;
	else if (!strcmp(name, "--extern"))
		parse_extern(arena, call, value);
	else if (!strcmp(name, "--error-format"))
		call->json = !strcmp(value, "json");
	else if (!strcmp(name, "--json"))
		call->ansi |= strstr(value, "diagnostic-rendered-ansi") != NULL;
	else if (!strcmp(name, "-C"))
		parse_codegen(call, seen, value);
}

static bool
is_yes(const char *given, bool otherwise)
{
	if (!given)
		return otherwise;
	return !strcmp(given, "y") || !strcmp(given, "yes") ||
	       !strcmp(given, "on") || !strcmp(given, "true");
}

static void
conclude(struct arena *arena, struct rustc_call *call, const struct seen *seen)
{
	if (!call->extra)
		call->extra = "";
	if (!call->bin && !call->lib && !call->dylib && !call->cdylib &&
	    !call->staticlib && !call->proc_macro)
		call->bin = true;
	if (call->test)
		call->bin = true;
	call->compiles = call->crate && !seen->print && !seen->input_is_stdin &&
			 (seen->emit_link || !seen->emit_given);
	call->debug_assertions =
		is_yes(seen->debug_assertions, !seen->optimised);
	call->overflow_checks =
		is_yes(seen->overflow_checks, call->debug_assertions);
	if (!call->out_dir)
		call->out_dir =
			call->output ? path_dir(arena, call->output) : ".";
	call->out_dir = path_absolute(arena, call->out_dir);
	if (seen->dep_info)
		call->dep_info = path_absolute(arena, seen->dep_info);
	else if (seen->emit_dep_info && call->crate)
		call->dep_info = arena_printf(arena, "%s/%s%s.d", call->out_dir,
					      call->crate, call->extra);
}

void
rustc_parse(struct arena *arena, struct rustc_call *call, int argc, char **argv)
{
	struct seen seen = {0};
	int first = 1;

	memset(call, 0, sizeof(*call));
	list_add(arena, &call->command, argv[first++]);
	/* RUSTC_WORKSPACE_WRAPPER stands between this wrapper and rustc. */
	if (first < argc && argv[first][0] != '-' && argv[first][0] != '@')
		list_add(arena, &call->command, argv[first++]);
	for (int i = first; i < argc; i++)
		add_argument(arena, &call->args, argv[i]);
	for (size_t at = 0; at < call->args.len;) {
		struct option option = read_option(arena, &call->args, at);

		parse_option(arena, call, &seen, &option);
		at = option.next;
	}
	conclude(arena, call, &seen);
}

bool
rustc_is_final(const struct rustc_call *call)
{
	return call->bin || call->dylib || call->cdylib;
}

bool
rustc_is_library(const struct rustc_call *call)
{
	return !call->test && (call->lib || call->dylib);
}
