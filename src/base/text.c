/*
 * Text as Rust formats it (text.h). Numbers, padding and escapes; those of
 * floating point are in text_float.c.
 */
#include "base/text_parts.h"

#include <stdio.h>
#include <string.h>

void
text_put_buffer(void *buffer, const char *text, size_t len)
{
	struct text_buffer *out = buffer;
	size_t room;

	if (out->len + 1 < out->size) {
		room = out->size - 1 - out->len;
		room = len < room ? len : room;
		memcpy(out->data + out->len, text, room);
		out->data[out->len + room] = 0;
	}
	out->len += len;
}

/* ---- UTF-8 ---- */

/* Bytes of the character that begins here; 1 for what is none. */
static size_t
char_len(const char *text, size_t len)
{
	unsigned char c = (unsigned char)*text;
	size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;

	return n <= len ? n : 1;
}

static uint32_t
decode(const char *text, size_t n)
{
	static const unsigned char first[] = {0, 0xff, 0x1f, 0x0f, 0x07};
	uint32_t c = (unsigned char)text[0] & first[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	return c;
}

size_t
text_encode(uint32_t c, char out[4])
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(c | first[n]);
	return n;
}

/* ---- padding ---- */

void
text_put(const struct text_sink *sink, const char *text, size_t len)
{
	if (len)
		sink->put(sink->data, text, len);
}

static void
put_fill(const struct text_sink *sink, const char *fill, size_t count)
{
	while (count--)
		text_put(sink, fill, strlen(fill));
}

size_t
text_pad_before(const struct text_sink *sink, const struct text_spec *spec,
		size_t chars, char align)
{
	size_t all = chars < spec->width ? spec->width - chars : 0, before;

	align = spec->align ? spec->align : align;
	before = align == '<' ? 0 : align == '>' ? all : all / 2;
	put_fill(sink, spec->fill, before);
	return all - before;
}

void
text_pad_after(const struct text_sink *sink, const struct text_spec *spec,
	       size_t count)
{
	put_fill(sink, spec->fill, count);
}

void
text_put_number(const struct text_sink *sink, const struct text_spec *spec,
		const char *sign, const struct text_number *number)
{
	size_t chars = strlen(sign) + number->head_len + number->zeros +
		       number->tail_len;
	struct text_spec zeros = {.fill = "0", .align = '>'};
	size_t after = 0;

	if (spec->zero) {
		text_put(sink, sign, strlen(sign));
		zeros.width = spec->width;
		text_pad_before(sink, &zeros, chars, '>');
	} else {
		after = text_pad_before(sink, spec, chars, '>');
		text_put(sink, sign, strlen(sign));
	}
	text_put(sink, number->head, number->head_len);
	put_fill(sink, "0", number->zeros);
	text_put(sink, number->tail, number->tail_len);
	text_pad_after(sink, spec, after);
}

/* ---- strings, characters ---- */

/* The first `precision` characters, padded. */
static void
put_padded(const struct text_sink *sink, const struct text_spec *spec,
	   const char *text, size_t len)
{
	size_t chars = 0, at = 0, after;

	while (at < len && (!spec->has_precision || chars < spec->precision)) {
		at += char_len(text + at, len - at);
		chars++;
	}
	after = text_pad_before(sink, spec, chars, '<');
	text_put(sink, text, at);
	text_pad_after(sink, spec, after);
}

static void
put_escaped(const struct text_sink *sink, const char *text, size_t n,
	    char quote)
{
	static const char plain[] = "\t\r\n\\", letters[] = "trn\\";
	uint32_t c = decode(text, n);
	char out[16];
	int len;

	if (n == 1 &&
	    (c == (unsigned char)quote || (c && strchr(plain, *text))))
		len = snprintf(out, sizeof(out), "\\%c",
			       c == (unsigned char)quote
				       ? quote
				       : letters[strchr(plain, *text) - plain]);
	else if (!c)
		len = snprintf(out, sizeof(out), "\\0");
	else if (text_is_escaped(c))
		len = snprintf(out, sizeof(out), "\\u{%x}", (unsigned)c);
	else {
		text_put(sink, text, n);
		return;
	}
	text_put(sink, out, (size_t)len);
}

