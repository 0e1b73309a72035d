/*
 * Between the files of stage `sites`: which functions panic
 * (panic_functions.c), what a message says (message.c), and what is done about
 * both (panics.c).
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
	INDEX,	      /* index, length */
	SLICE,	      /* start, end, length */
	LENGTHS,      /* of destination, of source */
	ASSERT,	      /* kind of comparison, then operands */
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

/* The bytes that a pointer to constant data points to; NULL if it does not. */
char *
message_constant(struct cc *cc, LLVMValueRef pointer, uint64_t offset,
		 uint64_t len);
/* The text of a fmt::Arguments, {} for each value; NULL if it is not known. */
const char *
message_format(struct cc *cc, LLVMValueRef template, LLVMValueRef args);

#endif
