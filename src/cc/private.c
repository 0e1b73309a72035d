/*
 * What AMD GPUs want in address spaces of their own: allocas in space 5, where
 * a thread's private memory lies, and constants in space 4. rustc made both
 * generic; they stay generic for their users, through casts.
 *
 * This comes before the first pass: with AMD's data layout an alloca elsewhere
 * is not valid IR.
 */
#include "cc/lower.h"

#include <string.h>

enum { constant_space = 4, private_space = 5 };

/* The markers must name an alloca directly; so they are made again for it. */
static void
move_lifetime(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef marker,
	      LLVMValueRef alloca)
{
	bool end = strstr(LLVMGetValueName(lower_callee(marker)), "end");
	LLVMTypeRef type = LLVMTypeOf(alloca);

	LLVMPositionBuilderBefore(builder, marker);
	lower_intrinsic(job, builder,
			end ? "llvm.lifetime.end" : "llvm.lifetime.start",
			&type, 1, &alloca, 1);
	LLVMInstructionEraseFromParent(marker);
}

static void
move_alloca(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef old)
{
	LLVMUseRef use, next;
	LLVMValueRef new, cast;

	LLVMPositionBuilderBefore(builder, old);
	new = LLVMBuildArrayAlloca(builder, LLVMGetAllocatedType(old),
				   LLVMGetOperand(old, 0), "");
	LLVMSetAlignment(new, LLVMGetAlignment(old));
	for (use = LLVMGetFirstUse(old); use; use = next) {
		next = LLVMGetNextUse(use);
		if (lower_is_lifetime(LLVMGetUser(use)))
			move_lifetime(job, builder, LLVMGetUser(use), new);
	}
	LLVMPositionBuilderBefore(builder, old);
	cast = LLVMBuildAddrSpaceCast(builder, new, LLVMTypeOf(old), "");
	LLVMReplaceAllUsesWith(old, cast);
	LLVMInstructionEraseFromParent(old);
}

/* The caller's copy becomes the callee's. */
static void
copy_byval(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef function,
	   unsigned index, LLVMTypeRef type)
{
	LLVMValueRef param = LLVMGetParam(function, index), copy, size;
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(job->module);
	unsigned align = LLVMABIAlignmentOfType(layout, type);

	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
	copy = LLVMBuildAddrSpaceCast(builder,
				      LLVMBuildAlloca(builder, type, ""),
				      LLVMTypeOf(param), "copy");
	LLVMReplaceAllUsesWith(param, copy);
	size = LLVMConstInt(LLVMInt64TypeInContext(job->context),
			    LLVMABISizeOfType(layout, type), false);
	LLVMBuildMemCpy(builder, copy, align, param, align, size);
}

static void
drop_at_calls(LLVMValueRef function, unsigned position, unsigned kind)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);

		if (LLVMIsACallInst(call) &&
		    LLVMGetCalledValue(call) == function)
			LLVMRemoveCallSiteEnumAttribute(call, position, kind);
	}
}

static void
plain_parameters(struct cc_job *job, LLVMBuilderRef builder,
		 LLVMValueRef function)
{
	unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
	unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);

	for (unsigned i = 0; i < LLVMCountParams(function); i++) {
		LLVMAttributeRef by =
			LLVMGetEnumAttributeAtIndex(function, i + 1, byval);

		if (by)
			copy_byval(job, builder, function, i,
				   LLVMGetTypeAttributeValue(by));
		LLVMRemoveEnumAttributeAtIndex(function, i + 1, byval);
		LLVMRemoveEnumAttributeAtIndex(function, i + 1, sret);
		drop_at_calls(function, i + 1, byval);
		drop_at_calls(function, i + 1, sret);
	}
}

/* The first alloca of the block, from `at` on, that is not where it belongs. */
static LLVMValueRef
misplaced_alloca(LLVMValueRef at)
{
	while (at &&
	       !(LLVMIsAAllocaInst(at) &&
		 LLVMGetPointerAddressSpace(LLVMTypeOf(at)) != private_space))
		at = LLVMGetNextInstruction(at);
	return at;
}

/* Begins anew after each: markers that go may have been the next instruction.
 */
static void
move_allocas(struct cc_job *job, LLVMBuilderRef builder,
	     LLVMBasicBlockRef block)
{
	LLVMValueRef old;

	while ((old = misplaced_alloca(LLVMGetFirstInstruction(block))))
		move_alloca(job, builder, old);
}

void
lower_private(struct cc_job *job)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(job->context);

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		plain_parameters(job, builder, f);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			move_allocas(job, builder, b);
	}
	LLVMDisposeBuilder(builder);
}

/* Needs every use to be gone from the old one before its name is taken over. */
static void
move_constant(struct cc_job *job, LLVMValueRef global)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	size_t length;
	const char *given = LLVMGetValueName2(global, &length);
	char *name = arena_dup(job->arena, given, length);
	LLVMValueRef moved;

	LLVMSetValueName2(global, "", 0);
	moved = LLVMAddGlobalInAddressSpace(job->module, type, name,
					    constant_space);
	LLVMSetLinkage(moved, LLVMInternalLinkage);
	LLVMSetGlobalConstant(moved, true);
	LLVMSetUnnamedAddress(moved, LLVMGetUnnamedAddress(global));
	LLVMSetAlignment(moved, LLVMGetAlignment(global));
	LLVMSetInitializer(moved, LLVMGetInitializer(global));
	LLVMReplaceAllUsesWith(
		global, LLVMConstAddrSpaceCast(moved, LLVMTypeOf(global)));
	LLVMDeleteGlobal(global);
}

void
lower_constants(struct cc_job *job)
{
	LLVMValueRef global, next;

	for (global = LLVMGetFirstGlobal(job->module); global; global = next) {
		next = LLVMGetNextGlobal(global);
		if (LLVMIsGlobalConstant(global) &&
		    !LLVMIsDeclaration(global) &&
		    LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 0)
			move_constant(job, global);
	}
}
