/*
 * Buffers: blocks of the pool that know which streams use them.
 *
 * Nearly all buffers are used by one stream only, where the queue keeps the
 * order. That case takes no lock: the block names that stream and the numbers
 * of its last uses. A second stream that reads is noted in a list beside it; a
 * writer comes after everybody, so it replaces all that is noted.
 */
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Whom a user must come after, or hear a panic of, one at a time: at 0 the
 * home, then the list. NULL: use number `at` does not matter. *more says
 * whether there is one. */
static smelt_stream *
find_earlier(smelt_buffer *buffer, uint32_t at, const smelt_stream *stream,
	     enum rt_access access, bool *more)
{
	struct rt_use use = {NULL, 0, 0};
	uint64_t number;

	pthread_mutex_lock(&buffer->lock);
	*more = at <= buffer->use_count;
	if (at == 0) {
		use.stream = atomic_load(&buffer->home);
		use.read = atomic_load(&buffer->home_read);
		use.written = atomic_load(&buffer->home_written);
	} else if (*more) {
		use = buffer->uses[at - 1];
	}
	pthread_mutex_unlock(&buffer->lock);
	number =
		access == RT_WRITE ? later(use.read, use.written) : use.written;
	if (!use.stream || use.stream == stream)
		return NULL;
	if (rt_stream_did(use.stream, number) &&
	    !(number && atomic_load(&use.stream->untold)))
		return NULL;
	return use.stream;
}

int
rt_buffer_order(smelt_stream *stream, smelt_buffer *buffer,
		enum rt_access access)
{
	smelt_stream *home = atomic_load(&buffer->home);
	bool more = true;

	if (!atomic_load(&buffer->many) && (!home || home == stream))
		return 0;
	for (uint32_t at = 0; more; at++) {
		smelt_stream *other =
			find_earlier(buffer, at, stream, access, &more);
		int result = other ? rt_stream_follow(stream, other) : 0;

		if (result)
			return result;
	}
	return 0;
}

/* Notes one of a stream that is not the home. The buffer's lock is held; false
 * if there is no memory. */
static bool
note_other(smelt_buffer *buffer, smelt_stream *stream, enum rt_access access)
{
	uint32_t at = 0;
	struct rt_use *use;

	while (at < buffer->use_count && buffer->uses[at].stream != stream)
		at++;
	if (at == buffer->use_capacity) {
		uint32_t capacity = buffer->use_capacity * 2 + 4;
		struct rt_use *uses =
			realloc(buffer->uses, capacity * sizeof(*uses));

		if (!uses)
			return false;
		buffer->uses = uses;
		buffer->use_capacity = capacity;
	}
	use = &buffer->uses[at];
	if (at == buffer->use_count) {
		buffer->use_count++;
		*use = (struct rt_use){.stream = stream};
	}
	if (access == RT_READ)
		use->read = stream->given;
	else
		use->written = stream->given;
	atomic_store(&buffer->many, true);
	return true;
}

void
rt_buffer_used(smelt_stream *stream, smelt_buffer *buffer,
	       enum rt_access access)
{
	smelt_stream *home = atomic_load(&buffer->home);
	bool noted = true;

	if (home == stream &&
	    !(access == RT_WRITE && atomic_load(&buffer->many))) {
		atomic_store_explicit(access == RT_READ ? &buffer->home_read
							: &buffer->home_written,
				      stream->given, memory_order_release);
		return;
	}
	pthread_mutex_lock(&buffer->lock);
	if (access == RT_WRITE || !atomic_load(&buffer->home)) {
		bool reads = access == RT_READ;

		atomic_store(&buffer->home_read, reads ? stream->given : 0);
		atomic_store(&buffer->home_written, reads ? 0 : stream->given);
		atomic_store(&buffer->home, stream);
		if (access == RT_WRITE)
			buffer->use_count = 0;
		atomic_store(&buffer->many, buffer->use_count != 0);
	} else {
		noted = note_other(buffer, stream, access);
	}
	pthread_mutex_unlock(&buffer->lock);
	if (!noted)
		rt_stream_drain(stream);
}

