/*
 * The linker that rustc calls while the kernels may still be compiling: waits
 * for their object, puts it on the line, and becomes the real linker.
 *
 * The object goes first. A linker that reads archives once (GNU ld) then finds
 * what the object needs of libsmelt when it comes to it.
 */
#include "driver/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each link takes one byte; end of file means that there will be no object. */
static bool
wait_ready(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

void
linker_main(int argc, char **argv)
{
	struct arena arena = {0};
	struct list line = {0}, env = {0};
	const char *link = getenv(ENV_LINK);
	char *object = NULL;
	long fd = link ? strtol(link, &object, 10) : -1;

	if (fd < 0 || !object || *object != ' ')
		die("%s is malformed", ENV_LINK);
	object++;
	/* The wrapper prints the reason. */
	if (!wait_ready((int)fd))
		exit(1);
	close((int)fd);
	list_add(&arena, &line, "cc");
	list_add(&arena, &line, object);
	for (int i = 1; i < argc; i++)
		list_add(&arena, &line, argv[i]);
	list_add(&arena, &line, "-lm");
	list_add(&arena, &env, ENV_LINK);
	exec_program(&arena, &line, &env);
}
