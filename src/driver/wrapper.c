/*
 * The wrapper around rustc.
 *
 * A crate that does not depend on `smelt` is compiled as asked. One that does
 * is compiled twice at the same time: the host pass here, the device's side in
 * device.c. What the user reads is what rustc says to the command as asked: the
 * host pass has flags that only an unstable compiler takes (design D9), so if
 * it fails, its messages are thrown away and rustc runs again without them.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct wrapper {
	struct arena arena;
	struct rustc_call call;
	struct list deps; /* records */
	struct list held; /* rustc's lines until it has ended */
	struct device device;
	bool waits; /* the host pass links through linker.c */
	/* Pass 1 is run. Not for smelt itself: no kernel lies there and all
	 * that kernels take from it is inline. What else they might need
	 * smelt-cc gets as from any dependency without bitcode. */
	bool has_device;
	const char *work_dir;
};

/* A C library that cargo would name libNAME.so has a hash in its name here,
 * since every unit's hash is ours (build.c). Cargo puts the plain name beside
 * it; rustc from 1.96 on writes the hashed one into it as its SONAME, which
 * programs that are linked to it would then look for. */
static void
add_soname(struct arena *arena, const struct rustc_call *call,
	   struct list *argv)
{
	if (call->compiles && call->cdylib && !call->dylib && !call->test &&
	    !call->linker && *call->extra &&
	    (!call->target || strstr(call->target, "-linux-")))
		list_addf(arena, argv, "-Clink-arg=-Wl,-soname,lib%s.so",
			  call->crate);
}

/* As asked, behind the user's own wrapper where there is one. */
static _Noreturn void
run_plain(struct wrapper *wrapper)
{
	struct rustc_call *call = &wrapper->call;
	struct arena *arena = &wrapper->arena;
	const char *chain = getenv(ENV_CHAIN);
	struct list argv = {0}, env = {0};

	if (chain && *chain)
		list_add(arena, &argv, chain);
	for (size_t i = 0; i < call->command.len; i++)
		list_add(arena, &argv, call->command.data[i]);
	for (size_t i = 0; i < call->args.len; i++)
		list_add(arena, &argv, call->args.data[i]);
	add_soname(arena, call, &argv);
	exec_program(arena, &argv, &env);
}

/* ---- the host pass ---- */

static bool
bootstrap_covers(const char *bootstrap, const char *crate)
{
	struct arena arena = {0};
	struct list names = {0};
	bool covers;

	if (!strcmp(bootstrap, "1"))
		return true;
	list_split(&arena, &names, bootstrap, ",");
	covers = list_has(&names, crate);
	arena_free(&arena);
	return covers;
}

/* Whether #![feature] is refused in this crate when rustc runs as asked. */
static bool
features_refused(struct wrapper *wrapper)
{
	const char *bootstrap = getenv("RUSTC_BOOTSTRAP");
	const struct rustc_call *call = &wrapper->call;
	const char *argv[] = {call->command.data[call->command.len - 1],
			      "--version", NULL};
	char *version;

	if (bootstrap && bootstrap_covers(bootstrap, call->crate))
		return false;
	version = first_line(&wrapper->arena, argv);
	return !strstr(version, "-nightly") && !strstr(version, "-dev");
}

/* Whether the crate's root may hold a #![feature]: to ask rustc for its version
 * takes a noticeable part of a small crate's time. */
static bool
may_use_features(struct wrapper *wrapper)
{
	const char *input = wrapper->call.input;
	char *text;
	size_t size;

	return !input || !file_read(&wrapper->arena, input, &text, &size) ||
	       strstr(text, "feature") != NULL;
}

static void
host_line(struct wrapper *wrapper, struct list *argv)
{
	struct rustc_call *call = &wrapper->call;
	struct arena *arena = &wrapper->arena;

	for (size_t i = 0; i < call->command.len; i++)
		list_add(arena, argv, call->command.data[i]);
	for (size_t i = 0; i < call->args.len; i++)
		list_add(arena, argv, call->args.data[i]);
	add_soname(arena, call, argv);
	list_add(arena, argv, "-Zmir-enable-passes=-JumpThreading");
	if (may_use_features(wrapper) && features_refused(wrapper))
		list_add(arena, argv, "-Zallow-features=");
	if (!call->v0)
		list_add(arena, argv, "-Csymbol-mangling-version=v0");
	if (wrapper->waits) {
		list_add(arena, argv, "-C");
		list_addf(arena, argv, "linker=%s", path_self(arena));
	} else if (wrapper->device.object && call->linker) {
		list_addf(arena, argv, "-Zpre-link-arg=%s",
			  wrapper->device.object);
		list_add(arena, argv, "-Clink-arg=-lm");
	}
}

