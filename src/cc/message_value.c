/*
 * One value of a message: what its formatter's name says of its type, and the
 * words that the host makes text of.
 */
#include "base/text.h"
#include "cc/formatter.h"

#include <stdlib.h>
#include <string.h>

/* ---- traits ---- */

static const char *
kind_of_trait(const char *trait, const struct message_hole *hole)
{
	static const char *const kinds[][2] = {
		{"Display", ""},   {"LowerHex", "x"}, {"UpperHex", "X"},
		{"Octal", "o"},	   {"Binary", "b"},   {"LowerExp", "e"},
		{"UpperExp", "E"}, {"Pointer", "p"},
	};

	if (!strcmp(trait, "Debug"))
		return hole->lower_hex ? "x?" : hole->upper_hex ? "X?" : "?";
	for (size_t i = 0; i < array_count(kinds); i++)
		if (!strcmp(trait, kinds[i][0]))
			return kinds[i][1];
	return NULL;
}

/* ---- types ---- */

/* Types whose every trait is that of what they hold, and nothing else in them.
 */
static const char *const transparent[] = {
	"core::num::wrapping::Wrapping<",
	"core::num::saturating::Saturating<",
	"core::num::nonzero::NonZero<",
};

/* Types of one value, by their derived Debug. */
static const char *const single[][2] = {
	{"()", "()"},
	{"core::num::error::TryFromIntError", "TryFromIntError(())"},
	{"core::array::TryFromSliceError", "TryFromSliceError(())"},
	{"core::char::convert::CharTryFromError", "CharTryFromError(())"},
	{"core::char::TryFromCharError", "TryFromCharError(())"},
	{"core::fmt::Error", "Error"},
};

static const char *
without_references(const char *type, unsigned *references)
{
	for (*references = 0; *type == '&'; ++*references) {
		type++;
		if (starts_with(type, "mut "))
			type += 4;
	}
	return type;
}

static const char *
unwrapped(struct arena *arena, const char *type)
{
	for (size_t i = 0; i < array_count(transparent); i++)
		if (starts_with(type, transparent[i]) && ends_with(type, ">")) {
			type += strlen(transparent[i]);
			return arena_dup(arena, type, strlen(type) - 1);
		}
	return type;
}

/* A type of base/text.h and how it lies in memory. */
struct plain_type {
	const char *name; /* Rust's */
	const char *text; /* base/text.h's */
	unsigned bits;
};

static const struct plain_type plain_types[] = {
	{"u8", "u8", 8},      {"u16", "u16", 16},    {"u32", "u32", 32},
	{"u64", "u64", 64},   {"u128", "u128", 128}, {"usize", "u64", 64},
	{"i8", "i8", 8},      {"i16", "i16", 16},    {"i32", "i32", 32},
	{"i64", "i64", 64},   {"i128", "i128", 128}, {"isize", "i64", 64},
	{"f32", "f32", 32},   {"f64", "f64", 64},    {"bool", "bool", 8},
	{"char", "char", 32},
};

static const struct plain_type *
plain_type(const char *type)
{
	for (size_t i = 0; i < array_count(plain_types); i++)
		if (!strcmp(plain_types[i].name, type))
			return &plain_types[i];
	return NULL;
}

/* A pointer of one word. */
static bool
is_thin_pointer(const char *type)
{
	if (!starts_with(type, "*const ") && !starts_with(type, "*mut "))
		return false;
	type = strchr(type, ' ') + 1;
	return *type != '[' && strcmp(type, "str") && !starts_with(type, "dyn");
}

/* ---- words ---- */

static void
give_up(struct message *message, const char *type)
{
	if (!message->unknown)
		message->unknown = type;
	message_text(message, "{..}");
}

static void
give_up_room(struct message *message, const char *type)
{
	message->too_long = !message->unknown;
	give_up(message, type);
}

/* Whether so many words more have room. */
static bool
has_room(const struct message *message, unsigned words)
{
	return message->words + words <= SMELT_WORDS;
}

static void
add_word(struct message *message, LLVMValueRef value)
{
	message_push(message, message->hole, value);
	message->words++;
}

