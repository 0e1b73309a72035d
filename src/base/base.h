/*
 * The layer below all others: arena, strings, lists, files, child processes.
 * Needs libc only.
 *
 * smelt-cc and the driver live briefly: they allocate from an arena, and end
 * with die() on a user's mistake. The runtime is a library and uses neither.
 */
#ifndef SMELT_BASE_H
#define SMELT_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define array_count(a) (sizeof(a) / sizeof((a)[0]))

/* ---- arena.c ---- */

/* Memory that is freed all at once, or not at all. Zero-initialise. */
struct arena {
	struct arena_chunk *chunk;
	size_t used;
};

/* Zeroed, 16-aligned; ends the process if there is no memory. */
void *
arena_alloc(struct arena *arena, size_t size);
void
arena_free(struct arena *arena);
char *
arena_dup(struct arena *arena, const char *data, size_t len);
char *
arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A growing string; data is always NUL-terminated once something was added. */
struct buf {
	char *data;
	size_t len;
	size_t cap;
};

void
buf_add(struct arena *arena, struct buf *buf, const void *data, size_t len);
void
buf_puts(struct arena *arena, struct buf *buf, const char *text);
void
buf_printf(struct arena *arena, struct buf *buf, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Zero bytes up to a multiple of align. */
void
buf_align(struct arena *arena, struct buf *buf, size_t align);

/* A list of strings, NULL-terminated, fit for execv. */
struct list {
	const char **data;
	size_t len;
	size_t cap;
};

void
list_add(struct arena *arena, struct list *list, const char *text);
void
list_addf(struct arena *arena, struct list *list, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool
list_has(const struct list *list, const char *text);
/* Splits at any of the separators, dropping empty fields. */
void
list_split(struct arena *arena, struct list *list, const char *text,
	   const char *separators);

bool
starts_with(const char *text, const char *prefix);
bool
ends_with(const char *text, const char *suffix);

/* ---- message.c ---- */

/* Named in front of each message: "smelt-cc", "cargo-smelt". */
extern const char *program_name;

/* "error: ..." on stderr, exit status 1. For mistakes of the user. */
_Noreturn void
die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void
warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- file.c ---- */

/* Whole contents, NUL-terminated beyond the end. false with errno set. */
bool
file_read(struct arena *arena, const char *path, char **data, size_t *size);
/* Writes beside the file, then renames: readers see all or nothing. Into a
 * device or a pipe it just writes. */
bool
file_write(const char *path, const void *data, size_t size);
bool
file_exists(const char *path);
/* mkdir -p; false with errno set. */
bool
dir_make(const char *path);
/* The folder part of a path, "." if none; the last part. */
char *
path_dir(struct arena *arena, const char *path);
const char *
path_name(const char *path);
/* First executable of this name on PATH, or name itself if it has a slash and
 * is executable; NULL if none. */
char *
path_find(struct arena *arena, const char *name);
/* The running program's own file. */
char *
path_self(struct arena *arena);

/* ---- process.c ---- */

struct process {
	int pid;
	int out; /* read ends of pipes, or -1 */
	int err;
};

enum process_flag {
	PROCESS_PIPE_OUT = 1 << 0,
	PROCESS_PIPE_ERR = 1 << 1,
	PROCESS_ERR_TO_OUT = 1 << 2, /* both to the out pipe */
	PROCESS_NULL_IN = 1 << 3,
};

/* argv[0] is looked up on PATH. env NULL: this process's. false with errno set.
 */
bool
process_start(struct process *process, const char *const *argv,
	      const char *const *env, unsigned flags);
/* Exit status as a shell gives it: 128 + signal for one that was killed. */
int
process_wait(struct process *process);
/* Starts, collects what it prints on stdout and stderr into out, and waits.
 * -1 with errno set if it cannot be started. */
int
process_capture(struct arena *arena, const char *const *argv, struct buf *out);
/* This environment with NAME=VALUE entries put in place of those named alike;
 * an entry without "=" removes. NULL-terminated, from the arena. */
const char *const *
process_env(struct arena *arena, const char *const *changes);

/* ---- hash.c ---- */

/* 128-bit content hash (not for security), as 32 hex digits. */
struct hash {
	uint64_t a;
	uint64_t b;
};
void
hash_init(struct hash *hash);
void
hash_add(struct hash *hash, const void *data, size_t len);
void
hash_hex(const struct hash *hash, char hex[33]);

#endif
