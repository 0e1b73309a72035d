/*
 * What kernels print.
 *
 * A stream that is given a kernel that prints gets a buffer in device memory;
 * threads leave records there (smelt/image.h), and who waits for the stream
 * makes text of them. A line that a thread prints in pieces is put together
 * first, so that no other thread's text gets into it.
 */
#include "runtime.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE (UINT64_C(1) << 20)
#define SMALLEST_SIZE (UINT64_C(4) << 10)
#define LARGEST_SIZE (UINT64_C(4) << 30)

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static smelt_print_fn sink_put;
static void *sink_data;

int
smelt_print_to(smelt_print_fn function, void *data)
{
	pthread_mutex_lock(&sink_lock);
	sink_put = function;
	sink_data = data;
	pthread_mutex_unlock(&sink_lock);
	return 0;
}

/* ---- text ---- */

/* Grows; without memory for it what comes is left out. */
struct output {
	char *data;
	size_t len;
	size_t size;
	bool failed;
};

static void
put(void *data, const char *text, size_t len)
{
	struct output *out = data;

	if (len > out->size - out->len) {
		size_t size = 2 * out->size + len + 4096;
		char *grown = realloc(out->data, size);

		if (!grown) {
			out->failed = true;
			return;
		}
		out->data = grown;
		out->size = size;
	}
	memcpy(out->data + out->len, text, len);
	out->len += len;
}

static void
write_out(const struct output *out)
{
	smelt_print_fn function;
	void *data;

	if (!out->len)
		return;
	pthread_mutex_lock(&sink_lock);
	function = sink_put;
	data = sink_data;
	pthread_mutex_unlock(&sink_lock);
	if (function) {
		function(data, out->data, out->len);
		return;
	}
	fwrite(out->data, 1, out->len, stdout);
	fflush(stdout);
}

/* ---- records ---- */

enum { header_words = sizeof(struct smelt_print_record) / 8 };

struct piece {
	const struct smelt_print_record *record;
	const char *message; /* NULL: of an unknown launch */
	bool is_template;
	bool ends_line;
	bool open;     /* the first of a line without an end */
	uint32_t next; /* of the same line, counted from 1 */
};

/* A thread's line that has no end yet. */
struct line {
	uint32_t first, last; /* counted from 1; 0: none */
	const struct smelt_print_record *thread;
};

struct pieces {
	struct piece *all;
	uint32_t count;
	struct line *lines; /* by hash of the thread */
	uint32_t mask;
};

static void
find_message(const smelt_stream *stream, struct piece *piece)
{
	const struct smelt_print_record *record = piece->record;
	const struct rt_kernel *kernel =
		rt_launched(stream, record->launch)->kernel;
	const struct image_table *table;
	const struct smelt_table_site *site;
	size_t len;

	if (!kernel)
		return;
	table = &kernel->image->table;
	if (record->site >= table->header->site_count)
		return;
	site = &table->sites[record->site];
	piece->message = image_table_string(table, site->message);
	piece->is_template = site->kind == SMELT_PANIC_TEXT;
	len = strlen(piece->message);
	piece->ends_line = len && piece->message[len - 1] == '\n';
}

/* Whether a whole record begins here. */
static bool
is_record(const struct smelt_print_record *record, uint64_t left)
{
	return left >= header_words && record->words >= header_words &&
	       record->words <= header_words + SMELT_WORDS &&
	       record->words <= left;
}

static int
find_pieces(const smelt_stream *stream, const uint64_t *words, uint64_t count,
	    struct pieces *pieces)
{
	uint32_t most = (uint32_t)(count / header_words), slots = 16;

	while (slots < 2 * most)
		slots *= 2;
	pieces->all = calloc(most + 1, sizeof(*pieces->all));
	pieces->lines = calloc(slots, sizeof(*pieces->lines));
	pieces->mask = slots - 1;
	if (!pieces->all || !pieces->lines)
		return rt_error(SMELT_ENO_MEMORY,
				"no memory for what kernels printed");
	while (count) {
		struct piece *piece = &pieces->all[pieces->count];

		piece->record = (const void *)words;
		if (!is_record(piece->record, count))
			break;
		find_message(stream, piece);
		words += piece->record->words;
		count -= piece->record->words;
		pieces->count++;
	}
	return 0;
}

/* ---- lines ---- */

static bool
same_thread(const struct smelt_print_record *a,
	    const struct smelt_print_record *b)
{
	return a->launch == b->launch &&
	       !memcmp(a->block, b->block, sizeof(a->block)) &&
	       !memcmp(a->thread, b->thread, sizeof(a->thread));
}

