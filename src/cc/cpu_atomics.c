/*
 * Atomics that need not be: the threads of a block run in one thread of the
 * processor, one after the other, and so do all of a launch that is small or
 * has one thread to run in.
 *
 * What only a block's threads use (its shared memory, operations of block
 * scope) is plain for good. What the whole device uses is plain in a variant of
 * the kernel, for launches that run alone on it. Those keep others waiting, so
 * a kernel that might wait for another launch has no such variant: it would
 * have to look at what the other left, by an atomic load or exchange or an
 * operation that acquires, where relaxed operations can only count.
 */
#include "cc/cpu.h"
#include "cc/lower.h"
#include "cc/shim.h"

#include <string.h>

/* Whether the address is one of the block's shared memory. */
static bool
is_shared(LLVMValueRef pointer)
{
	LLVMValueRef callee;

	while (LLVMIsAGetElementPtrInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	callee = LLVMIsACallInst(pointer) ? lower_callee(pointer) : NULL;
	return callee &&
	       (!strcmp(LLVMGetValueName(callee), "__smelt_shared") ||
		!strcmp(LLVMGetValueName(callee), "__smelt_dynamic_shared"));
}

static bool
is_of_block(LLVMValueRef atomic)
{
	return LLVMIsAtomicSingleThread(atomic) ||
	       is_shared(LLVMGetOperand(atomic, 0));
}

static bool
is_any(LLVMValueRef atomic)
{
	(void)atomic;
	return true;
}

static void
make_plain(LLVMValueRef function, bool (*which)(LLVMValueRef atomic))
{
	LLVMValueRef i, next;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (i = LLVMGetFirstInstruction(b); i; i = next) {
			next = LLVMGetNextInstruction(i);
			if (LLVMIsAAtomicRMWInst(i) && !LLVMGetVolatile(i) &&
			    which(i))
				cc_shim_make_plain(i);
		}
}

void
cpu_atomics_of_block(LLVMValueRef thread)
{
	make_plain(thread, is_of_block);
}

void
cpu_atomics_drop(LLVMValueRef function)
{
	make_plain(function, is_any);
}

/* What may wait for another launch, or is told of by one. */
static bool
synchronises(LLVMValueRef instruction)
{
	LLVMValueRef callee;

	if (LLVMIsAAtomicRMWInst(instruction))
		return LLVMGetOrdering(instruction) !=
			       LLVMAtomicOrderingMonotonic ||
		       LLVMGetVolatile(instruction) ||
		       LLVMGetAtomicRMWBinOp(instruction) ==
			       LLVMAtomicRMWBinOpXchg;
	if (LLVMIsAFenceInst(instruction) ||
	    LLVMIsAAtomicCmpXchgInst(instruction))
		return true;
	if (LLVMIsALoadInst(instruction))
		return LLVMGetVolatile(instruction) ||
		       LLVMGetOrdering(instruction) !=
			       LLVMAtomicOrderingNotAtomic;
	callee =
		LLVMIsACallInst(instruction) ? lower_callee(instruction) : NULL;
	return LLVMIsACallInst(instruction) &&
	       (!callee || !LLVMIsDeclaration(callee)) &&
	       !(callee && starts_with(LLVMGetValueName(callee), "smelt_cpu_"));
}

bool
cpu_atomics_alone(LLVMValueRef thread)
{
	bool has = false;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(thread); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (synchronises(i))
				return false;
			has = has || LLVMIsAAtomicRMWInst(i);
		}
	return has;
}
