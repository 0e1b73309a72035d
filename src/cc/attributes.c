/*
 * Functions, calls and their attributes by name. LLVM-C names attributes by a
 * number that differs between releases, so everything here goes by the name.
 */
#include "cc/lower.h"

#include <string.h>

LLVMValueRef
lower_callee(LLVMValueRef instruction)
{
	LLVMValueRef callee;

	if (!LLVMIsACallInst(instruction))
		return NULL;
	callee = LLVMGetCalledValue(instruction);
	return LLVMIsAFunction(callee) ? callee : NULL;
}

LLVMValueRef
lower_function_of(LLVMValueRef instruction)
{
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

static unsigned
kind_of(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

bool
lower_has(LLVMValueRef function, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					   kind_of(name)) != NULL;
}

void
lower_add(struct cc_job *job, LLVMValueRef function, const char *name,
	  uint64_t value)
{
	LLVMAddAttributeAtIndex(
		function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(job->context, kind_of(name), value));
}

static void
add_to_block(struct cc_job *job, LLVMValueRef kernel, const char *name,
	     uint64_t value)
{
	LLVMAddAttributeAtIndex(
		kernel, 1,
		LLVMCreateEnumAttribute(job->context, kind_of(name), value));
}

void
lower_add_block(struct cc_job *job, LLVMValueRef kernel, uint64_t size)
{
	add_to_block(job, kernel, "noalias", 0);
	add_to_block(job, kernel, "readonly", 0);
	add_to_block(job, kernel, "nonnull", 0);
	if (size)
		add_to_block(job, kernel, "dereferenceable", size);
}

void
lower_drop(LLVMValueRef function, const char *name)
{
	LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
				       kind_of(name));
}

void
cc_inline_always(LLVMValueRef function)
{
	LLVMContextRef context =
		LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMUseRef use;

	lower_drop(function, "noinline");
	lower_drop(function, "optnone");
	LLVMAddAttributeAtIndex(
		function, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(context, kind_of("alwaysinline"), 0));
	for (use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (lower_callee(user) == function)
			LLVMRemoveCallSiteEnumAttribute(
				user, LLVMAttributeFunctionIndex,
				kind_of("noinline"));
	}
}

void
lower_add_string(struct cc_job *job, LLVMValueRef function, const char *name,
		 const char *value)
{
	LLVMAddAttributeAtIndex(
		function, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(job->context, name,
					  (unsigned)strlen(name), value,
					  (unsigned)strlen(value)));
}

void
lower_drop_convergent(LLVMValueRef function)
{
	LLVMUseRef use;

	lower_drop(function, "convergent");
	for (use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (LLVMIsACallInst(user))
			LLVMRemoveCallSiteEnumAttribute(
				user, LLVMAttributeFunctionIndex,
				kind_of("convergent"));
	}
}

LLVMValueRef
lower_intrinsic(struct cc_job *job, LLVMBuilderRef builder, const char *name,
		LLVMTypeRef *types, size_t type_count, LLVMValueRef *args,
		unsigned arg_count)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef f;

	if (!id)
		die("%s: this LLVM has no %s", job->arch, name);
	f = LLVMGetIntrinsicDeclaration(job->module, id, types, type_count);
	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args,
			      arg_count, "");
}

bool
lower_is_lifetime(LLVMValueRef instruction)
{
	LLVMValueRef callee = lower_callee(instruction);

	return callee &&
	       starts_with(LLVMGetValueName(callee), "llvm.lifetime.");
}

void
lower_drop_host(LLVMValueRef function)
{
	static const char *const strings[] = {
		"target-cpu",	    "target-features", "tune-cpu",
		"probe-stack",	    "frame-pointer",   "no-trapping-math",
		"stack-probe-size",
	};
	static const char *const enums[] = {
		"uwtable", "nonlazybind", "sspstrong", "ssp", "sspreq",
	};
	const LLVMAttributeIndex self = LLVMAttributeFunctionIndex;

	for (size_t i = 0; i < array_count(strings); i++)
		LLVMRemoveStringAttributeAtIndex(function, self, strings[i],
						 (unsigned)strlen(strings[i]));
	for (size_t i = 0; i < array_count(enums); i++)
		LLVMRemoveEnumAttributeAtIndex(
			function, self,
			LLVMGetEnumAttributeKindForName(enums[i],
							strlen(enums[i])));
	if (LLVMHasPersonalityFn(function))
		LLVMSetPersonalityFn(function, NULL);
}
