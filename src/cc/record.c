/*
 * Panics on a GPU: the thread writes struct smelt_device_state and ends.
 *
 * Until the optimiser is done a panic is a cold call that does not return. Then
 * all panics of a kernel meet in one block at its end: site and arguments come
 * in through phis, so the hot path holds no register for them, no call is made
 * (a call costs a PTX kernel its stack frame and the registers of the calling
 * convention), and the block header is read again from the parameters. The
 * block ends by returning from the kernel. On AMD that masks the panicking
 * lanes while the healthy ones of their wave go on.
 *
 * A function that was not inlined cannot return from the kernel: there the
 * call stays, reads the header from a slot in shared memory that the kernel's
 * prologue filled in, and ends the thread where it is. On AMD that ends the
 * wave and with it the healthy lanes, so there every function that may panic is
 * inlined first; only recursion and calls through pointers are left.
 */
#include "cc/lower.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct record {
	struct cc_job *job;
	const struct lower_record *ops;
	LLVMBuilderRef builder;
	LLVMTypeRef i32, i64;
	LLVMValueRef slot; /* [2 x i64] in shared memory; NULL: not needed */
};

static const char panic_name[] = "__smelt_panic";

static LLVMValueRef
panic_function(struct cc_job *job)
{
	return LLVMGetNamedFunction(job->module, panic_name);
}

/* Says nothing of memory: what the thread stored before must stay, and since
 * the call does not return, what it may write hinders nobody. */
void
lower_declare_panic(struct cc_job *job)
{
	LLVMValueRef panic = panic_function(job);

	if (!panic)
		return;
	lower_add(job, panic, "noreturn", 0);
	lower_add(job, panic, "cold", 0);
	lower_add(job, panic, "noinline", 0);
	lower_add(job, panic, "nounwind", 0);
	lower_add(job, panic, "nocallback", 0);
	lower_drop_convergent(panic);
}

static LLVMValueRef
field(struct record *r, LLVMValueRef state, size_t offset)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(r->job->context);
	LLVMValueRef index = LLVMConstInt(r->i64, offset, false);

	return LLVMBuildInBoundsGEP2(r->builder, byte, state, &index, 1, "");
}

static void
store_field(struct record *r, LLVMValueRef state, size_t offset,
	    LLVMValueRef value)
{
	LLVMBuildStore(r->builder, value, field(r, state, offset));
}

static void
store_positions(struct record *r, LLVMValueRef state)
{
	for (unsigned d = 0; d < 3; d++) {
		store_field(r, state,
			    offsetof(struct smelt_device_state, block) + 4 * d,
			    r->ops->position(r->job, r->builder, true, d));
		store_field(r, state,
			    offsetof(struct smelt_device_state, thread) + 4 * d,
			    r->ops->position(r->job, r->builder, false, d));
	}
}

/* The record is visible to the host before the word says so. */
static void
tell_host(struct record *r, LLVMValueRef state)
{
	unsigned system = LLVMGetSyncScopeID(r->job->context, "", 0);
	LLVMTypeRef global = LLVMPointerTypeInContext(r->job->context, 1);
	LLVMValueRef word, store;

	word = LLVMBuildLoad2(
		r->builder, global,
		field(r, state, offsetof(struct smelt_device_state, host_word)),
		"host_word");
	LLVMBuildFenceSyncScope(r->builder, LLVMAtomicOrderingRelease, system,
				"");
	store = LLVMBuildStore(r->builder, LLVMConstInt(r->i32, 1, false),
			       word);
	LLVMSetVolatile(store, true);
	LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
	LLVMSetAtomicSyncScopeID(store, system);
	LLVMSetAlignment(store, 4);
}

/* The values of one panic: what __smelt_panic was given, and the header. */
struct panic {
	LLVMValueRef args[3]; /* site, a, b */
	LLVMValueRef state;   /* i64 */
	LLVMValueRef launch;
};

