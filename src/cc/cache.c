/*
 * Results by content hash, so that a rebuild redoes only what changed.
 *
 * An entry is a file named by its key, with a hash of its own contents in
 * front: what was cut short or overwritten is taken for absent.
 *
 * Entries are thrown away by age and by size, the least recently used first.
 * Builds may run side by side: each reads an entry in one go or finds it
 * absent, so that whoever throws one away costs another build some work and no
 * more.
 */
#define _GNU_SOURCE
#include "cc.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CACHE_MAGIC "SMELTCA1"

struct cache_header {
	char magic[8];
	char check[40]; /* hash of what follows, NUL-padded */
};

/* The build ID that the linker put into the program, a hash of its contents;
 * false if it put none. dl_iterate_phdr tells of the program first. */
static int
add_build_id(struct dl_phdr_info *info, size_t size, void *hash)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		const char *at = (char *)info->dlpi_addr + part->p_vaddr;
		const char *end = at + part->p_memsz;

		while (part->p_type == PT_NOTE && at < end) {
			const ElfW(Nhdr) *note = (const void *)at;
			size_t name = (note->n_namesz + 3) & ~(size_t)3;

			at += sizeof(*note) + name;
			if (note->n_type == NT_GNU_BUILD_ID && name == 4 &&
			    !memcmp(at - 4, "GNU", 4)) {
				hash_add(hash, at, note->n_descsz);
				return 1;
			}
			at += (note->n_descsz + 3) & ~(size_t)3;
		}
	}
	return -1;
}

/* The program's own bytes: a new build never takes an old one's results. */
static void
add_self(struct hash *hash)
{
	struct arena arena = {0};
	char *data;
	size_t size;

	if (dl_iterate_phdr(add_build_id, hash) > 0)
		return;
	if (file_read(&arena, path_self(&arena), &data, &size))
		hash_add(hash, data, size);
	arena_free(&arena);
}

void
cc_cache_begin(struct hash *hash)
{
	static struct hash self;
	static bool known;

	if (!known) {
		unsigned version[3];

		hash_init(&self);
		LLVMGetVersion(&version[0], &version[1], &version[2]);
		hash_add(&self, version, sizeof(version));
		add_self(&self);
		known = true;
	}
	*hash = self;
}

static char *
entry_path(const struct cc_options *options, struct arena *arena,
	   const char *key)
{
	return arena_printf(arena, "%s/%s", options->cache, key);
}

static void
fill_header(struct cache_header *header, const void *data, size_t size)
{
	struct hash hash;

	memset(header, 0, sizeof(*header));
	memcpy(header->magic, CACHE_MAGIC, 8);
	hash_init(&hash);
	hash_add(&hash, data, size);
	hash_hex(&hash, header->check);
}

/* ---- what is thrown away ---- */

enum {
	default_megabytes = 1024,   /* SMELT_CACHE_SIZE */
	oldest = 30 * 24 * 60 * 60, /* seconds since an entry was used */
	oldest_part = 60 * 60,	    /* a file that was not finished */
};

struct entry {
	char *name;
	time_t used;
	uint64_t size;
};

static uint64_t
size_limit(void)
{
	const char *text = getenv("SMELT_CACHE_SIZE");
	uint64_t megabytes = default_megabytes;
	char *end;

	if (text && *text) {
		megabytes = strtoull(text, &end, 10);
		if (*end)
			die("SMELT_CACHE_SIZE=%s: it is a number of megabytes",
			    text);
	}
	return megabytes << 20;
}

/* The entries that stay so far; what is too old goes at once. Gives their size.
 */
static uint64_t
read_entries(struct arena *arena, DIR *dir, struct buf *entries)
{
	uint64_t size = 0;
	time_t now = time(NULL);
	struct dirent *item;
	struct stat st;

	while ((item = readdir(dir))) {
		const char *name = item->d_name;
		time_t limit = ends_with(name, ".part") ? oldest_part : oldest;
		struct entry entry;

		if (fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (now - st.st_mtime > limit) {
			unlinkat(dirfd(dir), name, 0);
			continue;
		}
		entry.name = arena_dup(arena, name, strlen(name));
		entry.used = st.st_mtime;
		entry.size = (uint64_t)st.st_size;
		buf_add(arena, entries, &entry, sizeof(entry));
		size += entry.size;
	}
	return size;
}

static int
by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->used > y->used) - (x->used < y->used);
}

/* Down to three quarters of the limit, so that the next builds need not. */
static void
prune(const struct cc_options *options)
{
	struct arena arena = {0};
	struct buf found = {0};
	uint64_t limit = size_limit(), size;
	DIR *dir = opendir(options->cache);
	struct entry *entries;
	size_t count;

	if (!dir)
		return;
	size = read_entries(&arena, dir, &found);
	entries = (void *)found.data;
	count = found.len / sizeof(*entries);
	if (size > limit)
		qsort(entries, count, sizeof(*entries), by_use);
	else
		count = 0;
	for (size_t i = 0; i < count && size > limit / 4 * 3; i++) {
		unlinkat(dirfd(dir), entries[i].name, 0);
		size -= entries[i].size;
	}
	closedir(dir);
	arena_free(&arena);
}

/* ---- reading and writing ---- */

bool
cc_cache_read(const struct cc_options *options, struct arena *arena,
	      const char *key, char **data, size_t *size)
{
	struct cache_header expected;

	const char *path;

	if (!options->cache)
		return false;
	path = entry_path(options, arena, key);
	if (!file_read(arena, path, data, size) || *size < sizeof(expected))
		return false;
	utimensat(AT_FDCWD, path, NULL, 0); /* used now */
	*size -= sizeof(expected);
	fill_header(&expected, *data + sizeof(expected), *size);
	if (memcmp(&expected, *data, sizeof(expected)))
		return false;
	*data += sizeof(expected);
	return true;
}

void
cc_cache_write(const struct cc_options *options, const char *key,
	       const void *data, size_t size)
{
	struct arena arena = {0};
	struct cache_header header;
	struct buf entry = {0};
	static bool pruned; /* by this process: once is enough */

	if (!options->cache || !dir_make(options->cache))
		return;
	fill_header(&header, data, size);
	buf_add(&arena, &entry, &header, sizeof(header));
	buf_add(&arena, &entry, data, size);
	file_write(entry_path(options, &arena, key), entry.data, entry.len);
	if (!pruned)
		prune(options);
	pruned = true;
	arena_free(&arena);
}