static void
take_line(struct wrapper *wrapper, const char *line, bool hold)
{
	if (hold && !diagnostic_is_artifact(line)) {
		list_add(&wrapper->arena, &wrapper->held, line);
		return;
	}
	fprintf(stderr, "%s\n", line);
	fflush(stderr);
}

/* Cargo waits for the notices about artefacts, to start dependents early: those
 * are passed on at once. */
static void
relay(struct wrapper *wrapper, int fd, bool hold)
{
	FILE *in = fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!in)
		die("cannot read from rustc: %s", strerror(errno));
	while ((n = getline(&line, &cap, in)) >= 0) {
		if (n > 0 && line[n - 1] == '\n')
			n--;
		take_line(wrapper, arena_dup(&wrapper->arena, line, (size_t)n),
			  hold);
	}
	free(line);
	fclose(in);
}

static int
run_host(struct wrapper *wrapper)
{
	struct arena *arena = &wrapper->arena;
	struct list argv = {0}, changes = {0};
	struct process process;

	host_line(wrapper, &argv);
	list_add(arena, &changes, "RUSTC_BOOTSTRAP=1");
	if (wrapper->waits)
		list_addf(arena, &changes, ENV_LINK "=%d %s",
			  wrapper->device.ready_read, wrapper->device.object);
	if (!process_start(&process, argv.data,
			   process_env(arena, changes.data), PROCESS_PIPE_ERR))
		die("cannot run %s: %s", argv.data[0], strerror(errno));
	if (wrapper->device.ready_read >= 0)
		close(wrapper->device.ready_read);
	wrapper->device.ready_read = -1;
	relay(wrapper, process.err, true);
	process.err = -1;
	return process_wait(&process);
}

static void
print_held(struct wrapper *wrapper, bool errors_too)
{
	for (size_t i = 0; i < wrapper->held.len; i++)
		if (errors_too || !diagnostic_is_error(wrapper->held.data[i]))
			fprintf(stderr, "%s\n", wrapper->held.data[i]);
	fflush(stderr);
}

/* ---- ends ---- */

/* Removes the files of a folder whose names begin and end so. */
static void
remove_files(const char *path, const char *begin, const char *end)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' &&
		    starts_with(entry->d_name, begin) &&
		    ends_with(entry->d_name, end))
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

/* Everything: rustc may have left temporary files there if it was ended. */
static void
remove_work(struct wrapper *wrapper)
{
	remove_files(wrapper->work_dir, "", "");
	rmdir(wrapper->work_dir);
}

/* rustc failed with our flags. Lets it speak for itself; should it then be
 * content, the fault is ours and must not pass for success. */
static _Noreturn void
end_host_failed(struct wrapper *wrapper)
{
	struct arena *arena = &wrapper->arena;
	struct rustc_call *call = &wrapper->call;
	struct list argv = {0};
	struct list first = wrapper->held;
	struct process process;
	int status;

	remove_work(wrapper);
	for (size_t i = 0; i < call->command.len; i++)
		list_add(arena, &argv, call->command.data[i]);
	for (size_t i = 0; i < call->args.len; i++)
		list_add(arena, &argv, call->args.data[i]);
	if (!process_start(&process, argv.data, NULL, PROCESS_PIPE_ERR))
		die("cannot run %s: %s", argv.data[0], strerror(errno));
	wrapper->held = (struct list){0};
	relay(wrapper, process.err, true);
	process.err = -1;
	status = process_wait(&process);
	if (status != 0) {
		print_held(wrapper, true);
		exit(status);
	}
	wrapper->held = first;
	print_held(wrapper, true);
	diagnostic_error(arena, call,
			 "rustc compiles `%s` without kernels, but not with "
			 "them\n  = note: the errors above come from the "
			 "build with kernels; `cargo build` works",
			 call->crate);
	exit(1);
}

