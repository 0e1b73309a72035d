/*
 * The map table of a device: which host memory lies where in device memory, and
 * who asked for it.
 *
 * An entry keeps its users, not just their number: where read-only ranges
 * overlap there are several entries that an end could mean, and to count down
 * the wrong one would free memory under a running kernel.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static bool
contains(const struct rt_map *map, const char *host, uint64_t size)
{
	return host >= map->host && size <= map->size &&
	       (uint64_t)(host - map->host) <= map->size - size;
}

static bool
overlaps(const struct rt_map *map, const char *host, uint64_t size)
{
	return host < map->host + map->size && map->host < host + size;
}

static struct rt_map_user *
find_user(struct rt_map *map, const char *host, uint64_t size,
	  uint32_t direction)
{
	for (uint32_t i = 0; i < map->user_count; i++) {
		struct rt_map_user *user = &map->users[i];

		if (user->host == host && user->size == size &&
		    user->direction == direction)
			return user;
	}
	return NULL;
}

/* Adds a user; false if there is no memory. */
static bool
add_user(struct rt_map *map, char *host, uint64_t size, uint32_t direction)
{
	struct rt_map_user *user = find_user(map, host, size, direction);

	if (user) {
		user->count++;
		return true;
	}
	if (map->user_count == map->user_capacity) {
		uint32_t capacity = map->user_capacity * 2 + 2;
		struct rt_map_user *users =
			realloc(map->users, capacity * sizeof(*users));

		if (!users)
			return false;
		map->users = users;
		map->user_capacity = capacity;
	}
	map->users[map->user_count++] = (struct rt_map_user){
		.host = host, .size = size, .direction = direction, .count = 1};
	return true;
}

/* The entry that a new user of the range shares: one that it uses already, else
 * the first that contains the range; NULL: it needs its own. *clash is set if
 * that would let a writer see another copy than a reader. */
static struct rt_map *
choose(smelt_device *device, const char *host, uint64_t size,
       uint32_t direction, bool *clash)
{
	struct rt_map *found = NULL;
	bool reads = direction == SMELT_MAP_TO;

	for (struct rt_map *map = device->maps; map; map = map->next) {
		if (!contains(map, host, size))
			continue;
		if (!found || find_user(map, host, size, direction))
			found = map;
	}
	*clash = false;
	for (struct rt_map *map = device->maps; map; map = map->next)
		if (map != found && overlaps(map, host, size) &&
		    !(reads && map->read_only))
			*clash = true;
	return found;
}

static int
overlap_error(const void *host, uint64_t size)
{
	return rt_error(SMELT_EINVALID,
			"map of %llu bytes at %p: the range overlaps one that "
			"is mapped already, and one of the two is written",
			(unsigned long long)size, host);
}

/* Memory on the device, and the copy in on its way. */
static int
fill_map(smelt_stream *stream, struct rt_map *map, uint32_t direction)
{
	smelt_device *device = stream->device;
	void *memory;
	int result;

	if (device->found.shares_memory) {
		map->memory = map->host;
		return 0;
	}
	result = rt_pool_alloc(device, map->size, &memory);
	if (result)
		return result;
	map->memory = memory;
	if (!(direction & SMELT_MAP_TO))
		return 0;
	result = rt_copy(stream, ENGINE_TO_DEVICE, map->memory, map->host,
			 map->size, true);
	map->stream = stream;
	map->copied = stream->given;
	if (result)
		rt_pool_free(device, stream, memory);
	return result;
}

static int
make_map(smelt_stream *stream, char *host, uint64_t size, uint32_t direction,
	 struct rt_map **made)
{
	struct rt_map *map = calloc(1, sizeof(*map));
	int result;

	if (!map || !add_user(map, host, size, direction)) {
		free(map);
		return rt_error(SMELT_ENO_MEMORY, "no memory for a map");
	}
	map->host = host;
	map->size = size;
	map->read_only = direction == SMELT_MAP_TO;
	map->first_stream = stream;
	result = fill_map(stream, map, direction);
	if (result) {
		free(map->users);
		free(map);
		return result;
	}
	map->next = stream->device->maps;
	stream->device->maps = map;
	*made = map;
	return 0;
}

/* A further user, maybe on another stream, which must see the data copied in.
 */
