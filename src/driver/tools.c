/*
 * Where the rest of Smelt and the programs it runs lie.
 *
 * Nothing is configured at build time: an installed tree and build/ have one
 * shape, so everything is found from this program's own place.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

char *
path_absolute(struct arena *arena, const char *path)
{
	char cwd[4096];

	if (path[0] == '/')
		return arena_dup(arena, path, strlen(path));
	if (!getcwd(cwd, sizeof(cwd)))
		die("cannot tell the current folder: %s", strerror(errno));
	return arena_printf(arena, *path ? "%s/%s" : "%s%s", cwd, path);
}

static char *
beside_self(struct arena *arena, const char *relative)
{
	char *file = arena_printf(arena, "%s/%s",
				  path_dir(arena, path_self(arena)), relative);
	char *real = realpath(file, NULL);
	char *copy;

	if (!real)
		return NULL;
	copy = arena_dup(arena, real, strlen(real));
	free(real);
	return copy;
}

char *
tool_smelt_cc(struct arena *arena)
{
	const char *chosen = getenv("SMELT_CC");
	char *path;

	if (chosen && *chosen) {
		path = path_find(arena, chosen);
		if (!path)
			die("SMELT_CC=%s: no such program", chosen);
		return path_absolute(arena, path);
	}
	path = beside_self(arena, "smelt-cc");
	return path ? path : path_find(arena, "smelt-cc");
}

char *
tool_devmath(struct arena *arena)
{
	return beside_self(arena, "../lib/smelt/devmath.bc");
}

char *
tool_crate(struct arena *arena)
{
	static const char *const places[] = {
		"../share/smelt/crates/smelt", /* installed */
		"../../crates/smelt",	       /* build/bin of a source tree */
	};

	for (size_t i = 0; i < array_count(places); i++) {
		char *dir = beside_self(arena, places[i]);

		if (dir &&
		    file_exists(arena_printf(arena, "%s/Cargo.toml", dir)))
			return dir;
	}
	return NULL;
}

char *
tool_cargo(struct arena *arena)
{
	const char *caller = getenv("CARGO");
	char *path = NULL;

	if (caller && *caller)
		path = path_find(arena, caller);
	if (!path)
		path = path_find(arena, "cargo");
	if (!path)
		die("cargo was not found: install rustup, or Debian's packages "
		    "`rustc-web cargo-web`");
	return path;
}

char *
tool_cuda(struct arena *arena, const char *name)
{
	const char *const homes[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
				     "/usr/local/cuda"};
	char *path = path_find(arena, name);

	for (size_t i = 0; !path && i < array_count(homes); i++)
		if (homes[i] && *homes[i])
			path = path_find(arena, arena_printf(arena, "%s/bin/%s",
							     homes[i], name));
	return path;
}

char *
tool_llvm(struct arena *arena, const char *name)
{
	char *path = path_find(arena, arena_printf(arena, "%s-22", name));

	if (!path)
		path = path_find(
			arena,
			arena_printf(arena, "/usr/lib/llvm-22/bin/%s", name));
	return path ? path : path_find(arena, name);
}

static void
stamp_file(struct hash *hash, const char *path)
{
	struct stat st;

	hash_add(hash, path, strlen(path) + 1);
	if (stat(path, &st) == 0) {
		hash_add(hash, &st.st_size, sizeof(st.st_size));
		hash_add(hash, &st.st_mtim, sizeof(st.st_mtim));
	}
}

char *
tool_stamp(struct arena *arena, const char *smelt_cc)
{
	char *devmath = tool_devmath(arena);
	struct hash hash;
	char hex[33];

	hash_init(&hash);
	stamp_file(&hash, path_self(arena));
	stamp_file(&hash, smelt_cc);
	if (devmath)
		stamp_file(&hash, devmath);
	hash_hex(&hash, hex);
	return arena_dup(arena, hex, 16);
}

char *
first_line(struct arena *arena, const char *const *argv)
{
	struct buf out = {0};

	if (!argv[0] || process_capture(arena, argv, &out) != 0 || !out.data)
		return arena_dup(arena, "", 0);
	return arena_dup(arena, out.data, strcspn(out.data, "\n"));
}

void
exec_program(struct arena *arena, const struct list *argv,
	     const struct list *env)
{
	static const char *const none[] = {NULL};

	environ = (char **)(uintptr_t)process_env(arena,
						  env->data ? env->data : none);
	fflush(NULL);
	execvp(argv->data[0], (char *const *)(uintptr_t)argv->data);
	die("cannot run %s: %s", argv->data[0], strerror(errno));
}
