/*
 * What the files of text.h have between them.
 */
#ifndef SMELT_BASE_TEXT_PARTS_H
#define SMELT_BASE_TEXT_PARTS_H

#include "base/text.h"

/* Holds every integer. */
__extension__ typedef unsigned __int128 wide;

/* The options of a hole. */
struct text_spec {
	char fill[5]; /* one character, UTF-8 */
	char align;   /* < > ^, or 0: what suits the type */
	char kind;    /* ? x X o b e E p, or 0 */
	char hex;     /* x or X before ? */
	bool plus;
	bool alternate;
	bool zero;
	bool has_width;
	bool has_precision;
	size_t width;
	size_t precision;
};

/* A number without its sign: text, zeros, text. */
struct text_number {
	const char *head;
	size_t head_len;
	size_t zeros;
	const char *tail;
	size_t tail_len;
};

void
text_put(const struct text_sink *sink, const char *text, size_t len);
/* What stands before a text of so many characters; how much is still to stand
 * behind it. align is the type's own. */
size_t
text_pad_before(const struct text_sink *sink, const struct text_spec *spec,
		size_t chars, char align);
void
text_pad_after(const struct text_sink *sink, const struct text_spec *spec,
	       size_t count);
/* Sign (with prefix) and number: zeros of the width go between the two. */
void
text_put_number(const struct text_sink *sink, const struct text_spec *spec,
		const char *sign, const struct text_number *number);

/* ---- text_float.c ---- */

/* An f32 or f64 from its bits. */
void
text_put_float(const struct text_sink *sink, const struct text_spec *spec,
	       uint64_t bits, bool single);

#endif