static bool
use_over(const struct rt_use *use, bool all)
{
	uint64_t number = all ? later(use->read, use->written) : use->written;

	return !use->stream || rt_stream_did(use->stream, number);
}

bool
rt_buffer_idle(smelt_buffer *buffer)
{
	struct rt_use home;
	bool idle;

	pthread_mutex_lock(&buffer->lock);
	home = (struct rt_use){atomic_load(&buffer->home),
			       atomic_load(&buffer->home_read),
			       atomic_load(&buffer->home_written)};
	idle = use_over(&home, true);
	for (uint32_t i = 0; idle && i < buffer->use_count; i++)
		idle = use_over(&buffer->uses[i], true);
	pthread_mutex_unlock(&buffer->lock);
	return idle;
}

/* ---- making and destroying ---- */

static int
check_new(const smelt_device *device, uint64_t size, smelt_buffer **buffer)
{
	if (!device || !buffer)
		return rt_error(SMELT_EINVALID, "device or buffer is NULL");
	*buffer = NULL;
	if (!size)
		return rt_error(SMELT_EINVALID, "a buffer of 0 bytes");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	return 0;
}

int
smelt_buffer_create(smelt_device *device, uint64_t size, smelt_buffer **buffer)
{
	int result = check_new(device, size, buffer);

	return result ? result : rt_pool_take(device, size, buffer);
}

int
smelt_buffer_wrap(smelt_device *device, void *memory, uint64_t size,
		  smelt_buffer **buffer)
{
	smelt_buffer *made;
	int result = check_new(device, size, buffer);

	if (result)
		return result;
	if (!memory)
		return rt_error(SMELT_EINVALID, "memory is NULL");
	if (!device->found.shares_memory)
		return rt_error(SMELT_EUNSUPPORTED,
				"%s does not see the host's memory",
				device->found.info.name);
	made = calloc(1, sizeof(*made));
	if (!made)
		return rt_error(SMELT_ENO_MEMORY, "no memory for a buffer");
	pthread_mutex_init(&made->lock, NULL);
	made->device = device;
	made->memory = memory;
	made->size = size;
	made->used = true;
	made->wrapped = true;
	*buffer = made;
	return 0;
}

int
smelt_buffer_destroy(smelt_buffer *buffer)
{
	if (!buffer)
		return 0;
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (!buffer->used)
		return rt_error(SMELT_EINVALID,
				"the buffer was destroyed before");
	if (!buffer->wrapped) {
		rt_pool_give(buffer);
		return 0;
	}
	pthread_mutex_destroy(&buffer->lock);
	free(buffer->uses);
	free(buffer);
	return 0;
}

void *
smelt_buffer_memory(const smelt_buffer *buffer)
{
	return buffer->memory;
}

/* ---- waiting ---- */

static int
wait_use(const struct rt_use *use, bool all)
{
	int result;

	if (use_over(use, all) || rt_stream_enter(use->stream))
		return 0; /* over; so it is if the stream was destroyed */
	result = rt_stream_drain(use->stream);
	pthread_mutex_unlock(&use->stream->lock);
	return result;
}

int
smelt_buffer_wait(smelt_buffer *buffer, int all)
{
	int result = 0;

	if (!buffer)
		return rt_error(SMELT_EINVALID, "buffer is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	for (uint32_t at = 0; !result; at++) {
		struct rt_use use = {atomic_load(&buffer->home),
				     atomic_load(&buffer->home_read),
				     atomic_load(&buffer->home_written)};
		bool more;

		pthread_mutex_lock(&buffer->lock);
		more = at <= buffer->use_count;
		if (at && more)
			use = buffer->uses[at - 1];
		pthread_mutex_unlock(&buffer->lock);
		if (!more)
			break;
		result = wait_use(&use, all != 0);
	}
	return result;
}

