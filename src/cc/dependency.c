/*
 * The records that the rustc wrapper leaves beside libraries (contract 2).
 *
 * They say which dependencies have device bitcode and how to make it for those
 * that have none.
 */
#include "cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Undoes the wrapper's \n and \\ in place. */
static char *
unescape(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		if (from[0] == '\\' && (from[1] == 'n' || from[1] == '\\')) {
			from++;
			*to++ = *from == 'n' ? '\n' : '\\';
		} else {
			*to++ = *from;
		}
	}
	*to = 0;
	return text;
}

/* One line of a record; false if its key is unknown. */
static bool
read_line(struct cc *cc, struct cc_record *record, const char *key, char *value)
{
	if (!strcmp(key, "crate"))
		record->crate = value;
	else if (!strcmp(key, "smelt"))
		record->smelt = !strcmp(value, "yes");
	else if (!strcmp(key, "bitcode"))
		record->bitcode = value;
	else if (!strcmp(key, "dep"))
		list_add(&cc->arena, &record->deps, value);
	else if (!strcmp(key, "cwd"))
		record->cwd = value;
	else if (!strcmp(key, "env"))
		list_add(&cc->arena, &record->env, unescape(value));
	else if (!strcmp(key, "arg"))
		list_add(&cc->arena, &record->args, unescape(value));
	else
		return false;
	return true;
}

static void
read_record(struct cc *cc, struct cc_record *record, const char *path)
{
	char *data, *line, *end;
	size_t size;

	record->path = path;
	if (!file_read(&cc->arena, path, &data, &size))
		die("cannot read %s: %s", path, strerror(errno));
	if (strlen(data) != size || !starts_with(data, "smelt-record 1\n"))
		die("%s: not a record of this version of smelt; `cargo smelt "
		    "clean` and build again",
		    path);
	for (line = strchr(data, '\n') + 1; *line; line = end + 1) {
		char *value;

		end = strchr(line, '\n');
		if (!end)
			die("%s: damaged (the last line is cut off)", path);
		*end = 0;
		value = strchr(line, ' ');
		if (value)
			*value++ = 0;
		if (!value || !read_line(cc, record, line, value))
			die("%s: damaged (unknown line `%s`)", path, line);
	}
	if (!record->crate)
		die("%s: damaged (names no crate)", path);
}

/* A new record at the end, set to nothing. */
static struct cc_record *
add_record(struct cc *cc, size_t *cap)
{
	if (cc->record_count == *cap) {
		struct cc_record *grown;

		*cap = *cap ? 2 * *cap : 16;
		grown = arena_alloc(&cc->arena, *cap * sizeof(*grown));
		if (cc->record_count)
			memcpy(grown, cc->records,
			       cc->record_count * sizeof(*grown));
		cc->records = grown;
	}
	return &cc->records[cc->record_count++];
}

/* Breadth first from the direct dependencies. */
void
cc_records_read(struct cc *cc)
{
	struct list queue = {0}, seen = {0};
	size_t cap = 0;

	for (size_t i = 0; i < cc->options.deps.len; i++)
		list_add(&cc->arena, &queue, cc->options.deps.data[i]);
	for (size_t i = 0; i < queue.len; i++) {
		struct cc_record *record;

		if (list_has(&seen, queue.data[i]))
			continue;
		list_add(&cc->arena, &seen, queue.data[i]);
		record = add_record(cc, &cap);
		read_record(cc, record, queue.data[i]);
		for (size_t k = 0; k < record->deps.len; k++)
			list_add(&cc->arena, &queue, record->deps.data[k]);
	}
}
