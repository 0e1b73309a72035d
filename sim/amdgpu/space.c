/*
 * The ranges of this process's memory that a device may touch, sorted by
 * address. Workers keep copies of the ranges they last used (memory.c) and look
 * here only when none of them fits or the generation has moved on.
 */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

_Atomic uint64_t space_generation = 1;

static struct {
	pthread_rwlock_t lock;
	struct range *ranges;
	size_t count;
	size_t capacity;
} space = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* Index of the first range that ends beyond the address. */
static size_t
lower(uint64_t address)
{
	size_t low = 0, high = space.count;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (space.ranges[mid].base + space.ranges[mid].mapped > address)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static bool
insert(const struct range *range)
{
	size_t at = lower(range->base);
	if (at < space.count &&
	    space.ranges[at].base < range->base + range->mapped)
		return false;
	if (space.count == space.capacity) {
		size_t capacity = space.capacity ? space.capacity * 2 : 64;
		struct range *grown =
			realloc(space.ranges, capacity * sizeof(*grown));
		if (!grown)
			return false;
		space.ranges = grown;
		space.capacity = capacity;
	}
	memmove(&space.ranges[at + 1], &space.ranges[at],
		(space.count - at) * sizeof(*range));
	space.ranges[at] = *range;
	space.count++;
	return true;
}

bool
space_add(const struct range *range)
{
	pthread_rwlock_wrlock(&space.lock);
	bool ok = range->mapped && insert(range);
	atomic_fetch_add(&space_generation, 1);
	pthread_rwlock_unlock(&space.lock);
	return ok;
}

bool
space_remove(uint64_t base, enum range_kind kind, struct range *removed)
{
	pthread_rwlock_wrlock(&space.lock);
	size_t at = lower(base);
	bool ok = at < space.count && space.ranges[at].base == base &&
		  space.ranges[at].kind == kind;
	if (ok) {
		if (removed)
			*removed = space.ranges[at];
		memmove(&space.ranges[at], &space.ranges[at + 1],
			(space.count - at - 1) * sizeof(*removed));
		space.count--;
	}
	atomic_fetch_add(&space_generation, 1);
	pthread_rwlock_unlock(&space.lock);
	return ok;
}

bool
space_find(uint64_t address, struct range *found)
{
	pthread_rwlock_rdlock(&space.lock);
	size_t at = lower(address);
	bool ok = at < space.count && space.ranges[at].base <= address;
	if (ok)
		*found = space.ranges[at];
	pthread_rwlock_unlock(&space.lock);
	return ok;
}

uint64_t
space_owned(uint32_t agent, enum range_kind kind)
{
	uint64_t bytes = 0;
	pthread_rwlock_rdlock(&space.lock);
	for (size_t i = 0; i < space.count; i++)
		if (space.ranges[i].owner == agent &&
		    space.ranges[i].kind == kind)
			bytes += space.ranges[i].mapped;
	pthread_rwlock_unlock(&space.lock);
	return bytes;
}

bool
space_change(uint64_t base, void (*change)(struct range *, void *), void *arg)
{
	pthread_rwlock_wrlock(&space.lock);
	size_t at = lower(base);
	bool ok = at < space.count && space.ranges[at].base == base;
	if (ok)
		change(&space.ranges[at], arg);
	atomic_fetch_add(&space_generation, 1);
	pthread_rwlock_unlock(&space.lock);
	return ok;
}