static void
add_hole(struct message *message, const char *type,
	 const struct message_hole *hole, const char *kind)
{
	const char *colon = *hole->options || *kind ? ":" : "";

	message->hole = message->text.len;
	buf_printf(&message->cc->arena, &message->text, "{%s%s%s%s}", type,
		   colon, hole->options, kind);
	for (unsigned i = 0; i < hole->count; i++)
		add_word(message, hole->counts[i]);
}

static LLVMValueRef
load(struct message *message, LLVMTypeRef type, LLVMValueRef pointer)
{
	return LLVMBuildLoad2(message->builder, type, pointer, "");
}

static LLVMValueRef
widened(struct message *message, LLVMValueRef value)
{
	return LLVMBuildIntCast2(message->builder, value,
				 LLVMInt64TypeInContext(message->cc->context),
				 false, "");
}

/* An integer of so many bits, as one word or two. */
static void
add_bits(struct message *message, LLVMValueRef pointer, unsigned bits)
{
	LLVMTypeRef type = LLVMIntTypeInContext(message->cc->context, bits);
	LLVMValueRef value = load(message, type, pointer), high;

	add_word(message, widened(message, value));
	if (bits <= 64)
		return;
	high = LLVMBuildLShr(message->builder, value,
			     LLVMConstInt(type, 64, false), "");
	add_word(message, widened(message, high));
}

/* ---- str ---- */

/* A str that is constant becomes part of the text. */
static bool
add_constant_str(struct message *message, const struct message_hole *hole,
		 LLVMValueRef pointer, LLVMValueRef len, const char *kind)
{
	struct arena *arena = &message->cc->arena;
	struct text_buffer out = {0};
	struct text_sink sink = {text_put_buffer, &out};
	const char *template, *text;
	uint64_t *words, n;

	if (hole->count || !LLVMIsAConstantInt(len))
		return false;
	n = LLVMConstIntGetZExtValue(len);
	text = message_constant(message->cc, pointer, 0, n);
	if (!text)
		return false;
	words = arena_alloc(arena, 16 + n);
	words[0] = n;
	memcpy(words + 1, text, n);
	template = arena_printf(arena, "{str:%s%s}", hole->options, kind);
	text_format(&sink, template, words, 2 + n / 8);
	out.size = out.len + 1;
	out.data = arena_alloc(arena, out.size);
	out.len = 0;
	text_format(&sink, template, words, 2 + n / 8);
	message_text(message, out.data);
	return true;
}

void
message_str(struct message *message, const struct message_hole *hole,
	    LLVMValueRef pointer, LLVMValueRef len, const char *kind)
{
	if (add_constant_str(message, hole, pointer, len, kind))
		return;
	if (!has_room(message, hole->count + message_text_words)) {
		give_up_room(message, "&str");
		return;
	}
	add_hole(message, "str", hole, kind);
	message_push(message, message->hole, pointer);
	message_push(message, message->hole, len);
	message->words += message_text_words;
}

/* The words that so many bytes in memory make. */
static void
add_bytes(struct message *message, LLVMValueRef pointer, uint64_t bytes,
	  unsigned alignment)
{
	LLVMContextRef context = message->cc->context;
	LLVMValueRef at, word;
	LLVMTypeRef type;

	for (uint64_t done = 0; done < bytes; done += 8) {
		uint64_t n = bytes - done < 8 ? bytes - done : 8;

		at = LLVMConstInt(LLVMInt64TypeInContext(context), done, false);
		at = LLVMBuildInBoundsGEP2(message->builder,
					   LLVMInt8TypeInContext(context),
					   pointer, &at, 1, "");
		type = LLVMIntTypeInContext(context, 8 * (unsigned)n);
		word = load(message, type, at);
		LLVMSetAlignment(word, alignment);
		add_word(message, widened(message, word));
	}
}

/* A few items are words, more are copied as a str is. */
static void
add_items(struct message *message, const struct plain_type *item,
	  LLVMValueRef pointer, LLVMValueRef len)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(message->cc->context);
	uint64_t size = item->bits / 8, bytes;
	LLVMValueRef all;

	all = LLVMBuildMul(message->builder, len,
			   LLVMConstInt(i64, size, false), "");
	bytes = LLVMIsAConstantInt(all) ? LLVMConstIntGetZExtValue(all)
					: UINT64_MAX;
	if (bytes <= 64 && has_room(message, 1 + (unsigned)(bytes + 7) / 8)) {
		add_word(message, all);
		add_bytes(message, pointer, bytes,
			  size > 8 ? 8 : (unsigned)size);
		return;
	}
	message_push(message, message->hole, pointer);
	message_push(message, message->hole, all);
	message->words += message_text_words;
}

