/*
 * Addresses of small arguments: 32 bits of offset beside the argument's base.
 *
 * Indices are 64 bits wide, and a processor of 32 bits takes two to five
 * instructions for what it does with them. In the variant of a kernel for
 * launches in which 32 bits count the bytes of its arguments (extents.c), half
 * of that is enough: whatever is computed on the way, the offset of an access
 * from its argument's address is below 2^32, since it lies in the argument; so
 * the low words of all that it is made of give it. That holds for the offset of
 * the access as a whole, not for a part of it: with i = -1 the offset of
 * x[i + 1] is 0, that of x[i] no number of 32 bits. Therefore accesses are
 * rewritten and not the steps of their addresses, and a constant is left to the
 * instruction, behind the 32 bits, only where the rest cannot be negative.
 */
#include "cc/lower.h"

#include "amdgpu.h"

#include <stdlib.h>
#include <string.h>

enum {
	most_places = 256,
	deepest = 12,
	most_steps = 16,
	/* What an instruction adds to an address by itself. */
	farthest = 2048,
};

/* Places in the block. */
struct places {
	uint64_t list[most_places];
	size_t count;
};

struct small {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, i64;
	struct places pointers, lengths;
	/* The low word of a value of 64 bits, right behind it. */
	struct cc_map *low;
};

static void
read_places(LLVMValueRef f, const char *name, struct places *places)
{
	LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
		f, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
	unsigned len;
	const char *at =
		attribute ? LLVMGetStringAttributeValue(attribute, &len) : "";
	char *end;

	places->count = 0;
	while (*at && places->count < most_places) {
		places->list[places->count++] = strtoull(at, &end, 10);
		at = end + (*end == ',');
	}
}

static bool
is_at(struct small *s, LLVMValueRef load, const struct places *places)
{
	uint64_t offset;

	if (!lower_is_block_field(s->job, load, &offset))
		return false;
	for (size_t i = 0; i < places->count; i++)
		if (places->list[i] == offset)
			return true;
	return false;
}

static bool
is_opcode(LLVMValueRef value, LLVMOpcode opcode)
{
	return LLVMIsAInstruction(value) &&
	       LLVMGetInstructionOpcode(value) == opcode;
}

/* Puts the builder behind a value's definition. */
static void
stand_behind(struct small *s, LLVMValueRef inst)
{
	LLVMValueRef next = LLVMGetNextInstruction(inst);

	while (LLVMIsAPHINode(inst) && LLVMIsAPHINode(next))
		next = LLVMGetNextInstruction(next);
	LLVMPositionBuilderBefore(s->builder, next);
}

/* ---- low words ---- */

static LLVMValueRef
low_of(struct small *s, LLVMValueRef value, unsigned depth);

static LLVMValueRef
low_of_binary(struct small *s, LLVMValueRef value, unsigned depth)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	LLVMValueRef a = LLVMGetOperand(value, 0);
	LLVMValueRef b = LLVMGetOperand(value, 1);

	switch (opcode) {
	case LLVMShl:
		if (!LLVMIsAConstantInt(b) || LLVMConstIntGetZExtValue(b) > 31)
			return NULL;
		break;
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		break;
	default:
		return NULL;
	}
	a = low_of(s, a, depth - 1);
	b = low_of(s, b, depth - 1);
	stand_behind(s, value);
	return LLVMBuildBinOp(s->builder, opcode, a, b, "");
}

static LLVMValueRef
low_of_widened(struct small *s, LLVMValueRef value)
{
	LLVMValueRef narrow = LLVMGetOperand(value, 0);
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(narrow));

	if (bits == 32)
		return narrow;
	stand_behind(s, value);
	if (bits > 32)
		return LLVMBuildTrunc(s->builder, narrow, s->i32, "");
	return is_opcode(value, LLVMZExt)
		       ? LLVMBuildZExt(s->builder, narrow, s->i32, "")
		       : LLVMBuildSExt(s->builder, narrow, s->i32, "");
}

static LLVMValueRef
low_of_select(struct small *s, LLVMValueRef value, unsigned depth)
{
	LLVMValueRef a = low_of(s, LLVMGetOperand(value, 1), depth - 1);
	LLVMValueRef b = low_of(s, LLVMGetOperand(value, 2), depth - 1);

	stand_behind(s, value);
	return LLVMBuildSelect(s->builder, LLVMGetOperand(value, 0), a, b, "");
}

/* The low word of a value of 64 bits, computed in 32 as far as its parts are
 * words. */
