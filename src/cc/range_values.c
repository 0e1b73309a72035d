/*
 * Ranges of values from how they are computed: one term for an instruction, of
 * those of its operands.
 */
#include "cc/lower.h"
#include "cc/ranges.h"

#include <string.h>

/* Values that a phi may have before nothing is said of it. */
enum { most_incoming = 8 };

/* ---- positions ---- */

/* Where a thread stands, and how many there are. A dimension's letter comes
 * behind the name. */
static bool
describe_position(struct ranges *ranges, const char *name, unsigned *term)
{
	static const struct {
		unsigned op;
		const char *name;
	} known[] = {
		{SMELT_TERM_THREAD, "llvm.nvvm.read.ptx.sreg.tid."},
		{SMELT_TERM_BLOCK, "llvm.nvvm.read.ptx.sreg.ctaid."},
		{SMELT_TERM_BLOCK_DIM, "llvm.nvvm.read.ptx.sreg.ntid."},
		{SMELT_TERM_GRID_DIM, "llvm.nvvm.read.ptx.sreg.nctaid."},
		{SMELT_TERM_THREAD, "llvm.amdgcn.workitem.id."},
		{SMELT_TERM_BLOCK, "llvm.amdgcn.workgroup.id."},
	};

	for (size_t i = 0; i < array_count(known); i++) {
		const char *letter = name + strlen(known[i].name);

		if (!starts_with(name, known[i].name) || *letter < 'x' ||
		    *letter > 'z' || letter[1])
			continue;
		*term = terms_put(&ranges->terms, known[i].op, 32,
				  (unsigned)(*letter - 'x'), 0, 0);
		return true;
	}
	return false;
}

/* The hidden arguments of target_amdgpu.c: block counts, then block sizes. */
static bool
describe_hidden(struct ranges *ranges, LLVMValueRef load, unsigned width,
		unsigned *term)
{
	LLVMModuleRef module = LLVMGetGlobalParent(lower_function_of(load));
	uint64_t at;
	LLVMValueRef base =
		checks_pointer_base(module, LLVMGetOperand(load, 0), &at);
	LLVMValueRef callee = base ? lower_callee(base) : NULL;
	bool count = width == 32 && at < 12 && at % 4 == 0;
	bool size = width == 16 && at >= 12 && at < 18 && at % 2 == 0;

	if (!callee || strcmp(LLVMGetValueName(callee),
			      "llvm.amdgcn.implicitarg.ptr") != 0)
		return false;
	if (count)
		*term = terms_put(&ranges->terms, SMELT_TERM_GRID_DIM, 32,
				  (unsigned)at / 4, 0, 0);
	else if (size)
		*term = terms_put(&ranges->terms, SMELT_TERM_BLOCK_DIM, 32,
				  (unsigned)(at - 12) / 2, 0, 0);
	return count || size;
}

/* ---- loads and calls ---- */

static unsigned
describe_load(struct ranges *ranges, LLVMValueRef load, unsigned width)
{
	uint64_t offset;
	unsigned term;

	/* The header is filled in after the terms were evaluated. */
	if (width % 8 == 0 && checks_block_field(load, &offset) &&
	    offset >= sizeof(struct smelt_block_header))
		return terms_put(&ranges->terms, SMELT_TERM_FIELD, width, 0, 0,
				 offset);
	return describe_hidden(ranges, load, width, &term)
		       ? term
		       : terms_any(&ranges->terms, width);
}

/* The greatest result of calls that do not depend on their arguments much; 0:
 * none of these. */
static unsigned
most_of(const char *name, unsigned width)
{
	static const struct {
		const char *name;
		unsigned most; /* 0: the width */
	} known[] = {
		{"llvm.ctpop.", 0},
		{"llvm.ctlz.", 0},
		{"llvm.cttz.", 0},
		/* The lane: .hi where a warp has 64, .lo alone where it has
		 * 32. */
		{"llvm.amdgcn.mbcnt.hi", 63},
		{"llvm.amdgcn.mbcnt.lo", 31},
		{"llvm.nvvm.read.ptx.sreg.laneid", 31},
	};

	for (size_t i = 0; i < array_count(known); i++)
		if (starts_with(name, known[i].name))
			return known[i].most ? known[i].most : width;
	return 0;
}

/* An operation on the ranges of two values, of which the second is looked at
 * first. */
static unsigned
describe_two(struct ranges *ranges, enum smelt_term op, unsigned width,
	     LLVMValueRef left, LLVMValueRef right, struct place place)
{
	unsigned b = ranges_of(ranges, right, place);
	unsigned a = ranges_of(ranges, left, place);

	return terms_of(&ranges->terms, op, width, a, b);
}

