/*
 * `cargo smelt build` and its kin: cargo, with this program as wrapper around
 * rustc.
 *
 * Cargo knows nothing of wrappers when it names its outputs or calls them
 * fresh.
 * __CARGO_DEFAULT_LIB_METADATA goes into the hash of every unit, so what plain
 * cargo and we build lies side by side in one target folder, and neither is
 * ever taken for the other's. What a rebuild depends on beyond that is said
 * through the .d files (depinfo.c), which needs every setting to be in cargo's
 * environment: hence the variables set here.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct build {
	struct arena *arena;
	const char *cargo;
	const char *smelt_cc;
	const char *targets;	/* --targets, or SMELT_TARGETS; NULL */
	const char *targets_by; /* which of them */
	const char *fp;
	bool check; /* SMELT_CPU_CHECK */
	const char *warn;
	const char *simulate;	/* --simulate; NULL */
	struct list args;	/* cargo's */
	const char *target_dir; /* --target-dir */
	bool quiet;
	bool color;
	struct list env; /* changes for cargo */
};

/* ---- arguments ---- */

/* The value of an option of ours at args[*at]; NULL if it is another. */
static const char *
own_option(const struct list *args, size_t *at, const char *name)
{
	const char *arg = args->data[*at];
	size_t len = strlen(name);

	if (strncmp(arg, name, len))
		return NULL;
	if (arg[len] == '=')
		return arg + len + 1;
	if (arg[len])
		return NULL;
	if (*at + 1 >= args->len)
		die("%s needs a value", name);
	return args->data[++*at];
}

static void
note_cargo_option(struct build *build, const struct list *args, size_t at)
{
	const char *arg = args->data[at];
	const char *next = at + 1 < args->len ? args->data[at + 1] : NULL;
	const char *color = NULL;

	if (!strcmp(arg, "-q") || !strcmp(arg, "--quiet"))
		build->quiet = true;
	else if (starts_with(arg, "--target-dir="))
		build->target_dir = arg + strlen("--target-dir=");
	else if (!strcmp(arg, "--target-dir"))
		build->target_dir = next;
	else if (starts_with(arg, "--color="))
		color = arg + strlen("--color=");
	else if (!strcmp(arg, "--color"))
		color = next;
	if (color && !strcmp(color, "always"))
		build->color = true;
	if (color && !strcmp(color, "never"))
		build->color = false;
}

/* Takes our options out; leaves all else to cargo, and all behind -- alone. */
static void
read_arguments(struct build *build, const struct list *args)
{
	size_t at;

	for (at = 0; at < args->len && strcmp(args->data[at], "--"); at++) {
		const char *value = own_option(args, &at, "--targets");

		if (value) {
			build->targets = value;
			build->targets_by = "--targets";
			continue;
		}
		value = own_option(args, &at, "--fp");
		if (value) {
			build->fp = value;
			continue;
		}
		value = own_option(args, &at, "--simulate");
		if (value) {
			build->simulate = value;
			continue;
		}
		note_cargo_option(build, args, at);
		list_add(build->arena, &build->args, args->data[at]);
	}
	for (; at < args->len; at++)
		list_add(build->arena, &build->args, args->data[at]);
}

static void
read_environment(struct build *build)
{
	const char *targets = getenv("SMELT_TARGETS");
	const char *fp = getenv("SMELT_FP");
	const char *check = getenv("SMELT_CPU_CHECK");
	const char *warn = getenv("SMELT_WARN");
	const char *quiet = getenv("CARGO_TERM_QUIET");
	const char *color = getenv("CARGO_TERM_COLOR");

	if (targets && *targets) {
		build->targets = targets;
		build->targets_by = "SMELT_TARGETS";
	}
	if (fp && *fp)
		build->fp = fp;
	build->check = check && *check && strcmp(check, "0");
	if (warn && *warn)
		build->warn = warn;
	build->quiet = quiet && !strcmp(quiet, "true");
	build->color = isatty(2) && !getenv("NO_COLOR");
	if (color && strcmp(color, "auto"))
		build->color = !strcmp(color, "always");
}

/* ---- the user's own wrapper ---- */

