/*
 * Text as Rust formats it, from a template and the raw words of its values.
 *
 * A kernel cannot format; it leaves its values as 64-bit words, and the
 * template that smelt-cc stored for the place says what they are. The template
 * is text with holes {TYPE:SPEC}; {{ and }} stand for braces. SPEC is that of
 * std::fmt without names: [[fill]align][+][#][0][width][.precision][kind],
 * where a width or precision $ is taken from a word of its own, before those
 * of the value. TYPE is one of
 *
 *   u8 ... u64, i8 ... i64, f32, f64, bool, char, ptr    one word
 *   u128, i128                              two words, the low one first
 *   str                   a word n, then n bytes in words; with its highest
 *                         bit set the text was longer
 *   0=A|3=B|..                              one word, a name for each value
 *   [TYPE]                as str, bytes of items that SPEC is for; [TYPE@N] is
 *                         N levels deep in {:#?}
 *
 * {?}A{|}B{;} takes a word, and is template A if that is 0, B if it is 1, and
 * so on; they nest. {-} passes over a word, {-str} over a str: what is not in
 * this alternative.
 *
 * This is a header of its own since only two files of the upper layers need it.
 */
#ifndef SMELT_BASE_TEXT_H
#define SMELT_BASE_TEXT_H

#include "base/base.h"

/* Where the text goes, piece by piece. */
struct text_sink {
	void (*put)(void *data, const char *text, size_t len);
	void *data;
};

/* A sink's data for a buffer of a fixed size: keeps what fits, is always
 * NUL-terminated (size is not 0), and counts everything in len. */
struct text_buffer {
	char *data;
	size_t size;
	size_t len;
};
void
text_put_buffer(void *buffer, const char *text, size_t len);

/* The text of a template and the words it has. Words that are missing count as
 * 0; false then, or if the template is damaged (what there is of it is put). A
 * str of which not all bytes are there ends in "...". */
bool
text_format(const struct text_sink *sink, const char *template,
	    const uint64_t *words, size_t word_count);

/* A character as UTF-8; how many bytes it has. */
size_t
text_encode(uint32_t c, char out[4]);
/* (escapes.c) Whether {:?} writes a character as \u{..}. */
bool
text_is_escaped(uint32_t c);

#endif
