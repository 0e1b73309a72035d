/*
 * Ranges of what a counted loop steps, from LLVM's scalar evolution: the start,
 * and as many steps as the loop goes round at most.
 */
#include "cc/lower.h"
#include "cc/ranges.h"

static unsigned
of_scev(struct ranges *ranges, struct cc_scev *scev, struct place place);

/* Whether a block is passed in every round. */
static bool
is_always_passed(struct ranges *ranges, struct cc_loop *loop,
		 LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef latch = cc_shim_loop_block(loop, CC_LOOP_LATCH);

	return block == latch ||
	       cc_shim_dominates(ranges->analyses,
				 LLVMGetBasicBlockTerminator(block),
				 LLVMGetFirstInstruction(latch));
}

/* The greatest number of times that the loop goes round. */
static bool
most_rounds(struct ranges *ranges, struct cc_loop *loop, struct place before,
	    unsigned *rounds)
{
	size_t count;
	const LLVMBasicBlockRef *blocks = cc_shim_loop_blocks(loop, &count);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		struct cc_scev *exits;
		unsigned one;

		if (!region_may_leave(loop, blocks[i]) ||
		    !is_always_passed(ranges, loop, blocks[i]))
			continue;
		exits = cc_shim_exit_count(ranges->analyses, loop, blocks[i]);
		if (!exits)
			continue;
		one = of_scev(ranges, exits, before);
		if (!terms_is_bounded(&ranges->terms, one))
			continue;
		*rounds = any ? terms_of(&ranges->terms, SMELT_TERM_MIN, 64,
					 *rounds, one)
			      : one;
		any = true;
	}
	return any;
}

static unsigned
width_of(struct cc_scev *scev)
{
	LLVMTypeRef type = cc_shim_scev_type(scev);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind
		       ? LLVMGetIntTypeWidth(type)
		       : 65;
}

static bool
is_negative(struct cc_scev *scev)
{
	return cc_shim_scev_kind(scev) == CC_SCEV_CONSTANT &&
	       LLVMConstIntGetSExtValue(cc_shim_scev_value(scev)) < 0;
}

static unsigned
of_negative(struct ranges *ranges, struct cc_scev *scev, bool negative,
	    struct place place)
{
	if (negative)
		scev = cc_shim_scev_negative(ranges->analyses, scev);
	return of_scev(ranges, scev, place);
}

static unsigned
of_steps(struct ranges *ranges, struct cc_scev *scev)
{
	struct terms *terms = &ranges->terms;
	struct cc_loop *loop = cc_shim_scev_loop(scev);
	struct cc_scev *step = cc_shim_scev_operand(scev, 1);
	struct place place = {
		cc_shim_loop_block(loop, CC_LOOP_PREDECESSOR),
		cc_shim_loop_block(loop, CC_LOOP_HEADER),
	};
	unsigned width = width_of(scev), rounds, start, by;
	bool down;

	if (cc_shim_scev_operand(scev, 2) || width > 64 || !place.block ||
	    !cc_shim_loop_block(loop, CC_LOOP_LATCH))
		return terms_any(terms, 64);
	if (!most_rounds(ranges, loop, place, &rounds))
		return terms_any(terms, width);
	rounds = terms_of(terms, SMELT_TERM_UPTO, 64, rounds, rounds);
	start = of_scev(ranges, cc_shim_scev_operand(scev, 0), place);
	down = is_negative(step);
	by = of_negative(ranges, step, down, place);
	return terms_of(terms, down ? SMELT_TERM_SUB : SMELT_TERM_ADD, width,
			start,
			terms_of(terms, SMELT_TERM_MUL, width, by, rounds));
}

bool
ranges_of_steps(struct ranges *ranges, LLVMValueRef phi, unsigned *term)
{
	LLVMBasicBlockRef header = LLVMGetInstructionParent(phi);
	struct cc_loop *loop = cc_shim_loop_of(ranges->analyses, header);
	struct cc_scev *scev;

	if (!loop || cc_shim_loop_block(loop, CC_LOOP_HEADER) != header)
		return false;
	scev = cc_shim_scev(ranges->analyses, phi);
	if (cc_shim_scev_kind(scev) != CC_SCEV_STEPS ||
	    cc_shim_scev_loop(scev) != loop)
		return false;
	*term = of_steps(ranges, scev);
	return true;
}

/* What is taken off goes to a sum of its own, so that neither wraps for being
 * written as the other. */
static unsigned
of_sum(struct ranges *ranges, struct cc_scev *sum, unsigned width,
       struct place place)
{
	struct terms *terms = &ranges->terms;
	unsigned plus = terms_number(terms, 0, width), minus = plus;
	struct cc_scev *operand;

	for (size_t i = 0; (operand = cc_shim_scev_operand(sum, i)); i++) {
		bool product = cc_shim_scev_kind(operand) == CC_SCEV_PRODUCT;
		bool negative = is_negative(
			product ? cc_shim_scev_operand(operand, 0) : operand);
		unsigned one = of_negative(ranges, operand, negative, place);
		unsigned *side = negative ? &minus : &plus;

		*side = terms_of(terms, SMELT_TERM_ADD, width, *side, one);
	}
	return terms_of(terms, SMELT_TERM_SUB, width, plus, minus);
}

static unsigned
of_list(struct ranges *ranges, struct cc_scev *list, enum smelt_term op,
	unsigned width, struct place place)
{
	unsigned all = of_scev(ranges, cc_shim_scev_operand(list, 0), place);
	struct cc_scev *operand;

	for (size_t i = 1; (operand = cc_shim_scev_operand(list, i)); i++)
		all = terms_of(&ranges->terms, op, width, all,
			       of_scev(ranges, operand, place));
	return all;
}

/* The divisor is looked at first. */
static unsigned
of_quotient(struct ranges *ranges, struct cc_scev *scev, unsigned width,
	    struct place place)
{
	unsigned b = of_scev(ranges, cc_shim_scev_operand(scev, 1), place);
	unsigned a = of_scev(ranges, cc_shim_scev_operand(scev, 0), place);

	return terms_of(&ranges->terms, SMELT_TERM_DIV, width, a, b);
}

static unsigned
of_scev(struct ranges *ranges, struct cc_scev *scev, struct place place)
{
	struct terms *terms = &ranges->terms;
	unsigned width = width_of(scev), a;

	if (width > 64 || !ranges_step(ranges))
		return terms_any(terms, 64);
	switch (cc_shim_scev_kind(scev)) {
	case CC_SCEV_CONSTANT:
	case CC_SCEV_VALUE:
		return ranges_of(ranges, cc_shim_scev_value(scev), place);
	case CC_SCEV_STEPS:
		return of_steps(ranges, scev);
	case CC_SCEV_ZEXT:
		return of_scev(ranges, cc_shim_scev_operand(scev, 0), place);
	case CC_SCEV_TRUNC:
		a = of_scev(ranges, cc_shim_scev_operand(scev, 0), place);
		return terms_of(terms, SMELT_TERM_TRUNC, width, a, a);
	case CC_SCEV_DIV:
		return of_quotient(ranges, scev, width, place);
	case CC_SCEV_SUM:
		return of_sum(ranges, scev, width, place);
	case CC_SCEV_PRODUCT:
		return of_list(ranges, scev, SMELT_TERM_MUL, width, place);
	case CC_SCEV_UMAX:
		return of_list(ranges, scev, SMELT_TERM_MAX, width, place);
	case CC_SCEV_UMIN:
		return of_list(ranges, scev, SMELT_TERM_MIN, width, place);
	default:
		return terms_any(terms, width);
	}
}
