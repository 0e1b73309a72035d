/*
 * Progress lines of the wrapper.
 *
 * They go straight to the user's terminal, through a descriptor that
 * `cargo smelt` opened: what a compiler says on stderr is kept by cargo and
 * said again each time the artefact is found fresh.
 */
#include "driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
status_line(const char *verb, const char *format, ...)
{
	const char *fd_text = getenv(ENV_STATUS);
	const char *color = getenv(ENV_COLOR);
	bool colored = color && !strcmp(color, "1");
	char text[1024], line[1200];
	va_list args;
	int fd, n;

	if (!fd_text)
		return;
	fd = atoi(fd_text);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* On a terminal cargo's progress bar stands on this line. */
	n = snprintf(line, sizeof(line), "%s%s%12s%s %s\n",
		     isatty(fd) ? "\r\033[K" : "",
		     colored ? "\033[1m\033[92m" : "", verb,
		     colored ? "\033[0m" : "", text);
	if (fd > 2 && write(fd, line, (size_t)n) < 0)
		return; /* progress is no reason to fail */
}