static unsigned
describe_call(struct ranges *ranges, LLVMValueRef call, unsigned width,
	      struct place place)
{
	LLVMValueRef callee = lower_callee(call);
	const char *name = callee ? LLVMGetValueName(callee) : "";
	bool min = starts_with(name, "llvm.umin.");
	unsigned term, most = most_of(name, width);

	if (describe_position(ranges, name, &term))
		return term;
	if (min || starts_with(name, "llvm.umax."))
		return describe_two(ranges,
				    min ? SMELT_TERM_MIN : SMELT_TERM_MAX,
				    width, LLVMGetOperand(call, 0),
				    LLVMGetOperand(call, 1), place);
	return most ? terms_upto(&ranges->terms, most)
		    : terms_any(&ranges->terms, width);
}

/* The number that an operation with an overflow bit gives. */
static unsigned
describe_part(struct ranges *ranges, LLVMValueRef part, unsigned width,
	      struct place place)
{
	static const struct {
		const char *name;
		enum smelt_term op;
	} known[] = {
		{"add.with.overflow.", SMELT_TERM_ADD},
		{"sub.with.overflow.", SMELT_TERM_SUB},
		{"mul.with.overflow.", SMELT_TERM_MUL},
	};
	LLVMValueRef call = LLVMGetOperand(part, 0);
	LLVMValueRef callee = lower_callee(call);
	const char *name = callee ? LLVMGetValueName(callee) : "";

	if (!(starts_with(name, "llvm.u") || starts_with(name, "llvm.s")) ||
	    LLVMGetIndices(part)[0] != 0)
		return terms_any(&ranges->terms, width);
	for (size_t i = 0; i < array_count(known); i++) {
		unsigned a, b;

		if (!starts_with(name + 6, known[i].name))
			continue;
		a = ranges_of(ranges, LLVMGetOperand(call, 0), place);
		b = ranges_of(ranges, LLVMGetOperand(call, 1), place);
		return terms_of(&ranges->terms, known[i].op, width, a, b);
	}
	return terms_any(&ranges->terms, width);
}

/* ---- phis and selects ---- */

static unsigned
describe_phi(struct ranges *ranges, LLVMValueRef phi, unsigned width)
{
	struct terms *terms = &ranges->terms;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
	unsigned joined = 0, steps;
	bool first = true;

	if (LLVMCountIncoming(phi) > most_incoming)
		return terms_any(terms, width);
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef value = LLVMGetIncomingValue(phi, i);
		struct place edge = {LLVMGetIncomingBlock(phi, i), block};
		unsigned one;

		if (value == phi)
			continue;
		one = ranges_of(ranges, value, edge);
		if (first)
			joined = one;
		else if (one != joined)
			joined = terms_of(terms, SMELT_TERM_JOIN, width, joined,
					  one);
		first = false;
	}
	if (first)
		return terms_any(terms, width);
	/* What LLVM says of steps may be so because they do not wrap. */
	if (ranges->frozen || !ranges_of_steps(ranges, phi, &steps) ||
	    !terms_is_bounded(terms, steps))
		return joined;
	return terms_is_bounded(terms, joined)
		       ? terms_of(terms, SMELT_TERM_MEET, width, joined, steps)
		       : steps;
}

/* Only one of the two where the condition has decided a branch on the way. */
static unsigned
describe_select(struct ranges *ranges, LLVMValueRef select, unsigned width,
		struct place place)
{
	const struct known *known = ranges_facts(ranges, place);
	LLVMValueRef condition = LLVMGetOperand(select, 0);

	for (size_t i = 0; i < known->fact_count; i++) {
		const struct fact *fact = &known->facts[i];

		/* Bools may be compared too: with others, or for !=. */
		if (fact->value != condition || fact->is != LLVMIntEQ ||
		    !LLVMIsAConstantInt(fact->than))
			continue;
		return ranges_of(
			ranges,
			LLVMGetOperand(
				select,
				LLVMConstIntGetZExtValue(fact->than) ? 1 : 2),
			place);
	}
	return describe_two(ranges, SMELT_TERM_JOIN, width,
			    LLVMGetOperand(select, 1),
			    LLVMGetOperand(select, 2), place);
}

/* ---- arithmetic ---- */

/* Poison is any number where it is frozen: what a value promises (that a sum
 * does not wrap, that the bits of two numbers are disjoint) then bounds
 * nothing. Elsewhere poison that comes to a check is undefined behaviour before
 * it. */
static unsigned
describe_frozen(struct ranges *ranges, LLVMValueRef inst, struct place place)
{
	bool outer = ranges->frozen;
	unsigned term;

	ranges->frozen = true;
	term = ranges_of(ranges, LLVMGetOperand(inst, 0), place);
	ranges->frozen = outer;
	return term;
}

/* The memory of the block is what the launch put there; of other memory nothing
 * is known anyway. */
