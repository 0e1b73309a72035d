/*
 * One value of a message: what its formatter's name says of its type, and the
 * words that the host makes text of.
 */
#include "base/text.h"
#include "cc/panics.h"

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
	message->values[message->count++] = value;
	message->words++;
}

static void
add_hole(struct message *message, const char *type,
	 const struct message_hole *hole, const char *kind)
{
	const char *colon = *hole->options || *kind ? ":" : "";

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
	/* What is left for its bytes is shared out by words.c. */
	const unsigned least = 5;

	if (add_constant_str(message, hole, pointer, len, kind))
		return;
	if (!has_room(message, hole->count + least)) {
		give_up_room(message, "&str");
		return;
	}
	add_hole(message, "str", hole, kind);
	message->values[message->count++] = pointer;
	message->values[message->count++] = len;
	message->words += least;
}

/* The pointer and the length of a &str in memory. */
static void
add_str_at(struct message *message, const struct message_hole *hole,
	   LLVMValueRef pointer, const char *kind)
{
	struct cc *cc = message->cc;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(cc->context);
	LLVMTypeRef byte = LLVMInt8TypeInContext(cc->context);
	LLVMTypeRef address = LLVMPointerTypeInContext(cc->context, 0);
	LLVMValueRef eight = LLVMConstInt(i64, 8, false), text, len;

	text = message_fixed(cc, pointer, 0, 8);
	len = message_fixed(cc, pointer, 8, 8);
	if (!text || !len) {
		text = load(message, address, pointer);
		pointer = LLVMBuildInBoundsGEP2(message->builder, byte, pointer,
						&eight, 1, "");
		len = load(message, i64, pointer);
	}
	message_str(message, hole, text, len, kind);
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

/* What only Debug tells: types of one value, enums without fields. */
static bool
add_debug(struct message *message, LLVMValueRef pointer, const char *type)
{
	const char *only = single_value(type), *names;
	const struct message_hole plain = {.options = ""};
	LLVMTypeRef integer;

	if (only) {
		message_text(message, only);
		return true;
	}
	names = message_enum(message->cc, type, &integer);
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

void
message_typed(struct message *message, const struct message_hole *hole,
	      LLVMValueRef pointer, const char *whole, const char *trait)
{
	struct cc *cc = message->cc;
	LLVMTypeRef address = LLVMPointerTypeInContext(cc->context, 0);
	const char *kind = kind_of_trait(trait, hole), *type;
	const struct plain_type *plain;
	unsigned references, bits = 64;

	type = without_references(whole, &references);
	/* {:p} of a reference shows where it points to. */
	if (kind && *kind == 'p' && references) {
		references--;
		type = "*const u8";
	}
	if (!kind || (!strcmp(type, "str") && !references)) {
		give_up(message, whole);
		return;
	}
	for (unsigned i = !strcmp(type, "str"); i < references; i++)
		pointer = load(message, address, pointer);
	if (!strcmp(type, "str")) {
		add_str_at(message, hole, pointer, kind);
		return;
	}
	type = unwrapped(&cc->arena, type);
	plain = plain_type(type);
	bits = plain ? plain->bits : 64;
	if (!plain && !is_thin_pointer(type)) {
		/* Only its own formatter knows the rest. */
		if (strcmp(trait, "Debug") || *hole->options ||
		    !add_debug(message, pointer, type))
			give_up(message, whole);
	} else if (!has_room(message, hole->count + 1 + (bits > 64))) {
		give_up_room(message, whole);
	} else {
		add_hole(message, plain ? plain->text : "ptr", hole,
			 !plain && *kind == '?' ? "p" : kind);
		add_bits(message, pointer, bits);
	}
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
	if (split_path(arena, path, &type, &trait))
		message_typed(message, hole, pointer, type, trait);
	else
		give_up(message, path);
}