static _Noreturn void
end_device_failed(struct wrapper *wrapper, enum device_end end,
		  const char *text)
{
	struct arena *arena = &wrapper->arena;
	struct rustc_call *call = &wrapper->call;

	print_held(wrapper, false);
	if (end == DEVICE_PASS) {
		diagnostic_error(
			arena, call,
			"rustc compiles `%s` for the host, but not for "
			"devices\n  = note: this is a fault of Smelt: please "
			"report it with the following messages",
			call->crate);
	}
	if (!diagnostic_print(arena, call, text))
		diagnostic_error(arena, call,
				 "kernels of `%s` could not be compiled",
				 call->crate);
	remove_work(wrapper);
	/* rustc keeps its objects when the link fails; here that is no oddity,
	 * but what an error in a kernel looks like. */
	if (wrapper->waits)
		remove_files(
			call->out_dir,
			arena_printf(arena, "%s%s.", call->crate, call->extra),
			".rcgu.o");
	exit(1);
}

/* The linker takes from an archive only what something refers to, and nothing
 * refers to the object with the kernels: it would be there in vain. */
static void
warn_static_library(struct wrapper *wrapper)
{
	const char *crate = wrapper->call.crate;

	diagnostic_print(
		&wrapper->arena, &wrapper->call,
		arena_printf(
			&wrapper->arena,
			"warning: the static library of `%s` holds no "
			"kernels: launches from it run on the host, "
			"slowly\n  = help: crate-type = [\"cdylib\"] makes "
			"a library for C that holds them\n",
			crate));
}

/* Cargo must build again when the tools or the target list change. */
static void
note_dependencies(struct wrapper *wrapper)
{
	struct arena *arena = &wrapper->arena;
	const char *manifest_dir = getenv("CARGO_MANIFEST_DIR");
	struct list files = {0}, variables = {0};
	char *own;

	if (!wrapper->call.dep_info)
		return;
	list_add(arena, &variables, ENV_STAMP);
	if (wrapper->device.object) {
		own = metadata_variable(arena,
					manifest_dir ? manifest_dir : "");
		if (getenv(ENV_CC))
			list_add(arena, &files, getenv(ENV_CC));
		list_add(arena, &variables, ENV_KEEP);
		list_add(arena, &variables, own);
		if (!getenv(own)) {
			list_add(arena, &variables, ENV_TARGETS);
			list_add(arena, &variables, ENV_FP);
			list_add(arena, &variables, ENV_WARN);
		}
	}
	if (!depinfo_add(arena, wrapper->call.dep_info, &files, &variables)) {
		diagnostic_error(arena, &wrapper->call, "cannot add to %s: %s",
				 wrapper->call.dep_info, strerror(errno));
		exit(1);
	}
}

/* ---- setting up ---- */

static bool
is_smelt_itself(const struct rustc_call *call)
{
	const char *package = getenv("CARGO_PKG_NAME");

	return package && !strcmp(package, "smelt") &&
	       !strcmp(call->crate, "smelt");
}

/* Targets and modes: the package's own if it has some. */
static void
choose_settings(struct wrapper *wrapper)
{
	struct arena *arena = &wrapper->arena;
	const char *dir = getenv("CARGO_MANIFEST_DIR");
	const char *own = dir ? getenv(metadata_variable(arena, dir)) : NULL;
	const char *targets = getenv(ENV_TARGETS), *fp = getenv(ENV_FP);
	const char *warn = getenv(ENV_WARN);
	struct list words = {0};

	if (own) {
		list_split(arena, &words, own, " ");
		if (words.len != 3)
			die("malformed settings of package: %s", own);
		fp = words.data[0];
		warn = words.data[1];
		targets = words.data[2];
	}
	wrapper->device.targets = targets ? targets : "cpu";
	wrapper->device.fp = fp ? fp : "fast";
	wrapper->device.warn = warn ? warn : "all";
}

static void
make_pipe(struct device *device)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		die("cannot make a pipe: %s", strerror(errno));
	/* The linker, a grandchild, reads from this end. */
	if (fcntl(pair[0], F_SETFD, 0) < 0)
		die("cannot pass a pipe on: %s", strerror(errno));
	device->ready_read = pair[0];
	device->ready_write = pair[1];
}

