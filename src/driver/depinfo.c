/*
 * Makes cargo look at more than rustc knows of before it calls an artefact
 * fresh: the device compiler, its target list, the floating-point mode.
 *
 * Cargo (src/cargo/core/compiler/fingerprint/dep_info.rs) reads the files of
 * the first rule of rustc's .d file only, and `# env-dep:NAME=VALUE` lines; a
 * name without `=` says that the variable was not set.
 */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

static void
put_path(struct arena *arena, struct buf *out, const char *path)
{
	for (; *path; path++) {
		if (*path == ' ')
			buf_puts(arena, out, "\\");
		buf_add(arena, out, path, 1);
	}
}

static void
put_value(struct arena *arena, struct buf *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\')
			buf_puts(arena, out, "\\\\");
		else if (*value == '\n')
			buf_puts(arena, out, "\\n");
		else if (*value == '\r')
			buf_puts(arena, out, "\\r");
		else
			buf_add(arena, out, value, 1);
	}
}

/* End of the first rule's line; NULL if there is no rule. */
static const char *
first_rule_end(const char *text)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n");
		const char *colon = strstr(text, ": ");

		if (*text != '#' && colon && colon < end)
			return end;
		text = end + (*end == '\n');
	}
	return NULL;
}

bool
depinfo_add(struct arena *arena, const char *path, const struct list *files,
	    const struct list *variables)
{
	struct buf out = {0};
	const char *end;
	char *text;
	size_t size;

	if (!file_read(arena, path, &text, &size))
		return false;
	end = first_rule_end(text);
	if (end) {
		buf_add(arena, &out, text, (size_t)(end - text));
		for (size_t i = 0; i < files->len; i++) {
			buf_puts(arena, &out, " ");
			put_path(arena, &out, files->data[i]);
		}
	}
	buf_puts(arena, &out, end ? end : text);
	for (size_t i = 0; i < variables->len; i++) {
		const char *value = getenv(variables->data[i]);

		buf_printf(arena, &out, "\n# env-dep:%s", variables->data[i]);
		if (value) {
			buf_puts(arena, &out, "=");
			put_value(arena, &out, value);
		}
	}
	buf_puts(arena, &out, "\n");
	return file_write(path, out.data, out.len);
}