static LLVMValueRef
low_of(struct small *s, LLVMValueRef value, unsigned depth)
{
	LLVMValueRef low;

	if (LLVMIsAConstant(value))
		return LLVMConstTrunc(value, s->i32);
	low = cc_map_get(s->low, value);
	if (low)
		return low;
	if (depth && LLVMIsABinaryOperator(value))
		low = low_of_binary(s, value, depth);
	else if (is_opcode(value, LLVMZExt) || is_opcode(value, LLVMSExt))
		low = low_of_widened(s, value);
	else if (depth && LLVMIsASelectInst(value))
		low = low_of_select(s, value, depth);
	if (!low) {
		stand_behind(s, value);
		low = LLVMBuildTrunc(s->builder, value, s->i32, "");
	}
	cc_map_set(s->job->arena, s->low, value, low);
	return low;
}

/* ---- addresses ---- */

/* An address: base + the sum of index * size + a number. */
struct address {
	LLVMValueRef base;
	struct {
		LLVMValueRef index; /* i64, an instruction */
		uint64_t size;
	} steps[most_steps];
	size_t count;
	int64_t more;
	int64_t fields; /* what of it was added to no index */
	/* Of each index, less its constant: that it cannot be negative; or only
	 * that it cannot be if the index is not. No product of one wraps. */
	bool rises, rises_with;
};

/* A widened number of 32 bits is at least 0. */
static bool
is_widened(LLVMValueRef value)
{
	return is_opcode(value, LLVMZExt) &&
	       LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(value, 0))) <= 32;
}

/* Takes a constant off an index. `positive`: what is left cannot be negative if
 * the index is not, as the constant did not wrap. */
static LLVMValueRef
without_constant(LLVMValueRef index, int64_t *constant, bool *positive)
{
	LLVMValueRef by;

	*constant = 0;
	*positive = true;
	if (!is_opcode(index, LLVMAdd) &&
	    !(is_opcode(index, LLVMOr) && LLVMGetIsDisjoint(index)))
		return index;
	by = LLVMGetOperand(index, 1);
	if (!LLVMIsAConstantInt(by) ||
	    !LLVMIsAInstruction(LLVMGetOperand(index, 0)))
		return index;
	*constant = LLVMConstIntGetSExtValue(by);
	*positive =
		*constant < 0 || is_opcode(index, LLVMOr) || LLVMGetNUW(index);
	return LLVMGetOperand(index, 0);
}

static bool
take_step(struct small *s, LLVMValueRef gep, struct address *address)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(s->job->module);
	uint64_t size =
		LLVMABISizeOfType(layout, LLVMGetGEPSourceElementType(gep));
	LLVMValueRef index = LLVMGetOperand(gep, 1);
	bool exact = LLVMGEPGetNoWrapFlags(gep) &
		     (LLVMGEPFlagInBounds | LLVMGEPFlagNUSW | LLVMGEPFlagNUW);
	int64_t constant, fields = 0;
	bool positive;

	if (LLVMGetNumOperands(gep) != 2 || LLVMTypeOf(index) != s->i64 ||
	    size > INT32_MAX)
		return false;
	if (LLVMIsAConstantInt(index)) {
		constant = LLVMConstIntGetSExtValue(index);
		fields = constant;
	} else {
		if (address->count == most_steps || !LLVMIsAInstruction(index))
			return false;
		index = without_constant(index, &constant, &positive);
		address->rises &= exact && is_widened(index);
		address->rises_with &= exact && positive;
		address->steps[address->count].index = index;
		address->steps[address->count++].size = size;
	}
	if (constant > INT32_MAX || constant < INT32_MIN)
		return false;
	address->more += constant * (int64_t)size;
	address->fields += fields * (int64_t)size;
	return address->more <= INT32_MAX && address->more >= INT32_MIN;
}

/* Takes an address apart; false unless it is one in a small argument. */
static bool
take_apart(struct small *s, LLVMValueRef pointer, struct address *address)
{
	*address = (struct address){.rises = true, .rises_with = true};
	while (LLVMIsAGetElementPtrInst(pointer)) {
		if (!take_step(s, pointer, address))
			return false;
		pointer = LLVMGetOperand(pointer, 0);
	}
	address->base = pointer;
	return address->count && is_at(s, pointer, &s->pointers);
}

/* Whether the index cannot be negative, nor what is left of it, since the whole
 * is not: that a field of one element lies in another's place is all that could
 * hide it. Of several indices one may be negative beside the others. */
static bool
rises_alone(const struct address *address)
{
	return address->count == 1 && address->rises_with &&
	       address->fields < (int64_t)address->steps[0].size;
}

