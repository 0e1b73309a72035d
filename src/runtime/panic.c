/*
 * Panics: from the record that a kernel left in device memory to words.
 *
 * The record names the launch by its number and the place by its index in the
 * site table of the launch's image, so that a kernel has to write a few words
 * only.
 */
#include "runtime.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const struct rt_launched *
rt_launched(const smelt_stream *stream, uint64_t number)
{
	static const struct rt_launched unknown;

	if (!number || number > stream->launches ||
	    stream->launches - number >= RT_RING)
		return &unknown;
	return &stream->ring[number % RT_RING];
}

/* Puts the arguments where the message has {}, in turn; false if it has none.
 */
static bool
fill_in(char *out, size_t size, const char *message, const uint64_t args[2])
{
	const char *hole = strstr(message, "{}");
	size_t len = 0;

	if (!hole)
		return false;
	for (int i = 0; hole && len < size; i++) {
		len += (size_t)snprintf(out + len, size - len, "%.*s%llu",
					(int)(hole - message), message,
					(unsigned long long)args[i > 0]);
		message = hole + 2;
		hole = strstr(message, "{}");
	}
	if (len < size)
		snprintf(out + len, size - len, "%s", message);
	return true;
}

static void
describe(struct smelt_panic *panic, const struct smelt_table_site *site,
	 const char *message, const struct smelt_device_state *state)
{
	const uint64_t *args = state->args;
	char *out = panic->message;
	size_t size = sizeof(panic->message);

	struct text_buffer text = {.data = out, .size = size};
	const struct text_sink sink = {text_put_buffer, &text};

	switch (site->kind) {
	case SMELT_PANIC_BOUNDS:
		snprintf(out, size,
			 "index out of bounds: the len is %llu but the index "
			 "is %llu",
			 (unsigned long long)args[1],
			 (unsigned long long)args[0]);
		break;
	case SMELT_PANIC_RANGE:
		if (!fill_in(out, size, message, args))
			snprintf(out, size, "%s (%llu, %llu)", message,
				 (unsigned long long)args[0],
				 (unsigned long long)args[1]);
		break;
	case SMELT_PANIC_TEXT:
		text_format(&sink, message, state->words, SMELT_WORDS);
		break;
	default:
		snprintf(out, size, "%s", *message ? message : "panicked");
	}
}

int
rt_panic_report(smelt_stream *stream, const struct smelt_device_state *state)
{
	const struct rt_launched *launched = rt_launched(stream, state->launch);
	struct smelt_panic *panic = &stream->panic;
	const struct image_table *table;

	memset(panic, 0, sizeof(*panic));
	panic->size = sizeof(*panic);
	panic->threads = state->panicked ? state->panicked : 1;
	memcpy(panic->block, state->block, sizeof(panic->block));
	memcpy(panic->thread, state->thread, sizeof(panic->thread));
	snprintf(panic->kernel, sizeof(panic->kernel), "%s",
		 launched->kernel ? launched->kernel->name : "(unknown)");
	snprintf(panic->message, sizeof(panic->message), "panicked");
	stream->has_panic = true;
	if (launched->kernel) {
		table = &launched->kernel->image->table;
		if (state->site < table->header->site_count) {
			const struct smelt_table_site *site =
				&table->sites[state->site];

			snprintf(panic->file, sizeof(panic->file), "%s",
				 image_table_string(table, site->file));
			panic->line = site->line;
			panic->column = site->column;
			describe(panic, site,
				 image_table_string(table, site->message),
				 state);
		}
	}
	return rt_panic_text(stream, &launched->place);
}

int
rt_fault_report(smelt_stream *stream)
{
	const struct rt_launched *launched =
		rt_launched(stream, stream->fault_launch);

	stream->panic = stream->fault;
	stream->has_panic = true;
	stream->fault.fault = SMELT_FAULT_NONE;
	return rt_panic_text(stream, &launched->place);
}

static _Thread_local struct smelt_panic last_panic;

void
rt_panic_give(struct smelt_panic *to, const struct smelt_panic *panic)
{
	uint32_t size = to->size < sizeof(*to) ? to->size : sizeof(*to);

	memcpy(to, panic, size);
	/* One that ends within a text, as that of an older caller. */
	if (size > offsetof(struct smelt_panic, kernel) &&
	    size < offsetof(struct smelt_panic, fault))
		((char *)to)[size - 1] = 0;
	to->size = size;
}

int
smelt_last_panic(struct smelt_panic *panic)
{
	if (!panic || panic->size < sizeof(uint32_t))
		return rt_error(SMELT_EINVALID,
				"panic is NULL, or panic->size is not set");
	if (!last_panic.size)
		return rt_error(SMELT_EINVALID,
				"this thread was told of no panic");
	rt_panic_give(panic, &last_panic);
	return 0;
}

int
rt_panic_text(const smelt_stream *stream, const struct rt_place *launched)
{
	const struct smelt_panic *panic = &stream->panic;
	char place[320] = "";
	char from[320] = "", line[256] = "";

	last_panic = *panic;
	if (*panic->file)
		snprintf(place, sizeof(place), " at %s:%u:%u", panic->file,
			 panic->line, panic->column);
	if (launched)
		rt_place_text(launched, line, sizeof(line));
	if (*line)
		snprintf(from, sizeof(from), ", launched at %s", line);
	if (panic->fault)
		return rt_error(SMELT_ECHECK,
				"kernel %s%s: %s (block %u,%u,%u, thread "
				"%u,%u,%u%s)",
				panic->kernel, place, panic->message,
				panic->block[0], panic->block[1],
				panic->block[2], panic->thread[0],
				panic->thread[1], panic->thread[2], from);
	return rt_error(SMELT_EPANIC,
			"kernel %s panicked%s: %s (block %u,%u,%u, thread "
			"%u,%u,%u; %u thread%s panicked%s)",
			panic->kernel, place, panic->message, panic->block[0],
			panic->block[1], panic->block[2], panic->thread[0],
			panic->thread[1], panic->thread[2], panic->threads,
			panic->threads == 1 ? "" : "s", from);
}