static void
put_quoted(const struct text_sink *sink, const char *text, size_t len,
	   char quote)
{
	text_put(sink, &quote, 1);
	for (size_t at = 0, n; at < len; at += n) {
		n = char_len(text + at, len - at);
		put_escaped(sink, text + at, n, quote);
	}
	text_put(sink, &quote, 1);
}

static void
put_char(const struct text_sink *sink, const struct text_spec *spec, uint32_t c)
{
	char text[4];
	size_t n = text_encode(c < 0x110000 ? c : 0xfffd, text);

	if (spec->kind == '?')
		put_quoted(sink, text, n, '\'');
	else
		put_padded(sink, spec, text, n);
}

/* ---- integers ---- */

/* Digits of value, the last at end[-1]; the first. */
static char *
digits(wide value, unsigned radix, const char *symbols, char *end)
{
	do {
		*--end = symbols[(unsigned)(value % radix)];
		value /= radix;
	} while (value);
	return end;
}

static void
put_radix(const struct text_sink *sink, const struct text_spec *spec,
	  wide value)
{
	static const char lower[] = "0123456789abcdef";
	static const char upper[] = "0123456789ABCDEF";
	bool hex = spec->kind == 'x' || spec->kind == 'X' || spec->hex;
	unsigned radix = hex ? 16 : spec->kind == 'o' ? 8 : 2;
	bool big = spec->kind == 'X' || spec->hex == 'X';
	char buffer[128], *end = buffer + sizeof(buffer), sign[4] = "";
	struct text_number number = {0};

	number.head = digits(value, radix, big ? upper : lower, end);
	number.head_len = (size_t)(end - number.head);
	snprintf(sign, sizeof(sign), "%s%s", spec->plus ? "+" : "",
		 !spec->alternate ? ""
		 : hex		  ? "0x"
		 : radix == 8	  ? "0o"
				  : "0b");
	text_put_number(sink, spec, sign, &number);
}

/* {:e}: one digit before the point, half to even where digits are dropped. */
static void
put_exponent(const struct text_sink *sink, const struct text_spec *spec,
	     wide value, const char *sign)
{
	char buffer[64], text[64], tail[8];
	char *end = buffer + sizeof(buffer);
	unsigned dropped = 0, exponent;
	wide scale = 1, rest;
	struct text_number number = {.head = text, .tail = tail};
	const char *from = digits(value, 10, "0123456789", end);
	size_t n = (size_t)(end - from), keep = n;

	exponent = (unsigned)n - 1;
	if (spec->has_precision && spec->precision + 1 < n) {
		dropped = (unsigned)(n - 1 - spec->precision);
		for (unsigned i = 0; i < dropped; i++)
			scale *= 10;
		rest = value % scale;
		value /= scale;
		value += rest > scale / 2 || (rest == scale / 2 && (value & 1));
		from = digits(value, 10, "0123456789", end);
		keep = n - dropped;
		exponent += (size_t)(end - from) > keep;
	} else if (spec->has_precision) {
		number.zeros = spec->precision + 1 - n;
	} else {
		while (keep > 1 && from[keep - 1] == '0')
			keep--;
	}
	text[0] = from[0];
	number.head_len = 1;
	if (keep > 1 || number.zeros) {
		text[1] = '.';
		memcpy(text + 2, from + 1, keep - 1);
		number.head_len = keep + 1;
	}
	number.tail_len = (size_t)snprintf(tail, sizeof(tail), "%c%u",
					   spec->kind, exponent);
	text_put_number(sink, spec, sign, &number);
}

