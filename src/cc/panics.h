/*
 * Between the files of stage `sites`: which functions panic or print
 * (panic_functions.c), what they say (message*.c), and what is done about it
 * (panics.c).
 */
#ifndef SMELT_CC_PANICS_H
#define SMELT_CC_PANICS_H

#include "cc/cc.h"

/* What stands before the last argument, the &Location. */
enum shape {
	PLACE_ONLY,
	TEXT,	      /* pointer and length */
	TEXT_ALONE,   /* and no &Location behind it */
	FORMAT,	      /* fmt::Arguments */
	FORMAT_ALONE, /* followed by a bool at most */
	PRINT,	      /* fmt::Arguments alone, of smelt::print! */
	DISPLAY,      /* one value, of the function's generic argument */
	ERROR,	      /* pointer and length, then a &dyn Debug */
	INDEX,	      /* index, length */
	SLICE,	      /* start, end, length */
	LENGTHS,      /* of destination, of source */
	ASSERT,	      /* kind of comparison, two operands, fmt::Arguments */
	ALONE,	      /* nothing that is known */
};

struct panic_function {
	const char *path;
	enum shape shape;
	enum smelt_panic_kind kind;
	const char *message; /* NULL: from the call */
};

/* ---- panic_functions.c ---- */

/* What a function is that panics; NULL for all others. */
const struct panic_function *
panic_function(struct arena *arena, LLVMValueRef function);

/* ---- message.c ---- */

/* What is said: a template of base/text.h and the words for its values. */
struct message {
	struct cc *cc;
	LLVMValueRef call;	/* that says it */
	LLVMBuilderRef builder; /* in front of that; for loads of the values */
	struct buf text;
	/* i64 each; a str is a ptr and the i64 length behind it. */
	LLVMValueRef values[2 * SMELT_WORDS];
	size_t at[2 * SMELT_WORDS]; /* in the text: in front of their hole */
	unsigned count;
	size_t hole;	/* where the last one begins */
	unsigned words; /* that they take, a str at least */
	/* Type of the first value that cannot be told, "" if that is not known:
	 * {..} stands for it. */
	const char *unknown;
	bool too_long;	 /* it was for lack of words */
	unsigned depth;	 /* of values in values, for message_debug */
	unsigned indent; /* of {:#?} */
};

/* The bytes that a pointer to constant data points to; NULL if it does not. */
char *
message_constant(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
		 uint64_t len);
/* Appends a value, for the hole that begins there. */
void
message_push(struct message *message, size_t at, LLVMValueRef value);
/* Appends plain text. */
void
message_text(struct message *message, const char *text);
void
message_add(struct message *message, const char *text, size_t len);
/* The generic arguments of a function, in turn; NULL behind the last. */
const char *
message_generic(struct arena *arena, LLVMValueRef function, unsigned index);
/* The whole message of a call that panics or prints. */
void
message_of_call(struct message *message, const struct panic_function *function);
/* The array of the fmt::Arguments that a call is given; NULL for none. */
LLVMValueRef
message_arguments(LLVMValueRef call, const struct panic_function *function);

/* ---- message_format.c ---- */

/* Appends the text and values of a fmt::Arguments; {..} where it is none that
 * is known. */
void
message_format(struct message *message, LLVMValueRef template,
	       LLVMValueRef args);
/* The text without values: what to store where there are none. */
const char *
message_plain(struct message *message);
/* The pointer or the integer of `size` bytes at pointer + offset in a constant;
 * NULL if it is none. */
LLVMValueRef
message_fixed(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
	      uint64_t size);
/* The same also in a local that rustc made for a message, which nothing writes
 * but what makes it: a single store. */
LLVMValueRef
message_stored(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
	       uint64_t size);
/* Takes away what only prepared a fmt::Arguments. Nothing else uses it, and
 * its call is gone. */
void
message_drop(struct cc *cc, LLVMValueRef args);

/* ---- message_value.c ---- */

/* Without options: filled with spaces, no alignment. */
#define MESSAGE_FLAGS ((uint32_t)' ' | UINT32_C(3) << 29)

/* How a value is asked for. */
struct message_hole {
	const char *options; /* as in a template, without the kind */
	bool lower_hex;	     /* with Debug: in hexadecimal */
	bool upper_hex;
	bool alternate; /* {:#?}: lines */
	uint32_t flags; /* all that is asked for, as FormattingOptions has it */
	/* i64; a width and a precision that are $ in the options. */
	LLVMValueRef counts[2];
	unsigned count;
};

/* Appends a value that the formatter, <TYPE as TRAIT>::fmt, is called with. */
void
message_value(struct message *message, const struct message_hole *hole,
	      LLVMValueRef pointer, LLVMValueRef formatter);
/* The same from the names of type and trait. */
void
message_typed(struct message *message, const struct message_hole *hole,
	      LLVMValueRef pointer, const char *type, const char *trait);
/* Appends a str, or a slice of plain values; false if it is neither. */
bool
message_fat(struct message *message, const struct message_hole *hole,
	    LLVMValueRef pointer, LLVMValueRef len, const char *type,
	    const char *trait);
/* The same of what <TYPE as TRAIT>::fmt is called with. */
bool
message_unsized(struct message *message, const struct message_hole *hole,
		LLVMValueRef pointer, LLVMValueRef len, LLVMValueRef formatter);
/* The function that formats an item, from that for slices of them; NULL if it
 * is not known. */
LLVMValueRef
message_item(struct cc *cc, LLVMValueRef formatter);
/* Words that a str or a list has at least; what is left for its bytes is shared
 * out by words.c. */
enum { message_text_words = 5 };
/* Appends a str: pointer and length. */
void
message_str(struct message *message, const struct message_hole *hole,
	    LLVMValueRef pointer, LLVMValueRef len, const char *kind);

/* Whether this is a function to format a value that only it knows, or one that
 * calls some. */
bool
message_is_own(struct cc *cc, LLVMValueRef function);

/* ---- message_enum.c ---- */

/* The names of an enum without fields, from its derived Debug, as the type of a
 * hole ("0=A|3=B") and the integer type of the value, or the one name that it
 * has and NULL; NULL if it is no such function. */
const char *
message_enum(struct cc *cc, LLVMValueRef function, LLVMTypeRef *integer);

/* ---- message_debug.c ---- */

/* The first name of the functions that message_debug makes, to be inlined. */
#define MESSAGE_COPY "smelt.words"

/* Appends a value, one operand or two, that a function of the module is called
 * with to format it. False if what it does is not understood, or has no room;
 * nothing is appended then. */
bool
message_debug(struct message *message, const struct message_hole *hole,
	      const LLVMValueRef *operands, unsigned count,
	      LLVMValueRef function);

#endif
