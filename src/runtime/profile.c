/*
 * Profile and trace: what the program gave to its devices, from which lines of
 * source, and how long it took.
 *
 * A driver's own timers know neither our kernels' names nor our sources, and
 * LLVM Offload offers none. So while a profile or a trace is taken each piece
 * of work runs by itself: the stream is waited for before and after it.
 *
 * A copy was needless if the other side held the same bytes already. That is
 * found by hashing the host's side, before and after: what was copied in is
 * compared with what was last known to be on both sides, what was copied out
 * with what it replaced.
 */
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

atomic_bool rt_profiling;

/* Host memory whose bytes a device was known to have. */
struct known {
	const void *host;
	uint64_t size;
	uint32_t device;
	uint64_t hash;
};

#define KNOWN 4096

static struct {
	pthread_mutex_t lock;
	struct rt_entry *entries;
	uint32_t count;
	uint32_t capacity;
	bool wanted; /* entries are kept */
	bool print;  /* a table at the end */
	struct known *known;
	bool trace;
} profile = {.lock = PTHREAD_MUTEX_INITIALIZER};

const char *
rt_kind_name(enum smelt_profile_kind kind)
{
	static const char *const names[] = {
		"",	     "kernel", "copy to device", "copy from device",
		"on device", "wait"};

	return names[kind];
}

/* ---- hashes ---- */

/* Fast, and good enough to tell memory that changed from memory that did not.
 */
static uint64_t
hash_memory(const void *memory, uint64_t size)
{
	const char *at = memory;
	uint64_t hash[4] = {0, 1, 2, 3}, word[4] = {0}, all = size;

	for (; size >= 32; size -= 32, at += 32) {
		memcpy(word, at, 32);
		for (int i = 0; i < 4; i++) {
			hash[i] = (hash[i] ^ word[i]) * 0x9e3779b97f4a7c15;
			hash[i] ^= hash[i] >> 29;
		}
	}
	memset(word, 0, sizeof(word));
	memcpy(word, at, size);
	for (int i = 0; i < 4; i++) {
		all = (all ^ hash[i]) * 0xbf58476d1ce4e5b9;
		all = ((all ^ all >> 31) + word[i]) * 0x94d049bb133111eb;
		all ^= all >> 29;
	}
	return all;
}

/* The lock is held; NULL if there is no memory for the table. */
static struct known *
find_known(const void *host, uint64_t size, uint32_t device)
{
	uint64_t key =
		(uint64_t)(uintptr_t)host * 0x9e3779b97f4a7c15 + size + device;

	if (!profile.known)
		profile.known = calloc(KNOWN, sizeof(*profile.known));
	return profile.known ? &profile.known[(key ^ key >> 32) % KNOWN] : NULL;
}

/* Notes that both sides hold these bytes; whether they did before. */
static bool
note_known(const struct rt_span *span, uint64_t hash)
{
	uint32_t device = span->stream->device->index;
	struct known *known;
	bool same = false;

	pthread_mutex_lock(&profile.lock);
	known = find_known(span->host, span->bytes, device);
	if (known) {
		same = known->host == span->host &&
		       known->size == span->bytes && known->device == device &&
		       known->hash == hash;
		*known = (struct known){span->host, span->bytes, device, hash};
	}
	pthread_mutex_unlock(&profile.lock);
	return same;
}

/* ---- spans ---- */

/* A launch that is about to be given has its number already, so that this must
 * not count as a wait for it. */
static void
settle(smelt_stream *stream)
{
	if (!stream->device->found.synchronous)
		stream->device->engine->queue_wait(stream->device->found.device,
						   stream->queue);
}

void
rt_span_begin(struct rt_span *span, enum smelt_profile_kind kind,
	      smelt_stream *stream)
{
	*span = (struct rt_span){
		.kind = kind, .stream = stream, .place = rt_here};
	if (kind != SMELT_PROFILE_WAIT)
		settle(stream);
	span->begun = rt_now();
}

void
rt_span_begin_copy(struct rt_span *span, enum engine_copy direction,
		   smelt_stream *stream, const void *dst, const void *src,
		   uint64_t size)
{
	static const enum smelt_profile_kind kinds[] = {
		SMELT_PROFILE_TO, SMELT_PROFILE_FROM, SMELT_PROFILE_ON};

	rt_span_begin(span, kinds[direction], stream);
	span->bytes = size;
	span->host = direction == ENGINE_TO_DEVICE     ? src
		     : direction == ENGINE_FROM_DEVICE ? dst
						       : NULL;
	if (!span->host)
		return;
	span->hash = hash_memory(span->host, size);
	span->begun = rt_now();
}

static void
find_needless(struct rt_span *span)
{
	uint64_t hash = span->hash;
	bool same;

	if (!span->host)
		return;
	if (span->kind == SMELT_PROFILE_FROM)
		hash = hash_memory(span->host, span->bytes);
	same = note_known(span, hash);
	if (span->kind == SMELT_PROFILE_FROM ? hash == span->hash : same)
		span->needless = span->bytes;
}

