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
#include "cc/record.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

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

void
record_store(struct record *r, LLVMValueRef base, size_t offset,
	     LLVMValueRef value)
{
	LLVMBuildStore(r->builder, value, field(r, base, offset));
}

void
record_positions(struct record *r, LLVMValueRef base, size_t block,
		 size_t thread)
{
	for (unsigned d = 0; d < 3; d++) {
		record_store(r, base, block + 4 * d,
			     r->ops->position(r->job, r->builder, true, d));
		record_store(r, base, thread + 4 * d,
			     r->ops->position(r->job, r->builder, false, d));
	}
}

LLVMValueRef
record_add(struct record *r, LLVMValueRef at, LLVMValueRef value)
{
	LLVMValueRef old = LLVMBuildAtomicRMWSyncScope(
		r->builder, LLVMAtomicRMWBinOpAdd, at, value,
		LLVMAtomicOrderingMonotonic,
		LLVMGetSyncScopeID(r->job->context, r->ops->device_scope,
				   strlen(r->ops->device_scope)));

	LLVMSetAlignment(old, LLVMTypeOf(value) == r->i64 ? 8 : 4);
	return old;
}

/* ---- words ---- */

struct words {
	struct record *r;
	LLVMValueRef base;
};

static LLVMValueRef
word_at(struct words *words, LLVMValueRef offset)
{
	return LLVMBuildInBoundsGEP2(words->r->builder, words->r->i64,
				     words->base, &offset, 1, "");
}

static void
store_word(void *data, LLVMValueRef offset, LLVMValueRef word)
{
	struct words *words = data;

	LLVMBuildStore(words->r->builder, word, word_at(words, offset));
}

static void
store_text(void *data, LLVMValueRef offset, LLVMValueRef text, LLVMValueRef len)
{
	struct words *words = data;

	LLVMBuildMemCpy(words->r->builder, word_at(words, offset), 8, text, 1,
			len);
}

LLVMValueRef
record_words(struct record *r, LLVMValueRef call, LLVMValueRef base)
{
	static const struct lower_words ops = {store_word, store_text};
	struct words words = {r, base};

	return lower_words(r->job, r->builder, call, &ops, &words);
}

/* ---- the record of a panic ---- */

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

static bool
is_kernel(LLVMValueRef function)
{
	return LLVMGetLinkage(function) == LLVMExternalLinkage;
}

LLVMValueRef
record_header(struct record *r, LLVMValueRef function, size_t offset)
{
	LLVMValueRef block =
		is_kernel(function) ? LLVMGetParam(function, 0) : r->slot;
	LLVMValueRef load =
		LLVMBuildLoad2(r->builder, r->i64, field(r, block, offset), "");

	LLVMSetAlignment(load, 8);
	return load;
}

static LLVMValueRef
load_state(struct record *r, LLVMValueRef function)
{
	LLVMValueRef address = record_header(
		r, function, offsetof(struct smelt_block_header, state));

	return LLVMBuildIntToPtr(r->builder, address, r->global, "state");
}

/* Counts the panic at the builder's place; goes on to `first` if it is the
 * first, else to `out`. */
static void
count_panic(struct record *r, LLVMValueRef function, LLVMBasicBlockRef first,
	    LLVMBasicBlockRef out)
{
	LLVMValueRef zero = LLVMConstInt(r->i32, 0, false), old, taken;

	old = record_add(r, load_state(r, function),
			 LLVMConstInt(r->i32, 1, false));
	taken = LLVMBuildICmp(r->builder, LLVMIntEQ, old, zero, "first");
	LLVMBuildCondBr(r->builder, taken, first, out);
}

/* Writes the record at the builder's place: site, a, b. */
static void
write_record(struct record *r, LLVMValueRef function,
	     const LLVMValueRef args[3])
{
	LLVMValueRef state = load_state(r, function);
	LLVMValueRef launch = record_header(
		r, function, offsetof(struct smelt_block_header, launch));

	record_store(r, state, offsetof(struct smelt_device_state, site),
		     args[0]);
	record_store(r, state, offsetof(struct smelt_device_state, launch),
		     launch);
	record_store(r, state, offsetof(struct smelt_device_state, args),
		     args[1]);
	record_store(r, state, offsetof(struct smelt_device_state, args) + 8,
		     args[2]);
	record_positions(r, state, offsetof(struct smelt_device_state, block),
			 offsetof(struct smelt_device_state, thread));
	tell_host(r, state);
}

/* Where the panics of a function end. `write` takes site and numbers through
 * its phis, from panics that have counted themselves and stored the words of
 * their values; `count` (NULL until it is needed) counts those without. */
