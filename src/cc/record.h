/*
 * Between record.c and print.c: what a GPU's thread leaves in memory.
 */
#ifndef SMELT_CC_RECORD_H
#define SMELT_CC_RECORD_H

#include "cc/lower.h"

struct record {
	struct cc_job *job;
	const struct lower_record *ops;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, i64;
	LLVMTypeRef global;
	LLVMValueRef slot; /* [2 x i64] in shared memory; NULL: not needed */
};

/* ---- record.c ---- */

/* Stores to base + offset bytes, for a constant offset. */
void
record_store(struct record *r, LLVMValueRef base, size_t offset,
	     LLVMValueRef value);
/* The fields at these offsets take the position in grid and block. */
void
record_positions(struct record *r, LLVMValueRef base, size_t block,
		 size_t thread);
/* A word of the block's header, in a kernel or in a function that it calls. */
LLVMValueRef
record_header(struct record *r, LLVMValueRef function, size_t offset);
/* Adds to an integer in memory, for the device; what it was. */
LLVMValueRef
record_add(struct record *r, LLVMValueRef at, LLVMValueRef value);
/* Stores the words of a call behind base; how many there are. */
LLVMValueRef
record_words(struct record *r, LLVMValueRef call, LLVMValueRef base);

/* ---- print.c ---- */

/* __smelt_print; NULL if nothing prints. */
LLVMValueRef
print_function(struct cc_job *job);
/* Replaces its calls in a function. */
void
print_lower(struct record *r, LLVMValueRef function);

#endif
