/*
 * Kernels that do not care where one block ends and the next begins.
 *
 * Blocks of 32 by 8 threads have rows of 32, and entering a row (its range of
 * unchecked x, the vector loop's head and tail) costs more than the row itself.
 * A kernel that asks for its x only as `block * dim + thread` cannot tell a row
 * of one block from the joined rows of several that follow one another in x: so
 * the engine may give it those in one call, with the first block's number and a
 * thread number that goes on counting. Only who reports a panic or a print has
 * to take the two apart again.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <string.h>

/* What a value is made of, beside what is the same in either view. */
enum part {
	PART_THREAD = 1, /* the thread's x, once */
	PART_BLOCK = 2,	 /* the block's x times the width of blocks, once */
};

static bool
is_call(LLVMValueRef value, const char *name)
{
	LLVMValueRef callee =
		LLVMIsACallInst(value) ? lower_callee(value) : NULL;

	return callee && strcmp(LLVMGetValueName(callee), name) == 0;
}

/* The number before it was widened. */
static LLVMValueRef
narrow(LLVMValueRef value)
{
	return LLVMIsAZExtInst(value) ? LLVMGetOperand(value, 0) : value;
}

static bool
is_block_product(LLVMValueRef value)
{
	LLVMValueRef a, b;

	if (!LLVMIsAInstruction(value) ||
	    LLVMGetInstructionOpcode(value) != LLVMMul)
		return false;
	a = narrow(LLVMGetOperand(value, 0));
	b = narrow(LLVMGetOperand(value, 1));
	return (is_call(a, "__smelt_block_idx_x") &&
		is_call(b, "__smelt_block_dim_x")) ||
	       (is_call(b, "__smelt_block_idx_x") &&
		is_call(a, "__smelt_block_dim_x"));
}

static bool
joins(LLVMValueRef value, enum part part, int depth);

static bool
all_join(LLVMValueRef value, enum part part, int depth)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use;
	     use = LLVMGetNextUse(use))
		if (!joins(LLVMGetUser(use), part, depth))
			return false;
	return true;
}

/* Whether the value, which is a sum, has the part among its terms. */
static bool
has_part(LLVMValueRef value, enum part part, int depth)
{
	if (part == PART_BLOCK && is_block_product(value))
		return true;
	if (part == PART_THREAD &&
	    is_call(narrow(value), "__smelt_thread_idx_x"))
		return true;
	return depth > 0 && LLVMIsAInstruction(value) &&
	       LLVMGetInstructionOpcode(value) == LLVMAdd &&
	       (has_part(LLVMGetOperand(value, 0), part, depth - 1) ||
		has_part(LLVMGetOperand(value, 1), part, depth - 1));
}

/* Whether a user of a value with one part is a sum in which the other part
 * comes to it, or only leads to such sums. */
static bool
joins(LLVMValueRef user, enum part part, int depth)
{
	enum part other = part == PART_BLOCK ? PART_THREAD : PART_BLOCK;
	LLVMValueRef a, b;

	if (depth == 0 || !LLVMIsAInstruction(user) ||
	    LLVMGetInstructionOpcode(user) != LLVMAdd)
		return false;
	a = LLVMGetOperand(user, 0);
	b = LLVMGetOperand(user, 1);
	/* Of a sum's parts one is now smaller and one larger. */
	LLVMSetNUW(user, false);
	LLVMSetNSW(user, false);
	if (has_part(a, part, 3) && has_part(b, part, 3))
		return false;
	if (has_part(a, other, 3) || has_part(b, other, 3))
		return true;
	return all_join(user, part, depth - 1);
}

/* Calls that are told who the thread is, and take block and thread apart. */
static bool
is_report(LLVMValueRef user)
{
	return is_call(user, "smelt_cpu_record") ||
	       is_call(user, "smelt_cpu_print");
}

static bool
uses_join(LLVMValueRef call, enum part part)
{
	for (LLVMUseRef use = LLVMGetFirstUse(call); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (part == PART_THREAD && is_report(user))
			continue;
		if (LLVMIsAZExtInst(user)) {
			if (!uses_join(user, part))
				return false;
		} else if (part == PART_BLOCK && is_block_product(user)) {
			if (!all_join(user, part, 3))
				return false;
		} else if (part == PART_BLOCK || !joins(user, part, 3)) {
			return false;
		}
	}
	return true;
}

/* Whether the call, of the thread function, asks for what a block has to
 * itself.
 */
static bool
is_of_block(LLVMValueRef callee)
{
	static const char *const names[] = {
		"__smelt_shared",
		"__smelt_dynamic_shared",
		"__smelt_lane_id",
		"smelt_cpu_here",
	};

	for (size_t i = 0; i < array_count(names); i++)
		if (strcmp(LLVMGetValueName(callee), names[i]) == 0)
			return true;
	return false;
}

static bool
allows(LLVMValueRef instruction)
{
	LLVMValueRef callee =
		LLVMIsACallInst(instruction) ? lower_callee(instruction) : NULL;

	if (!callee)
		return true;
	if (is_of_block(callee))
		return false;
	if (is_call(instruction, "__smelt_thread_idx_x"))
		return uses_join(instruction, PART_THREAD);
	if (is_call(instruction, "__smelt_block_idx_x"))
		return uses_join(instruction, PART_BLOCK);
	return true;
}

bool
cpu_rows_join(LLVMValueRef thread)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(thread); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (!allows(i))
				return false;
	return true;
}
