/*
 * The terms of ranges (struct smelt_table_term), made from a kernel's code, for
 * held.c.
 */
#ifndef SMELT_CC_RANGES_H
#define SMELT_CC_RANGES_H

#include "cc/checks.h"

/* ---- range_terms.c: terms, each written down once ---- */

struct terms {
	struct arena *arena;
	struct term *list;
	size_t count;
	size_t capacity;
	/* Numbers of terms plus 1, by what they say; a power of two. */
	uint32_t *slots;
	size_t slot_count;
};

/* All numbers of terms are indices of the list until terms_write. A term of two
 * others, or of one, which is then both; value: as the operation has it. */
unsigned
terms_put(struct terms *terms, unsigned op, unsigned width, unsigned a,
	  unsigned b, uint64_t value);
/* Terms of no others. */
unsigned
terms_number(struct terms *terms, uint64_t value, unsigned width);
unsigned
terms_any(struct terms *terms, unsigned width);
/* 0 to most. */
unsigned
terms_upto(struct terms *terms, uint64_t most);
/* A term of two others and nothing else. */
unsigned
terms_of(struct terms *terms, enum smelt_term op, unsigned width, unsigned a,
	 unsigned b);
/* Whether it says more than the value's width does, and may be hoped to be the
 * range of what a program computes. */
bool
terms_is_bounded(const struct terms *terms, unsigned term);
/* Forgets the needs among the terms from `mark` on, a count of before. */
void
terms_drop_needs(struct terms *terms, size_t mark);
/* The needs and what they are made of; 0 if there are no needs, or too many
 * terms. */
size_t
terms_write(const struct terms *terms, struct smelt_table_term *out,
	    size_t room);

/* ---- the ranges of a kernel ---- */

/* In the block, or, with `to`, on the edge from it. */
struct place {
	LLVMBasicBlockRef block;
	LLVMBasicBlockRef to;
};

/* `value + more is than`, all of it unsigned and of this width. */
struct fact {
	LLVMValueRef value;
	uint64_t more;
	unsigned width;
	LLVMIntPredicate is;
	LLVMValueRef than;
};

/* What is known of a place. */
struct known {
	LLVMBasicBlockRef to;
	struct known *next; /* of the same block */
	/* Terms plus 1 of values there, and of frozen ones. */
	struct cc_map *terms[2];
	/* What the branches on the way say. */
	bool learnt;
	struct fact *facts;
	size_t fact_count;
	size_t fact_capacity;
};

/* Values on one way. */
enum { ranges_deepest = 32 };

struct ranges {
	struct arena *arena;
	struct cc_analyses *analyses;
	struct terms terms;
	struct cc_map *places; /* of blocks, the first struct known */
	/* Values whose range is being made, outermost first, and which of them
	 * were met again and are being narrowed; the outermost that was met
	 * since. */
	LLVMValueRef open[ranges_deepest];
	bool narrowing[ranges_deepest];
	unsigned open_count;
	unsigned lowest;
	/* Whether the value's poison is to be any number (freeze). */
	bool frozen;
	unsigned steps;
};

void
ranges_init(struct ranges *ranges, struct arena *arena,
	    struct cc_analyses *analyses);
/* Begins with a check: what is put from now on is its own. A mark for
 * terms_drop_needs. */
size_t
ranges_begin(struct ranges *ranges);
/* The term of a value's range at a place. */
unsigned
ranges_of(struct ranges *ranges, LLVMValueRef value, struct place place);
/* Counts a step of a walk; false if it was one too many. */
bool
ranges_step(struct ranges *ranges);

/* ---- range_facts.c: what branches say ---- */

struct known *
ranges_known(struct ranges *ranges, struct place place);
/* The same, with its facts. */
const struct known *
ranges_facts(struct ranges *ranges, struct place place);
/* A value's term with what branches say of it. */
unsigned
ranges_narrowed(struct ranges *ranges, unsigned term, LLVMValueRef value,
		struct place place);

/* ---- range_values.c: how values are computed ---- */

/* Of an instruction whose type is an integer of this width. */
unsigned
ranges_describe(struct ranges *ranges, LLVMValueRef inst, unsigned width,
		struct place place);

/* ---- range_steps.c: scalar evolution ---- */

/* Of a phi that a counted loop steps; false if it is none. */
bool
ranges_of_steps(struct ranges *ranges, LLVMValueRef phi, unsigned *term);

#endif