static int
share_map(smelt_stream *stream, struct rt_map *map, char *host, uint64_t size,
	  uint32_t direction)
{
	smelt_device *device = stream->device;

	if (map->stream && map->stream != stream) {
		if (atomic_load(&map->stream->done) < map->copied) {
			int result = device->engine->queue_wait(
				device->found.device, map->stream->queue);

			if (result)
				return result;
		}
		map->stream = NULL;
	}
	if (!add_user(map, host, size, direction))
		return rt_error(SMELT_ENO_MEMORY, "no memory for a map");
	map->read_only = map->read_only && direction == SMELT_MAP_TO;
	map->many_streams |= map->first_stream != stream;
	return 0;
}

static int
check_map(const smelt_stream *stream, const char *host, uint64_t size,
	  uint32_t direction)
{
	if (!stream || !host)
		return rt_error(SMELT_EINVALID, "stream or host is NULL");
	if (direction < SMELT_MAP_TO || direction > SMELT_MAP_ALLOC)
		return rt_error(SMELT_EINVALID, "%u is no map direction",
				direction);
	if (size > UINTPTR_MAX - (uintptr_t)host)
		return rt_error(SMELT_EINVALID,
				"map of %llu bytes at %p: beyond the end of "
				"memory",
				(unsigned long long)size, (const void *)host);
	return 0;
}