static bool
may_be_poison(LLVMValueRef inst)
{
	return !LLVMIsALoadInst(inst) && cc_shim_makes_poison(inst);
}

/* By a constant number of bits: as a product or quotient. */
static unsigned
describe_shift(struct ranges *ranges, LLVMValueRef inst, unsigned width,
	       unsigned a)
{
	bool left = LLVMGetInstructionOpcode(inst) == LLVMShl;
	LLVMValueRef right = LLVMGetOperand(inst, 1);
	unsigned by;

	if (!LLVMIsAConstantInt(right) ||
	    LLVMConstIntGetZExtValue(right) >= width)
		return terms_any(&ranges->terms, width);
	by = terms_number(&ranges->terms,
			  (uint64_t)1 << LLVMConstIntGetZExtValue(right),
			  width);
	return terms_of(&ranges->terms, left ? SMELT_TERM_MUL : SMELT_TERM_DIV,
			width, a, by);
}

static unsigned
describe_or(struct ranges *ranges, LLVMValueRef inst, unsigned width,
	    unsigned a, unsigned b)
{
	unsigned sum = terms_of(&ranges->terms, SMELT_TERM_ADD, width, a, b);

	return LLVMGetIsDisjoint(inst)
		       ? sum
		       : terms_of(&ranges->terms, SMELT_TERM_UPTO, width, sum,
				  sum);
}

/* A sum; one with a negative number is a difference, which does not wrap. */
static unsigned
describe_add(struct ranges *ranges, unsigned width, unsigned a,
	     LLVMValueRef right, struct place place)
{
	unsigned b;

	if (LLVMIsAConstantInt(right) && LLVMConstIntGetSExtValue(right) < 0) {
		b = terms_number(&ranges->terms,
				 0 - LLVMConstIntGetZExtValue(right), width);
		return terms_of(&ranges->terms, SMELT_TERM_SUB, width, a, b);
	}
	b = ranges_of(ranges, right, place);
	return terms_of(&ranges->terms, SMELT_TERM_ADD, width, a, b);
}

static unsigned
describe_binary(struct ranges *ranges, LLVMValueRef inst, unsigned width,
		struct place place)
{
	static const unsigned char ops[] = {
		[LLVMSub] = SMELT_TERM_SUB,  [LLVMMul] = SMELT_TERM_MUL,
		[LLVMUDiv] = SMELT_TERM_DIV, [LLVMURem] = SMELT_TERM_REM,
		[LLVMAnd] = SMELT_TERM_AND,
	};
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);
	LLVMValueRef right = LLVMGetOperand(inst, 1);
	unsigned a = ranges_of(ranges, LLVMGetOperand(inst, 0), place);

	if (opcode == LLVMAdd)
		return describe_add(ranges, width, a, right, place);
	if (opcode == LLVMShl || opcode == LLVMLShr)
		return describe_shift(ranges, inst, width, a);
	if (opcode == LLVMOr)
		return describe_or(ranges, inst, width, a,
				   ranges_of(ranges, right, place));
	if (opcode < array_count(ops) && ops[opcode])
		return terms_of(&ranges->terms, ops[opcode], width, a,
				ranges_of(ranges, right, place));
	return terms_any(&ranges->terms, width);
}

unsigned
ranges_describe(struct ranges *ranges, LLVMValueRef inst, unsigned width,
		struct place place)
{
	struct terms *terms = &ranges->terms;
	LLVMValueRef from;
	unsigned a;

	if (ranges->frozen && may_be_poison(inst))
		return terms_any(terms, width);
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMPHI:
		return describe_phi(ranges, inst, width);
	case LLVMLoad:
		return describe_load(ranges, inst, width);
	case LLVMCall:
		return describe_call(ranges, inst, width, place);
	case LLVMSelect:
		return describe_select(ranges, inst, width, place);
	case LLVMExtractValue:
		return describe_part(ranges, inst, width, place);
	case LLVMFreeze:
		return describe_frozen(ranges, inst, place);
	case LLVMZExt:
		return ranges_of(ranges, LLVMGetOperand(inst, 0), place);
	case LLVMTrunc:
		a = ranges_of(ranges, LLVMGetOperand(inst, 0), place);
		return terms_of(terms, SMELT_TERM_TRUNC, width, a, a);
	case LLVMSExt:
		from = LLVMGetOperand(inst, 0);
		a = ranges_of(ranges, from, place);
		return terms_put(terms, SMELT_TERM_SEXT, width, a, a,
				 LLVMGetIntTypeWidth(LLVMTypeOf(from)));
	default:
		return LLVMIsABinaryOperator(inst)
			       ? describe_binary(ranges, inst, width, place)
			       : terms_any(terms, width);
	}
}