static struct line *
find_line(struct pieces *pieces, const struct smelt_print_record *thread)
{
	uint64_t hash = thread->launch;
	uint32_t slot;

	for (int i = 0; i < 3; i++)
		hash = (hash ^ thread->block[i] ^
			(uint64_t)thread->thread[i] << 32) *
		       UINT64_C(0x9e3779b97f4a7c15);
	slot = (uint32_t)(hash >> 32) & pieces->mask;
	while (pieces->lines[slot].thread &&
	       !same_thread(pieces->lines[slot].thread, thread))
		slot = (slot + 1) & pieces->mask;
	pieces->lines[slot].thread = thread;
	return &pieces->lines[slot];
}

static void
format_piece(const struct piece *piece, const struct text_sink *sink)
{
	static const char unknown[] = "(printed by a launch long ago)\n";

	if (!piece->message)
		put(sink->data, unknown, strlen(unknown));
	else if (piece->is_template)
		text_format(sink, piece->message,
			    (const uint64_t *)(piece->record + 1),
			    piece->record->words - header_words);
	else
		put(sink->data, piece->message, strlen(piece->message));
}

static void
format_line(const struct pieces *pieces, uint32_t first,
	    const struct text_sink *sink)
{
	for (; first; first = pieces->all[first - 1].next)
		format_piece(&pieces->all[first - 1], sink);
}

/* Lines in the order in which they ended. */
static void
format_ended(struct pieces *pieces, const struct text_sink *sink)
{
	for (uint32_t i = 1; i <= pieces->count; i++) {
		struct piece *piece = &pieces->all[i - 1];
		struct line *line = find_line(pieces, piece->record);

		if (line->first)
			pieces->all[line->last - 1].next = i;
		else
			line->first = i;
		line->last = i;
		pieces->all[line->first - 1].open = !piece->ends_line;
		if (piece->ends_line) {
			format_line(pieces, line->first, sink);
			line->first = 0;
		}
	}
}

/* Those without an end, each in a line of its own; the last one's is left to
 * whoever prints next. */
static void
format_open(const struct pieces *pieces, const struct text_sink *sink)
{
	bool any = false;

	for (uint32_t i = 1; i <= pieces->count; i++) {
		if (!pieces->all[i - 1].open)
			continue;
		if (any)
			put(sink->data, "\n", 1);
		format_line(pieces, i, sink);
		any = true;
	}
}

static int
tell(const smelt_stream *stream, const uint64_t *words, uint64_t count)
{
	struct pieces pieces = {0};
	struct output out = {0};
	const struct text_sink sink = {put, &out};
	int result = find_pieces(stream, words, count, &pieces);

	if (!result) {
		format_ended(&pieces, &sink);
		format_open(&pieces, &sink);
		write_out(&out);
		if (out.failed)
			result = rt_error(SMELT_ENO_MEMORY,
					  "no memory for what kernels printed");
	}
	free(pieces.all);
	free(pieces.lines);
	free(out.data);
	return result;
}

/* ---- the buffer ---- */

int
smelt_device_print_buffer(smelt_device *device, uint64_t bytes)
{
	if (!device)
		return rt_error(SMELT_EINVALID, "no device");
	atomic_store(&device->print_bytes, bytes);
	return 0;
}

/* What was asked for (0: nothing), or else the environment or the default. */
static uint64_t
buffer_size(uint64_t size)
{
	const char *text = getenv("SMELT_PRINT_BUFFER");

	if (!size && text)
		size = strtoull(text, NULL, 10);
	if (!size)
		size = DEFAULT_SIZE;
	if (size < SMALLEST_SIZE)
		size = SMALLEST_SIZE;
	return size > LARGEST_SIZE ? LARGEST_SIZE : size & ~UINT64_C(7);
}

/* A copy that is waited for. */
static int
move(smelt_stream *stream, enum engine_copy direction, void *dst,
     const void *src, uint64_t size)
{
	smelt_device *device = stream->device;
	int result = device->engine->copy(device->found.device, stream->queue,
					  direction, dst, src, size);

	return result ? result : rt_stream_drain(stream);
}

