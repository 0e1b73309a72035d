/*
 * Atomic operations on a thread's own memory (an AtomicU32 that is a local, and
 * what core builds from one) become plain loads and stores: no other thread has
 * the address. PTX has no atomics there, and refuses the file; and as atomics
 * they would keep the variable out of registers.
 *
 * Only what infer-address-spaces has found to be private (space 5 on both GPUs)
 * is taken. Requires that it has run.
 */
#include "cc/lower.h"

enum { private_space = 5 };

static LLVMValueRef
combine(LLVMBuilderRef b, LLVMAtomicRMWBinOp op, LLVMValueRef x, LLVMValueRef y)
{
	static const LLVMIntPredicate keeps[] = {
		[LLVMAtomicRMWBinOpMax] = LLVMIntSGT,
		[LLVMAtomicRMWBinOpMin] = LLVMIntSLT,
		[LLVMAtomicRMWBinOpUMax] = LLVMIntUGT,
		[LLVMAtomicRMWBinOpUMin] = LLVMIntULT,
	};

	switch (op) {
	case LLVMAtomicRMWBinOpXchg:
		return y;
	case LLVMAtomicRMWBinOpAdd:
		return LLVMBuildAdd(b, x, y, "");
	case LLVMAtomicRMWBinOpSub:
		return LLVMBuildSub(b, x, y, "");
	case LLVMAtomicRMWBinOpAnd:
		return LLVMBuildAnd(b, x, y, "");
	case LLVMAtomicRMWBinOpNand:
		return LLVMBuildNot(b, LLVMBuildAnd(b, x, y, ""), "");
	case LLVMAtomicRMWBinOpOr:
		return LLVMBuildOr(b, x, y, "");
	case LLVMAtomicRMWBinOpXor:
		return LLVMBuildXor(b, x, y, "");
	case LLVMAtomicRMWBinOpFAdd:
		return LLVMBuildFAdd(b, x, y, "");
	case LLVMAtomicRMWBinOpMax:
	case LLVMAtomicRMWBinOpMin:
	case LLVMAtomicRMWBinOpUMax:
	case LLVMAtomicRMWBinOpUMin:
		return LLVMBuildSelect(b, LLVMBuildICmp(b, keeps[op], x, y, ""),
				       x, y, "");
	default: /* of those that Rust and the crate have, none */
		return NULL;
	}
}

static LLVMValueRef
plain_load(LLVMBuilderRef b, LLVMValueRef like, LLVMTypeRef type,
	   LLVMValueRef pointer)
{
	LLVMValueRef load = LLVMBuildLoad2(b, type, pointer, "");

	LLVMSetAlignment(load, LLVMGetAlignment(like));
	return load;
}

static void
plain_store(LLVMBuilderRef b, LLVMValueRef like, LLVMValueRef value,
	    LLVMValueRef pointer)
{
	LLVMSetAlignment(LLVMBuildStore(b, value, pointer),
			 LLVMGetAlignment(like));
}

static LLVMValueRef
plain_rmw(LLVMBuilderRef b, LLVMValueRef rmw)
{
	LLVMValueRef pointer = LLVMGetOperand(rmw, 0);
	LLVMValueRef old = plain_load(b, rmw, LLVMTypeOf(rmw), pointer);
	LLVMValueRef new = combine(b, LLVMGetAtomicRMWBinOp(rmw), old,
				   LLVMGetOperand(rmw, 1));

	if (!new)
		return NULL;
	plain_store(b, rmw, new, pointer);
	return old;
}

static LLVMValueRef
plain_exchange(LLVMBuilderRef b, LLVMValueRef exchange)
{
	LLVMValueRef pointer = LLVMGetOperand(exchange, 0);
	LLVMValueRef want = LLVMGetOperand(exchange, 1);
	LLVMValueRef old = plain_load(b, exchange, LLVMTypeOf(want), pointer);
	LLVMValueRef same = LLVMBuildICmp(b, LLVMIntEQ, old, want, "");
	LLVMValueRef pair = LLVMGetPoison(LLVMTypeOf(exchange));

	plain_store(
		b, exchange,
		LLVMBuildSelect(b, same, LLVMGetOperand(exchange, 2), old, ""),
		pointer);
	pair = LLVMBuildInsertValue(b, pair, old, 0, "");
	return LLVMBuildInsertValue(b, pair, same, 1, "");
}

static bool
is_private(LLVMValueRef pointer)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == private_space;
}

/* Whether the instruction was an atomic one and is no longer. */
static bool
lower_one(LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
	LLVMValueRef value = NULL;

	switch (opcode) {
	case LLVMLoad:
	case LLVMStore:
		if (LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic ||
		    !is_private(LLVMGetOperand(i, opcode == LLVMStore)))
			return false;
		LLVMSetAtomicSingleThread(i, false); /* no scope of its own */
		LLVMSetOrdering(i, LLVMAtomicOrderingNotAtomic);
		return true;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		if (!is_private(LLVMGetOperand(i, 0)))
			return false;
		LLVMPositionBuilderBefore(b, i);
		value = opcode == LLVMAtomicRMW ? plain_rmw(b, i)
						: plain_exchange(b, i);
		if (!value)
			return false;
		LLVMReplaceAllUsesWith(i, value);
		LLVMInstructionEraseFromParent(i);
		return true;
	default:
		return false;
	}
}

bool
lower_local_atomics(struct cc_job *job)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(job->context);
	bool changed = false;

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block),
					  next;
			     i; i = next) {
				next = LLVMGetNextInstruction(i);
				changed |= lower_one(b, i);
			}
	LLVMDisposeBuilder(b);
	return changed;
}