int
smelt_map_begin(smelt_stream *stream, void *host, uint64_t size,
		uint32_t direction, void **device_memory)
{
	struct rt_map *map;
	bool clash;
	int result;

	if (!device_memory)
		return rt_error(SMELT_EINVALID, "device_memory is NULL");
	*device_memory = NULL;
	result = check_map(stream, host, size, direction);
	if (result)
		return result;
	if (!size) {
		*device_memory = host;
		return 0;
	}
	result = rt_stream_enter(stream);
	if (result)
		return result;
	pthread_mutex_lock(&stream->device->map_lock);
	map = choose(stream->device, host, size, direction, &clash);
	if (clash)
		result = overlap_error(host, size);
	else if (map)
		result = share_map(stream, map, host, size, direction);
	else
		result = make_map(stream, host, size, direction, &map);
	if (!result)
		*device_memory = map->memory + ((char *)host - map->host);
	pthread_mutex_unlock(&stream->device->map_lock);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* Takes one user out. *found is its entry, NULL if there was none; *last says
 * that nobody uses it any more: it is out of the table then. */
static void
leave_map(smelt_device *device, const char *host, uint64_t size,
	  uint32_t direction, struct rt_map **found, bool *last)
{
	struct rt_map **link = &device->maps;
	struct rt_map_user *user = NULL;

	while (*link && !(user = find_user(*link, host, size, direction)))
		link = &(*link)->next;
	*found = *link;
	*last = false;
	if (!user)
		return;
	if (--user->count == 0)
		*user = (*found)->users[--(*found)->user_count];
	if (direction & SMELT_MAP_FROM) {
		uint64_t start = (uint64_t)(host - (*found)->host);
		bool first = (*found)->out_end == 0;

		if (first || start < (*found)->out_start)
			(*found)->out_start = start;
		if (start + size > (*found)->out_end)
			(*found)->out_end = start + size;
	}
	if ((*found)->user_count)
		return;
	*link = (*found)->next;
	*last = true;
}

static int
copy_out(smelt_stream *stream, const struct rt_map *map)
{
	uint64_t size = map->out_end - map->out_start;

	if (stream->device->found.shares_memory)
		return 0;
	return rt_copy(stream, ENGINE_FROM_DEVICE, map->host + map->out_start,
		       map->memory + map->out_start, size, false);
}

/* The last user's part, with the entry out of the table. */
static int
finish_map(smelt_stream *stream, struct rt_map *map)
{
	smelt_device *device = stream->device;
	int result = 0, waited = 0;

	if (map->out_end) {
		result = copy_out(stream, map);
		waited = rt_stream_wait(stream);
	} else if (map->stream == stream && stream->done < map->copied) {
		result = rt_stream_drain(stream);
	}
	if (!device->found.shares_memory)
		rt_pool_free(device, stream, map->memory);
	free(map->users);
	free(map);
	return result ? result : waited;
}

/* The copy in was another stream's: it must not read the host's memory any more
 * when the map has ended. The map lock keeps that stream alive. */
static int
end_copy_in(const smelt_stream *stream, struct rt_map *map)
{
	smelt_device *device = stream->device;

	if (!map->stream || map->stream == stream ||
	    atomic_load(&map->stream->done) >= map->copied)
		return 0;
	return device->engine->queue_wait(device->found.device,
					  map->stream->queue);
}

int
smelt_map_end(smelt_stream *stream, void *host, uint64_t size,
	      uint32_t direction)
{
	bool writes = direction & SMELT_MAP_FROM;
	struct rt_map *map = NULL;
	bool last = false, many = false;
	int result = check_map(stream, host, size, direction);

	if (!result)
		result = rt_stream_enter(stream);
	if (result)
		return result;
	if (size) {
		pthread_mutex_lock(&stream->device->map_lock);
		leave_map(stream->device, host, size, direction, &map, &last);
		if (last)
			result = end_copy_in(stream, map);
		many = map && map->many_streams;
		pthread_mutex_unlock(&stream->device->map_lock);
	}
	if (size && !map)
		result = rt_error(SMELT_EINVALID,
				  "%llu bytes at %p are not mapped with "
				  "direction %u",
				  (unsigned long long)size, host, direction);
	else if (many)
		result = rt_stream_drain(stream);
	if (last) {
		int finished = finish_map(stream, map);

		result = result ? result : finished;
	} else if (writes && !result) {
		result = rt_stream_wait(stream);
	}
	if (last || writes)
		return rt_stream_leave(stream, result);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* Where reading users' ranges overlap each has memory of its own: all of those
 * get the part of the range that is theirs. The map lock is held. */
static int
update_to(smelt_stream *stream, char *host, uint64_t size)
{
	int result = 0;

	for (struct rt_map *map = stream->device->maps; map && !result;
	     map = map->next) {
		char *start = host > map->host ? host : map->host;
		char *end = host + size < map->host + map->size
				    ? host + size
				    : map->host + map->size;

		if (!overlaps(map, host, size))
			continue;
		result = end_copy_in(stream, map);
		if (!result)
			result = rt_copy(stream, ENGINE_TO_DEVICE,
					 map->memory + (start - map->host),
					 start, (uint64_t)(end - start), false);
	}
	return result;
}

/* The stream's lock and the map lock are held. */
static int
update(smelt_stream *stream, char *host, uint64_t size, uint32_t direction)
{
	bool clash;
	struct rt_map *map =
		choose(stream->device, host, size, direction, &clash);
	int result;

	if (!map)
		return rt_error(SMELT_EINVALID,
				"update of %llu bytes at %p, which are not "
				"mapped",
				(unsigned long long)size, (void *)host);
	if (stream->device->found.shares_memory)
		return direction == SMELT_MAP_FROM ? rt_stream_drain(stream)
						   : 0;
	if (direction == SMELT_MAP_TO)
		return update_to(stream, host, size);
	result = end_copy_in(stream, map);
	return result ? result
		      : rt_copy(stream, ENGINE_FROM_DEVICE, host,
				map->memory + (host - map->host), size, false);
}

int
smelt_map_update(smelt_stream *stream, void *host, uint64_t size,
		 uint32_t direction)
{
	int result = check_map(stream, host, size, direction);

	if (!result && direction != SMELT_MAP_TO && direction != SMELT_MAP_FROM)
		result = rt_error(SMELT_EINVALID,
				  "%u is no direction of an update", direction);
	if (result || !size)
		return result;
	result = rt_stream_enter(stream);
	if (result)
		return result;
	pthread_mutex_lock(&stream->device->map_lock);
	result = update(stream, host, size, direction);
	pthread_mutex_unlock(&stream->device->map_lock);
	if (direction != SMELT_MAP_FROM) {
		pthread_mutex_unlock(&stream->lock);
		return result;
	}
	if (!result)
		result = rt_stream_check(stream);
	return rt_stream_leave(stream, result);
}

void
rt_map_forget(smelt_device *device, const smelt_stream *stream)
{
	pthread_mutex_lock(&device->map_lock);
	for (struct rt_map *map = device->maps; map; map = map->next)
		if (map->stream == stream)
			map->stream = NULL;
	pthread_mutex_unlock(&device->map_lock);
}