/* ---- copies ---- */

static int
check_range(const smelt_buffer *buffer, uint64_t offset, uint64_t size,
	    const char *what)
{
	if (!buffer)
		return rt_error(SMELT_EINVALID, "buffer is NULL");
	if (atomic_load_explicit(&rt_was_forked, memory_order_relaxed))
		return rt_forked();
	if (offset <= buffer->size && size <= buffer->size - offset)
		return 0;
	return rt_error(SMELT_EINVALID,
			"%s of %llu bytes at %llu, outside of a buffer of "
			"%llu",
			what, (unsigned long long)size,
			(unsigned long long)offset,
			(unsigned long long)buffer->size);
}

/* Orders and takes the lock of a stream for a use: that of the caller, else the
 * buffer's home as long as it lives, else the device's own. */
static int
begin_use(smelt_stream **stream, smelt_buffer *buffer, enum rt_access access)
{
	smelt_stream *home = atomic_load(&buffer->home);
	int result;

	if (*stream && (*stream)->device != buffer->device)
		return rt_error(SMELT_EINVALID,
				"a buffer on %s used by a stream of %s",
				buffer->device->found.info.name,
				(*stream)->device->found.info.name);
	if (!*stream && home) {
		result = rt_buffer_order(home, buffer, access);
		if (result)
			return result;
		pthread_mutex_lock(&home->lock);
		*stream = home;
		if (home->live)
			return 0;
		pthread_mutex_unlock(&home->lock);
		*stream = NULL;
	}
	if (!*stream)
		*stream = buffer->device->stream;
	result = rt_buffer_order(*stream, buffer, access);
	return result ? result : rt_stream_enter(*stream);
}

static char *
inside(const smelt_buffer *buffer, uint64_t offset)
{
	return (char *)buffer->memory + offset;
}

static int
check_copy(const smelt_buffer *buffer, uint64_t offset, const void *host,
	   uint64_t size, const char *what, bool stays)
{
	int result = check_range(buffer, offset, size, what);

	if (!result && size && !host)
		result = rt_error(SMELT_EINVALID, "host is NULL");
	if (!result && size && stays)
		result = rt_check_async(buffer->device, host, size);
	return result;
}