/* Whether the constant may be added in 64 bits: what is without it cannot be
 * negative, as it is not if it is more than the whole. */
static bool
is_apart(const struct address *address)
{
	return address->more > -farthest && address->more < farthest &&
	       (address->more < 0 || address->rises || rises_alone(address));
}

static LLVMValueRef
offset_of(struct small *s, const struct address *address, LLVMValueRef before)
{
	LLVMValueRef sum = NULL;

	for (size_t i = address->count; i-- > 0;) {
		LLVMValueRef part = low_of(s, address->steps[i].index, deepest);

		LLVMPositionBuilderBefore(s->builder, before);
		part = LLVMBuildMul(
			s->builder, part,
			LLVMConstInt(s->i32, address->steps[i].size, false),
			"");
		sum = sum ? LLVMBuildAdd(s->builder, sum, part, "") : part;
	}
	if (address->more && !is_apart(address))
		sum = LLVMBuildAdd(
			s->builder, sum,
			LLVMConstInt(s->i32, (uint32_t)address->more, false),
			"");
	return LLVMBuildZExt(s->builder, sum, s->i64, "");
}

static LLVMValueRef
step(struct small *s, LLVMValueRef base, LLVMValueRef bytes)
{
	return LLVMBuildGEP2(s->builder, LLVMInt8TypeInContext(s->job->context),
			     base, &bytes, 1, "");
}

/* The operand of an access that is its address; -1: it is no access. */
static int
address_operand(LLVMValueRef inst)
{
	if (LLVMIsALoadInst(inst) || LLVMIsAAtomicRMWInst(inst) ||
	    LLVMIsAAtomicCmpXchgInst(inst))
		return 0;
	return LLVMIsAStoreInst(inst) ? 1 : -1;
}

static void
rewrite(struct small *s, LLVMValueRef access)
{
	int operand = address_operand(access);
	LLVMValueRef pointer, place;
	struct address address;

	if (operand < 0)
		return;
	pointer = LLVMGetOperand(access, (unsigned)operand);
	if (!LLVMIsAGetElementPtrInst(pointer) ||
	    !take_apart(s, pointer, &address))
		return;
	place = step(s, address.base, offset_of(s, &address, access));
	if (address.more && is_apart(&address))
		place = step(
			s, place,
			LLVMConstInt(s->i64, (uint64_t)address.more, true));
	LLVMSetOperand(access, (unsigned)operand, place);
}

/* ---- comparisons ---- */

/* The i32 that this i64 is, whatever it is; NULL: it may be more. */
static LLVMValueRef
word_of(struct small *s, LLVMValueRef value)
{
	if (LLVMIsAConstantInt(value))
		return LLVMConstIntGetZExtValue(value) <= UINT32_MAX
			       ? low_of(s, value, 0)
			       : NULL;
	if (is_widened(value) || is_at(s, value, &s->lengths))
		return low_of(s, value, 0);
	return NULL;
}

static void
compare_words(struct small *s, LLVMValueRef compare)
{
	LLVMIntPredicate is = LLVMGetICmpPredicate(compare);
	LLVMValueRef a = LLVMGetOperand(compare, 0), b;

	if (LLVMTypeOf(a) != s->i64 || is >= LLVMIntSGT)
		return;
	a = word_of(s, a);
	b = a ? word_of(s, LLVMGetOperand(compare, 1)) : NULL;
	if (!b)
		return;
	LLVMPositionBuilderBefore(s->builder, compare);
	LLVMReplaceAllUsesWith(compare,
			       LLVMBuildICmp(s->builder, is, a, b, ""));
}

static void
rewrite_function(struct small *s, LLVMValueRef f)
{
	read_places(f, LOWER_SMALL_POINTERS, &s->pointers);
	read_places(f, LOWER_SMALL_LENGTHS, &s->lengths);
	if (!s->pointers.count)
		return;
	s->low = cc_map_new(s->job->arena);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			rewrite(s, i);
			if (LLVMIsAICmpInst(i))
				compare_words(s, i);
		}
}

/* Requires: the main pipeline done. Leaves dead code. */
void
amdgpu_small(struct cc_job *job)
{
	struct small s = {
		.job = job,
		.builder = LLVMCreateBuilderInContext(job->context),
		.i32 = LLVMInt32TypeInContext(job->context),
		.i64 = LLVMInt64TypeInContext(job->context),
	};

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		rewrite_function(&s, f);
	LLVMDisposeBuilder(s.builder);
}