struct ending {
	LLVMValueRef function;
	LLVMBasicBlockRef count, write, out;
};

static void
add_phis(struct record *r, LLVMValueRef phis[3])
{
	phis[0] = LLVMBuildPhi(r->builder, r->i32, "site");
	phis[1] = LLVMBuildPhi(r->builder, r->i64, "a");
	phis[2] = LLVMBuildPhi(r->builder, r->i64, "b");
}

static void
add_incoming(LLVMBasicBlockRef block, LLVMBasicBlockRef from,
	     LLVMValueRef args[3])
{
	LLVMValueRef phi = LLVMGetFirstInstruction(block);

	for (unsigned i = 0; i < 3; i++, phi = LLVMGetNextInstruction(phi))
		LLVMAddIncoming(phi, &args[i], &from, 1);
}

/* The builder is left at `out`, which is empty. */
static struct ending
make_ending(struct record *r, LLVMValueRef function)
{
	LLVMContextRef context = r->job->context;
	struct ending e = {.function = function};
	LLVMValueRef phis[3];

	e.write =
		LLVMAppendBasicBlockInContext(context, function, "panic.first");
	e.out = LLVMAppendBasicBlockInContext(context, function, "panic.end");
	LLVMPositionBuilderAtEnd(r->builder, e.write);
	add_phis(r, phis);
	write_record(r, function, phis);
	LLVMBuildBr(r->builder, e.out);
	LLVMPositionBuilderAtEnd(r->builder, e.out);
	return e;
}

static void
make_count(struct record *r, struct ending *e)
{
	LLVMValueRef phis[3];

	e->count = LLVMInsertBasicBlockInContext(r->job->context, e->write,
						 "panic");
	LLVMPositionBuilderAtEnd(r->builder, e->count);
	add_phis(r, phis);
	count_panic(r, e->function, e->write, e->out);
	add_incoming(e->write, e->count, phis);
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

/* A panic with values: they are stored between counting and writing. The
 * builder is at the end of its block. */
static void
branch_with_words(struct record *r, struct ending *e, LLVMValueRef call,
		  LLVMValueRef args[3])
{
	LLVMBasicBlockRef first = LLVMInsertBasicBlockInContext(
		r->job->context, e->write, "panic.words");
	size_t offset = offsetof(struct smelt_device_state, words);

	count_panic(r, e->function, first, e->out);
	LLVMPositionBuilderAtEnd(r->builder, first);
	record_words(r, call, field(r, load_state(r, e->function), offset));
	LLVMBuildBr(r->builder, e->write);
	add_incoming(e->write, first, args);
}

/* Turns the block that ends in this call into one that goes on to the ending.
 */
static void
branch_to_panic(struct record *r, struct ending *e, LLVMValueRef call)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(call);
	LLVMValueRef args[3];

	assert(LLVMIsAUnreachableInst(LLVMGetBasicBlockTerminator(from)));
	while (LLVMGetLastInstruction(from) != call)
		LLVMInstructionEraseFromParent(LLVMGetLastInstruction(from));
	for (unsigned i = 0; i < 3; i++)
		args[i] = LLVMGetOperand(call, i);
	if (!lower_has_words(call) && !e->count)
		make_count(r, e);
	LLVMPositionBuilderAtEnd(r->builder, from);
	keep_block(r);
	if (lower_has_words(call)) {
		branch_with_words(r, e, call, args);
	} else {
		add_incoming(e->count, from, args);
		LLVMBuildBr(r->builder, e->count);
	}
	LLVMInstructionEraseFromParent(call);
}

static LLVMValueRef
panic_call_in(struct cc_job *job, LLVMValueRef function)
{
	LLVMValueRef panic = panic_function(job);
	LLVMUseRef use = panic ? LLVMGetFirstUse(panic) : NULL;

	for (; use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);

		if (LLVMIsACallInst(call) &&
		    lower_function_of(call) == function)
			return call;
	}
	return NULL;
}

static bool
has_words(struct cc_job *job, LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(panic_function(job)); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);

		if (LLVMIsACallInst(call) && lower_has_words(call) &&
		    lower_function_of(call) == function)
			return true;
	}
	return false;
}

static void
lower_panics_in(struct record *r, LLVMValueRef function)
{
	LLVMValueRef call = panic_call_in(r->job, function);
	struct ending ending;

	if (!call)
		return;
	ending = make_ending(r, function);
	if (is_kernel(function)) {
		LLVMBuildRetVoid(r->builder);
	} else {
		r->ops->leave(r->job, r->builder);
		LLVMBuildUnreachable(r->builder);
	}
	for (; call; call = panic_call_in(r->job, function))
		branch_to_panic(r, &ending, call);
}

