/*
 * `cargo smelt inspect --ir`: the optimised IR of each target. A program does
 * not hold it; it is read from where a build with SMELT_KEEP=DIR left it, in
 * DIR/CRATE/CRATE.TARGET.NN-STAGE.ll.
 */
#define _GNU_SOURCE
#include "driver/driver.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cargo's name of the crate a program was made from: app-0123456789abcdef and
 * my-app become app and my_app. */
static char *
crate_of(struct arena *arena, const char *program)
{
	const char *name = path_name(program);
	const char *dash = strrchr(name, '-');
	size_t len = strlen(name);
	char *crate;

	if (dash && strlen(dash + 1) == 16 &&
	    strspn(dash + 1, "0123456789abcdef") == 16)
		len = (size_t)(dash - name);
	crate = arena_dup(arena, name, len);
	for (char *p = crate; *p; p++)
		if (*p == '-')
			*p = '_';
	return crate;
}

/* The definition of one function, from its "define" to the closing brace. */
static void
print_function(struct arena *arena, const char *text, const char *symbol)
{
	char *mark = arena_printf(arena, "@%s(", symbol);

	for (const char *at = text; (at = strstr(at, "\ndefine ")); at++) {
		size_t line = strcspn(at + 1, "\n");
		const char *name = strstr(at, mark);
		const char *end = strstr(at, "\n}");

		if (!name || name > at + 1 + line || !end)
			continue;
		printf("%.*s\n", (int)(end + 2 - (at + 1)), at + 1);
		return;
	}
}

void
ir_print(struct arena *arena, const char *program, const char *target,
	 const struct list *symbols)
{
	const char *keep = getenv("SMELT_KEEP");
	const char *crate = crate_of(arena, program);
	char *pattern, *text;
	glob_t files;
	size_t size;

	if (!keep || !*keep)
		die("a program does not hold its IR\n  = help: build with "
		    "SMELT_KEEP=DIR and ask again with it: DIR/%s then has the "
		    "IR after each stage",
		    crate);
	pattern = arena_printf(arena, "%s/%s/%s.%s.*-optimise.ll", keep, crate,
			       crate, target ? target : "*");
	if (glob(pattern, 0, NULL, &files))
		die("SMELT_KEEP has no such files: %s\n  = help: build with it "
		    "first",
		    pattern);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *path = files.gl_pathv[i];

		if (!file_read(arena, path, &text, &size))
			die("cannot read %s", path);
		printf("==> %s\n", path);
		if (!symbols->len)
			fputs(text, stdout);
		for (size_t k = 0; k < symbols->len; k++)
			print_function(arena, text, symbols->data[k]);
	}
	globfree(&files);
}