/* Writes the record at the end of block `here` and goes on to block `out`. */
static void
write_record(struct record *r, LLVMBasicBlockRef here, LLVMBasicBlockRef out,
	     const struct panic *panic)
{
	LLVMContextRef context = r->job->context;
	LLVMTypeRef global = LLVMPointerTypeInContext(context, 1);
	LLVMBasicBlockRef first;
	LLVMValueRef state, old, taken;

	first = LLVMInsertBasicBlockInContext(context, out, "panic.first");
	LLVMPositionBuilderAtEnd(r->builder, here);
	state = LLVMBuildIntToPtr(r->builder, panic->state, global, "state");
	old = LLVMBuildAtomicRMWSyncScope(
		r->builder, LLVMAtomicRMWBinOpAdd, state,
		LLVMConstInt(r->i32, 1, false), LLVMAtomicOrderingMonotonic,
		LLVMGetSyncScopeID(context, r->ops->device_scope,
				   strlen(r->ops->device_scope)));
	LLVMSetAlignment(old, 4);
	taken = LLVMBuildICmp(r->builder, LLVMIntEQ, old,
			      LLVMConstInt(r->i32, 0, false), "first");
	LLVMBuildCondBr(r->builder, taken, first, out);

	LLVMPositionBuilderAtEnd(r->builder, first);
	store_field(r, state, offsetof(struct smelt_device_state, site),
		    panic->args[0]);
	store_field(r, state, offsetof(struct smelt_device_state, launch),
		    panic->launch);
	store_field(r, state, offsetof(struct smelt_device_state, args),
		    panic->args[1]);
	store_field(r, state, offsetof(struct smelt_device_state, args) + 8,
		    panic->args[2]);
	store_positions(r, state);
	tell_host(r, state);
	LLVMBuildBr(r->builder, out);
}

static LLVMValueRef
load_header(struct record *r, LLVMValueRef block, size_t offset)
{
	LLVMValueRef load =
		LLVMBuildLoad2(r->builder, r->i64, field(r, block, offset), "");

	LLVMSetAlignment(load, 8);
	return load;
}

/* The kernel's panic block, with empty phis; everything behind them written. */
static LLVMBasicBlockRef
panic_block(struct record *r, LLVMValueRef kernel)
{
	LLVMContextRef context = r->job->context;
	LLVMBasicBlockRef here, out;
	LLVMValueRef block = LLVMGetParam(kernel, 0);
	struct panic panic;

	here = LLVMAppendBasicBlockInContext(context, kernel, "panic");
	out = LLVMAppendBasicBlockInContext(context, kernel, "panic.end");
	LLVMPositionBuilderAtEnd(r->builder, here);
	panic.args[0] = LLVMBuildPhi(r->builder, r->i32, "site");
	panic.args[1] = LLVMBuildPhi(r->builder, r->i64, "a");
	panic.args[2] = LLVMBuildPhi(r->builder, r->i64, "b");
	panic.state = load_header(r, block,
				  offsetof(struct smelt_block_header, state));
	panic.launch = load_header(r, block,
				   offsetof(struct smelt_block_header, launch));
	write_record(r, here, out, &panic);
	LLVMPositionBuilderAtEnd(r->builder, out);
	LLVMBuildRetVoid(r->builder);
	return here;
}

/* An empty statement that no pass removes: without it code generation would
 * fold the block into the hot one before it, and put the phis' copies there. */
static void
keep_block(struct record *r)
{
	LLVMTypeRef type = LLVMFunctionType(
		LLVMVoidTypeInContext(r->job->context), NULL, 0, false);

	LLVMBuildCall2(r->builder, type,
		       LLVMGetInlineAsm(type, "", 0, "", 0, true, false,
					LLVMInlineAsmDialectATT, false),
		       NULL, 0, "");
}

/* Turns the block that ends in this call into one that goes on to `target`. */
static void
branch_to_panic(struct record *r, LLVMValueRef call, LLVMBasicBlockRef target)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(call);
	LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
	LLVMValueRef phi = LLVMGetFirstInstruction(target);

	assert(LLVMIsAUnreachableInst(end));
	for (unsigned i = 0; i < 3; i++) {
		LLVMValueRef value = LLVMGetOperand(call, i);

		LLVMAddIncoming(phi, &value, &from, 1);
		phi = LLVMGetNextInstruction(phi);
	}
	while (LLVMGetLastInstruction(from) != call)
		LLVMInstructionEraseFromParent(LLVMGetLastInstruction(from));
	LLVMInstructionEraseFromParent(call);
	LLVMPositionBuilderAtEnd(r->builder, from);
	keep_block(r);
	LLVMBuildBr(r->builder, target);
}

static LLVMValueRef
panic_call_in(struct cc_job *job, LLVMValueRef function)
{
	LLVMUseRef use;

	for (use = LLVMGetFirstUse(panic_function(job)); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);

		if (LLVMIsACallInst(call) &&
		    lower_function_of(call) == function)
			return call;
	}
	return NULL;
}

static void
lower_kernel(struct record *r, LLVMValueRef kernel)
{
	LLVMBasicBlockRef target = NULL;
	LLVMValueRef call;

	while ((call = panic_call_in(r->job, kernel))) {
		if (!target)
			target = panic_block(r, kernel);
		branch_to_panic(r, call, target);
	}
}

