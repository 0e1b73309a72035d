/*
 * What the branches on the way to a place say of values there. A fact about a
 * value where a branch was taken still is one where it is asked for: the
 * value's definition dominates the branch, so it has not been computed anew
 * since.
 */
#include "cc/ranges.h"

#include <string.h>

struct known *
ranges_known(struct ranges *ranges, struct place place)
{
	struct known *first = cc_map_get(ranges->places, place.block);
	struct known *known = first;

	while (known && known->to != place.to)
		known = known->next;
	if (known)
		return known;
	known = arena_alloc(ranges->arena, sizeof(*known));
	known->to = place.to;
	known->next = first;
	for (size_t i = 0; i < array_count(known->terms); i++)
		known->terms[i] = cc_map_new(ranges->arena);
	cc_map_set(ranges->arena, ranges->places, place.block, known);
	return known;
}

/* ---- learning ---- */

static void
add_fact(struct ranges *ranges, struct known *known, struct fact fact)
{
	if (known->fact_count == known->fact_capacity) {
		struct fact *old = known->facts;

		known->fact_capacity =
			known->fact_capacity ? known->fact_capacity * 2 : 8;
		known->facts = arena_alloc(ranges->arena,
					   known->fact_capacity *
						   sizeof(*known->facts));
		if (old)
			memcpy(known->facts, old,
			       known->fact_count * sizeof(*old));
	}
	known->facts[known->fact_count++] = fact;
}

static bool
is_not_negative(LLVMValueRef value)
{
	uint64_t sign = (checks_mask(LLVMTypeOf(value)) >> 1) + 1;

	return !(cc_shim_greatest(value, value) & sign);
}

/* Whether a signed comparison says the same as the unsigned one. */
static bool
is_unsigned_too(const struct compare *compare)
{
	if (compare->is == LLVMIntSLT || compare->is == LLVMIntSLE)
		return is_not_negative(compare->a);
	return LLVMIsAConstantInt(compare->b) &&
	       LLVMConstIntGetSExtValue(compare->b) >= 0;
}

static void
learn_compare(struct ranges *ranges, struct known *known,
	      struct compare compare)
{
	struct fact fact = {.value = compare.a, .than = compare.b};
	LLVMValueRef more;

	if (!LLVMIsAInstruction(compare.a))
		return;
	fact.width = LLVMGetIntTypeWidth(LLVMTypeOf(compare.a));
	if (compare.is >= LLVMIntSGT) {
		if (!is_unsigned_too(&compare))
			return;
		compare.is -= LLVMIntSGT - LLVMIntUGT;
	}
	fact.is = compare.is;
	add_fact(ranges, known, fact);
	if ((fact.is != LLVMIntULT && fact.is != LLVMIntULE) ||
	    LLVMGetInstructionOpcode(compare.a) != LLVMAdd)
		return;
	more = LLVMGetOperand(compare.a, 1);
	if (!LLVMIsAConstantInt(more))
		return;
	fact.value = LLVMGetOperand(compare.a, 0);
	fact.more = LLVMConstIntGetZExtValue(more);
	add_fact(ranges, known, fact);
}

/* What `not` is of; NULL if the value is none. */
static LLVMValueRef
negated(LLVMValueRef value)
{
	LLVMValueRef a, b;

	if (!LLVMIsAInstruction(value) ||
	    LLVMGetInstructionOpcode(value) != LLVMXor)
		return NULL;
	a = LLVMGetOperand(value, 0);
	b = LLVMGetOperand(value, 1);
	if (LLVMIsAConstantInt(b))
		return LLVMConstIntGetZExtValue(b) == 1 ? a : NULL;
	return LLVMIsAConstantInt(a) && LLVMConstIntGetZExtValue(a) == 1 ? b
									 : NULL;
}

