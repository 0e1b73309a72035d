/* What the tools say to their user. See base.h. */
#include "base.h"

#include <stdio.h>
#include <stdlib.h>

const char *program_name = "smelt";

static void
say(const char *what, const char *format, va_list args)
{
	fflush(stdout);
	fprintf(stderr, "%s: ", what);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void
die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", format, args);
	va_end(args);
	exit(1);
}

void
warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("warning", format, args);
	va_end(args);
}