/* Whether the function, or one that it may call, panics by a call. `depth`
 * bounds the walk where functions call each other in circles: beyond it, yes.
 */
static bool
reaches_panic(struct record *r, LLVMValueRef function, unsigned depth)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = lower_callee(i);

			if (!LLVMIsACallInst(i) ||
			    LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
				continue;
			if (!callee || callee == panic_function(r->job))
				return true;
			if (callee == function || LLVMIsDeclaration(callee))
				continue;
			if (!depth || reaches_panic(r, callee, depth - 1))
				return true;
		}
	return false;
}

void
lower_inline_panics(struct cc_job *job)
{
	struct record r = {.job = job};
	LLVMValueRef f;

	if (!panic_function(job))
		return;
	for (f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) ||
		    LLVMGetLinkage(f) == LLVMExternalLinkage ||
		    !reaches_panic(&r, f, 8))
			continue;
		cc_inline_always(f);
	}
}

/* Every thread writes what all threads of the block write, and reads it back
 * itself: no barrier is needed. */
static void
fill_slot(struct record *r, LLVMValueRef kernel)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(kernel);
	LLVMValueRef first = LLVMGetFirstInstruction(entry);
	LLVMValueRef block = LLVMGetParam(kernel, 0);

	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(r->builder, first);
	for (unsigned offset = 0; offset < 16; offset += 8) {
		LLVMValueRef value = load_header(r, block, offset);
		LLVMValueRef store = LLVMBuildStore(r->builder, value,
						    field(r, r->slot, offset));

		LLVMSetAlignment(store, 8);
	}
}

/* A body for __smelt_panic itself, for the functions that still call it. */
static void
define_panic(struct record *r)
{
	LLVMContextRef context = r->job->context;
	LLVMValueRef f = panic_function(r->job);
	LLVMBasicBlockRef here, out;
	struct panic panic;

	lower_drop(f, "nocallback");
	here = LLVMAppendBasicBlockInContext(context, f, "record");
	out = LLVMAppendBasicBlockInContext(context, f, "leave");
	LLVMPositionBuilderAtEnd(r->builder, here);
	for (unsigned i = 0; i < 3; i++)
		panic.args[i] = LLVMGetParam(f, i);
	panic.state = load_header(r, r->slot, 0);
	panic.launch = load_header(r, r->slot, 8);
	write_record(r, here, out, &panic);
	LLVMPositionBuilderAtEnd(r->builder, out);
	r->ops->leave(r->job, r->builder);
	LLVMBuildUnreachable(r->builder);
	LLVMSetLinkage(f, LLVMInternalLinkage);
}

static void
add_slot(struct record *r)
{
	LLVMTypeRef type = LLVMArrayType2(r->i64, 2);

	r->slot = LLVMAddGlobalInAddressSpace(r->job->module, type,
					      "__smelt_header", 3);
	LLVMSetLinkage(r->slot, LLVMInternalLinkage);
	LLVMSetInitializer(r->slot, LLVMGetUndef(type));
	LLVMSetAlignment(r->slot, 16);
}

static void
lower_functions(struct record *r)
{
	struct cc *cc = r->job->cc;

	add_slot(r);
	define_panic(r);
	for (size_t k = 0; k < cc->kernel_count; k++) {
		LLVMValueRef f = cc_kernel_function(r->job, &cc->kernels[k]);
		LLVMValueRef held = cc_kernel_held(r->job, &cc->kernels[k]);

		if (reaches_panic(r, f, 8))
			fill_slot(r, f);
		if (held && reaches_panic(r, held, 8))
			fill_slot(r, held);
	}
}

void
lower_panics(struct cc_job *job, const struct lower_record *ops)
{
	struct cc *cc = job->cc;
	struct record r = {
		.job = job,
		.ops = ops,
		.i32 = LLVMInt32TypeInContext(job->context),
		.i64 = LLVMInt64TypeInContext(job->context),
	};

	if (!panic_function(job))
		return;
	r.builder = LLVMCreateBuilderInContext(job->context);
	for (size_t k = 0; k < cc->kernel_count; k++) {
		LLVMValueRef held = cc_kernel_held(job, &cc->kernels[k]);

		lower_kernel(&r, cc_kernel_function(job, &cc->kernels[k]));
		if (held)
			lower_kernel(&r, held);
	}
	if (LLVMGetFirstUse(panic_function(job)))
		lower_functions(&r);
	else
		LLVMDeleteFunction(panic_function(job));
	LLVMDisposeBuilder(r.builder);
}
