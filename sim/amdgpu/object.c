/*
 * Which handles are alive. HSA gives out handles as 64-bit numbers and promises
 * an error code for one that was never given out or is destroyed, so a handle
 * is looked up here before what it points to is read.
 */
#include "sim.h"

#include <stdlib.h>

/* Open addressing, linear probing; key 0 is free, DEAD was removed. */
struct slot {
	uint64_t key;
	enum object_kind kind;
};

#define DEAD 1u

static struct {
	pthread_mutex_t lock;
	struct slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t used;	 /* dead ones included */
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t
first_slot(uint64_t key, size_t capacity)
{
	return (key * 0x9e3779b97f4a7c15u >> 20) & (capacity - 1);
}

static struct slot *
find(enum object_kind kind, uint64_t key)
{
	if (table.capacity == 0 || key <= DEAD)
		return NULL;
	for (size_t i = first_slot(key, table.capacity);;
	     i = (i + 1) & (table.capacity - 1)) {
		struct slot *slot = &table.slots[i];
		if (slot->key == key && slot->kind == kind)
			return slot;
		if (slot->key == 0)
			return NULL;
	}
}

static void
put(struct slot *slots, size_t capacity, struct slot value)
{
	size_t i = first_slot(value.key, capacity);
	while (slots[i].key > DEAD)
		i = (i + 1) & (capacity - 1);
	slots[i] = value;
}

static bool
grow(void)
{
	size_t live = 0;
	for (size_t i = 0; i < table.capacity; i++)
		live += table.slots[i].key > DEAD;
	size_t capacity = 64;
	while (capacity < live * 4)
		capacity *= 2;
	struct slot *slots = calloc(capacity, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t i = 0; i < table.capacity; i++)
		if (table.slots[i].key > DEAD)
			put(slots, capacity, table.slots[i]);
	free(table.slots);
	table.slots = slots;
	table.capacity = capacity;
	table.used = live;
	return true;
}

bool
object_add(enum object_kind kind, const void *object)
{
	bool ok = true;
	pthread_mutex_lock(&table.lock);
	if ((table.used + 1) * 2 > table.capacity)
		ok = grow();
	if (ok) {
		put(table.slots, table.capacity,
		    (struct slot){(uint64_t)(uintptr_t)object, kind});
		table.used++;
	}
	pthread_mutex_unlock(&table.lock);
	return ok;
}

bool
object_remove(enum object_kind kind, const void *object)
{
	pthread_mutex_lock(&table.lock);
	struct slot *slot = find(kind, (uint64_t)(uintptr_t)object);
	if (slot)
		slot->key = DEAD;
	pthread_mutex_unlock(&table.lock);
	return slot != NULL;
}

bool
object_alive(enum object_kind kind, uint64_t handle)
{
	pthread_mutex_lock(&table.lock);
	bool alive = find(kind, handle) != NULL;
	pthread_mutex_unlock(&table.lock);
	return alive;
}
