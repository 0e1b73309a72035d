/*
 * The trace of SMELT_TRACE: Chrome's format, which Perfetto reads. A device is
 * a process there and a stream one of its threads.
 *
 * It is an array of events rather than an object with one, since readers take
 * an array without its end: that of a program that was killed.
 */
#include "runtime.h"

#include <stdio.h>

static struct {
	FILE *file;
	uint64_t began;
	bool any;
	bool named[RT_MAX_DEVICES];
} trace;

/* Text within quotes. */
static void
put_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', trace.file);
		if ((unsigned char)*text >= ' ')
			putc(*text, trace.file);
	}
}

static void
next(void)
{
	fputs(trace.any ? ",\n" : "\n", trace.file);
	trace.any = true;
}

static void
put_names(smelt_stream *stream)
{
	const smelt_device *device = stream->device;

	if (!trace.named[device->index]) {
		next();
		fprintf(trace.file,
			"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,"
			"\"args\":{\"name\":\"device %u: ",
			device->index, device->index);
		put_text(device->found.info.name);
		fputs("\"}}", trace.file);
		trace.named[device->index] = true;
	}
	if (stream->in_trace)
		return;
	next();
	fprintf(trace.file,
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
		"\"args\":{\"name\":\"%s%u\"}}",
		device->index, stream->index,
		stream == device->stream ? "the device's own stream, "
					 : "stream ",
		stream->index);
	stream->in_trace = true;
}

bool
rt_trace_open(const char *path)
{
	trace.file = fopen(path, "w");
	if (!trace.file) {
		rt_info("SMELT_TRACE=%s cannot be written", path);
		return false;
	}
	trace.began = rt_now();
	fputs("[", trace.file);
	fflush(trace.file);
	return true;
}

void
rt_trace_put(const struct rt_span *span, uint64_t end)
{
	smelt_stream *stream = span->stream;
	char place[256];

	put_names(stream);
	next();
	fputs("{\"ph\":\"X\",\"name\":\"", trace.file);
	put_text(span->name ? span->name : rt_kind_name(span->kind));
	fprintf(trace.file,
		"\",\"cat\":\"%s\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,"
		"\"dur\":%.3f,\"args\":{\"bytes\":%llu,\"needless\":%llu,"
		"\"at\":\"",
		rt_kind_name(span->kind), stream->device->index, stream->index,
		(double)(span->begun - trace.began) * 1e-3,
		(double)(end - span->begun) * 1e-3,
		(unsigned long long)span->bytes,
		(unsigned long long)span->needless);
	rt_place_text(&span->place, place, sizeof(place));
	put_text(place);
	fputs("\"}}", trace.file);
	/* What stays in the buffer a forked process would write once more. */
	fflush(trace.file);
}

void
rt_trace_close(void)
{
	fputs("\n]\n", trace.file);
	fclose(trace.file);
	trace.file = NULL;
}