static void
put_integer(const struct text_sink *sink, const struct text_spec *spec,
	    wide value, unsigned bits, bool is_signed)
{
	wide mask = ~(wide)0 >> (128 - bits);
	bool negative = is_signed && value >> (bits - 1) & 1;
	const char *sign = negative ? "-" : spec->plus ? "+" : "";
	char buffer[40], *end = buffer + sizeof(buffer);
	struct text_number number = {0};

	if (spec->hex || (spec->kind && strchr("xXob", spec->kind))) {
		put_radix(sink, spec, value & mask);
		return;
	}
	value = (negative ? -value : value) & mask;
	if (spec->kind == 'e' || spec->kind == 'E') {
		put_exponent(sink, spec, value, sign);
		return;
	}
	number.head = digits(value, 10, "0123456789", end);
	number.head_len = (size_t)(end - number.head);
	text_put_number(sink, spec, sign, &number);
}

static void
put_pointer(const struct text_sink *sink, const struct text_spec *spec,
	    uint64_t value)
{
	struct text_spec hex = *spec;

	hex.kind = 'x';
	hex.alternate = true;
	if (spec->alternate) {
		hex.zero = true;
		if (!spec->has_width)
			hex.width = 18;
	}
	put_radix(sink, &hex, value);
}

/* ---- holes ---- */

/* Items of a list. */
struct items {
	const struct text_spec *spec;
	const char *type;
	size_t len;
	size_t indent; /* of the list, for {:#?} */
};

struct words {
	const uint64_t *at;
	size_t left;
	bool missing;
};

static uint64_t
take(struct words *words)
{
	if (!words->left) {
		words->missing = true;
		return 0;
	}
	words->left--;
	return *words->at++;
}

/* A count and so many bytes; *cut: there were more. */
static const char *
take_bytes(struct words *words, uint64_t *len, bool *cut)
{
	uint64_t word = take(words), have = 8 * (uint64_t)words->left;
	const char *bytes = (const char *)words->at;

	*cut = word >> 63;
	*len = word & UINT64_MAX >> 1;
	if (*len > have) {
		*len = have;
		*cut = words->missing = true;
	}
	words->at += (*len + 7) / 8;
	words->left -= (*len + 7) / 8;
	return bytes;
}

/* A width or precision: a number, or $ and the word. */
static const char *
read_count(const char *at, struct words *words, size_t *count)
{
	*count = 0;
	if (*at == '$') {
		*count = take(words) & 0xffff;
		return at + 1;
	}
	for (; *at >= '0' && *at <= '9'; at++)
		*count = (*count * 10 + (size_t)(*at - '0')) & 0xffff;
	return at;
}

static const char *
read_align(const char *at, struct text_spec *spec)
{
	size_t n = char_len(at, strlen(at));

	if (*at && at[n] && strchr("<>^", at[n])) {
		memcpy(spec->fill, at, n);
		spec->fill[n] = 0;
		spec->align = at[n];
		return at + n + 1;
	}
	if (*at && strchr("<>^", *at))
		spec->align = *at++;
	return at;
}

/* From behind the colon to the closing brace. */
static const char *
read_spec(const char *at, struct words *words, struct text_spec *spec)
{
	at = read_align(at, spec);
	if (*at == '+') {
		spec->plus = true;
		at++;
	}
	if (*at == '#') {
		spec->alternate = true;
		at++;
	}
	if (*at == '0') {
		spec->zero = true;
		at++;
	}
	if (*at == '$' || (*at >= '0' && *at <= '9')) {
		spec->has_width = true;
		at = read_count(at, words, &spec->width);
	}
	if (*at == '.') {
		spec->has_precision = true;
		at = read_count(at + 1, words, &spec->precision);
	}
	if ((*at == 'x' || *at == 'X') && at[1] == '?')
		spec->hex = *at++;
	if (*at && *at != '}')
		spec->kind = *at++;
	return *at == '}' ? at : NULL;
}

/* The name that a list "0=A|3=B" has for a value. */
static void
put_name(const struct text_sink *sink, const char *list, size_t len,
	 uint64_t value)
{
	const char *end = list + len, *name;

	while (list < end) {
		uint64_t number = 0;

		for (; list < end && *list >= '0' && *list <= '9'; list++)
			number = number * 10 + (uint64_t)(*list - '0');
		name = list + (list < end);
		for (list = name; list < end && *list != '|'; list++)
			;
		if (number == value) {
			text_put(sink, name, (size_t)(list - name));
			return;
		}
		list++;
	}
	text_put(sink, "{..}", 4);
}