/* Plain values, one after the other; in {:#?} each in a line. */
static void
add_list(struct message *message, const struct message_hole *hole,
	 const struct plain_type *item, LLVMValueRef pointer, LLVMValueRef len,
	 const char *kind)
{
	struct arena *arena = &message->cc->arena;
	const char *type = arena_printf(arena, "[%s]", item->text);
	unsigned least = message_text_words;

	if (LLVMIsAConstantInt(len) && LLVMConstIntGetZExtValue(len) < 5)
		least = 1 + (unsigned)(LLVMConstIntGetZExtValue(len) *
					       item->bits / 8 +
				       7) /
				    8;
	if (!has_room(message, hole->count + least)) {
		give_up_room(message, type);
		return;
	}
	if (hole->alternate && message->indent)
		type = arena_printf(arena, "[%s@%u]", item->text,
				    message->indent);
	add_hole(message, type, hole, kind);
	add_items(message, item, pointer, len);
}

/* ---- pointer and length ---- */

/* The type T of the items of [T] or, with their count, [T; N]; NULL if it is
 * neither. */
static const char *
item_type(struct arena *arena, const char *type, uint64_t *count)
{
	const char *at = type;
	char *rest;
	int depth = 0;

	*count = UINT64_MAX;
	if (*type != '[' || !ends_with(type, "]"))
		return NULL;
	for (; *at && !(depth == 1 && (*at == ';' || *at == ']')); at++)
		if (strchr("<([", *at))
			depth++;
		else if (strchr(")]", *at) || (*at == '>' && at[-1] != '-'))
			depth--;
	type = arena_dup(arena, type + 1, (size_t)(at - type) - 1);
	if (*at != ';')
		return !strcmp(at, "]") ? type : NULL;
	*count = strtoull(at + 1, &rest, 10);
	return !strcmp(rest, "]") || !strcmp(rest, "usize]") ? type : NULL;
}

/* The pointer and the length in memory. */
static LLVMValueRef
load_fat(struct message *message, LLVMValueRef pointer, LLVMValueRef *len)
{
	struct cc *cc = message->cc;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->context);
	LLVMTypeRef byte = LLVMInt8TypeInContext(cc->context);
	LLVMTypeRef address = LLVMPointerTypeInContext(cc->context, 0);
	LLVMValueRef eight = LLVMConstInt(i64, 8, false), text;

	text = message_fixed(cc, pointer, 0, 8);
	*len = message_fixed(cc, pointer, 8, 8);
	if (text && *len)
		return text;
	text = load(message, address, pointer);
	pointer = LLVMBuildInBoundsGEP2(message->builder, byte, pointer, &eight,
					1, "");
	*len = load(message, i64, pointer);
	return text;
}

static bool
is_unsized(struct arena *arena, const char *type)
{
	uint64_t count;

	return !strcmp(type, "str") ||
	       (item_type(arena, type, &count) && count == UINT64_MAX);
}

/* A str, or a slice of plain values. */
static bool
add_unsized(struct message *message, const struct message_hole *hole,
	    LLVMValueRef pointer, LLVMValueRef len, const char *type,
	    const char *kind)
{
	struct arena *arena = &message->cc->arena;
	const struct plain_type *plain;
	uint64_t count;

	if (!strcmp(type, "str")) {
		message_str(message, hole, pointer, len, kind);
		return true;
	}
	plain = plain_type(unwrapped(arena, item_type(arena, type, &count)));
	if (plain)
		add_list(message, hole, plain, pointer, len, kind);
	return plain;
}

static bool
add_array(struct message *message, const struct message_hole *hole,
	  LLVMValueRef pointer, const char *type, const char *kind)
{
	struct arena *arena = &message->cc->arena;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(message->cc->context);
	uint64_t count;
	const char *item = item_type(arena, type, &count);
	const struct plain_type *plain =
		item ? plain_type(unwrapped(arena, item)) : NULL;

	if (!plain)
		return false;
	add_list(message, hole, plain, pointer, LLVMConstInt(i64, count, false),
		 kind);
	return true;
}

/* ---- the value ---- */