static void
learn(struct ranges *ranges, struct known *known, LLVMValueRef condition,
      bool is)
{
	LLVMValueRef a, b;
	struct compare compare;
	struct fact itself = {
		.value = condition,
		.width = 1,
		.is = LLVMIntEQ,
		.than = LLVMConstInt(LLVMTypeOf(condition), is, false),
	};

	add_fact(ranges, known, itself);
	if ((a = negated(condition))) {
		learn(ranges, known, a, !is);
	} else if (checks_splits(condition, is, &a, &b)) {
		learn(ranges, known, a, is);
		learn(ranges, known, b, is);
	} else if (checks_compare(condition, is, &compare)) {
		learn_compare(ranges, known, compare);
		learn_compare(ranges, known, checks_swapped(compare));
	}
}

/* What the branch at the end of `from` says if it goes to `to`, or, without
 * that, of all that leads to `block`. */
static void
learn_branch(struct ranges *ranges, struct known *known, LLVMBasicBlockRef from,
	     LLVMBasicBlockRef to, LLVMBasicBlockRef block)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(from);

	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
	    LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
		return;
	for (unsigned i = 0; i < 2; i++) {
		LLVMBasicBlockRef next = LLVMGetSuccessor(branch, i);

		if (to ? next == to
		       : cc_shim_edge_dominates(ranges->analyses, from, next,
						block))
			learn(ranges, known, LLVMGetCondition(branch), i == 0);
	}
}

const struct known *
ranges_facts(struct ranges *ranges, struct place place)
{
	struct known *known = ranges_known(ranges, place);
	LLVMBasicBlockRef block = place.block;

	if (known->learnt)
		return known;
	known->learnt = true;
	if (place.to)
		learn_branch(ranges, known, block, place.to, NULL);
	while ((block = cc_shim_dominator(ranges->analyses, block)))
		learn_branch(ranges, known, block, NULL, place.block);
	return known;
}

/* ---- using it ---- */

static unsigned
narrow(struct terms *terms, unsigned term, const struct fact *fact,
       unsigned than)
{
	unsigned up = 64 - fact->width;
	/* Sign-extended, so that terms_put sees which way it goes. */
	uint64_t more = (uint64_t)((int64_t)(fact->more << up) >> up);

	switch (fact->is) {
	case LLVMIntULT:
		return terms_put(terms, SMELT_TERM_BELOW, fact->width, term,
				 than, more);
	case LLVMIntULE:
		return terms_put(terms, SMELT_TERM_ATMOST, fact->width, term,
				 than, more);
	case LLVMIntUGT:
		return terms_of(terms, SMELT_TERM_ABOVE, fact->width, term,
				than);
	case LLVMIntUGE:
		return terms_of(terms, SMELT_TERM_ATLEAST, fact->width, term,
				than);
	case LLVMIntEQ:
		return terms_of(terms, SMELT_TERM_MEET, fact->width, term,
				than);
	case LLVMIntNE:
		return terms_of(terms, SMELT_TERM_OTHER, fact->width, term,
				than);
	default:
		return term;
	}
}

/* Whether the other side is worth a look: what a value is only bounded by from
 * below, and numbers of the block, are if they are known at the launch. */
static bool
is_plain(const struct fact *fact)
{
	bool load = LLVMIsALoadInst(fact->value) != NULL;

	if (LLVMIsAConstantInt(fact->than))
		return true;
	if (fact->is == LLVMIntULT || fact->is == LLVMIntULE)
		return !load;
	return LLVMIsALoadInst(fact->than) && !load;
}

unsigned
ranges_narrowed(struct ranges *ranges, unsigned term, LLVMValueRef value,
		struct place place)
{
	const struct known *known = ranges_facts(ranges, place);

	for (size_t i = 0; i < known->fact_count; i++) {
		const struct fact *fact = &known->facts[i];
		unsigned than;

		if (fact->value != value || !is_plain(fact))
			continue;
		than = ranges_of(ranges, fact->than, place);
		if (terms_is_bounded(&ranges->terms, than))
			term = narrow(&ranges->terms, term, fact, than);
	}
	return term;
}
