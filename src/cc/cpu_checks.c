/*
 * Which conditions of a thread function are checks: of their two ways one leads
 * out of the thread (it returns, or panics) and nothing happens on it.
 *
 * Only these may be decided for a whole range of threads at once. An `if` with
 * work on either side has no side that is the usual one, and taking the range
 * for one of them would leave the other's threads to the slow loop.
 */
#include "cc/cpu.h"
#include "cc/lower.h"

#include <string.h>

/* Calls that a way out of the thread may have: the record of a panic and what
 * it is given. */
static bool
is_harmless_call(LLVMValueRef call)
{
	static const char *const prefixes[] = {
		"smelt_cpu_record",    "__smelt_frame",
		"__smelt_thread_idx_", "llvm.lifetime.",
		"llvm.assume",	       "llvm.experimental.noalias",
	};
	LLVMValueRef callee = lower_callee(call);

	for (size_t i = 0; callee && i < array_count(prefixes); i++)
		if (starts_with(LLVMGetValueName(callee), prefixes[i]))
			return true;
	return false;
}

static bool
has_effect(LLVMValueRef instruction)
{
	switch (LLVMGetInstructionOpcode(instruction)) {
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
		return true;
	case LLVMCall:
		return !is_harmless_call(instruction);
	default:
		return false;
	}
}

/* Nothing happens from here on but the end of the thread, or a panic. */
static bool
is_way_out(LLVMBasicBlockRef block, int depth)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != end;
	     i = LLVMGetNextInstruction(i))
		if (has_effect(i))
			return false;
	if (LLVMIsAReturnInst(end) || LLVMIsAUnreachableInst(end))
		return true;
	if (!LLVMIsABranchInst(end) || depth == 0)
		return false;
	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		if (!is_way_out(LLVMGetSuccessor(end, i), depth - 1))
			return false;
	return true;
}

static bool
is_true(LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) &&
	       LLVMConstIntGetZExtValue(value) == 1;
}

static bool
is_false(LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) &&
	       LLVMConstIntGetZExtValue(value) == 0;
}

/* Pointers are compared with NULL where an Option holds a reference. */
static bool
is_comparable(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		return true;
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind &&
	       (LLVMGetIntTypeWidth(type) == 64 ||
		LLVMGetIntTypeWidth(type) == 32);
}

static void
add_check(struct cpu_checks *checks, LLVMValueRef compare, bool wanted)
{
	if (checks->count == CPU_MAX_CHECKS ||
	    !is_comparable(LLVMTypeOf(LLVMGetOperand(compare, 0))))
		return;
	for (size_t i = 0; i < checks->count; i++)
		if (checks->list[i].compare == compare)
			return;
	checks->list[checks->count++] =
		(struct cpu_check){compare, wanted, false};
}

/* The comparisons that all have to come out one way for the condition to. */
static void
find_in(struct cpu_checks *checks, LLVMValueRef condition, bool wanted,
	int depth)
{
	LLVMOpcode op;
	LLVMValueRef a, b;

	if (!LLVMIsAInstruction(condition) || depth == 0)
		return;
	op = LLVMGetInstructionOpcode(condition);
	if (op == LLVMICmp) {
		add_check(checks, condition, wanted);
		return;
	}
	if (op != LLVMAnd && op != LLVMOr && op != LLVMXor && op != LLVMSelect)
		return;
	a = LLVMGetOperand(condition, 0);
	b = LLVMGetOperand(condition, 1);
	if (op == LLVMXor && is_true(b)) {
		find_in(checks, a, !wanted, depth - 1);
	} else if ((op == LLVMAnd && wanted) || (op == LLVMOr && !wanted)) {
		find_in(checks, a, wanted, depth - 1);
		find_in(checks, b, wanted, depth - 1);
	} else if (op == LLVMSelect && wanted &&
		   is_false(LLVMGetOperand(condition, 2))) {
		find_in(checks, a, true, depth - 1);
		find_in(checks, b, true, depth - 1);
	} else if (op == LLVMSelect && !wanted && is_true(b)) {
		find_in(checks, a, false, depth - 1);
		find_in(checks, LLVMGetOperand(condition, 2), false, depth - 1);
	}
}

static void
find_in_block(struct cpu_checks *checks, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	bool out_if, out_else;

	if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
		return;
	out_if = is_way_out(LLVMGetSuccessor(end, 0), 6);
	out_else = is_way_out(LLVMGetSuccessor(end, 1), 6);
	if (out_if != out_else)
		find_in(checks, LLVMGetCondition(end), out_else, 8);
}

/* Whether some thread has ended is asked in front of parts of a kernel. */
static void
find_question(struct cpu_checks *checks, LLVMValueRef compare)
{
	LLVMValueRef left, callee;
	LLVMIntPredicate predicate;

	if (!LLVMIsAICmpInst(compare))
		return;
	left = LLVMGetOperand(compare, 0);
	predicate = LLVMGetICmpPredicate(compare);
	callee = LLVMIsACallInst(left) ? lower_callee(left) : NULL;
	if (callee && !strcmp(LLVMGetValueName(callee), "__smelt_ended") &&
	    (predicate == LLVMIntEQ || predicate == LLVMIntNE))
		add_check(checks, compare, predicate == LLVMIntEQ);
}

void
cpu_checks_find(struct cpu_checks *checks)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(checks->thread); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			find_question(checks, i);
		find_in_block(checks, b);
	}
}