static const char *
single_value(const char *type)
{
	for (size_t i = 0; i < array_count(single); i++)
		if (!strcmp(single[i][0], type))
			return single[i][1];
	return NULL;
}

/* The function that is <TYPE as TRAIT>::fmt; NULL if there is none, or if it
 * may be one of several: a path does not tell types of two blocks apart. */
static LLVMValueRef
find_formatter(struct cc *cc, const char *type, const char *trait)
{
	const char *path = arena_printf(
		&cc->arena, "<%s as core::fmt::%s>::fmt", type, trait);
	const char *last =
		arena_printf(&cc->arena, "%zu%s3fmt", strlen(trait), trait);
	LLVMValueRef found = NULL;
	unsigned count = 0;

	for (LLVMValueRef f = LLVMGetFirstFunction(cc->module); f;
	     f = LLVMGetNextFunction(f)) {
		size_t len;
		const char *name = LLVMGetValueName2(f, &len);

		if (strstr(name, last) &&
		    !strcmp(cc_demangle(&cc->arena, name), path)) {
			found = f;
			count++;
		}
	}
	return count == 1 ? found : NULL;
}

/* An enum without fields. */
static bool
add_enum(struct message *message, LLVMValueRef pointer, LLVMValueRef function)
{
	const struct message_hole plain = {.options = ""};
	LLVMTypeRef integer;
	const char *names = message_enum(message->cc, function, &integer);

	if (!names || !has_room(message, 1))
		return false;
	if (!integer) {
		message_text(message, names);
		return true;
	}
	add_hole(message, names, &plain, "?");
	add_word(message, widened(message, load(message, integer, pointer)));
	return true;
}

/* What only the type's own function tells. */
static bool
add_own(struct message *message, const struct message_hole *hole,
	LLVMValueRef pointer, const char *type, const char *kind,
	LLVMValueRef formatter)
{
	const char *only = single_value(type);

	if (only && *kind == '?' && !*hole->options) {
		message_text(message, only);
		return true;
	}
	if (!formatter)
		return false;
	return add_enum(message, pointer, formatter) ||
	       message_debug(message, hole, &pointer, 1, formatter);
}

static void
add_plain(struct message *message, const struct message_hole *hole,
	  LLVMValueRef pointer, const char *whole, const char *kind,
	  const struct plain_type *plain)
{
	unsigned bits = plain ? plain->bits : 64;

	if (!has_room(message, hole->count + 1 + (bits > 64))) {
		give_up_room(message, whole);
		return;
	}
	add_hole(message, plain ? plain->text : "ptr", hole,
		 !plain && *kind == '?' ? "p" : kind);
	add_bits(message, pointer, bits);
}

/* Behind so many references. */
static LLVMValueRef
follow(struct message *message, LLVMValueRef pointer, unsigned references)
{
	LLVMTypeRef address = LLVMPointerTypeInContext(message->cc->context, 0);

	while (references--)
		pointer = load(message, address, pointer);
	return pointer;
}

/* The formatter may be NULL. */
static bool
add_typed(struct message *message, const struct message_hole *hole,
	  LLVMValueRef pointer, const char *whole, const char *trait,
	  LLVMValueRef formatter)
{
	struct arena *arena = &message->cc->arena;
	const char *kind = kind_of_trait(trait, hole), *type, *inner;
	const struct plain_type *plain;
	LLVMValueRef len;
	unsigned references;

	if (!kind)
		return false;
	type = without_references(whole, &references);
	/* {:p} of a reference shows where it points to. */
	if (*kind == 'p' && references) {
		references--;
		type = "*const u8";
	}
	if (references && is_unsized(arena, type)) {
		pointer = follow(message, pointer, references - 1);
		pointer = load_fat(message, pointer, &len);
		return add_unsized(message, hole, pointer, len, type, kind);
	}
	inner = unwrapped(arena, type);
	plain = plain_type(inner);
	if (plain || is_thin_pointer(inner)) {
		pointer = follow(message, pointer, references);
		add_plain(message, hole, pointer, whole, kind, plain);
		return true;
	}
	if (*type == '[' &&
	    add_array(message, hole, follow(message, pointer, references), type,
		      kind))
		return true;
	return add_own(message, hole, pointer, whole, kind, formatter);
}

