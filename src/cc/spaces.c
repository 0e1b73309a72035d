/*
 * Block-shared memory. rustc knows one address space; a static of the section
 * .smelt.shared becomes a variable in space 3, and its uses see it through a
 * cast to a generic pointer, which infer-address-spaces takes away again
 * wherever the address stays in sight.
 */
#include "cc/lower.h"

#include <string.h>

enum { shared_space = 3, shared_align = 16 };

static bool
is_shared(LLVMValueRef global)
{
	const char *section = LLVMGetSection(global);

	return section && strcmp(section, ".smelt.shared") == 0;
}

static void
move_to_shared(struct cc_job *job, LLVMValueRef global)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(global);
	size_t length;
	const char *given = LLVMGetValueName2(global, &length);
	char *name = arena_dup(job->arena, given, length);
	unsigned align = LLVMGetAlignment(global);
	LLVMValueRef shared;

	LLVMSetValueName2(global, "", 0);
	shared = LLVMAddGlobalInAddressSpace(job->module, type, name,
					     shared_space);
	LLVMSetLinkage(shared, LLVMInternalLinkage);
	LLVMSetInitializer(shared, LLVMGetUndef(type));
	LLVMSetAlignment(shared, align);
	LLVMReplaceAllUsesWith(
		global, LLVMConstAddrSpaceCast(shared, LLVMTypeOf(global)));
	LLVMDeleteGlobal(global);
}

static LLVMValueRef
dynamic_shared(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	static const char name[] = "__smelt_dynamic_shared_memory";
	LLVMValueRef memory = LLVMGetNamedGlobal(job->module, name);
	LLVMTypeRef bytes =
		LLVMArrayType2(LLVMInt8TypeInContext(job->context), 0);

	(void)builder;
	if (!memory) {
		memory = LLVMAddGlobalInAddressSpace(job->module, bytes, name,
						     shared_space);
		LLVMSetLinkage(memory, LLVMExternalLinkage);
		LLVMSetAlignment(memory, shared_align);
	}
	return LLVMConstAddrSpaceCast(memory, LLVMTypeOf(call));
}

void
lower_shared(struct cc_job *job)
{
	LLVMValueRef global, next;

	for (global = LLVMGetFirstGlobal(job->module); global; global = next) {
		next = LLVMGetNextGlobal(global);
		if (is_shared(global))
			move_to_shared(job, global);
	}
	cc_replace_calls(job, "__smelt_dynamic_shared", dynamic_shared);
}

/* What LLVM-C calls a constant expression's opcode asserts on other values. */
static bool
casts_away(LLVMValueRef user)
{
	unsigned space;

	if (!LLVMIsAConstantExpr(user) ||
	    LLVMGetConstOpcode(user) != LLVMAddrSpaceCast)
		return false;
	space = LLVMGetPointerAddressSpace(LLVMTypeOf(user));
	return space == 3 || space == 5;
}

void
lower_check_spaces(struct cc_job *job)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(job->module); g;
	     g = LLVMGetNextGlobal(g)) {
		unsigned own = LLVMGetPointerAddressSpace(LLVMTypeOf(g));

		if (own == 3 || own == 5)
			continue;
		for (LLVMUseRef use = LLVMGetFirstUse(g); use;
		     use = LLVMGetNextUse(use))
			if (casts_away(LLVMGetUser(use)))
				die("internal: the address of a constant was "
				    "taken for one of shared or local memory "
				    "(%s); please report this",
				    job->arch);
	}
}