static struct rt_entry *
find_entry(const struct rt_span *span)
{
	uint32_t device = span->stream->device->index;

	for (uint32_t i = 0; i < profile.count; i++) {
		struct rt_entry *entry = &profile.entries[i];

		if (entry->kind == span->kind && entry->name == span->name &&
		    entry->place.file == span->place.file &&
		    entry->place.line == span->place.line &&
		    entry->device == device)
			return entry;
	}
	if (profile.count == profile.capacity) {
		uint32_t capacity = profile.capacity * 2 + 64;
		struct rt_entry *entries =
			realloc(profile.entries, capacity * sizeof(*entries));

		if (!entries)
			return NULL;
		profile.entries = entries;
		profile.capacity = capacity;
	}
	profile.entries[profile.count] = (struct rt_entry){
		.kind = span->kind,
		.name = span->name,
		.place = span->place,
		.device = device,
	};
	return &profile.entries[profile.count++];
}

int
rt_span_end(struct rt_span *span, int result)
{
	struct rt_entry *entry;
	uint64_t end;

	if (span->kind != SMELT_PROFILE_WAIT && !result)
		result = rt_stream_drain(span->stream);
	end = rt_now();
	find_needless(span);
	pthread_mutex_lock(&profile.lock);
	if (profile.trace)
		rt_trace_put(span, end);
	entry = profile.wanted ? find_entry(span) : NULL;
	if (entry) {
		entry->count++;
		entry->time += end - span->begun;
		entry->bytes += span->bytes;
		entry->needless += span->needless;
	}
	pthread_mutex_unlock(&profile.lock);
	return result;
}

/* ---- from the environment ---- */

void
rt_profile_start(void)
{
	const char *table = getenv("SMELT_PROFILE");
	const char *trace = getenv("SMELT_TRACE");

	pthread_mutex_lock(&profile.lock);
	if (table && *table && strcmp(table, "0") != 0)
		profile.wanted = profile.print = true;
	if (trace && *trace)
		profile.trace = rt_trace_open(trace);
	if (profile.wanted || profile.trace)
		atomic_store(&rt_profiling, true);
	pthread_mutex_unlock(&profile.lock);
}

void
rt_profile_finish(void)
{
	pthread_mutex_lock(&profile.lock);
	atomic_store(&rt_profiling, false);
	if (profile.print)
		rt_report_print(profile.entries, profile.count);
	profile.print = false;
	if (profile.trace)
		rt_trace_close();
	profile.trace = false;
	pthread_mutex_unlock(&profile.lock);
}

/* ---- as values ---- */

int
smelt_profile_start(void)
{
	int result = rt_enter();

	if (result)
		return result;
	pthread_mutex_lock(&profile.lock);
	profile.count = 0;
	profile.wanted = true;
	if (profile.known)
		memset(profile.known, 0, KNOWN * sizeof(*profile.known));
	atomic_store(&rt_profiling, true);
	pthread_mutex_unlock(&profile.lock);
	return 0;
}

int
smelt_profile_stop(void)
{
	pthread_mutex_lock(&profile.lock);
	profile.wanted = profile.print;
	if (!profile.wanted && !profile.trace)
		atomic_store(&rt_profiling, false);
	pthread_mutex_unlock(&profile.lock);
	return 0;
}

int
smelt_profile_count(uint32_t *count)
{
	if (!count)
		return rt_error(SMELT_EINVALID, "count is NULL");
	pthread_mutex_lock(&profile.lock);
	*count = profile.count;
	pthread_mutex_unlock(&profile.lock);
	return 0;
}

static void
fill_out(const struct rt_entry *entry, struct smelt_profile_entry *out)
{
	out->kind = entry->kind;
	out->line = entry->place.line;
	out->device = entry->device;
	out->count = entry->count;
	out->nanoseconds = entry->time;
	out->bytes = entry->bytes;
	out->needless_bytes = entry->needless;
	snprintf(out->name, sizeof(out->name), "%s",
		 entry->name ? entry->name : "");
	if (entry->place.file)
		snprintf(out->file, sizeof(out->file), "%.*s",
			 (int)entry->place.file_size, entry->place.file);
}

int
smelt_profile_get(uint32_t index, struct smelt_profile_entry *entry)
{
	struct smelt_profile_entry all = {.size = sizeof(all)};
	bool there;

	if (!entry || entry->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"entry is NULL, or entry->size is not set");
	pthread_mutex_lock(&profile.lock);
	there = index < profile.count;
	if (there)
		fill_out(&profile.entries[index], &all);
	pthread_mutex_unlock(&profile.lock);
	if (!there)
		return rt_error(SMELT_EINVALID, "the profile has no entry %u",
				index);
	if (entry->size < all.size)
		all.size = entry->size;
	memcpy(entry, &all, all.size);
	return 0;
}
