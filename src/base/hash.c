/*
 * Content hash: two FNV-1a style lanes over 8-byte words with different
 * multipliers and a final mix. Distinguishes contents in a cache; not for
 * security.
 */
#include "base.h"

#include <stdio.h>
#include <string.h>

static uint64_t
mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

void
hash_init(struct hash *hash)
{
	hash->a = 0xcbf29ce484222325ull;
	hash->b = 0x9e3779b97f4a7c15ull;
}

static void
add_word(struct hash *hash, uint64_t word)
{
	hash->a = (hash->a ^ mix(word)) * 0x100000001b3ull;
	hash->b = (hash->b + mix(word + 0x632be59bd9b4e019ull)) *
		  0xda942042e4dd58b5ull;
	hash->b ^= hash->b >> 29;
}

void
hash_add(struct hash *hash, const void *data, size_t len)
{
	const char *p = data;
	uint64_t word;

	add_word(hash, len);
	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		add_word(hash, word);
	}
	if (len) {
		word = 0;
		memcpy(&word, p, len);
		add_word(hash, word);
	}
}

void
hash_hex(const struct hash *hash, char hex[33])
{
	snprintf(hex, 33, "%016llx%016llx", (unsigned long long)mix(hash->a),
		 (unsigned long long)mix(hash->b));
}
