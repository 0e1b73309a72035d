/*
 * Results by content hash, so that a rebuild redoes only what changed.
 *
 * An entry is a file named by its key, with a hash of its own contents in
 * front: what was cut short or overwritten is taken for absent.
 */
#include "cc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_MAGIC "SMELTCA1"

struct cache_header {
	char magic[8];
	char check[40]; /* hash of what follows, NUL-padded */
};

void
cc_cache_begin(struct hash *hash)
{
	static struct hash self;
	static bool known;

	/* The program's own bytes: a new build never takes an old one's
	 * results. */
	if (!known) {
		struct arena arena = {0};
		unsigned version[3];
		char *data;
		size_t size;

		hash_init(&self);
		LLVMGetVersion(&version[0], &version[1], &version[2]);
		hash_add(&self, version, sizeof(version));
		if (file_read(&arena, path_self(&arena), &data, &size))
			hash_add(&self, data, size);
		arena_free(&arena);
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

bool
cc_cache_read(const struct cc_options *options, struct arena *arena,
	      const char *key, char **data, size_t *size)
{
	struct cache_header expected;

	if (!options->cache ||
	    !file_read(arena, entry_path(options, arena, key), data, size) ||
	    *size < sizeof(expected))
		return false;
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

	if (!options->cache || !dir_make(options->cache))
		return;
	fill_header(&header, data, size);
	buf_add(&arena, &entry, &header, sizeof(header));
	buf_add(&arena, &entry, data, size);
	file_write(entry_path(options, &arena, key), entry.data, entry.len);
	arena_free(&arena);
}