/* rustc-wrapper in the [build] table of one of cargo's configuration files. */
static char *
wrapper_of_config(struct arena *arena, const char *path)
{
	bool in_build = false;
	char *text;
	size_t size;
	struct list lines = {0};

	if (!file_read(arena, path, &text, &size))
		return NULL;
	list_split(arena, &lines, text, "\r\n");
	for (size_t i = 0; i < lines.len; i++) {
		const char *line = lines.data[i] + strspn(lines.data[i], " \t");
		const char *key =
			in_build ? "rustc-wrapper" : "build.rustc-wrapper";
		size_t len = strlen(key);
		char quote;

		if (*line == '[')
			in_build = starts_with(line, "[build]");
		if (strncmp(line, key, len))
			continue;
		line += len + strspn(line + len, " \t");
		if (*line++ != '=')
			continue;
		line += strspn(line, " \t");
		quote = *line;
		if (quote != '"' && quote != '\'')
			continue;
		line++;
		return arena_dup(arena, line,
				 strcspn(line, quote == '"' ? "\"" : "'"));
	}
	return NULL;
}

static char *
wrapper_below(struct arena *arena, const char *dir, const char *config_dir)
{
	static const char *const names[] = {"config.toml", "config"};
	char *found = NULL;

	for (size_t i = 0; !found && i < array_count(names); i++)
		found = wrapper_of_config(arena,
					  arena_printf(arena, "%s/%s%s", dir,
						       config_dir, names[i]));
	return found;
}

/* What our RUSTC_WRAPPER displaces; "" if nothing. Nearer configuration wins,
 * as for cargo. */
static const char *
displaced_wrapper(struct arena *arena)
{
	static const char *const names[] = {"RUSTC_WRAPPER",
					    "CARGO_BUILD_RUSTC_WRAPPER"};
	const char *home = getenv("CARGO_HOME");
	char *dir = path_absolute(arena, ""), *found;

	for (size_t i = 0; i < array_count(names); i++)
		if (getenv(names[i]))
			return getenv(names[i]);
	for (;;) {
		found = wrapper_below(arena, dir, ".cargo/");
		if (found)
			return found;
		if (!strcmp(dir, "/"))
			break;
		dir = path_dir(arena, dir);
	}
	found = home ? wrapper_below(arena, home, "") : NULL;
	return found ? found : "";
}

static void
set_chain(struct build *build)
{
	struct arena *arena = build->arena;
	const char *chain = displaced_wrapper(arena);
	char *path = *chain ? path_find(arena, chain) : NULL;

	if (*chain && !path)
		die("the wrapper around rustc that you configured was not "
		    "found: %s",
		    chain);
	/* `cargo smelt` from within `cargo smelt`. */
	if (path && !strcmp(path_absolute(arena, path), path_self(arena)))
		return;
	if (path)
		list_addf(arena, &build->env, ENV_CHAIN "=%s", path);
	else
		list_add(arena, &build->env, ENV_CHAIN);
}

/* ---- what the wrapper is told ---- */

static void
check_modes(const struct build *build)
{
	if (build->fp && strcmp(build->fp, "fast") &&
	    strcmp(build->fp, "exact"))
		die("floating-point mode `%s`: it is fast or exact", build->fp);
	if (build->warn && !warnings_known(build->warn))
		die("SMELT_WARN=%s: it is all, spills or off", build->warn);
}

/* What alone SMELT_CPU_CHECK builds for: kernels for other targets could not be
 * checked, and must not run in its name. */
#define TARGET_CHECK "cpu-check"

/* A package's own settings, where neither option nor environment overrides them
 * all. */
static void
set_package(struct build *build, const struct package *package,
	    const char *targets)
{
	struct arena *arena = build->arena;
	const char *fp = build->fp ? build->fp : package->fp;
	const char *warn = build->warn ? build->warn : package->warn;
	char *where = arena_printf(
		arena, "%s/Cargo.toml: [package.metadata.smelt] targets",
		package->manifest_dir);

	if (!package->targets && !package->fp && !package->warn)
		return;
	if (package->targets && !build->targets && !build->check)
		targets = targets_resolve(arena, build->smelt_cc,
					  package->targets, where);
	list_addf(arena, &build->env, "%s=%s %s %s",
		  metadata_variable(arena, package->manifest_dir),
		  fp ? fp : "fast", warn ? warn : "all", targets);
}