static int
write_buffer(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
	     const void *host, uint64_t size, bool stays)
{
	int result = check_copy(buffer, offset, host, size, "write", stays);

	if (result || !size)
		return result;
	result = begin_use(&stream, buffer, RT_WRITE);
	if (result)
		return result;
	result = rt_copy(stream, ENGINE_TO_DEVICE, inside(buffer, offset), host,
			 size, stays);
	rt_buffer_used(stream, buffer, RT_WRITE);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_buffer_write(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
		   const void *host, uint64_t size)
{
	return write_buffer(stream, buffer, offset, host, size, false);
}

int
smelt_buffer_write_async(smelt_stream *stream, smelt_buffer *buffer,
			 uint64_t offset, const void *host, uint64_t size)
{
	return write_buffer(stream, buffer, offset, host, size, true);
}

int
smelt_buffer_read_async(smelt_stream *stream, smelt_buffer *buffer,
			uint64_t offset, void *host, uint64_t size)
{
	int result = check_copy(buffer, offset, host, size, "read", true);

	if (result || !size)
		return result;
	result = begin_use(&stream, buffer, RT_READ);
	if (result)
		return result;
	result = rt_copy(stream, ENGINE_FROM_DEVICE, host,
			 inside(buffer, offset), size, true);
	rt_buffer_used(stream, buffer, RT_READ);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

int
smelt_buffer_read(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
		  void *host, uint64_t size)
{
	int result = check_copy(buffer, offset, host, size, "read", false);

	if (result || !size)
		return result;
	result = begin_use(&stream, buffer, RT_READ);
	if (result)
		return result;
	result = rt_copy(stream, ENGINE_FROM_DEVICE, host,
			 inside(buffer, offset), size, false);
	/* It is over, unless it failed midway. */
	if (result)
		rt_buffer_used(stream, buffer, RT_READ);
	else
		result = rt_stream_check(stream);
	return rt_stream_leave(stream, result);
}

int
smelt_buffer_fill(smelt_stream *stream, smelt_buffer *buffer, uint64_t offset,
		  const void *pattern, uint64_t pattern_size, uint64_t size)
{
	int result = check_range(buffer, offset, size, "fill");

	if (!result)
		result = rt_check_pattern(pattern, pattern_size, size);
	if (result || !size)
		return result;
	result = begin_use(&stream, buffer, RT_WRITE);
	if (result)
		return result;
	result = rt_fill(stream, inside(buffer, offset), pattern, pattern_size,
			 size);
	rt_buffer_used(stream, buffer, RT_WRITE);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

static int
copy_within(smelt_stream *stream, smelt_buffer *to, void *dst,
	    smelt_buffer *from, const void *src, uint64_t size)
{
	int result;

	if (!stream)
		stream = atomic_load(&to->home);
	if (!stream || !stream->live)
		stream = to->device->stream;
	result = rt_buffer_order(stream, from, RT_READ);
	if (!result)
		result = begin_use(&stream, to, RT_WRITE);
	if (result)
		return result;
	result = rt_copy(stream, ENGINE_ON_DEVICE, dst, src, size, false);
	rt_buffer_used(stream, from, RT_READ);
	rt_buffer_used(stream, to, RT_WRITE);
	pthread_mutex_unlock(&stream->lock);
	return result;
}

/* Through memory of the host, a part at a time. */
static int
copy_across(smelt_stream *stream, smelt_buffer *to, uint64_t to_offset,
	    smelt_buffer *from, uint64_t from_offset, uint64_t size)
{
	uint64_t part = size < (UINT64_C(64) << 20) ? size : UINT64_C(64) << 20;
	char *memory;
	int result = 0;

	if (from->device->found.shares_memory) {
		result = smelt_buffer_wait(from, false);
		return result ? result
			      : smelt_buffer_write(stream, to, to_offset,
						   inside(from, from_offset),
						   size);
	}
	if (to->device->found.shares_memory) {
		result = smelt_buffer_wait(to, true);
		return result ? result
			      : smelt_buffer_read(NULL, from, from_offset,
						  inside(to, to_offset), size);
	}
	memory = malloc(part);
	if (!memory)
		return rt_error(SMELT_ENO_MEMORY,
				"no memory to copy between devices");
	for (uint64_t done = 0; done < size && !result; done += part) {
		if (part > size - done)
			part = size - done;
		result = smelt_buffer_read(NULL, from, from_offset + done,
					   memory, part);
		if (!result)
			result = smelt_buffer_write(
				stream, to, to_offset + done, memory, part);
	}
	free(memory);
	return result;
}

int
smelt_buffer_copy(smelt_stream *stream, smelt_buffer *to, uint64_t to_offset,
		  smelt_buffer *from, uint64_t from_offset, uint64_t size)
{
	int result = check_range(to, to_offset, size, "copy");

	if (!result)
		result = check_range(from, from_offset, size, "copy");
	if (result || !size)
		return result;
	if (to == from && to_offset < from_offset + size &&
	    from_offset < to_offset + size)
		return rt_error(SMELT_EINVALID,
				"a copy of %llu bytes within a buffer, from "
				"%llu to %llu: they overlap",
				(unsigned long long)size,
				(unsigned long long)from_offset,
				(unsigned long long)to_offset);
	if (stream && stream->device != to->device)
		return rt_error(SMELT_EINVALID,
				"the stream is not the target's device's");
	if (to->device != from->device)
		return copy_across(stream, to, to_offset, from, from_offset,
				   size);
	return copy_within(stream, to, inside(to, to_offset), from,
			   inside(from, from_offset), size);
}