void
message_typed(struct message *message, const struct message_hole *hole,
	      LLVMValueRef pointer, const char *type, const char *trait)
{
	LLVMTypeRef address = LLVMPointerTypeInContext(message->cc->context, 0);
	LLVMValueRef formatter = find_formatter(message->cc, type, trait);
	const char *reference = arena_printf(&message->cc->arena, "&%s", type);

	if (add_typed(message, hole, pointer, type, trait, formatter))
		return;
	/* In core, where it was inlined, that of the reference is left. */
	formatter = find_formatter(message->cc, reference, trait);
	if (formatter) {
		LLVMValueRef local = formatter_local(message, address);

		LLVMBuildStore(message->builder, pointer, local);
		if (add_own(message, hole, local, reference, "", formatter))
			return;
	}
	give_up(message, type);
}

/* TYPE and TRAIT of <TYPE as core::fmt::TRAIT>::fmt; false if it is no such
 * path. */
static bool
split_path(struct arena *arena, const char *path, const char **type,
	   const char **trait)
{
	static const char as[] = " as core::fmt::", end[] = ">::fmt";
	const char *at, *found = NULL;

	if (*path != '<' || !ends_with(path, end))
		return false;
	for (at = strstr(path, as); at; at = strstr(at + 1, as))
		found = at;
	if (!found)
		return false;
	*type = arena_dup(arena, path + 1, (size_t)(found - path) - 1);
	found += strlen(as);
	*trait = arena_dup(arena, found, strlen(found) - strlen(end));
	return true;
}

void
message_value(struct message *message, const struct message_hole *hole,
	      LLVMValueRef pointer, LLVMValueRef formatter)
{
	struct arena *arena = &message->cc->arena;
	const char *type, *trait, *path;
	size_t len;

	path = cc_demangle(arena, LLVMGetValueName2(formatter, &len));
	if (!split_path(arena, path, &type, &trait))
		give_up(message, path);
	else if (!add_typed(message, hole, pointer, type, trait, formatter))
		give_up(message, type);
}

/* Whether values of this type are told without a function of theirs. */
static bool
is_known(struct arena *arena, const char *type)
{
	unsigned references;
	const char *item;
	uint64_t count;

	type = without_references(type, &references);
	item = item_type(arena, type, &count);
	type = unwrapped(arena, item ? item : type);
	return plain_type(type) || is_thin_pointer(type) ||
	       !strcmp(type, "str") || single_value(type);
}

bool
message_is_own(struct cc *cc, LLVMValueRef function)
{
	struct arena *arena = &cc->arena;
	const char *type, *trait, *path;
	size_t len;

	path = cc_demangle(arena, LLVMGetValueName2(function, &len));
	if (split_path(arena, path, &type, &trait))
		return strcmp(trait, "Pointer") && !is_known(arena, type);
	if (!starts_with(path, "core::panicking::assert_failed::<"))
		return false;
	for (unsigned i = 0; (type = message_generic(arena, function, i)); i++)
		if (!is_known(arena, type))
			return true;
	return false;
}

bool
message_fat(struct message *message, const struct message_hole *hole,
	    LLVMValueRef pointer, LLVMValueRef len, const char *type,
	    const char *trait)
{
	const char *kind = kind_of_trait(trait, hole);

	return kind && is_unsized(&message->cc->arena, type) &&
	       add_unsized(message, hole, pointer, len, type, kind);
}

LLVMValueRef
message_item(struct cc *cc, LLVMValueRef formatter)
{
	const char *type, *trait, *path, *item;
	uint64_t count;
	size_t len;

	path = cc_demangle(&cc->arena, LLVMGetValueName2(formatter, &len));
	if (!split_path(&cc->arena, path, &type, &trait))
		return NULL;
	item = item_type(&cc->arena, type, &count);
	return item ? find_formatter(cc, item, trait) : NULL;
}

bool
message_unsized(struct message *message, const struct message_hole *hole,
		LLVMValueRef pointer, LLVMValueRef len, LLVMValueRef formatter)
{
	struct arena *arena = &message->cc->arena;
	const char *type, *trait, *path;
	size_t size;

	path = cc_demangle(arena, LLVMGetValueName2(formatter, &size));
	return split_path(arena, path, &type, &trait) &&
	       message_fat(message, hole, pointer, len, type, trait);
}
