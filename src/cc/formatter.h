/*
 * Between message_debug.c, which follows a function that formats, and
 * formatter.c, which knows the calls that it makes.
 */
#ifndef SMELT_CC_FORMATTER_H
#define SMELT_CC_FORMATTER_H

#include "cc/panics.h"
#include "cc/shim.h"

/* What a call does with a Formatter, which is its first operand where nothing
 * else is said. */
enum formatter_call {
	NOT_FORMATTER,
	WRITE_STR,     /* pointer, length */
	WRITE_DYN,     /* half of the writer, pointer, length; through the other
			  half's vtable */
	PAD,	       /* pointer, length; with the options */
	WRITE_FORMAT,  /* the two halves of the Formatter's writer, template,
			  arguments */
	CONSTANT_TEXT, /* of a fmt::Arguments, if it is nothing else */
	FINISH_TUPLE,  /* name, then (value, vtable) */
	FINISH_STRUCT, /* name, then (name, value, vtable) */
	FINISH_TUPLES, /* name, array of (value, vtable) and its length */
	FINISH_STRUCTS, /* name, array of names, array of (value, vtable) */
	/* The builder is the first operand. */
	OPEN_TUPLE,   /* Formatter, name */
	OPEN_STRUCT,  /* Formatter, name */
	OPEN_LIST,    /* Formatter */
	TUPLE_FIELD,  /* value, vtable */
	STRUCT_FIELD, /* name, value, vtable */
	LIST_ENTRY,   /* value, vtable */
	CLOSE,
	VALUE, /* one word or two, then the Formatter: another type's fmt */
};

/* What was said so far, on one way. */
struct formatter {
	const struct message_hole *hole; /* the options */
	/* A tuple, struct or list that was begun: ( { or [, else 0. */
	char open;
	LLVMValueRef builder;
	bool unnamed;
	unsigned fields;
};

/* `self` is the Formatter of the function that the call is in, or NULL. */
enum formatter_call
formatter_call(struct cc *cc, LLVMValueRef call, LLVMValueRef self);
/* Whether an instruction reads the Formatter but for its writer; *flags: the
 * options that are flags. */
bool
formatter_is_read(struct cc *cc, LLVMValueRef instruction, LLVMValueRef self,
		  bool *flags);
/* A call that says nothing: of an intrinsic. */
bool
formatter_is_harmless(LLVMValueRef call);
/* Appends what a call says; the message's builder stands in front of it. false
 * if it is no call of this Formatter, or is not understood. */
bool
formatter_say(struct formatter *formatter, struct message *message,
	      LLVMValueRef call, LLVMValueRef self);
/* What lies at an offset from an address, loaded where the message's builder
 * is. */
LLVMValueRef
formatter_load(struct message *message, LLVMTypeRef type, LLVMValueRef base,
	       uint64_t offset);
/* A local of the function that the message's builder is in. */
LLVMValueRef
formatter_local(struct message *message, LLVMTypeRef type);

#endif
