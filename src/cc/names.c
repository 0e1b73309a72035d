/*
 * Readable names of mangled ones. rustc's two manglings both occur in one
 * module: a crate is compiled with one of them, its dependencies and the
 * standard library with whichever their build asked for.
 */
#include "cc.h"

#include <stdlib.h>
#include <string.h>

static bool
is_hash(const char *text, size_t len)
{
	if (len != 17 || text[0] != 'h')
		return false;
	return strspn(text + 1, "0123456789abcdef") >= 16;
}

/* One escape of the legacy mangling at *text, "$LT$" or "..": appends what it
 * stands for and returns how long it is; 0 if it is none. */
static size_t
legacy_escape(struct arena *arena, struct buf *out, const char *text,
	      size_t len)
{
	static const char *const escapes[][2] = {
		{"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"},
		{"$LT$", "<"}, {"$GT$", ">"}, {"$LP$", "("},
		{"$RP$", ")"}, {"$C$", ","},  {"..", "::"},
	};
	char *end;

	for (size_t i = 0; i < array_count(escapes); i++) {
		size_t n = strlen(escapes[i][0]);

		if (n <= len && !memcmp(text, escapes[i][0], n)) {
			buf_puts(arena, out, escapes[i][1]);
			return n;
		}
	}
	if (len < 4 || memcmp(text, "$u", 2))
		return 0;
	buf_printf(arena, out, "%c", (int)strtoul(text + 2, &end, 16) & 0x7f);
	return *end == '$' ? (size_t)(end + 1 - text) : 0;
}

static void
legacy_part(struct arena *arena, struct buf *out, const char *text, size_t len)
{
	/* An underscore in front keeps the identifier from beginning with $. */
	if (len > 1 && text[0] == '_' && text[1] == '$') {
		text++;
		len--;
	}
	while (len) {
		size_t n = legacy_escape(arena, out, text, len);

		if (!n) {
			buf_add(arena, out, text, 1);
			n = 1;
		}
		text += n;
		len -= n;
	}
}

/* _ZN, then each part as its length and its text, then E. */
static const char *
demangle_legacy(struct arena *arena, const char *symbol)
{
	struct buf out = {0};
	const char *p = symbol + 3;

	while (*p >= '1' && *p <= '9') {
		char *text;
		size_t len = strtoul(p, &text, 10);

		if (strlen(text) < len)
			return NULL;
		if (!(text[len] == 'E' && is_hash(text, len))) {
			if (out.len)
				buf_puts(arena, &out, "::");
			legacy_part(arena, &out, text, len);
		}
		p = text + len;
	}
	return *p == 'E' && out.len ? out.data : NULL;
}

/* Without what LLVM appended to make a name unique (.llvm.123, .7). */
static const char *
without_suffix(struct arena *arena, const char *symbol)
{
	return arena_dup(arena, symbol, strcspn(symbol, "."));
}

const char *
cc_demangle(struct arena *arena, const char *symbol)
{
	const char *name = NULL;
	char *v0;

	if (starts_with(symbol, "_ZN"))
		name = demangle_legacy(arena, symbol);
	else if (starts_with(symbol, "_R")) {
		v0 = cc_shim_demangle_v0(without_suffix(arena, symbol));
		if (v0)
			name = arena_dup(arena, v0, strlen(v0));
		free(v0);
	}
	return name ? name : symbol;
}