static int
make_buffer(smelt_stream *stream)
{
	uint64_t asked = atomic_load(&stream->device->print_bytes), address;
	uint64_t size = buffer_size(asked);
	struct smelt_print_buffer header = {
		.capacity = (size - sizeof(header)) / 8};
	void *memory;
	int result = rt_pool_alloc(stream->device, size, &memory);

	if (result)
		return result;
	stream->prints = memory;
	stream->print_bytes = asked;
	address = (uint64_t)(uintptr_t)memory;
	result =
		move(stream, ENGINE_TO_DEVICE, memory, &header, sizeof(header));
	if (!result)
		result = move(stream, ENGINE_TO_DEVICE, &stream->state->print,
			      &address, sizeof(address));
	if (result)
		rt_print_forget(stream);
	return result;
}

void
rt_print_forget(smelt_stream *stream)
{
	if (stream->prints)
		rt_pool_free(stream->device, stream, stream->prints);
	stream->prints = NULL;
	stream->first_print = 0;
}

static int
tell_now(smelt_stream *stream)
{
	int result = rt_stream_drain(stream);

	return result ? result : rt_print_flush(stream);
}

int
rt_print_begin(smelt_stream *stream, const struct rt_kernel *kernel)
{
	bool prints = kernel->entry->flags & SMELT_KERNEL_PRINT, other;
	int result = 0;

	other = prints && stream->prints &&
		stream->print_bytes !=
			atomic_load(&stream->device->print_bytes);
	if (stream->first_print &&
	    (other || stream->launches + 1 - stream->first_print >= RT_RING))
		result = tell_now(stream);
	if (result || !prints)
		return result;
	if (other)
		rt_print_forget(stream);
	if (!stream->prints)
		result = make_buffer(stream);
	if (!result && !stream->first_print)
		stream->first_print = stream->launches + 1;
	return result;
}

static int
read_words(smelt_stream *stream, const struct smelt_print_buffer *header)
{
	uint64_t count = header->used < header->capacity ? header->used
							 : header->capacity;
	struct smelt_print_buffer *from = stream->prints;
	uint64_t *words = malloc(count * 8 + 8);
	int result;

	if (!words)
		return rt_error(SMELT_ENO_MEMORY,
				"no memory for what kernels printed");
	result = move(stream, ENGINE_FROM_DEVICE, words, from + 1, count * 8);
	if (!result)
		result = tell(stream, words, count);
	free(words);
	return result;
}

int
rt_print_flush(smelt_stream *stream)
{
	struct smelt_print_buffer header, empty = {0};
	int result = move(stream, ENGINE_FROM_DEVICE, &header, stream->prints,
			  sizeof(header));

	if (result)
		return result;
	if (header.used)
		result = read_words(stream, &header);
	stream->first_print = 0;
	if (header.dropped)
		fprintf(stderr,
			"smelt: %llu lines that kernels printed were dropped: "
			"there was no room in %llu bytes "
			"(SMELT_PRINT_BUFFER, Device::set_print_buffer)\n",
			(unsigned long long)header.dropped,
			(unsigned long long)(header.capacity * 8 +
					     sizeof(header)));
	empty.capacity = header.capacity;
	if (!result && header.used)
		result = move(stream, ENGINE_TO_DEVICE, stream->prints, &empty,
			      sizeof(empty));
	return result;
}

/* ---- on the CPU ---- */

void
smelt_cpu_print(struct smelt_cpu_frame *frame, uint32_t site, uint32_t count,
		uint32_t x, uint32_t y, uint32_t z)
{
	struct smelt_device_state *state =
		(void *)(uintptr_t)frame->block->state;
	struct smelt_print_buffer *buffer =
		state ? (void *)(uintptr_t)state->print : NULL;
	struct smelt_print_record record = {
		.words = count + header_words,
		.site = site,
		.launch = frame->block->launch,
		.thread = {x % frame->block_dim[0], y, z},
	};
	uint64_t *words, mine;

	if (!buffer)
		return;
	memcpy(record.block, frame->block_idx, sizeof(record.block));
	/* x counts on through blocks that were joined. */
	record.block[0] += x / frame->block_dim[0];
	words = (uint64_t *)(buffer + 1);
	mine = __atomic_fetch_add(&buffer->used, record.words,
				  __ATOMIC_RELAXED);
	if (mine + record.words <= buffer->capacity) {
		memcpy(words + mine, &record, sizeof(record));
		memcpy(words + mine + header_words, frame->words, count * 8);
		return;
	}
	__atomic_fetch_add(&buffer->dropped, 1, __ATOMIC_RELAXED);
	if (mine < buffer->capacity)
		words[mine] = 0;
}