/* Without the last character if not all of it is there. */
static uint64_t
whole_chars(const char *text, uint64_t len)
{
	static const unsigned char least[] = {0xc0, 0xe0, 0xf0};

	for (uint64_t i = 0; i < 3 && i < len; i++) {
		unsigned char c = (unsigned char)text[len - 1 - i];

		if ((c & 0xc0) != 0x80)
			return c >= least[i] ? len - 1 - i : len;
	}
	return len;
}

static void
put_str(const struct text_sink *sink, const struct text_spec *spec,
	struct words *words)
{
	uint64_t len;
	bool cut;
	const char *text = take_bytes(words, &len, &cut);

	if (cut)
		len = whole_chars(text, len);
	if (spec->kind == '?')
		put_quoted(sink, text, len, '"');
	else
		put_padded(sink, spec, text, len);
	if (cut)
		text_put(sink, "...", 3);
}

/* i128 and the like: signedness and bits; 0 for what is no integer. */
static unsigned
integer_bits(const char *type, size_t len)
{
	unsigned bits = 0;

	if (len < 2 || len > 4 || (*type != 'i' && *type != 'u'))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (type[i] < '0' || type[i] > '9')
			return 0;
		bits = bits * 10 + (unsigned)(type[i] - '0');
	}
	return bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
			       bits == 128
		       ? bits
		       : 0;
}

static bool
is_type(const char *type, size_t len, const char *name)
{
	return len == strlen(name) && !memcmp(type, name, len);
}

static bool
put_value(const struct text_sink *sink, const char *type, size_t len,
	  const struct text_spec *spec, struct words *words)
{
	unsigned bits = integer_bits(type, len);
	wide value;

	if (is_type(type, len, "str")) {
		put_str(sink, spec, words);
		return true;
	}
	value = take(words);
	if (bits == 128)
		value |= (wide)take(words) << 64;
	if (bits)
		put_integer(sink, spec, value, bits, *type == 'i');
	else if (is_type(type, len, "f32") || is_type(type, len, "f64"))
		text_put_float(sink, spec, (uint64_t)value, type[1] == '3');
	else if (is_type(type, len, "bool"))
		put_padded(sink, spec, value & 1 ? "true" : "false",
			   value & 1 ? 4 : 5);
	else if (is_type(type, len, "char"))
		put_char(sink, spec, (uint32_t)value);
	else if (is_type(type, len, "ptr"))
		put_pointer(sink, spec, (uint64_t)value);
	else if (len && *type >= '0' && *type <= '9')
		put_name(sink, type, len, (uint64_t)value);
	else
		return false;
	return true;
}

/* ---- lists ---- */

/* Bytes of a value in memory; 0 for what no list is made of. */
static unsigned
size_of(const char *type, size_t len)
{
	unsigned bits = integer_bits(type, len);

	if (bits)
		return bits / 8;
	if (is_type(type, len, "bool"))
		return 1;
	if (is_type(type, len, "f64"))
		return 8;
	return is_type(type, len, "f32") || is_type(type, len, "char") ? 4 : 0;
}

/* What {:#?} puts in front of each item, and behind the last. */
static void
put_line(const struct text_sink *sink, size_t indent)
{
	text_put(sink, "\n", 1);
	put_fill(sink, "    ", indent);
}

/* Items of one type, one after the other, and ", ..." for those that had no
 * room. */
static bool
put_items(const struct text_sink *sink, const struct items *list,
	  const char *bytes, uint64_t count, bool cut)
{
	bool lines = list->spec->alternate;
	unsigned size = size_of(list->type, list->len);
	uint64_t value[2];
	struct words words;

	text_put(sink, "[", 1);
	for (uint64_t i = 0; i < count + cut; i++) {
		if (lines)
			put_line(sink, list->indent + 1);
		else if (i)
			text_put(sink, ", ", 2);
		if (i == count) {
			text_put(sink, "...", 3);
			break;
		}
		memset(value, 0, sizeof(value));
		memcpy(value, bytes + i * size, size);
		words = (struct words){value, 2, false};
		if (!put_value(sink, list->type, list->len, list->spec, &words))
			return false;
		if (lines)
			text_put(sink, ",", 1);
	}
	if (lines && (count || cut))
		put_line(sink, list->indent);
	text_put(sink, "]", 1);
	return true;
}

