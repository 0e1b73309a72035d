/*
 * NULL beside pointers to local and shared memory.
 *
 * An Option<&T>, which is what a slice's iterator gives, is a pointer that may
 * be NULL. Where the pointer goes into a local array or shared memory,
 * infer-address-spaces moves phi and comparison to that address space and takes
 * the cast of NULL along. PTX has no such thing: cvta.to.local of an address
 * outside the window is undefined, and the first array may well lie at 0. On an
 * H200 a loop over a local array ran past its end.
 *
 * So NULL is hidden from the pass wherever it meets such a pointer: it becomes
 * the result of an empty statement, whose address space nobody knows, and the
 * phi stays generic. Pointers to global memory, where NULL is 0 in both spaces,
 * are left alone.
 */
#include "cc/nvptx.h"

#include <string.h>

struct hider {
	struct cc_job *job;
	LLVMBuilderRef builder;
	LLVMValueRef *seen; /* in the order they were found */
	struct cc_map *known;
	size_t count;
	size_t cap;
};

static bool
is_null(LLVMValueRef value)
{
	return LLVMIsAConstantPointerNull(value) &&
	       LLVMGetPointerAddressSpace(LLVMTypeOf(value)) == 0;
}

/* A generic NULL that no pass sees through, at the begin of the function. */
static LLVMValueRef
hidden_null(struct hider *hider, LLVMValueRef function)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(hider->job->context, 0);
	LLVMTypeRef type = LLVMFunctionType(ptr, NULL, 0, false);
	static const char text[] = "mov.b64 $0, 0;", where[] = "=l";
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMValueRef first = LLVMGetFirstInstruction(entry);

	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(hider->builder, first);
	return LLVMBuildCall2(hider->builder, type,
			      LLVMGetInlineAsm(type, text, sizeof(text) - 1,
					       where, sizeof(where) - 1, false,
					       false, LLVMInlineAsmDialectATT,
					       false),
			      NULL, 0, "null");
}

static void
hide_operands(struct hider *hider, LLVMValueRef user)
{
	int count = LLVMGetNumOperands(user);
	LLVMValueRef hidden = NULL;

	for (int i = 0; i < count; i++) {
		if (!is_null(LLVMGetOperand(user, (unsigned)i)))
			continue;
		if (!hidden)
			hidden = hidden_null(hider, lower_function_of(user));
		LLVMSetOperand(user, (unsigned)i, hidden);
	}
}

/* Notes a value whose users are to be looked at, once. */
static void
follow(struct hider *hider, LLVMValueRef value)
{
	if (cc_map_get(hider->known, value))
		return;
	cc_map_set(hider->job->arena, hider->known, value, value);
	if (hider->count == hider->cap) {
		size_t cap = hider->cap ? 2 * hider->cap : 64;
		LLVMValueRef *grown =
			arena_alloc(hider->job->arena, cap * sizeof(*grown));

		if (hider->count)
			memcpy(grown, hider->seen,
			       hider->count * sizeof(*grown));
		hider->seen = grown;
		hider->cap = cap;
	}
	hider->seen[hider->count++] = value;
}

static bool
passes_pointer_on(LLVMValueRef user)
{
	if (LLVMIsAConstantExpr(user))
		return LLVMGetConstOpcode(user) == LLVMGetElementPtr ||
		       LLVMGetConstOpcode(user) == LLVMAddrSpaceCast;
	return LLVMIsAGetElementPtrInst(user) || LLVMIsAPHINode(user) ||
	       LLVMIsASelectInst(user) || LLVMIsAAddrSpaceCastInst(user) ||
	       LLVMIsAFreezeInst(user);
}

static void
visit_users(struct hider *hider, LLVMValueRef value)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);

		if (passes_pointer_on(user))
			follow(hider, user);
		if (LLVMIsAPHINode(user) || LLVMIsASelectInst(user) ||
		    LLVMIsAICmpInst(user))
			hide_operands(hider, user);
	}
}

static void
add_roots_of(struct hider *hider, LLVMValueRef function)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i))
			if (LLVMIsAAllocaInst(i))
				follow(hider, i);
}

/* Local arrays, shared statics, and the parameter block, which the back end
 * may copy to local memory. */
static void
add_roots(struct hider *hider)
{
	struct cc *cc = hider->job->cc;
	LLVMModuleRef module = hider->job->module;

	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g;
	     g = LLVMGetNextGlobal(g))
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == 3)
			follow(hider, g);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
	     f = LLVMGetNextFunction(f))
		add_roots_of(hider, f);
	for (size_t k = 0; k < cc->kernel_count; k++)
		follow(hider, LLVMGetParam(cc_kernel_function(hider->job,
							      &cc->kernels[k]),
					   0));
}

void
nvptx_hide_nulls(struct cc_job *job)
{
	struct hider hider = {
		.job = job,
		.known = cc_map_new(job->arena),
		.builder = LLVMCreateBuilderInContext(job->context),
	};

	add_roots(&hider);
	for (size_t i = 0; i < hider.count; i++)
		visit_users(&hider, hider.seen[i]);
	LLVMDisposeBuilder(hider.builder);
}
