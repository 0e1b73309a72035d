/*
 * Atomics on a GPU: whose view they order, and the ones core does not have.
 *
 * Rust has no scopes; its atomics speak to every thread of the system, which on
 * a GPU means past the caches to the host. Memory that a kernel is given
 * belongs to its device, so the device is the scope unless a program asks for
 * more.
 */
#include "cc/lower.h"

#include <stdio.h>
#include <string.h>

static void
each_instruction(struct cc_job *job,
		 void (*visit)(struct cc_job *job, LLVMValueRef instruction,
			       unsigned scope),
		 unsigned scope)
{
	LLVMValueRef i, next;

	for (LLVMValueRef f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (i = LLVMGetFirstInstruction(b); i; i = next) {
				next = LLVMGetNextInstruction(i);
				visit(job, i, scope);
			}
}

static void
narrow_scope(struct cc_job *job, LLVMValueRef i, unsigned scope)
{
	unsigned system = LLVMGetSyncScopeID(job->context, "", 0);

	if (LLVMIsAtomic(i) && LLVMGetAtomicSyncScopeID(i) == system)
		LLVMSetAtomicSyncScopeID(i, scope);
}

void
lower_atomic_scopes(struct cc_job *job, const char *device_scope)
{
	each_instruction(job, narrow_scope,
			 LLVMGetSyncScopeID(job->context, device_scope,
					    strlen(device_scope)));
}

static bool
releases(LLVMAtomicOrdering order)
{
	return order == LLVMAtomicOrderingRelease ||
	       order == LLVMAtomicOrderingAcquireRelease ||
	       order == LLVMAtomicOrderingSequentiallyConsistent;
}

static bool
acquires(LLVMAtomicOrdering order)
{
	return order == LLVMAtomicOrderingAcquire ||
	       order == LLVMAtomicOrderingAcquireRelease ||
	       order == LLVMAtomicOrderingSequentiallyConsistent;
}

static void
fence_around(struct cc_job *job, LLVMValueRef i, unsigned unused)
{
	LLVMAtomicOrdering order;
	LLVMBuilderRef builder;
	unsigned scope;

	(void)unused;
	if (!LLVMIsAAtomicRMWInst(i))
		return;
	order = LLVMGetOrdering(i);
	scope = LLVMGetAtomicSyncScopeID(i);
	builder = LLVMCreateBuilderInContext(job->context);
	LLVMPositionBuilderBefore(builder, i);
	if (releases(order))
		LLVMBuildFenceSyncScope(
			builder,
			order == LLVMAtomicOrderingSequentiallyConsistent
				? order
				: LLVMAtomicOrderingRelease,
			scope, "");
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(i));
	if (acquires(order))
		LLVMBuildFenceSyncScope(builder, LLVMAtomicOrderingAcquire,
					scope, "");
	LLVMSetOrdering(i, LLVMAtomicOrderingMonotonic);
	LLVMDisposeBuilder(builder);
}

void
lower_atomic_orderings(struct cc_job *job)
{
	each_instruction(job, fence_around, 0);
}

static const struct lower_scopes *scopes;

static void
attach_metadata(struct cc_job *job, LLVMValueRef instruction)
{
	LLVMValueRef empty = LLVMMetadataAsValue(
		job->context, LLVMMDNodeInContext2(job->context, NULL, 0));

	for (size_t i = 0; scopes->metadata && scopes->metadata[i]; i++)
		LLVMSetMetadata(instruction,
				LLVMGetMDKindIDInContext(
					job->context, scopes->metadata[i],
					(unsigned)strlen(scopes->metadata[i])),
				empty);
}

static LLVMValueRef
make_atomic(struct cc_job *job, LLVMBuilderRef builder, LLVMValueRef call)
{
	const char *name = LLVMGetValueName(LLVMGetCalledValue(call));
	LLVMValueRef scope = LLVMGetOperand(call, 2), rmw;
	LLVMAtomicRMWBinOp op = strstr(name, "_add_") ? LLVMAtomicRMWBinOpFAdd
				: strstr(name, "_min_")
					? LLVMAtomicRMWBinOpFMin
					: LLVMAtomicRMWBinOpFMax;
	uint64_t number;

	if (!LLVMIsAConstantInt(scope))
		die("%s: the scope of an atomic operation must be a constant",
		    job->arch);
	number = LLVMConstIntGetZExtValue(scope);
	if (number > 2)
		die("%s: %llu is not a scope of an atomic operation", job->arch,
		    (unsigned long long)number);
	rmw = LLVMBuildAtomicRMWSyncScope(
		builder, op, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
		LLVMAtomicOrderingMonotonic,
		LLVMGetSyncScopeID(job->context, scopes->name[number],
				   strlen(scopes->name[number])));
	if (number != 2)
		attach_metadata(job, rmw);
	return rmw;
}

void
lower_float_atomics(struct cc_job *job, const struct lower_scopes *names)
{
	static const char *const operations[] = {"add", "min", "max"};

	scopes = names;
	for (size_t i = 0; i < array_count(operations); i++)
		for (int wide = 0; wide < 2; wide++)
			cc_replace_calls(job,
					 arena_printf(job->arena,
						      "__smelt_atomic_%s_%s",
						      operations[i],
						      wide ? "f64" : "f32"),
					 make_atomic);
}