/* Of [TYPE] or [TYPE@INDENT]. */
static bool
put_list(const struct text_sink *sink, const char *type, size_t len,
	 const struct text_spec *spec, struct words *words)
{
	struct items list = {spec, type + 1, len - 2, 0};
	const char *at = memchr(type, '@', len), *bytes;
	uint64_t count;
	bool cut;

	if (at) {
		list.len = (size_t)(at - list.type);
		for (at++; *at >= '0' && *at <= '9'; at++)
			list.indent = list.indent * 10 + (size_t)(*at - '0');
	}
	if (list.indent > 64 || !size_of(list.type, list.len))
		return false;
	bytes = take_bytes(words, &count, &cut);
	return put_items(sink, &list, bytes,
			 count / size_of(list.type, list.len), cut);
}

/* ---- alternatives ---- */

static bool
begins(const char *at, const char *mark)
{
	return !strncmp(at, mark, strlen(mark));
}

/* Behind a hole, from behind its brace; NULL if it does not end. */
static const char *
skip_hole(const char *at)
{
	size_t n;

	at += strcspn(at, ":}");
	if (*at == ':' && *++at) {
		n = char_len(at, strlen(at));
		if (at[n] && strchr("<>^", at[n]))
			at += n; /* a brace may fill */
		at += strcspn(at, "}");
	}
	return *at ? at + 1 : NULL;
}

/* Goes over so many {|} of the alternatives that it is in; behind the last of
 * them, or behind {;}. */
static const char *
skip_alternatives(const char *at, uint64_t count)
{
	unsigned depth = 0;

	while (count && at && *(at += strcspn(at, "{}"))) {
		if (at[1] == *at) {
			at += 2;
			continue;
		}
		if (begins(at, "{?}"))
			depth++;
		else if (begins(at, "{|}"))
			count -= !depth;
		else if (begins(at, "{;}") && !depth--)
			return at + 3;
		at = *at == '{' ? skip_hole(at + 1) : NULL;
	}
	return at;
}

/* A hole that is no value; false if it is one. */
static bool
pass_mark(const char **at, struct words *words)
{
	uint64_t len;
	bool cut;

	if (begins(*at, "?}"))
		*at = skip_alternatives(*at + 2, take(words));
	else if (begins(*at, "|}"))
		*at = skip_alternatives(*at + 2, UINT64_MAX);
	else if (begins(*at, ";}"))
		*at += 2;
	else if (begins(*at, "-}"))
		take(words), *at += 2;
	else if (begins(*at, "-str}"))
		take_bytes(words, &len, &cut), *at += 5;
	else
		return false;
	return true;
}

/* A hole, from behind its brace; behind its end, NULL if it is damaged. */
static const char *
put_hole(const struct text_sink *sink, const char *at, struct words *words)
{
	struct text_spec spec = {.fill = " "};
	const char *type = at;
	size_t len;

	if (pass_mark(&at, words))
		return at;
	len = strcspn(at, ":}");
	at += len;
	if (*at == ':')
		at = read_spec(at + 1, words, &spec);
	if (!at || *at != '}')
		return NULL;
	if (!(*type == '[' ? put_list(sink, type, len, &spec, words)
			   : put_value(sink, type, len, &spec, words)))
		return NULL;
	return at + 1;
}

bool
text_format(const struct text_sink *sink, const char *template,
	    const uint64_t *word, size_t word_count)
{
	struct words words = {word, word_count, false};

	while (template && *template) {
		size_t plain = strcspn(template, "{}");

		text_put(sink, template, plain);
		template += plain;
		if (!*template)
			break;
		if (template[1] == *template) {
			text_put(sink, template, 1);
			template += 2;
		} else if (*template == '{') {
			template = put_hole(sink, template + 1, &words);
		} else {
			template = NULL;
		}
	}
	return template && !words.missing;
}
