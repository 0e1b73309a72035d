/*
 * Copies of regions of a function, of which a condition in front of both takes
 * one.
 */
#include "cc/checks.h"
#include "cc/lower.h"

#include <string.h>

LLVMValueRef
region_incoming(LLVMValueRef phi, LLVMBasicBlockRef from)
{
	unsigned i = 0;

	while (LLVMGetIncomingBlock(phi, i) != from)
		i++;
	return LLVMGetIncomingValue(phi, i);
}

bool
region_may_leave(struct cc_loop *loop, LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

	for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
		if (!cc_shim_loop_has(loop, LLVMGetSuccessor(end, i)))
			return true;
	return false;
}

/* Values of the copy by those of the original; the blocks as values too. */
static void
map_blocks(struct arena *arena, struct cc_map *map, LLVMBasicBlockRef block,
	   LLVMBasicBlockRef copy)
{
	LLVMValueRef value = LLVMGetFirstInstruction(block);
	LLVMValueRef other = LLVMGetFirstInstruction(copy);

	cc_map_set(arena, map, block, copy);
	while (value) {
		cc_map_set(arena, map, value, other);
		value = LLVMGetNextInstruction(value);
		other = LLVMGetNextInstruction(other);
	}
}

/* What the phis of a block get from another one, they get from its copy. */
static void
add_to_phis(const struct cc_map *map, LLVMBasicBlockRef block,
	    LLVMBasicBlockRef from)
{
	LLVMBasicBlockRef copy = cc_map_get(map, from);
	LLVMValueRef phi;

	for (phi = LLVMGetFirstInstruction(block); LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi)) {
		LLVMValueRef value = region_incoming(phi, from);
		LLVMValueRef mapped = cc_map_get(map, value);

		LLVMAddIncoming(phi, mapped ? &mapped : &value, &copy, 1);
	}
}

struct cc_map *
region_copy(struct arena *arena, const LLVMBasicBlockRef *blocks, size_t count,
	    const char *suffix, LLVMBasicBlockRef *copies)
{
	struct cc_map *map = cc_map_new(arena);

	cc_shim_copy_blocks(blocks, count, suffix, copies);
	for (size_t i = 0; i < count; i++)
		map_blocks(arena, map, blocks[i], copies[i]);
	for (size_t i = 0; i < count; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(blocks[i]);

		for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
			LLVMBasicBlockRef next = LLVMGetSuccessor(end, k);

			if (!cc_map_get(map, next))
				add_to_phis(map, next, blocks[i]);
		}
	}
	return map;
}

static bool
call_has(LLVMValueRef call, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMValueRef callee = lower_callee(call);

	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex,
					    kind) ||
	       (callee && lower_has(callee, name));
}

bool
region_may_be_copied(const LLVMBasicBlockRef *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		LLVMValueRef inst = LLVMGetFirstInstruction(blocks[i]);

		for (; inst; inst = LLVMGetNextInstruction(inst)) {
			LLVMTypeRef type = LLVMTypeOf(inst);

			if (LLVMGetTypeKind(type) == LLVMTokenTypeKind ||
			    LLVMIsAIndirectBrInst(inst))
				return false;
			if (LLVMIsACallInst(inst) &&
			    (call_has(inst, "convergent") ||
			     call_has(inst, "noduplicate")))
				return false;
		}
	}
	return true;
}

/* As LLVM writes down which of two ways is hardly ever taken. */
static void
add_weights(LLVMContextRef context, LLVMValueRef branch, bool likely)
{
	static const char kind[] = "prof", name[] = "branch_weights";
	const unsigned most = (1 << 20) - 1;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMMetadataRef parts[] = {
		LLVMMDStringInContext2(context, name, strlen(name)),
		LLVMValueAsMetadata(LLVMConstInt(i32, likely ? most : 1, 0)),
		LLVMValueAsMetadata(LLVMConstInt(i32, likely ? 1 : most, 0)),
	};
	LLVMMetadataRef node =
		LLVMMDNodeInContext2(context, parts, array_count(parts));

	LLVMSetMetadata(branch,
			LLVMGetMDKindIDInContext(context, kind, strlen(kind)),
			LLVMMetadataAsValue(context, node));
}

void
region_decide(struct cc_job *job, LLVMBasicBlockRef block,
	      LLVMValueRef condition, bool likely, LLVMBasicBlockRef if_true,
	      LLVMBasicBlockRef if_false)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);
	LLVMValueRef old = LLVMGetBasicBlockTerminator(block);

	LLVMPositionBuilderBefore(builder, old);
	add_weights(job->context,
		    LLVMBuildCondBr(builder, condition, if_true, if_false),
		    likely);
	LLVMInstructionEraseFromParent(old);
	LLVMDisposeBuilder(builder);
}
