/*
 * Errors: a code, and a text for the thread that got it.
 *
 * The text lies in a buffer of the thread, so that leaving one cannot fail.
 */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char last_text[2048];

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
