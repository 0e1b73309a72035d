/*
 * Checks that a launch decides.
 *
 * Whether `a[i * n + k]` can be out of range follows, over all threads and
 * iterations, from the lengths and numbers in the parameter block and from the
 * grid; at a launch these are at hand. So for each check of a kernel the terms
 * (struct smelt_table_term) of its index's and its bound's ranges are written
 * down, and a copy of the kernel is made in which those checks are gone. The
 * runtime evaluates the terms and launches the copy if they hold, else the
 * kernel itself: there some check may fail, and the panic has its site, its
 * index and its place in the order.
 *
 * Why that is right: the ranges are of what the kernel itself computes, checks
 * included. Were one of the copy's missing checks to fail, take the first that
 * does in its thread: all that its range was made of has happened as the kernel
 * says, so it is in the range, and the range is in bounds.
 *
 * A range is made of how a value is computed (range_values.c, range_steps.c)
 * and of the branches that were taken on the way to the check (range_facts.c).
 */
#include "cc/ranges.h"

#include <string.h>

/* Branches between a check and its panic. */
enum { panic_depth = 4 };

static unsigned
need_of(LLVMIntPredicate is)
{
	switch (is) {
	case LLVMIntULT:
		return SMELT_TERM_NEED_BELOW;
	case LLVMIntULE:
		return SMELT_TERM_NEED_ATMOST;
	case LLVMIntEQ:
		return SMELT_TERM_NEED_SAME;
	case LLVMIntNE:
		return SMELT_TERM_NEED_OTHER;
	default:
		return 0;
	}
}

/* Writes down what must be so for `condition` to be `is` there; false if it
 * cannot be said. */
static bool
need(struct ranges *ranges, LLVMValueRef condition, bool is, struct place place)
{
	struct terms *terms = &ranges->terms;
	struct compare compare;
	LLVMValueRef a, b;
	unsigned op, left, right;

	if (checks_splits(condition, is, &a, &b))
		return need(ranges, a, is, place) && need(ranges, b, is, place);
	op = checks_compare_less(condition, is, &compare) ? need_of(compare.is)
							  : 0;
	if (!op)
		return false;
	left = ranges_of(ranges, compare.a, place);
	right = ranges_of(ranges, compare.b, place);
	if (!terms_is_bounded(terms, left) || !terms_is_bounded(terms, right))
		return false;
	terms_put(terms, op, 64, left, right, 0);
	return true;
}

/* The checks whose needs could be written down. */
static void
decide(struct ranges *ranges, LLVMValueRef kernel, struct checks *decided)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel);

	for (; block; block = LLVMGetNextBasicBlock(block)) {
		struct place place = {block, NULL};
		struct check check;
		size_t mark;

		if (!checks_find(block, panic_depth, &check))
			continue;
		mark = ranges_begin(ranges);
		if (need(ranges, LLVMGetCondition(check.branch), check.stays,
			 place))
			checks_add(ranges->arena, decided, check);
		else
			terms_drop_needs(&ranges->terms, mark);
	}
}

/* The copy's blocks are in the order of the kernel's, as the checks are. */
static void
make_copy(LLVMValueRef kernel, const char *name, const struct checks *checks)
{
	LLVMValueRef copy = cc_shim_copy_function(kernel, true);
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel);
	LLVMBasicBlockRef other = LLVMGetFirstBasicBlock(copy);
	const struct check *next = checks->list;

	LLVMSetValueName2(copy, name, strlen(name));
	for (; block && next < checks->list + checks->count;
	     block = LLVMGetNextBasicBlock(block),
	     other = LLVMGetNextBasicBlock(other)) {
		if (LLVMGetBasicBlockTerminator(block) != next->branch)
			continue;
		checks_settle(LLVMGetBasicBlockTerminator(other), next->stays);
		next++;
	}
}

size_t
cc_hold_checks(LLVMValueRef kernel, const char *name,
	       struct smelt_table_term *terms)
{
	struct cc_analyses *analyses = cc_shim_analyse(kernel);
	struct arena arena = {0};
	struct ranges ranges;
	struct checks decided = {0};
	size_t count;

	ranges_init(&ranges, &arena, analyses);
	decide(&ranges, kernel, &decided);
	cc_shim_analyses_free(analyses);
	count = terms_write(&ranges.terms, terms, SMELT_MOST_TERMS);
	if (count)
		make_copy(kernel, name, &decided);
	arena_free(&arena);
	return count;
}
