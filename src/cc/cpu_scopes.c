/*
 * Alias scopes across the threads of a block.
 *
 * An access carries two sorts of scopes: those of the kernel's arguments
 * (cc_arguments), which hold for the whole launch, and those that the inliner
 * made of `noalias` parameters, which hold for one call and so for one thread.
 * The vectoriser, asked about a loop over threads, drops the whole list as soon
 * as one scope in it belongs to a single iteration. Where an access has scopes
 * of the first sort those of the second are taken off, to keep the first.
 */
#include "cc/cpu.h"

#include <string.h>

/* Made by cc_arguments: named, where the inliner's refer to themselves. */
static bool
is_of_launch(LLVMValueRef scope)
{
	LLVMValueRef operands[8];
	unsigned length;
	const char *name;

	if (LLVMGetMDNodeNumOperands(scope) == 0 ||
	    LLVMGetMDNodeNumOperands(scope) > array_count(operands))
		return false;
	LLVMGetMDNodeOperands(scope, operands);
	if (!operands[0] || !LLVMIsAMDString(operands[0]))
		return false;
	name = LLVMGetMDString(operands[0], &length);
	return length > 6 && memcmp(name, "smelt.", 6) == 0;
}

static void
filter(struct cc_job *job, LLVMValueRef instruction, unsigned kind)
{
	LLVMValueRef list = LLVMGetMetadata(instruction, kind), *scopes;
	LLVMMetadataRef *kept;
	unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
	unsigned kept_count = 0;

	scopes = arena_alloc(job->arena, (count + 1) * sizeof(*scopes));
	kept = arena_alloc(job->arena, (count + 1) * sizeof(*kept));
	if (count)
		LLVMGetMDNodeOperands(list, scopes);
	for (unsigned i = 0; i < count; i++)
		if (is_of_launch(scopes[i]))
			kept[kept_count++] = LLVMValueAsMetadata(scopes[i]);
	if (kept_count == 0 || kept_count == count)
		return;
	LLVMSetMetadata(
		instruction, kind,
		LLVMMetadataAsValue(
			job->context,
			LLVMMDNodeInContext2(job->context, kept, kept_count)));
}

void
cpu_scopes(struct cc_job *job, LLVMValueRef thread)
{
	unsigned scope = LLVMGetMDKindIDInContext(job->context, "alias.scope",
						  strlen("alias.scope"));
	unsigned noalias = LLVMGetMDKindIDInContext(job->context, "noalias",
						    strlen("noalias"));

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(thread); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!LLVMHasMetadata(i))
				continue;
			filter(job, i, scope);
			filter(job, i, noalias);
		}
}