static bool
is_x86_64_linux(const char *target)
{
	return starts_with(target, "x86_64-") && strstr(target, "-linux-");
}

static void
set_up_device(struct wrapper *wrapper)
{
	struct arena *arena = &wrapper->arena;
	struct rustc_call *call = &wrapper->call;
	struct device *device = &wrapper->device;

	wrapper->work_dir =
		arena_printf(arena, "%s/%s%s.smelt.d", call->out_dir,
			     call->crate, call->extra);
	if (!dir_make(wrapper->work_dir))
		die("cannot make %s: %s", wrapper->work_dir, strerror(errno));
	device->call = call;
	device->deps = &wrapper->deps;
	device->work_dir = wrapper->work_dir;
	device->ready_read = device->ready_write = -1;
	device->bitcode =
		rustc_is_library(call)
			? record_path(arena, call, ".smelt.bc")
			: arena_printf(arena, "%s/main.bc", wrapper->work_dir);
	unlink(device->bitcode);
	if (!rustc_is_final(call))
		return;
	device->object = arena_printf(arena, "%s/kernels.o", wrapper->work_dir);
	unlink(device->object);
	choose_settings(wrapper);
	wrapper->waits = !call->linker;
	if (wrapper->waits)
		make_pipe(device);
}

/* Whether the host pass had a quarrel of its own, beyond the link that found no
 * object. */
static bool
host_has_error(const struct wrapper *wrapper)
{
	for (size_t i = 0; i < wrapper->held.len; i++) {
		const char *line = wrapper->held.data[i];

		if (diagnostic_is_error(line) &&
		    !strstr(line, "linking with `") &&
		    !strstr(line, "aborting due to"))
			return true;
	}
	return false;
}

/* Both passes. With a linker of the user's own nobody waits for the object on
 * the host's side: it must be there before. */
static _Noreturn void
compile_twice(struct wrapper *wrapper)
{
	struct arena *arena = &wrapper->arena;
	struct device *device = &wrapper->device;
	enum device_end end = DEVICE_OK;
	char *text = "";
	bool failed;

	set_up_device(wrapper);
	if (wrapper->has_device)
		device_start(device);
	if (device->object && wrapper->call.linker)
		end = device_wait(arena, device, &text);
	if (end != DEVICE_OK)
		device->object = NULL;
	failed = run_host(wrapper) != 0;
	if (failed && (!wrapper->waits || host_has_error(wrapper))) {
		device_cancel(device);
		end_host_failed(wrapper);
	}
	if (device->pid > 0)
		end = device_wait(arena, device, &text);
	if (end != DEVICE_OK)
		end_device_failed(wrapper, end, text);
	if (failed)
		end_host_failed(wrapper);
	print_held(wrapper, true);
	diagnostic_print(arena, &wrapper->call, text);
	if (device->object)
		warnings_print(arena, &wrapper->call, device->object,
			       device->warn);
	if (wrapper->call.staticlib)
		warn_static_library(wrapper);
	note_dependencies(wrapper);
	remove_work(wrapper);
	exit(0);
}

void
wrapper_main(int argc, char **argv)
{
	static struct wrapper wrapper;
	struct rustc_call *call = &wrapper.call;
	bool smelt;

	rustc_parse(&wrapper.arena, call, argc, argv);
	if (!call->compiles || call->proc_macro ||
	    starts_with(call->crate, "build_script_"))
		run_plain(&wrapper);
	smelt = record_deps(&wrapper.arena, call, &wrapper.deps) ||
		is_smelt_itself(call);
	if (smelt && call->target && !is_x86_64_linux(call->target)) {
		diagnostic_error(&wrapper.arena, call,
				 "kernels can be built into programs for "
				 "x86_64 Linux only, not for %s\n  = help: "
				 "`cargo build` compiles without kernels",
				 call->target);
		exit(1);
	}
	wrapper.has_device =
		smelt && (rustc_is_final(call) || !is_smelt_itself(call));
	if (rustc_is_library(call))
		record_write(&wrapper.arena, call, &wrapper.deps, smelt,
			     wrapper.has_device);
	/* A stable rustc refuses -Z; it must go on doing so. */
	if (!smelt || (call->unstable && features_refused(&wrapper)))
		run_plain(&wrapper);
	compile_twice(&wrapper);
}
