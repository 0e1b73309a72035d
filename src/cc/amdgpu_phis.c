/*
 * A mistake of LLVM's AMD back end, worked around. Where ways of a function
 * join, its structurizer takes instructions that cost nothing (a zext, a
 * getelementptr) out of the block in front of the join and does them before the
 * ways part, so that the value is there on all of them. But it forgets ways
 * that reach that block through several others, as from two cases of a switch;
 * on those the value is poison. Decoding the characters of a constant string
 *
 *	for c in "aé字".chars() { n = n * 31 + c as u32 }
 *
 * missed the first one on every AMD GPU: the ASCII case of the decoder is a
 * zext, and was reached for two places of the string. Found by a program of the
 * kind that people write (test/conform/chars); LLVM mended a part of it after
 * 22.1 (llvm/llvm-project pull request 183792).
 *
 * An instruction is left where it is if one of its operands is computed in the
 * same block. So the value that goes into a phi is passed on by an instruction
 * that the selector sees through. Not where two ways join that are one block
 * each, which is done right.
 */
#include "cc/lower.h"

#include "amdgpu.h"

/* Edges into a block: a switch may have several. */
static unsigned
edges_to(LLVMBasicBlockRef block)
{
	unsigned count = 0;

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block));
	     use; use = LLVMGetNextUse(use))
		count += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return count;
}

/* What may cost nothing: what only says how bits are looked at, and what AMD's
 * instructions do to an operand on the way. */
static bool
may_be_free(LLVMValueRef i)
{
	LLVMValueRef callee;

	if (LLVMIsACastInst(i))
		return true;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMGetElementPtr:
	case LLVMExtractElement:
	case LLVMInsertElement:
	case LLVMShuffleVector:
	case LLVMExtractValue:
	case LLVMInsertValue:
	case LLVMFreeze:
	case LLVMFNeg:
		return true;
	case LLVMCall:
		callee = lower_callee(i);
		return callee &&
		       starts_with(LLVMGetValueName(callee), "llvm.fabs");
	default:
		return false;
	}
}

static bool
has_operand_in(LLVMValueRef i, LLVMBasicBlockRef block)
{
	for (int k = 0; k < LLVMGetNumOperands(i); k++) {
		LLVMValueRef operand = LLVMGetOperand(i, (unsigned)k);

		if (LLVMIsAInstruction(operand) &&
		    LLVMGetInstructionParent(operand) == block)
			return true;
	}
	return false;
}

/* It is there, or LLVM puts it there first, next to its only use. */
static bool
may_be_in(LLVMValueRef value, LLVMBasicBlockRef block)
{
	LLVMUseRef use = LLVMGetFirstUse(value);

	return LLVMGetInstructionParent(value) == block || !LLVMGetNextUse(use);
}

static bool
may_be_moved(LLVMValueRef phi, unsigned index)
{
	LLVMValueRef value = LLVMGetIncomingValue(phi, index);
	LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, index);

	return LLVMIsAInstruction(value) && may_be_in(value, from) &&
	       LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(from)) == 1 &&
	       (LLVMCountIncoming(phi) > 2 || edges_to(from) > 1) &&
	       may_be_free(value) && !has_operand_in(value, from);
}

/* ---- values that stay ---- */

/* llvm.expect: nothing asks for it after the optimiser. */
static LLVMValueRef
same_integer(struct cc_job *job, LLVMBuilderRef b, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMValueRef args[2] = {value, value};

	return lower_intrinsic(job, b, "llvm.expect", &type, 1, args, 2);
}

static LLVMValueRef
same_pointer(struct cc_job *job, LLVMBuilderRef b, LLVMValueRef value)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(job->context);
	LLVMValueRef zero = same_integer(job, b, LLVMConstInt(i32, 0, false));

	return LLVMBuildGEP2(b, LLVMInt8TypeInContext(job->context), value,
			     &zero, 1, "");
}

/* The type with its floats as integers of their size; NULL if it is of neither.
 */
static LLVMTypeRef
as_integers(struct cc_job *job, LLVMTypeRef type)
{
	LLVMTypeRef item;

	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return LLVMInt16TypeInContext(job->context);
	case LLVMFloatTypeKind:
		return LLVMInt32TypeInContext(job->context);
	case LLVMDoubleTypeKind:
		return LLVMInt64TypeInContext(job->context);
	case LLVMIntegerTypeKind:
		return type;
	case LLVMVectorTypeKind:
		item = as_integers(job, LLVMGetElementType(type));
		return item ? LLVMVectorType(item, LLVMGetVectorSize(type))
			    : NULL;
	default:
		return NULL;
	}
}

static LLVMValueRef
same_value(struct cc_job *job, LLVMBuilderRef b, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value), integers;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return same_pointer(job, b, value);
	integers = as_integers(job, type);
	if (!integers)
		return value;
	value = LLVMBuildBitCast(b, value, integers, "");
	/* Twice, so that one of them has its operand here. */
	value = same_integer(job, b, same_integer(job, b, value));
	return LLVMBuildBitCast(b, value, type, "");
}

/* The block has one edge out, so the phi has it once. */
static void
hold_value(struct cc_job *job, LLVMBuilderRef b, LLVMValueRef phi,
	   unsigned index)
{
	LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, index);
	LLVMValueRef value = LLVMGetIncomingValue(phi, index);

	LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from));
	LLVMSetOperand(phi, index, same_value(job, b, value));
}

static void
visit_block(struct cc_job *job, LLVMBuilderRef b, LLVMBasicBlockRef block)
{
	for (LLVMValueRef phi = LLVMGetFirstInstruction(block);
	     phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi))
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
			if (may_be_moved(phi, i))
				hold_value(job, b, phi, i);
}

void
amdgpu_phis(struct cc_job *job)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(job->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			visit_block(job, b, block);
	LLVMDisposeBuilder(b);
}