/* Whether the function, or one that it may call, calls one of two. `depth`
 * bounds the walk where functions call each other in circles: beyond it, yes.
 */
static bool
reaches(LLVMValueRef function, LLVMValueRef one, LLVMValueRef other,
	unsigned depth)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef callee = lower_callee(i);

			if (!LLVMIsACallInst(i) ||
			    LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
				continue;
			if (!callee || callee == one || callee == other)
				return true;
			if (callee == function || LLVMIsDeclaration(callee))
				continue;
			if (!depth || reaches(callee, one, other, depth - 1))
				return true;
		}
	return false;
}

void
lower_inline_panics(struct cc_job *job)
{
	LLVMValueRef panic = panic_function(job), f;

	if (!panic)
		return;
	for (f = LLVMGetFirstFunction(job->module); f;
	     f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f) && !is_kernel(f) &&
		    reaches(f, panic, panic, 8))
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

	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	LLVMPositionBuilderBefore(r->builder, first);
	for (unsigned offset = 0; offset < 16; offset += 8) {
		LLVMValueRef value = record_header(r, kernel, offset);
		LLVMValueRef store = LLVMBuildStore(r->builder, value,
						    field(r, r->slot, offset));

		LLVMSetAlignment(store, 8);
	}
}

/* A body for __smelt_panic itself, for the functions that still call it. */
static void
define_panic(struct record *r)
{
	LLVMValueRef f = panic_function(r->job), args[3];
	LLVMBasicBlockRef here =
		LLVMAppendBasicBlockInContext(r->job->context, f, "record");
	struct ending ending;

	lower_drop(f, "nocallback");
	LLVMSetLinkage(f, LLVMInternalLinkage);
	ending = make_ending(r, f);
	r->ops->leave(r->job, r->builder);
	LLVMBuildUnreachable(r->builder);
	make_count(r, &ending);
	for (unsigned i = 0; i < 3; i++)
		args[i] = LLVMGetParam(f, i);
	add_incoming(ending.count, here, args);
	LLVMPositionBuilderAtEnd(r->builder, here);
	LLVMBuildBr(r->builder, ending.count);
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

/* The functions that tell values: others share a body of __smelt_panic. */
static void
lower_words_in_functions(struct record *r)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(r->job->module); f;
	     f = LLVMGetNextFunction(f)) {
		LLVMValueRef call = panic_call_in(r->job, f);

		if (call && has_words(r->job, f))
			lower_panics_in(r, f);
		print_lower(r, f);
	}
}

static void
lower_kernel(struct record *r, LLVMValueRef kernel)
{
	lower_panics_in(r, kernel);
	print_lower(r, kernel);
}

static bool
is_used(LLVMValueRef function)
{
	return function && LLVMGetFirstUse(function);
}

/* What is not in a kernel itself finds the header in the slot. */
static void
lower_functions(struct record *r)
{
	LLVMValueRef panic = panic_function(r->job);
	LLVMValueRef print = print_function(r->job);
	struct cc *cc = r->job->cc;

	add_slot(r);
	for (size_t k = 0; k < cc->kernel_count; k++) {
		LLVMValueRef f = cc_kernel_function(r->job, &cc->kernels[k]);
		LLVMValueRef held = cc_kernel_held(r->job, &cc->kernels[k]);

		if (reaches(f, panic, print, 8))
			fill_slot(r, f);
		if (held && reaches(held, panic, print, 8))
			fill_slot(r, held);
	}
	lower_words_in_functions(r);
	if (is_used(panic))
		define_panic(r);
}

static void
drop_unused(LLVMValueRef function)
{
	if (function && !LLVMGetFirstUse(function))
		LLVMDeleteFunction(function);
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
		.global = LLVMPointerTypeInContext(job->context, 1),
	};

	r.builder = LLVMCreateBuilderInContext(job->context);
	for (size_t k = 0; k < cc->kernel_count; k++) {
		LLVMValueRef held = cc_kernel_held(job, &cc->kernels[k]);

		lower_kernel(&r, cc_kernel_function(job, &cc->kernels[k]));
		if (held)
			lower_kernel(&r, held);
	}
	if (is_used(panic_function(job)) || is_used(print_function(job)))
		lower_functions(&r);
	drop_unused(panic_function(job));
	drop_unused(print_function(job));
	LLVMDisposeBuilder(r.builder);
}
