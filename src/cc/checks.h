/*
 * Checks: branches of which one way panics. What the passes that decide them
 * early (hoist.c, held.c, straight.c) share.
 */
#ifndef SMELT_CC_CHECKS_H
#define SMELT_CC_CHECKS_H

#include "cc/analyses.h"
#include "cc/cc.h"

/* ---- checks.c ---- */

/* A branch that goes on iff its condition is `stays`. */
struct check {
	LLVMValueRef branch;
	bool stays;
};

struct checks {
	struct check *list;
	size_t count;
	size_t capacity;
};

void
checks_add(struct arena *arena, struct checks *checks, struct check check);
/* A block's branch on something that is not constant; NULL if it ends in
 * another way. */
LLVMValueRef
checks_branch(LLVMBasicBlockRef block);
/* Whether every way on from the block ends in a panic within so many branches,
 * and nothing is done before. */
bool
checks_is_panic(LLVMBasicBlockRef block, unsigned depth);
/* Whether a block ends in a check, of which one way is such a panic. */
bool
checks_find(LLVMBasicBlockRef block, unsigned depth, struct check *check);
/* The greatest unsigned number of an integer type of at most 64 bits. */
uint64_t
checks_mask(LLVMTypeRef type);
/* Has a branch always go on. */
void
checks_settle(LLVMValueRef branch, bool stays);
/* Whether a condition is `is` exactly if both a and b are. */
bool
checks_splits(LLVMValueRef condition, bool is, LLVMValueRef *a,
	      LLVMValueRef *b);
/* As cc_pointer_base, through casts from one address space to another. */
LLVMValueRef
checks_pointer_base(LLVMModuleRef module, LLVMValueRef pointer,
		    uint64_t *offset);
/* Whether a load reads the kernel's parameter block, which is the same
 * everywhere, and where. */
bool
checks_block_field(LLVMValueRef load, uint64_t *offset);

/* What holds where the other does not, and the same with sides exchanged. */
LLVMIntPredicate
checks_inverse(LLVMIntPredicate is);
LLVMIntPredicate
checks_mirrored(LLVMIntPredicate is);

/* a `is` b, of integers of at most 64 bits. */
struct compare {
	LLVMIntPredicate is;
	LLVMValueRef a;
	LLVMValueRef b;
};

/* What is so if a condition is `is`; false if it compares no
 * such integers. */
bool
checks_compare(LLVMValueRef condition, bool is, struct compare *compare);
/* The same the other way round. */
struct compare
checks_swapped(struct compare compare);
/* As checks_compare, without > and >= of unsigned numbers. */
bool
checks_compare_less(LLVMValueRef condition, bool is, struct compare *compare);

/* ---- region.c ---- */

/* What a phi is when it is come to from a block, which is one of its. */
LLVMValueRef
region_incoming(LLVMValueRef phi, LLVMBasicBlockRef from);

/* Whether a block of a loop has a way out of it. */
bool
region_may_leave(struct cc_loop *loop, LLVMBasicBlockRef block);
/* Copies a region that is entered by its first block alone, and whose values
 * are used behind it by phis alone. Puts the copies of its blocks in `copies`
 * (room for count), of its values in the map that is returned. */
struct cc_map *
region_copy(struct arena *arena, const LLVMBasicBlockRef *blocks, size_t count,
	    const char *suffix, LLVMBasicBlockRef *copies);
/* Whether it may run twice in the text and once in fact: no barrier, which must
 * stay one instruction for all threads that meet at it. */
bool
region_may_be_copied(const LLVMBasicBlockRef *blocks, size_t count);
/* A branch on an i1 that is likely or unlikely, in place of a block's end. */
void
region_decide(struct cc_job *job, LLVMBasicBlockRef block,
	      LLVMValueRef condition, bool likely, LLVMBasicBlockRef if_true,
	      LLVMBasicBlockRef if_false);

/* ---- early.c ---- */

/* Copies of instructions, in front of `at`. */
struct early {
	struct cc_job *job;
	struct cc_analyses *analyses;
	LLVMValueRef at;
	/* To themselves until they are copied. */
	struct cc_map *made;
	LLVMValueRef *order;
	size_t count;
	size_t capacity;
};

/* Whether a value can be had at early.at; notes what must be copied for it. */
bool
early_can(struct early *early, LLVMValueRef value);
/* i1, computed at early.at: some of the checks fails. early_can was true of the
 * condition of each. */
LLVMValueRef
early_any_fails(struct early *early, const struct checks *run);

/* ---- the passes ---- */

/* Decides the bounds checks of innermost counted loops in front of them,
 * whether there were any. Requires loop-simplify and LCSSA form, rotated loops,
 * and panics that end in unreachable. */
bool
cc_hoist_checks(struct cc_job *job);
/* Decides runs of checks in straight-line code in front of the first, whether
 * there were any. Requires panics as lower_declare_panic leaves them; leaves
 * constant branches. */
bool
cc_straight_checks(struct cc_job *job);

/* Makes a copy of a kernel, called name, without the checks that the terms say
 * a launch decides; their number, 0: nothing was made. Room for
 * SMELT_MOST_TERMS. Requires what cc_hoist_checks does. */
size_t
cc_hold_checks(LLVMValueRef kernel, const char *name,
	       struct smelt_table_term *terms);

#endif
