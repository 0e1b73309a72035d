/*
 * Errors: a code, and a text for the thread that got it.
 *
 * The text lies in a buffer of the thread, so that leaving one cannot fail.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char last_text[2048];

_Thread_local struct rt_place rt_here;

void
smelt_at(const char *file, uint64_t file_size, uint32_t line)
{
	rt_here.file = file;
	rt_here.file_size =
		file_size > UINT32_MAX ? UINT32_MAX : (uint32_t)file_size;
	rt_here.line = line;
}

void
rt_place_text(const struct rt_place *place, char *text, size_t size)
{
	uint32_t skip = 0, room = (uint32_t)size > 16 ? (uint32_t)size - 16 : 0;

	text[0] = 0;
	if (!place->file || !place->file_size)
		return;
	if (place->file_size > room)
		skip = place->file_size - room;
	/* Not in the midst of a character. */
	while (skip < place->file_size && (place->file[skip] & 0xc0) == 0x80)
		skip++;
	snprintf(text, size, "%.*s:%u", (int)(place->file_size - skip),
		 place->file + skip, place->line);
}

const char *
smelt_last_error(void)
{
	return last_text;
}

const char *
smelt_error_text(int code)
{
	switch (code) {
	case SMELT_OK:
		return "success";
#define XX(name, value, text)                                                  \
	case SMELT_E##name:                                                    \
		return text;
		SMELT_ERROR_MAP(XX)
#undef XX
	default:
		return "unknown error";
	}
}

int
rt_error(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_text, sizeof(last_text), format, args);
	va_end(args);
	return code;
}

int
rt_error_prefix(int code, const char *format, ...)
{
	char prefix[512];
	size_t len, text;
	va_list args;

	va_start(args, format);
	vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	len = strlen(prefix);
	text = strlen(last_text);
	if (text > sizeof(last_text) - 1 - len)
		text = sizeof(last_text) - 1 - len;
	memmove(last_text + len, last_text, text);
	memcpy(last_text, prefix, len);
	last_text[len + text] = 0;
	return code;
}
