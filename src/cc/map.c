/*
 * From pointers to pointers: a hash table that only grows, from the arena.
 */
#include "cc/cc.h"

struct cc_map {
	const void **keys;
	void **values;
	size_t capacity; /* power of two */
	size_t count;
};

static size_t
slot_of(const struct cc_map *map, const void *key)
{
	uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
	size_t slot = (size_t)(hash >> 32) & (map->capacity - 1);

	while (map->keys[slot] && map->keys[slot] != key)
		slot = (slot + 1) & (map->capacity - 1);
	return slot;
}

static void
allocate(struct arena *arena, struct cc_map *map, size_t capacity)
{
	map->keys = arena_alloc(arena, capacity * sizeof(*map->keys));
	map->values = arena_alloc(arena, capacity * sizeof(*map->values));
	map->capacity = capacity;
}

struct cc_map *
cc_map_new(struct arena *arena)
{
	struct cc_map *map = arena_alloc(arena, sizeof(*map));

	allocate(arena, map, 64);
	return map;
}

void *
cc_map_get(const struct cc_map *map, const void *key)
{
	return map->values[slot_of(map, key)];
}

void
cc_map_set(struct arena *arena, struct cc_map *map, const void *key,
	   void *value)
{
	size_t slot;

	if (map->count * 2 >= map->capacity) {
		struct cc_map old = *map;

		allocate(arena, map, old.capacity * 2);
		for (size_t i = 0; i < old.capacity; i++) {
			if (!old.keys[i])
				continue;
			slot = slot_of(map, old.keys[i]);
			map->keys[slot] = old.keys[i];
			map->values[slot] = old.values[i];
		}
	}
	slot = slot_of(map, key);
	map->count += !map->keys[slot];
	map->keys[slot] = key;
	map->values[slot] = value;
}
