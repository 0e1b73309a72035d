/*
 * The record that lies beside each library (contract 2 of ARCHITECTURE.md).
 *
 * It is written before rustc starts: cargo starts dependents as soon as rustc
 * has the metadata, long before this call ends.
 */
#include "driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

char *
record_beside(struct arena *arena, const char *library)
{
	const char *dot = strrchr(path_name(library), '.');
	size_t len = dot ? (size_t)(dot - library) : strlen(library);
	char *path = arena_printf(arena, "%.*s.smelt", (int)len, library);

	if (!file_exists(path))
		return NULL;
	return path_absolute(arena, path);
}

char *
record_path(struct arena *arena, const struct rustc_call *call,
	    const char *suffix)
{
	return arena_printf(arena, "%s/lib%s%s%s", call->out_dir, call->crate,
			    call->extra, suffix);
}

static bool
says_smelt(struct arena *arena, const char *record)
{
	char *data;
	size_t size;

	if (!file_read(arena, record, &data, &size))
		die("cannot read %s: %s", record, strerror(errno));
	return strstr(data, "\nsmelt yes\n") != NULL;
}

bool
record_deps(struct arena *arena, const struct rustc_call *call,
	    struct list *deps)
{
	bool smelt = false;

	for (size_t i = 0; i < call->externs.len; i++) {
		char *record = record_beside(arena, call->externs.data[i]);

		if (!record || list_has(deps, record))
			continue;
		list_add(arena, deps, record);
		smelt |= says_smelt(arena, record);
	}
	return smelt;
}

static void
put(struct arena *arena, struct buf *out, const char *key, const char *value)
{
	buf_printf(arena, out, "%s ", key);
	for (; *value; value++) {
		if (*value == '\n')
			buf_puts(arena, out, "\\n");
		else if (*value == '\\')
			buf_puts(arena, out, "\\\\");
		else
			buf_add(arena, out, value, 1);
	}
	buf_puts(arena, out, "\n");
}

/* Cargo's own environment: what is not in it was set for this call (CARGO_*,
 * OUT_DIR, what a build script asked for). Read by hand: /proc says 0 for its
 * size. */
static struct buf
parent_environment(struct arena *arena)
{
	struct buf all = {0};
	char path[64], chunk[4096];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%ld/environ", (long)getppid());
	file = fopen(path, "rb");
	if (!file)
		return all;
	while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_add(arena, &all, chunk, n);
	fclose(file);
	return all;
}

static bool
holds(const struct buf *environment, const char *entry)
{
	const char *at = environment->data;
	const char *end = at ? at + environment->len : at;

	for (; at < end; at += strlen(at) + 1)
		if (!strcmp(at, entry))
			return true;
	return false;
}

static void
put_environment(struct arena *arena, struct buf *out)
{
	struct buf cargo = parent_environment(arena);

	for (char **entry = environ; *entry; entry++) {
		bool ours = starts_with(*entry, "CARGO_") ||
			    starts_with(*entry, "OUT_DIR=") ||
			    starts_with(*entry, "RUSTUP_TOOLCHAIN=");

		/* The job server's descriptors mean nothing later. */
		if (starts_with(*entry, "CARGO_MAKEFLAGS="))
			continue;
		if (ours || (cargo.data && !holds(&cargo, *entry)))
			put(arena, out, "env", *entry);
	}
}

void
record_write(struct arena *arena, const struct rustc_call *call,
	     const struct list *deps, bool smelt, bool bitcode)
{
	char *path = record_path(arena, call, ".smelt");
	struct buf out = {0};

	buf_puts(arena, &out, "smelt-record 1\n");
	put(arena, &out, "crate", call->crate);
	put(arena, &out, "smelt", smelt ? "yes" : "no");
	if (bitcode)
		put(arena, &out, "bitcode",
		    record_path(arena, call, ".smelt.bc"));
	for (size_t i = 0; i < deps->len; i++)
		put(arena, &out, "dep", deps->data[i]);
	put(arena, &out, "cwd", path_absolute(arena, ""));
	put_environment(arena, &out);
	for (size_t i = 0; i < call->command.len; i++)
		put(arena, &out, "arg", call->command.data[i]);
	for (size_t i = 0; i < call->args.len; i++)
		put(arena, &out, "arg", call->args.data[i]);
	if (!file_write(path, out.data, out.len))
		die("cannot write %s: %s", path, strerror(errno));
}
