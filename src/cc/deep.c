/*
 * Kernels whose stack has no bound that can be computed: they recurse, or call
 * through a pointer. A GPU's runtime gives threads the stack that the code
 * object asks for, which for these says nothing; the table says it instead, so
 * that more is asked for before the device is opened.
 */
#include "cc/lower.h"

struct walk {
	LLVMValueRef *seen; /* functions whose calls were followed */
	LLVMValueRef *open; /* those of them on the way to here */
	size_t seen_count;
	size_t open_count;
};

static bool
contains(const LLVMValueRef *list, size_t count, LLVMValueRef function)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == function)
			return true;
	return false;
}

static bool
is_deep(struct walk *walk, LLVMValueRef function);

static bool
is_deep_call(struct walk *walk, LLVMValueRef instruction)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(instruction))
		return false;
	callee = LLVMGetCalledValue(instruction);
	if (LLVMIsAInlineAsm(callee))
		return false;
	if (!LLVMIsAFunction(callee))
		return true;
	return !LLVMIsDeclaration(callee) && is_deep(walk, callee);
}

static bool
is_deep(struct walk *walk, LLVMValueRef function)
{
	if (contains(walk->open, walk->open_count, function))
		return true;
	if (contains(walk->seen, walk->seen_count, function))
		return false;
	walk->seen[walk->seen_count++] = function;
	walk->open[walk->open_count++] = function;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (is_deep_call(walk, i))
				return true;
	walk->open_count--;
	return false;
}

void
lower_note_deep(struct cc_job *job)
{
	size_t count = 0, bytes;

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		count++;
	bytes = count * sizeof(LLVMValueRef);
	for (size_t k = 0; k < job->cc->kernel_count; k++) {
		struct walk walk = {
			.seen = arena_alloc(job->arena, bytes),
			.open = arena_alloc(job->arena, bytes),
		};

		if (is_deep(&walk,
			    cc_kernel_function(job, &job->cc->kernels[k])))
			job->result->flags[k] |= SMELT_KERNEL_DEEP;
	}
}