static void
set_settings(struct build *build)
{
	struct arena *arena = build->arena;
	struct metadata metadata = {0};
	const char *dir = build->target_dir, *targets;
	bool known =
		metadata_read(arena, build->cargo, &build->args, &metadata);

	if (!dir)
		dir = known ? metadata.target_dir : "target";
	dir = path_absolute(arena, dir);
	if (build->check)
		targets = TARGET_CHECK;
	else if (build->targets)
		targets = targets_resolve(arena, build->smelt_cc,
					  build->targets, build->targets_by);
	else
		targets = targets_default(arena, build->smelt_cc,
					  arena_printf(arena, "%s/smelt", dir));
	list_addf(arena, &build->env, ENV_TARGET_DIR "=%s", dir);
	list_addf(arena, &build->env, ENV_TARGETS "=%s", targets);
	list_addf(arena, &build->env, ENV_FP "=%s",
		  build->fp ? build->fp : "fast");
	list_addf(arena, &build->env, ENV_WARN "=%s",
		  build->warn ? build->warn : "all");
	for (size_t i = 0; known && i < metadata.package_count; i++)
		set_package(build, &metadata.packages[i], targets);
}

static void
set_keep(struct build *build)
{
	const char *keep = getenv("SMELT_KEEP");

	if (keep && *keep)
		list_addf(build->arena, &build->env, ENV_KEEP "=%s",
			  path_absolute(build->arena, keep));
	else
		list_add(build->arena, &build->env, ENV_KEEP);
}

/* A descriptor of the user's stderr that cargo's children inherit. */
static void
set_status(struct build *build)
{
	int fd = build->quiet ? -1 : fcntl(2, F_DUPFD, 60);

	if (fd >= 0)
		list_addf(build->arena, &build->env, ENV_STATUS "=%d", fd);
	else
		list_add(build->arena, &build->env, ENV_STATUS);
	list_addf(build->arena, &build->env, ENV_COLOR "=%d", build->color);
}

static void
set_metadata_hash(struct build *build)
{
	const char *before = getenv("__CARGO_DEFAULT_LIB_METADATA");
	const char *own = "smelt-" DRIVER_VERSION;

	if (before && ends_with(before, own))
		return;
	list_addf(build->arena, &build->env,
		  "__CARGO_DEFAULT_LIB_METADATA=%s%s", before ? before : "",
		  own);
}

static void
set_up(struct build *build)
{
	struct arena *arena = build->arena;

	build->smelt_cc = tool_smelt_cc(arena);
	if (!build->smelt_cc)
		die("smelt-cc, the device compiler, was not found beside "
		    "cargo-smelt or on PATH\n  = help: `make install` in the "
		    "source tree of Smelt puts both in place");
	if (build->check && build->simulate)
		die("SMELT_CPU_CHECK checks kernels on the CPU, not on a "
		    "simulated GPU: leave --simulate out");
	check_modes(build);
	if (build->simulate) {
		const char *targets =
			simulate_set(arena, build->simulate, &build->env);

		if (!build->targets || strcmp(build->targets_by, "--targets")) {
			build->targets = targets;
			build->targets_by = "--simulate";
		}
	}
	set_chain(build);
	list_addf(arena, &build->env, "RUSTC_WRAPPER=%s", path_self(arena));
	list_add(arena, &build->env, ENV_ROLE "=wrapper");
	list_addf(arena, &build->env, ENV_CC "=%s", build->smelt_cc);
	list_addf(arena, &build->env, ENV_STAMP "=%s",
		  tool_stamp(arena, build->smelt_cc));
	set_metadata_hash(build);
	set_settings(build);
	set_keep(build);
	set_status(build);
}

void
build_command(struct arena *arena, const struct list *args, bool kernels)
{
	struct build build = {.arena = arena};
	struct list argv = {0};

	build.cargo = tool_cargo(arena);
	read_environment(&build);
	read_arguments(&build, args);
	if (kernels)
		set_up(&build);
	list_add(arena, &argv, build.cargo);
	for (size_t i = 0; i < build.args.len; i++)
		list_add(arena, &argv, build.args.data[i]);
	exec_program(arena, &argv, &build.env);
}
