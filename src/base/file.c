/* Files and paths. See base.h. */
#define _GNU_SOURCE
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
file_read(struct arena *arena, const char *path, char **data, size_t *size)
{
	struct stat st;
	size_t got = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &st) < 0)
		goto fail;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		goto fail;
	}
	*size = (size_t)st.st_size;
	*data = arena_alloc(arena, *size + 1);
	while (got < *size) {
		ssize_t n = read(fd, *data + got, *size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	*size = got;
	(*data)[got] = 0;
	close(fd);
	return true;
fail:
	close(fd);
	return false;
}

/* A device or a pipe; a rename would put a file in its place. */
static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static bool
write_whole(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	bool ok = file && fwrite(data, 1, size, file) == size;

	if (file && fclose(file) != 0)
		ok = false;
	return ok;
}

bool
file_write(const char *path, const void *data, size_t size)
{
	struct arena arena = {0};
	char *part;
	bool ok;
	int error;

	if (is_special(path))
		return write_whole(path, data, size);
	part = arena_printf(&arena, "%s.%ld.part", path, (long)getpid());
	ok = write_whole(part, data, size);
	if (ok)
		ok = rename(part, path) == 0;
	error = errno;
	if (!ok)
		unlink(part);
	arena_free(&arena);
	errno = error;
	return ok;
}

bool
file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

bool
dir_make(const char *path)
{
	struct arena arena = {0};
	char *copy = arena_dup(&arena, path, strlen(path));
	bool ok = true;

	for (char *p = copy + 1; ok; p++) {
		char c = *p;

		if (c != '/' && c != 0)
			continue;
		*p = 0;
		ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
		*p = c;
		if (!c)
			break;
	}
	arena_free(&arena);
	return ok;
}

char *
path_dir(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return arena_dup(arena, ".", 1);
	return arena_dup(arena, path,
			 slash == path ? 1 : (size_t)(slash - path));
}

const char *
path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

char *
path_find(struct arena *arena, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return is_program(name) ? arena_dup(arena, name, strlen(name))
					: NULL;
	while (path && *path) {
		size_t n = strcspn(path, ":");
		char *file = arena_printf(arena, "%.*s/%s", (int)n, path, name);

		if (n && is_program(file))
			return file;
		path += n;
		path += *path == ':';
	}
	return NULL;
}

char *
path_self(struct arena *arena)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path));

	if (n <= 0 || n == sizeof(path))
		die("cannot tell where this program lies: %s", strerror(errno));
	return arena_dup(arena, path, (size_t)n);
}
